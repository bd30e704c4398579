/* Memory that is still: which is, and what of it was read.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/host/still.h"

/* ---- Which is ---- */

typedef uint64_t find_function(uint64_t address);
typedef bool keep_function(uint64_t memory, uint64_t times);

static struct clem_check_launch *head_of(const struct ptx_native_launch *launch)
{
    return (struct clem_check_launch *)(uintptr_t)launch->checked;
}

void ptx_still_forget(struct clem_check_launch *head)
{
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

static void set_words(unsigned char *bits, uint64_t word, uint64_t end)
{
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
    unsigned char *const each = (unsigned char *)still + still->each + word / 2;
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
        parts[at] = 1;
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

/* ---- Lists ---- */

/* Lanes side by side, as they are in a line. */
static uint32_t lanes_on_line(const uint64_t *addresses, unsigned lane, uint32_t bytes)
{
    const uint64_t start = addresses[lane] - (uint64_t)lane * bytes;
    uint32_t on = 0;
    for (uint32_t i = 0; i < 32; i++)
        on |= (uint32_t)(addresses[i] == start + (uint64_t)i * bytes) << i;
    return on;
}

static bool is_each_still(const struct clem_check_memory *memory, uint32_t bytes, uint32_t lanes,
                          const uint64_t *addresses)
{
    bool is = true;
    for (uint32_t rest = lanes; rest != 0 && is; rest &= rest - 1) {
        const uint64_t address = addresses[__builtin_ctz(rest)];
        is = bytes == 4 ? ptx_still_has_word(memory, address)
                        : !(address & (bytes - 1)) && ptx_still_has(memory, address, bytes);
    }
    return is;
}

static bool are_still(const struct clem_check_memory *memory, uint32_t bytes, uint32_t lanes,
                      uint32_t on, const uint64_t *addresses)
{
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    return on == lanes ? ptx_still_line(memory, bytes, bytes,
                                        addresses[lane] - (uint64_t)lane * bytes, lanes)
                       : is_each_still(memory, bytes, lanes, addresses);
}

bool ptx_are_still(const struct ptx_native_launch *launch, const struct ptx_native_told *told,
                   uint32_t lanes, const struct ptx_native_list *list)
{
    const struct clem_check_memory *const memory = ptx_still_of(launch, told);
    const uint32_t bytes = CLEM_CHECK_BYTES(told->what), low = lanes & 0xffff, high = lanes & ~low;
    const uint64_t *const addresses = list->addresses;
    if (!memory)
        return false;
    const uint32_t on = lanes_on_line(addresses, (unsigned)__builtin_ctz(lanes), bytes) & lanes;
    if (on == lanes || low == 0 || high == 0)
        return are_still(memory, bytes, lanes, on, addresses);
    const uint32_t others = lanes_on_line(addresses, (unsigned)__builtin_ctz(high), bytes) & high;
    return are_still(memory, bytes, low, on & low, addresses) &&
           are_still(memory, bytes, high, others, addresses);
}
