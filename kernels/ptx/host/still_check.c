/* Loads of memory that may be still, of which the text has not seen that all was read before.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/host/checks.h"
#include "kernels/ptx/host/host_race.h"
#include "kernels/ptx/host/still.h"

/* Words of a whole warp, side by side, the first of which has the first bit of a byte. */
enum { ROW_BYTES = 128, ROW_STEP = 32 };

/* As ptx_still_reads_line(), of what most loads are, where all is known that it takes. Needs: clem_race_enter(). */
static inline bool logs_row(const struct clem_check_launch *head,
                            const struct ptx_native_block *block,
                            const struct ptx_native_told *told, uint64_t first)
{
    const struct clem_race_gate *const gate = (const struct clem_race_gate *)(uintptr_t)head->gate;
    const struct clem_race_look *const look = (const struct clem_race_look *)(uintptr_t)gate->look;
    const struct clem_race_site *const known = &look->sites[told->site % CLEM_RACE_SITES];
    const struct clem_check_memory *const memory =
        (const struct clem_check_memory *)(uintptr_t)head->still[told->number];
    struct clem_check_still *const still = (struct clem_check_still *)(uintptr_t)memory->still;
    const uint64_t at = first - memory->base, part = (uint64_t)CLEM_CHECK_STILL_PART * ROW_STEP;
    const uint64_t change = clem_race_change(gate);
    uint32_t were_read;
    if (look->is_clear == 0 || look->block != block->number_in_grid || known->site != told->site ||
        head->followed != 0 || clem_race_is_put_off(head) ||
        (change != 0 && !ptx_still_is_apart(head, memory, change)))
        return false;
    if (!still || at % ROW_STEP != 0 || at >= memory->bytes || memory->bytes - at < ROW_BYTES)
        return false;
    unsigned char *const bits = (unsigned char *)(still + 1), *const parts = bits + still->bytes;
    memcpy(&were_read, bits + at / ROW_STEP, sizeof were_read);
    if (were_read == UINT32_MAX)
        return true;
    if (__atomic_load_n(&memory->written, __ATOMIC_RELAXED) != 0 || still->log_count == 0 ||
        still->log_count + CLEM_READ_MOST > still->log_room)
        return false;
    uint64_t *const to = (uint64_t *)(uintptr_t)still->log + still->log_count;
    to[0] = first;
    to[1] = (known->bits | block->thread) << 32 | look->time;
    to[2] = CLEM_READ_LANES(UINT32_MAX, 4, CLEM_READ_LINE, 0);
    still->log_count += CLEM_READ_WORDS;
    still->latest = look->time;
    were_read = UINT32_MAX;
    memcpy(bits + at / ROW_STEP, &were_read, sizeof were_read);
    parts[at / part] |= CLEM_CHECK_STILL_WORDS;
    parts[(at + ROW_BYTES - 1) / part] |= CLEM_CHECK_STILL_WORDS;
    return true;
}

static inline bool reads_row(const struct ptx_native_launch *launch,
                             const struct ptx_native_block *block,
                             const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                             uint64_t second)
{
    if (lanes != UINT32_MAX || told->stride != 4 || CLEM_CHECK_BYTES(told->what) != 4 ||
        second - first != ROW_BYTES / 2 || first % 4 != 0)
        return false;
    const bool is =
        clem_race_enter(launch->checked) &&
        logs_row((const struct clem_check_launch *)(uintptr_t)launch->checked, block, told, first);
    clem_race_leave(launch->checked);
    return is;
}

uint64_t clem_native_check_still(const struct ptx_native_launch *launch,
                                 const struct ptx_native_block *block,
                                 const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                                 uint64_t second, struct ptx_native_list *list)
{
    const bool is_right = lanes == 0 || reads_row(launch, block, told, lanes, first, second) ||
                          (ptx_may_be_still(launch, told) &&
                           ptx_still_reads_line(launch, block, told, lanes, first, second));
    return is_right ? 0 : clem_native_check_line(launch, block, told, lanes, first, second, list);
}
