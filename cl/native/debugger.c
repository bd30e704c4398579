/* Debuggers that look at the process are told of code that is made in it, as gdb wants to be.
 * Source: Debugging with GDB, 13.1, chapter 30, JIT Compilation Interface.
 * SPDX-License-Identifier: Apache-2.0 */
#include <elf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cl/native/native_private.h"

struct jit_code_entry {
    struct jit_code_entry *next, *previous;
    const unsigned char *file;
    uint64_t bytes;
};

struct jit_descriptor {
    uint32_t version, action;
    struct jit_code_entry *relevant, *first;
};
enum { JIT_REGISTER = 1, JIT_UNREGISTER = 2 };

/* Found by their names: gdb stops at the function, and reads the other. */
extern struct jit_descriptor clem_jit_descriptor __asm__("__jit_debug_descriptor");
void clem_jit_tell(void) __asm__("__jit_debug_register_code");

__attribute__((used)) struct jit_descriptor clem_jit_descriptor = {.version = 1};

__attribute__((used, noinline)) void clem_jit_tell(void)
{
    __asm__ volatile("" : : : "memory");
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf: the descriptor and its list */

/* Lock held. */
static void tell(uint32_t action, struct jit_code_entry *entry)
{
    clem_jit_descriptor.action = action;
    clem_jit_descriptor.relevant = entry;
    clem_jit_tell();
}

/* The table of symbols of an object that was loaded, or NULL. */
static Elf64_Shdr *find_symbols(unsigned char *object)
{
    const Elf64_Ehdr *header = (const void *)object;
    Elf64_Shdr *sections = (void *)(object + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB)
            return &sections[i];
    return NULL;
}

/* What runs a kernel's warps gets the kernel's name: at the end of names that lie behind the file from now on. */
static bool name_kernel(struct ocl_code *code, const char *kernel)
{
    static const char runs[] = "clem_native_warp";
    const Elf64_Ehdr *header = (const void *)code->object;
    Elf64_Shdr *table = find_symbols(code->object);
    const Elf64_Shdr *old =
        table ? (const Elf64_Shdr *)(const void *)(code->object + header->e_shoff) + table->sh_link
              : NULL;
    const size_t names = old ? (size_t)old->sh_size : 0, own = strlen(kernel) + 1;
    unsigned char *grown = old ? realloc(code->object, code->object_bytes + names + own) : NULL;
    if (!grown)
        return false;
    code->object = grown;
    table = find_symbols(grown);
    header = (const void *)grown;
    Elf64_Shdr *strings = (Elf64_Shdr *)(void *)(grown + header->e_shoff) + table->sh_link;
    memcpy(grown + code->object_bytes, grown + strings->sh_offset, names);
    memcpy(grown + code->object_bytes + names, kernel, own);
    strings->sh_offset = code->object_bytes;
    strings->sh_size = names + own;
    Elf64_Sym *symbols = (void *)(grown + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++)
        if (symbols[i].st_name < names &&
            strcmp((const char *)grown + code->object_bytes + symbols[i].st_name, runs) == 0)
            symbols[i].st_name = (Elf64_Word)names;
    code->object_bytes += names + own;
    return true;
}

void ocl_native_tell_debugger(struct ocl_native *native)
{
    struct jit_code_entry *made = native->code.object && name_kernel(&native->code, native->name)
                                      ? calloc(1, sizeof *made)
                                      : NULL;
    if (!made)
        return;
    made->file = native->code.object;
    made->bytes = native->code.object_bytes;
    pthread_mutex_lock(&lock);
    made->next = clem_jit_descriptor.first;
    if (made->next)
        made->next->previous = made;
    clem_jit_descriptor.first = made;
    tell(JIT_REGISTER, made);
    pthread_mutex_unlock(&lock);
    native->told = made;
}

void ocl_native_forget_debugger(struct ocl_native *native)
{
    struct jit_code_entry *entry = native->told;
    if (!entry)
        return;
    pthread_mutex_lock(&lock);
    if (entry->next)
        entry->next->previous = entry->previous;
    if (entry->previous)
        entry->previous->next = entry->next;
    else
        clem_jit_descriptor.first = entry->next;
    tell(JIT_UNREGISTER, entry);
    pthread_mutex_unlock(&lock);
    free(entry);
}
