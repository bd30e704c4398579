/* Reads what a profiled process wrote. The file may end anywhere, so nothing in it is trusted: what does not add up is as if
 * it were not there.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/tools/trace_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "facade/tools/demangle.h"

/* How many words records of a kind have at least, with the first. */
static const unsigned char least_words[] = {
    [OCL_SPOOL_NAME] = 2,     [OCL_SPOOL_THREAD] = 2, [OCL_SPOOL_CALL] = 4,
    [OCL_SPOOL_COMMAND] = 10, [OCL_SPOOL_SPAN] = 4,   [OCL_SPOOL_MEMORY] = 3,
    [OCL_SPOOL_CLOCK] = 5,    [OCL_SPOOL_PLACE] = 3,  [OCL_SPOOL_RANGE] = 4,
};

_Static_assert(sizeof(struct ocl_spool_command) == 9 * sizeof(uint64_t), "words of a command");

/* ---- Lists that grow ---- */

/* Room for one more of bytes each; NULL without memory. *list has count elements. */
static void *add_one(void *list, size_t *count, size_t bytes)
{
    void **array = list;
    if ((*count & (*count - 1)) == 0) {
        void *larger = realloc(*array, (*count ? 2 * *count : 1) * bytes);
        if (larger == NULL)
            return NULL;
        *array = larger;
    }
    return (char *)*array + (*count)++ * bytes;
}

/* ---- The file ---- */

static bool refuse(const char *path, const char *why)
{
    fprintf(stderr, "clem-run: %s: %s\n", path, why);
    return false;
}

/* Names are strangers' texts, and who reads traces wants UTF-8: other bytes become question marks. */
static size_t sequence_length(const unsigned char *text)
{
    const size_t length = text[0] < 0x80                      ? 1
                          : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                          : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
                          : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                              : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    const bool is_too_long =
        (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    const bool is_no_character =
        (text[0] == 0xed && text[1] >= 0xa0) || (text[0] == 0xf4 && text[1] >= 0x90);
    return is_too_long || is_no_character ? 0 : length;
}

static void make_utf8(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at != '\0';) {
        const size_t length = sequence_length(at);
        if (length == 0)
            *at = '?';
        at += length == 0 ? 1 : length;
    }
}

/* Private, so that what is found out while reading can be noted in records. */
static bool map_file(struct trace *trace, const char *path)
{
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return refuse(path, strerror(errno));
    trace->file = MAP_FAILED;
    if (fstat(file, &status) == 0 && status.st_size >= OCL_SPOOL_PAGE) {
        trace->bytes = (size_t)status.st_size;
        trace->file =
            mmap(NULL, trace->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);
    }
    close(file);
    if (trace->file == MAP_FAILED)
        return refuse(path, "no trace that clem wrote");
    memcpy(&trace->head, trace->file, sizeof trace->head);
    trace->head.program[sizeof trace->head.program - 1] = '\0';
    make_utf8(trace->head.program);
    if (memcmp(trace->head.magic, OCL_SPOOL_MAGIC, sizeof trace->head.magic) == 0 &&
        trace->head.version == OCL_SPOOL_VERSION && trace->head.chunk_bytes == OCL_SPOOL_CHUNK)
        return true;
    munmap(trace->file, trace->bytes);
    return refuse(path, "no trace that this version of clem wrote");
}

struct chunk {
    uint64_t number;
    size_t offset;
};

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

typedef bool visit_function(struct trace *trace, uint64_t *record, uint32_t *thread);

static bool visit_chunk(struct trace *trace, size_t offset, visit_function *visit)
{
    uint64_t *at = (uint64_t *)(trace->file + offset + sizeof(struct ocl_spool_chunk));
    uint64_t *end = (uint64_t *)(trace->file + offset + OCL_SPOOL_CHUNK);
    uint32_t thread = 0;
    while (at < end) {
        const unsigned kind = *at & 0xff, words = (unsigned)(*at >> 8) & 0xff;
        if (kind == 0 || kind >= sizeof least_words || words < least_words[kind] ||
            words > end - at)
            return true;
        if (!visit(trace, at, &thread))
            return false;
        at += words;
    }
    return true;
}

/* In the order in which they were begun. */
static bool visit_chunks(struct trace *trace, enum ocl_spool_use use, visit_function *visit)
{
    struct chunk *chunks = NULL;
    size_t count = 0;
    bool is_good = true;
    for (size_t offset = OCL_SPOOL_PAGE; offset + OCL_SPOOL_CHUNK <= trace->bytes;
         offset += OCL_SPOOL_CHUNK) {
        const struct ocl_spool_chunk *chunk = (const void *)(trace->file + offset);
        if (chunk->use != (uint32_t)use)
            continue;
        struct chunk *added = add_one(&chunks, &count, sizeof *chunks);
        if (added == NULL)
            break;
        *added = (struct chunk){chunk->number, offset};
    }
    if (count > 0)
        qsort(chunks, count, sizeof *chunks, compare_numbers);
    for (size_t i = 0; is_good && i < count; i++)
        is_good = visit_chunk(trace, chunks[i].offset, visit);
    free(chunks);
    return is_good;
}

/* ---- Names, places, clocks ---- */

/* The last byte of a name is zero as clem writes it. */
static bool keep_name(struct trace *trace, uint64_t *record)
{
    const uint32_t number = trace_name_number(record);
    const unsigned words = (unsigned)(record[0] >> 8) & 0xff;
    if (number == 0 || number > trace->name_count + 1000000)
        return true;
    while (trace->name_count <= number) {
        const char **name = add_one(&trace->names, &trace->name_count, sizeof *name);
        if (name == NULL)
            return false;
        *name = NULL;
    }
    ((char *)(record + words))[-1] = '\0';
    make_utf8((char *)(record + 1));
    trace->names[number] = (const char *)(record + 1);
    return true;
}

static struct trace_track *add_track(struct trace *trace, enum trace_track_kind kind,
                                     uint64_t number)
{
    struct trace_track *track = add_one(&trace->tracks, &trace->track_count, sizeof *track);
    if (track != NULL)
        *track = (struct trace_track){.kind = kind, .number = number};
    return track;
}

static bool read_kept(struct trace *trace, uint64_t *record, uint32_t *thread)
{
    (void)thread;
    if (trace_kind(record) == OCL_SPOOL_NAME)
        return keep_name(trace, record);
    if (trace_kind(record) == OCL_SPOOL_PLACE) {
        struct trace_track *track = add_track(trace, TRACE_PLACE, record[1]);
        if (track == NULL)
            return false;
        track->name = trace_name_number(record);
        track->device = (uint32_t)record[2];
    }
    if (trace_kind(record) == OCL_SPOOL_CLOCK) {
        struct trace_clock *clock = add_one(&trace->clocks, &trace->clock_count, sizeof *clock);
        if (clock == NULL)
            return false;
        *clock = (struct trace_clock){record[1], record[2], (int64_t)record[3], record[4]};
    }
    return true;
}

/* ---- Records ---- */

/* Where records of the thread or place go; SIZE_MAX without memory. */
static size_t find_track(struct trace *trace, enum trace_track_kind kind, uint64_t number)
{
    for (size_t i = trace->track_count; i-- > 0;)
        if (trace->tracks[i].kind == kind && trace->tracks[i].number == number)
            return i;
    return add_track(trace, kind, number) == NULL ? SIZE_MAX : trace->track_count - 1;
}

static bool add_slice(struct trace *trace, const uint64_t *record, size_t track, uint64_t start,
                      uint64_t end)
{
    struct trace_slice *slice = add_one(&trace->slices, &trace->slice_count, sizeof *slice);
    if (slice == NULL || track == SIZE_MAX)
        return false;
    *slice = (struct trace_slice){start, end < start ? start : end, record, (uint32_t)track};
    if (slice->end > trace->last)
        trace->last = slice->end;
    return true;
}

static int compare_clocks(const void *a, const void *b)
{
    const struct trace_clock *one = a, *other = b;
    if (one->device != other->device)
        return one->device < other->device ? -1 : 1;
    return (one->when > other->when) - (one->when < other->when);
}

/* Puts samples in order, and drops those that are much worse than their device's best. */
static void choose_clocks(struct trace *trace)
{
    struct trace_clock *clocks = trace->clocks;
    size_t kept = 0;
    if (trace->clock_count > 0)
        qsort(clocks, trace->clock_count, sizeof *clocks, compare_clocks);
    for (size_t first = 0, end; first < trace->clock_count; first = end) {
        uint64_t least = UINT64_MAX;
        for (end = first; end < trace->clock_count && clocks[end].device == clocks[first].device;
             end++)
            least = clocks[end].error < least ? clocks[end].error : least;
        for (size_t i = first; i < end; i++)
            if (clocks[i].error / 4 <= least + 250)
                clocks[kept++] = clocks[i];
    }
    trace->clock_count = kept;
}

/* The sample that is nearest in time; NULL: there is none of the device. */
static const struct trace_clock *find_clock(const struct trace *trace, uint64_t device,
                                            uint64_t when)
{
    const struct trace_clock key = {.when = when, .device = device};
    size_t least = 0, most = trace->clock_count;
    while (least < most) {
        const size_t middle = least + (most - least) / 2;
        if (compare_clocks(&trace->clocks[middle], &key) < 0)
            least = middle + 1;
        else
            most = middle;
    }
    const struct trace_clock *later = least < trace->clock_count ? &trace->clocks[least] : NULL;
    const struct trace_clock *earlier = least > 0 ? &trace->clocks[least - 1] : NULL;
    if (later != NULL && later->device != device)
        later = NULL;
    if (earlier != NULL && earlier->device != device)
        earlier = NULL;
    if (later == NULL || earlier == NULL)
        return later != NULL ? later : earlier;
    return when - earlier->when <= later->when - when ? earlier : later;
}

static bool add_command(struct trace *trace, uint64_t *record, uint32_t thread)
{
    struct ocl_spool_command *command = (struct ocl_spool_command *)(record + 1);
    const unsigned small = trace_small(record);
    if (small & OCL_SPOOL_HOST_TIME)
        return add_slice(trace, record, find_track(trace, TRACE_THREAD, thread), command->begin,
                         command->end);
    if (command->call != 0) {
        uint64_t *flow = add_one(&trace->flows, &trace->flow_count, sizeof *flow);
        if (flow == NULL)
            return false;
        *flow = command->call;
    }
    const size_t track = find_track(trace, TRACE_PLACE, command->place);
    const struct trace_clock *clock =
        small & OCL_SPOOL_UNTIMED ? NULL : find_clock(trace, command->device, command->enqueued);
    if (clock == NULL)
        return add_slice(trace, record, track, command->enqueued, command->enqueued);
    return add_slice(trace, record, track, command->begin + (uint64_t)clock->offset,
                     command->end + (uint64_t)clock->offset);
}

static bool add_count(struct trace *trace, const uint64_t *record)
{
    struct trace_slice *count = add_one(&trace->counts, &trace->count_count, sizeof *count);
    if (count == NULL)
        return false;
    *count = (struct trace_slice){record[1], record[1], record, 0};
    return true;
}

static bool read_event(struct trace *trace, uint64_t *record, uint32_t *thread)
{
    switch (trace_kind(record)) {
    case OCL_SPOOL_THREAD:
        *thread = (uint32_t)record[1];
        return true;
    case OCL_SPOOL_CALL:
    case OCL_SPOOL_SPAN:
        return add_slice(trace, record, find_track(trace, TRACE_THREAD, *thread), record[1],
                         record[2]);
    case OCL_SPOOL_RANGE: /* ends are found later */
        return add_slice(trace, record, find_track(trace, TRACE_THREAD, *thread), record[1],
                         record[1]);
    case OCL_SPOOL_COMMAND:
        return add_command(trace, record, *thread);
    case OCL_SPOOL_MEMORY:
        return add_count(trace, record);
    default:
        return true;
    }
}

/* ---- Order ---- */

static int compare_slices(const void *a, const void *b)
{
    const struct trace_slice *one = a, *other = b;
    if (one->track != other->track)
        return one->track < other->track ? -1 : 1;
    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    return (one->end < other->end) - (one->end > other->end);
}

static bool is_range(const struct trace_slice *slice, enum ocl_spool_range what)
{
    return trace_kind(slice->record) == OCL_SPOOL_RANGE &&
           trace_small(slice->record) == (unsigned)what;
}

enum { DEEPEST = 256, MOST_ROWS = 64 };

/* Each push gets the end that its pop tells, in order of the thread's time. Open ones end with the trace, and those that are too
 * deep where they begin. */
static void close_pushes(struct trace *trace)
{
    struct trace_slice *open[DEEPEST];
    size_t depth = 0, deeper = 0;
    for (size_t i = 0; i <= trace->slice_count; i++) {
        struct trace_slice *slice = i < trace->slice_count ? &trace->slices[i] : NULL;
        if (slice == NULL || (i > 0 && slice->track != slice[-1].track))
            for (deeper = 0; depth > 0;)
                open[--depth]->end = trace->last;
        if (slice != NULL && is_range(slice, OCL_SPOOL_PUSH) && depth < DEEPEST)
            open[depth++] = slice;
        else if (slice != NULL && is_range(slice, OCL_SPOOL_PUSH))
            deeper++;
        else if (slice != NULL && is_range(slice, OCL_SPOOL_POP) && deeper > 0)
            deeper--;
        else if (slice != NULL && is_range(slice, OCL_SPOOL_POP) && depth > 0)
            open[--depth]->end = slice->start;
    }
}

static int compare_starts(const void *a, const void *b)
{
    const struct trace_slice *one = *(struct trace_slice *const *)a;
    const struct trace_slice *other = *(struct trace_slice *const *)b;
    return (one->start > other->start) - (one->start < other->start);
}

/* The range that a stop ends is among the open ones of all threads; those lie in rows of their own, since they may overlap. */
static bool place_ranges(struct trace *trace, struct trace_slice **ranges, size_t count)
{
    struct trace_slice *rows[MOST_ROWS] = {NULL};
    for (size_t i = 0; i < count; i++) {
        size_t row = 0;
        if (is_range(ranges[i], OCL_SPOOL_STOP)) {
            while (row < MOST_ROWS &&
                   (rows[row] == NULL || rows[row]->record[2] != ranges[i]->record[2]))
                row++;
            if (row < MOST_ROWS) {
                rows[row]->end = ranges[i]->start;
                rows[row] = NULL;
            }
            continue;
        }
        while (row < MOST_ROWS && rows[row] != NULL)
            row++;
        const size_t track = find_track(trace, TRACE_RANGES, row);
        if (track == SIZE_MAX)
            return false;
        ranges[i]->track = (uint32_t)track;
        ranges[i]->end = trace->last;
        if (row < MOST_ROWS)
            rows[row] = ranges[i];
    }
    return true;
}

static bool close_ranges(struct trace *trace)
{
    struct trace_slice **ranges = NULL;
    size_t count = 0;
    bool is_good = true;
    for (size_t i = 0; is_good && i < trace->slice_count; i++) {
        struct trace_slice *slice = &trace->slices[i];
        if (!is_range(slice, OCL_SPOOL_START) && !is_range(slice, OCL_SPOOL_STOP))
            continue;
        struct trace_slice **range = add_one(&ranges, &count, sizeof(struct trace_slice *));
        is_good = range != NULL;
        if (is_good)
            *range = slice;
    }
    if (count > 0)
        qsort(ranges, count, sizeof(struct trace_slice *), compare_starts);
    is_good = is_good && place_ranges(trace, ranges, count);
    free(ranges);
    return is_good;
}

/* Ends of ranges are no slices of their own. */
static void drop_ends(struct trace *trace)
{
    size_t kept = 0;
    for (size_t i = 0; i < trace->slice_count; i++)
        if (!is_range(&trace->slices[i], OCL_SPOOL_POP) &&
            !is_range(&trace->slices[i], OCL_SPOOL_STOP))
            trace->slices[kept++] = trace->slices[i];
    trace->slice_count = kept;
}

/* Most are in order as they come, and sorting wants as much memory again. */
static void sort_slices(struct trace_slice *slices, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (compare_slices(&slices[i - 1], &slices[i]) > 0) {
            qsort(slices, count, sizeof *slices, compare_slices);
            return;
        }
    }
}

static bool put_in_order(struct trace *trace)
{
    sort_slices(trace->slices, trace->slice_count);
    close_pushes(trace);
    if (!close_ranges(trace))
        return false;
    drop_ends(trace);
    sort_slices(trace->slices, trace->slice_count);
    if (trace->flow_count > 0)
        qsort(trace->flows, trace->flow_count, sizeof *trace->flows, compare_numbers);
    sort_slices(trace->counts, trace->count_count);
    return true;
}

static bool demangle_names(struct trace *trace)
{
    trace->plain_names = calloc(trace->name_count + 1, sizeof *trace->plain_names);
    if (trace->plain_names == NULL)
        return false;
    for (size_t i = 0; i < trace->name_count; i++)
        if (trace->names[i] != NULL)
            trace->plain_names[i] = demangle(trace->names[i]);
    return true;
}

bool trace_read(struct trace *trace, const char *path)
{
    memset(trace, 0, sizeof *trace);
    if (!map_file(trace, path))
        return false;
    trace->last = trace->head.monotonic;
    bool is_good = visit_chunks(trace, OCL_SPOOL_NAMES, read_kept);
    choose_clocks(trace);
    is_good = is_good && demangle_names(trace) &&
              visit_chunks(trace, OCL_SPOOL_EVENTS, read_event) && put_in_order(trace);
    if (is_good)
        return true;
    trace_free(trace);
    return refuse(path, "out of memory");
}

void trace_free(struct trace *trace)
{
    munmap(trace->file, trace->bytes);
    for (size_t i = 0; trace->plain_names != NULL && i < trace->name_count; i++)
        free(trace->plain_names[i]);
    free(trace->plain_names);
    free(trace->names);
    free(trace->tracks);
    free(trace->slices);
    free(trace->counts);
    free(trace->clocks);
    free(trace->flows);
}

/* ---- What people read ---- */

const char *trace_name(const struct trace *trace, uint32_t number)
{
    return number < trace->name_count && trace->names[number] != NULL ? trace->names[number] : "?";
}

const char *trace_plain_name(const struct trace *trace, uint32_t number)
{
    return number < trace->name_count && trace->plain_names[number] != NULL
               ? trace->plain_names[number]
               : trace_name(trace, number);
}

const char *trace_mangled_name(const struct trace *trace, const struct trace_slice *slice)
{
    const uint32_t number = trace_name_number(slice->record);
    return trace_kind(slice->record) == OCL_SPOOL_COMMAND &&
                   (trace_small(slice->record) & 15) == OCL_SPOOL_KERNEL &&
                   number < trace->name_count && trace->plain_names[number] != NULL
               ? trace->names[number]
               : NULL;
}

const struct ocl_spool_command *trace_command(const struct trace_slice *slice)
{
    return (const struct ocl_spool_command *)(slice->record + 1);
}

static const char *command_category(unsigned small)
{
    static const char *const works[] = {[OCL_SPOOL_KERNEL] = "kernel",
                                        [OCL_SPOOL_COPY] = "copy",
                                        [OCL_SPOOL_FILL] = "fill",
                                        [OCL_SPOOL_OWN] = "clem"};
    return works[small & 3];
}

const char *trace_category(const struct trace_slice *slice)
{
    static const char *const spans[] = {"compile", "cache", "migration", "migration"};
    const unsigned small = trace_small(slice->record);
    switch (trace_kind(slice->record)) {
    case OCL_SPOOL_CALL:
        return small == OCL_SPOOL_DRIVER ? "driver" : "runtime";
    case OCL_SPOOL_COMMAND:
        return command_category(small);
    case OCL_SPOOL_SPAN:
        return spans[small & 3];
    default:
        return "range";
    }
}

void trace_copy_kind(unsigned small, char *kind, size_t bytes)
{
    static const char *const ends[] = {"host", "pageable", "pinned", "device"};
    snprintf(kind, bytes, "%s to %s", ends[small >> 4 & 3], ends[small >> 6 & 3]);
}

static void command_title(const struct trace *trace, const struct trace_slice *slice, char *title,
                          size_t bytes)
{
    const unsigned small = trace_small(slice->record);
    char kind[64];
    switch (small & 15) {
    case OCL_SPOOL_KERNEL:
        snprintf(title, bytes, "%s", trace_plain_name(trace, trace_name_number(slice->record)));
        break;
    case OCL_SPOOL_COPY:
        trace_copy_kind(small, kind, sizeof kind);
        snprintf(title, bytes, "copy %s", kind);
        break;
    case OCL_SPOOL_FILL:
        snprintf(title, bytes, "fill");
        break;
    default:
        snprintf(title, bytes, "clem's own");
    }
}

void trace_title(const struct trace *trace, const struct trace_slice *slice, char *title,
                 size_t bytes)
{
    const char *name = trace_plain_name(trace, trace_name_number(slice->record));
    switch (trace_kind(slice->record)) {
    case OCL_SPOOL_COMMAND:
        command_title(trace, slice, title, bytes);
        break;
    case OCL_SPOOL_SPAN:
        switch (trace_small(slice->record)) {
        case OCL_SPOOL_COMPILE:
            snprintf(title, bytes, "compile %s", name);
            break;
        case OCL_SPOOL_CACHED:
            snprintf(title, bytes, "load %s", name);
            break;
        default:
            snprintf(title, bytes, "%s",
                     trace_small(slice->record) == OCL_SPOOL_TO_HOST ? "pages to host"
                                                                     : "pages to device");
        }
        break;
    default:
        snprintf(title, bytes, "%s", name);
    }
    make_utf8(title); /* a character may have been cut at its end */
}

bool trace_has_flow(const struct trace *trace, uint64_t call)
{
    return trace->flow_count > 0 && bsearch(&call, trace->flows, trace->flow_count,
                                            sizeof *trace->flows, compare_numbers) != NULL;
}

uint64_t trace_call(const struct trace *trace, const struct trace_slice *slice)
{
    return (slice->record[3] & UINT32_MAX) | trace->tracks[slice->track].number << 32;
}

uint64_t trace_clock_error(const struct trace *trace)
{
    uint64_t error = 0;
    for (size_t i = 0; i < trace->clock_count; i++)
        if (trace->clocks[i].error > error)
            error = trace->clocks[i].error;
    return error;
}
