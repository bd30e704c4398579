/* Records the steps of one case.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "record.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

struct known_step {
    const char *step;
    const char *value;
};

static FILE *report;
static const char *reported_case = "";
static int with_protocol;
static struct known_step known[MAX_KNOWN];
static size_t known_count;
static char current[MAX_STEP];

/* Names seen so far, so that a repeated one becomes "name #2". */
static char (*seen)[MAX_STEP];
static size_t seen_count, seen_room;

void record_open(FILE *out, const char *case_name, int protocol)
{
    report = out;
    reported_case = case_name;
    with_protocol = protocol;
}

void record_known(const char *step, const char *value)
{
    if (known_count < MAX_KNOWN) {
        known[known_count++] = (struct known_step){step, value};
    }
}

static void put(char letter, const char *value)
{
    if (!with_protocol) {
        if (letter != 'B') {
            fprintf(report, "%s\t%s\t%s\n", reported_case, current, value);
        }
    } else if (letter == 'B') {
        fprintf(report, "B\t%s\n", current);
    } else {
        fprintf(report, "%c\t%s\t%s\n", letter, current, value);
    }
    fflush(report);
}

static bool was_seen(const char *step)
{
    for (size_t i = 0; i < seen_count; i++) {
        if (strcmp(seen[i], step) == 0) {
            return true;
        }
    }
    return false;
}

static void remember(const char *step)
{
    if (seen_count == seen_room) {
        seen_room = seen_room ? seen_room * 2 : 64;
        seen = realloc(seen, seen_room * sizeof *seen);
        require(seen != NULL, "memory for step names");
    }
    strcpy(seen[seen_count++], step);
}

static void make_unique(char *step)
{
    char base[MAX_STEP - 12];
    snprintf(base, sizeof base, "%.*s", (int)sizeof base - 1, step);
    for (int n = 2; was_seen(step); n++) {
        snprintf(step, MAX_STEP, "%s #%d", base, n);
    }
    remember(step);
}

bool oracle_begin(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(current, sizeof current, format, arguments);
    va_end(arguments);
    for (char *c = current; *c; c++) {
        if (*c == '\t' || *c == '\n' || *c == '\r') {
            *c = ' ';
        }
    }
    make_unique(current);
    for (size_t i = 0; i < known_count; i++) {
        if (strcmp(known[i].step, current) == 0) {
            put('V', known[i].value);
            return false;
        }
    }
    put('B', "");
    return true;
}

static const char *runtime_name(cudaError_t code)
{
    const char *name = cudaGetErrorName(code);
    return name ? name : "(null)";
}

static const char *driver_name(CUresult code)
{
    const char *name = NULL;
    if (cuGetErrorName(code, &name) != CUDA_SUCCESS || !name) {
        return "(unknown code)";
    }
    return name;
}

/* The value of a call: its code, then the last error it left. */
static void format_call(char *value, cudaError_t code)
{
    snprintf(value, MAX_VALUE, "%s %s", runtime_name(code), runtime_name(cudaPeekAtLastError()));
}

void oracle_end_runtime(cudaError_t code)
{
    char value[MAX_VALUE];
    format_call(value, code);
    put('V', value);
    (void)cudaGetLastError();
}

/* end_with_trouble: a step left an error behind. When it lasts, the runner repeats the case
 * without the step. */
static void end_with_trouble(const char *value, bool lasting)
{
    put(lasting && with_protocol ? 'P' : 'V', value);
    if (lasting && with_protocol) {
        fflush(NULL);
        _Exit(EXIT_POISONED);
    }
}

void oracle_end_isolated(cudaError_t code)
{
    char value[MAX_VALUE];
    format_call(value, code);
    (void)cudaGetLastError();
    cudaError_t later = cudaDeviceSynchronize();
    (void)cudaGetLastError();
    if (later == cudaSuccess) {
        put('V', value);
        return;
    }
    size_t length = strlen(value);
    snprintf(value + length, sizeof value - length, " then %s", runtime_name(later));
    bool lasting = cudaDeviceSynchronize() != cudaSuccess;
    (void)cudaGetLastError();
    end_with_trouble(value, lasting);
}

void oracle_end_driver(CUresult code)
{
    put('V', driver_name(code));
}

void oracle_end_driver_isolated(CUresult code)
{
    char value[MAX_VALUE];
    CUresult later = cuCtxSynchronize();
    if (later == CUDA_SUCCESS) {
        put('V', driver_name(code));
        return;
    }
    snprintf(value, sizeof value, "%s then %s", driver_name(code), driver_name(later));
    end_with_trouble(value, cuCtxSynchronize() != CUDA_SUCCESS);
}

void oracle_end_value(long long value, bool differs_by_device)
{
    char text[MAX_VALUE];
    snprintf(text, sizeof text, "%s%lld", differs_by_device ? "device:" : "", value);
    put('V', text);
}

void oracle_end_text(const char *text, bool differs_by_device)
{
    char value[MAX_VALUE];
    snprintf(value, sizeof value, "%s%s", differs_by_device ? "device:" : "",
             text ? text : "(null)");
    for (char *c = value; *c; c++) {
        if (*c == '\t' || *c == '\n' || *c == '\r') {
            *c = ' ';
        }
    }
    put('V', value);
}
