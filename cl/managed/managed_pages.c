/* The pages of a region: what a fault brings to the host, and what goes back.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cl/base/steady.h"
#include "cl/managed/managed_private.h"
#include "cl/memory/allocation.h"
#include "cl/profile.h"
#include "cl/queue/command.h"
#include "cl/queue/queue_private.h"
#include "cl/state/failure.h"
#include "cl/thread.h"

/* A map for reading of at most this many bytes becomes one for writing as a whole. */
enum { UPGRADE_WHOLE = 256 * 1024 };

/* Bytes of a large range that move by one command. */
enum { LARGE_PART = 32 * 1024 * 1024 };

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static struct ocl_migration *migration_of(const struct ocl_region *region)
{
    return atomic_load(&region->block->context->migration);
}

static enum ocl_page_state state_at(const struct ocl_region *region, size_t offset)
{
    return region->states[offset / page_bytes()];
}

static void set_states(struct ocl_region *region, size_t offset, size_t bytes,
                       enum ocl_page_state state)
{
    for (size_t page = offset / page_bytes(); page < (offset + bytes) / page_bytes(); page++)
        region->states[page] = (unsigned char)state;
}

static void fail(const struct ocl_region *region, ocl_status status)
{
    (void)ocl_context_fail(region->block->context, status);
}

static void protect(const struct ocl_region *region, size_t offset, size_t bytes, int protection)
{
    if (mprotect(region->base + offset, bytes, protection) == 0)
        return;
    fail(region, OCL_E_OUT_OF_MEMORY); /* the system's limit of mappings */
    if (protection != PROT_NONE)       /* better wrong bytes than the same fault for ever */
        mprotect(region->base, region->bytes, PROT_READ | PROT_WRITE);
}

static bool is_copied(const struct ocl_region *region)
{
    const struct ocl_thread *thread = ocl_thread_if_any();

    return thread && (thread->copied[0] == region || thread->copied[1] == region);
}

/* What it is given is part of another queue's command, whose kernels may use what is attached to that. */
static bool is_within_turn(const struct ocl_queue *queue)
{
    return queue->kind == OCL_QUEUE_APART;
}

bool ocl_region_is_used_by(const struct ocl_region *region, const struct ocl_queue *queue)
{
    if (is_copied(region))
        return true;
    switch (atomic_load(&region->attachment)) {
    case OCL_MANAGED_GLOBAL:
        return true;
    case OCL_MANAGED_HOST:
        return !queue;
    default:
        return !queue || is_within_turn(queue) ||
               (queue == atomic_load(&region->queue) &&
                atomic_load(&queue->id) == atomic_load(&region->queue_id));
    }
}

/* ---- To the host ---- */

/* A range on its way. map is NULL when that failed. */
struct coming {
    struct ocl_page_map *map;
    size_t offset, bytes;
    bool is_write;
    uint64_t start; /* of ocl_profile_start_of_span() */
};

static void add_map(struct ocl_region *region, struct ocl_page_map *map)
{
    struct ocl_migration *migration = migration_of(region);

    map->next = region->maps;
    region->maps = map;
    region->map_count++;
    atomic_fetch_add(&migration->resident, 1);
    atomic_fetch_add(&migration->counts.maps, 1);
    atomic_fetch_add(&migration->counts.bytes_to_host, map->bytes);
}

/* The driver writes the host's pages while they are still PROT_NONE, which its own mappings and the
 * device's copy engine do not care about: no thread sees a page before its bytes are there. */
static struct coming map_begin(struct ocl_region *region, size_t offset, size_t bytes, size_t run,
                               bool is_write)
{
    const cl_map_flags flags = is_write ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ;
    struct ocl_page_map *map = malloc(sizeof *map);
    struct ocl_command command;
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    const uint64_t start = ocl_profile_start_of_span();

    ocl_command_begin_own(&command, migration_of(region)->queue);
    if (map) {
        *map = (struct ocl_page_map){NULL, NULL, offset, bytes, run, is_write};
        error = ocl_enqueue_map(&command, flags, region->base + offset, bytes, &map->event);
    }
    ocl_command_end(&command);
    if (error == CL_SUCCESS) {
        add_map(region, map);
    } else {
        free(map);
        map = NULL;
        fail(region, error);
    }
    return (struct coming){map, offset, bytes, is_write, start};
}

/* Waits for the driver. */
static void wait_for_driver(const struct ocl_region *region, struct ocl_page_map *map)
{
    const cl_int error = ocl_steady_event(map->event);

    if (error != CL_SUCCESS)
        fail(region, error);
    clReleaseEvent(map->event);
    map->event = NULL;
}

/* After a failure the host gets what there is, since a fault has nobody to tell. */
static void map_end(struct ocl_region *region, const struct coming *coming)
{
    if (coming->map)
        wait_for_driver(region, coming->map);
    set_states(region, coming->offset, coming->bytes,
               coming->is_write ? OCL_PAGE_WRITE : OCL_PAGE_READ);
    protect(region, coming->offset, coming->bytes,
            coming->is_write ? PROT_READ | PROT_WRITE : PROT_READ);
    ocl_profile_span(OCL_SPOOL_TO_HOST, NULL, coming->start, coming->bytes);
}

static void map_range(struct ocl_region *region, size_t offset, size_t bytes, size_t run,
                      bool is_write)
{
    const struct coming coming = map_begin(region, offset, bytes, run, is_write);

    map_end(region, &coming);
}

/* The system takes half as long to unprotect pages as the bus to fill them, so a large range comes
 * in parts: while one is unprotected, the next is on its way. */
static void map_large(struct ocl_region *region, size_t offset, size_t bytes, bool is_write)
{
    const size_t end = offset + bytes;
    struct coming before = {0};

    while (offset < end) {
        const size_t part = end - offset < LARGE_PART + LARGE_PART / 2 ? end - offset : LARGE_PART;
        const struct coming now = map_begin(region, offset, part, part, is_write);
        if (before.bytes > 0)
            map_end(region, &before);
        before = now;
        offset += part;
    }
    map_end(region, &before);
}

/* How far a run came that ends where offset is; 0 when nothing before it is mapped. */
static size_t run_before(const struct ocl_region *region, size_t offset, bool is_write)
{
    if (offset == 0 || state_at(region, offset - page_bytes()) < OCL_PAGE_READ)
        return 0;
    for (const struct ocl_page_map *map = region->maps; map; map = map->next)
        if (map->offset + map->bytes == offset && (map->is_write || !is_write))
            return map->run;
    return 0;
}

/* What to bring for a fault in a run that came this far. Half of it: a fault costs more than what
 * it brings for small amounts, and what is brought too much stays a part of what was wanted. */
static size_t step_after(size_t run)
{
    const size_t step = run / 2 / OCL_MIGRATION_LEAST * OCL_MIGRATION_LEAST;

    if (step > OCL_MIGRATION_MOST)
        return OCL_MIGRATION_MOST;
    return step < OCL_MIGRATION_LEAST ? OCL_MIGRATION_LEAST : step;
}

/* Widens the page at offset to what a fault there should bring, within [low, high) and among pages
 * of its own state. */
static size_t choose_range(const struct ocl_region *region, size_t *offset, size_t low, size_t high,
                           bool is_write, size_t *run)
{
    const size_t page = page_bytes();
    const enum ocl_page_state state = state_at(region, *offset);
    const size_t aligned = *offset / OCL_MIGRATION_LEAST * OCL_MIGRATION_LEAST;
    size_t first = *offset, end = *offset + page;

    while (first > low && first > aligned && state_at(region, first - page) == state)
        first -= page;
    const size_t before = run_before(region, first, is_write);
    const size_t step = step_after(before);
    const size_t goal = before > 0 ? first + step : aligned + step;
    while (end < high && end < goal && state_at(region, end) == state)
        end += page;
    *offset = first;
    *run = before + (end - first);
    return end - first;
}

static struct ocl_page_map **find_map(struct ocl_region *region, size_t offset)
{
    struct ocl_page_map **place = &region->maps;

    while (*place && offset - (*place)->offset >= (*place)->bytes)
        place = &(*place)->next;
    return place;
}

/* Takes a map out of its list and tells the driver. */
static struct ocl_page_map *unmap(struct ocl_region *region, struct ocl_page_map **place)
{
    struct ocl_migration *migration = migration_of(region);
    struct ocl_page_map *map = *place;
    struct ocl_command command;
    const uint64_t start = ocl_profile_start_of_span();

    ocl_command_begin_own(&command, migration->queue);
    const cl_int error = ocl_enqueue_unmap(&command, region->base + map->offset, &map->event);
    ocl_command_end(&command);
    if (error != CL_SUCCESS)
        fail(region, error);
    if (map->is_write)
        atomic_fetch_add(&migration->counts.bytes_to_device, map->bytes);
    ocl_profile_span(OCL_SPOOL_TO_DEVICE, NULL, map->is_write ? start : 0, map->bytes);
    *place = map->next;
    return map;
}

static void forget_map(struct ocl_region *region, struct ocl_page_map *map)
{
    if (map->event)
        clReleaseEvent(map->event);
    region->map_count--;
    atomic_fetch_sub(&migration_of(region)->resident, 1);
    free(map);
}

/* A map for reading becomes one for writing around offset; what is left of it goes back to the
 * device, which costs nothing now, and a transfer only if the host wants it again. */
static void upgrade(struct ocl_region *region, size_t offset, bool whole)
{
    struct ocl_page_map **place = find_map(region, offset);

    if (!*place) { /* after a failure there is no map to change */
        set_states(region, offset, page_bytes(), OCL_PAGE_WRITE);
        protect(region, offset, page_bytes(), PROT_READ | PROT_WRITE);
        return;
    }
    const struct ocl_page_map map = **place;
    size_t first = map.offset, bytes = map.bytes, run = map.run;
    if (!whole && map.bytes > UPGRADE_WHOLE) {
        first = offset;
        bytes = choose_range(region, &first, map.offset, map.offset + map.bytes, true, &run);
    }
    protect(region, map.offset, map.bytes, PROT_NONE);
    forget_map(region, unmap(region, place));
    set_states(region, map.offset, map.bytes, OCL_PAGE_DEVICE);
    map_range(region, first, bytes, run, true);
}

struct range {
    size_t first, end;
};

/* Those of one allocation, or all for NULL. */
static struct range pages_of(const struct ocl_region *region, const struct ocl_allocation *alone)
{
    if (!alone)
        return (struct range){0, region->bytes};
    const size_t first = (size_t)((const char *)alone->host - region->base);
    return (struct range){first,
                          first + (alone->bytes + page_bytes() - 1) / page_bytes() * page_bytes()};
}

/* The system allows a process so many ranges of pages with a protection of their own, 65530 if
 * nobody changed it. Touches all over the place would reach that; from some number of maps on, a
 * fault brings a large aligned range with no hole in it. */
static void fetch_around(struct ocl_region *region, size_t offset, const struct range *within,
                         bool is_write)
{
    size_t first = offset / OCL_MIGRATION_MOST * OCL_MIGRATION_MOST;
    size_t end = first + OCL_MIGRATION_MOST;

    first = first < within->first ? within->first : first;
    end = end > within->end ? within->end : end;
    ocl_region_fetch(region, first, end - first, is_write);
}

void ocl_region_fault(struct ocl_region *region, const struct ocl_allocation *alone, size_t offset,
                      bool is_write)
{
    const struct range within = pages_of(region, alone);
    size_t run;

    ocl_region_send_end(region);
    if (region->wanted_bytes > 0 && !alone) {
        ocl_region_fetch_wanted(region);
        if (ocl_region_is_resident(region, offset, 1, is_write))
            return;
    }
    const enum ocl_page_state state = state_at(region, offset);
    region->returns = 0;
    region->is_on_trial = region->is_forgotten = false;
    region->is_host_writing |= is_write;
    offset = offset / page_bytes() * page_bytes();
    if (state == OCL_PAGE_APART || state == OCL_PAGE_WRITE || (state == OCL_PAGE_READ && !is_write))
        return; /* another thread's fault brought it, or the next one will, from where it is */
    if (atomic_load(&migration_of(region)->resident) >= migration_of(region)->most_maps) {
        fetch_around(region, offset, &within, is_write);
        return;
    }
    if (state == OCL_PAGE_READ) {
        upgrade(region, offset, false);
        return;
    }
    const size_t bytes = choose_range(region, &offset, within.first, within.end, is_write, &run);
    map_range(region, offset, bytes, run, is_write);
}

/* The end of the pages from offset on, before limit, that are in the same state. */
static size_t end_of_state(const struct ocl_region *region, size_t offset, size_t limit)
{
    const enum ocl_page_state state = state_at(region, offset);

    while (offset < limit && state_at(region, offset) == state)
        offset += page_bytes();
    return offset;
}

/* Whole pages. */
static void round_range(const struct ocl_region *region, size_t *offset, size_t *end)
{
    const size_t page = page_bytes();

    *offset = *offset / page * page;
    *end = (*end + page - 1) / page * page;
    if (*end > region->bytes)
        *end = region->bytes;
}

void ocl_region_fetch(struct ocl_region *region, size_t offset, size_t bytes, bool is_write)
{
    size_t end = offset + bytes;

    ocl_region_send_end(region);
    round_range(region, &offset, &end);
    while (offset < end) {
        const enum ocl_page_state state = state_at(region, offset);
        if (state == OCL_PAGE_READ && is_write) {
            upgrade(region, offset, true);
            offset += page_bytes();
            continue;
        }
        const size_t next = end_of_state(region, offset, end);
        if (state == OCL_PAGE_DEVICE)
            map_large(region, offset, next - offset, is_write);
        offset = next;
    }
}

void ocl_region_fetch_wanted(struct ocl_region *region)
{
    const size_t bytes = region->wanted_bytes;

    if (bytes == 0)
        return;
    region->wanted_bytes = 0;
    atomic_fetch_sub(&migration_of(region)->wanted, 1);
    ocl_region_fetch(region, region->wanted_offset, bytes, false);
}

void ocl_region_want(struct ocl_region *region, size_t offset, size_t bytes)
{
    if (region->wanted_bytes == 0) {
        atomic_fetch_add(&migration_of(region)->wanted, 1);
        region->wanted_offset = offset;
    }
    const size_t end = region->wanted_offset + region->wanted_bytes;
    const size_t new_end = offset + bytes > end ? offset + bytes : end;
    if (offset < region->wanted_offset)
        region->wanted_offset = offset;
    region->wanted_bytes = new_end - region->wanted_offset;
}

void ocl_region_want_nothing(struct ocl_region *region)
{
    if (region->wanted_bytes > 0)
        atomic_fetch_sub(&migration_of(region)->wanted, 1);
    region->wanted_bytes = 0;
}

bool ocl_region_is_resident(const struct ocl_region *region, size_t offset, size_t bytes,
                            bool is_write)
{
    const enum ocl_page_state least = is_write ? OCL_PAGE_WRITE : OCL_PAGE_READ;
    size_t end = offset + bytes;

    round_range(region, &offset, &end);
    for (; offset < end; offset += page_bytes())
        if (state_at(region, offset) < least)
            return false;
    return true;
}

/* ---- To the device ---- */

static bool touches(const struct ocl_page_map *map, size_t offset, size_t bytes)
{
    return map->offset < offset + bytes && offset < map->offset + map->bytes;
}

/* While the driver reads them, the pages must not change. */
void ocl_region_send_begin(struct ocl_region *region, size_t offset, size_t bytes)
{
    struct ocl_page_map **place = &region->maps, **last = &region->leaving;

    while (*last)
        last = &(*last)->next;
    while (*place) {
        if (!touches(*place, offset, bytes)) {
            place = &(*place)->next;
            continue;
        }
        if ((*place)->is_write)
            protect(region, (*place)->offset, (*place)->bytes, PROT_READ);
        struct ocl_page_map *map = unmap(region, place);
        map->next = NULL;
        *last = map;
        last = &map->next;
    }
}

/* Once the driver is done with them nobody may read them either. The first to leave comes first:
 * while its pages are protected, the next are on their way. */
void ocl_region_send_end(struct ocl_region *region)
{
    struct ocl_page_map *map;

    while ((map = region->leaving) != NULL) {
        region->leaving = map->next;
        if (map->event)
            wait_for_driver(region, map);
        protect(region, map->offset, map->bytes, PROT_NONE);
        set_states(region, map->offset, map->bytes, OCL_PAGE_DEVICE);
        forget_map(region, map);
    }
}

void ocl_region_send(struct ocl_region *region, size_t offset, size_t bytes)
{
    ocl_region_send_begin(region, offset, bytes);
    ocl_region_send_end(region); /* of earlier ones too */
}

/* All transfers under way before the first is waited for. */
void ocl_migration_send(struct ocl_migration *migration, const struct ocl_queue *queue)
{
    ocl_fault_watch_again();
    for (struct ocl_region *region = migration->regions; region; region = region->next)
        if (region->map_count > 0 && ocl_region_is_used_by(region, queue))
            ocl_region_send_begin(region, 0, region->bytes);
    for (struct ocl_region *region = migration->regions; region; region = region->next)
        ocl_region_send_end(region);
}

ocl_status ocl_region_zero(struct ocl_region *region, size_t offset, size_t bytes)
{
    const cl_command_queue queue = migration_of(region)->queue;
    struct ocl_command command;
    size_t end = offset + bytes;

    round_range(region, &offset, &end);
    ocl_region_send(region, offset, end - offset);
    ocl_command_begin_own(&command, queue);
    const cl_int error = ocl_enqueue_zeros(&command, region->base + offset, end - offset);
    ocl_command_end(&command);
    return error == CL_SUCCESS ? ocl_steady_finish(queue) : error;
}
