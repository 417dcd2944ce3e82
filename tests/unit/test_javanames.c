/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <uchar.h>

#include "user/attach/javanames_text.h"
#include "user/base/cleanup.h"

struct name {
	const char16_t *units;
	const char *utf8, *comm;
	bool fits;
};

static const struct name names[] = {
	{u"main", "main", "main", true},
	{u"main", "main", "mai", false},
	{u"main", "main", "main2", false},
	{u"exactly15chars!", "exactly15chars!", "exactly15chars!", true},
	{u"sixteen charact.", "sixteen charact.", "sixteen charact", true},
	{u"http-nio-8080-exec-12", "http-nio-8080-exec-12", "http-nio-8080-e", true},
	{u"http-nio-8080-exec-12", "http-nio-8080-exec-12", "http-ni..xec-12", true}, /* JDK 27 */
	{u"http-nio-8080-exec-12", "http-nio-8080-exec-12", "http-ni..xec-13", false},
	{u"http-nio-8080-exec-12", "http-nio-8080-exec-12", "http-nio-8080-f", false},
	{u"Größe-Übertragung", "Größe-Übertragung", "Größe-Übertr", true},
	{u"日本語スレッド", "日本語スレッド", "日本語スレ", true},
	/* Cut inside a character, as HotSpot does. */
	{u"a日本語スレッド", "a日本語スレッド", "a日本語ス\xe3\x83", true},
	/* HotSpot writes a surrogate pair as two characters of three bytes. */
	{u"😀", "😀", "\xed\xa0\xbd\xed\xb8\x80", true},
	{u"😀", "😀", "😀", false},
	{u"\xd83d!", "\xef\xbf\xbd!", "\xed\xa0\xbd!", true},
	{u"!\xde00", "!\xef\xbf\xbd", "!\xed\xb8\x80", true},
	{u"a\tb\x7f"
	 u"c\x85",
	 "a?b?c?",
	 "a\tb\x7f"
	 "c\xc2\x85",
	 true},
	{u"", "", "", true},
	{u"", "", "java", false},
};

static uint32_t count_units(const char16_t *units)
{
	uint32_t nr = 0;

	while (units[nr])
		nr++;
	return nr;
}

Test(javanames, a_name_becomes_utf8_and_is_known_by_its_comm)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct java_text text = {(const uint8_t *)names[i].units,
					       2 * count_units(names[i].units), true};
		char buffer[128];

		java_text_print(&text, buffer, sizeof(buffer));
		cr_expect(eq(str, buffer, (char *)names[i].utf8), "row %zu", i);
		cr_expect(eq(int, java_text_is_comm(&text, names[i].comm), names[i].fits),
			  "row %zu", i);
	}
}

Test(javanames, latin_1_is_one_byte_a_character)
{
	const struct java_text text = {(const uint8_t *)"Gr\xf6\xdf"
							"e",
				       5, false};
	char buffer[16], small[5];

	java_text_print(&text, buffer, sizeof(buffer));
	cr_expect(eq(str, buffer, "Größe"));
	cr_expect(java_text_is_comm(&text, "Größe"));
	java_text_print(&text, small, sizeof(small));
	cr_expect(eq(str, small, "Gr\xc3\xb6"), "cut at a character, not inside one");
}

Test(javanames, a_nul_in_a_name_is_two_bytes_to_hotspot)
{
	const struct java_text text = {(const uint8_t *)"a\0b", 3, false};
	char buffer[16];

	java_text_print(&text, buffer, sizeof(buffer));
	cr_expect(eq(str, buffer, "a?b"));
	cr_expect(java_text_is_comm(&text, "a\xc0\x80"
					   "b"));
	cr_expect(zero(int, java_text_is_comm(&text, "a")));
}
