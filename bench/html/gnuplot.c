/* Charts by gnuplot, as a child process, made fit to stand in a page with others.
 * SPDX-License-Identifier: Apache-2.0 */
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "bench/html/html.h"
#include "cl/whole.h"

extern char **environ;

/* Starts gnuplot with these as its standard input and output, and waits. --default-settings: a
 * user's own settings are for other charts. */
static bool run_gnuplot(FILE *input, FILE *output, char *argument)
{
    posix_spawn_file_actions_t actions;
    char name[] = "gnuplot", *arguments[] = {name, argument, NULL};
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool started = posix_spawn_file_actions_adddup2(&actions, fileno(input), 0) == 0 &&
                   posix_spawn_file_actions_adddup2(&actions, fileno(output), 1) == 0 &&
                   posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0) == 0 &&
                   posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ) == 0 &&
                   whole_wait(child, &status);
    posix_spawn_file_actions_destroy(&actions);
    return started && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool gnuplot_exists(void)
{
    char version[] = "--version";
    FILE *input = tmpfile(), *output = tmpfile();
    bool exists = input && output && run_gnuplot(input, output, version);
    if (input)
        fclose(input);
    if (output)
        fclose(output);
    return exists;
}

void gnuplot_quote(FILE *script, const char *text)
{
    fputc('"', script);
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        bool is_plain = byte >= 0x20 && byte < 0x7F && !strchr("\"\\`$@%", byte);
        fputc(is_plain ? byte : ' ', script);
    }
    fputc('"', script);
}

/* What gnuplot writes, and what the page wants: names that no other chart has, colours that follow
 * the text's. "~" stands for the chart's number. */
static const struct {
    const char *from, *to;
} changes[] = {
    {" color=\"black\"", ""},
    {"'black'", "'currentColor'"},
    {"\"black\"", "\"currentColor\""},
    {"rgb(  0,   0,   0)", "currentColor"},
    {" id='", " id='c~_"},
    {" id=\"", " id=\"c~_"},
    {"'#gp", "'#c~_gp"},
    {"xmlns=\"http://www.w3.org/2000/svg\"", "role=\"img\" aria-labelledby=\"chart~\""},
    {"xmlns:xlink=\"http://www.w3.org/1999/xlink\"", ""},
};

/* Elements that say nothing here: all that stands between two marks, the second one with it. */
static const struct {
    const char *begin, *end;
} drops[] = {{"<title>", "</title>"}, {"<desc>", "</desc>"}, {"<filter", "</filter>"}};

static const char *drop(const char *at)
{
    for (size_t i = 0; i < sizeof drops / sizeof drops[0]; i++) {
        const char *end = strncmp(at, drops[i].begin, strlen(drops[i].begin)) == 0
                              ? strstr(at, drops[i].end)
                              : NULL;
        if (end)
            return end + strlen(drops[i].end);
    }
    /* Groups in which gnuplot drew nothing. */
    const char *end = strncmp(at, "<g ", 3) == 0 ? strchr(at, '\n') : NULL;
    return end && end[-1] == '>' && strncmp(end, "\n</g>\n", 6) == 0 ? end + 6 : NULL;
}

static const char *change(FILE *out, const char *at, size_t number)
{
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        size_t length = strlen(changes[i].from);
        if (strncmp(at, changes[i].from, length) != 0)
            continue;
        for (const char *to = changes[i].to; *to; to++) {
            if (*to == '~')
                fprintf(out, "%zu", number);
            else
                fputc(*to, out);
        }
        return at + length;
    }
    return NULL;
}

static void write_svg(FILE *out, const char *svg, size_t number)
{
    while (*svg) {
        const char *next = drop(svg);
        if (!next)
            next = change(out, svg, number);
        if (!next) {
            fputc(*svg, out);
            next = svg + 1;
        }
        svg = next;
    }
}

/* All that a file holds, with a zero behind it. Owns: the caller frees it. NULL without memory. */
static char *text_of(FILE *file)
{
    long bytes;
    if (fseek(file, 0, SEEK_END) != 0 || (bytes = ftell(file)) < 0)
        return NULL;
    rewind(file);
    char *text = calloc(1, (size_t)bytes + 1);
    if (text && fread(text, 1, (size_t)bytes, file) != (size_t)bytes) {
        free(text);
        return NULL;
    }
    return text;
}

bool gnuplot_draw(FILE *out, const char *script, size_t script_bytes, size_t number)
{
    FILE *input = tmpfile(), *output = tmpfile();
    char *text = NULL, *svg = NULL, defaults[] = "--default-settings";
    if (input && output && fwrite(script, 1, script_bytes, input) == script_bytes &&
        fseek(input, 0, SEEK_SET) == 0 && run_gnuplot(input, output, defaults))
        text = text_of(output);
    if (text && strstr(text, "</svg>"))
        svg = strstr(text, "<svg");
    if (svg)
        write_svg(out, svg, number);
    free(text);
    if (input)
        fclose(input);
    if (output)
        fclose(output);
    return svg != NULL;
}
