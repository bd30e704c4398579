/* Pages that the host writes unseen: what is known of them is whether anybody has touched them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_pages.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cl/check/check_filled.h"
#include "cl/check/check_shadow.h"
#include "cl/whole.h"

/* Entries of the system's table of pages that are read at once. */
enum { PAGES_AT_ONCE = 64 };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Whether each page is in memory, or was put away: one that nobody has touched is neither. What cannot be known counts as touched.
 * Source: Linux, Documentation/admin-guide/mm/pagemap.rst. */
static void look(uint64_t first, size_t count, bool are_touched[PAGES_AT_ONCE])
{
    const uint64_t present = (uint64_t)1 << 63, swapped = (uint64_t)1 << 62;
    uint64_t entries[PAGES_AT_ONCE];
    const int file = whole_open("/proc/self/pagemap", O_RDONLY, 0);
    const ssize_t bytes = (ssize_t)(count * sizeof *entries);
    const bool is_known =
        file >= 0 && pread(file, entries, (size_t)bytes, (off_t)(first * sizeof *entries)) == bytes;
    if (file >= 0)
        close(file);
    for (size_t i = 0; i < count; i++)
        are_touched[i] = !is_known || (entries[i] & (present | swapped)) != 0;
}

/* Of one page, as far as it is the memory's. */
static void fill(struct ocl_checked_memory *memory, unsigned char *written, uint64_t from,
                 uint64_t page_bytes)
{
    const uint64_t base = memory->base, first = from > base ? from - base : 0,
                   end = least(from + page_bytes - base, memory->bytes);
    memset(written + first, OCL_WRITTEN, end - first);
}

void ocl_check_look_at_pages(struct ocl_checked_memory *memory, unsigned char *written,
                             uint64_t address, uint64_t bytes)
{
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
                   last = (memory->base + memory->bytes - 1) / page_bytes;
    bool are_touched[PAGES_AT_ONCE];
    if (ocl_check_are_written(written + (address - memory->base), bytes))
        return;
    for (uint64_t page = address / page_bytes; page <= (address + bytes - 1) / page_bytes;
         page += PAGES_AT_ONCE) {
        const size_t count = (size_t)least(last - page + 1, PAGES_AT_ONCE);
        look(page, count, are_touched);
        for (size_t i = 0; i < count; i++)
            if (are_touched[i])
                fill(memory, written, (page + i) * page_bytes, page_bytes);
    }
}
