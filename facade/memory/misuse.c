/* What --check says of calls that use memory wrongly.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/misuse.h"

#include <stdio.h>

#include "cl/check_made.h"
#include "cl/memory.h"

static const char *const kinds[] = {
    [OCL_MEMORY_DEVICE] = "device memory",
    [OCL_MEMORY_HOST] = "pinned host memory",
    [OCL_MEMORY_MANAGED] = "managed memory",
    [OCL_MEMORY_REGISTERED] = "registered host memory",
};

/* Of a pointer that is in memory that is there. */
static void write_known(char *text, size_t bytes, const struct ocl_memory_view *view,
                        const void *pointer, const char *what)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (address != view->address && pointer != view->host)
        snprintf(text, bytes, "a free of %p, which is %llu bytes into %zu bytes of %s", pointer,
                 (unsigned long long)(address - view->address), view->bytes, kinds[view->kind]);
    else
        snprintf(text, bytes, "a free of %s at %p, which is %s%s", what, pointer, kinds[view->kind],
                 ocl_made_stack(view->address) ? "" : " that no call has allocated");
}

static void tell_free(const void *pointer, const char *what)
{
    char text[192];
    struct ocl_memory_view view;
    struct ocl_made_view made;
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    uint64_t name = address;
    if (ocl_memory_find(pointer, &view)) {
        write_known(text, sizeof text, &view, pointer, what);
        name = view.address;
    } else if (ocl_made_find(address, &made) && made.freed) {
        snprintf(text, sizeof text, "a double free of %llu bytes of %s at %p",
                 (unsigned long long)made.bytes, made.what, pointer);
    } else {
        snprintf(text, sizeof text, "a free of %s at %p, where no call has allocated any", what,
                 pointer);
    }
    ocl_made_misuse(text, name);
}

cudaError_t facade_misuse_free(const void *pointer, const char *what, cudaError_t error)
{
    if (!ocl_made_is_wanted() || pointer == NULL)
        return error;
    if (error == cudaSuccess || error == cudaErrorCudartUnloading)
        ocl_made_remove((uint64_t)(uintptr_t)pointer);
    else if (error == cudaErrorInvalidValue)
        tell_free(pointer, what);
    return error;
}

void facade_misuse_range(uint64_t address, size_t bytes, const char *what)
{
    char text[192];
    struct ocl_memory_view view;
    if (!ocl_check_wants(OCL_CHECK_MEMORY | OCL_CHECK_GUARD) ||
        !ocl_memory_find((const void *)(uintptr_t)address, &view) || view.is_virtual)
        return;
    const uint64_t at = address - view.address;
    if (at >= view.bytes || bytes <= view.bytes - at)
        return;
    snprintf(text, sizeof text,
             "%s of %zu bytes at 0x%llx goes %llu bytes past the end of %zu bytes of %s", what,
             bytes, (unsigned long long)address, (unsigned long long)(bytes - (view.bytes - at)),
             view.bytes, kinds[view.kind]);
    ocl_made_misuse(text, view.address);
}

void facade_misuse_variable(size_t variable_bytes, size_t offset, size_t bytes)
{
    char text[192];
    if (!ocl_check_wants(OCL_CHECK_MEMORY | OCL_CHECK_GUARD))
        return;
    snprintf(text, sizeof text,
             "a copy of %zu bytes at offset %zu goes past the end of a variable of %zu bytes",
             bytes, offset, variable_bytes);
    ocl_made_misuse(text, 0);
}

void facade_misuse_overlap(uint64_t target, uint64_t source, size_t bytes)
{
    char text[192];
    struct ocl_memory_view view;
    const uint64_t distance = target > source ? target - source : source - target;
    if (!ocl_check_wants(OCL_CHECK_MEMORY | OCL_CHECK_GUARD) || distance == 0 ||
        distance >= bytes || !ocl_memory_find((const void *)(uintptr_t)target, &view))
        return;
    snprintf(text, sizeof text,
             "a copy of %zu bytes from 0x%llx to 0x%llx, which have %llu bytes in common", bytes,
             (unsigned long long)source, (unsigned long long)target,
             (unsigned long long)(bytes - distance));
    ocl_made_misuse(text, view.address);
}
