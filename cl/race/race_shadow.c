/* What is kept of memory: cells for each 4 bytes, in pages that are found by their address.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/race/race_state.h"

#include <stdlib.h>
#include <string.h>

void *race_take(struct ocl_race *race, size_t bytes)
{
    void *memory = bytes <= race->most - race->bytes ? calloc(1, bytes) : NULL;
    if (memory)
        race->bytes += bytes;
    else
        race->is_full = true;
    return memory;
}

bool race_grow(struct ocl_race *race, void **memory, size_t *room, size_t count, size_t element)
{
    if (count < *room)
        return true;
    const size_t more = *room ? *room : 1024 / element + 1;
    void *larger = more * element <= race->most - race->bytes
                       ? realloc(*memory, (*room + more) * element)
                       : NULL;
    if (!larger) {
        race->is_full = true;
        return false;
    }
    memset((char *)larger + *room * element, 0, more * element);
    race->bytes += more * element;
    *memory = larger;
    *room += more;
    return true;
}

static size_t place_of(uint64_t number, size_t room)
{
    return (size_t)((number * 0x9e3779b97f4a7c15u) >> 20) & (room - 1);
}

static void put_page(struct page **table, size_t room, struct page *page)
{
    size_t i = place_of(page->number, room);
    while (table[i])
        i = (i + 1) & (room - 1);
    table[i] = page;
}

/* The table is never more than half full. */
static bool has_room_for_page(struct ocl_race *race)
{
    if (race->page_count * 2 < race->page_room)
        return true;
    const size_t room = race->page_room ? race->page_room * 2 : 1024;
    struct page **larger = race_take(race, room * sizeof *larger);
    if (!larger)
        return false;
    for (size_t i = 0; i < race->page_room; i++)
        if (race->pages[i])
            put_page(larger, room, race->pages[i]);
    race->bytes -= race->page_room * sizeof *larger;
    free(race->pages);
    race->pages = larger;
    race->page_room = room;
    return true;
}

static struct page *find_page(struct ocl_race *race, uint64_t number)
{
    if (race->last_page && race->last_page->number == number)
        return race->last_page;
    if (race->page_room == 0)
        return NULL;
    for (size_t i = place_of(number, race->page_room); race->pages[i];
         i = (i + 1) & (race->page_room - 1))
        if (race->pages[i]->number == number)
            return race->last_page = race->pages[i];
    return NULL;
}

struct cell *race_cell(struct ocl_race *race, uint64_t address)
{
    struct page *page = find_page(race, address / PAGE_BYTES);
    if (!page) {
        if (!has_room_for_page(race) || !(page = race_take(race, sizeof *page)))
            return NULL;
        page->number = address / PAGE_BYTES;
        put_page(race->pages, race->page_room, page);
        race->page_count++;
        race->last_page = page;
    }
    return &page->cells[address % PAGE_BYTES / 4];
}

struct cell *race_shared_cell(struct ocl_race *race, struct ocl_race_block *block, uint64_t offset)
{
    const size_t number = (size_t)(offset / PAGE_BYTES);
    while (number >= block->page_count)
        if (!race_grow(race, (void **)&block->pages, &block->page_count, block->page_count,
                       sizeof(struct page *)))
            return NULL;
    if (!block->pages[number])
        block->pages[number] = race_take(race, sizeof(struct page));
    return block->pages[number] ? &block->pages[number]->cells[offset % PAGE_BYTES / 4] : NULL;
}

struct page *race_page(struct ocl_race *race, uint64_t address)
{
    return find_page(race, address / PAGE_BYTES);
}

void ocl_race_forget(struct ocl_race *race, uint64_t address, uint64_t bytes)
{
    const uint64_t end = address + bytes;
    for (uint64_t at = address; at < end;) {
        const uint64_t next = (at / PAGE_BYTES + 1) * PAGE_BYTES;
        struct page *page = find_page(race, at / PAGE_BYTES);
        const uint64_t last = next < end ? next : end;
        if (page)
            memset(&page->cells[at % PAGE_BYTES / 4], 0,
                   (size_t)((last - 1) / 4 - at / 4 + 1) * sizeof(struct cell));
        at = next;
    }
}

/* The table of sites is twice as large as they may be many. */
uint32_t race_site(struct ocl_race *race, uint64_t site)
{
    const size_t room = (size_t)SLOT_SITES * 2;
    size_t i = place_of(site, room);
    while (race->site_table[i] != 0) {
        if (race->sites[race->site_table[i]] == site)
            return race->site_table[i];
        i = (i + 1) & (room - 1);
    }
    if (race->site_count + 1 >= SLOT_SITES)
        return 0;
    race->site_table[i] = ++race->site_count;
    race->sites[race->site_count] = site;
    return race->site_count;
}
