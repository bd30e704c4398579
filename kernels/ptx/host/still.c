/* Memory that is still: which is, and what of it was read.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/host/still.h"

#include "kernels/ptx/host/host_race.h"
#include "kernels/ptx/host/written.h"

/* ---- Which is ---- */

typedef uint64_t find_function(uint64_t address);
typedef bool keep_function(uint64_t memory, uint64_t times);
typedef void settle_function(void);

static struct clem_check_launch *head_of(const struct ptx_native_launch *launch)
{
    return (struct clem_check_launch *)(uintptr_t)launch->checked;
}

void ptx_still_forget(struct clem_check_launch *head)
{
    if (head->still_times != 0 && head->settle != 0)
        ((settle_function *)(uintptr_t)head->settle)();
    head->still_times = 0;
    for (unsigned i = 0; i < CLEM_CHECK_STILL; i++)
        head->still[i] = head->none;
}

void ptx_still_ends_at(const struct clem_check_launch *head, uint64_t address)
{
    const uint64_t memory =
        head->still_times != 0 ? ((find_function *)(uintptr_t)head->find)(address) : 0;
    if (memory)
        ptx_still_ends(head, (const struct clem_check_memory *)(uintptr_t)memory, address);
}

static bool is_stored(const struct clem_check_launch *head, uint64_t memory)
{
    for (uint64_t i = 0; i < head->stored_count; i++)
        if (head->stored[i] == memory)
            return true;
    return false;
}

static bool add_memory(struct clem_check_launch *head, uint64_t memory)
{
    if (memory == 0 || is_stored(head, memory))
        return true;
    if (head->stored_count == CLEM_CHECK_STORED)
        return false;
    head->stored[head->stored_count++] = memory;
    return true;
}

/* What a parameter says leads to memory that is written: it is a pointer into it or right behind it, or a number. false: nothing is
 * known. */
static bool add_stored(struct clem_check_launch *head, uint64_t parameter)
{
    find_function *const find = (find_function *)(uintptr_t)head->find;
    const uint64_t memory = find(parameter), before = find(parameter - 1);
    if (parameter <= UINT32_MAX)
        return true;
    return (memory | before) != 0 && add_memory(head, memory) && add_memory(head, before);
}

static bool know_stores(const struct ptx_native_launch *launch, const struct ptx_native_told *told)
{
    struct clem_check_launch *const head = head_of(launch);
    const uint64_t *const parameters = (const uint64_t *)(uintptr_t)launch->parameters;
    bool are_known = true;
    if (head->stored_times == head->still_times)
        return true;
    head->stored_count = 0;
    for (uint64_t rest = told->stores; rest != 0 && are_known; rest &= rest - 1)
        are_known = add_stored(head, parameters[__builtin_ctzll(rest)]);
    head->stored_times = head->still_times;
    if (!are_known)
        ptx_still_forget(head);
    return are_known;
}

static bool is_still(const struct ptx_native_launch *launch, const struct ptx_native_told *told,
                     const struct clem_check_memory *memory)
{
    struct clem_check_launch *const head = head_of(launch);
    const struct clem_check_still *const still =
        (const struct clem_check_still *)(uintptr_t)memory->still;
    const uint64_t name = (uint64_t)(uintptr_t)memory;
    if (head->still_times == 0 || (still && still->times == head->still_times))
        return head->still_times != 0;
    return know_stores(launch, told) && !is_stored(head, name) &&
           ((keep_function *)(uintptr_t)head->keep)(name, head->still_times);
}

/* ---- What was read ---- */

static inline void set_words(unsigned char *bits, uint64_t word, uint64_t end)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (word < end && end - word <= PTX_STILL_WORDS) { /* behind which there is room */
        uint64_t eight;
        memcpy(&eight, bits + word / 8, sizeof eight);
        eight |= (UINT64_MAX >> (64 - (end - word))) << word % 8;
        memcpy(bits + word / 8, &eight, sizeof eight);
        return;
    }
#endif
    for (; word < end && word % 8 != 0; word++)
        bits[word / 8] |= (unsigned char)(1u << word % 8);
    for (; word + 8 <= end; word += 8)
        bits[word / 8] = UINT8_MAX;
    for (; word < end; word++)
        bits[word / 8] |= (unsigned char)(1u << word % 8);
}

/* Of one word. */
static void set_part(const struct clem_check_memory *memory, uint64_t first, uint64_t end)
{
    struct clem_check_still *const still = (struct clem_check_still *)(uintptr_t)memory->still;
    const uint64_t word = first / 4;
    const unsigned bytes = (1u << ((end - 1) % 4 + 1)) - (1u << first % 4);
    unsigned char *const each = (unsigned char *)still + still->each + word / 2,
                         *const parts = (unsigned char *)(still + 1) + still->bytes;
    parts[word / 8 / CLEM_CHECK_STILL_PART] |= CLEM_CHECK_STILL_WORDS | CLEM_CHECK_STILL_BYTES;
    *each |= (unsigned char)(bytes << word % 2 * 4);
    if (ptx_still_part(memory, word) == 15)
        set_words((unsigned char *)(still + 1), word, word + 1);
}

static void set(const struct clem_check_memory *memory, uint64_t first, uint64_t end)
{
    struct clem_check_still *const still = (struct clem_check_still *)(uintptr_t)memory->still;
    unsigned char *const bits = (unsigned char *)(still + 1), *const parts = bits + still->bytes;
    const uint64_t part = (uint64_t)CLEM_CHECK_STILL_PART * 32;
    for (uint64_t at = first / part; at <= (end - 1) / part; at++)
        parts[at] |= CLEM_CHECK_STILL_WORDS;
    if (first % 4 != 0) {
        const uint64_t behind = first / 4 * 4 + 4;
        set_part(memory, first, behind < end ? behind : end);
        first = behind;
    }
    if (first < end && end % 4 != 0)
        set_part(memory, end / 4 * 4, end);
    set_words(bits, first / 4, end / 4);
}

void ptx_still_note(const struct ptx_native_launch *launch, const struct ptx_native_told *told,
                    uint64_t address, uint64_t bytes)
{
    struct clem_check_launch *const head = head_of(launch);
    const uint64_t *const pages = (const uint64_t *)(uintptr_t)head->memory;
    const struct clem_check_memory *const memory =
        (const struct clem_check_memory *)(uintptr_t)pages[CLEM_CHECK_PLACE(address)];
    const uint64_t at = address - memory->base;
    if (at >= memory->bytes || bytes > memory->bytes - at || !is_still(launch, told, memory))
        return;
    head->still[told->number] = (uint64_t)(uintptr_t)memory;
    set(memory, at, at + bytes);
}

/* ---- Logs ---- */

const struct clem_check_memory ptx_moving;

typedef uint64_t access_function(uint64_t launch, uint64_t what, uint64_t site, uint64_t address,
                                 uint64_t thread, uint64_t block);
typedef bool room_function(uint64_t memory);

/* A load of a warp, of memory that is still. */
struct reader {
    struct clem_check_launch *head;
    const struct clem_race_look *look;
    const struct clem_check_memory *memory;
    struct clem_check_still *still; /* the memory's */
    uint64_t slot;                  /* of lane 0, without bytes */
    uint32_t bytes;                 /* of each lane */
};

static const struct clem_race_gate *gate_of(const struct clem_check_launch *head)
{
    return (const struct clem_race_gate *)(uintptr_t)head->gate;
}

/* Has who checks know the instruction, and say what copies touch. Meanwhile others may look. */
static bool make_known(const struct clem_check_launch *head, const struct ptx_native_block *block,
                       const struct ptx_native_told *told, uint64_t address)
{
    const uint64_t name = (uint64_t)(uintptr_t)head;
    clem_race_leave(name);
    (void)((access_function *)(uintptr_t)head->access)(name, told->what & UINT32_MAX, told->site,
                                                       address & ~(uint64_t)3, block->thread,
                                                       block->number_in_grid);
    return clem_race_enter(name);
}

static bool is_known(const struct clem_check_launch *head, const struct ptx_native_told *told,
                     const struct clem_race_site *known)
{
    const uint64_t change = clem_race_change(gate_of(head));
    return known->site == told->site && (change == 0 || head->touched_change == change);
}

/* The memory that has an address, if it is still. */
static inline const struct clem_check_memory *memory_at(const struct ptx_native_launch *launch,
                                                        const struct ptx_native_told *told,
                                                        uint64_t address, uint64_t change)
{
    struct clem_check_launch *const head = head_of(launch);
    const struct clem_check_memory *memory =
        (const struct clem_check_memory *)(uintptr_t)head->still[told->number];
    if (memory->still != 0 && address - memory->base < memory->bytes)
        return change == 0 || ptx_still_is_apart(head, memory, change) ? memory : NULL;
    memory = (const struct clem_check_memory *)(uintptr_t)((find_function *)(uintptr_t)head->find)(
        address);
    if (!memory || address - memory->base >= memory->bytes ||
        (change != 0 && !ptx_still_is_apart(head, memory, change)))
        return NULL;
    const bool is = is_still(launch, told, memory);
    head->still[told->number] = (uint64_t)(uintptr_t)(is ? memory : &ptx_moving);
    return is ? memory : NULL;
}

/* Needs: clem_race_enter(). false: it is not done here. */
static inline __attribute__((always_inline)) bool
begin(struct reader *r, const struct ptx_native_launch *launch,
      const struct ptx_native_block *block, const struct ptx_native_told *told, uint64_t address)
{
    r->head = head_of(launch);
    const struct clem_race_gate *const gate = gate_of(r->head);
    r->look = (const struct clem_race_look *)(uintptr_t)gate->look;
    const struct clem_race_site *const known = &r->look->sites[told->site % CLEM_RACE_SITES];
    if (r->head->followed != 0 || r->look->is_clear == 0)
        return false;
    if (!is_known(r->head, told, known) &&
        !(make_known(r->head, block, told, address) && is_known(r->head, told, known)))
        return false;
    if (r->look->is_clear == 0 || r->look->block != block->number_in_grid ||
        clem_race_is_put_off(r->head))
        return false;
    const uint64_t change = clem_race_change(gate);
    r->memory = memory_at(launch, told, address, change);
    if (!r->memory)
        return false;
    r->still = (struct clem_check_still *)(uintptr_t)r->memory->still;
    r->slot = (known->bits | block->thread) << 32 | r->look->time;
    r->bytes = CLEM_CHECK_BYTES(told->what);
    return true;
}

/* Where the next read is written; NULL: there is no room. */
static uint64_t *next_read(struct reader *r)
{
    struct clem_check_still *const still = r->still;
    if (still->log_count + CLEM_READ_MOST > still->log_room &&
        !((room_function *)(uintptr_t)r->head->room)((uint64_t)(uintptr_t)r->memory))
        return NULL;
    if (still->log_count == 0) {
        still->clear = r->look->clear;
        still->alone = r->look->alone;
    }
    still->latest = r->look->time;
    return (uint64_t *)(uintptr_t)still->log + still->log_count;
}

static inline void note_lanes(struct reader *r, uint64_t *to, uint64_t first, uint32_t lanes,
                              uint64_t how)
{
    to[0] = first;
    to[1] = r->slot;
    to[2] = CLEM_READ_LANES(lanes, r->bytes, how, 0);
    r->still->log_count += CLEM_READ_WORDS;
}

static inline bool are_written(const struct clem_check_memory *memory, uint64_t at, uint64_t bytes)
{
    const unsigned char *const own = ptx_written_at(memory, at);
    return !own || ptx_are_written(own, bytes);
}

/* Lanes whose bytes follow each other, or are at one place. */
static bool log_line(struct reader *r, uint64_t first, uint32_t lanes, uint32_t stride)
{
    const struct clem_check_memory *const memory = r->memory;
    const unsigned from = (unsigned)__builtin_ctz(lanes);
    const uint64_t last = 31u - (unsigned)__builtin_clz(lanes >> from),
                   low = first + (uint64_t)from * stride, bytes = last * stride + r->bytes,
                   at = low - memory->base;
    if (low & (r->bytes - 1) || at >= memory->bytes || bytes > memory->bytes - at)
        return false;
    if (ptx_still_has(memory, low, bytes))
        return true;
    if (!are_written(memory, at, bytes))
        return false;
    uint64_t *const to = next_read(r);
    if (!to)
        return false;
    note_lanes(r, to, first, lanes, stride != 0 ? CLEM_READ_LINE : CLEM_READ_PLACE);
    set(memory, at, at + bytes);
    return true;
}

/* Words of which all four bytes are among bits of bytes, the first of which is a word's first. */
static uint32_t whole_words(uint64_t bytes)
{
    uint64_t words = bytes & bytes >> 1 & bytes >> 2 & bytes >> 3 & 0x1111111111111111u;
    words = (words | words >> 3) & 0x0303030303030303u;
    words = (words | words >> 6) & 0x000f000f000f000fu;
    words = (words | words >> 12) & 0x000000ff000000ffu;
    return (uint32_t)((words | words >> 24) & 0xffff);
}

/* As set() of so many bytes, of which there are no more than PTX_STILL_WORDS. */
static void set_bytes(const struct clem_check_memory *memory, uint64_t first, uint64_t count)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    struct clem_check_still *const still = (struct clem_check_still *)(uintptr_t)memory->still;
    unsigned char *const bits = (unsigned char *)(still + 1),
                         *const each = (unsigned char *)still + still->each + first / 8,
                         *const own = bits + first / 8 / 4;
    const uint64_t part = (uint64_t)CLEM_CHECK_STILL_PART * 32;
    uint64_t eight;
    uint32_t words;
    bits[still->bytes + first / part] = bits[still->bytes + (first + count - 1) / part] =
        CLEM_CHECK_STILL_WORDS | CLEM_CHECK_STILL_BYTES;
    memcpy(&eight, each, sizeof eight);
    eight |= (UINT64_MAX >> (-count & 63)) << first % 8; /* of 1 to 64 */
    memcpy(each, &eight, sizeof eight);
    memcpy(&words, own, sizeof words);
    words |= whole_words(eight) << first / 8 % 4 * 2;
    memcpy(own, &words, sizeof words);
#else
    set(memory, first, first + count);
#endif
}

/* As log_line(), of lanes that read few words side by side. */
static inline bool log_words(struct reader *r, uint64_t first, uint32_t lanes)
{
    const struct clem_check_memory *const memory = r->memory;
    const unsigned from = (unsigned)__builtin_ctz(lanes);
    const uint64_t low = first + (uint64_t)from * r->bytes,
                   count = (32u - (unsigned)__builtin_clz(lanes >> from)) * (uint64_t)r->bytes,
                   at = low - memory->base, part = (uint64_t)CLEM_CHECK_STILL_PART * 32;
    unsigned char *const bits = (unsigned char *)(r->still + 1);
    if (low & (r->bytes - 1) || at >= memory->bytes || count > memory->bytes - at)
        return false;
    if (!(~ptx_still_words(memory, at / 4) & (UINT64_MAX >> (64 - count / 4))))
        return true;
    if (!are_written(memory, at, count))
        return false;
    uint64_t *const to = next_read(r);
    if (!to)
        return false;
    note_lanes(r, to, first, lanes, CLEM_READ_LINE);
    bits[r->still->bytes + at / part] |= CLEM_CHECK_STILL_WORDS;
    bits[r->still->bytes + (at + count - 1) / part] |= CLEM_CHECK_STILL_WORDS;
    set_words(bits, at / 4, (at + count) / 4);
    return true;
}

/* As log_line(), of lanes that read few bytes side by side, which may be parts of words. */
static bool log_bytes(struct reader *r, uint64_t first, uint32_t lanes)
{
    const struct clem_check_memory *const memory = r->memory;
    const unsigned from = (unsigned)__builtin_ctz(lanes);
    const uint64_t low = first + (uint64_t)from * r->bytes,
                   count = (32u - (unsigned)__builtin_clz(lanes >> from)) * (uint64_t)r->bytes,
                   at = low - memory->base;
    if (count > PTX_STILL_WORDS)
        return log_line(r, first, lanes, r->bytes);
    if (low & (r->bytes - 1) || at >= memory->bytes || count > memory->bytes - at)
        return false;
    if (!(~ptx_still_parts(memory, at) & (UINT64_MAX >> (64 - count))))
        return true;
    const bool was_read = ptx_still_has(memory, low, count);
    if (!was_read && !are_written(memory, at, count))
        return false;
    uint64_t *const to = was_read ? NULL : next_read(r);
    if (!was_read && !to)
        return false;
    set_bytes(memory, at, count); /* so that it is seen the next time, whatever it was read as */
    if (was_read)
        return true;
    note_lanes(r, to, first, lanes, CLEM_READ_LINE);
    return true;
}

static inline bool is_written(const struct clem_check_memory *memory, uint64_t at, uint32_t bytes)
{
    const unsigned char *const own = ptx_written_at(memory, at);
    uint32_t four;
    if (!own)
        return true;
    if (bytes != sizeof four)
        return ptx_are_written(own, bytes);
    memcpy(&four, own, sizeof four);
    return four == (uint32_t)CLEM_CHECK_WRITTEN;
}

/* Lanes of a list that were not read before, at these places in the memory, behind which there is one more, of nobody. */
static void write_list(struct reader *r, uint64_t *to, uint32_t lanes, const uint32_t *places,
                       uint32_t count)
{
    const uint32_t words = (count + 1) / 2;
    to[0] = r->memory->base;
    to[1] = r->slot;
    to[2] = CLEM_READ_LANES(lanes, r->bytes, CLEM_READ_LIST, count);
    for (uint32_t i = 0; i < words; i++)
        to[CLEM_READ_WORDS + i] = places[(size_t)2 * i] | (uint64_t)places[(size_t)2 * i + 1] << 32;
    r->still->log_count += CLEM_READ_WORDS + words;
}

/* Of lanes at any places, of which some may be one. */
struct few {
    uint32_t places[33], count, lanes; /* that were not read before */
    uint32_t left;
};

static inline void note_few(struct few *f, uint32_t lane, uint64_t at)
{
    f->places[f->count++] = (uint32_t)at;
    f->lanes |= lane;
}

static void find_few(struct few *f, const struct reader *r, const uint64_t *addresses)
{
    const struct clem_check_memory *const memory = r->memory;
    for (uint32_t rest = f->left; rest != 0; rest &= rest - 1) {
        const uint64_t address = addresses[__builtin_ctz(rest)], at = address - memory->base;
        const bool is_here =
            !(at & (r->bytes - 1)) && at < memory->bytes && r->bytes <= memory->bytes - at;
        const bool was_read = is_here && ptx_still_has(memory, address, r->bytes);
        if (!was_read && !(is_here && is_written(memory, at, r->bytes)))
            continue;
        f->left &= ~(rest & -rest);
        if (was_read)
            continue;
        note_few(f, rest & -rest, at);
        set(memory, at, at + r->bytes);
    }
}

/* Likewise of 4 bytes each, bit by bit. */
static void find_few_words(struct few *f, const struct reader *r, const uint64_t *addresses)
{
    const struct clem_check_memory *const memory = r->memory;
    unsigned char *const bits = (unsigned char *)(r->still + 1), *const parts =
                                                                     bits + r->still->bytes;
    const uint64_t base = memory->base, limit = memory->bytes & ~(uint64_t)3;
    for (uint32_t rest = f->left; rest != 0; rest &= rest - 1) {
        const uint64_t at = addresses[__builtin_ctz(rest)] - base;
        if (at >= limit || at % 4 != 0)
            continue;
        const unsigned own = bits[at / 32], bit = 1u << at / 4 % 8;
        if (!(own & bit)) {
            if (!is_written(memory, at, 4))
                continue;
            bits[at / 32] = (unsigned char)(own | bit);
            parts[at / 32 / CLEM_CHECK_STILL_PART] |= CLEM_CHECK_STILL_WORDS;
            note_few(f, rest & -rest, at);
        }
        f->left &= ~(rest & -rest);
    }
}

/* Those that are left. */
static uint32_t log_list(struct reader *r, uint32_t lanes, const uint64_t *addresses)
{
    struct few f;
    f.count = f.lanes = 0;
    f.left = lanes;
    uint64_t *const to = r->memory->bytes <= UINT32_MAX ? next_read(r) : NULL;
    if (!to)
        return lanes;
    if (r->bytes == 4)
        find_few_words(&f, r, addresses);
    else
        find_few(&f, r, addresses);
    f.places[f.count] = 0;
    if (f.count != 0)
        write_list(r, to, f.lanes, f.places, f.count);
    return f.left;
}

static inline bool follow_each_other(uint32_t lanes)
{
    const uint32_t run = lanes >> __builtin_ctz(lanes);
    return (run & (run + 1)) == 0;
}

/* Lanes on a line, of which `first` is lane 0's place. */
static __attribute__((noinline)) bool log_lanes(struct reader *r, uint64_t first, uint32_t lanes,
                                                int64_t stride)
{
    uint64_t addresses[32];
    if (lanes == 0)
        return true;
    if (stride == (int64_t)r->bytes && r->bytes < 4 && follow_each_other(lanes))
        return log_bytes(r, first, lanes);
    if (stride == 0 || (stride == (int64_t)r->bytes && follow_each_other(lanes)))
        return log_line(r, first, lanes, (uint32_t)stride);
    for (uint32_t i = 0; i < 32; i++)
        addresses[i] = first + i * (uint64_t)stride;
    return log_list(r, lanes, addresses) == 0;
}

/* Mostly they read words side by side. */
static inline bool log_whole(struct reader *r, uint64_t first, uint32_t lanes, int64_t stride)
{
    return stride == 4 && r->bytes == 4 && follow_each_other(lanes)
               ? log_words(r, first, lanes)
               : log_lanes(r, first, lanes, stride);
}

bool ptx_still_reads_line(const struct ptx_native_launch *launch,
                          const struct ptx_native_block *block, const struct ptx_native_told *told,
                          uint32_t lanes, uint64_t first, uint64_t second)
{
    enum { HALF = 16 };
    struct reader r;
    const int64_t stride = told->stride;
    const uint64_t start = second - (uint64_t)(HALF * stride); /* where lane 0 of that line is */
    const uint32_t low = lanes & 0xffff, high = lanes & ~low;
    const uint64_t one = low != 0 ? first : start;
    bool is =
        clem_race_enter(launch->checked) &&
        begin(&r, launch, block, told, one + (unsigned)__builtin_ctz(lanes) * (uint64_t)stride);
    if (is)
        is = start == first
                 ? log_whole(&r, first, lanes, stride)
                 : log_lanes(&r, first, low, stride) && log_lanes(&r, start, high, stride);
    clem_race_leave(launch->checked);
    return is;
}

/* Whether lanes of a list are side by side. */
static bool are_side_by_side(const uint64_t *addresses, uint32_t lanes, uint32_t bytes)
{
    const unsigned from = (unsigned)__builtin_ctz(lanes),
                   last = 31u - (unsigned)__builtin_clz(lanes);
    const uint64_t start = addresses[from] - (uint64_t)from * bytes;
    uint32_t on = 0;
    if (from == last || !follow_each_other(lanes) ||
        addresses[last] != start + (uint64_t)last * bytes)
        return false;
    for (uint32_t i = 0; i < 32; i++)
        on |= (uint32_t)(addresses[i] == start + (uint64_t)i * bytes) << i;
    return (on & lanes) == lanes;
}

static uint32_t log_half(struct reader *r, uint32_t lanes, const uint64_t *addresses)
{
    if (lanes == 0)
        return 0;
    const unsigned from = (unsigned)__builtin_ctz(lanes);
    return are_side_by_side(addresses, lanes, r->bytes) &&
                   log_line(r, addresses[from] - (uint64_t)from * r->bytes, lanes, r->bytes)
               ? 0
               : log_list(r, lanes, addresses);
}

/* Most lists are lines, at least by half warps, or no lines at all. */
static uint32_t log_some(struct reader *r, uint32_t lanes, const uint64_t *addresses)
{
    const uint32_t low = lanes & 0xffff, high = lanes & ~low;
    if (are_side_by_side(addresses, lanes, r->bytes) ||
        (low != 0 && high != 0 && !are_side_by_side(addresses, low, r->bytes) &&
         !are_side_by_side(addresses, high, r->bytes)))
        return log_half(r, lanes, addresses);
    return log_half(r, low, addresses) | log_half(r, high, addresses);
}

uint32_t ptx_still_reads_list(const struct ptx_native_launch *launch,
                              const struct ptx_native_block *block,
                              const struct ptx_native_told *told, uint32_t lanes,
                              const struct ptx_native_list *list)
{
    struct reader r;
    const uint64_t *const addresses = list->addresses;
    uint32_t left = lanes;
    if (clem_race_enter(launch->checked) &&
        begin(&r, launch, block, told, addresses[__builtin_ctz(lanes)]))
        left = log_some(&r, lanes, addresses);
    clem_race_leave(launch->checked);
    return left;
}
