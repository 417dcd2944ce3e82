/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "user/base/heap.h"

#define LARGE (6u << 20)

static bool comes_from_heap(void)
{
	uint8_t *volatile block = malloc(LARGE);
	bool inside = (uintptr_t)block + LARGE <= (uintptr_t)sbrk(0);

	cr_assert_not_null(block);
	block[0] = block[LARGE - 1] = 1;
	free(block);
	return inside;
}

#ifdef __SANITIZE_ADDRESS__
#define ALLOCATOR_IS_ANOTHER true
#else
#define ALLOCATOR_IS_ANOTHER false
#endif

Test(heap, what_is_expected_is_taken_from_it_and_given_back)
{
	uintptr_t before = (uintptr_t)sbrk(0);

	heap_expect(4 * LARGE);
	cr_assert(comes_from_heap() || ALLOCATOR_IS_ANOTHER);
	heap_settle();
	cr_assert(!comes_from_heap() || ALLOCATOR_IS_ANOTHER);
	cr_assert_lt((uintptr_t)sbrk(0), before + LARGE);
}
