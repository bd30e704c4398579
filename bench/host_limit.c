/* The host's limit: the same work in plain C, on one thread and on all through OpenMP.
 * SPDX-License-Identifier: Apache-2.0
 *
 * It is a limit for devices that are the host itself; others have nothing to compare here. */
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "bench/fast.h"
#include "bench/pattern.h"
#include "bench/study_run.h"

struct host {
    unsigned char *target, *first, *second;
    uint32_t sum;
};

/* One thread's share of some bytes or rows. */
struct part {
    size_t begin, end;
};

static struct part my_part(size_t count, size_t unit)
{
    size_t threads = 1, me = 0;
#ifdef _OPENMP
    threads = (size_t)omp_get_num_threads();
    me = (size_t)omp_get_thread_num();
#endif
    size_t units = count / unit, share = (units + threads - 1) / threads;
    size_t begin = me * share < units ? me * share : units;
    size_t end = begin + share < units ? begin + share : units;
    return (struct part){begin * unit, end * unit};
}

static bool open_host(struct attempt *attempt)
{
    const struct task *task = attempt->task;
    size_t to = target_bytes(task), from = source_bytes(task);
    bool triad = task->row->work == WORK_PEAK && task->row->detail == PEAK_TRIAD;
    struct host *host = attempt->state = calloc(1, sizeof *host);
    if (!host || posix_memalign((void **)&host->target, 4096, to ? to : 1) != 0 ||
        posix_memalign((void **)&host->first, 4096, from ? from : 1) != 0 ||
        posix_memalign((void **)&host->second, 4096, triad ? from : 1) != 0)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    pattern_fill(host->first, from, triad ? PATTERN_FIRST : PATTERN_WORDS, 0);
    if (triad)
        pattern_fill(host->second, from, PATTERN_SECOND, 0);
    return true;
}

static bool poison_host(struct attempt *attempt)
{
    struct host *host = attempt->state;
    memset(host->target, POISON, target_bytes(attempt->task));
    host->sum = 0;
    return true;
}

static bool verify_host(struct attempt *attempt)
{
    const struct host *host = attempt->state;
    const struct task *task = attempt->task;
    if (task->row->work == WORK_PEAK && task->row->detail == PEAK_READ)
        return host->sum == pattern_sum(task->bytes) || attempt_wrong(attempt, 0);
    size_t wrong = pattern_check(task, content_of(task), host->target, target_bytes(task), 0);
    return wrong == PATTERN_FINE || attempt_wrong(attempt, wrong);
}

static void close_host(struct attempt *attempt)
{
    struct host *host = attempt->state;
    if (!host)
        return;
    free(host->target);
    free(host->first);
    free(host->second);
    free(host);
}

FAST static void copy_part(uint32_t *restrict to, const uint32_t *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

FAST static void set_part(uint32_t *to, uint32_t value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = value;
}

FAST static uint32_t read_part(const uint32_t *from, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += from[i];
    return sum;
}

FAST static void triad_part(float *restrict to, const float *restrict first,
                            const float *restrict second, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = first[i] + TRIAD_FACTOR * second[i];
}

#ifdef __SSE2__
/* Stores that go past the caches; addresses and sizes are multiples of 16. */
static void copy_part_streaming(unsigned char *to, const unsigned char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 16)
        _mm_stream_si128((__m128i *)(void *)(to + i),
                         _mm_load_si128((const __m128i *)(const void *)(from + i)));
    _mm_sfence();
}

static void set_part_streaming(unsigned char *to, uint32_t value, size_t bytes)
{
    __m128i wide = _mm_set1_epi32((int)value);
    for (size_t i = 0; i < bytes; i += 16)
        _mm_stream_si128((__m128i *)(void *)(to + i), wide);
    _mm_sfence();
}

static void triad_part_streaming(float *to, const float *first, const float *second, size_t count)
{
    __m128 factor = _mm_set1_ps(TRIAD_FACTOR);
    for (size_t i = 0; i < count; i += 4)
        _mm_stream_ps(to + i, _mm_add_ps(_mm_load_ps(first + i),
                                         _mm_mul_ps(factor, _mm_load_ps(second + i))));
    _mm_sfence();
}
#endif

static void work_memcpy(const struct task *task, struct host *host)
{
    memcpy(host->target, host->first, task->bytes);
}

static void work_memcpy_all(const struct task *task, struct host *host)
{
#pragma omp parallel
    {
        struct part part = my_part(task->bytes, 4096);
        memcpy(host->target + part.begin, host->first + part.begin, part.end - part.begin);
    }
}

static void work_copy_loop(const struct task *task, struct host *host)
{
#pragma omp parallel
    {
        struct part part = my_part(task->bytes, 4096);
        copy_part((uint32_t *)(void *)(host->target + part.begin),
                  (const uint32_t *)(const void *)(host->first + part.begin),
                  (part.end - part.begin) / 4);
    }
}

static void work_memset(const struct task *task, struct host *host)
{
    memset(host->target, (int)(set_value(task) & 0xFF), task->bytes);
}

static void work_memset_all(const struct task *task, struct host *host)
{
#pragma omp parallel
    {
        struct part part = my_part(task->bytes, 4096);
        memset(host->target + part.begin, (int)(set_value(task) & 0xFF), part.end - part.begin);
    }
}

static void work_set_loop(const struct task *task, struct host *host)
{
#pragma omp parallel
    {
        struct part part = my_part(task->bytes, 4096);
        set_part((uint32_t *)(void *)(host->target + part.begin), set_value(task),
                 (part.end - part.begin) / 4);
    }
}

static void work_read_loop(const struct task *task, struct host *host)
{
    uint32_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        struct part part = my_part(task->bytes, 4096);
        sum += read_part((const uint32_t *)(const void *)(host->first + part.begin),
                         (part.end - part.begin) / 4);
    }
    host->sum = sum;
}

static void work_triad_loop(const struct task *task, struct host *host)
{
#pragma omp parallel
    {
        struct part part = my_part(task->bytes, 4096);
        triad_part((float *)(void *)(host->target + part.begin),
                   (const float *)(const void *)(host->first + part.begin),
                   (const float *)(const void *)(host->second + part.begin),
                   (part.end - part.begin) / 4);
    }
}

#ifdef __SSE2__
static void work_copy_streaming(const struct task *task, struct host *host)
{
#pragma omp parallel
    {
        struct part part = my_part(task->bytes, 4096);
        copy_part_streaming(host->target + part.begin, host->first + part.begin,
                            part.end - part.begin);
    }
}

static void work_set_streaming(const struct task *task, struct host *host)
{
#pragma omp parallel
    {
        struct part part = my_part(task->bytes, 4096);
        set_part_streaming(host->target + part.begin, set_value(task), part.end - part.begin);
    }
}

static void work_triad_streaming(const struct task *task, struct host *host)
{
#pragma omp parallel
    {
        struct part part = my_part(task->bytes, 4096);
        triad_part_streaming((float *)(void *)(host->target + part.begin),
                             (const float *)(const void *)(host->first + part.begin),
                             (const float *)(const void *)(host->second + part.begin),
                             (part.end - part.begin) / 4);
    }
}
#endif

/* Short rows have a length that the compiler knows, so that no call is made for 16 bytes. */
#define COPY_ROWS(bytes)                                                                           \
    case bytes:                                                                                    \
        for (size_t y = part.begin; y < part.end; y++)                                             \
            memcpy(host->target + y * to_pitch, host->first + y * from_pitch, bytes);              \
        break;

static void copy_rows(const struct task *task, struct host *host, struct part part)
{
    size_t to_pitch = task->target_pitch, from_pitch = task->source_pitch,
           row_bytes = task->row_bytes;
    switch (row_bytes) {
        COPY_ROWS(16)
        COPY_ROWS(32)
        COPY_ROWS(64)
        COPY_ROWS(128)
    default:
        for (size_t y = part.begin; y < part.end; y++)
            memcpy(host->target + y * to_pitch, host->first + y * from_pitch, row_bytes);
    }
}

static void work_rows(const struct task *task, struct host *host)
{
    copy_rows(task, host, (struct part){0, task->rows});
}

static void work_rows_all(const struct task *task, struct host *host)
{
#pragma omp parallel
    copy_rows(task, host, my_part(task->rows, 1));
}

static void set_rows(const struct task *task, struct host *host, struct part part)
{
    for (size_t y = part.begin; y < part.end; y++)
        memset(host->target +
                   (y / task->rows * task->slice_rows + y % task->rows) * task->target_pitch,
               (int)(set_value(task) & 0xFF), task->row_bytes);
}

static void work_set_rows(const struct task *task, struct host *host)
{
    set_rows(task, host, (struct part){0, task->rows * task->slices});
}

static void work_set_rows_all(const struct task *task, struct host *host)
{
#pragma omp parallel
    set_rows(task, host, my_part(task->rows * task->slices, 1));
}

/* Keeps the compiler from dropping a malloc that nobody reads. */
static void *volatile sink;

static void work_malloc(const struct task *task, struct host *host)
{
    (void)host;
    unsigned char *memory = malloc(task->bytes);
    if (memory)
        memory[task->bytes - 1] = 1;
    sink = memory;
    free(sink);
}

/* Which kinds of task a piece of work answers. */
static bool is_copy(const struct attempt *attempt)
{
    const struct row *row = attempt->task->row;
    return row->work == WORK_TRANSFER || (row->work == WORK_PEAK && row->detail == PEAK_COPY);
}

static bool is_peak(const struct attempt *attempt, enum peak_detail what)
{
    return attempt->task->row->work == WORK_PEAK && attempt->task->row->detail == (int)what;
}

static bool is_linear_set(const struct attempt *attempt)
{
    const struct row *row = attempt->task->row;
    return (row->work == WORK_SET && row->detail <= SET_4) || is_peak(attempt, PEAK_WRITE);
}

static bool is_byte_set(const struct attempt *attempt)
{
    return attempt->task->row->work == WORK_SET && attempt->task->row->detail == SET_1;
}

static bool is_row_set(const struct attempt *attempt)
{
    return attempt->task->row->work == WORK_SET && attempt->task->row->detail > SET_4;
}

static bool is_rect(const struct attempt *attempt)
{
    return attempt->task->row->work == WORK_RECT;
}

static bool is_read(const struct attempt *attempt)
{
    return is_peak(attempt, PEAK_READ);
}

static bool is_triad(const struct attempt *attempt)
{
    return is_peak(attempt, PEAK_TRIAD);
}

#define RUN(work)                                                                                  \
    static bool run_##work(struct attempt *attempt, size_t count)                                  \
    {                                                                                              \
        for (size_t i = 0; i < count; i++)                                                         \
            work_##work(attempt->task, attempt->state);                                            \
        return true;                                                                               \
    }
RUN(memcpy)
RUN(memcpy_all)
RUN(copy_loop)
RUN(memset)
RUN(memset_all)
RUN(set_loop)
RUN(read_loop)
RUN(triad_loop)
RUN(rows)
RUN(rows_all)
RUN(set_rows)
RUN(set_rows_all)
RUN(malloc)
#ifdef __SSE2__
RUN(copy_streaming)
RUN(set_streaming)
RUN(triad_streaming)
#endif

static const struct method methods[] = {
    {"memcpy", is_copy, run_memcpy},
    {"memcpy" ALL, is_copy, run_memcpy_all},
    {"loop" ALL, is_copy, run_copy_loop},
    {"memset", is_byte_set, run_memset},
    {"memset" ALL, is_byte_set, run_memset_all},
    {"loop" ALL, is_linear_set, run_set_loop},
    {"loop" ALL, is_read, run_read_loop},
    {"loop" ALL, is_triad, run_triad_loop},
    {"memcpy of rows", is_rect, run_rows},
    {"memcpy of rows" ALL, is_rect, run_rows_all},
    {"memset of rows", is_row_set, run_set_rows},
    {"memset of rows" ALL, is_row_set, run_set_rows_all},
#ifdef __SSE2__
    {"streaming" ALL, is_copy, run_copy_streaming},
    {"streaming" ALL, is_linear_set, run_set_streaming},
    {"streaming" ALL, is_triad, run_triad_streaming},
#endif
    {NULL, NULL, NULL},
};

static bool open_nothing(struct attempt *attempt)
{
    (void)attempt;
    return true;
}

static void close_nothing(struct attempt *attempt)
{
    (void)attempt;
}

static const struct method malloc_methods[] = {{"malloc, write 1 byte, free", NULL, run_malloc},
                                               {NULL, NULL, NULL}};

static const struct way host_memory = {open_host, poison_host, verify_host, close_host, methods};
static const struct way host_malloc = {open_nothing, NULL, NULL, close_nothing, malloc_methods};

const struct way *host_way(const struct task *task, const struct device_facts *device)
{
    if (!device->is_cpu)
        return NULL;
    switch (task->row->work) {
    case WORK_TRANSFER:
    case WORK_SET:
    case WORK_RECT:
    case WORK_PEAK:
        return &host_memory;
    case WORK_ALLOC:
        return task->row->detail <= ALLOC_POOL ? &host_malloc : NULL;
    case WORK_STUDY:
        return task->host_beside ? &host_study : NULL;
    default:
        return NULL;
    }
}
