/* Makes ELF files section by section, for tests: enough of one to be looked at, not to be run.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FACADE_ELF_FILES_H
#define TESTS_FACADE_ELF_FILES_H

#include <assert.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

struct elf_file {
    unsigned char bytes[32768];
    size_t size;
    Elf64_Shdr sections[12];
    unsigned count;
    char names[256];
    size_t names_bytes;
};

static inline size_t elf_append(struct elf_file *file, const void *data, size_t bytes)
{
    size_t place = (file->size + 7) / 8 * 8;
    assert(place + bytes <= sizeof file->bytes);
    memcpy(file->bytes + place, data, bytes);
    file->size = place + bytes;
    return place;
}

/* Returns the section's index. */
static inline unsigned elf_section(struct elf_file *file, const char *name, uint32_t type,
                                   const void *data, size_t bytes, unsigned link)
{
    unsigned index = file->count++;
    assert(index < sizeof file->sections / sizeof file->sections[0]);
    file->sections[index] = (Elf64_Shdr){
        .sh_name = (uint32_t)file->names_bytes,
        .sh_type = type,
        .sh_offset = elf_append(file, data, bytes),
        .sh_size = bytes,
        .sh_link = link,
        .sh_addr = 0x1000,
    };
    strcpy(file->names + file->names_bytes, name);
    file->names_bytes += strlen(name) + 1;
    return index;
}

static inline void elf_begin(struct elf_file *file)
{
    memset(file, 0, sizeof *file);
    file->size = sizeof(Elf64_Ehdr);
    elf_section(file, "", SHT_NULL, "", 0, 0);
}

static inline void elf_end(struct elf_file *file)
{
    Elf64_Ehdr header = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
    };
    header.e_shstrndx =
        (Elf64_Half)elf_section(file, ".shstrtab", SHT_STRTAB, file->names, sizeof file->names, 0);
    /* Its own name came after the copy. */
    memcpy(file->bytes + file->sections[header.e_shstrndx].sh_offset, file->names,
           sizeof file->names);
    header.e_shnum = (Elf64_Half)file->count;
    header.e_shoff = elf_append(file, file->sections, file->count * sizeof file->sections[0]);
    memcpy(file->bytes, &header, sizeof header);
}

/* A dynamic section that needs the libraries, and has one more entry unless tag is DT_NULL. */
static inline void elf_needs(struct elf_file *file, const char *const *libraries, size_t count,
                             Elf64_Sxword tag)
{
    char strings[512] = "";
    size_t bytes = 1;
    Elf64_Dyn entries[8];
    memset(entries, 0, sizeof entries);
    assert(count <= 6);
    for (size_t i = 0; i < count; i++) {
        entries[i].d_tag = DT_NEEDED;
        entries[i].d_un.d_val = bytes;
        strcpy(strings + bytes, libraries[i]);
        bytes += strlen(libraries[i]) + 1;
    }
    entries[count].d_tag = tag;
    unsigned link = elf_section(file, ".dynstr", SHT_STRTAB, strings, bytes, 0);
    elf_section(file, ".dynamic", SHT_DYNAMIC, entries, sizeof entries, link);
}

enum { ELF_RUNTIME_ADDRESS = 0x1800, ELF_RUNTIME_FUNCTIONS = 120 };

/* The symbols of a runtime that is part of the file, and code in front of it that calls one of its
 * functions, or none. */
static inline void elf_has_runtime(struct elf_file *file, bool calls)
{
    static Elf64_Sym symbols[ELF_RUNTIME_FUNCTIONS];
    char strings[4096] = "";
    unsigned char code[64] = {0x90, 0x90, 0xe8};
    const int32_t distance = calls ? ELF_RUNTIME_ADDRESS + 16 * 7 - (0x1000 + 7) : 1;
    size_t bytes = 1;
    for (size_t i = 0; i < ELF_RUNTIME_FUNCTIONS; i++) {
        symbols[i] = (Elf64_Sym){.st_name = (Elf64_Word)bytes,
                                 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                 .st_shndx = 1,
                                 .st_value = ELF_RUNTIME_ADDRESS + 16 * i};
        bytes += (size_t)sprintf(strings + bytes, "cudaFunction%zu", i) + 1;
    }
    memcpy(code + 3, &distance, sizeof distance);
    elf_section(file, ".text", SHT_PROGBITS, code, sizeof code, 0);
    unsigned link = elf_section(file, ".strtab", SHT_STRTAB, strings, bytes, 0);
    elf_section(file, ".symtab", SHT_SYMTAB, symbols, sizeof symbols, link);
}

#endif
