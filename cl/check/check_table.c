/* The table of device memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cl/check/check_filled.h"
#include "cl/check/check_launch.h"
#include "cl/check/check_log.h"
#include "cl/check/check_race.h"
#include "cl/check/touches.h"
#include "cl/range_map.h"

/* As many that are found no more keep their memory: someone may just look at them. */
enum { LEAST_LEFT = 4096 };

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* a leaf but for the map's and that of copies: the next */
static struct ocl_checked_memory *oldest, *newest; /* that are found no more */
static size_t left;

static struct ocl_range_map *ranges; /* NULL without memory */

/* What was found last for addresses of a page: most accesses go where others went. Kernels look there as well. */
static _Atomic(struct ocl_checked_memory *) last[CLEM_CHECK_PAGES], none[CLEM_CHECK_PAGES];
static struct ocl_checked_memory nothing;

/* ocl_check_namer */
static void name_memory(uint64_t address, struct ocl_finding *finding)
{
    const struct ocl_checked_memory *m = ocl_check_find(address);
    if (!m)
        return;
    if (!finding->allocation)
        finding->allocation = &m->allocated;
    if (atomic_load(&m->freed))
        finding->freed = &m->freed_at;
}

static void make_ranges(void)
{
    ocl_check_name_by(name_memory);
    for (size_t i = 0; i < CLEM_CHECK_PAGES; i++) {
        atomic_init(&last[i], &nothing);
        atomic_init(&none[i], &nothing);
    }
    if (ocl_range_map_create(&ranges) != OCL_OK)
        ranges = NULL;
}

static struct ocl_range_map *table(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_ranges);
    return ranges;
}

uint64_t ocl_check_pages(void)
{
    (void)table();
    return (uint64_t)(uintptr_t)last;
}

uint64_t ocl_check_no_pages(void)
{
    (void)table();
    return (uint64_t)(uintptr_t)none;
}

uint64_t ocl_check_no_memory(void)
{
    return (uint64_t)(uintptr_t)&nothing.quick;
}

static bool has(const struct ocl_checked_memory *memory, uint64_t address)
{
    return memory && atomic_load_explicit(&memory->is_found, memory_order_acquire) &&
           address - memory->base < memory->bytes;
}

struct ocl_checked_memory *ocl_check_find(uint64_t address)
{
    struct ocl_range_map *all = table();
    _Atomic(struct ocl_checked_memory *) *place = &last[CLEM_CHECK_PLACE(address)];
    struct ocl_checked_memory *found = atomic_load_explicit(place, memory_order_acquire);
    if (has(found, address))
        return found;
    found = all ? ocl_range_map_find(all, address) : NULL;
    if (found)
        atomic_store_explicit(place, found, memory_order_release);
    return found;
}

struct ocl_checked_memory *ocl_check_find_surely(uint64_t address)
{
    struct ocl_checked_memory *found = ocl_check_find(address);
    if (found)
        return found;
    pthread_mutex_lock(&lock);
    found = ocl_check_find(address);
    pthread_mutex_unlock(&lock);
    return found;
}

struct ocl_checked_memory *ocl_check_find_below(uint64_t address)
{
    return table() ? ocl_range_map_find_below(ranges, address) : NULL;
}

struct ocl_checked_memory *ocl_check_find_above(uint64_t address)
{
    return table() ? ocl_range_map_find_above(ranges, address) : NULL;
}

/* Lock held. One of those left long ago, or a new one. */
static struct ocl_checked_memory *take(void)
{
    struct ocl_checked_memory *taken = oldest;
    if (left <= LEAST_LEFT)
        return calloc(1, sizeof *taken);
    oldest = taken->next;
    left--;
    free(atomic_load(&taken->written));
    ocl_check_log_free(taken->quick.still);
    taken->quick.still = 0;
    return taken;
}

/* Whether kernels that find the memory may access all of it without asking. */
static void show(struct ocl_checked_memory *memory, bool is_shown)
{
    enum { ALIGNMENT = 16 };
    const bool is_right = is_shown && memory->base % ALIGNMENT == 0;
    if (is_right)
        memory->quick.base = memory->base;
    __atomic_store_n(&memory->quick.bytes, is_right ? memory->bytes : 0, __ATOMIC_RELEASE);
}

/* Lock held. */
static void keep(struct ocl_checked_memory *memory)
{
    show(memory, false);
    atomic_store(&memory->is_found, false);
    memory->next = NULL;
    if (left++ > 0)
        newest->next = memory;
    else
        oldest = memory;
    newest = memory;
}

/* Lock held. */
static void leave(struct ocl_checked_memory *memory)
{
    ocl_range_map_erase(ranges, memory->base, memory->bytes);
    keep(memory);
}

/* Lock held. What was there is found no more. */
static void clear(uint64_t base, uint64_t bytes)
{
    for (struct ocl_checked_memory *at = ocl_range_map_find(ranges, base); at;
         at = ocl_range_map_find(ranges, base))
        leave(at);
    for (struct ocl_checked_memory *at = ocl_range_map_find_above(ranges, base);
         at && at->base - base < bytes; at = ocl_range_map_find_above(ranges, base))
        leave(at);
}

static unsigned char *unwritten(uint64_t bytes, bool is_written)
{
    if (is_written || !ocl_check_wants(OCL_CHECK_INIT))
        return NULL;
    return calloc(bytes, 1);
}

/* made_at: as struct ocl_checked_memory has it. */
static void add(uint64_t base, uint64_t bytes, const char *kind, bool is_written, uint64_t made_at)
{
    if (!table() || bytes == 0)
        return;
    unsigned char *const written = unwritten(bytes, is_written);
    ocl_check_race_forget(base, bytes);
    pthread_mutex_lock(&lock);
    clear(base, bytes);
    struct ocl_checked_memory *made = take();
    if (made) {
        made->base = base;
        made->bytes = bytes;
        made->kind = kind;
        made->next = NULL;
        made->heap_site = NULL;
        atomic_store(&made->has_pages, false);
        atomic_store(&made->made, made_at);
        atomic_store(&made->freed, 0);
        atomic_store(&made->written, written);
        ocl_check_filled_begin(made);
        made->freed_at.depth = 0;
        ocl_check_stack(&made->allocated);
        atomic_store(&made->is_found, true);
        show(made, true);
        if (ocl_range_map_insert(ranges, base, bytes, made) != OCL_OK)
            keep(made);
    } else {
        free(written);
    }
    pthread_mutex_unlock(&lock);
}

void ocl_check_allocated(uint64_t base, uint64_t bytes, const char *kind, bool is_written)
{
    add(base, bytes, kind, is_written, 0);
}

void ocl_check_follow_pages(uint64_t base)
{
    struct ocl_checked_memory *const memory = ocl_check_find(base);
    if (memory && memory->base == base)
        atomic_store(&memory->has_pages, true);
}

void ocl_check_handed_on(uint64_t base, uint64_t bytes, const char *kind)
{
    add(base, bytes, kind, true, ocl_check_launches() + 1);
}

void ocl_check_free_from(struct ocl_checked_memory *memory, uint64_t number)
{
    ocl_check_stack(&memory->freed_at);
    show(memory, false);
    atomic_store(&memory->freed, number);
}

void ocl_check_freed(uint64_t base)
{
    pthread_mutex_lock(&lock);
    struct ocl_checked_memory *found = ocl_check_find(base);
    if (found && found->base == base) {
        ocl_check_free_from(found, ocl_check_launches() + 1);
        ocl_touches_forget(base, found->bytes);
    }
    pthread_mutex_unlock(&lock);
}

bool ocl_check_is_freed(uint64_t address)
{
    const struct ocl_checked_memory *found =
        ocl_check_wants(OCL_CHECK_MEMORY) ? ocl_check_find(address) : NULL;
    return found && atomic_load(&found->freed) != 0;
}

void ocl_check_visit(void (*visit)(struct ocl_checked_memory *memory, const void *argument),
                     const void *argument)
{
    pthread_mutex_lock(&lock);
    for (struct ocl_checked_memory *at = ocl_check_find_above(0); at;
         at = ocl_check_find_above(at->base + at->bytes))
        visit(at, argument);
    pthread_mutex_unlock(&lock);
}

static void fill(const struct ocl_checked_memory *memory)
{
    unsigned char *const written = memory ? atomic_load(&memory->written) : NULL;
    if (written)
        memset(written, 1, memory->bytes);
}

static void fill_one(struct ocl_checked_memory *memory, const void *unused)
{
    (void)unused;
    fill(memory);
}

void ocl_check_filled(uint64_t base)
{
    if (ocl_check_wants(OCL_CHECK_INIT))
        fill(ocl_check_find(base));
}

void ocl_check_all_filled(void)
{
    if (!ocl_check_wants(OCL_CHECK_INIT))
        return;
    ocl_check_visit(fill_one, NULL);
}
