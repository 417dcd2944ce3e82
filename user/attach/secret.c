/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "user/attach/secret.h"
#include "user/base/cleanup.h"

#define SPACE " \t\r\n"

static bool names_a_secret(const char *name, size_t bytes)
{
	static const char *const words[] = {
		"passw",  "passphrase", "pwd",	   "secret",  "token",	    "credential",
		"apikey", "api_key",	"api-key", "api.key", "privatekey",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t length = strlen(words[i]);

		for (size_t at = 0; at + length <= bytes; at++)
			if (!strncasecmp(name + at, words[i], length))
				return true;
	}
	return false;
}

void secret_mask(char *arguments)
{
	bool next = false;

	for (char *word = arguments + strspn(arguments, SPACE); *word;) {
		size_t bytes = strcspn(word, SPACE);
		size_t name = strcspn(word, "=" SPACE);

		if (next && *word != '-') {
			memset(word, '*', bytes);
			next = false;
		} else {
			bool secret = names_a_secret(word, name);

			if (secret && name < bytes)
				memset(word + name + 1, '*', bytes - name - 1);
			next = secret && name == bytes && *word == '-';
		}
		word += bytes;
		word += strspn(word, SPACE);
	}
}
