/* For tests of what is printed: stderr goes to a file until it is read back.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CL_CAPTURED_H
#define TESTS_CL_CAPTURED_H

#include <string.h>
#include <unistd.h>

#include "tests/test.h"

struct capture {
    FILE *file;
    int saved;
};

static inline struct capture capture_begin(void)
{
    struct capture capture = {tmpfile(), dup(STDERR_FILENO)};
    assert_non_null(capture.file);
    assert_true(capture.saved >= 0);
    fflush(stderr);
    assert_true(dup2(fileno(capture.file), STDERR_FILENO) >= 0);
    return capture;
}

/* Ends the capture. text gets what was printed, NUL-terminated. */
static inline void capture_end(struct capture *capture, char *text, size_t bytes)
{
    fflush(stderr);
    dup2(capture->saved, STDERR_FILENO);
    close(capture->saved);
    rewind(capture->file);
    const size_t length = fread(text, 1, bytes - 1, capture->file);
    text[length] = '\0';
    fclose(capture->file);
}

static inline size_t count_text(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

#endif
