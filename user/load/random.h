/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random numbers that repeat: the same seed gives the same run on every machine. xoshiro256++ 1.0
 * and splitmix64, by David Blackman and Sebastiano Vigna, who placed both in the public domain
 * (https://prng.di.unimi.it/).
 */
#ifndef STANDSTILL_LOAD_RANDOM_H
#define STANDSTILL_LOAD_RANDOM_H

#include <stdint.h>

struct generator {
	uint64_t word[4];
};

static inline uint64_t random_splitmix(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static inline void random_seed(struct generator *g, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		g->word[i] = random_splitmix(&seed);
}

static inline uint64_t random_rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static inline uint64_t random_bits(struct generator *g)
{
	uint64_t *s = g->word;
	uint64_t result = random_rotate(s[0] + s[3], 23) + s[0];
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = random_rotate(s[3], 45);
	return result;
}

/* In (0, 1]: its logarithm is finite. */
static inline double random_unit(struct generator *g)
{
	return ((double)(random_bits(g) >> 11) + 1.0) * 0x1p-53;
}

#endif
