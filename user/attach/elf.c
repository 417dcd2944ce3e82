/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "user/attach/elf.h"
#include "user/base/cleanup.h"

#define SEGMENTS_MAX	64
#define STAPSDT_TYPE	3
#define STAPSDT_OWNER	"stapsdt"
#define LENGTHS_TRACKED 64
#define SYMBOLS_MAX	(16u << 20)

struct segment {
	uint64_t address, offset, file_bytes;
};

struct elf_file {
	Elf *elf;
	size_t section_names;
	size_t nr_segments;
	struct segment segments[SEGMENTS_MAX];
};

static bool is_of_this_machine(Elf *elf)
{
	const char *ident = elf_getident(elf, NULL);
	const char native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	return elf_kind(elf) == ELF_K_ELF && ident && ident[EI_CLASS] == ELFCLASS64 &&
	       ident[EI_DATA] == native;
}

static int read_segments(struct elf_file *file)
{
	size_t nr;

	if (elf_getphdrnum(file->elf, &nr))
		return -EBADMSG;
	for (size_t i = 0; i < nr && file->nr_segments < SEGMENTS_MAX; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(file->elf, (int)i, &header))
			return -EBADMSG;
		if (header.p_type != PT_LOAD)
			continue;
		if (header.p_vaddr + header.p_filesz < header.p_vaddr ||
		    header.p_offset + header.p_filesz < header.p_offset)
			return -EBADMSG;
		file->segments[file->nr_segments++] = (struct segment){
			.address = header.p_vaddr,
			.offset = header.p_offset,
			.file_bytes = header.p_filesz,
		};
	}
	return file->nr_segments ? 0 : -EBADMSG;
}

int elf_file_open(int fd, struct elf_file **ret)
{
	struct elf_file *file = calloc(1, sizeof(*file));
	int err = -EBADMSG;

	if (!file)
		return -ENOMEM;
	if (elf_version(EV_CURRENT) == EV_NONE)
		goto out_close;
	file->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!file->elf || !is_of_this_machine(file->elf))
		goto out_close;
	if (elf_getshdrstrndx(file->elf, &file->section_names))
		file->section_names = SHN_UNDEF; /* no sections at all: still loadable */
	err = read_segments(file);
	if (err)
		goto out_close;
	*ret = file;
	return 0;

out_close:
	elf_file_close(file);
	return err;
}

void elf_file_close(struct elf_file *file)
{
	if (!file)
		return;
	elf_end(file->elf);
	free(file);
}

/* The names that are looked for, by length: most symbols are ruled out by theirs alone. */
struct search {
	struct elf_symbol *wanted;
	size_t nr;
	uint64_t lengths; /* bit n: some wanted name has n characters, the last bit: that many or
			     more */
};

static uint64_t length_bit(size_t length)
{
	return 1ull << (length < LENGTHS_TRACKED ? length : LENGTHS_TRACKED - 1);
}

static void match_symbol(const struct search *search, const char *name, const Elf64_Sym *symbol)
{
	for (size_t i = 0; i < search->nr; i++) {
		struct elf_symbol *wanted = &search->wanted[i];

		if (wanted->address || strcmp(wanted->name, name))
			continue;
		wanted->address = symbol->st_value;
		wanted->bytes = symbol->st_size;
	}
}

/* Returns the number of symbols that have a value. */
static int64_t search_table(const struct search *search, const Elf_Data *symbols,
			    const Elf_Data *names)
{
	size_t nr = symbols->d_size / sizeof(Elf64_Sym);
	const char *text = names->d_buf;
	int64_t nr_defined = 0;

	if (nr > SYMBOLS_MAX || !names->d_size || text[names->d_size - 1])
		return -EBADMSG; /* a name could run past the end */
	for (size_t i = 0; i < nr; i++) {
		const Elf64_Sym *symbol = (const Elf64_Sym *)symbols->d_buf + i;

		if (!symbol->st_value || symbol->st_shndx == SHN_UNDEF)
			continue;
		if (symbol->st_name >= names->d_size)
			return -EBADMSG;
		nr_defined++;
		if (search->lengths & length_bit(strlen(text + symbol->st_name)))
			match_symbol(search, text + symbol->st_name, symbol);
	}
	return nr_defined;
}

static int64_t search_section(struct elf_file *file, const struct search *search, Elf_Scn *section,
			      const GElf_Shdr *header)
{
	Elf_Scn *names_section = elf_getscn(file->elf, header->sh_link);
	const Elf_Data *symbols = elf_getdata(section, NULL);
	const Elf_Data *names = names_section ? elf_getdata(names_section, NULL) : NULL;

	if (!symbols || !symbols->d_buf || !names || !names->d_buf)
		return -EBADMSG;
	return search_table(search, symbols, names);
}

int64_t elf_file_symbols(struct elf_file *file, struct elf_symbol *wanted, size_t nr)
{
	struct search search = {.wanted = wanted, .nr = nr};
	int64_t nr_symtab = 0;

	for (size_t i = 0; i < nr; i++) {
		wanted[i].address = wanted[i].bytes = 0;
		search.lengths |= length_bit(strlen(wanted[i].name));
	}
	for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));) {
		GElf_Shdr header;
		int64_t found;

		if (!gelf_getshdr(section, &header))
			return -EBADMSG;
		if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM)
			continue;
		found = search_section(file, &search, section, &header);
		if (found < 0)
			return found;
		if (header.sh_type == SHT_SYMTAB)
			nr_symtab += found;
	}
	return nr_symtab;
}

/* Its contents are @ret_data unless that is NULL. */
static bool find_section(struct elf_file *file, const char *name, GElf_Shdr *ret,
			 Elf_Data **ret_data)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));) {
		const char *other;

		if (!gelf_getshdr(section, ret))
			return false;
		other = elf_strptr(file->elf, file->section_names, ret->sh_name);
		if (!other || strcmp(other, name))
			continue;
		if (ret_data)
			*ret_data = elf_getdata(section, NULL);
		return true;
	}
	return false;
}

/* The text at @*at, which is moved behind it; NULL: it does not end before @end. */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *stop = memchr(text, '\0', (size_t)(end - text));

	if (!stop)
		return NULL;
	*at = stop + 1;
	return text;
}

/* Note layout: three addresses (probe, .stapsdt.base when linked, semaphore), three texts;
 * sys/sdt.h. */
static int take_usdt(const char *desc, size_t bytes, const GElf_Shdr *base, struct elf_usdt *ret)
{
	const char *at = desc + 3 * sizeof(uint64_t), *end = desc + bytes;
	uint64_t addresses[3], moved;

	if (bytes < sizeof(addresses) + 3)
		return -EBADMSG;
	memcpy(addresses, desc, sizeof(addresses));
	ret->provider = take_text(&at, end);
	ret->name = ret->provider ? take_text(&at, end) : NULL;
	ret->arguments = ret->name ? take_text(&at, end) : NULL;
	if (!ret->arguments)
		return -EBADMSG;
	moved = base ? base->sh_addr - addresses[1] : 0;
	ret->address = addresses[0] + moved;
	ret->semaphore = addresses[2] ? addresses[2] + moved : 0;
	return 0;
}

int elf_file_usdt(struct elf_file *file, elf_usdt_fn *fn, void *arg)
{
	GElf_Shdr header, base_header, *base = NULL;
	Elf_Data *notes = NULL;
	size_t at = 0, next, name_at, desc_at;
	GElf_Nhdr note;

	if (!find_section(file, ".note.stapsdt", &header, &notes))
		return 0;
	if (header.sh_type != SHT_NOTE || !notes || !notes->d_buf)
		return -EBADMSG;
	if (find_section(file, ".stapsdt.base", &base_header, NULL))
		base = &base_header;
	for (; (next = gelf_getnote(notes, at, &note, &name_at, &desc_at)); at = next) {
		const char *bytes = notes->d_buf;
		struct elf_usdt usdt;
		int err;

		if (note.n_type != STAPSDT_TYPE || note.n_namesz != sizeof(STAPSDT_OWNER) ||
		    memcmp(bytes + name_at, STAPSDT_OWNER, sizeof(STAPSDT_OWNER)))
			continue;
		err = take_usdt(bytes + desc_at, note.n_descsz, base, &usdt);
		if (!err)
			err = fn(arg, &usdt);
		if (err)
			return err;
	}
	return at == notes->d_size ? 0 : -EBADMSG;
}

int elf_file_offset(const struct elf_file *file, uint64_t address, uint64_t *ret)
{
	for (size_t i = 0; i < file->nr_segments; i++) {
		const struct segment *segment = &file->segments[i];

		if (address < segment->address || address - segment->address >= segment->file_bytes)
			continue;
		*ret = segment->offset + (address - segment->address);
		return 0;
	}
	return -ENOENT;
}

int elf_file_address(const struct elf_file *file, uint64_t offset, uint64_t *ret)
{
	for (size_t i = 0; i < file->nr_segments; i++) {
		const struct segment *segment = &file->segments[i];

		if (offset < segment->offset || offset - segment->offset >= segment->file_bytes)
			continue;
		*ret = segment->address + (offset - segment->offset);
		return 0;
	}
	return -ENOENT;
}
