/* Taking texts apart: lists with commas, option files.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facade/tools/clemcc.h"

void clemcc_split_list(const char *list, struct clang_arguments *parts)
{
    char *part = malloc(strlen(list) + 1);
    if (!part) {
        parts->has_failed = true;
        return;
    }
    for (const char *at = list; *at;) {
        size_t used = 0;
        int depth = 0;
        bool is_quoted = false;
        for (; *at && (*at != ',' || is_quoted || depth > 0); at++) {
            if (at[0] == '\\' && at[1] == ',')
                at++;
            is_quoted = is_quoted != (*at == '"');
            depth += (*at == '(') - (*at == ')');
            part[used++] = *at;
        }
        part[used] = 0;
        if (used)
            clang_arguments_add(parts, part);
        at += *at == ',';
    }
    free(part);
}

/* One word from *text, which moves behind it. */
static void take_word(const char **text, char *word)
{
    const char *at = *text;
    for (char quote = 0; *at && (quote || !strchr(" \t\r\n", *at)); at++) {
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else
            *word++ = *at == '\\' && at[1] && quote != '\'' ? *++at : *at;
    }
    *word = 0;
    *text = at;
}

void clemcc_split_words(const char *text, struct clang_arguments *words)
{
    char *word = malloc(strlen(text) + 1);
    if (!word) {
        words->has_failed = true;
        return;
    }
    for (text += strspn(text, " \t\r\n"); *text; text += strspn(text, " \t\r\n")) {
        take_word(&text, word);
        clang_arguments_add(words, word);
    }
    free(word);
}

void clemcc_tell_linker(struct clang_arguments *words, const char *word)
{
    clang_arguments_add(words, "-Xlinker");
    clang_arguments_add(words, word);
}

char *clemcc_read_text(const char *name)
{
    FILE *file = fopen(name, "re");
    char *text = NULL;
    size_t room = 0;
    if (!file)
        return NULL;
    errno = 0;
    if (getdelim(&text, &room, 0, file) < 0) {
        free(text);
        text = errno ? NULL : strdup("");
    }
    fclose(file);
    return text;
}

static int read_options(const char *names, struct clang_arguments *words)
{
    struct clang_arguments files = {0};
    clemcc_split_list(names, &files);
    int status = files.has_failed ? clemcc_refuse_memory() : 0;
    for (size_t i = 0; i < files.count && status == 0; i++) {
        char *text = clemcc_read_text(files.values[i]);
        if (text)
            clemcc_split_words(text, words);
        else
            status = clemcc_refuse(files.values[i], strerror(errno));
        free(text);
    }
    clang_arguments_free(&files);
    return status;
}

/* The names of the files, where words[*at] is an option file's; *at moves to the last word of it. */
static const char *names_of_files(int count, char **words, int *at)
{
    static const char *const names[] = {"-optf", "--options-file"};
    if (words[*at][0] == '@')
        return words[*at] + 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(words[*at], names[i], length) != 0)
            continue;
        if (words[*at][length] == '=')
            return words[*at] + length + 1;
        if (words[*at][length] == 0 && *at + 1 < count)
            return words[++*at];
    }
    return NULL;
}

int clemcc_expand(int count, char **words, struct clang_arguments *expanded)
{
    for (int i = 1; i < count; i++) {
        const char *names = names_of_files(count, words, &i);
        const int status = names ? read_options(names, expanded) : 0;
        if (status)
            return status;
        if (!names)
            clang_arguments_add(expanded, words[i]);
    }
    return expanded->has_failed ? clemcc_refuse_memory() : 0;
}
