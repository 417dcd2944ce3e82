/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A shared library on disk: an open file in; symbols, USDT notes and where its bytes lie out. The
 * file is foreign input: no offset, size or terminator in it is trusted, and it is read, not
 * mapped, so that nobody can shrink it under us. Only 64-bit files of this machine's byte order.
 */
#ifndef STANDSTILL_ATTACH_ELF_H
#define STANDSTILL_ATTACH_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

/* Read from @fd, which stays the caller's and must outlive the result. 0, -EBADMSG (no such file),
 * -ENOMEM. */
int elf_file_open(int fd, struct elf_file **ret);
void elf_file_close(struct elf_file *elf);

struct elf_symbol {
	const char *name; /* wanted */
	uint64_t address; /* found: before the load bias; 0: not there */
	uint64_t bytes;
};

/*
 * Find all of @wanted in .symtab and .dynsym, in one pass over each. Returns how many symbols with
 * a value .symtab has (0: it was stripped), or -EBADMSG.
 */
int64_t elf_file_symbols(struct elf_file *elf, struct elf_symbol *wanted, size_t nr);

struct elf_usdt { /* one note of .note.stapsdt; texts valid as long as the file is open */
	const char *provider, *name, *arguments;
	uint64_t address; /* of the probed instruction, before the load bias; corrected for prelink
			   */
	uint64_t semaphore; /* 0: none */
};

typedef int elf_usdt_fn(void *arg, const struct elf_usdt *usdt); /* not 0: stop, and return this */

/* Every USDT note. 0 (also when there are none), what @fn stopped with, or -EBADMSG. */
int elf_file_usdt(struct elf_file *elf, elf_usdt_fn *fn, void *arg);

/* Where in the file the byte lies that is loaded at @address (before the load bias). 0, or -ENOENT:
 * it is loaded from nowhere. */
int elf_file_offset(const struct elf_file *elf, uint64_t address, uint64_t *ret);

/* The reverse: the address, before the load bias, at which the byte at @offset is loaded. 0 or
 * -ENOENT. */
int elf_file_address(const struct elf_file *elf, uint64_t offset, uint64_t *ret);

#endif
