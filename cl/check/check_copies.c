/* Copies and fills, which move what was written.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cl/check/check_filled.h"
#include "cl/check/check_shadow.h"

/* ---- Rows ---- */

static uint64_t row_at(const struct ocl_check_rows *rows, size_t y, size_t z)
{
    return rows->address + y * rows->pitch + z * rows->slice_bytes;
}

/* How many bytes of a row lie in one memory: rows may go on from one mapping to the next. written: of the first of them;
 * NULL where all was written, or they are nobody's. */
static size_t piece_at(uint64_t address, size_t width, unsigned char **written)
{
    uint64_t bytes = width;
    *written = ocl_check_written_at(address, &bytes);
    return (size_t)bytes;
}

static bool is_followed(uint64_t address)
{
    unsigned char *written;
    piece_at(address, 1, &written);
    return written != NULL;
}

static void mark_row(uint64_t target, uint64_t source, size_t width)
{
    for (size_t at = 0, bytes; at < width; at += bytes) {
        unsigned char *to, *from = NULL;
        bytes = piece_at(target + at, width - at, &to);
        if (source)
            bytes = piece_at(source + at, bytes, &from);
        if (to && from && !ocl_check_are_written(from, bytes)) {
            ocl_check_unfill_begin(ocl_check_find(target + at), target + at, bytes);
            memmove(to, from, bytes);
            ocl_check_unfill_end();
        } else if (to) {
            memset(to, OCL_WRITTEN, bytes);
        }
    }
}

/* ---- What the host gets ---- */

/* Bytes of a structure that nobody writes are fewer than it is aligned to. */
enum { MOST_PADDING = 7, MOST_PERIOD = 64 };

/* Bits of a byte that has others are fields': what is left of their unit is padding. */
static bool is_missing(unsigned char written)
{
    return written == OCL_UNWRITTEN || written == OCL_COMPUTED;
}

/* So many bytes from `at` on that were not written. */
static size_t run_at(const unsigned char *written, size_t at, size_t width)
{
    size_t run = 0;
    while (at + run < width && is_missing(written[at + run]))
        run++;
    return run;
}

/* What comes behind padding is aligned to more bytes than that has. */
static bool ends_aligned(uint64_t end, size_t run)
{
    size_t alignment = 2;
    while (alignment <= run)
        alignment *= 2;
    return end % alignment == 0;
}

/* Runs of a word may be a value, unless as many are missing one structure further, or before. address: of the first byte. */
static bool is_padding(const unsigned char *written, size_t at, size_t run, size_t width,
                       uint64_t address)
{
    if (run > MOST_PADDING || written[at] == OCL_COMPUTED || !ends_aligned(address + run, run))
        return false;
    if (run != 4)
        return true;
    for (size_t period = 8; period <= MOST_PERIOD; period += 8)
        if ((at + period + run <= width && run_at(written, at + period, width) == run &&
             !is_missing(written[at + period - 1])) ||
            (at >= period && run_at(written, at - period, width) == run))
            return true;
    return false;
}

static bool tell_piece(uint64_t source, const unsigned char *written, size_t width,
                       const struct ocl_stack *by)
{
    char what[160], about[160];
    for (size_t at = 0; written && at < width; at++) {
        const size_t run = run_at(written, at, width);
        if (run == 0)
            continue;
        if (is_padding(written, at, run, width, source + at)) {
            at += run;
            continue;
        }
        const struct ocl_checked_memory *m = ocl_check_find(source);
        struct ocl_stack stack;
        if (by)
            stack = *by;
        else
            ocl_check_stack(&stack);
        snprintf(what, sizeof what, "%zu bytes that were never written are copied to the host",
                 run);
        snprintf(about, sizeof about, "from byte %llu of %s of %llu bytes at 0x%llx",
                 (unsigned long long)(source + at - m->base), m->kind, (unsigned long long)m->bytes,
                 (unsigned long long)m->base);
        ocl_check_report(&(struct ocl_finding){.check = OCL_CHECK_INIT,
                                               .what = what,
                                               .about = about,
                                               .space = "global",
                                               .address = source + at,
                                               .bytes = run,
                                               .launch = &stack,
                                               .allocation = &m->allocated});
        return true;
    }
    return false;
}

static bool tell_row(uint64_t source, size_t width, const struct ocl_stack *by)
{
    bool is_told = false;
    for (size_t at = 0, bytes; at < width && !is_told; at += bytes) {
        unsigned char *written;
        bytes = piece_at(source + at, width - at, &written);
        is_told = tell_piece(source + at, written, bytes, by);
    }
    return is_told;
}

/* ---- All ---- */

bool ocl_check_follows(const struct ocl_check_rows *source)
{
    return is_followed(source->address);
}

void ocl_check_copied(const struct ocl_check_rows *target, const struct ocl_check_rows *source,
                      const struct ocl_check_shape *shape, const struct ocl_stack *by)
{
    const bool is_to_host = source && !is_followed(target->address);
    bool is_told = false;
    for (size_t z = 0; z < shape->depth; z++)
        for (size_t y = 0; y < shape->height; y++) {
            const uint64_t from = source ? row_at(source, y, z) : 0;
            if (!is_to_host)
                mark_row(row_at(target, y, z), from, shape->width);
            else if (!is_told)
                is_told = tell_row(from, shape->width, by);
        }
}
