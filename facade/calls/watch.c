/* What is told of a call where somebody watches: a record in the trace, a line on stderr (CLEM_TRACE=calls).
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cl/check.h"
#include "cl/whole.h"
#include "facade/calls/calls.h"
#include "facade/state/internal.h"

static const char *const names[] = {
#define CALL(index, type, name, parameters, arguments, ...)              #name,
#define CALL_BARE(index, type, name, parameters, arguments)              #name,
#define CALL_LENT(index, type, name, parameters, arguments, lender, ...) #name,
#include "calls_rows.h"
#undef CALL
#undef CALL_BARE
#undef CALL_LENT
};

unsigned facade_calls_watch(void)
{
    const unsigned state = ocl_profile_now();
    return state & (OCL_PROFILE_UNKNOWN | OCL_PROFILE_PAUSED) ? ocl_profile_start(names, CALLS)
                                                              : state;
}

void facade_call_begin(struct facade_call *call)
{
    call->state = facade_calls_watch();
    if (call->state & OCL_PROFILE_TELLS)
        ocl_check_call_begin();
    if (call->state & ~(unsigned)OCL_PROFILE_TELLS)
        ocl_profile_call_begin(&call->record);
}

/* ---- Lines ---- */

enum { LINE_BYTES = 1024, TEXT_BYTES = 64, STRUCTURE_BYTES = 16 };

struct line {
    char text[LINE_BYTES];
    size_t length;
};

static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length =
        vsnprintf(line->text + line->length, LINE_BYTES - line->length, format, arguments);
    va_end(arguments);
    if (length > 0)
        line->length += (size_t)length < LINE_BYTES - line->length ? (size_t)length
                                                                   : LINE_BYTES - line->length - 1;
}

/* Of a number: the low bytes, with the sign where it has one. */
static long long read_number(const struct facade_value *value)
{
    int narrow = 0;
    long long wide = 0;
    if (value->kind == FACADE_VALUE_SIGNED && value->bytes == sizeof narrow) {
        memcpy(&narrow, value->at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, value->at, value->bytes < sizeof wide ? value->bytes : sizeof wide);
    return wide;
}

static double read_real(const struct facade_value *value)
{
    float narrow = 0;
    double wide = 0;
    if (value->bytes == sizeof wide)
        memcpy(&wide, value->at, sizeof wide);
    else
        memcpy(&narrow, value->at, sizeof narrow);
    return value->bytes == sizeof wide ? wide : (double)narrow;
}

static void add_text(struct line *line, const char *text)
{
    if (text == NULL)
        add(line, "NULL");
    else
        add(line, "\"%.*s\"%s", TEXT_BYTES, text,
            strnlen(text, TEXT_BYTES + 1) > TEXT_BYTES ? "..." : "");
}

static void add_bytes(struct line *line, const struct facade_value *value)
{
    const unsigned *words = value->at;
    const size_t count = value->bytes / sizeof *words;
    add(line, "{");
    for (size_t i = 0; i < count && i < STRUCTURE_BYTES / sizeof *words; i++)
        add(line, i > 0 ? ", %u" : "%u", words[i]);
    add(line, count > STRUCTURE_BYTES / sizeof *words ? ", ...}" : "}");
}

static void add_value(struct line *line, const struct facade_value *value)
{
    const char *text = NULL;
    switch (value->kind) {
    case FACADE_VALUE_SIGNED:
        add(line, "%lld", read_number(value));
        break;
    case FACADE_VALUE_UNSIGNED:
        add(line, "%llu", (unsigned long long)read_number(value));
        break;
    case FACADE_VALUE_REAL:
        add(line, "%g", read_real(value));
        break;
    case FACADE_VALUE_POINTER:
        add(line, "0x%llx", (unsigned long long)read_number(value));
        break;
    case FACADE_VALUE_TEXT:
        memcpy(&text, value->at, sizeof text);
        add_text(line, text);
        break;
    case FACADE_VALUE_BYTES:
        add_bytes(line, value);
        break;
    }
}

/* name: the result's type. */
static void add_result(struct line *line, const struct facade_value *result)
{
    const char *text = NULL;
    if (strcmp(result->name, "cudaError_t") == 0)
        text = cudaGetErrorName((cudaError_t)read_number(result));
    else if (strcmp(result->name, "CUresult") == 0)
        (void)cuGetErrorName((CUresult)read_number(result), &text);
    add(line, ") = ");
    if (text != NULL)
        add(line, "%s", text);
    else
        add_value(line, result);
}

static void show(const struct facade_call *call, unsigned index, const struct facade_value *result,
                 const struct facade_value *arguments, size_t count)
{
    struct line line = {.length = 0};
    add(&line, "%s(", names[index]);
    for (size_t i = 0; i < count; i++) {
        add(&line, "%s%s=", i > 0 ? ", " : "", arguments[i].name);
        add_value(&line, &arguments[i]);
    }
    add_result(&line, result);
    whole_say("clem: [%ld] %s, %.1f us\n", (long)syscall(SYS_gettid), line.text,
              (double)(ocl_profile_clock() - call->record.start) / 1e3);
}

static bool is_error(const struct facade_value *result)
{
    return strcmp(result->name, "cudaError_t") == 0 || strcmp(result->name, "CUresult") == 0;
}

static void tell_end(const struct facade_call *call, unsigned index,
                     const struct facade_value *result, const struct facade_value *arguments,
                     size_t count)
{
    ocl_profile_call_end(&call->record, index + 1,
                         strncmp(names[index], "cuda", 4) == 0 || names[index][0] == '_'
                             ? OCL_SPOOL_RUNTIME
                             : OCL_SPOOL_DRIVER,
                         is_error(result) ? (int)read_number(result) : 0);
    if (call->state & OCL_PROFILE_SHOWS)
        show(call, index, result, arguments, count);
}

void facade_call_end(const struct facade_call *call, unsigned index,
                     const struct facade_value *result, const struct facade_value *arguments,
                     size_t count)
{
    if (call->state & ~(unsigned)OCL_PROFILE_TELLS)
        tell_end(call, index, result, arguments, count);
    if (call->state & OCL_PROFILE_TELLS)
        ocl_check_call_end();
}
