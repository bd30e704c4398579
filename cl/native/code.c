/* Loads object files: sections get pages, symbols addresses, and relocations are carried out.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/native/code.h"

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Sections of a group lie side by side, and have pages of their own. */
enum group { GROUP_CODE, GROUP_CONSTANTS, GROUP_VARIABLES, GROUP_COUNT };

enum { STUB_BYTES = 16, SLOT_BYTES = 8 };

struct loading {
    const unsigned char *data;
    size_t bytes;
    const Elf64_Shdr *sections;
    size_t section_count;
    const Elf64_Sym *symbols;
    size_t symbol_count;
    const char *names;
    size_t name_bytes;
    ocl_code_resolver *resolve;
    size_t *places; /* of each section: in the pages; NOWHERE: it has none */
    struct symbol *found;
    size_t begin[GROUP_COUNT + 1]; /* of each group in the pages */
    size_t stub_end, slot_end;     /* behind what was made so far */
    struct ocl_code code;
};

/* What is known of a symbol. Offsets in the pages are 0 where there is none yet. */
struct symbol {
    uint64_t address;
    size_t stub; /* code that jumps there, from where calls reach it */
    size_t slot; /* its address, for code that reads it */
};

#define NOWHERE SIZE_MAX

static size_t round_up(size_t bytes, size_t step)
{
    return (bytes + step - 1) / step * step;
}

/* ---- Reading ---- */

static bool has_range(const struct loading *l, uint64_t offset, uint64_t bytes)
{
    return offset <= l->bytes && bytes <= l->bytes - offset;
}

static bool has_table(const struct loading *l, uint64_t offset, uint64_t count, size_t each)
{
    return offset % _Alignof(uint64_t) == 0 && count <= l->bytes / each &&
           has_range(l, offset, count * each);
}

static unsigned own_machine(void)
{
#if defined __x86_64__
    return EM_X86_64;
#elif defined __aarch64__
    return EM_AARCH64;
#else
    return EM_NONE;
#endif
}

static const char *read_header(struct loading *l)
{
    const Elf64_Ehdr *header = (const void *)l->data;
    if (l->bytes < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_type != ET_REL || header->e_machine != own_machine())
        return "it is no object file of this processor";
    if (header->e_shentsize != sizeof *l->sections || header->e_shnum == 0 ||
        !has_table(l, header->e_shoff, header->e_shnum, sizeof *l->sections))
        return "its sections are cut off";
    l->sections = (const void *)(l->data + header->e_shoff);
    l->section_count = header->e_shnum;
    return NULL;
}

static const char *read_symbols(struct loading *l)
{
    for (size_t i = 0; i < l->section_count; i++) {
        const Elf64_Shdr *section = &l->sections[i];
        if (section->sh_type != SHT_SYMTAB)
            continue;
        if (l->symbols || section->sh_link >= l->section_count ||
            section->sh_entsize != sizeof *l->symbols ||
            !has_table(l, section->sh_offset, section->sh_size / sizeof *l->symbols,
                       sizeof *l->symbols))
            return "its symbols are damaged";
        const Elf64_Shdr *names = &l->sections[section->sh_link];
        if (!has_range(l, names->sh_offset, names->sh_size) || names->sh_size == 0 ||
            l->data[names->sh_offset + names->sh_size - 1] != '\0')
            return "its symbols' names are damaged";
        l->symbols = (const void *)(l->data + section->sh_offset);
        l->symbol_count = section->sh_size / sizeof *l->symbols;
        l->names = (const char *)l->data + names->sh_offset;
        l->name_bytes = names->sh_size;
    }
    return l->symbols ? NULL : "it has no symbols";
}

/* ---- Pages ---- */

static enum group group_of(const Elf64_Shdr *section)
{
    if (section->sh_flags & SHF_EXECINSTR)
        return GROUP_CODE;
    return section->sh_flags & SHF_WRITE ? GROUP_VARIABLES : GROUP_CONSTANTS;
}

enum { MOST_BYTES = 256 << 20, MOST_ALIGNMENT = 4096 };

static const char *place_sections(struct loading *l, enum group group, size_t *end)
{
    for (size_t i = 0; i < l->section_count; i++) {
        const Elf64_Shdr *section = &l->sections[i];
        const uint64_t alignment = section->sh_addralign > 0 ? section->sh_addralign : 1;
        if (!(section->sh_flags & SHF_ALLOC) || group_of(section) != group)
            continue;
        if (section->sh_flags & SHF_TLS)
            return "it has variables of threads";
        if (alignment > MOST_ALIGNMENT || (alignment & (alignment - 1)) != 0 ||
            section->sh_size > MOST_BYTES - *end ||
            (section->sh_type != SHT_NOBITS && !has_range(l, section->sh_offset, section->sh_size)))
            return "a section is cut off or too large";
        l->places[i] = *end = round_up(*end, (size_t)alignment);
        *end += (size_t)section->sh_size;
    }
    return NULL;
}

/* Behind the code there is room for a stub for each symbol, behind the constants for an address of each. */
static const char *place(struct loading *l)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t end = 0;
    for (int group = 0; group < GROUP_COUNT; group++) {
        l->begin[group] = end = round_up(end, page);
        const char *why = place_sections(l, (enum group)group, &end);
        if (why)
            return why;
        end = round_up(end, STUB_BYTES);
        if (group == GROUP_CODE)
            l->stub_end = end;
        if (group == GROUP_CONSTANTS)
            l->slot_end = end;
        if (group != GROUP_VARIABLES)
            end += l->symbol_count * (group == GROUP_CODE ? STUB_BYTES : SLOT_BYTES);
    }
    l->begin[GROUP_COUNT] = round_up(end, page);
    return NULL;
}

static const char *fill_pages(struct loading *l)
{
    l->code.bytes = l->begin[GROUP_COUNT];
    void *pages =
        mmap(NULL, l->code.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return "there is no memory";
    l->code.base = pages;
    for (size_t i = 0; i < l->section_count; i++)
        if (l->places[i] != NOWHERE && l->sections[i].sh_type != SHT_NOBITS)
            memcpy(l->code.base + l->places[i], l->data + l->sections[i].sh_offset,
                   (size_t)l->sections[i].sh_size);
    return NULL;
}

static const char *protect(const struct loading *l)
{
    static const int rights[] = {PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};
    for (int group = 0; group < GROUP_COUNT; group++) {
        const size_t bytes = l->begin[group + 1] - l->begin[group];
        if (bytes > 0 && mprotect(l->code.base + l->begin[group], bytes, rights[group]) != 0)
            return "this process may not run code that it makes";
    }
    __builtin___clear_cache((char *)l->code.base, (char *)l->code.base + l->begin[1]);
    return NULL;
}

void ocl_code_unload(const struct ocl_code *code)
{
    if (code->base)
        munmap(code->base, code->bytes);
    free(code->object);
}

/* ---- Symbols ---- */

static uint64_t address_at(const struct loading *l, size_t offset)
{
    return (uint64_t)(uintptr_t)(l->code.base + offset);
}

static const char *name_of(const struct loading *l, const Elf64_Sym *symbol)
{
    return symbol->st_name < l->name_bytes ? l->names + symbol->st_name : "";
}

static bool is_within(const struct loading *l, const Elf64_Sym *symbol)
{
    return symbol->st_shndx < l->section_count && l->places[symbol->st_shndx] != NOWHERE &&
           symbol->st_value <= l->sections[symbol->st_shndx].sh_size;
}

/* Sections that get no pages may have symbols that nothing refers to: those stay without an address. */
static const char *find_symbols(struct loading *l)
{
    for (size_t i = 1; i < l->symbol_count; i++) {
        const Elf64_Sym *symbol = &l->symbols[i];
        if (symbol->st_shndx == SHN_UNDEF) {
            void *found = l->resolve(name_of(l, symbol));
            if (!found)
                return name_of(l, symbol);
            l->found[i].address = (uint64_t)(uintptr_t)found;
        } else if (symbol->st_shndx == SHN_COMMON) {
            return "it has variables that nobody placed";
        } else if (is_within(l, symbol)) {
            l->found[i].address = address_at(l, l->places[symbol->st_shndx]) + symbol->st_value;
        }
    }
    return NULL;
}

static uint64_t stub_of(struct loading *l, size_t index)
{
    struct symbol *symbol = &l->found[index];
    if (symbol->stub == 0) {
#if defined __aarch64__
        /* ldr x16, #8; br x16 */
        static const unsigned char jump[] = {0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6};
#else
        /* jmp *2(%rip); ud2 */
        static const unsigned char jump[] = {0xff, 0x25, 0x02, 0x00, 0x00, 0x00, 0x0f, 0x0b};
#endif
        symbol->stub = l->stub_end;
        memcpy(l->code.base + symbol->stub, jump, sizeof jump);
        memcpy(l->code.base + symbol->stub + sizeof jump, &symbol->address, sizeof symbol->address);
        l->stub_end += STUB_BYTES;
    }
    return address_at(l, symbol->stub);
}

static uint64_t slot_of(struct loading *l, size_t index)
{
    struct symbol *symbol = &l->found[index];
    if (symbol->slot == 0) {
        symbol->slot = l->slot_end;
        memcpy(l->code.base + symbol->slot, &symbol->address, sizeof symbol->address);
        l->slot_end += SLOT_BYTES;
    }
    return address_at(l, symbol->slot);
}

/* ---- Relocations ---- */

/* One of them. */
struct change {
    unsigned char *at;
    size_t room; /* bytes from there to the section's end */
    uint64_t where;
    uint32_t type;
    size_t symbol; /* index */
    uint64_t target, addend;
};

static bool write_bytes(const struct change *c, uint64_t value, size_t bytes)
{
    if (c->room < bytes)
        return false;
    memcpy(c->at, &value, bytes);
    return true;
}

/* A distance that must fit into so many bits, with its sign. */
static bool is_near(uint64_t distance, unsigned bits)
{
    const uint64_t half = (uint64_t)1 << (bits - 1);
    return distance + half < 2 * half;
}

static bool write_near(const struct change *c, uint64_t distance)
{
    return is_near(distance, 32) && write_bytes(c, distance, sizeof(uint32_t));
}

static bool relocate_x86(struct loading *l, const struct change *c)
{
    const uint64_t distance = c->target + c->addend - c->where;
    switch (c->type) {
    case R_X86_64_64:
        return write_bytes(c, c->target + c->addend, sizeof(uint64_t));
    case R_X86_64_PC64:
        return write_bytes(c, distance, sizeof(uint64_t));
    case R_X86_64_PC32:
        return write_near(c, distance);
    case R_X86_64_PLT32:
        return write_near(c, is_near(distance, 32) ? distance
                                                   : stub_of(l, c->symbol) + c->addend - c->where);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        return write_near(c, slot_of(l, c->symbol) + c->addend - c->where);
    default:
        return false;
    }
}

/* Puts so many bits of a value into an instruction, from this bit on. */
static bool patch(const struct change *c, uint64_t value, unsigned bits, unsigned first)
{
    uint32_t word;
    const uint32_t mask = ((uint32_t)1 << bits) - 1;
    if (c->room < sizeof word)
        return false;
    memcpy(&word, c->at, sizeof word);
    word = (word & ~(mask << first)) | ((uint32_t)value & mask) << first;
    memcpy(c->at, &word, sizeof word);
    return true;
}

/* The instruction that makes an address of a page: 2 bits apart from the others. */
static bool patch_page(const struct change *c, uint64_t target)
{
    const uint64_t pages = (target >> 12) - (c->where >> 12);
    return is_near(pages, 21) && patch(c, pages, 2, 29) && patch(c, pages >> 2, 19, 5);
}

/* The offset in a page, in units of the access: 1 << shift bytes. */
static bool patch_offset(const struct change *c, uint64_t target, unsigned shift)
{
    const uint64_t offset = target & 0xfff;
    return (offset & (((uint64_t)1 << shift) - 1)) == 0 && patch(c, offset >> shift, 12, 10);
}

static bool patch_call(struct loading *l, const struct change *c)
{
    uint64_t distance = c->target + c->addend - c->where;
    if (!is_near(distance, 28))
        distance = stub_of(l, c->symbol) - c->where;
    return is_near(distance, 28) && distance % 4 == 0 && patch(c, distance >> 2, 26, 0);
}

static bool relocate_arm(struct loading *l, const struct change *c)
{
    const uint64_t target = c->target + c->addend;
    switch (c->type) {
    case R_AARCH64_ABS64:
        return write_bytes(c, target, sizeof(uint64_t));
    case R_AARCH64_PREL64:
        return write_bytes(c, target - c->where, sizeof(uint64_t));
    case R_AARCH64_PREL32:
        return write_near(c, target - c->where);
    case R_AARCH64_ADR_PREL_PG_HI21:
        return patch_page(c, target);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
        return patch_offset(c, target, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
        return patch_offset(c, target, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
        return patch_offset(c, target, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
        return patch_offset(c, target, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
        return patch_offset(c, target, 4);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
        return patch_call(l, c);
    case R_AARCH64_ADR_GOT_PAGE:
        return patch_page(c, slot_of(l, c->symbol));
    case R_AARCH64_LD64_GOT_LO12_NC:
        return patch_offset(c, slot_of(l, c->symbol), 3);
    default:
        return false;
    }
}

static bool relocate(struct loading *l, const Elf64_Rela *entry, size_t section)
{
    const size_t symbol = ELF64_R_SYM(entry->r_info), bytes = (size_t)l->sections[section].sh_size;
    if (entry->r_offset > bytes || symbol >= l->symbol_count || l->found[symbol].address == 0)
        return false;
    const size_t at = l->places[section] + (size_t)entry->r_offset;
    const struct change change = {.at = l->code.base + at,
                                  .room = bytes - (size_t)entry->r_offset,
                                  .where = address_at(l, at),
                                  .type = ELF64_R_TYPE(entry->r_info),
                                  .symbol = symbol,
                                  .target = l->found[symbol].address,
                                  .addend = (uint64_t)entry->r_addend};
    return own_machine() == EM_AARCH64 ? relocate_arm(l, &change) : relocate_x86(l, &change);
}

/* Sections without pages need none: what debuggers read, notes. */
static bool is_for_pages(const struct loading *l, const Elf64_Shdr *section)
{
    const size_t target = section->sh_info;
    return target < l->section_count && l->places[target] != NOWHERE &&
           l->sections[target].sh_type != SHT_NOBITS;
}

static const char *relocate_all(struct loading *l)
{
    for (size_t i = 0; i < l->section_count; i++) {
        const Elf64_Shdr *section = &l->sections[i];
        const size_t count = (size_t)(section->sh_size / sizeof(Elf64_Rela));
        if (section->sh_type == SHT_REL && is_for_pages(l, section))
            return "it has relocations without addends";
        if (section->sh_type != SHT_RELA || !is_for_pages(l, section))
            continue;
        if (!has_table(l, section->sh_offset, count, sizeof(Elf64_Rela)))
            return "its relocations are cut off";
        const Elf64_Rela *entries = (const void *)(l->data + section->sh_offset);
        for (size_t k = 0; k < count; k++)
            if (!relocate(l, &entries[k], section->sh_info))
                return "it has a relocation that cannot be carried out";
    }
    return NULL;
}

/* ---- All ---- */

static void keep_object(struct loading *l)
{
    unsigned char *copy = malloc(l->bytes);
    if (!copy)
        return;
    memcpy(copy, l->data, l->bytes);
    Elf64_Shdr *sections = (void *)(copy + ((const Elf64_Ehdr *)(const void *)l->data)->e_shoff);
    for (size_t i = 0; i < l->section_count; i++)
        if (l->places[i] != NOWHERE)
            sections[i].sh_addr = address_at(l, l->places[i]);
    l->code.object = copy;
    l->code.object_bytes = l->bytes;
}

static const char *find_function(const struct loading *l, const char *name, void **function)
{
    for (size_t i = 1; i < l->symbol_count; i++)
        if (is_within(l, &l->symbols[i]) && l->places[l->symbols[i].st_shndx] < l->begin[1] &&
            ELF64_ST_BIND(l->symbols[i].st_info) != STB_LOCAL &&
            strcmp(name_of(l, &l->symbols[i]), name) == 0) {
            *function = (void *)(uintptr_t)l->found[i].address;
            return NULL;
        }
    return name;
}

static const char *load(struct loading *l, const char *const names[], void *functions[],
                        size_t count)
{
    const char *why = place(l);
    if (!why)
        why = fill_pages(l);
    if (!why)
        why = find_symbols(l);
    if (!why)
        why = relocate_all(l);
    for (size_t i = 0; !why && i < count; i++)
        why = find_function(l, names[i], &functions[i]);
    return why ? why : protect(l);
}

const char *ocl_code_load(const unsigned char *data, size_t bytes, ocl_code_resolver *resolve,
                          const char *const names[], void *functions[], size_t count,
                          struct ocl_code *code)
{
    struct loading l = {.data = data, .bytes = bytes, .resolve = resolve};
    const char *why = read_header(&l);
    if (!why)
        why = read_symbols(&l);
    if (why)
        return why;
    l.places = malloc(l.section_count * sizeof *l.places);
    l.found = calloc(l.symbol_count + 1, sizeof *l.found);
    if (l.places)
        memset(l.places, 0xff, l.section_count * sizeof *l.places);
    why = l.places && l.found ? load(&l, names, functions, count) : "there is no memory";
    if (!why)
        keep_object(&l);
    free(l.places);
    free(l.found);
    if (why)
        ocl_code_unload(&l.code);
    else
        *code = l.code;
    return why;
}
