/* For tests of what a whole process does: runs tests/programs/process.c.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FACADE_HELPER_H
#define TESTS_FACADE_HELPER_H

#include <limits.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"

/* The helper lies beside this program. */
static inline void find_helper(char path[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 32);
    assert_true(length > 0);
    path[length] = '\0';
    strcpy(strrchr(path, '/'), "/clem_process_helper");
}

/* Runs a program with more environment, or behind other commands; what it prints goes to output. Gives
 * its exit code. */
static inline int run_program(const char *environment, const char *program, const char *mode,
                              char *output, size_t bytes)
{
    char command[2 * PATH_MAX];
    snprintf(command, sizeof command, "env %s \"%s\" %s 2>&1", environment, program, mode);
    fflush(NULL);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t got = fread(output, 1, bytes - 1, pipe);
    output[got] = '\0';
    int status = pclose(pipe);
    if (!WIFEXITED(status))
        print_error("%s\n", output);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static inline int run_helper(const char *environment, const char *mode, char *output, size_t bytes)
{
    char helper[PATH_MAX];
    find_helper(helper);
    return run_program(environment, helper, mode, output, bytes);
}

static inline int count_of(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
        count++;
    return count;
}

#endif
