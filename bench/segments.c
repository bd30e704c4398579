/* The transactions that the lanes of a warp need.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/segments.h"

#include <stdbool.h>

#define LINE   128
#define SECTOR 32
/* A lane's word can lie in two segments. */
#define MOST_SEGMENTS (2 * SEGMENT_LANES)

/* Lanes that are served together. */
struct request {
    const uint64_t *addresses;
    size_t lanes, word;
};

static bool is_idle(const struct request *request)
{
    for (size_t lane = 0; lane < request->lanes; lane++)
        if (request->addresses[lane] != SEGMENT_IDLE)
            return false;
    return true;
}

/* Adds a number to a set; returns whether it was new. */
static bool insert(uint64_t *set, size_t *count, uint64_t number)
{
    for (size_t i = 0; i < *count; i++)
        if (set[i] == number)
            return false;
    set[(*count)++] = number;
    return true;
}

static uint64_t useful_bytes_of(const struct request *request)
{
    uint64_t set[SEGMENT_LANES * 16];
    size_t count = 0;
    for (size_t lane = 0; lane < request->lanes; lane++)
        for (size_t i = 0; i < request->word && request->addresses[lane] != SEGMENT_IDLE; i++)
            insert(set, &count, request->addresses[lane] + i);
    return count;
}

/* Whether lane k takes word k of an aligned run of 16, as far as it takes part. */
static bool is_in_order(const struct request *request)
{
    bool is_known = false;
    uint64_t base = 0;
    if (request->word < 4)
        return false;
    for (size_t lane = 0; lane < request->lanes; lane++) {
        if (request->addresses[lane] == SEGMENT_IDLE)
            continue;
        uint64_t start = request->addresses[lane] - lane * request->word;
        if ((is_known && start != base) || start % (16 * request->word))
            return false;
        base = start;
        is_known = true;
    }
    return true;
}

static void move_in_order(const struct request *request, struct segment_count *count)
{
    if (is_in_order(request)) {
        uint64_t bytes = 16 * request->word;
        count->segments += bytes > LINE ? 2 : 1;
        count->moved += bytes;
        return;
    }
    for (size_t lane = 0; lane < request->lanes; lane++)
        if (request->addresses[lane] != SEGMENT_IDLE) {
            count->segments++;
            count->moved += SECTOR;
        }
}

/* Whole segments of one size, each once. */
static void move_whole(const struct request *request, uint64_t size, struct segment_count *count)
{
    uint64_t set[MOST_SEGMENTS];
    size_t found = 0;
    for (size_t lane = 0; lane < request->lanes; lane++) {
        uint64_t first = request->addresses[lane], last = first + request->word - 1;
        if (first == SEGMENT_IDLE)
            continue;
        insert(set, &found, first / size);
        insert(set, &found, last / size);
    }
    count->segments += (unsigned)found;
    count->moved += found * size;
}

/* The bytes of segment `number` from the first to past the last that a lane wants. */
static void used_part(const struct request *request, uint64_t size, uint64_t number,
                      uint64_t *begin, uint64_t *end)
{
    *begin = size;
    *end = 0;
    for (size_t lane = 0; lane < request->lanes; lane++)
        for (size_t i = 0; i < request->word && request->addresses[lane] != SEGMENT_IDLE; i++) {
            uint64_t byte = request->addresses[lane] + i;
            if (byte / size != number)
                continue;
            *begin = byte % size < *begin ? byte % size : *begin;
            *end = byte % size + 1 > *end ? byte % size + 1 : *end;
        }
}

/* Segments that shrink to the half that is used, down to 32 bytes. */
static void move_shrunk(const struct request *request, uint64_t size, struct segment_count *count)
{
    uint64_t set[MOST_SEGMENTS];
    size_t found = 0;
    for (size_t lane = 0; lane < request->lanes; lane++) {
        if (request->addresses[lane] == SEGMENT_IDLE)
            continue;
        insert(set, &found, request->addresses[lane] / size);
        insert(set, &found, (request->addresses[lane] + request->word - 1) / size);
    }
    for (size_t i = 0; i < found; i++) {
        uint64_t begin, end, bytes = size;
        used_part(request, size, set[i], &begin, &end);
        while (bytes > SECTOR && begin / (bytes / 2) == (end - 1) / (bytes / 2))
            bytes /= 2;
        count->segments++;
        count->moved += bytes;
    }
}

static void move(enum segment_rule rule, const struct request *request, struct segment_count *count)
{
    switch (rule) {
    case SEGMENTS_IN_ORDER:
        move_in_order(request, count);
        return;
    case SEGMENTS_ANY_ORDER:
        move_shrunk(request, request->word == 1 ? 32 : request->word == 2 ? 64 : LINE, count);
        return;
    case SEGMENTS_LINES:
        move_whole(request, LINE, count);
        return;
    case SEGMENTS_SECTORS:
        move_whole(request, SECTOR, count);
        return;
    case SEGMENTS_STORES:
        move_shrunk(request, LINE, count);
        return;
    }
}

/* 1.x asks by half-warps; later devices by as many lanes as ask for 128 bytes, at least 8. */
static size_t lanes_of_request(enum segment_rule rule, size_t word)
{
    if (rule == SEGMENTS_IN_ORDER || rule == SEGMENTS_ANY_ORDER)
        return SEGMENT_LANES / 2;
    return word <= 4 ? SEGMENT_LANES : word <= 8 ? SEGMENT_LANES / 2 : SEGMENT_LANES / 4;
}

struct segment_count segments_of(enum segment_rule rule, const uint64_t *addresses, size_t lanes,
                                 size_t word)
{
    struct segment_count count = {0};
    size_t share = lanes_of_request(rule, word);
    for (size_t first = 0; first < lanes; first += share) {
        struct request request = {addresses + first, lanes - first < share ? lanes - first : share,
                                  word};
        if (is_idle(&request))
            continue;
        count.requests++;
        count.useful += useful_bytes_of(&request);
        move(rule, &request, &count);
    }
    return count;
}

void segments_add(struct segment_count *sum, const struct segment_count *more)
{
    sum->requests += more->requests;
    sum->segments += more->segments;
    sum->useful += more->useful;
    sum->moved += more->moved;
}

double segments_utilisation(const struct segment_count *count)
{
    return count->moved ? 100.0 * (double)count->useful / (double)count->moved : 0;
}

enum segment_rule segments_rule(unsigned major, unsigned minor, int cached)
{
    if (major < 2)
        return minor < 2 ? SEGMENTS_IN_ORDER : SEGMENTS_ANY_ORDER;
    return cached ? SEGMENTS_LINES : SEGMENTS_SECTORS;
}
