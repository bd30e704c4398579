/* Running clang on a program: its source, its headers and what comes of them are files in memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cl/own_thread.h"
#include "cl/whole.h"
#include "facade/compile/program.h"

extern char **environ;

/* --- the compiler and its headers, found once --------------------------------------------------- */

/* An answer is kept only if all was found: what is missing may be there for the next program. */
static pthread_mutex_t found_lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_found;
static struct clang_compiler found_compiler;
static char found_include_dir[PATH_MAX];

static bool has_headers(const char *folder, char include_dir[PATH_MAX])
{
    char file[PATH_MAX];
    return snprintf(file, sizeof file, "%s/cuda_runtime.h", folder) < PATH_MAX &&
           access(file, R_OK) == 0 && realpath(folder, include_dir) != NULL;
}

/* Installed, the headers have their place relative to this library; else they are the sources'. */
static bool find_headers(char include_dir[PATH_MAX])
{
    Dl_info info;
    char path[PATH_MAX] = "", folder[PATH_MAX + sizeof CLEM_INCLUDE_FROM_LIBRARY];
    if (dladdr(&found_lock, &info) != 0 && realpath(info.dli_fname, path) != NULL)
        *(strrchr(path, '/') + 1) = '\0';
    snprintf(folder, sizeof folder, "%s%s", path, CLEM_INCLUDE_FROM_LIBRARY);
    return has_headers(folder, include_dir) || has_headers(CLEM_INCLUDE_OF_SOURCES, include_dir);
}

/* NULL, or what is missing. Threads that come first look each for themselves. */
static const char *find_all(struct clang_compiler *compiler, char include_dir[PATH_MAX])
{
    pthread_mutex_lock(&found_lock);
    const bool is_known = is_found;
    *compiler = found_compiler;
    memcpy(include_dir, found_include_dir, PATH_MAX);
    pthread_mutex_unlock(&found_lock);
    if (is_known)
        return NULL;
    if (!clang_find(compiler))
        return "no clang was found: install clang 14 or newer (on Debian and Ubuntu: apt-get "
               "install clang), or let CLEM_CLANG name one\n";
    if (!find_headers(include_dir))
        return "clem's headers are not where this library looks for them\n";
    pthread_mutex_lock(&found_lock);
    is_found = true;
    found_compiler = *compiler;
    memcpy(found_include_dir, include_dir, PATH_MAX);
    pthread_mutex_unlock(&found_lock);
    return NULL;
}

/* --- files in memory --------------------------------------------------------------------------- */

/* Everything that clang reads and writes lies in memory, under a number that it inherits: however this
 * process ends, nothing is left. A table lets the headers have names, in a folder that is not there. */
#define HEADERS_FOLDER "/clem-nvrtc/include/"

struct files {
    int source, table, ptx, log;
    int *headers; /* as many as the program has; -1: none */
    size_t header_count;
};

/* Where the system demands it, that no file in memory can be executed is said when it is made; systems
 * before Linux 6.3 do not know the word. */
static int new_memory(void)
{
    enum { NOEXEC_SEAL = 8 }; /* MFD_NOEXEC_SEAL of linux/memfd.h */
    const int file = memfd_create("clem-nvrtc", MFD_CLOEXEC | NOEXEC_SEAL);
    return file < 0 && errno == EINVAL ? memfd_create("clem-nvrtc", MFD_CLOEXEC) : file;
}

/* Its number is none of the standard streams', which the child gets in another way. */
static int new_file(const char *text, size_t bytes)
{
    const int file = whole_above_streams(new_memory());
    if (file >= 0 && whole_write(file, text, bytes) && lseek(file, 0, SEEK_SET) == 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* A text into a file; a stream that could not hold it has no text. */
static int file_of_stream(FILE *stream, char **text, const size_t *bytes)
{
    const bool is_whole = ferror(stream) == 0;
    const int file = fclose(stream) == 0 && is_whole ? new_file(*text, *bytes) : -1;
    free(*text);
    return file;
}

static void close_one(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

/* What only the child needs. Accepts half-made files. */
static void close_inputs(struct files *files)
{
    close_one(&files->source);
    close_one(&files->table);
    for (size_t i = 0; i < files->header_count; i++)
        close_one(&files->headers[i]);
    free(files->headers);
    files->headers = NULL;
    files->header_count = 0;
}

static void close_results(struct files *files)
{
    close_one(&files->ptx);
    close_one(&files->log);
}

static void write_name(FILE *file, const char *name)
{
    fputs("#line 1 \"", file);
    for (; *name != '\0'; name++) {
        if (*name == '"' || *name == '\\')
            fputc('\\', file);
        if (*name != '\n')
            fputc(*name, file);
    }
    fputs("\"\n", file);
}

static int make_source(const struct _nvrtcProgram *program, const struct nvrtc_options *options)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (file == NULL)
        return -1;
    if (options->is_all_device)
        fputs("#pragma clang force_cuda_host_device begin\n", file);
    write_name(file, program->name);
    fputs(program->source, file);
    if (options->is_all_device)
        fputs("\n#pragma clang force_cuda_host_device end\n", file);
    nvrtc_write_expressions(program, file);
    return file_of_stream(file, &text, &bytes);
}

/* Names that would lead out of the folder can be no file of it. */
static bool stays_inside(const char *name)
{
    const size_t length = strlen(name);
    return name[0] != '/' && length > 0 && strcmp(name, "..") != 0 &&
           strncmp(name, "../", 3) != 0 && strstr(name, "/../") == NULL && name[length - 1] != '/';
}

/* Of headers with one name the last is the one. */
static bool is_replaced(const struct _nvrtcProgram *program, size_t header)
{
    for (size_t i = header + 1; i < program->header_count; i++)
        if (strcmp(program->headers[i].name, program->headers[header].name) == 0)
            return true;
    return false;
}

static void write_quoted(FILE *table, const char *name)
{
    for (; *name != '\0'; name++) {
        if ((unsigned char)*name < 0x20)
            fprintf(table, "\\x%02x", (unsigned)*name);
        else
            fprintf(table, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    }
}

static bool add_header(struct files *files, size_t number, const struct nvrtc_header *header,
                       FILE *table)
{
    files->headers[number] = new_file(header->text, strlen(header->text));
    if (files->headers[number] < 0)
        return false;
    fputs("{\"type\": \"file\", \"name\": \"" HEADERS_FOLDER, table);
    write_quoted(table, header->name);
    fprintf(table, "\", \"external-contents\": \"/proc/self/fd/%d\"},\n", files->headers[number]);
    return true;
}

/* The headers and the table, in the form of clang's -ivfsoverlay. */
static bool make_headers(const struct _nvrtcProgram *program, struct files *files)
{
    char *text = NULL;
    size_t bytes = 0;
    files->headers = malloc((program->header_count + 1) * sizeof *files->headers);
    if (files->headers == NULL)
        return false;
    files->header_count = program->header_count;
    for (size_t i = 0; i < program->header_count; i++)
        files->headers[i] = -1;
    FILE *table = open_memstream(&text, &bytes);
    if (table == NULL)
        return false;
    bool is_whole = true;
    fputs("{\"version\": 0, \"case-sensitive\": \"true\", \"use-external-names\": \"false\",\n"
          "\"roots\": [\n",
          table);
    for (size_t i = 0; is_whole && i < program->header_count; i++)
        if (!is_replaced(program, i))
            is_whole = stays_inside(program->headers[i].name) &&
                       add_header(files, i, &program->headers[i], table);
    fputs("]}\n", table);
    files->table = file_of_stream(table, &text, &bytes);
    return is_whole && files->table >= 0;
}

static bool make_files(const struct _nvrtcProgram *program, const struct nvrtc_options *options,
                       struct files *files)
{
    *files = (struct files){-1, -1, -1, -1, NULL, 0};
    files->source = make_source(program, options);
    files->ptx = new_file("", 0);
    files->log = new_file("", 0);
    return files->source >= 0 && files->ptx >= 0 && files->log >= 0 &&
           (program->header_count == 0 || make_headers(program, files));
}

static char *read_file(int file)
{
    return lseek(file, 0, SEEK_SET) == 0 ? whole_rest(file, NULL) : NULL;
}

/* --- running ---------------------------------------------------------------------------------- */

static void add_arguments(struct clang_arguments *list, const struct nvrtc_options *options,
                          const struct clang_compiler *compiler, const char *include_dir,
                          const struct files *files, const char *name)
{
    clang_arguments_add(list, compiler->path);
    clang_arguments_add(list, "-x");
    clang_arguments_add(list, "cuda");
    clang_add_common(list, include_dir);
    clang_add_device(list, compiler, &options->device);
    clang_arguments_add(list, "-fno-color-diagnostics");
    clang_arguments_add(list, "-std=c++17");
    if (files->table >= 0) {
        clang_arguments_add(list, "-ivfsoverlay");
        clang_arguments_format(list, "/proc/self/fd/%d", files->table);
        clang_arguments_add(list, "-I" HEADERS_FOLDER);
    }
    clang_arguments_append(list, &options->arguments);
    /* With -lineinfo the code names its source, and is not to differ from run to run. */
    clang_arguments_format(list, "-fdebug-prefix-map=/proc/self/fd/%d=%s", files->source, name);
    clang_arguments_add(list, "-o");
    clang_arguments_add(list, "-");
    clang_arguments_format(list, "/proc/self/fd/%d", files->source);
}

/* A file keeps its number in the child, where it is inherited. */
static bool inherit(posix_spawn_file_actions_t *actions, int file)
{
    return file < 0 || posix_spawn_file_actions_adddup2(actions, file, file) == 0;
}

static bool set_actions(posix_spawn_file_actions_t *actions, const struct files *files)
{
    bool is_set = inherit(actions, files->source) && inherit(actions, files->table);
    for (size_t i = 0; is_set && i < files->header_count; i++)
        is_set = inherit(actions, files->headers[i]);
    return is_set &&
           posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
           posix_spawn_file_actions_adddup2(actions, files->ptx, STDOUT_FILENO) == 0 &&
           posix_spawn_file_actions_adddup2(actions, files->log, STDERR_FILENO) == 0;
}

/* The child has the program's signals as they are by default: a mask of the calling thread's, or SIGCHLD
 * ignored, is not clang's. */
static bool set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, child;
    sigemptyset(&none);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    return posix_spawnattr_setsigmask(attributes, &none) == 0 &&
           posix_spawnattr_setsigdefault(attributes, &child) == 0 &&
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) ==
               0;
}

static bool start(const struct clang_arguments *list, const struct files *files, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    const bool is_started =
        set_actions(&actions, files) && set_signals(&attributes) &&
        posix_spawnp(child, list->values[0], &actions, &attributes, list->values, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return is_started;
}

static nvrtcResult set_log(struct _nvrtcProgram *program, char *log, nvrtcResult result)
{
    free(program->log);
    program->log = log;
    return log != NULL ? result : NVRTC_ERROR_OUT_OF_MEMORY;
}

static nvrtcResult fail(struct _nvrtcProgram *program, const char *why)
{
    return set_log(program, strdup(why), NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
}

/* Takes the folder's name out of a text, in place. */
static void forget_folder(char *text)
{
    const size_t length = strlen(HEADERS_FOLDER);
    for (char *place = strstr(text, HEADERS_FOLDER); place != NULL;
         place = strstr(place, HEADERS_FOLDER))
        memmove(place, place + length, strlen(place + length) + 1);
}

/* Where the child's status went elsewhere, what it wrote tells. */
static nvrtcResult take_results(struct _nvrtcProgram *program, const struct files *files,
                                bool is_compiled)
{
    char *log = read_file(files->log), *ptx = is_compiled ? read_file(files->ptx) : NULL;
    if (log == NULL || (is_compiled && ptx == NULL)) {
        free(log);
        free(ptx);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    if (ptx != NULL && ptx[0] == '\0') {
        free(ptx);
        ptx = NULL;
    }
    forget_folder(log);
    program->ptx = ptx;
    return set_log(program, log, ptx != NULL ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION);
}

/* Makes the files and starts clang on them, one thread at a time: a process has only so many files, and
 * a program's headers are as many until the child has them. more: NULL, or what clang is told besides. NULL, or why not. */
static const char *begin(const struct _nvrtcProgram *program, const struct nvrtc_options *options,
                         const struct clang_compiler *compiler, const char *include_dir,
                         const char *const *more, struct files *files, pid_t *child)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct clang_arguments list = {0};
    const char *why = NULL;
    pthread_mutex_lock(&lock);
    if (!make_files(program, options, files))
        why = "the program's files could not be written\n";
    else
        add_arguments(&list, options, compiler, include_dir, files, program->name);
    if (more)
        clang_add_all(&list, more);
    if (why == NULL && (list.has_failed || !start(&list, files, child)))
        why = "clang could not be started\n";
    close_inputs(files);
    pthread_mutex_unlock(&lock);
    clang_arguments_free(&list);
    return why;
}

static nvrtcResult compile(struct _nvrtcProgram *program, const struct nvrtc_options *options,
                           const struct clang_compiler *compiler, const char *include_dir,
                           const char *const *more)
{
    struct files files;
    pid_t child = 0;
    int status = 0;
    const char *why = begin(program, options, compiler, include_dir, more, &files, &child);
    nvrtcResult result = NVRTC_SUCCESS;
    if (why != NULL) {
        result = fail(program, why);
    } else {
        whole_wait(child, &status);
        result = take_results(program, &files, WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    close_results(&files);
    return result;
}

struct compilation {
    struct _nvrtcProgram *program;
    const struct nvrtc_options *options;
};

static int compile_either_way(void *data)
{
    const struct compilation *c = data;
    struct clang_compiler compiler;
    char include_dir[PATH_MAX];
    const char *missing = find_all(&compiler, include_dir);
    if (missing != NULL)
        return (int)fail(c->program, missing);
    nvrtcResult result = compile(c->program, c->options, &compiler, include_dir, NULL);
    const char *const *missing_part = clang_brings_missing(c->program->log);
    if (result == NVRTC_ERROR_COMPILATION && missing_part)
        result = compile(c->program, c->options, &compiler, include_dir, missing_part);
    return (int)(result == NVRTC_SUCCESS ? nvrtc_read_names(c->program) : result);
}

nvrtcResult nvrtc_compile(struct _nvrtcProgram *program, const struct nvrtc_options *options)
{
    return (nvrtcResult)own_thread_call(compile_either_way, &(struct compilation){program, options},
                                        (int)NVRTC_ERROR_OUT_OF_MEMORY);
}
