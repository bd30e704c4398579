/* Reports of the checks: one block each, the same one folded, a summary at the end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/report.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cl/base/steady.h"
#include "cl/check/report_file.h"
#include "cl/check/stack.h"
#include "cl/check/suppress.h"
#include "cl/check/text.h"
#include "cl/check/wishes.h"

/* As many as anybody reads: repeats are found among them one by one. */
enum { MOST_SHOWN = 4096 };

struct shown {
    struct ocl_report report;
    _Atomic uint64_t times;
    bool is_suppressed;
};

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* a leaf: one block is written at a time */
static struct shown *_Atomic shown[MOST_SHOWN];
static _Atomic size_t shown_count;
static _Atomic uint64_t errors, warnings, suppressed, left_out;
static atomic_bool is_ended, is_last; /* nothing is added any more; a handler of signals writes */

uint64_t ocl_report_errors(void)
{
    return atomic_load(&errors);
}

uint64_t ocl_report_key(const uint64_t *numbers, size_t count)
{
    uint64_t key = UINT64_C(0xcbf29ce484222325); /* FNV-1a, on words */
    for (size_t i = 0; i < count; i++)
        key = (key ^ numbers[i] ^ numbers[i] >> 32) * UINT64_C(0x100000001b3);
    return key;
}

/* ---- Text ---- */

/* Lines after the first are indented further, where the format has lines. */
static void put_lines(struct ocl_check_text *text, const char *at)
{
    char line[512];
    while (*at && text->format != OCL_CHECK_JSON) {
        const size_t length = strcspn(at, "\n");
        if (length == 0) {
            ocl_text_put(text, "\n        ");
            at++;
            continue;
        }
        const size_t kept = ocl_text_whole(at, length < sizeof line ? length : sizeof line - 1);
        memcpy(line, at, kept);
        line[kept] = '\0';
        ocl_text_put_escaped(text, line);
        at += kept;
    }
    ocl_text_put_escaped(text, at);
}

static void put_value(struct ocl_check_text *text, const struct ocl_report_part *part)
{
    char name[256];
    const char *at = part->text;
    while (part->has_names && *at) {
        const char *const end = strstr(at, ", ");
        const size_t length = end ? (size_t)(end - at) : strlen(at);
        const size_t kept = length < sizeof name ? length : sizeof name - 1;
        memcpy(name, at, kept);
        name[kept] = '\0';
        ocl_text_put_name(text, name);
        ocl_text_put(text, end ? ", " : "");
        at += length + (end ? 2 : 0);
    }
    put_lines(text, at);
}

static void put_part(struct ocl_check_text *text, const struct ocl_report_part *part)
{
    ocl_text_put(text, part->joins ? ", " : "    ");
    ocl_text_put_escaped(text, part->label);
    if (part->text) {
        ocl_text_put(text, part->is_long ? ": " : " ");
        put_value(text, part);
    }
    if (part->stack) {
        ocl_text_put(text, ":\n");
        ocl_stack_write(part->stack, text);
    }
}

static bool has_part(const struct ocl_report *report, int index)
{
    return index < OCL_REPORT_PARTS && report->parts[index].label;
}

static void put_parts(struct ocl_check_text *text, const struct ocl_report *report)
{
    for (int i = 0; has_part(report, i); i++) {
        put_part(text, &report->parts[i]);
        if (!has_part(report, i + 1) || !report->parts[i + 1].joins)
            ocl_text_put(text, "\n");
    }
}

/* The block as people read it; number: the report's, from 0 on. */
static void put_block(struct ocl_check_text *text, const struct ocl_report *report, size_t number)
{
    ocl_text_put(text, report->is_warning ? "clem: warning " : "clem: error ");
    ocl_text_put_number(text, number + 1);
    ocl_text_put(text, " (");
    ocl_text_put(text, ocl_check_word(report->kind));
    ocl_text_put(text, "): ");
    ocl_text_put(text, report->what);
    ocl_text_put(text, "\n");
    put_parts(text, report);
}

static void put_counted(struct ocl_check_text *text, uint64_t count, const char *word)
{
    ocl_text_put_number(text, count);
    ocl_text_put(text, word);
    ocl_text_put(text, count == 1 ? "" : "s");
}

static void put_repeats(struct ocl_check_text *text)
{
    const size_t count = atomic_load(&shown_count);
    for (size_t i = 0; i < count; i++) {
        const struct shown *const one = atomic_load(&shown[i]);
        const uint64_t times = one ? atomic_load(&one->times) : 0;
        if (times < 2 || one->is_suppressed)
            continue;
        ocl_text_put(text, one->report.is_warning ? "clem: warning " : "clem: error ");
        ocl_text_put_number(text, i + 1);
        ocl_text_put(text, " came ");
        put_counted(text, times, " time");
        ocl_text_put(text, "\n");
    }
}

static void put_summary(struct ocl_check_text *text)
{
    ocl_text_put(text, "clem: ERROR SUMMARY: ");
    put_counted(text, atomic_load(&errors), " error");
    ocl_text_put(text, ", ");
    put_counted(text, atomic_load(&warnings), " warning");
    if (atomic_load(&suppressed) > 0) {
        ocl_text_put(text, ", ");
        ocl_text_put_number(text, atomic_load(&suppressed));
        ocl_text_put(text, " suppressed");
    }
    if (atomic_load(&left_out) > 0) {
        ocl_text_put(text, ", ");
        ocl_text_put_number(text, atomic_load(&left_out));
        ocl_text_put(text, " of them not shown (--max-reports)");
    }
    ocl_text_put(text, "\n");
}

/* ---- JSON ---- */

static void put_json_text(struct ocl_check_text *text, const char *word)
{
    ocl_text_put(text, "\"");
    ocl_text_put_escaped(text, word);
    ocl_text_put(text, "\"");
}

static void put_json_name(struct ocl_check_text *text, const char *label, const char *ending)
{
    char letter[2] = "";
    ocl_text_put(text, ", \"");
    for (; *label; label++) {
        letter[0] = *label == ' ' ? '_' : *label;
        ocl_text_put_escaped(text, letter);
    }
    ocl_text_put(text, ending);
    ocl_text_put(text, "\": ");
}

static void put_json_part(struct ocl_check_text *text, const struct ocl_report_part *part)
{
    if (part->text) {
        put_json_name(text, part->label, "");
        ocl_text_put(text, "\"");
        put_value(text, part);
        ocl_text_put(text, "\"");
    }
    if (part->stack) {
        put_json_name(text, part->label, "_stack");
        ocl_text_put(text, "[");
        ocl_stack_write(part->stack, text);
        ocl_text_put(text, "]");
    }
}

static void put_json_report(struct ocl_check_text *text, const struct shown *one)
{
    const struct ocl_report *const report = &one->report;
    ocl_text_put(text, "    {\"check\": ");
    put_json_text(text, ocl_check_word(report->kind));
    ocl_text_put(text, ", \"severity\": ");
    put_json_text(text, report->is_warning ? "warning" : "error");
    ocl_text_put(text, ", \"count\": ");
    ocl_text_put_number(text, atomic_load(&one->times));
    ocl_text_put(text, ", \"what\": ");
    put_json_text(text, report->what);
    for (int i = 0; i < OCL_REPORT_PARTS && report->parts[i].label; i++)
        put_json_part(text, &report->parts[i]);
    ocl_text_put(text, "}");
}

static void put_json_count(struct ocl_check_text *text, const char *name, uint64_t count)
{
    ocl_text_put(text, "  \"");
    ocl_text_put(text, name);
    ocl_text_put(text, "\": ");
    ocl_text_put_number(text, count);
    ocl_text_put(text, ",\n");
}

static void put_json(struct ocl_check_text *text)
{
    const size_t count = atomic_load(&shown_count);
    const char *between = "\n";
    ocl_text_put(text, "{\n");
    put_json_count(text, "errors", atomic_load(&errors));
    put_json_count(text, "warnings", atomic_load(&warnings));
    put_json_count(text, "suppressed", atomic_load(&suppressed));
    put_json_count(text, "not_shown", atomic_load(&left_out));
    ocl_text_put(text, "  \"reports\": [");
    for (size_t i = 0; i < count; i++) {
        const struct shown *const one = atomic_load(&shown[i]);
        if (!one || one->is_suppressed)
            continue;
        ocl_text_put(text, between);
        put_json_report(text, one);
        between = ",\n";
    }
    ocl_text_put(text, "\n  ]\n}\n");
}

/* ---- JUnit ---- */

/* Source: the format as Ant's task and Jenkins' schema have it: a testsuite of testcases, of which those with a failure failed. */
static void put_junit_report(struct ocl_check_text *text, const struct shown *one)
{
    const struct ocl_report *const report = &one->report;
    ocl_text_put(text, "  <testcase classname=\"clem.");
    ocl_text_put(text, ocl_check_word(report->kind));
    ocl_text_put(text, "\" name=\"");
    ocl_text_put_escaped(text, report->what);
    ocl_text_put(text,
                 report->is_warning ? "\">\n    <system-out>" : "\">\n    <failure message=\"");
    if (!report->is_warning) {
        ocl_text_put_escaped(text, report->what);
        ocl_text_put(text, "\">");
    }
    put_counted(text, atomic_load(&one->times), " time");
    ocl_text_put(text, "\n");
    put_parts(text, report);
    ocl_text_put(text, report->is_warning ? "</system-out>\n" : "</failure>\n");
    ocl_text_put(text, "  </testcase>\n");
}

static void put_junit(struct ocl_check_text *text)
{
    const size_t count = atomic_load(&shown_count);
    size_t cases = 0, failures = 0;
    for (size_t i = 0; i < count; i++) {
        const struct shown *const one = atomic_load(&shown[i]);
        cases += one && !one->is_suppressed;
        failures += one && !one->is_suppressed && !one->report.is_warning;
    }
    ocl_text_put(text,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"clem\" tests=\"");
    ocl_text_put_number(text, cases > 0 ? cases : 1);
    ocl_text_put(text, "\" failures=\"");
    ocl_text_put_number(text, failures);
    ocl_text_put(text, "\" errors=\"0\">\n");
    for (size_t i = 0; i < count; i++) {
        const struct shown *const one = atomic_load(&shown[i]);
        if (one && !one->is_suppressed)
            put_junit_report(text, one);
    }
    if (cases == 0)
        ocl_text_put(text, "  <testcase classname=\"clem\" name=\"checks\"/>\n");
    ocl_text_put(text, "</testsuite>\n");
}

/* ---- Writing ---- */

static void begin(struct ocl_check_text *text, int file, enum ocl_check_format format)
{
    text->may_allocate = !atomic_load(&is_last);
    text->file = file;
    text->format = format;
    text->length = 0;
    text->has_failed = false;
}

static void put_document(struct ocl_check_text *text)
{
    if (ocl_check_wishes()->format == OCL_CHECK_JSON)
        put_json(text);
    else
        put_junit(text);
    ocl_text_flush(text);
}

/* False: not all of it is there. */
static bool write_all_of_it(void)
{
    struct ocl_check_text text;
    const int file = ocl_report_file();
    const bool is_stream = ocl_report_file_is_stream();
    if (file < 0)
        return true;
    begin(&text, file, ocl_check_wishes()->format);
    if (!is_stream && lseek(file, 0, SEEK_SET) != 0)
        return false;
    put_document(&text);
    return !text.has_failed && (is_stream || ftruncate(file, lseek(file, 0, SEEK_CUR)) == 0);
}

/* The whole of what is known so far: a process that is killed leaves a file that can be read. Where it stays, only at the end. */
static void write_document(bool is_end)
{
    if (!is_end && ocl_report_file_is_stream())
        return;
    if (!write_all_of_it() && ocl_report_file_fail(errno) && is_end)
        (void)write_all_of_it();
}

static void put_all_lines(struct ocl_check_text *text, const struct ocl_report *report,
                          size_t number)
{
    if (report) {
        put_block(text, report, number);
    } else {
        put_repeats(text);
        put_summary(text);
    }
    ocl_text_flush(text);
}

/* Lines of text, by whoever puts them: a block, or what stands at the end. */
static void write_lines(const struct ocl_report *report, size_t number)
{
    struct ocl_check_text text;
    bool is_again = false;
    do {
        const int file = ocl_report_file();
        if (file < 0)
            return;
        begin(&text, file, OCL_CHECK_TEXT);
        ocl_report_file_hold(file);
        put_all_lines(&text, report, number);
        ocl_report_file_let_go(file);
        is_again = text.has_failed && ocl_report_file_fail(errno);
    } while (is_again);
}

static void write_new(const struct ocl_report *report, size_t number)
{
    if (ocl_check_wishes()->format == OCL_CHECK_TEXT)
        write_lines(report, number);
    else
        write_document(false);
}

/* ---- Adding ---- */

static void count_one(const struct shown *one)
{
    atomic_fetch_add(one->is_suppressed       ? &suppressed
                     : one->report.is_warning ? &warnings
                                              : &errors,
                     1);
}

static struct shown *find(const struct ocl_report *report)
{
    const size_t count = atomic_load(&shown_count);
    for (size_t i = 0; i < count; i++) {
        struct shown *const one = atomic_load(&shown[i]);
        if (one && one->report.key == report->key && one->report.kind == report->kind)
            return one;
    }
    return NULL;
}

static const char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* NULL without memory. What is shown stays until the process ends. */
static struct shown *keep(const struct ocl_report *report)
{
    struct shown *const made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->report = *report;
    made->report.what = copy(report->what);
    for (int i = 0; i < OCL_REPORT_PARTS && report->parts[i].label; i++)
        made->report.parts[i].text = copy(report->parts[i].text);
    if (!made->report.what)
        made->report.what = "";
    atomic_init(&made->times, 1);
    return made;
}

/* Its number; false: as many are shown as the user wants. */
static bool list(struct shown *one, size_t *number)
{
    const uint64_t most = ocl_check_wishes()->most;
    size_t count = atomic_load(&shown_count);
    do {
        if (count >= MOST_SHOWN || count >= most)
            return false;
    } while (!atomic_compare_exchange_strong(&shown_count, &count, count + 1));
    atomic_store(&shown[count], one);
    *number = count;
    return true;
}

static void free_shown(struct shown *one)
{
    for (int i = 0; i < OCL_REPORT_PARTS && one->report.parts[i].label; i++)
        free((char *)(uintptr_t)one->report.parts[i].text);
    if (one->report.what[0])
        free((char *)(uintptr_t)one->report.what);
    free(one);
}

/* lock is held. */
static void add_new(const struct ocl_report *report)
{
    size_t number = 0;
    struct shown *const made = keep(report);
    if (!made) {
        atomic_fetch_add(report->is_warning ? &warnings : &errors, 1);
        return;
    }
    made->is_suppressed = ocl_suppress_has(report, true);
    count_one(made);
    if (!list(made, &number)) {
        if (!made->is_suppressed)
            atomic_fetch_add(&left_out, 1);
        free_shown(made);
    } else if (!made->is_suppressed) {
        write_new(&made->report, number);
    }
}

void ocl_report_add(const struct ocl_report *report)
{
    if (atomic_load(&is_ended))
        return;
    const int before = ocl_steady_begin();
    pthread_mutex_lock(&lock);
    struct shown *const one = find(report);
    if (one) {
        atomic_fetch_add(&one->times, 1);
        count_one(one);
    } else {
        add_new(report);
    }
    pthread_mutex_unlock(&lock);
    ocl_steady_end(before);
}

void ocl_report_begin(void)
{
    ocl_report_file_begin(ocl_check_wishes());
    if (ocl_check_wishes()->format != OCL_CHECK_TEXT)
        write_document(false);
}

void ocl_report_add_last(const struct ocl_report *report)
{
    static struct shown last;
    static atomic_flag is_used = ATOMIC_FLAG_INIT;
    size_t number = 0;
    if (atomic_flag_test_and_set(&is_used) || atomic_exchange(&is_ended, true))
        return;
    atomic_store(&is_last, true);
    last.report = *report;
    atomic_store(&last.times, 1);
    last.is_suppressed = ocl_suppress_has(report, false);
    count_one(&last);
    if (list(&last, &number) && !last.is_suppressed && ocl_check_wishes()->format == OCL_CHECK_TEXT)
        write_lines(&last.report, number);
    if (ocl_check_wishes()->format != OCL_CHECK_TEXT)
        write_document(true);
    else
        write_lines(NULL, 0);
}

int ocl_report_end(int status)
{
    const struct ocl_check_wishes *const wishes = ocl_check_wishes();
    if (atomic_exchange(&is_ended, true))
        return status;
    pthread_mutex_lock(&lock);
    if (wishes->format != OCL_CHECK_TEXT)
        write_document(true);
    else
        write_lines(NULL, 0);
    pthread_mutex_unlock(&lock);
    return status == 0 && atomic_load(&errors) > 0 ? wishes->error_code : status;
}
