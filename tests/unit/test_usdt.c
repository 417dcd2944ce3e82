/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdint.h>

#include "user/attach/usdt.h"
#include "user/base/cleanup.h"

static const uint8_t first[] = {0};

TestSuite(usdt);

/* As in the notes of JDK 17 and 25. */
Test(usdt, each_argument_keeps_its_place)
{
	static const uint8_t wanted[] = {0, 1, 3};
	uint64_t cookie;
	uint32_t word;

	cr_assert(zero(int, usdt_pack("8@%r13 -4@-60(%rbp) -8@-56(%rbp) 2@%r15w 1@%al", wanted, 3,
				      &cookie)));
	word = usdt_word(cookie, 0);
	cr_expect(eq(int, (int)usdt_kind(word), USDT_REGISTER));
	cr_expect(eq(u32, usdt_register(word), 2));
	cr_expect(eq(i64, usdt_narrow(word, UINT64_MAX - 1), -2), "all of the register");
	word = usdt_word(cookie, 1);
	cr_expect(eq(int, (int)usdt_kind(word), USDT_MEMORY));
	cr_expect(eq(u32, usdt_register(word), 4));
	cr_expect(eq(i64, usdt_number(word), -60));
	cr_expect(eq(i64, usdt_narrow(word, 0x12345678fffffffe), -2), "four bytes with a sign");
	word = usdt_word(cookie, 2);
	cr_expect(eq(int, (int)usdt_kind(word), USDT_REGISTER));
	cr_expect(eq(u32, usdt_register(word), 0));
	cr_expect(eq(i64, usdt_narrow(word, 0x12345678fffffffe), 0xfffe), "two without one");
}

Test(usdt, a_constant_is_one)
{
	uint64_t cookie;

	cr_assert(zero(int, usdt_pack("-4@$-7", first, 1, &cookie)));
	cr_expect(eq(int, (int)usdt_kind(usdt_word(cookie, 0)), USDT_CONSTANT));
	cr_expect(eq(i64, usdt_number(usdt_word(cookie, 0)), -7));
}

Test(usdt, one_byte_of_a_register_is_cut_out_of_it)
{
	uint64_t cookie;

	cr_assert(zero(int, usdt_pack("1@%dil", first, 1, &cookie)));
	cr_expect(eq(u32, usdt_register(usdt_word(cookie, 0)), 14));
	cr_expect(eq(i64, usdt_narrow(usdt_word(cookie, 0), 0xabcdef00), 0));
	cr_expect(eq(i64, usdt_narrow(usdt_word(cookie, 0), 0xabcdef81), 0x81));
}

Test(usdt, the_stack_pointer_alone_is_an_address)
{
	uint64_t cookie;

	cr_assert(zero(int, usdt_pack("8@(%rsp)", first, 1, &cookie)));
	cr_expect(eq(int, (int)usdt_kind(usdt_word(cookie, 0)), USDT_MEMORY));
	cr_expect(eq(u32, usdt_register(usdt_word(cookie, 0)), 19));
	cr_expect(zero(i64, usdt_number(usdt_word(cookie, 0))));
}

Test(usdt, nothing_wanted_is_nothing_to_understand)
{
	uint64_t cookie = 1;

	cr_expect(zero(int, usdt_pack("?", first, 0, &cookie)));
	cr_expect(zero(u64, cookie));
}

Test(usdt, what_is_elsewhere_is_refused)
{
	static const char *const rows[] = {
		"",
		" ",
		"8",
		"8@",
		"@%rax",
		"3@%rax",
		"8@%",
		"8@%rip",
		"8@%raxx",
		"8@rax",
		"8@%rax,",
		"8@$",
		"8@$x",
		"8@$1024",
		"8@$-1025",
		"8@1024(%rbp)",
		"8@8(%rbp",
		"8@8(%rbp)x",
		"8@8",
		"8f@%xmm0",
		"--8@%rax",
		"8@8(%rax,%rbx,1)",
		"8@x(%rip)",
		"8@(rax)",
		"8@$99999999999999999999",
	};
	uint64_t cookie;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect(eq(int, usdt_pack(rows[i], first, 1, &cookie), -EOPNOTSUPP), "'%s'",
			  rows[i]);
}

Test(usdt, an_argument_that_is_not_there_is_refused)
{
	static const uint8_t third[] = {2}, four[] = {0, 1, 2, 3};
	uint64_t cookie;

	cr_expect(eq(int, usdt_pack("8@%rax 8@%rbx", third, 1, &cookie), -EOPNOTSUPP));
	cr_expect(eq(int, usdt_pack("8@%rax 8@%rbx 8@%rcx 8@%rdx", four, 4, &cookie), -EOPNOTSUPP),
		  "more than a cookie holds");
}
