/* Driver blocks that nobody uses, kept for reuse by size.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory/kept.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Index of the first block of at least bytes. */
static size_t search(const struct ocl_kept *kept, size_t bytes)
{
    size_t low = 0, high = kept->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (kept->blocks[middle]->bytes < bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct ocl_pool_block *remove_at(struct ocl_kept *kept, size_t index)
{
    struct ocl_pool_block *block = kept->blocks[index];
    kept->count--;
    memmove(&kept->blocks[index], &kept->blocks[index + 1],
            (kept->count - index) * sizeof *kept->blocks);
    kept->bytes -= block->bytes;
    return block;
}

static bool has_room(struct ocl_kept *kept)
{
    if (kept->count < kept->room)
        return true;
    const size_t room = kept->room ? 2 * kept->room : 16;
    struct ocl_pool_block **larger = realloc(kept->blocks, room * sizeof *larger);
    if (!larger)
        return false;
    kept->blocks = larger;
    kept->room = room;
    return true;
}

bool ocl_kept_add(struct ocl_kept *kept, struct ocl_pool_block *block)
{
    if (block->bytes > kept->most || !has_room(kept))
        return false;
    const size_t index = search(kept, block->bytes + 1);
    memmove(&kept->blocks[index + 1], &kept->blocks[index],
            (kept->count - index) * sizeof *kept->blocks);
    kept->blocks[index] = block;
    kept->count++;
    kept->bytes += block->bytes;
    block->kept_since = ++kept->clock;
    return true;
}

struct ocl_pool_block *ocl_kept_take(struct ocl_kept *kept, size_t least, size_t most)
{
    const size_t index = search(kept, least);
    if (index == kept->count || kept->blocks[index]->bytes > most)
        return NULL;
    return remove_at(kept, index);
}

struct ocl_pool_block *ocl_kept_take_oldest(struct ocl_kept *kept)
{
    assert(kept->count > 0);
    size_t oldest = 0;
    for (size_t i = 1; i < kept->count; i++)
        if (kept->blocks[i]->kept_since < kept->blocks[oldest]->kept_since)
            oldest = i;
    return remove_at(kept, oldest);
}

void ocl_kept_release(struct ocl_kept *kept)
{
    free(kept->blocks);
    *kept = (struct ocl_kept){0};
}
