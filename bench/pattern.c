/* What inputs hold and what outputs must hold.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/pattern.h"

#include <math.h>
#include <string.h>

#include "bench/texture.h"

/* A xorshift generator's step on the word's number: random enough that no memory compresses it, and
 * any part of it can be made alone. */
static uint64_t word_at(enum pattern pattern, uint64_t index)
{
    uint64_t x = (index + 1) * 0x9E3779B97F4A7C15u + (uint64_t)pattern * 0xD1B54A32D192ED03u;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    x ^= x >> 29;
    return x;
}

/* Two floats from 1 to 2 in one word. */
static uint64_t floats_at(enum pattern pattern, uint64_t index)
{
    return (word_at(pattern, index) & 0x007FFFFF007FFFFFu) | 0x3F8000003F800000u;
}

static uint64_t content_at(enum pattern pattern, uint64_t index)
{
    return pattern == PATTERN_WORDS ? word_at(pattern, index) : floats_at(pattern, index);
}

void pattern_fill(void *memory, size_t bytes, enum pattern pattern, size_t offset)
{
    uint64_t *words = memory;
    size_t first = offset / 8, count = bytes / 8;
#pragma omp parallel for
    for (size_t i = 0; i < count; i++)
        words[i] = content_at(pattern, first + i);
}

uint32_t pattern_sum(size_t bytes)
{
    uint32_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (size_t i = 0; i < bytes / 8; i++) {
        uint64_t word = word_at(PATTERN_WORDS, i);
        sum += (uint32_t)word + (uint32_t)(word >> 32);
    }
    return sum;
}

uint32_t pattern_word(enum pattern pattern, size_t index)
{
    return (uint32_t)(content_at(pattern, index / 2) >> index % 2 * 32);
}

static size_t check_copy(const unsigned char *row, size_t bytes, enum pattern pattern,
                         size_t source_offset)
{
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word;
        memcpy(&word, row + i, 8);
        if (word != content_at(pattern, (source_offset + i) / 8))
            return i;
    }
    return PATTERN_FINE;
}

static size_t check_value(const unsigned char *row, size_t bytes, uint32_t value)
{
    for (size_t i = 0; i < bytes; i += 4) {
        uint32_t word;
        memcpy(&word, row + i, 4);
        if (word != value)
            return i;
    }
    return PATTERN_FINE;
}

static bool triad_is_right(float result, float first, float second)
{
    float expected = first + TRIAD_FACTOR * second;
    return fabsf(result - expected) <= 4e-7f * expected;
}

static size_t check_triad(const unsigned char *row, size_t bytes, size_t offset)
{
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t first = floats_at(PATTERN_FIRST, (offset + i) / 8);
        uint64_t second = floats_at(PATTERN_SECOND, (offset + i) / 8);
        float a[2], b[2], result[2];
        memcpy(a, &first, 8);
        memcpy(b, &second, 8);
        memcpy(result, row + i, 8);
        if (!triad_is_right(result[0], a[0], b[0]) || !triad_is_right(result[1], a[1], b[1]))
            return i;
    }
    return PATTERN_FINE;
}

static size_t check_poison(const unsigned char *row, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (row[i] != POISON)
            return i;
    return PATTERN_FINE;
}

static size_t check_content(const struct task *task, enum content content, const unsigned char *row,
                            size_t index)
{
    switch (content) {
    case CONTENT_COPY:
        return check_copy(row, task->row_bytes, PATTERN_WORDS, index * task->source_pitch);
    case CONTENT_FLOATS:
        return check_copy(row, task->row_bytes, PATTERN_FIRST, index * task->source_pitch);
    case CONTENT_VALUE:
        return check_value(row, task->row_bytes, set_value(task));
    case CONTENT_TRIAD:
        return check_triad(row, task->row_bytes, index * task->source_pitch);
    case CONTENT_POISON:
        break;
    }
    return check_poison(row, 0, task->row_bytes);
}

/* place: the row's number in the target, rows that are padding included. */
static size_t check_row(const struct task *task, enum content content, const unsigned char *row,
                        size_t place)
{
    size_t slice = place / task->slice_rows, y = place % task->slice_rows;
    if (y >= task->rows)
        return check_poison(row, 0, task->target_pitch);
    size_t wrong = check_content(task, content, row, slice * task->rows + y);
    if (wrong != PATTERN_FINE)
        return wrong;
    return check_poison(row, task->row_bytes, task->target_pitch);
}

size_t pattern_check(const struct task *task, enum content content, const unsigned char *piece,
                     size_t bytes, size_t offset)
{
    size_t pitch = task->target_pitch, found = PATTERN_FINE;
#pragma omp parallel for reduction(min : found)
    for (size_t row = 0; row < bytes / pitch; row++) {
        size_t wrong = check_row(task, content, piece + row * pitch, offset / pitch + row);
        if (wrong != PATTERN_FINE && offset + row * pitch + wrong < found)
            found = offset + row * pitch + wrong;
    }
    return found;
}

size_t pattern_piece(const struct task *task)
{
    size_t rows = ((size_t)16 << 20) / task->target_pitch;
    return (rows ? rows : 1) * task->target_pitch;
}

enum content content_of(const struct task *task)
{
    if (task->row->work == WORK_SET)
        return CONTENT_VALUE;
    if (task->row->work == WORK_TEXTURE)
        return texture_format(task)->pattern == PATTERN_FIRST ? CONTENT_FLOATS : CONTENT_COPY;
    if (task->row->work != WORK_PEAK)
        return CONTENT_COPY;
    if (task->row->detail == PEAK_WRITE)
        return CONTENT_VALUE;
    return task->row->detail == PEAK_TRIAD ? CONTENT_TRIAD : CONTENT_COPY;
}
