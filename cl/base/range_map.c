/* A map from disjoint ranges of 64-bit numbers to objects, with lock-free lookups.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/range_map.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The tree. Level 0 is the root; a cell of a level spans 2^shift addresses. Pages of 4 KiB are the
 * cells of level 4. Below them nodes are small (16 cells), so that a range of a few odd bytes costs
 * two or three of them and not one with a cell for each of 256 bytes.
 *
 * A cell is 0, a child node, or an object with OBJECT_BIT set that covers all of the cell.
 *
 * Why readers need no lock. Writers take one lock, so only one of them changes the tree at a time.
 * They link a node with a release store after its cells are zero, and readers follow with acquire
 * loads. A node whose last cell was cleared is unlinked and kept for later; its memory is never
 * given back and never used for a node of another level, so a reader that still stands in it reads
 * cells of the right number and kind, and never leaves the tree's memory. Can such a reader be
 * wrong? It is in a node that was unlinked after it began, so no range held its address at some
 * moment of the call: NULL is a true answer for that moment. If the node already serves another
 * place, the reader may come out with an object of that place, which does not hold the address: the
 * caller looks and says "unknown", the same answer. An address whose range is in the map for the
 * whole call has a path that is never unlinked, and the reader walks exactly that path. */

enum { LEVELS = 8, MOST_NEW_NODES = 2 };

#define OBJECT_BIT ((uintptr_t)1)

static const struct {
    unsigned shift, bits;
    unsigned chunk_nodes; /* nodes taken from the system at once: at most 128 KiB of them */
} levels[LEVELS] = {
    {52, 12, 1}, {39, 13, 2}, {30, 9, 31}, {21, 9, 31},
    {12, 9, 31}, {8, 4, 900}, {4, 4, 900}, {0, 4, 900},
};

struct node {
    struct node *next_free;
    size_t used; /* cells that are not 0; the writer's own */
    _Atomic uintptr_t cells[];
};

struct chunk {
    struct chunk *next;
    size_t bytes;
    max_align_t nodes[]; /* as bytes */
};

/* Nodes of one level that can be had without fail. */
struct store {
    struct node *free_list;
    char *fresh; /* never used, zero */
    size_t free_count, fresh_count;
};

struct ocl_range_map {
    pthread_mutex_t lock;
    struct node *root;
    struct store stores[LEVELS];
    struct chunk *chunks;
};

static size_t node_bytes(unsigned level)
{
    return sizeof(struct node) + ((size_t)1 << levels[level].bits) * sizeof(_Atomic uintptr_t);
}

static size_t cell_index(unsigned level, uint64_t address)
{
    return (size_t)(address >> levels[level].shift) & (((size_t)1 << levels[level].bits) - 1);
}

/* Last address of the cell that holds address. */
static uint64_t cell_last(unsigned level, uint64_t address)
{
    return address | (((uint64_t)1 << levels[level].shift) - 1);
}

/* Whether [first, last] covers all of the cell that holds first; *part_last is the last address
 * that it covers there. */
static bool clip(unsigned level, uint64_t first, uint64_t last, uint64_t *part_last)
{
    const uint64_t end = cell_last(level, first);
    *part_last = last < end ? last : end;
    return *part_last - first == ((uint64_t)1 << levels[level].shift) - 1;
}

static struct node *child_of(uintptr_t cell)
{
    return (struct node *)cell;
}

/* --- Nodes. The write lock is held. --- */

static bool store_grow(struct ocl_range_map *map, unsigned level)
{
    struct store *store = &map->stores[level];
    const size_t count = levels[level].chunk_nodes;
    const size_t bytes = sizeof(struct chunk) + count * node_bytes(level);
    /* Populated at once: faults one by one would cost an insert up to 100 us. */
    struct chunk *chunk = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (chunk == MAP_FAILED)
        return false;
    chunk->bytes = bytes;
    chunk->next = map->chunks;
    map->chunks = chunk;
    for (; store->fresh_count > 0; store->fresh_count--, store->fresh += node_bytes(level)) {
        struct node *left = (struct node *)(void *)store->fresh;
        left->next_free = store->free_list;
        store->free_list = left;
        store->free_count++;
    }
    store->fresh = (char *)chunk->nodes;
    store->fresh_count = count;
    return true;
}

/* A range has two ends, so an insert makes at most MOST_NEW_NODES nodes of a level. With as many in
 * store it cannot fail half-way. */
static bool reserve_nodes(struct ocl_range_map *map)
{
    for (unsigned level = 1; level < LEVELS; level++) {
        const struct store *store = &map->stores[level];
        if (store->free_count + store->fresh_count < MOST_NEW_NODES && !store_grow(map, level))
            return false;
    }
    return true;
}

static struct node *node_take(struct ocl_range_map *map, unsigned level)
{
    struct store *store = &map->stores[level];
    struct node *node = store->free_list;
    if (node) {
        store->free_list = node->next_free;
        store->free_count--;
        return node;
    }
    assert(store->fresh_count > 0);
    node = (struct node *)(void *)store->fresh;
    store->fresh += node_bytes(level);
    store->fresh_count--;
    return node;
}

/* Needs: all cells are 0. */
static void node_give(struct ocl_range_map *map, unsigned level, struct node *node)
{
    struct store *store = &map->stores[level];
    node->next_free = store->free_list;
    store->free_list = node;
    store->free_count++;
}

/* --- The three walks over what [first, last] covers of a node. The write lock is held. --- */

static bool is_free(const struct node *node, unsigned level, uint64_t first, uint64_t last)
{
    for (;;) {
        uint64_t part_last;
        const bool whole = clip(level, first, last, &part_last);
        const uintptr_t cell =
            atomic_load_explicit(&node->cells[cell_index(level, first)], memory_order_relaxed);
        /* A linked node is never empty, so a cell that is covered whole must be 0. */
        if (cell &&
            (whole || (cell & OBJECT_BIT) || !is_free(child_of(cell), level + 1, first, part_last)))
            return false;
        if (part_last == last)
            return true;
        first = part_last + 1;
    }
}

static void fill(struct ocl_range_map *map, struct node *node, unsigned level, uint64_t first,
                 uint64_t last, uintptr_t object)
{
    for (;;) {
        uint64_t part_last;
        const bool whole = clip(level, first, last, &part_last);
        _Atomic uintptr_t *place = &node->cells[cell_index(level, first)];
        uintptr_t cell = atomic_load_explicit(place, memory_order_relaxed);
        const bool is_new = cell == 0;
        if (whole) {
            cell = object;
        } else {
            if (is_new)
                cell = (uintptr_t)node_take(map, level + 1);
            fill(map, child_of(cell), level + 1, first, part_last, object);
        }
        if (is_new) {
            node->used++;
            atomic_store_explicit(place, cell, memory_order_release);
        }
        if (part_last == last)
            return;
        first = part_last + 1;
    }
}

static void clear(struct ocl_range_map *map, struct node *node, unsigned level, uint64_t first,
                  uint64_t last)
{
    for (;;) {
        uint64_t part_last;
        const bool whole = clip(level, first, last, &part_last);
        _Atomic uintptr_t *place = &node->cells[cell_index(level, first)];
        const uintptr_t cell = atomic_load_explicit(place, memory_order_relaxed);
        assert(cell != 0 && whole == ((cell & OBJECT_BIT) != 0));
        struct node *child = whole ? NULL : child_of(cell);
        if (child)
            clear(map, child, level + 1, first, part_last);
        if (!child || child->used == 0) {
            atomic_store_explicit(place, 0, memory_order_release);
            node->used--;
            if (child)
                node_give(map, level + 1, child);
        }
        if (part_last == last)
            return;
        first = part_last + 1;
    }
}

/* --- The interface. --- */

ocl_status ocl_range_map_create(struct ocl_range_map **map)
{
    struct ocl_range_map *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    pthread_mutex_init(&made->lock, NULL);
    made->root = calloc(1, node_bytes(0));
    if (!made->root)
        goto fail;
    *map = made;
    return OCL_OK;
fail:
    ocl_range_map_destroy(made);
    return OCL_E_OUT_OF_MEMORY;
}

void ocl_range_map_destroy(struct ocl_range_map *map)
{
    if (!map)
        return;
    for (struct chunk *chunk = map->chunks; chunk;) {
        struct chunk *next = chunk->next;
        munmap(chunk, chunk->bytes);
        chunk = next;
    }
    free(map->root);
    pthread_mutex_destroy(&map->lock);
    free(map);
}

ocl_status ocl_range_map_insert(struct ocl_range_map *map, uint64_t base, size_t bytes,
                                void *object)
{
    assert(bytes > 0 && base + (bytes - 1) >= base && object &&
           ((uintptr_t)object & OBJECT_BIT) == 0);
    const uint64_t last = base + (bytes - 1);
    ocl_status status = OCL_OK;
    pthread_mutex_lock(&map->lock);
    if (!is_free(map->root, 0, base, last))
        status = OCL_E_ALREADY;
    else if (!reserve_nodes(map))
        status = OCL_E_OUT_OF_MEMORY;
    else
        fill(map, map->root, 0, base, last, (uintptr_t)object | OBJECT_BIT);
    pthread_mutex_unlock(&map->lock);
    return status;
}

void ocl_range_map_erase(struct ocl_range_map *map, uint64_t base, size_t bytes)
{
    assert(bytes > 0);
    pthread_mutex_lock(&map->lock);
    clear(map, map->root, 0, base, base + (bytes - 1));
    pthread_mutex_unlock(&map->lock);
}

bool ocl_range_map_is_free(struct ocl_range_map *map, uint64_t base, size_t bytes)
{
    assert(bytes > 0 && base + (bytes - 1) >= base);
    pthread_mutex_lock(&map->lock);
    const bool answer = is_free(map->root, 0, base, base + (bytes - 1));
    pthread_mutex_unlock(&map->lock);
    return answer;
}

/* One level of a lookup. Inlined with the level known, its shift and mask are constants: a loop over
 * levels[] took three times the instructions, and every pointer of every call is looked up here. */
static inline __attribute__((always_inline)) bool
find_step(const struct node **node, uint64_t address, unsigned level, void **object)
{
    const uintptr_t cell =
        atomic_load_explicit(&(*node)->cells[cell_index(level, address)], memory_order_acquire);
    *node = child_of(cell);
    *object = cell & OBJECT_BIT ? (void *)(cell & ~OBJECT_BIT) : NULL;
    return cell != 0 && !(cell & OBJECT_BIT);
}

void *ocl_range_map_find(const struct ocl_range_map *map, uint64_t address)
{
    const struct node *node = map->root;
    void *object = NULL;
    _Static_assert(LEVELS == 8, "one step for each level");
    (void)(find_step(&node, address, 0, &object) && find_step(&node, address, 1, &object) &&
           find_step(&node, address, 2, &object) && find_step(&node, address, 3, &object) &&
           find_step(&node, address, 4, &object) && find_step(&node, address, 5, &object) &&
           find_step(&node, address, 6, &object) && find_step(&node, address, 7, &object));
    return object;
}

/* The last object of a node, or the first. is_bounded: that does not lie behind address, or in front of it. */
static void *find_outermost(const struct node *node, unsigned level, uint64_t address,
                            bool is_bounded, bool is_last)
{
    const size_t cells = (size_t)1 << levels[level].bits, bound = cell_index(level, address);
    const size_t begin = is_bounded ? bound : is_last ? cells - 1 : 0;
    const size_t count = is_last ? begin + 1 : cells - begin;
    for (size_t i = 0; i < count; i++) {
        const size_t index = is_last ? begin - i : begin + i;
        const uintptr_t cell = atomic_load_explicit(&node->cells[index], memory_order_acquire);
        if (cell & OBJECT_BIT)
            return (void *)(cell & ~OBJECT_BIT);
        void *found = cell == 0 ? NULL
                                : find_outermost(child_of(cell), level + 1, address,
                                                 is_bounded && index == bound, is_last);
        if (found)
            return found;
    }
    return NULL;
}

void *ocl_range_map_find_below(const struct ocl_range_map *map, uint64_t address)
{
    return find_outermost(map->root, 0, address, true, true);
}

void *ocl_range_map_find_above(const struct ocl_range_map *map, uint64_t address)
{
    return find_outermost(map->root, 0, address, true, false);
}
