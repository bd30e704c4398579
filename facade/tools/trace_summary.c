/* Where a program's time went, and what would most probably help.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "facade/tools/trace_write.h"

/* ---- Sums ---- */

enum table { KERNELS, COPIES, CALLS, OTHER, TABLES };

/* What has one title. */
struct row {
    enum table table;
    uint64_t key;
    const struct trace_slice *sample;
    uint64_t count, bytes, time, least, most;
    uint64_t tiny, tiny_time; /* of copies */
};

struct sums {
    const struct trace *trace;
    struct row *rows;
    size_t count, size;
    uint64_t totals[TABLES];
    bool is_short_of_memory;
};

static struct row *find(struct row *rows, size_t size, uint64_t key)
{
    size_t place = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (size - 1);
    while (rows[place].count != 0 && rows[place].key != key)
        place = (place + 1) & (size - 1);
    return &rows[place];
}

static bool grow(struct sums *sums)
{
    const size_t size = sums->size > 0 ? 2 * sums->size : 256;
    struct row *larger = calloc(size, sizeof *larger);
    if (larger == NULL)
        return false;
    for (size_t i = 0; i < sums->size; i++)
        if (sums->rows[i].count != 0)
            *find(larger, size, sums->rows[i].key) = sums->rows[i];
    free(sums->rows);
    sums->rows = larger;
    sums->size = size;
    return true;
}

static bool table_of(const struct trace_slice *slice, enum table *table)
{
    const unsigned work = trace_small(slice->record) & 15;
    switch (trace_kind(slice->record)) {
    case OCL_SPOOL_CALL:
        *table = CALLS;
        return true;
    case OCL_SPOOL_COMMAND:
        *table = work == OCL_SPOOL_KERNEL ? KERNELS : work == OCL_SPOOL_OWN ? OTHER : COPIES;
        return true;
    case OCL_SPOOL_SPAN:
        *table = OTHER;
        return true;
    default:
        return false;
    }
}

/* Of the record's first word, what its title is made from; copies by the host are the same as those of the device. */
static uint64_t key_of(const struct trace_slice *slice)
{
    const uint64_t flags = (uint64_t)(OCL_SPOOL_UNTIMED | OCL_SPOOL_HOST_TIME) << 16;
    const uint64_t key = slice->record[0] & ~UINT64_C(0xff00) & ~flags;
    const bool is_copy = trace_kind(slice->record) == OCL_SPOOL_COMMAND &&
                         (trace_small(slice->record) & 15) != OCL_SPOOL_KERNEL;
    return is_copy ? key & UINT32_MAX : key;
}

static uint64_t bytes_of(const struct trace_slice *slice, enum table table)
{
    if (table == COPIES)
        return trace_command(slice)->bytes;
    return trace_kind(slice->record) == OCL_SPOOL_SPAN ? slice->record[3] : 0;
}

static bool is_tiny_copy(const struct trace_slice *slice, enum table table)
{
    enum { TINY_BYTES = 64 << 10 };
    return table == COPIES && (trace_small(slice->record) & 15) == OCL_SPOOL_COPY &&
           bytes_of(slice, table) < TINY_BYTES;
}

static void add(struct sums *sums, const struct trace_slice *slice)
{
    enum table table;
    if (!table_of(slice, &table))
        return;
    if (2 * (sums->count + 1) > sums->size && !grow(sums)) {
        sums->is_short_of_memory = true;
        return;
    }
    struct row *row = find(sums->rows, sums->size, key_of(slice));
    const uint64_t time = slice->end - slice->start;
    if (row->count == 0) {
        *row = (struct row){.table = table, .key = key_of(slice), .sample = slice, .least = time};
        sums->count++;
    }
    row->count++;
    row->bytes += bytes_of(slice, table);
    row->time += time;
    row->least = time < row->least ? time : row->least;
    row->most = time > row->most ? time : row->most;
    if (is_tiny_copy(slice, table)) {
        row->tiny++;
        row->tiny_time += time;
    }
    sums->totals[table] += time;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    if ((one->count == 0) != (other->count == 0))
        return one->count == 0 ? 1 : -1;
    if (one->table != other->table)
        return one->table < other->table ? -1 : 1;
    return (one->time < other->time) - (one->time > other->time);
}

/* ---- Peaks ---- */

/* Which peak a copy is held against; -1: none. */
static int peak_of(const struct row *row)
{
    const unsigned small = trace_small(row->sample->record);
    const unsigned source = small >> 4 & 3, target = small >> 6 & 3;
    if (row->table != COPIES || (small & 15) != OCL_SPOOL_COPY)
        return -1;
    if (source == OCL_SPOOL_AT_DEVICE)
        return target == OCL_SPOOL_AT_DEVICE ? TRACE_PEAK_WITHIN : TRACE_PEAK_TO_HOST;
    return target == OCL_SPOOL_AT_DEVICE ? TRACE_PEAK_TO_DEVICE : -1;
}

static double rate_of(const struct row *row)
{
    return row->time > 0 ? (double)row->bytes * 1e9 / (double)row->time : 0;
}

static double percent_of_peak(const struct row *row, const double peaks[TRACE_PEAKS])
{
    const int peak = peak_of(row);
    return peak >= 0 && peaks[peak] > 0 ? 100 * rate_of(row) / peaks[peak] : 0;
}

/* ---- Advice ---- */

enum { ADVICES = 6, SHOWN_ADVICES = 3, ADVICE_BYTES = 320 };

struct advice {
    double seconds; /* that it may save */
    char text[ADVICE_BYTES];
};

struct findings {
    double pageable_time, pinned_rate, pageable_bytes;
    uint64_t tiny, pageable;
    double tiny_time, move_time, compile_time, wait_time;
    uint64_t moves, compiles, waits, kernels;
};

static bool is_call(const struct trace *trace, const struct row *row, const char *part)
{
    return row->table == CALLS &&
           strstr(trace_name(trace, trace_name_number(row->sample->record)), part) != NULL;
}

static void look_at_copy(struct findings *found, const struct row *row)
{
    const unsigned small = trace_small(row->sample->record);
    const unsigned source = small >> 4 & 3, target = small >> 6 & 3;
    if (source == OCL_SPOOL_AT_PAGEABLE || target == OCL_SPOOL_AT_PAGEABLE) {
        found->pageable += row->count;
        found->pageable_time += (double)row->time / 1e9;
        found->pageable_bytes += (double)row->bytes;
    }
    found->tiny += row->tiny;
    found->tiny_time += (double)row->tiny_time / 1e9;
}

static void look_at(struct findings *found, const struct trace *trace, const struct row *row)
{
    const enum ocl_spool_kind kind = trace_kind(row->sample->record);
    const unsigned small = trace_small(row->sample->record);
    if (row->table == COPIES)
        look_at_copy(found, row);
    if (row->table == KERNELS)
        found->kernels += row->count;
    if (kind == OCL_SPOOL_SPAN && small == OCL_SPOOL_COMPILE) {
        found->compiles += row->count;
        found->compile_time += (double)row->time / 1e9;
    }
    if (kind == OCL_SPOOL_SPAN && (small == OCL_SPOOL_TO_HOST || small == OCL_SPOOL_TO_DEVICE)) {
        found->moves += row->count;
        found->move_time += (double)row->time / 1e9;
    }
    if (is_call(trace, row, "Synchronize")) {
        found->waits += row->count;
        found->wait_time += (double)row->time / 1e9;
    }
}

static int compare_advice(const void *a, const void *b)
{
    const struct advice *one = a, *other = b;
    return (one->seconds < other->seconds) - (one->seconds > other->seconds);
}

/* What each may save is an estimate: half of what pageable memory costs, all of compiling and moving, the calls' own cost of
 * small copies, and the host's idle time where there is a wait for every few kernels. */
static size_t advise(const struct findings *found, double seconds, struct advice advices[ADVICES])
{
    enum { CALL_NS = 3000 };
    static const double WORTH = 0.005; /* of the time that the program took */
    size_t n = 0;
    if (found->pageable_time > 0) {
        advices[n].seconds = found->pageable_time / 2;
        snprintf(advices[n++].text, ADVICE_BYTES,
                 "copies from or to pageable memory (%llu) took %.3f s (%.2f GB/s): allocate that "
                 "memory by cudaMallocHost(), or register it by cudaHostRegister(), and copy with "
                 "cudaMemcpyAsync()",
                 (unsigned long long)found->pageable, found->pageable_time,
                 found->pageable_bytes / found->pageable_time / 1e9);
    }
    if (found->tiny > 16) {
        advices[n].seconds = found->tiny_time + (double)found->tiny * CALL_NS / 1e9;
        snprintf(advices[n++].text, ADVICE_BYTES,
                 "%llu copies of less than 64 KiB: put them together into fewer and larger ones, "
                 "or pass small values as kernel parameters",
                 (unsigned long long)found->tiny);
    }
    if (found->move_time > 0) {
        advices[n].seconds = found->move_time;
        snprintf(advices[n++].text, ADVICE_BYTES,
                 "moves of managed memory when it was first touched (%llu) took %.3f s: "
                 "call cudaMemPrefetchAsync() before kernels and before the host reads",
                 (unsigned long long)found->moves, found->move_time);
    }
    if (found->waits > 4 && 2 * found->waits > found->kernels) {
        advices[n].seconds = found->wait_time / 2;
        snprintf(advices[n++].text, ADVICE_BYTES,
                 "%llu synchronising calls for %llu kernels took %.3f s: let work queue up, order "
                 "streams by cudaStreamWaitEvent(), and wait where results are used",
                 (unsigned long long)found->waits, (unsigned long long)found->kernels,
                 found->wait_time);
    }
    if (found->compile_time > 0) {
        advices[n].seconds = found->compile_time;
        snprintf(advices[n++].text, ADVICE_BYTES,
                 "compiling programs (%llu) took %.3f s: keep CLEM_CACHE_DIR and "
                 "POCL_CACHE_DIR from run to run, and the next one finds them there",
                 (unsigned long long)found->compiles, found->compile_time);
    }
    qsort(advices, n, sizeof *advices, compare_advice);
    while (n > 0 && (n > SHOWN_ADVICES || advices[n - 1].seconds < seconds * WORTH))
        n--;
    return n;
}

/* ---- Forms ---- */

static const char *const table_names[TABLES] = {"kernel", "copy", "call", "other"};

struct view {
    const struct sums *sums;
    FILE *to;
    const double *peaks;
    double seconds;
};

static void put_text_table(const struct view *view, enum table table)
{
    static const char *const heads[TABLES] = {"Kernels", "Copies and fills", "Calls", "Other"};
    char title[256];
    bool has_begun = false;
    for (size_t i = 0; i < view->sums->count; i++) {
        const struct row *row = &view->sums->rows[i];
        if (row->table != table)
            continue;
        if (!has_begun)
            fprintf(view->to, "\n%-32s %8s %11s %6s %10s %10s %9s %s\n", heads[table], "count",
                    "total ms", "%", "mean us", "max us", table == COPIES ? "GB/s" : "",
                    table == COPIES ? "% of peak" : "");
        has_begun = true;
        trace_title(view->sums->trace, row->sample, title, sizeof title);
        fprintf(view->to, "%-32.60s %8llu %11.3f %6.1f %10.2f %10.2f", title,
                (unsigned long long)row->count, (double)row->time / 1e6,
                view->sums->totals[table] > 0
                    ? 100 * (double)row->time / (double)view->sums->totals[table]
                    : 0,
                (double)row->time / 1e3 / (double)row->count, (double)row->most / 1e3);
        if (table == COPIES)
            fprintf(view->to, " %9.2f", rate_of(row) / 1e9);
        if (percent_of_peak(row, view->peaks) > 0)
            fprintf(view->to, " %8.0f", percent_of_peak(row, view->peaks));
        fputc('\n', view->to);
    }
}

static void put_text(const struct view *view, const struct advice *advices, size_t count)
{
    const struct trace *trace = view->sums->trace;
    fprintf(view->to, "%s, process %llu: %.3f s from the first call\n", trace->head.program,
            (unsigned long long)trace->head.process, view->seconds);
    for (enum table table = KERNELS; table < TABLES; table++)
        put_text_table(view, table);
    if (count > 0)
        fprintf(view->to, "\nWhat would most probably help:\n");
    for (size_t i = 0; i < count; i++)
        fprintf(view->to, "%zu. %s (about %.3f s)\n", i + 1, advices[i].text, advices[i].seconds);
}

/* A comma or quote in a name wants quotes around it, and quotes within doubled or escaped. */
static void put_quoted(FILE *to, const char *text, char escape)
{
    fputc('"', to);
    for (; *text != '\0'; text++) {
        if (*text == '"' || (escape == '\\' && *text == '\\'))
            fputc(escape, to);
        if ((unsigned char)*text >= ' ')
            fputc(*text, to);
    }
    fputc('"', to);
}

static void put_csv(const struct view *view, bool is_first)
{
    char title[1200];
    if (is_first)
        fprintf(view->to, "process,table,name,count,total_ns,min_ns,max_ns,bytes,bytes_per_s,"
                          "percent_of_peak,mangled\n");
    for (size_t i = 0; i < view->sums->count; i++) {
        const struct row *row = &view->sums->rows[i];
        const char *mangled = trace_mangled_name(view->sums->trace, row->sample);
        trace_title(view->sums->trace, row->sample, title, sizeof title);
        fprintf(view->to, "%llu,%s,", (unsigned long long)view->sums->trace->head.process,
                table_names[row->table]);
        put_quoted(view->to, title, '"');
        fprintf(view->to, ",%llu,%llu,%llu,%llu,%llu,%.0f,%.1f,", (unsigned long long)row->count,
                (unsigned long long)row->time, (unsigned long long)row->least,
                (unsigned long long)row->most, (unsigned long long)row->bytes,
                row->bytes > 0 ? rate_of(row) : 0, percent_of_peak(row, view->peaks));
        put_quoted(view->to, mangled != NULL ? mangled : "", '"');
        fputc('\n', view->to);
    }
}

static void put_json(const struct view *view, const struct advice *advices, size_t count,
                     bool is_first)
{
    char title[1200];
    fprintf(view->to, "%s{\"process\":%llu,\"program\":", is_first ? "[" : ",\n",
            (unsigned long long)view->sums->trace->head.process);
    put_quoted(view->to, view->sums->trace->head.program, '\\');
    fprintf(view->to, ",\"seconds\":%.6f,\"rows\":[", view->seconds);
    for (size_t i = 0; i < view->sums->count; i++) {
        const struct row *row = &view->sums->rows[i];
        const char *mangled = trace_mangled_name(view->sums->trace, row->sample);
        trace_title(view->sums->trace, row->sample, title, sizeof title);
        fprintf(view->to, "%s\n{\"table\":\"%s\",\"name\":", i > 0 ? "," : "",
                table_names[row->table]);
        put_quoted(view->to, title, '\\');
        if (mangled != NULL) {
            fputs(",\"mangled\":", view->to);
            put_quoted(view->to, mangled, '\\');
        }
        fprintf(view->to,
                ",\"count\":%llu,\"total_ns\":%llu,\"min_ns\":%llu,\"max_ns\":%llu,"
                "\"bytes\":%llu,\"bytes_per_s\":%.0f,\"percent_of_peak\":%.1f}",
                (unsigned long long)row->count, (unsigned long long)row->time,
                (unsigned long long)row->least, (unsigned long long)row->most,
                (unsigned long long)row->bytes, row->bytes > 0 ? rate_of(row) : 0,
                percent_of_peak(row, view->peaks));
    }
    fprintf(view->to, "],\"advice\":[");
    for (size_t i = 0; i < count; i++) {
        fprintf(view->to, "%s\n", i > 0 ? "," : "");
        put_quoted(view->to, advices[i].text, '\\');
    }
    fprintf(view->to, "]}");
}

bool trace_summarize(const struct trace *trace, FILE *to, enum trace_summary_form form,
                     const double peaks[TRACE_PEAKS], bool is_first)
{
    struct sums sums = {.trace = trace};
    struct findings found = {0};
    struct advice advices[ADVICES];
    for (size_t i = 0; i < trace->slice_count; i++)
        add(&sums, &trace->slices[i]);
    if (sums.size > 0)
        qsort(sums.rows, sums.size, sizeof *sums.rows, compare_rows);
    for (size_t i = 0; i < sums.count; i++)
        look_at(&found, trace, &sums.rows[i]);
    const double seconds = (double)(trace->last - trace->head.monotonic) / 1e9;
    const size_t count = advise(&found, seconds, advices);
    const struct view view = {&sums, to, peaks, seconds};
    if (form == TRACE_TEXT)
        put_text(&view, advices, count);
    else if (form == TRACE_CSV)
        put_csv(&view, is_first);
    else
        put_json(&view, advices, count, is_first);
    free(sums.rows);
    return !sums.is_short_of_memory;
}

void trace_end_summary(FILE *to, enum trace_summary_form form, bool is_first)
{
    if (form == TRACE_JSON)
        fputs(is_first ? "[]\n" : "]\n", to);
}
