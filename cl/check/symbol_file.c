/* Names of functions that a program does not export.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/symbol_file.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cl/whole.h"

struct file {
    const unsigned char *bytes;
    size_t size;
};

/* NULL: the file is shorter than what it says. */
static const void *part(const struct file *file, uint64_t offset, uint64_t bytes)
{
    return offset <= file->size && bytes <= file->size - offset ? file->bytes + offset : NULL;
}

/* The same for tables, which begin at multiples of 8 bytes in files that are right. */
static const void *table_part(const struct file *file, uint64_t offset, uint64_t bytes)
{
    return offset % sizeof(uint64_t) == 0 ? part(file, offset, bytes) : NULL;
}

/* What a file that is loaded where it likes counts from: the first page that is loaded. Others name whole addresses. */
static bool load_base(const struct file *file, const ElfW(Ehdr) * header, uint64_t *base)
{
    const ElfW(Phdr) *const segments =
        table_part(file, header->e_phoff, (uint64_t)header->e_phnum * sizeof(ElfW(Phdr)));
    for (unsigned i = 0; segments && i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD) {
            *base = segments[i].p_vaddr - segments[i].p_offset;
            return true;
        }
    return false;
}

static const ElfW(Sym) * search(const ElfW(Sym) * symbols, uint64_t count, uint64_t address)
{
    const ElfW(Sym) *best = NULL;
    for (uint64_t i = 0; i < count; i++)
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_value <= address &&
            address - symbols[i].st_value < (symbols[i].st_size ? symbols[i].st_size : 1) &&
            (!best || symbols[i].st_value > best->st_value))
            best = &symbols[i];
    return best;
}

static bool copy_name(const struct file *file, const ElfW(Shdr) * names, uint64_t index, char *name,
                      size_t room)
{
    const char *const text = part(file, names->sh_offset, names->sh_size);
    if (!text || index >= names->sh_size)
        return false;
    const size_t length = strnlen(text + index, names->sh_size - index);
    const size_t kept = length < room ? length : room - 1;
    memcpy(name, text + index, kept);
    name[kept] = '\0';
    return kept > 0;
}

static bool look(const struct file *file, uintptr_t at, char *name, size_t room, uintptr_t *offset)
{
    uint64_t base = 0;
    const ElfW(Ehdr) *const header = part(file, 0, sizeof *header);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || !load_base(file, header, &base))
        return false;
    const ElfW(Shdr) *const sections =
        table_part(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof *sections);
    for (unsigned i = 0; sections && i < header->e_shnum; i++) {
        const ElfW(Shdr) *const table = &sections[i];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum)
            continue;
        const ElfW(Sym) *const symbols = table_part(file, table->sh_offset, table->sh_size);
        const ElfW(Sym) *const found =
            symbols ? search(symbols, table->sh_size / sizeof *symbols, at + base) : NULL;
        if (found && copy_name(file, &sections[table->sh_link], found->st_name, name, room)) {
            *offset = at + base - found->st_value;
            return true;
        }
    }
    return false;
}

bool ocl_symbol_find(const char *path, uintptr_t at, char *name, size_t room, uintptr_t *offset)
{
    struct stat status;
    bool is_found = false;
    const int descriptor = whole_open(path, O_RDONLY, 0);
    if (descriptor < 0)
        return false;
    struct file file = {NULL, 0};
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        file.size = (size_t)status.st_size;
        void *const bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED) {
            file.bytes = bytes;
            is_found = look(&file, at, name, room, offset);
            munmap(bytes, file.size);
        }
    }
    close(descriptor);
    return is_found;
}
