/* SPDX-License-Identifier: BSD-2-Clause */
/* The libjvm.so that a target has mapped is any file it likes. What comes out must come from inside
 * it. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "user/attach/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int check_usdt(void *arg, const struct elf_usdt *usdt)
{
	const size_t *size = arg;
	size_t texts = strlen(usdt->provider) + strlen(usdt->name) + strlen(usdt->arguments);

	assert(texts <= *size);
	return 0;
}

static void check_file(struct elf_file *elf, size_t size)
{
	struct elf_symbol wanted[] = {{.name = "begin"}, {.name = ""}, {.name = "_state"}};
	uint64_t offset, address;

	if (elf_file_symbols(elf, wanted, 3) >= 0)
		assert(!wanted[0].bytes || wanted[0].address);
	elf_file_usdt(elf, check_usdt, &size);
	if (!elf_file_offset(elf, wanted[0].address, &offset))
		assert(!elf_file_address(elf, offset, &address));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct elf_file *elf;

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size && !elf_file_open(fd, &elf)) {
		check_file(elf, size);
		elf_file_close(elf);
	}
	close(fd);
	return 0;
}
