/* The files that clem-run writes and joins.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/tools/trace_files.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "facade/tools/trace_write.h"

extern char **environ;

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static bool is_json(const char *file)
{
    return ends_with(file, ".json") || ends_with(file, ".json.gz");
}

bool trace_has_form(const char *file)
{
    return ends_with(file, ".pftrace") || is_json(file);
}

const char *trace_ending(const char *file)
{
    return ends_with(file, ".gz") ? ".json.gz" : is_json(file) ? ".json" : ".pftrace";
}

bool trace_can_be_at(const char *path)
{
    struct stat status;
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    const bool can = folder != NULL && access(folder, W_OK | X_OK) == 0 &&
                     (access(path, F_OK) != 0 || access(path, W_OK) == 0);
    free(folder);
    if (can && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    return can;
}

/* ---- Files ---- */

/* gzip is there wherever packages are; without it the file is not written. */
static bool open_packed(struct trace_output *output, const char *path)
{
    int ends[2];
    char *const argv[] = {(char *)"gzip", (char *)"-c", NULL};
    posix_spawn_file_actions_t actions;
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        close(file);
        return false;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, file, STDOUT_FILENO);
    const int error = posix_spawnp(&output->gzip, "gzip", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(file);
    close(ends[0]);
    output->file = error == 0 ? fdopen(ends[1], "w") : NULL;
    if (error != 0)
        fprintf(stderr, "clem-run: gzip: %s\n", strerror(error));
    if (output->file == NULL)
        close(ends[1]);
    errno = error;
    return output->file != NULL;
}

bool trace_open_output(struct trace_output *output, const char *path)
{
    *output = (struct trace_output){NULL, 0};
    if (ends_with(path, ".gz")) {
        if (open_packed(output, path))
            return true;
    } else {
        output->file = fopen(path, "we");
    }
    if (output->file == NULL)
        fprintf(stderr, "clem-run: %s: %s\n", path, strerror(errno));
    return output->file != NULL;
}

bool trace_close_output(struct trace_output *output, const char *path)
{
    int status = 0;
    bool is_good = !ferror(output->file);
    is_good = fclose(output->file) == 0 && is_good;
    if (output->gzip != 0)
        is_good = waitpid(output->gzip, &status, 0) == output->gzip && status == 0 && is_good;
    if (!is_good)
        fprintf(stderr, "clem-run: %s: not all of it could be written\n", path);
    return is_good;
}

/* ---- Joining ---- */

struct joined {
    FILE *to;
    bool is_json, is_first;
    uint32_t sequence;
};

static void begin_joined(struct joined *joined, FILE *to, bool is_in_json)
{
    *joined = (struct joined){to, is_in_json, true, 1};
    if (is_in_json)
        fputs("[\n", to);
}

static void add_trace(struct joined *joined, const struct trace *trace)
{
    if (joined->is_json)
        trace_write_json(trace, joined->to, joined->is_first);
    else
        joined->sequence = trace_write_perfetto(trace, joined->to, joined->sequence);
    joined->is_first = false;
}

static void end_joined(const struct joined *joined)
{
    if (joined->is_json)
        fputs("\n]\n", joined->to);
}

void trace_tell_lost(const struct trace *trace)
{
    const unsigned long long lost = atomic_load(&trace->head.lost);
    if (lost > 0)
        fprintf(stderr,
                "clem-run: %llu records of process %llu were lost: there was no room for them\n",
                lost, (unsigned long long)trace->head.process);
}

static bool add_spool(struct joined *joined, const char *path)
{
    struct trace trace;
    if (!trace_read(&trace, path))
        return false;
    trace_tell_lost(&trace);
    add_trace(joined, &trace);
    trace_free(&trace);
    return true;
}

/* A packed file, unpacked by gzip. */
static FILE *open_unpacked(const char *path, pid_t *gzip)
{
    int ends[2];
    char *const argv[] = {(char *)"gzip", (char *)"-dc", NULL};
    posix_spawn_file_actions_t actions;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        close(file);
        return NULL;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, file, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int error = posix_spawnp(gzip, "gzip", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(file);
    close(ends[1]);
    FILE *unpacked = error == 0 ? fdopen(ends[0], "r") : NULL;
    if (unpacked == NULL)
        close(ends[0]);
    return unpacked;
}

/* One event a line, as clem-run writes it: the brackets are lines of their own. */
static void add_lines(struct joined *joined, FILE *file)
{
    char *line = NULL;
    size_t size = 0;
    for (ssize_t length; (length = getline(&line, &size, file)) >= 0;) {
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == ','))
            line[--length] = '\0';
        if (length == 0 || line[0] != '{')
            continue;
        fprintf(joined->to, "%s%s", joined->is_first ? "" : ",\n", line);
        joined->is_first = false;
    }
    free(line);
}

static bool add_json(struct joined *joined, const char *path)
{
    pid_t gzip = 0;
    int status = 0;
    FILE *file = ends_with(path, ".gz") ? open_unpacked(path, &gzip) : fopen(path, "re");
    if (file == NULL)
        return false;
    add_lines(joined, file);
    fclose(file);
    return gzip == 0 || (waitpid(gzip, &status, 0) == gzip && status == 0);
}

static bool add_file(struct joined *joined, const char *path)
{
    if (ends_with(path, OCL_SPOOL_SUFFIX))
        return add_spool(joined, path);
    if (joined->is_json)
        return is_json(path) && add_json(joined, path);
    const uint32_t next = trace_append_perfetto(path, joined->to, joined->sequence);
    if (next != 0)
        joined->sequence = next;
    return next != 0;
}

bool trace_join(const char *path, char *const *files, size_t count)
{
    struct trace_output output;
    struct joined joined;
    bool is_good = true;
    if (!trace_open_output(&output, path))
        return false;
    begin_joined(&joined, output.file, is_json(path));
    for (size_t i = 0; i < count; i++) {
        if (add_file(&joined, files[i]))
            continue;
        fprintf(stderr, "clem-run: %s: no trace of the form that %s has\n", files[i], path);
        is_good = false;
    }
    end_joined(&joined);
    return trace_close_output(&output, path) && is_good;
}
