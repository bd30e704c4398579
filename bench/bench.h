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
/* COMBINED: pinned and write-combined. PORTABLE: pinned for all devices. */
enum place { NOWHERE, PAGEABLE, PINNED, MAPPED, MANAGED, DEVICE, ARRAY, COMBINED, PORTABLE };
enum work {
    WORK_TRANSFER,
    WORK_SET,
    WORK_RECT,
    WORK_PEAK,
    WORK_ALLOC,
    WORK_LAUNCH,
    WORK_GRAPH,
    WORK_CALL,
    WORK_MANAGED,
    WORK_TOUCH,
    WORK_TEXTURE,
    WORK_ARRAY,
    WORK_SYMBOL,
    WORK_SUM,
    WORK_STAGING,
    WORK_PINNED,
    WORK_PEER,
    WORK_STUDY, /* study.h */
    WORK_CHECK, /* a question that is answered by yes or no */
    WORKS
};
enum set_detail { SET_1 = 1, SET_2 = 2, SET_4 = 4, SET_2D, SET_3D };
enum peak_detail { PEAK_READ, PEAK_WRITE, PEAK_COPY, PEAK_TRIAD };
enum alloc_detail {
    ALLOC_DEVICE,
    ALLOC_POOL,
    ALLOC_HELD,     /* many at once before they are freed: blocks that nobody had before */
    ALLOC_PITCH,    /* rows of 1000 bytes */
    ALLOC_PINNED,   /* cudaMallocHost */
    ALLOC_PAGEABLE, /* malloc, each page touched */
};
enum launch_detail { LAUNCH_ONLY, LAUNCH_SYNC, LAUNCH_ARGUMENTS };
/* Nodes of each graph, and kernels that are launched one by one beside it. */
enum { BENCH_NODES = 100 };
enum graph_detail {
    GRAPH_CHAIN, /* a launch, each node behind the one before */
    GRAPH_FAN,   /* all behind the first */
    GRAPH_NONE,  /* no graph: the same kernels one by one */
    GRAPH_INSTANTIATE,
    GRAPH_UPDATE,
    GRAPH_SET /* each node's parameters */
};
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
/* Sums of arrays or matrices. */
enum sum_detail {
    SUM_MAPPED,  /* the kernel works on mapped host memory */
    SUM_COPIED,  /* the arrays are copied from pinned memory and the sum back */
    SUM_BY_HAND, /* of matrices: the host fills, copies, a kernel, a copy, the host reads */
    SUM_BY_HAND_KERNEL,
    SUM_MANAGED, /* the host fills, a kernel, the host reads */
    SUM_MANAGED_KERNEL
};
enum pinned_detail {
    PINNED_READ,       /* the host reads what lies in the source's place */
    PINNED_COPY_ALONE, /* memcpy between pageable memories */
    PINNED_COPY_BESIDE /* the same while much is pinned */
};
enum peer_detail { PEER_COPY, PEER_KERNEL };
/* Texture rows: a format, what is read, and a walk together. */
enum texture_format {
    TEXTURE_R32F,
    TEXTURE_RG32F,
    TEXTURE_RGBA32F,
    TEXTURE_R8,
    TEXTURE_RGBA8,
    TEXTURE_R16,
    TEXTURE_RGBA16,
    TEXTURE_FORMATS
};
enum texture_source {
    TEXTURE_POINT,  /* a texture, unfiltered */
    TEXTURE_LINEAR, /* filtered */
    TEXTURE_COPIED, /* unfiltered, its array copied anew each time */
    TEXTURE_BUFFER, /* no texture: a pointer to const, restrict */
    TEXTURE_PLAIN,  /* a pointer that is neither */
    TEXTURE_LOADED, /* a surface that is read */
    TEXTURE_STORED, /* and one that is written */
    TEXTURE_SOURCES
};
enum texture_walk {
    WALK_ROW,
    WALK_COLUMN,
    WALK_BLOCK,
    WALK_SHIFTED,
    WALK_MORTON,
    WALK_RANDOM,
    WALK_FETCH,
    TEXTURE_WALKS
};
#define TEXTURE(format, source, walk) (TEXTURE_##format | TEXTURE_##source << 4 | WALK_##walk << 8)
/* What a row is repeated over. */
enum axis {
    AXIS_NONE,
    AXIS_SIZE,
    AXIS_LARGE,
    AXIS_SHAPE,
    AXIS_IMAGE,
    AXIS_ROW_BYTES,
    AXIS_ALLOC,
    AXIS_LIVE,
    AXIS_TOTAL,       /* from 4 KiB to 64 MiB whatever the device */
    AXIS_LATER,       /* as AXIS_IMAGE, but not in quick runs */
    AXIS_LAST,        /* as AXIS_IMAGE, but only in full runs */
    AXIS_ALLOC_LATER, /* as AXIS_ALLOC, but not in quick runs */
    AXIS_ALLOC_HOST   /* memory of the host, all of which is put in place */
};
/* Which bytes count: every byte copied once, read, written, or each time one is read or written; or
 * time alone. */
enum rule { RULE_COPIED, RULE_R, RULE_W, RULE_R_W, RULE_R_R_W, RULE_TIME, RULE_COUNTED };
/* What a value is in: 10^9 bytes or operations per second, microseconds, nanoseconds per step. */
enum unit { UNIT_GB_S, UNIT_GOP_S, UNIT_US, UNIT_NS };

#define STUDY_PARAMETERS 4
#define STUDY_EXTRAS     6
/* Beside the numbers of a study's forms: the fastest one, no study at all, and the first one as CUDA C++ that clem translates. */
enum { FORM_BEST = 100, FORM_NONE = 101, FORM_TRANSLATED = 102 };

struct attempt;
struct study;

struct row {
    const char *name;
    enum work work;
    enum place source, target;
    int detail;
    enum axis axis;
    enum rule rule;
    const char *only; /* the one method (of kernels) allowed, or NULL */
    const char *about;
    const struct study *study; /* WORK_STUDY */
    /* WORK_CHECK: true when what CUDA documents holds, else attempt_fail or attempt_wrong. */
    bool (*check)(struct attempt *attempt);
};

/* A number printed beside a measurement, such as a model's prediction. */
struct extra {
    const char *name;
    double value;
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
    /* Studies: one choice of parameters and of the form. */
    unsigned parameters[STUDY_PARAMETERS];
    int form; /* one of FORM_BEST and so on, or the form's number */
    struct extra extras[STUDY_EXTRAS];
    size_t extra_count;
    double useful; /* bytes, operations or steps of one repetition */
    bool raw_beside, host_beside;
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
    bool has_sub_groups; /* kernels can add over one (CUDA: warp) */
    bool has_doubles;
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
/* Bytes that count for one repetition (or operations, or steps, by unit_of); 0 for UNIT_US. */
double useful_bytes(const struct task *task);
enum unit unit_of(const struct task *task);
const char *unit_name(enum unit unit);
/* In the task's unit, from seconds. */
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

/* A result that is above what can be becomes suspect, and another one that was suspect good. host_seconds: plain C's best time
 * for the same work and size, or 0. */
void mark_suspect(struct result *result, const struct device_facts *device, double host_seconds);

/* The ways of the CUDA API, each in the file of its name (launch and call: overhead.c), and of plain C
 * (host_limit.c, which answers NULL where C has nothing to compare). */
extern const struct way cuda_transfer, cuda_set, cuda_rect, cuda_peak, cuda_alloc, cuda_launch,
    cuda_graph, cuda_call, cuda_managed, cuda_touch, cuda_texture, cuda_array, cuda_symbol,
    cuda_sum, cuda_staging, cuda_pinned, cuda_peer;
const struct way *host_way(const struct task *task, const struct device_facts *device);

#endif
