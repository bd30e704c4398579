/* What a profiled process wrote, as clem-run reads it. Private to facade/tools/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_TOOLS_TRACE_READ_H
#define FACADE_TOOLS_TRACE_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "cl/spool.h"

/* A row of the timeline: a thread of the process, a queue of a device, or what ranges lie in that threads share. */
enum trace_track_kind { TRACE_THREAD, TRACE_PLACE, TRACE_RANGES };
struct trace_track {
    enum trace_track_kind kind;
    uint64_t
        number; /* the system's, of the thread; of the place; which of several rows of ranges */
    uint32_t name, device;
};

/* Something with a begin and an end. Times are the host's, in nanoseconds; of commands without times both are when it was
 * enqueued. */
struct trace_slice {
    uint64_t start, end;
    const uint64_t *record; /* of one of the kinds of spool.h */
    uint32_t track;
};

/* How a device's clock was to the host's at some time. */
struct trace_clock {
    uint64_t when;
    uint64_t device;
    int64_t offset; /* to be added to the device's time */
    uint64_t error; /* how wrong that may be */
};

struct trace {
    struct ocl_spool_header head;
    unsigned char *file; /* mapped */
    size_t bytes;
    const char **names; /* by number; NULL: none */
    char **plain_names; /* by number, as C++ has them; NULL: as they are */
    size_t name_count;
    struct trace_track *tracks;
    size_t track_count;
    struct trace_slice *slices; /* by track, then by start, outer ones first */
    size_t slice_count;
    struct trace_slice *counts; /* OCL_SPOOL_MEMORY, by time */
    size_t count_count;
    struct trace_clock *clocks; /* by device, then by time; none that is much worse than the best */
    size_t clock_count;
    uint64_t *flows; /* numbers of calls that have commands, rising */
    size_t flow_count;
    uint64_t last; /* the latest time of all */
};

/* Reads a spool, be its process alive, ended or killed. False: a line on stderr says why; nothing is to be freed.
 * Needs: all slices in memory at once, 32 bytes each. */
bool trace_read(struct trace *trace, const char *path);
void trace_free(struct trace *trace);

static inline enum ocl_spool_kind trace_kind(const uint64_t *record)
{
    return (enum ocl_spool_kind)(record[0] & 0xff);
}
static inline unsigned trace_small(const uint64_t *record)
{
    return (unsigned)(record[0] >> 16) & 0xffff;
}
static inline uint32_t trace_name_number(const uint64_t *record)
{
    return (uint32_t)(record[0] >> 32);
}

/* What the name's number stands for; "?" where it got lost. */
const char *trace_name(const struct trace *trace, uint32_t number);

/* The same as its author wrote it, where it is mangled. */
const char *trace_plain_name(const struct trace *trace, uint32_t number);

/* The mangled name of the slice's kernel; NULL: it has none, or the title is that. */
const char *trace_mangled_name(const struct trace *trace, const struct trace_slice *slice);

/* A command's words behind the first. */
const struct ocl_spool_command *trace_command(const struct trace_slice *slice);

/* "call", "kernel", "copy", "fill", "compile", "range"... */
const char *trace_category(const struct trace_slice *slice);

/* What people read of it. Records of one first word have one title. */
void trace_title(const struct trace *trace, const struct trace_slice *slice, char *title,
                 size_t bytes);

/* "pageable to device". small: of a copy's record. */
void trace_copy_kind(unsigned small, char *kind, size_t bytes);

/* Whether commands came of the call. */
bool trace_has_flow(const struct trace *trace, uint64_t call);

/* The number that commands know a call by. Needs: the slice is of a call. */
uint64_t trace_call(const struct trace *trace, const struct trace_slice *slice);

/* The largest error of the clocks, in nanoseconds; 0 where there are none. */
uint64_t trace_clock_error(const struct trace *trace);

#endif
