/* What is kept of memory: cells for each 4 bytes, in pages that are found by their address.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/race/race_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *race_take(struct ocl_race *race, size_t bytes)
{
    void *memory = bytes <= race->most - race->bytes ? calloc(1, bytes) : NULL;
    if (memory)
        race->bytes += bytes;
    else
        race->is_full = true;
    return memory;
}

/* The first are small, for kernels that are; large ones are pages of the system's larger kind. */
static bool add_slab(struct ocl_race *race)
{
    enum { FEWEST = 8, MOST = 128, HUGE_PAGES = 64 };
    size_t count = race->slab_pages ? race->slab_pages * 2 : FEWEST;
    count = count < MOST ? count : MOST;
    while (count > 0 &&
           sizeof(struct slab) + count * sizeof(struct page) > race->most - race->bytes)
        count /= 2;
    const size_t bytes = sizeof(struct slab) + count * sizeof(struct page);
    struct slab *slab =
        count > 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                  : MAP_FAILED;
    if (slab == MAP_FAILED) {
        race->is_full = true;
        return false;
    }
    if (count >= HUGE_PAGES)
        (void)madvise(slab, bytes, MADV_HUGEPAGE);
    slab->next = race->slabs;
    slab->bytes = bytes;
    race->slabs = slab;
    race->bytes += bytes;
    race->slab_pages = race->slab_left = count;
    return true;
}

struct page *race_take_page(struct ocl_race *race)
{
    if (race->slab_left == 0 && !add_slab(race))
        return NULL;
    return &race->slabs->pages[--race->slab_left];
}

void race_free_pages(struct ocl_race *race)
{
    while (race->slabs) {
        struct slab *slab = race->slabs;
        race->slabs = slab->next;
        munmap(slab, slab->bytes);
    }
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

/* Found last. */
static struct page *note_page(struct ocl_race *race, struct page *page)
{
    race->look.pages[page->number % CLEM_RACE_PAGES] =
        (struct clem_race_page){page->number, (ulong)(uintptr_t)page};
    return page;
}

static struct page *find_in_table(struct ocl_race *race, uint64_t number)
{
    if (race->page_room == 0)
        return NULL;
    for (size_t i = place_of(number, race->page_room); race->pages[i];
         i = (i + 1) & (race->page_room - 1))
        if (race->pages[i]->number == number)
            return note_page(race, race->pages[i]);
    return NULL;
}

static inline struct page *find_page(struct ocl_race *race, uint64_t number)
{
    const struct clem_race_page *recent = &race->look.pages[number % CLEM_RACE_PAGES];
    return recent->cells && recent->number == number ? (struct page *)(uintptr_t)recent->cells
                                                     : find_in_table(race, number);
}

static struct page *add_page(struct ocl_race *race, uint64_t number)
{
    struct page *page = NULL;
    if (!has_room_for_page(race) || !(page = race_take_page(race)))
        return NULL;
    page->number = number;
    put_page(race->pages, race->page_room, page);
    race->page_count++;
    return note_page(race, page);
}

struct page *race_page_for(struct ocl_race *race, uint64_t address)
{
    const uint64_t number = address / PAGE_BYTES;
    struct page *page = find_page(race, number);
    return page ? page : add_page(race, number);
}

static struct page *add_shared_page(struct ocl_race *race, struct ocl_race_block *block,
                                    size_t number)
{
    while (number >= block->page_count)
        if (!race_grow(race, (void **)&block->pages, &block->page_count, block->page_count,
                       sizeof(struct page *)))
            return NULL;
    block->pages[number] = race_take_page(race);
    if (race->last == block)
        race_show_shared(race, block);
    return block->pages[number];
}

struct page *race_shared_page_for(struct ocl_race *race, struct ocl_race_block *block,
                                  uint64_t offset)
{
    const size_t number = (size_t)(offset / PAGE_BYTES);
    struct page *page = number < block->page_count ? block->pages[number] : NULL;
    return page ? page : add_shared_page(race, block, number);
}

struct page *race_page(struct ocl_race *race, uint64_t address)
{
    return find_page(race, address / PAGE_BYTES);
}

/* ---- Cells ---- */

/* What the others are, as the first says. */
static uint32_t state_of(const struct slot slots[SLOTS], uint32_t old)
{
    for (unsigned i = 1; i < SLOTS; i++)
        if (slots[i].time > old)
            return CLEM_RACE_ANY;
    return CLEM_RACE_ALONE;
}

void race_put_cell(struct page *page, uint64_t address, const struct cell *cell, unsigned newest,
                   uint32_t old)
{
    const size_t at = address % PAGE_BYTES / 4;
    struct cell put = *cell;
    put.slots[newest] = cell->slots[0];
    put.slots[0] = cell->slots[newest];
    const uint32_t state = state_of(put.slots, old);
    page->first[at] = (struct slot){put.slots[0].time, put.slots[0].word | state};
    if (state != CLEM_RACE_ALONE)
        memcpy(page->others[at], &put.slots[1], sizeof page->others[at]);
}

/* Where the first is none, the others are. */
static void forget_in(struct ocl_race *race, struct page *page, uint64_t first, uint64_t end)
{
    const uint64_t begin = page->number * PAGE_BYTES;
    first = first > begin ? first : begin;
    end = end < begin + PAGE_BYTES ? end : begin + PAGE_BYTES;
    if (first >= end)
        return;
    race_close_row(race, page, first);
    race_close_row(race, page, end - 1);
    memset(&page->first[first % PAGE_BYTES / 4], 0,
           (size_t)((end - 1) / 4 - first / 4 + 1) * sizeof(struct slot));
}

/* Whichever are fewer: pages there, or in all. */
void ocl_race_forget(struct ocl_race *race, uint64_t address, uint64_t bytes)
{
    const uint64_t end = address + bytes;
    if (bytes / PAGE_BYTES >= race->page_room) {
        for (size_t i = 0; i < race->page_room; i++)
            if (race->pages[i])
                forget_in(race, race->pages[i], address, end);
        return;
    }
    for (uint64_t at = address; at < end;) {
        const uint64_t next = (at / PAGE_BYTES + 1) * PAGE_BYTES;
        struct page *page = find_page(race, at / PAGE_BYTES);
        if (page)
            forget_in(race, page, address, end);
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
