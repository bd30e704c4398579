/* Looks through a translation whose accesses are marked for accesses that are not.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PTX_SCAN_H
#define TESTS_PTX_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* Where the text has its kernel and functions: behind the library. */
const char *scan_start(const char *text);

/* The first thing in the code that follows a pointer, reaches for an element, calls what may do so, or goes elsewhere, and is
 * neither within a mark of its kind nor the form's own; NULL: none. Of the code `from`, a part of text, which has the library
 * that it draws on. Writes why. */
const char *scan_for_accesses(const char *text, const char *from, bool is_block, const char **why);

/* The text without marks; the caller frees it. */
char *scan_without_marks(const char *text);

#endif
