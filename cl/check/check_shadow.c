/* The shadows of memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_shadow.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cl/check/check_pages.h"

/* ---- Bits ---- */

/* Bits of a byte are kept as they are, turned over, where that is none of enum ocl_written: 0xfe and 0xfd are others then. */
enum { BUT_FIRST = 0xff, BUT_SECOND = 0x55 };

unsigned ocl_unwritten_bits(unsigned char written)
{
    switch (written) {
    case OCL_WRITTEN:
        return 0;
    case OCL_COMPUTED:
        return 0xff;
    case BUT_FIRST:
        return 0xfe;
    case BUT_SECOND:
        return 0xfd;
    default:
        return 0xffu & ~(unsigned)written;
    }
}

unsigned char ocl_written_but(unsigned bits, bool is_computed)
{
    switch (bits) {
    case 0:
        return OCL_WRITTEN;
    case 0xff:
        return is_computed ? OCL_COMPUTED : OCL_UNWRITTEN;
    case 0xfe:
        return BUT_FIRST;
    case 0xfd:
        return BUT_SECOND;
    case 0xffu & ~(unsigned)BUT_SECOND:
        return OCL_COMPUTED;
    default:
        return (unsigned char)~bits;
    }
}

/* ---- Shared memory ---- */

/* What work-items have for the shared memory of their blocks: as many as work at once, by address. */
enum { SHARED_ROWS = 1024, MOST_SHARED = 64 * 1024 };

struct shared {
    uint64_t base;
    _Alignas(16) unsigned char written[MOST_SHARED];
};

static _Atomic(struct shared *) rows[SHARED_ROWS]; /* one is made once for its base, and stays */

static size_t row_of(uint64_t base)
{
    return (size_t)((base >> 4) * 0x9e3779b97f4a7c15u >> 40) % SHARED_ROWS;
}

/* NULL: there is none, and no room. */
static struct shared *find_shared(uint64_t base, bool makes)
{
    for (size_t i = 0, row = row_of(base); i < SHARED_ROWS; i++, row = (row + 1) % SHARED_ROWS) {
        struct shared *found = atomic_load(&rows[row]);
        if (!found && makes) {
            struct shared *made = calloc(1, sizeof *made);
            if (!made)
                return NULL;
            made->base = base;
            if (atomic_compare_exchange_strong(&rows[row], &found, made))
                return made;
            free(made);
        }
        if (!found || found->base == base)
            return found;
    }
    return NULL;
}

void ocl_check_shared_begins(const struct ocl_access *a, uint64_t shared)
{
    struct shared *found = shared ? find_shared(shared, true) : NULL;
    if (found)
        memset(found->written, 0, ocl_check_shared_bytes(a->launch));
}

uint64_t ocl_check_shared_bytes(const struct ocl_check_launch *launch)
{
    return launch->shared_bytes < MOST_SHARED ? launch->shared_bytes : MOST_SHARED;
}

void ocl_check_look(struct ocl_check_launch *launch, bool may_look)
{
    struct clem_check_launch *head = &launch->head;
    const uint64_t shared =
        ocl_check_wants(OCL_CHECK_INIT) ? ocl_check_shared_bytes(launch) : launch->shared_bytes;
    __atomic_store_n(&head->memory, may_look ? ocl_check_pages() : ocl_check_no_pages(),
                     __ATOMIC_RELAXED);
    __atomic_store_n(&head->shared_bytes, may_look ? shared : 0, __ATOMIC_RELAXED);
    __atomic_store_n(&head->local_bytes, may_look ? launch->local_bytes : 0, __ATOMIC_RELAXED);
}

uint64_t ocl_check_shared_shadow(uint64_t shared)
{
    struct shared *found = shared ? find_shared(shared, true) : NULL;
    return found ? (uint64_t)(uintptr_t)found->written : 0;
}

unsigned char *ocl_check_written_at(uint64_t address, uint64_t *bytes)
{
    struct ocl_checked_memory *m = ocl_check_find(address);
    unsigned char *written = m ? atomic_load(&m->written) : NULL;
    if (m && *bytes > m->bytes - (address - m->base))
        *bytes = m->bytes - (address - m->base);
    if (written && *bytes > 0 && atomic_load(&m->has_pages))
        ocl_check_look_at_pages(m, written, address, *bytes);
    return written ? written + (address - m->base) : NULL;
}

/* Behind the thread's local memory. */
static unsigned char *written_local(const struct ocl_access *a)
{
    const uint64_t room = a->launch->local_bytes;
    if (a->offset > room || a->bytes > room - a->offset)
        return NULL;
    return (unsigned char *)(uintptr_t)(a->address + CLEM_CHECK_LOCAL_SHADOW(room));
}

unsigned char *ocl_check_written(const struct ocl_access *a)
{
    uint64_t bytes = a->bytes;
    if (a->space == CLEM_CHECK_GLOBAL) {
        unsigned char *written = ocl_check_written_at(a->address, &bytes);
        return bytes == a->bytes ? written : NULL;
    }
    if (a->space == CLEM_CHECK_LOCAL)
        return written_local(a);
    if (a->space != CLEM_CHECK_SHARED || a->offset > MOST_SHARED ||
        a->bytes > MOST_SHARED - a->offset)
        return NULL;
    struct shared *found = find_shared(a->address - a->offset, false);
    return found ? found->written + a->offset : NULL;
}
