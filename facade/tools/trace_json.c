/* A trace as Chrome's JSON: one event a line, times in microseconds.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "facade/tools/trace_write.h"

enum { TITLE_BYTES = 1200 };

struct writer {
    const struct trace *trace;
    FILE *to;
    bool is_first;
};

static void put_text(FILE *to, const char *text)
{
    fputc('"', to);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            fprintf(to, "\\%c", *at);
        else if (*at < ' ')
            fprintf(to, "\\u%04x", *at);
        else
            fputc(*at, to);
    }
    fputc('"', to);
}

/* Rows that are no threads have numbers above those of all threads. */
static uint64_t row_number(const struct trace *trace, uint32_t track)
{
    const struct trace_track *what = &trace->tracks[track];
    return what->kind == TRACE_THREAD  ? what->number
           : what->kind == TRACE_PLACE ? 1000000000 + what->number
                                       : 2000000000 + what->number;
}

static double microseconds(uint64_t nanoseconds)
{
    return (double)nanoseconds / 1e3;
}

static void begin(struct writer *writer, const char *phase)
{
    fprintf(writer->to, "%s{\"ph\":\"%s\",\"pid\":%llu", writer->is_first ? "" : ",\n", phase,
            (unsigned long long)writer->trace->head.process);
    writer->is_first = false;
}

static void put_row(struct writer *writer, uint32_t track)
{
    const struct trace_track *what = &writer->trace->tracks[track];
    char name[64];
    snprintf(name, sizeof name, "ranges %llu", (unsigned long long)what->number + 1);
    if (what->kind == TRACE_THREAD)
        return;
    begin(writer, "M");
    fprintf(writer->to, ",\"tid\":%llu,\"name\":\"thread_name\",\"args\":{\"name\":",
            (unsigned long long)row_number(writer->trace, track));
    put_text(writer->to, what->kind == TRACE_PLACE ? trace_name(writer->trace, what->name) : name);
    fputs("}}", writer->to);
}

static void put_moved(FILE *to, const struct trace_slice *slice, uint64_t bytes)
{
    fprintf(to, ",\"args\":{\"bytes\":%llu", (unsigned long long)bytes);
    if (slice->end > slice->start)
        fprintf(to, ",\"GB/s\":%.3f", (double)bytes / (double)(slice->end - slice->start));
    fputc('}', to);
}

static void put_kernel(FILE *to, const struct trace *trace, const struct trace_slice *slice)
{
    const struct ocl_spool_command *command = trace_command(slice);
    const char *mangled = trace_mangled_name(trace, slice);
    fprintf(to, ",\"args\":{\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"shared\":%llu",
            command->grid[0], command->grid[1], command->grid[2], command->block[0],
            command->block[1], command->block[2], (unsigned long long)command->bytes);
    if (mangled != NULL) {
        fputs(",\"mangled\":", to);
        put_text(to, mangled);
    }
    fputc('}', to);
}

static void put_command(FILE *to, const struct trace *trace, const struct trace_slice *slice)
{
    if ((trace_small(slice->record) & 15) == OCL_SPOOL_KERNEL)
        put_kernel(to, trace, slice);
    else
        put_moved(to, slice, trace_command(slice)->bytes);
}

static void put_details(FILE *to, const struct trace *trace, const struct trace_slice *slice)
{
    if (trace_kind(slice->record) == OCL_SPOOL_COMMAND)
        put_command(to, trace, slice);
    else if (trace_kind(slice->record) == OCL_SPOOL_CALL && slice->record[3] >> 32 != 0)
        fprintf(to, ",\"args\":{\"result\":%llu}", (unsigned long long)(slice->record[3] >> 32));
    else if (trace_kind(slice->record) == OCL_SPOOL_SPAN && slice->record[3] != 0)
        put_moved(to, slice, slice->record[3]);
}

/* An arrow from the call to the command; each end is bound to the slice around it. */
static void put_flow(struct writer *writer, const struct trace_slice *slice, const char *phase,
                     uint64_t flow)
{
    begin(writer, phase);
    fprintf(writer->to,
            ",\"tid\":%llu,\"ts\":%.3f,\"id\":%llu,\"bp\":\"e\",\"cat\":\"flow\",\"name\":\"to\"}",
            (unsigned long long)row_number(writer->trace, slice->track), microseconds(slice->start),
            (unsigned long long)flow);
}

static void put_slice(struct writer *writer, const struct trace_slice *slice)
{
    char title[TITLE_BYTES];
    const enum ocl_spool_kind kind = trace_kind(slice->record);
    const bool is_mark = kind == OCL_SPOOL_RANGE && trace_small(slice->record) == OCL_SPOOL_MARK;
    trace_title(writer->trace, slice, title, sizeof title);
    begin(writer, is_mark ? "i" : "X");
    fprintf(writer->to, ",\"tid\":%llu,\"ts\":%.3f",
            (unsigned long long)row_number(writer->trace, slice->track),
            microseconds(slice->start));
    if (is_mark)
        fputs(",\"s\":\"t\"", writer->to);
    else
        fprintf(writer->to, ",\"dur\":%.3f", microseconds(slice->end - slice->start));
    fprintf(writer->to, ",\"cat\":\"%s\",\"name\":", trace_category(slice));
    put_text(writer->to, title);
    put_details(writer->to, writer->trace, slice);
    fputc('}', writer->to);
    if (kind == OCL_SPOOL_CALL && trace_has_flow(writer->trace, trace_call(writer->trace, slice)))
        put_flow(writer, slice, "s", trace_call(writer->trace, slice));
    if (kind == OCL_SPOOL_COMMAND && trace_command(slice)->call != 0 &&
        !(trace_small(slice->record) & OCL_SPOOL_HOST_TIME))
        put_flow(writer, slice, "f", trace_command(slice)->call);
}

static void put_count(struct writer *writer, const struct trace_slice *count)
{
    static const char *const names[] = {"device", "pinned", "managed", "other"};
    begin(writer, "C");
    fprintf(writer->to, ",\"ts\":%.3f,\"name\":\"%s memory in use\",\"args\":{\"bytes\":%llu}}",
            microseconds(count->start), names[trace_small(count->record) & 3],
            (unsigned long long)count->record[2]);
}

void trace_write_json(const struct trace *trace, FILE *to, bool is_first)
{
    struct writer writer = {trace, to, is_first};
    const char *slash = strrchr(trace->head.program, '/');
    begin(&writer, "M");
    fputs(",\"name\":\"process_name\",\"args\":{\"name\":", to);
    put_text(to, slash != NULL ? slash + 1 : trace->head.program);
    fprintf(to, "}}");
    begin(&writer, "M");
    fprintf(to,
            ",\"name\":\"process_labels\",\"args\":{\"labels\":\"device clock error %llu ns\"}}",
            (unsigned long long)trace_clock_error(trace));
    for (uint32_t i = 0; i < trace->track_count; i++)
        put_row(&writer, i);
    for (size_t i = 0; i < trace->slice_count; i++)
        put_slice(&writer, &trace->slices[i]);
    for (size_t i = 0; i < trace->count_count; i++)
        put_count(&writer, &trace->counts[i]);
}
