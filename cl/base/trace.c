/* Messages for people: tracing on stderr, and logs for whoever listens.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/trace.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/base/options.h"
#include "cl/whole.h"

static _Atomic(ocl_log_listener *) listener;

bool ocl_trace_on(void)
{
    return ocl_options_get()->trace;
}

static void write_line(const char *text)
{
    size_t length = strlen(text);
    while (length && text[length - 1] == '\n')
        length--;
    whole_say("clem: %.*s\n", (int)length, text);
}

static char *format_text(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0)));
static char *format_text(const char *format, va_list arguments)
{
    char *text;
    return vasprintf(&text, format, arguments) < 0 ? NULL : text;
}

static void write_formatted(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0)));
static void write_formatted(const char *format, va_list arguments)
{
    char *text = format_text(format, arguments);
    if (text)
        write_line(text);
    free(text);
}

void ocl_trace(const char *format, ...)
{
    if (!ocl_trace_on())
        return;
    va_list arguments;
    va_start(arguments, format);
    write_formatted(format, arguments);
    va_end(arguments);
}

void ocl_trace_listen(ocl_log_listener *new_listener)
{
    atomic_store(&listener, new_listener);
}

static void tell(bool is_error, bool is_shown, const char *text)
{
    ocl_log_listener *hear = atomic_load(&listener);
    if (hear)
        hear(is_error, text);
    if (is_shown)
        write_line(text);
}

void ocl_log(bool is_error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    if (text)
        tell(is_error, ocl_trace_on(), text);
    free(text);
}

void ocl_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    if (text)
        tell(true, !ocl_options_get()->is_silent, text);
    free(text);
}

void ocl_notice(const char *format, ...)
{
    if (ocl_options_get()->is_silent)
        return;
    va_list arguments;
    va_start(arguments, format);
    write_formatted(format, arguments);
    va_end(arguments);
}
