/* Managed variables that lie in sections of the program: see managed_section.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/managed_section.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cl/managed.h"
#include "cl/symbols.h"
#include "include/crt/host_runtime_abi.h"
#include "kernels/ptx/ptx.h"

struct section {
    char *start;
    size_t bytes;
    size_t users; /* lists of variables */
    struct section *next;
};

static struct section *sections;
static pthread_mutex_t sections_lock = PTHREAD_MUTEX_INITIALIZER;

/* Lock held. */
static struct section *find_section(const void *host)
{
    struct section *section = sections;
    while (section != NULL && (uintptr_t)host - (uintptr_t)section->start >= section->bytes)
        section = section->next;
    return section;
}

/* Devices may use it until they are asked, which the closing of a library cannot do (registration.c): a library with a
 * section stays when it is closed. */
static void keep_open(const void *section)
{
    Dl_info where;
    if (dladdr(section, &where) != 0)
        (void)dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* Each translation unit tells of the section that it shares with others. */
void __clemRegisterManagedSection(void *first, void *end)
{
    struct section *made = calloc(1, sizeof *made);
    if (made == NULL || first == NULL || (char *)end <= (char *)first) {
        free(made);
        return;
    }
    pthread_mutex_lock(&sections_lock);
    if (find_section(first) == NULL) {
        made->start = first;
        made->bytes = (size_t)((char *)end - (char *)first);
        made->next = sections;
        sections = made;
        made = NULL;
    }
    pthread_mutex_unlock(&sections_lock);
    if (made == NULL)
        keep_open(first);
    free(made);
}

/* --- the variables of one code ---------------------------------------------------------------- */

static bool add_place(struct ocl_managed_variables *variables, struct ptx_managed_place place)
{
    const size_t bytes = (variables->count + 1) * sizeof place;
    struct ptx_managed_place *places = realloc((void *)(uintptr_t)variables->places, bytes);
    if (places == NULL)
        return false;
    places[variables->count++] = place;
    variables->places = places;
    return true;
}

void facade_managed_add(struct ocl_managed_variables *variables, const char *name, const void *host)
{
    pthread_mutex_lock(&sections_lock);
    struct section *section = find_section(host);
    if (section != NULL) {
        const size_t offset = (size_t)((const char *)host - section->start);
        const bool is_first = variables->count == 0;
        if (add_place(variables, (struct ptx_managed_place){name, offset}) && is_first) {
            variables->start = section->start;
            variables->bytes = section->bytes;
            section->users++;
        }
    }
    pthread_mutex_unlock(&sections_lock);
}

/* Whether nobody needs the section any more. */
static bool leave_section(const void *start)
{
    pthread_mutex_lock(&sections_lock);
    struct section **link = &sections;
    while (*link != NULL && (*link)->start != start)
        link = &(*link)->next;
    struct section *left = *link != NULL && --(*link)->users == 0 ? *link : NULL;
    if (left != NULL)
        *link = left->next;
    pthread_mutex_unlock(&sections_lock);
    free(left);
    return left != NULL;
}

void facade_managed_forget(struct ocl_managed_variables *variables)
{
    if (variables->count > 0 && leave_section(variables->start))
        ocl_managed_give_back(variables->start);
    free((void *)(uintptr_t)variables->places);
    *variables = (struct ocl_managed_variables){.start = NULL};
}

void facade_managed_adopt(struct ocl_context *context)
{
    pthread_mutex_lock(&sections_lock);
    size_t count = 0;
    for (const struct section *section = sections; section != NULL; section = section->next)
        count++;
    struct section *copies = count > 0 ? malloc(count * sizeof *copies) : NULL;
    count = 0;
    for (const struct section *section = sections; copies != NULL && section != NULL;
         section = section->next)
        copies[count++] = *section;
    pthread_mutex_unlock(&sections_lock);
    for (size_t i = 0; copies != NULL && i < count; i++)
        (void)ocl_managed_adopt(context, copies[i].start, copies[i].bytes);
    free(copies);
}

/* --- first values ----------------------------------------------------------------------------- */

static bool is_ours(const struct ocl_managed_variables *variables, const struct ptx_symbol *symbol)
{
    for (size_t i = 0; symbol->block == PTX_BLOCK_MANAGED && i < variables->count; i++)
        if (variables->places[i].offset == symbol->offset)
            return true;
    return false;
}

static void copy_values(const struct ocl_managed_variables *variables,
                        const struct ptx_module *module)
{
    const unsigned char *values = ptx_module_block_values(module, PTX_BLOCK_MANAGED);
    for (size_t i = 0; i < ptx_module_symbol_count(module); i++) {
        const struct ptx_symbol *symbol = ptx_module_symbol(module, i);
        if (is_ours(variables, symbol))
            memcpy((char *)variables->start + symbol->offset, values + symbol->offset,
                   symbol->bytes);
    }
}

/* Addresses within the section are known now, those of the device's memory when there is some. */
static void copy_addresses(const struct ocl_managed_variables *variables,
                           const struct ptx_module *module)
{
    for (size_t i = 0; i < ptx_module_relocation_count(module); i++) {
        const struct ptx_relocation *relocation = ptx_module_relocation(module, i);
        uint64_t value = relocation->addend;
        if (relocation->block != PTX_BLOCK_MANAGED ||
            (!relocation->is_function && relocation->target != PTX_BLOCK_MANAGED))
            continue;
        if (!relocation->is_function)
            value += (uintptr_t)variables->start;
        memcpy((char *)variables->start + relocation->offset,
               (const unsigned char *)&value + relocation->first, relocation->bytes);
    }
}

bool facade_managed_begin(const struct ocl_managed_variables *variables, struct ptx_module *module)
{
    if (ptx_module_manage(module, variables->places, variables->count, variables->bytes) != PTX_OK)
        return false;
    copy_values(variables, module);
    copy_addresses(variables, module);
    return true;
}
