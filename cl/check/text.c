/* Text that is put together where nothing can be allocated, and written as it grows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/text.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cl/whole.h"

void ocl_text_flush(struct ocl_check_text *text)
{
    if (text->length > 0)
        (void)whole_write(text->file, text->bytes, text->length);
    text->length = 0;
}

static void put_byte(struct ocl_check_text *text, char byte)
{
    if (text->length == sizeof text->bytes)
        ocl_text_flush(text);
    text->bytes[text->length++] = byte;
}

void ocl_text_put(struct ocl_check_text *text, const char *word)
{
    while (*word)
        put_byte(text, *word++);
}

static void put_digits(struct ocl_check_text *text, uint64_t number, unsigned base)
{
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = '\0';
    do {
        digits[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    ocl_text_put(text, digits + at);
}

void ocl_text_put_number(struct ocl_check_text *text, uint64_t number)
{
    put_digits(text, number, 10);
}

void ocl_text_put_hexadecimal(struct ocl_check_text *text, uint64_t number)
{
    ocl_text_put(text, "0x");
    put_digits(text, number, 16);
}

/* Source: RFC 8259, 7. */
static void put_json(struct ocl_check_text *text, char byte)
{
    if (byte == '"' || byte == '\\')
        put_byte(text, '\\');
    if ((unsigned char)byte >= ' ') {
        put_byte(text, byte);
    } else if (byte == '\n') {
        ocl_text_put(text, "\\n");
    } else {
        ocl_text_put(text, "\\u00");
        put_byte(text, (char)('0' + (byte >> 4)));
        put_byte(text, "0123456789abcdef"[byte & 15]);
    }
}

/* Source: Extensible Markup Language 1.0, 2.2 and 2.4: control characters cannot even be escaped. */
static void put_xml(struct ocl_check_text *text, char byte)
{
    switch (byte) {
    case '&':
        ocl_text_put(text, "&amp;");
        break;
    case '<':
        ocl_text_put(text, "&lt;");
        break;
    case '>':
        ocl_text_put(text, "&gt;");
        break;
    case '"':
        ocl_text_put(text, "&quot;");
        break;
    case '\n':
        ocl_text_put(text, "&#10;");
        break;
    default:
        put_byte(text, (unsigned char)byte < ' ' ? '?' : byte);
    }
}

void ocl_text_put_escaped(struct ocl_check_text *text, const char *word)
{
    for (; *word; word++) {
        if (text->format == OCL_CHECK_JSON)
            put_json(text, *word);
        else if (text->format == OCL_CHECK_JUNIT)
            put_xml(text, *word);
        else
            put_byte(text, *word);
    }
}

/* Source: Itanium C++ ABI, 3.4: names that are mangled begin so. */
void ocl_text_put_name(struct ocl_check_text *text, const char *name)
{
    char *(*demangle)(const char *name, char *room, size_t *bytes, int *status) = NULL;
    char *plain = NULL;
    int status = 0;
    if (text->may_allocate && strncmp(name, "_Z", 2) == 0)
        *(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    if (demangle)
        plain = demangle(name, NULL, NULL, &status);
    ocl_text_put_escaped(text, plain ? plain : name);
    free(plain);
}
