/* Text that is put together where nothing can be allocated, and written as it grows. Private to check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_TEXT_H
#define OCL_CHECK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/check/wishes.h"

/* format: how ocl_text_put_escaped() writes what the format has other uses for. */
struct ocl_check_text {
    int file;
    enum ocl_check_format format;
    bool may_allocate; /* not in handlers of signals: names are put as C++ has them */
    bool has_failed;   /* not all was written, and errno says why */
    size_t length;
    char bytes[1024];
};

void ocl_text_put(struct ocl_check_text *text, const char *word);
/* What is no UTF-8 becomes question marks where the format is a document. */
void ocl_text_put_escaped(struct ocl_check_text *text, const char *word);
void ocl_text_put_number(struct ocl_check_text *text, uint64_t number);
void ocl_text_put_hexadecimal(struct ocl_check_text *text, uint64_t number);

/* A function's or a kernel's name: as C++ has it, where the program has C++'s library. */
void ocl_text_put_name(struct ocl_check_text *text, const char *name);

/* How many of the first so many bytes there are before a character of UTF-8 that they would cut off. */
size_t ocl_text_whole(const char *text, size_t bytes);

/* The same as C++ has it, which the caller frees; NULL: it is no such name, or nobody can tell. */
char *ocl_text_demangled(const char *name);

/* Writes what has not been written. */
void ocl_text_flush(struct ocl_check_text *text);

#endif
