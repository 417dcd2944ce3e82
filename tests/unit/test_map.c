/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "tests/lib/random.h"
#include "user/base/map.h"

#define KEYS 512

Test(map, does_what_an_array_does)
{
	static char truth[KEYS];
	struct map map = {0};
	uint64_t random = 3;
	size_t nr = 0;

	for (int i = 0; i < 200000; i++) {
		uint64_t key = random_next(&random) % KEYS;
		bool put = random_next(&random) % 3 != 0;
		void *removed;

		if (put) {
			cr_assert(zero(int, map_put(&map, key, &truth[key])));
			nr += !truth[key];
		} else {
			removed = map_remove(&map, key);
			cr_assert(eq(int, removed != NULL, truth[key]));
			nr -= (size_t)truth[key];
		}
		truth[key] = put;
		cr_assert(eq(sz, map.nr, nr));
	}
	for (uint64_t key = 0; key < KEYS; key++)
		cr_expect(eq(ptr, map_get(&map, key), truth[key] ? (void *)&truth[key] : NULL));
	map_free(&map);
}

Test(map, a_walk_meets_each_value_once)
{
	static char values[100];
	struct map map = {0};
	size_t cursor = 0, met = 0;
	char *value;

	for (size_t i = 0; i < 100; i++)
		map_put(&map, i * 64, &values[i]);
	while ((value = map_next(&map, &cursor))) {
		cr_expect(zero(int, *value));
		*value = 1;
		met++;
	}
	cr_expect(eq(sz, met, 100));
	map_free(&map);
}

Test(map, an_empty_one_holds_nothing)
{
	struct map map = {0};
	size_t cursor = 0;

	cr_expect(eq(ptr, map_get(&map, 5), NULL));
	cr_expect(eq(ptr, map_remove(&map, 5), NULL));
	cr_expect(eq(ptr, map_next(&map, &cursor), NULL));
	map_free(&map);
}
