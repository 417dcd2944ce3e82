/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/random.h"
#include "user/attach/elf.h"
#include "user/base/cleanup.h"

#define LOAD_ADDRESS 0x400000
#define LOAD_OFFSET  0x1000 /* so that address and file offset differ */
#define BASE_LINKED  0x9000 /* .stapsdt.base as the notes know it */
#define BASE_NOW     0x9100 /* and where prelink moved it */

/* A little shared library: two symbols, two probes. */
struct library {
	Elf64_Ehdr header;
	Elf64_Phdr load;
	Elf64_Sym symbols[3];
	char names[64];
	char section_names[64];
	uint8_t notes[256];
	Elf64_Shdr sections[6];
};

enum { SECTION_NONE, SECTION_SYMBOLS, SECTION_NAMES, SECTION_NOTES, SECTION_BASE, SECTION_STRINGS };

static size_t add_note(uint8_t *to, uint64_t address, uint64_t semaphore, const char *texts,
		       size_t bytes)
{
	const uint64_t addresses[3] = {address, BASE_LINKED, semaphore};
	const Elf64_Nhdr note = {8, (Elf64_Word)(sizeof(addresses) + bytes), 3};

	memcpy(to, &note, sizeof(note));
	memcpy(to + sizeof(note), "stapsdt", 8);
	memcpy(to + sizeof(note) + 8, addresses, sizeof(addresses));
	memcpy(to + sizeof(note) + 8 + sizeof(addresses), texts, bytes);
	return (sizeof(note) + 8 + sizeof(addresses) + bytes + 3) / 4 * 4;
}

static void make_sections(struct library *l, size_t note_bytes)
{
	static const char names[] = "\0.symtab\0.strtab\0.note.stapsdt\0.stapsdt.base\0.shstrtab";

	memcpy(l->section_names, names, sizeof(names));
	l->sections[SECTION_SYMBOLS] = (Elf64_Shdr){.sh_name = 1,
						    .sh_type = SHT_SYMTAB,
						    .sh_offset = offsetof(struct library, symbols),
						    .sh_size = sizeof(l->symbols),
						    .sh_link = SECTION_NAMES,
						    .sh_entsize = sizeof(Elf64_Sym)};
	l->sections[SECTION_NAMES] = (Elf64_Shdr){.sh_name = 9,
						  .sh_type = SHT_STRTAB,
						  .sh_offset = offsetof(struct library, names),
						  .sh_size = sizeof(l->names)};
	l->sections[SECTION_NOTES] = (Elf64_Shdr){.sh_name = 17,
						  .sh_type = SHT_NOTE,
						  .sh_offset = offsetof(struct library, notes),
						  .sh_size = note_bytes,
						  .sh_addralign = 4};
	l->sections[SECTION_BASE] = (Elf64_Shdr){
		.sh_name = 31, .sh_type = SHT_NOBITS, .sh_addr = BASE_NOW, .sh_size = 1};
	l->sections[SECTION_STRINGS] =
		(Elf64_Shdr){.sh_name = 45,
			     .sh_type = SHT_STRTAB,
			     .sh_offset = offsetof(struct library, section_names),
			     .sh_size = sizeof(l->section_names)};
}

static void make(struct library *l)
{
	static const char first[] = "hotspot\0gc__begin\0001@%dil",
			  second[] = "hs_private\0safepoint__end\0";
	size_t note_bytes;

	*l = (struct library){0};
	l->header = (Elf64_Ehdr){.e_type = ET_DYN,
				 .e_machine = EM_X86_64,
				 .e_version = EV_CURRENT,
				 .e_phoff = offsetof(struct library, load),
				 .e_shoff = offsetof(struct library, sections),
				 .e_ehsize = sizeof(Elf64_Ehdr),
				 .e_phentsize = sizeof(Elf64_Phdr),
				 .e_phnum = 1,
				 .e_shentsize = sizeof(Elf64_Shdr),
				 .e_shnum = 6,
				 .e_shstrndx = SECTION_STRINGS};
	memcpy(l->header.e_ident, ELFMAG, SELFMAG);
	l->header.e_ident[EI_CLASS] = ELFCLASS64;
	l->header.e_ident[EI_DATA] = ELFDATA2LSB;
	l->header.e_ident[EI_VERSION] = EV_CURRENT;
	l->load = (Elf64_Phdr){.p_type = PT_LOAD,
			       .p_offset = LOAD_OFFSET,
			       .p_vaddr = LOAD_ADDRESS,
			       .p_filesz = 0x800,
			       .p_memsz = 0x1000};
	memcpy(l->names, "\0_state\0begin", 14);
	l->symbols[1] =
		(Elf64_Sym){.st_name = 1, .st_value = 0x1234, .st_size = 4, .st_shndx = SHN_ABS};
	l->symbols[2] =
		(Elf64_Sym){.st_name = 8, .st_value = 0x5678, .st_size = 99, .st_shndx = SHN_ABS};
	note_bytes = add_note(l->notes, 0x2000, 0, first, sizeof(first));
	note_bytes += add_note(l->notes + note_bytes, 0x3000, 0x4000, second, sizeof(second));
	make_sections(l, note_bytes);
}

static int open_bytes(const void *bytes, size_t nr, struct elf_file **ret, int *ret_fd)
{
	*ret_fd = memfd_create("library", MFD_CLOEXEC);
	cr_assert(ge(int, *ret_fd, 0));
	cr_assert(eq(i64, write(*ret_fd, bytes, nr), (int64_t)nr));
	return elf_file_open(*ret_fd, ret);
}

static void setup(const struct library *l, struct elf_file **ret, int *ret_fd)
{
	cr_assert(zero(int, open_bytes(l, sizeof(*l), ret, ret_fd)));
}

Test(elf, symbols_are_found_with_address_and_size)
{
	struct elf_symbol wanted[] = {{.name = "begin"}, {.name = "missing"}, {.name = "_state"}};
	struct elf_file *elf;
	struct library l;
	int fd CLEANUP(closep);

	make(&l);
	setup(&l, &elf, &fd);
	cr_assert(eq(i64, elf_file_symbols(elf, wanted, 3), 2));
	cr_expect(eq(u64, wanted[0].address, 0x5678));
	cr_expect(eq(u64, wanted[0].bytes, 99));
	cr_expect(zero(u64, wanted[1].address));
	cr_expect(eq(u64, wanted[2].address, 0x1234));
	elf_file_close(elf);
}

struct probes {
	size_t nr;
	struct elf_usdt rows[4];
};

static int take(void *arg, const struct elf_usdt *usdt)
{
	struct probes *probes = arg;

	if (probes->nr == 4)
		return -E2BIG;
	probes->rows[probes->nr++] = *usdt;
	return 0;
}

Test(elf, probes_are_found_and_moved_with_their_base)
{
	struct probes probes = {0};
	struct elf_file *elf;
	struct library l;
	int fd CLEANUP(closep);

	make(&l);
	setup(&l, &elf, &fd);
	cr_assert(zero(int, elf_file_usdt(elf, take, &probes)));
	cr_assert(eq(sz, probes.nr, 2));
	cr_expect(eq(str, (char *)probes.rows[0].provider, "hotspot"));
	cr_expect(eq(str, (char *)probes.rows[0].name, "gc__begin"));
	cr_expect(eq(str, (char *)probes.rows[0].arguments, "1@%dil"));
	cr_expect(eq(u64, probes.rows[0].address, 0x2000 + BASE_NOW - BASE_LINKED));
	cr_expect(zero(u64, probes.rows[0].semaphore));
	cr_expect(eq(str, (char *)probes.rows[1].arguments, ""));
	cr_expect(eq(u64, probes.rows[1].semaphore, 0x4000 + BASE_NOW - BASE_LINKED));
	elf_file_close(elf);
}

Test(elf, addresses_and_file_offsets_lead_to_each_other)
{
	struct elf_file *elf;
	struct library l;
	int fd CLEANUP(closep);
	uint64_t got;

	make(&l);
	setup(&l, &elf, &fd);
	cr_assert(zero(int, elf_file_offset(elf, LOAD_ADDRESS + 0x7ff, &got)));
	cr_expect(eq(u64, got, LOAD_OFFSET + 0x7ff));
	cr_assert(zero(int, elf_file_address(elf, LOAD_OFFSET + 0x10, &got)));
	cr_expect(eq(u64, got, LOAD_ADDRESS + 0x10));
	cr_expect(eq(int, elf_file_offset(elf, LOAD_ADDRESS + 0x800, &got), -ENOENT),
		  "that is .bss");
	cr_expect(eq(int, elf_file_offset(elf, LOAD_ADDRESS - 1, &got), -ENOENT));
	cr_expect(eq(int, elf_file_address(elf, LOAD_OFFSET - 1, &got), -ENOENT));
	elf_file_close(elf);
}

static void refuse(const struct library *l, const char *why)
{
	struct elf_file *elf = NULL;
	int fd CLEANUP(closep);

	cr_expect(eq(int, open_bytes(l, sizeof(*l), &elf, &fd), -EBADMSG), "%s", why);
}

Test(elf, files_that_are_no_library_of_this_machine_are_refused)
{
	struct library l;

	make(&l);
	l.header.e_ident[0] = 'X';
	refuse(&l, "magic");
	make(&l);
	l.header.e_ident[EI_CLASS] = ELFCLASS32;
	refuse(&l, "32 bits");
	make(&l);
	l.header.e_ident[EI_DATA] = ELFDATA2MSB;
	refuse(&l, "big-endian");
	make(&l);
	l.load.p_type = PT_NOTE;
	refuse(&l, "nothing is loaded");
	make(&l);
	l.load.p_offset = UINT64_MAX - 1;
	refuse(&l, "a segment around the end of all offsets");
	make(&l);
	l.header.e_phoff = sizeof(l) + 1;
	refuse(&l, "program headers outside");
}

static int64_t count_symbols(const struct library *l)
{
	struct elf_symbol wanted[] = {{.name = "begin"}};
	struct elf_file *elf;
	int fd CLEANUP(closep);
	int64_t nr;

	setup(l, &elf, &fd);
	nr = elf_file_symbols(elf, wanted, 1);
	elf_file_close(elf);
	return nr;
}

Test(elf, bad_symbol_tables_are_refused)
{
	struct library l;

	make(&l);
	l.symbols[1].st_name = sizeof(l.names);
	cr_expect(eq(i64, count_symbols(&l), -EBADMSG), "a name outside");
	make(&l);
	memset(l.names + 20, 'x', sizeof(l.names) - 20);
	cr_expect(eq(i64, count_symbols(&l), -EBADMSG), "names without an end");
	make(&l);
	l.sections[SECTION_SYMBOLS].sh_link = 77;
	cr_expect(eq(i64, count_symbols(&l), -EBADMSG), "no such section of names");
	make(&l);
	l.sections[SECTION_SYMBOLS].sh_size = 1 << 30;
	cr_expect(eq(i64, count_symbols(&l), -EBADMSG), "longer than the file");
}

static int count_probes(const struct library *l, size_t *ret_nr)
{
	struct probes probes = {0};
	struct elf_file *elf;
	int fd CLEANUP(closep);
	int err;

	setup(l, &elf, &fd);
	err = elf_file_usdt(elf, take, &probes);
	*ret_nr = probes.nr;
	elf_file_close(elf);
	return err;
}

Test(elf, bad_probe_notes_are_refused_and_strange_ones_left_out)
{
	struct library l;
	Elf64_Nhdr *note = (Elf64_Nhdr *)l.notes;
	size_t nr;

	make(&l);
	l.notes[12] = 'S';
	cr_expect(zero(int, count_probes(&l, &nr)));
	cr_expect(eq(sz, nr, 1), "another owner");
	make(&l);
	note->n_descsz = 25;
	cr_expect(eq(int, count_probes(&l, &nr), -EBADMSG), "no room for texts");
	make(&l);
	note->n_descsz -= 3;
	cr_expect(eq(int, count_probes(&l, &nr), -EBADMSG), "the last text does not end");
	make(&l);
	note->n_descsz = 1 << 30;
	cr_expect(eq(int, count_probes(&l, &nr), -EBADMSG), "longer than the section");
	make(&l);
	l.sections[SECTION_NOTES].sh_type = SHT_NOBITS;
	cr_expect(eq(int, count_probes(&l, &nr), -EBADMSG), "notes that are not in the file");
}

/* Whatever @bytes are: no crash, no endless loop, no answer out of nowhere. */
static void survive(const void *bytes, size_t nr)
{
	struct elf_symbol wanted[] = {{.name = "begin"}};
	struct probes probes = {0};
	struct elf_file *elf;
	int fd CLEANUP(closep);

	if (open_bytes(bytes, nr, &elf, &fd))
		return;
	elf_file_symbols(elf, wanted, 1);
	elf_file_usdt(elf, take, &probes);
	for (size_t i = 0; i < probes.nr; i++)
		cr_expect(le(sz, strlen(probes.rows[i].provider), sizeof(struct library)));
	elf_file_close(elf);
}

Test(elf, truncated_and_damaged_files_do_no_harm)
{
	struct library l, damaged;
	uint64_t state = 23;

	make(&l);
	for (size_t nr = 0; nr < sizeof(l); nr += 7)
		survive(&l, nr);
	for (int i = 0; i < 2000; i++) {
		damaged = l;
		for (int j = 0; j < 3; j++)
			((uint8_t *)&damaged)[random_next(&state) % sizeof(l)] =
				(uint8_t)random_next(&state);
		survive(&damaged, sizeof(damaged));
	}
}
