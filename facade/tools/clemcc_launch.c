/* clemcc --launch: stands before a compiler in the commands of a build system, which thinks that CUDA sources
 * are C++. Those are compiled here, all others by that compiler.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "facade/tools/clemcc.h"

/* What a compiler that is not clang is told about its own forms of objects and modules. */
static bool is_its_own(const char *word)
{
    static const char *const beginnings[] = {
        "-flto",        "-fno-lto",         "-fno-fat-lto-objects",
        "-fmodules-ts", "-fmodule-mapper=", "-fdeps-format="};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(word, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

/* nvcc's lists end at commas, but not behind a backslash; other compilers' values have none. */
static void add_whole(struct clang_arguments *words, const char *word)
{
    char text[8192];
    size_t used = 0;
    for (; *word && used + 2 < sizeof text; word++) {
        if (*word == ',')
            text[used++] = '\\';
        text[used++] = *word;
    }
    text[used] = 0;
    if (*word)
        words->has_failed = true;
    clang_arguments_add(words, text);
}

static bool has_list(const char *word)
{
    return word[0] == '-' && word[1] && strchr("DIUL", word[1]);
}

/* The words of a compiler's command line, as clemcc takes them. Warnings and optimisations that another
 * compiler has and clang has not are no errors. */
static void translate(struct clang_arguments *command, size_t count, char **words)
{
    static const char *const lenient[] = {"-Wno-unknown-warning-option",
                                          "-Wno-ignored-optimization-argument"};
    for (size_t i = 0; i < sizeof lenient / sizeof *lenient; i++)
        clang_arguments_add(command, lenient[i]);
    for (size_t i = 0; i < count; i++) {
        const char *next = i + 1 < count ? words[i + 1] : "";
        if (strcmp(words[i], "-x") == 0 && strcmp(next, "c++") == 0) {
            i++;
        } else if (strcmp(words[i], "-isystem") == 0 || strcmp(words[i], "-include") == 0) {
            clang_arguments_add(command, words[i++]);
            add_whole(command, next);
        } else if (has_list(words[i])) {
            add_whole(command, words[i]);
        } else if (!is_its_own(words[i])) {
            clang_arguments_add(command, words[i]);
        }
    }
}

/* --launch [options of clemcc's] -- [launchers] compiler words... */
int clemcc_launch(struct clang_arguments *expanded)
{
    struct clang_arguments command = {0};
    char **words = expanded->values;
    size_t count = expanded->count, at = 1;
    for (; at < count && strcmp(words[at], "--") != 0; at++)
        clang_arguments_add(&command, words[at]);
    if (at + 1 >= count)
        return clemcc_refuse("--launch", "wants -- and a compiler's command");
    words += at + 1, count -= at + 1;
    if (strcmp(clemcc_suffix(words[count - 1]), ".cu") != 0) {
        execvp(words[0], words);
        return clemcc_refuse(words[0], strerror(errno));
    }
    for (; count > 1 && *words[0] != '-'; words++)
        count--;
    translate(&command, count, words);
    if (command.has_failed)
        return clemcc_refuse_memory();
    clang_arguments_free(expanded);
    *expanded = command;
    return 0;
}
