/* The words that all parts of clem-bench share: rows, tasks, contenders and their ways.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A row of bench.def is a question ("transfer.pinned.h2d"); with a size it becomes a task. Each
 * task is done by up to three contenders: the CUDA API, raw OpenCL and plain C. A contender knows
 * one way to prepare, poison, verify and clean up a kind of work, and one or more methods to do it;
 * the fastest method that gives right data takes part. */
#ifndef CLEM_BENCH_H
#define CLEM_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/series.h"

#define BENCH_VERSION "0.1.0"
/* What outputs hold before the work is done; padding must still hold it afterwards. */
#define POISON 0x5A
/* How many uint4 one work-item of the kernel peak_read_item reads. */
#define READ_WORDS 16

enum status { STATUS_OK, STATUS_UNSUPPORTED, STATUS_SKIPPED, STATUS_ERROR, STATUS_SUSPECT };
enum contender { BY_CUDA, BY_RAW, BY_HOST, CONTENDERS };
enum place { NOWHERE, PAGEABLE, PINNED, MAPPED, MANAGED, DEVICE, ARRAY };
enum work {
    WORK_TRANSFER,
    WORK_SET,
    WORK_RECT,
    WORK_PEAK,
    WORK_ALLOC,
    WORK_LAUNCH,
    WORK_CALL,
    WORK_MANAGED,
    WORK_TOUCH,
    WORK_TEXTURE,
    WORK_ARRAY,
    WORK_SYMBOL,
    WORKS
};
enum set_detail { SET_1 = 1, SET_2 = 2, SET_4 = 4, SET_2D, SET_3D };
enum peak_detail { PEAK_READ, PEAK_WRITE, PEAK_COPY, PEAK_TRIAD };
enum alloc_detail { ALLOC_DEVICE, ALLOC_POOL };
enum launch_detail { LAUNCH_ONLY, LAUNCH_SYNC };
enum call_detail {
    CALL_COPY_IN,
    CALL_COPY_OUT,
    CALL_COPY_ASYNC,
    CALL_QUERY,
    CALL_RECORD,
    CALL_POINTER
};
enum managed_detail {
    MANAGED_FIRST,    /* allocate, the host fills, a kernel reads, free */
    MANAGED_NEXT,     /* a kernel again: the pages are where it wants them */
    MANAGED_PINGPONG, /* a kernel copies, the host reads its output and writes its input anew */
    MANAGED_PERCENT,  /* a kernel writes all, the host reads a hundredth */
    MANAGED_PREFETCH  /* to the device and back */
};
/* Texture rows: a format, a filter and a walk together. */
enum texture_format { TEXTURE_R32F, TEXTURE_RGBA32F, TEXTURE_RGBA8, TEXTURE_FORMATS = 4 };
enum texture_filter { TEXTURE_POINT = 0, TEXTURE_LINEAR = 4 };
enum texture_walk { WALK_ROW = 0, WALK_COLUMN = 8, WALK_BLOCK = 16, WALK_FETCH = 24 };
#define TEXTURE(format, filter, walk) (TEXTURE_##format | TEXTURE_##filter | WALK_##walk)
/* What a row is repeated over. */
enum axis {
    AXIS_NONE,
    AXIS_SIZE,
    AXIS_LARGE,
    AXIS_SHAPE,
    AXIS_IMAGE,
    AXIS_ROW_BYTES,
    AXIS_ALLOC,
    AXIS_LIVE
};
/* Which bytes count: every byte copied once, read, written, or each time one is read or written; or
 * time alone. */
enum rule { RULE_COPIED, RULE_R, RULE_W, RULE_R_W, RULE_R_R_W, RULE_TIME };

struct row {
    const char *name;
    enum work work;
    enum place source, target;
    int detail;
    enum axis axis;
    enum rule rule;
    const char *only; /* the one method (of kernels) allowed, or NULL */
    const char *about;
};

/* Shape: `slices` slices of `rows` rows of row_bytes bytes each. In the target a row takes
 * target_pitch bytes and a slice slice_rows rows (of which the first `rows` are used); in the
 * source source_pitch bytes and `rows` rows. Linear work has rows of one page without padding.
 * bytes is the sum of all rows: the useful bytes of one array. */
struct task {
    const struct row *row;
    size_t bytes;
    size_t row_bytes, rows, slices, slice_rows;
    size_t source_pitch, target_pitch;
    size_t live; /* allocations that exist beside the work */
};

struct device_facts {
    int index;
    char name[256];
    char driver[256];
    char opencl[256];  /* platform and version, or "" */
    char strategy[64]; /* clem's address strategy, or "" */
    char strategy_reason[512];
    bool is_cpu;
    int compute_units;
    int max_threads; /* per block */
    bool ecc;
    int clock_khz, memory_clock_khz, memory_bus_bits; /* 0: not known */
    size_t memory_bytes, max_allocation, cache_bytes;
};

/* One contender's try at one task. */
struct attempt {
    const struct task *task;
    const struct device_facts *device;
    void *state; /* what open made */
    enum status status;
    bool wrong_data;
    char reason[200];
};

struct method {
    const char *name;
    bool (*suits)(const struct attempt *attempt); /* NULL: always */
    /* Does the work count times and waits for the end. */
    bool (*run)(struct attempt *attempt, size_t count);
};

/* All return false after attempt_fail or attempt_wrong. poison and verify may be NULL. close
 * accepts half-made state. */
struct way {
    bool (*open)(struct attempt *attempt);
    bool (*poison)(struct attempt *attempt);
    bool (*verify)(struct attempt *attempt);
    void (*close)(struct attempt *attempt);
    const struct method *methods; /* the last one has no name */
};

struct measured {
    const char *method;         /* NULL: this contender did not take part */
    size_t count;               /* repetitions in one sample */
    struct series_summary time; /* seconds for one repetition */
    char reason[200];           /* why it, or its last method that dropped out, did not take part */
};

struct result {
    struct task task;
    struct measured by[CONTENDERS];
    double speed_over_raw, speed_over_host; /* medians of the rounds' ratios; 0: none */
    double difference_raw; /* seconds: median of clem's time minus raw's, by round */
    enum status status;
    bool wrong_data;
    char reason[240];
};

struct effort {
    size_t samples;        /* at least */
    double seconds;        /* or a coefficient of variation under 2 %, for each contender */
    double sample_seconds; /* what one sample should take */
};

/* attempt.c */
bool attempt_fail(struct attempt *attempt, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool attempt_wrong(struct attempt *attempt, size_t offset);
const char *status_name(enum status status);
const char *contender_name(enum contender contender);
const char *rule_name(enum rule rule);
/* Bytes that count for one repetition; 0 for RULE_TIME. */
double useful_bytes(const struct task *task);
/* GB/s, or microseconds for RULE_TIME, from seconds. */
double value_of(const struct task *task, double seconds);
/* How fast this device could be at this task at the very best, in GB/s. host_seconds: plain C's
 * time, or 0. */
double ceiling_of(const struct task *task, const struct device_facts *device, double host_seconds);

size_t source_bytes(const struct task *task);
size_t target_bytes(const struct task *task);
/* The value with which sets and peak writes fill, as 4 bytes. */
uint32_t set_value(const struct task *task);

/* measure.c: does a task with every contender that can, in turn, round after round. */
void measure_task(const struct task *task, const struct device_facts *device,
                  const struct effort *effort, struct result *result);

/* The ways of the CUDA API, each in the file of its name (launch and call: overhead.c), and of plain C
 * (host_limit.c, which answers NULL where C has nothing to compare). */
extern const struct way cuda_transfer, cuda_set, cuda_rect, cuda_peak, cuda_alloc, cuda_launch,
    cuda_call, cuda_managed, cuda_touch, cuda_texture, cuda_array, cuda_symbol;
const struct way *host_way(const struct task *task, const struct device_facts *device);

#endif
