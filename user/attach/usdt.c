/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/attach/usdt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"

#define NR_NAMES 4

/* By their place in struct pt_regs; names for 8, 4, 2 and 1 byte. */
static const struct {
	uint8_t place;
	const char *names[NR_NAMES];
} registers[] = {
	{0, {"r15", "r15d", "r15w", "r15b"}}, {1, {"r14", "r14d", "r14w", "r14b"}},
	{2, {"r13", "r13d", "r13w", "r13b"}}, {3, {"r12", "r12d", "r12w", "r12b"}},
	{4, {"rbp", "ebp", "bp", "bpl"}},     {5, {"rbx", "ebx", "bx", "bl"}},
	{6, {"r11", "r11d", "r11w", "r11b"}}, {7, {"r10", "r10d", "r10w", "r10b"}},
	{8, {"r9", "r9d", "r9w", "r9b"}},     {9, {"r8", "r8d", "r8w", "r8b"}},
	{10, {"rax", "eax", "ax", "al"}},     {11, {"rcx", "ecx", "cx", "cl"}},
	{12, {"rdx", "edx", "dx", "dl"}},     {13, {"rsi", "esi", "si", "sil"}},
	{14, {"rdi", "edi", "di", "dil"}},    {19, {"rsp", "esp", "sp", "spl"}},
};

static bool take(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

static bool take_number(const char **at, uint32_t *word)
{
	char *end;
	long number = strtol(*at, &end, 0);

	if (end == *at || number < -(1l << (USDT_NUMBER_BITS - 1)) ||
	    number >= 1l << (USDT_NUMBER_BITS - 1))
		return false;
	*word |= (uint32_t)number & ((1u << USDT_NUMBER_BITS) - 1);
	*at = end;
	return true;
}

static bool take_register(const char **at, uint32_t *word)
{
	size_t length;

	if (!take(at, '%'))
		return false;
	length = strcspn(*at, " )");
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		for (size_t k = 0; k < NR_NAMES; k++) {
			const char *name = registers[i].names[k];

			if (strlen(name) != length || strncmp(name, *at, length))
				continue;
			*at += length;
			*word |= (uint32_t)registers[i].place << USDT_REGISTER_SHIFT;
			return true;
		}
	return false;
}

/* "$NUMBER", "%REGISTER", "NUMBER(%REGISTER)" or "(%REGISTER)". */
static bool take_place(const char **at, uint32_t *word)
{
	if (take(at, '$')) {
		*word |= (uint32_t)USDT_CONSTANT << USDT_KIND_SHIFT;
		return take_number(at, word);
	}
	if (**at == '%') {
		*word |= (uint32_t)USDT_REGISTER << USDT_KIND_SHIFT;
		return take_register(at, word);
	}
	*word |= (uint32_t)USDT_MEMORY << USDT_KIND_SHIFT;
	if (**at != '(' && !take_number(at, word))
		return false;
	return take(at, '(') && take_register(at, word) && take(at, ')');
}

/* "SIZE@" or "-SIZE@". */
static bool take_size(const char **at, uint32_t *word)
{
	static const char sizes[] = "1248";
	const char *size;

	if (take(at, '-'))
		*word |= 1u << USDT_SIGNED_SHIFT;
	size = **at ? strchr(sizes, **at) : NULL;
	if (!size)
		return false;
	*word |= (uint32_t)(size - sizes) << USDT_SIZE_SHIFT;
	++*at;
	return take(at, '@');
}

static bool parse_argument(const char *at, uint32_t *ret)
{
	*ret = 0;
	return take_size(&at, ret) && take_place(&at, ret) && (*at == ' ' || *at == '\0');
}

static const char *find_argument(const char *arguments, size_t index)
{
	const char *at = arguments + strspn(arguments, " ");

	for (size_t i = 0; i < index && *at; i++) {
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
	return at;
}

int usdt_pack(const char *arguments, const uint8_t *wanted, size_t nr, uint64_t *ret)
{
	uint64_t cookie = 0;

	if (nr > USDT_WORDS)
		return -EOPNOTSUPP;
	for (size_t i = 0; i < nr; i++) {
		uint32_t word;

		if (!parse_argument(find_argument(arguments, wanted[i]), &word))
			return -EOPNOTSUPP;
		cookie |= (uint64_t)word << (i * USDT_WORD_BITS);
	}
	*ret = cookie;
	return 0;
}
