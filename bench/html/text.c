/* Text and numbers on the page.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "bench/html/html.h"

/* Length of the well-formed UTF-8 character at text, or 0. */
static size_t character(const unsigned char *text)
{
    size_t length = text[0] < 0x80 ? 1 : text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
    if ((text[0] >= 0x80 && text[0] < 0xC2) || text[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

/* Control characters may not be in a page at all; nor may bytes that are no UTF-8. */
void html_text(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        size_t length = character(at);
        if (*at == '&')
            fputs("&amp;", out);
        else if (*at == '<')
            fputs("&lt;", out);
        else if (*at == '>')
            fputs("&gt;", out);
        else if (*at == '"')
            fputs("&quot;", out);
        else if (*at == '\'')
            fputs("&#39;", out);
        else if (length == 0 || *at == 0x7F || (*at < 0x20 && *at != '\n' && *at != '\t'))
            fputs("\xEF\xBF\xBD", out);
        else
            fwrite(at, 1, length, out);
        at += length ? length : 1;
    }
}

void html_number(char out[24], double number)
{
    double size = fabs(number);
    const char *format = size >= 99.95 || size == 0 ? "%.0f"
                         : size >= 9.995            ? "%.1f"
                         : size >= 0.9995           ? "%.2f"
                         : size >= 0.001            ? "%.3f"
                                                    : "%.2e";
    snprintf(out, 24, format, number);
}

/* How many bytes one of a parameter is, where people want to read a size; 0: it is no size. */
static double size_unit(const char *name)
{
    if (strcmp(name, "set") == 0) /* of working sets, in KiB */
        return 1024;
    return strcmp(name, "size") == 0 || strcmp(name, "row") == 0 || strcmp(name, "bytes") == 0;
}

void html_parameter(char out[VARIABLE_BYTES], const struct task_parameter *parameter)
{
    double bytes = parameter->number * size_unit(parameter->name);
    if (parameter->word)
        snprintf(out, VARIABLE_BYTES, "%s", parameter->word);
    else if (bytes > 0 && bytes < 1e18)
        text_size(out, (size_t)bytes);
    else
        snprintf(out, VARIABLE_BYTES, "%.10g", parameter->number);
}
