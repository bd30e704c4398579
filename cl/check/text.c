/* Text that is put together where nothing can be allocated, and written as it grows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/text.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cl/whole.h"

void ocl_text_flush(struct ocl_check_text *text)
{
    if (text->length > 0 && !text->has_failed)
        text->has_failed = !whole_write(text->file, text->bytes, text->length);
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

/* Bytes of the character of UTF-8 that begins there; 0: it is none. Source: RFC 3629, 4. */
static size_t utf8_bytes(const unsigned char *at)
{
    const unsigned char first = at[0];
    const size_t bytes = first < 0x80   ? 1
                         : first < 0xc2 ? 0
                         : first < 0xe0 ? 2
                         : first < 0xf0 ? 3
                         : first < 0xf5 ? 4
                                        : 0;
    const unsigned char least = first == 0xe0   ? 0xa0
                                : first == 0xf0 ? 0x90
                                                : 0x80,
                        most = first == 0xed   ? 0x9f
                               : first == 0xf4 ? 0x8f
                                               : 0xbf;
    for (size_t i = 1; i < bytes; i++)
        if (at[i] < (i == 1 ? least : 0x80) || at[i] > (i == 1 ? most : 0xbf))
            return 0;
    return bytes;
}

size_t ocl_text_whole(const char *text, size_t bytes)
{
    size_t kept = bytes;
    for (int i = 0; i < 3 && kept > 1 && ((unsigned char)text[kept] & 0xc0) == 0x80; i++)
        kept--;
    return ((unsigned char)text[kept] & 0xc0) == 0x80 ? bytes : kept;
}

static void put_character(struct ocl_check_text *text, const char *at, size_t bytes)
{
    if (bytes != 1) {
        for (size_t i = 0; i < bytes; i++)
            put_byte(text, at[i]);
    } else if (text->format == OCL_CHECK_JSON) {
        put_json(text, *at);
    } else {
        put_xml(text, *at);
    }
}

void ocl_text_put_escaped(struct ocl_check_text *text, const char *word)
{
    if (text->format == OCL_CHECK_TEXT) {
        ocl_text_put(text, word);
        return;
    }
    while (*word) {
        const size_t bytes = utf8_bytes((const unsigned char *)word);
        put_character(text, bytes > 0 ? word : "?", bytes > 0 ? bytes : 1);
        word += bytes > 0 ? bytes : 1;
    }
}

/* Source: Itanium C++ ABI, 3.4: names that are mangled begin so. */
char *ocl_text_demangled(const char *name)
{
    char *(*demangle)(const char *name, char *room, size_t *bytes, int *status) = NULL;
    int status = 0;
    if (strncmp(name, "_Z", 2) == 0)
        *(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    return demangle ? demangle(name, NULL, NULL, &status) : NULL;
}

void ocl_text_put_name(struct ocl_check_text *text, const char *name)
{
    char *const plain = text->may_allocate ? ocl_text_demangled(name) : NULL;
    ocl_text_put_escaped(text, plain ? plain : name);
    free(plain);
}
