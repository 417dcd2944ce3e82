/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/timeline/futex_words.h"

#define SURE_WAKES                                                                                 \
	4 /* of one word with none of another: glibc makes such a call once in a thousand pauses   \
	   */

struct word *words_entry(struct word words[WORDS_MAX], size_t *nr, uint64_t uaddr)
{
	struct word *least = &words[0];

	for (size_t i = 0; i < *nr; i++) {
		if (words[i].uaddr == uaddr)
			return &words[i];
		if (words[i].nr_wakes + words[i].nr_waits < least->nr_wakes + least->nr_waits)
			least = &words[i];
	}
	if (*nr < WORDS_MAX)
		least = &words[(*nr)++];
	*least = (struct word){.uaddr = uaddr};
	return least;
}

const struct word *words_most_woken(const struct word *words, size_t nr)
{
	const struct word *most = NULL;

	for (size_t i = 0; i < nr; i++)
		if (words[i].nr_wakes && (!most || words[i].nr_wakes > most->nr_wakes))
			most = &words[i];
	return most;
}

uint64_t words_judge(const struct word *words, size_t nr)
{
	const struct word *most = words_most_woken(words, nr);

	for (size_t i = 0; i < nr; i++)
		if (words[i].nr_waits && words[i].nr_wakes)
			return words[i].uaddr;
	if (!most || most->nr_wakes < SURE_WAKES)
		return 0;
	for (size_t i = 0; i < nr; i++)
		if (&words[i] != most && words[i].nr_wakes * SURE_WAKES > most->nr_wakes)
			return 0;
	return most->uaddr;
}
