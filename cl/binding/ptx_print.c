/* printf of kernels: the conversions of a format over the arguments that a kernel wrote down.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cl/binding/ptx_runtime.h"

/* What is still to be read of a record. */
struct reader {
    const unsigned char *next, *end;
};

static uint64_t read_number(struct reader *reader)
{
    uint64_t number = 0;
    if ((size_t)(reader->end - reader->next) < sizeof number) {
        reader->next = reader->end;
        return 0;
    }
    memcpy(&number, reader->next, sizeof number);
    reader->next += sizeof number;
    return number;
}

static const char *read_text(struct reader *reader)
{
    const char *text = (const char *)reader->next;
    const size_t left = (size_t)(reader->end - reader->next);
    const size_t length = strnlen(text, left);
    reader->next += length < left ? length + 1 : left;
    return length < left ? text : "";
}

/* A conversion as printf takes it: the format's, with numbers in place of stars, and later with the
 * length that suits what is passed. */
struct conversion {
    char text[96];
    size_t length;
    char modifier[3];
    char letter;
};

static void append(struct conversion *conversion, const char *text)
{
    const size_t length = strlen(text);
    if (conversion->length + length >= sizeof conversion->text)
        return;
    memcpy(conversion->text + conversion->length, text, length + 1);
    conversion->length += length;
}

static void append_char(struct conversion *conversion, char c)
{
    append(conversion, (const char[]){c, '\0'});
}

static void append_star(struct conversion *conversion, struct reader *reader)
{
    char number[16];
    snprintf(number, sizeof number, "%d", (int)read_number(reader));
    append(conversion, number);
}

/* From behind the percent sign up to and with the letter; returns what comes after. */
static const char *read_conversion(const char *at, struct reader *reader,
                                   struct conversion *conversion)
{
    memset(conversion, 0, sizeof *conversion);
    append(conversion, "%");
    for (; *at; at++) {
        if (*at == '*') {
            append_star(conversion, reader);
        } else if (strchr("0123456789 #+-.'", *at)) {
            append_char(conversion, *at);
        } else if (strchr("hljztqL", *at)) {
            const size_t length = strlen(conversion->modifier);
            if (length < sizeof conversion->modifier - 1)
                conversion->modifier[length] = *at;
        } else {
            break;
        }
    }
    conversion->letter = *at;
    return *at ? at + 1 : at;
}

static long long as_signed(const char *modifier, uint64_t number)
{
    if (strcmp(modifier, "hh") == 0)
        return (signed char)number;
    if (strcmp(modifier, "h") == 0)
        return (short)number;
    return *modifier ? (long long)number : (int)number;
}

static unsigned long long as_unsigned(const char *modifier, uint64_t number)
{
    if (strcmp(modifier, "hh") == 0)
        return (unsigned char)number;
    if (strcmp(modifier, "h") == 0)
        return (unsigned short)number;
    return *modifier ? (unsigned long long)number : (unsigned)number;
}

/* The format is one conversion that was taken apart and put together again: it fits the argument. */
__attribute__((format(printf, 2, 0))) static void print(FILE *stream, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(stream, format, list);
    va_end(list);
}

static void print_double(FILE *stream, struct conversion *conversion, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    append_char(conversion, conversion->letter);
    print(stream, conversion->text, value);
}

/* No conversion of printf's: as it stands. The kernel wrote an argument down for it. */
static void print_unknown(FILE *stream, struct conversion *conversion, struct reader *reader)
{
    append(conversion, conversion->modifier);
    fputs(conversion->text, stream);
    if (!conversion->letter)
        return;
    fputc(conversion->letter, stream);
    (void)read_number(reader);
}

static void print_conversion(FILE *stream, struct conversion *conversion, struct reader *reader)
{
    switch (conversion->letter) {
    case 'd':
    case 'i':
        append(conversion, "lld");
        print(stream, conversion->text, as_signed(conversion->modifier, read_number(reader)));
        break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        append(conversion, "ll");
        append_char(conversion, conversion->letter);
        print(stream, conversion->text, as_unsigned(conversion->modifier, read_number(reader)));
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        print_double(stream, conversion, read_number(reader));
        break;
    case 'c':
        append(conversion, "c");
        print(stream, conversion->text, (int)read_number(reader));
        break;
    case 's':
        append(conversion, "s");
        print(stream, conversion->text, read_text(reader));
        break;
    case 'p':
        append(conversion, "p");
        print(stream, conversion->text, (void *)(uintptr_t)read_number(reader));
        break;
    case 'n': /* nothing can be written back */
        (void)read_number(reader);
        break;
    case '%':
        fputc('%', stream);
        break;
    default:
        print_unknown(stream, conversion, reader);
    }
}

void ocl_print_format(FILE *stream, const char *format, const unsigned char *arguments,
                      const unsigned char *end)
{
    struct reader reader = {arguments, end};
    while (*format) {
        const size_t plain = strcspn(format, "%");
        fwrite(format, 1, plain, stream);
        format += plain;
        if (*format != '%')
            continue;
        struct conversion conversion;
        format = read_conversion(format + 1, &reader, &conversion);
        print_conversion(stream, &conversion, &reader);
    }
}
