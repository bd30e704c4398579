/* Reading executables: needed libraries, symbols, calls, and sections of device code.
 * Source: System V ABI, ELF-64; objects of nvcc 13.0 and clang 14 to 19.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/tools/program_file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "facade/code/fatbin.h"

struct part {
    const unsigned char *bytes;
    size_t size;
};

struct file {
    struct part all;
    Elf64_Ehdr header;
    struct part names; /* of sections */
};

/* --- reading within bounds -------------------------------------------------------------------- */

static struct part part_of(struct part whole, uint64_t offset, uint64_t size)
{
    if (offset > whole.size || size > whole.size - offset)
        return (struct part){NULL, 0};
    return (struct part){whole.bytes + offset, (size_t)size};
}

static bool read_at(struct part whole, uint64_t offset, void *object, size_t size)
{
    struct part part = part_of(whole, offset, size);
    if (part.bytes == NULL)
        return false;
    memcpy(object, part.bytes, size);
    return true;
}

/* The string at an offset; empty where none ends there. */
static const char *string_at(struct part strings, uint64_t offset)
{
    if (offset >= strings.size || memchr(strings.bytes + offset, 0, strings.size - offset) == NULL)
        return "";
    return (const char *)strings.bytes + offset;
}

static bool section_at(const struct file *file, unsigned index, Elf64_Shdr *section)
{
    return index < file->header.e_shnum && file->header.e_shentsize == sizeof *section &&
           file->header.e_shoff <= file->all.size &&
           read_at(file->all, file->header.e_shoff + (uint64_t)index * sizeof *section, section,
                   sizeof *section);
}

static struct part content(const struct file *file, const Elf64_Shdr *section)
{
    if (section->sh_type == SHT_NOBITS)
        return (struct part){NULL, 0};
    return part_of(file->all, section->sh_offset, section->sh_size);
}

static bool open_file(const void *bytes, size_t size, struct file *file)
{
    Elf64_Shdr names;
    const union {
        uint16_t word;
        unsigned char low;
    } order = {1};
    memset(file, 0, sizeof *file);
    file->all = (struct part){bytes, size};
    if (!read_at(file->all, 0, &file->header, sizeof file->header) ||
        memcmp(file->header.e_ident, ELFMAG, SELFMAG) != 0 ||
        file->header.e_ident[EI_CLASS] != ELFCLASS64 ||
        file->header.e_ident[EI_DATA] != (order.low ? ELFDATA2LSB : ELFDATA2MSB))
        return false;
    if (section_at(file, file->header.e_shstrndx, &names))
        file->names = content(file, &names);
    return true;
}

/* The first section of a type, or (type SHT_NULL) of a name. */
static bool find_section(const struct file *file, uint32_t type, const char *name,
                         Elf64_Shdr *section)
{
    for (unsigned i = 0; section_at(file, i, section); i++)
        if (type != SHT_NULL ? section->sh_type == type
                             : strcmp(string_at(file->names, section->sh_name), name) == 0)
            return true;
    return false;
}

/* --- needed libraries ------------------------------------------------------------------------- */

static void note_needed(struct program_facts *facts, const char *path)
{
    static const char runtime[] = "libcudart.so.";
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    if (strcmp(name, "libcuda.so.1") == 0)
        facts->needs_driver = true;
    if (strncmp(name, runtime, sizeof runtime - 1) == 0)
        facts->runtime = atoi(name + sizeof runtime - 1);
}

static void read_dynamic(const struct file *file, struct program_facts *facts)
{
    Elf64_Shdr section, strings_section;
    Elf64_Dyn entry;
    bool has_rpath = false, has_runpath = false;
    if (!find_section(file, SHT_DYNAMIC, NULL, &section) ||
        !section_at(file, section.sh_link, &strings_section))
        return;
    struct part dynamic = content(file, &section), strings = content(file, &strings_section);
    for (size_t at = 0; read_at(dynamic, at, &entry, sizeof entry); at += sizeof entry) {
        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_NEEDED)
            note_needed(facts, string_at(strings, entry.d_un.d_val));
        has_rpath |= entry.d_tag == DT_RPATH;
        has_runpath |= entry.d_tag == DT_RUNPATH;
    }
    facts->has_rpath = has_rpath && !has_runpath;
}

/* --- a runtime in the file itself ------------------------------------------------------------- */

/* Functions of the runtime, by address. Registering code is none: programs that use only the driver
 * API do it as well. */
struct functions {
    uint64_t *addresses;
    size_t count;
};

static bool is_runtime_function(const Elf64_Sym *symbol, const char *name)
{
    static const char *const inserted[] = {"__cudaLaunchKernel", "__cudaGetKernel",
                                           "__cudaRegisterFunction", "__cudaRegisterVar"};
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF)
        return false;
    for (size_t i = 0; i < sizeof inserted / sizeof inserted[0]; i++)
        if (strcmp(name, inserted[i]) == 0)
            return true;
    return strncmp(name, "cuda", 4) == 0 && name[4] >= 'A' && name[4] <= 'Z';
}

static int compare_addresses(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void find_functions(const struct file *file, struct functions *functions)
{
    Elf64_Shdr section, strings_section;
    Elf64_Sym symbol;
    if (!find_section(file, SHT_SYMTAB, NULL, &section) ||
        !section_at(file, section.sh_link, &strings_section))
        return;
    struct part symbols = content(file, &section), strings = content(file, &strings_section);
    functions->addresses = calloc(symbols.size / sizeof symbol + 1, sizeof(uint64_t));
    for (size_t at = 0;
         functions->addresses != NULL && read_at(symbols, at, &symbol, sizeof symbol);
         at += sizeof symbol)
        if (is_runtime_function(&symbol, string_at(strings, symbol.st_name)))
            functions->addresses[functions->count++] = symbol.st_value;
    if (functions->addresses != NULL)
        qsort(functions->addresses, functions->count, sizeof(uint64_t), compare_addresses);
}

/* The linker puts the program's own code in front of libraries. There, an x86 call or jump that ends
 * at a function of the runtime, to the byte, is hardly anything else. */
static bool has_call(const struct file *file, const struct functions *functions)
{
    enum { CALL = 0xe8, JUMP = 0xe9, INSTRUCTION_BYTES = 5 };
    Elf64_Shdr text;
    if (file->header.e_machine != EM_X86_64 || !find_section(file, SHT_NULL, ".text", &text))
        return false;
    struct part code = content(file, &text);
    for (size_t at = 0;
         at + INSTRUCTION_BYTES <= code.size && text.sh_addr + at < functions->addresses[0]; at++) {
        int32_t distance;
        if (code.bytes[at] != CALL && code.bytes[at] != JUMP)
            continue;
        memcpy(&distance, code.bytes + at + 1, sizeof distance);
        const uint64_t target = text.sh_addr + at + INSTRUCTION_BYTES + (uint64_t)(int64_t)distance;
        if (bsearch(&target, functions->addresses, functions->count, sizeof target,
                    compare_addresses) != NULL)
            return true;
    }
    return false;
}

/* A file without symbols still has the names of the runtime's errors in it. */
static void find_static_runtime(const struct file *file, struct program_facts *facts)
{
    static const char error_name[] = "cudaErrorCudartUnloading";
    struct functions functions = {NULL, 0};
    Elf64_Shdr section;
    find_functions(file, &functions);
    /* A program may well define a function or two whose names begin so. */
    facts->has_static_runtime = functions.count > 100;
    if (facts->has_static_runtime)
        facts->calls_runtime = has_call(file, &functions);
    facts->has_symbols = find_section(file, SHT_SYMTAB, NULL, &section);
    if (!facts->has_symbols)
        facts->has_static_runtime =
            memmem(file->all.bytes, file->all.size, error_name, sizeof error_name) != NULL;
    free(functions.addresses);
}

/* --- device code ------------------------------------------------------------------------------ */

/* Containers one after the other, with zeros between them. clang puts bare PTX there. */
static void count_containers(struct part code, size_t *with_ptx, size_t *without_ptx)
{
    enum { LEAST = 16 };
    while (code.size >= LEAST) {
        struct facade_fatbin_contents contents;
        if (*code.bytes == 0) {
            code.bytes++, code.size--;
            continue;
        }
        size_t bytes = facade_fatbin_bytes(code.bytes);
        if (bytes == 0 || bytes > code.size ||
            !facade_fatbin_read(code.bytes, bytes, FACADE_FATBIN_REPORTED, &contents))
            break;
        *with_ptx += contents.ptx_count > 0;
        *without_ptx += contents.ptx_count == 0 && contents.machine_code_count > 0;
        code.bytes += bytes, code.size -= bytes;
    }
}

static void read_device_code(const struct file *file, struct program_facts *facts)
{
    Elf64_Shdr section;
    if (find_section(file, SHT_NULL, ".nv_fatbin", &section))
        count_containers(content(file, &section), &facts->with_ptx, &facts->without_ptx);
    if (find_section(file, SHT_NULL, "__nv_relfatbin", &section))
        count_containers(content(file, &section), &facts->parts_with_ptx,
                         &facts->parts_without_ptx);
}

void program_file_read(const void *bytes, size_t size, struct program_facts *facts)
{
    struct file file;
    memset(facts, 0, sizeof *facts);
    if (!open_file(bytes, size, &file))
        return;
    facts->is_elf = true;
    read_dynamic(&file, facts);
    if (facts->runtime == 0)
        find_static_runtime(&file, facts);
    read_device_code(&file, facts);
}
