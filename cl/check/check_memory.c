/* The check of where accesses go.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "cl/check/check_launch.h"
#include "cl/check/check_table.h"

static const char *verb(const struct ocl_access *a)
{
    return a->kind == CLEM_CHECK_LOAD    ? "read"
           : a->kind == CLEM_CHECK_STORE ? "written"
                                         : "changed by an atomic operation";
}

__attribute__((format(printf, 4, 5))) static void tell(const struct ocl_access *a,
                                                       const struct ocl_checked_memory *memory,
                                                       const char *about, const char *format, ...)
{
    char what[256];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    ocl_check_report_access(
        a, &(struct ocl_finding){.check = OCL_CHECK_MEMORY,
                                 .what = what,
                                 .about = about,
                                 .allocation = memory ? &memory->allocated : NULL});
}

/* ---- Shared and local memory, parameters ---- */

static bool check_window(const struct ocl_access *a, const char *whose, uint64_t bytes)
{
    char about[128];
    if (a->offset <= bytes && a->bytes <= bytes - a->offset)
        return true;
    snprintf(about, sizeof about, "%s has %llu bytes", whose, (unsigned long long)bytes);
    tell(a, NULL, about, "%u bytes %s beyond %s", (unsigned)a->bytes, verb(a), whose);
    return false;
}

/* ---- Global memory ---- */

static void describe(const struct ocl_checked_memory *m, char *about, size_t bytes)
{
    snprintf(about, bytes, "%s of %llu bytes at 0x%llx", m->kind, (unsigned long long)m->bytes,
             (unsigned long long)m->base);
}

/* Whether memory was handed on after the launch, which may use it for its last owner. */
static bool is_later(const struct ocl_access *a, const struct ocl_checked_memory *m)
{
    return a->launch->number < atomic_load(&m->made);
}

/* In no memory: which it is next to. */
static void tell_nowhere(const struct ocl_access *a)
{
    char about[192], text[128];
    const struct ocl_checked_memory *below = ocl_check_find_below(a->address),
                                    *above = ocl_check_find_above(a->address);
    const uint64_t after = below ? a->address - below->base - below->bytes : UINT64_MAX,
                   before = above ? above->base - a->address : UINT64_MAX;
    const struct ocl_checked_memory *near = after <= before ? below : above;
    enum { NEAR = 1 << 20 };
    if (!near || (after > NEAR && before > NEAR)) {
        tell(a, NULL, NULL,
             a->address < 4096 ? "%u bytes %s at a null pointer"
                               : "%u bytes %s where no device memory is",
             (unsigned)a->bytes, verb(a));
        return;
    }
    if (is_later(a, near))
        return;
    describe(near, text, sizeof text);
    if (near == below && after == 0)
        snprintf(about, sizeof about, "right behind the end of %s", text);
    else
        snprintf(about, sizeof about, "%llu bytes %s %s",
                 (unsigned long long)(near == below ? after : before),
                 near == below ? "behind the end of" : "before the start of", text);
    tell(a, near, about, "%u bytes %s out of bounds", (unsigned)a->bytes, verb(a));
}

static void tell_freed(const struct ocl_access *a, const struct ocl_checked_memory *m)
{
    char about[128];
    describe(m, about, sizeof about);
    tell(a, m, about, "%u bytes %s after they were freed", (unsigned)a->bytes, verb(a));
}

static void tell_end(const struct ocl_access *a, const struct ocl_checked_memory *m)
{
    char about[128];
    describe(m, about, sizeof about);
    tell(a, m, about, "%u bytes %s, of which %llu are out of bounds", (unsigned)a->bytes, verb(a),
         (unsigned long long)(a->address + a->bytes - m->base - m->bytes));
}

static bool is_own(const struct ocl_access *a)
{
    for (size_t i = 0; i < OCL_CHECK_OWN; i++) {
        const uint64_t base = atomic_load(&a->launch->own[i].base);
        if (base && a->address - base < atomic_load(&a->launch->own[i].bytes))
            return true;
    }
    return false;
}

static bool check_global(const struct ocl_access *a)
{
    const struct ocl_checked_memory *m = ocl_check_find(a->address);
    if (!m && is_own(a))
        return true;
    if (!m)
        m = ocl_check_find_surely(a->address);
    if (!m) {
        tell_nowhere(a);
        return false;
    }
    if (is_later(a, m))
        return true;
    const uint64_t freed = atomic_load(&m->freed);
    if (freed && a->launch->number >= freed) {
        tell_freed(a, m);
        return false;
    }
    if (a->bytes > m->bytes - (a->address - m->base)) {
        tell_end(a, m);
        return false;
    }
    return true;
}

/* ---- Alignment ---- */

/* Also where the access is made all the same: CPUs can. */
static void check_alignment(const struct ocl_access *a)
{
    const uint32_t bytes = a->bytes;
    if (bytes <= 16 && (bytes & (bytes - 1)) == 0 && (a->offset & (bytes - 1)) != 0)
        tell(a, NULL, NULL, "%u bytes %s at an address that is no multiple of %u", (unsigned)bytes,
             verb(a), (unsigned)bytes);
}

bool ocl_check_memory(const struct ocl_access *a)
{
    bool is_right = true;
    if (a->bytes == 0)
        return true;
    if (a->space == CLEM_CHECK_SHARED)
        is_right = check_window(a, "the block's shared memory", a->launch->shared_bytes);
    else if (a->space == CLEM_CHECK_LOCAL)
        is_right = check_window(a, "the thread's local memory", a->launch->local_bytes);
    else if (a->space == CLEM_CHECK_PARAM)
        is_right =
            check_window(a, "the memory of the kernel's parameters", a->launch->parameter_bytes);
    else
        is_right = check_global(a);
    if (is_right)
        check_alignment(a);
    return is_right;
}

/* ---- The device's heap ---- */

static const char heap[] = "memory of the device's heap";

void ocl_check_heap_taken(const struct ocl_access *a)
{
    if (!a->address)
        return;
    ocl_check_allocated(a->address, a->value, heap, false);
    if (ocl_check_wants(OCL_CHECK_MEMORY)) /* frees are seen too */
        ocl_check_heap_note(a);
}

bool ocl_check_heap_freed(const struct ocl_access *a)
{
    char about[128];
    struct ocl_checked_memory *m = a->address ? ocl_check_find(a->address) : NULL;
    if (!a->address)
        return true;
    if (!m || m->kind != heap) {
        tell(a, NULL, NULL, "free() of what malloc() did not give");
        return false;
    }
    describe(m, about, sizeof about);
    if (atomic_load(&m->freed)) {
        tell(a, NULL, about, "free() of memory that was freed");
        return false;
    }
    if (m->base != a->address) {
        tell(a, NULL, about, "free() of an address within memory");
        return false;
    }
    ocl_check_free_from(m, a->launch->number);
    return true;
}
