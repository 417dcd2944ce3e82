/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include "user/attach/secret.h"

static void expect(const char *from, const char *to)
{
	char text[256];

	snprintf(text, sizeof(text), "%s", from);
	secret_mask(text);
	cr_expect(eq(str, text, (char *)to));
}

Test(secret, values_of_options_that_speak_of_secrets_are_masked)
{
	expect("-Xmx1g -Ddb.password=abc -Dx=y", "-Xmx1g -Ddb.password=*** -Dx=y");
	expect("-Djavax.net.ssl.keyStorePassword=ab", "-Djavax.net.ssl.keyStorePassword=**");
	expect("server.jar --api-key=k=v --port 80", "server.jar --api-key=*** --port 80");
	expect("server.jar --Token abc def", "server.jar --Token *** def");
	expect("server.jar --password --port 80", "server.jar --password --port 80");
	expect("-DSECRET=", "-DSECRET=");
}

Test(secret, everything_else_is_left_alone)
{
	expect("", "");
	expect("  ", "  ");
	expect("-XX:+UseG1GC -Dserver=a.b my.Tokenizer --port 80",
	       "-XX:+UseG1GC -Dserver=a.b my.Tokenizer --port 80");
}
