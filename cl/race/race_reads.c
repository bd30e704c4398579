/* Reads that were only logged when they were made: they go where all others are.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/race/race_state.h"

/* A read of a log. */
struct read {
    uint64_t address;
    uint32_t time, word, lanes, bytes, how;
    const uint64_t *places; /* of a list */
    uint64_t words;         /* that it takes */
};

/* Those of one launch. */
struct launch {
    uint32_t clear, alone;
};

static struct read read_at(const uint64_t *log)
{
    const struct read r = {.address = log[0],
                           .time = (uint32_t)log[1],
                           .word = (uint32_t)(log[1] >> 32),
                           .lanes = (uint32_t)log[2],
                           .bytes = (uint32_t)CLEM_READ_LANE_BYTES(log[2]),
                           .how = (uint32_t)CLEM_READ_HOW(log[2]),
                           .places = log + CLEM_READ_WORDS,
                           .words = CLEM_READ_SIZE(log[2])};
    return r;
}

static uint32_t cells_between(int64_t low, int64_t high)
{
    const int64_t first = low > 0 ? low / 4 : 0,
                  end = high < PTX_ROW_BYTES ? (high + 3) / 4 : PTX_ROW_CELLS;
    return (uint32_t)((1ull << end) - (1ull << first));
}

/* Lanes of it, from lane `lane` on, whose bytes from `low` to before `end` follow each other; all at one place: stride 0. */
static void note(struct ocl_race *race, const struct launch *its, const struct read *r,
                 uint32_t lane, uint32_t lanes, uint64_t low, uint64_t end, uint32_t stride)
{
    const struct ptx_row_times times = {
        .old = race->look.old, .clear = its->clear, .turn = r->time};
    const bool is_one = stride == 0 && r->bytes >= 4;
    for (uint64_t at = low / PTX_ROW_BYTES * PTX_ROW_BYTES; at < end; at += PTX_ROW_BYTES) {
        struct page *const page = race_page_for(race, at);
        const int64_t first = (int64_t)(low - at), behind = (int64_t)(end - at);
        const struct ptx_row_access access = {
            .time = r->time,
            .word = r->word + lane,
            .lanes = lanes,
            .cells = cells_between(first, behind),
            .shape = ptx_row_shape(is_one ? 0 : first, stride, is_one ? 0 : r->bytes)};
        if (page)
            ptx_row_note_late((uint64_t *)(void *)page->first, at, &times, &access,
                              ptx_row_between(first, behind), its->alone);
    }
}

static void note_list(struct ocl_race *race, const struct launch *its, const struct read *r)
{
    uint32_t i = 0;
    for (uint32_t rest = r->lanes; rest != 0; rest &= rest - 1, i++) {
        const uint64_t place = r->address + (uint32_t)(r->places[i / 2] >> i % 2 * 32);
        note(race, its, r, (uint32_t)__builtin_ctz(rest), 1, place, place + r->bytes, 0);
    }
}

static void note_read(struct ocl_race *race, const struct launch *its, const struct read *r)
{
    const uint32_t lane = (uint32_t)__builtin_ctz(r->lanes), lanes = r->lanes >> lane,
                   stride = r->how == CLEM_READ_LINE ? r->bytes : 0,
                   last = 31u - (uint32_t)__builtin_clz(lanes);
    const uint64_t low = r->address + (uint64_t)lane * stride;
    note(race, its, r, lane, lanes, low, low + (uint64_t)last * stride + r->bytes, stride);
}

void ocl_race_note_reads(struct ocl_race *race, const struct clem_check_still *log)
{
    const uint64_t *const words = (const uint64_t *)(uintptr_t)log->log;
    struct launch its = {log->clear, log->alone};
    for (uint64_t at = 0; at < log->log_count;) {
        const struct read r = read_at(words + at);
        if (r.how == CLEM_READ_NEXT)
            its = (struct launch){(uint32_t)r.address, (uint32_t)(r.address >> 32)};
        else if (r.how == CLEM_READ_LIST)
            note_list(race, &its, &r);
        else
            note_read(race, &its, &r);
        at += r.words;
    }
}

bool ocl_race_is_log_before(struct ocl_race *race, const struct clem_check_still *log,
                            const struct ocl_race_order *order)
{
    return race_is_before(race, race_run(race, log->latest)->launch, order);
}
