/* Running clang on a program: its source and headers become files of a private folder.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "facade/nvrtc/program.h"

extern char **environ;

/* --- the compiler and its headers, found once --------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct clang_compiler compiler;
static bool has_compiler;
static char include_dir[PATH_MAX];

static bool has_headers(const char *folder)
{
    char file[PATH_MAX];
    return snprintf(file, sizeof file, "%s/cuda_runtime.h", folder) < PATH_MAX &&
           access(file, R_OK) == 0 && realpath(folder, include_dir) != NULL;
}

/* Installed, the headers have their place relative to this library; else they are the sources'. */
static void find_headers(void)
{
    Dl_info info;
    char path[PATH_MAX] = "", folder[PATH_MAX + sizeof CLEM_INCLUDE_FROM_LIBRARY];
    if (dladdr(&once, &info) != 0 && realpath(info.dli_fname, path) != NULL)
        *(strrchr(path, '/') + 1) = '\0';
    snprintf(folder, sizeof folder, "%s%s", path, CLEM_INCLUDE_FROM_LIBRARY);
    if (!has_headers(folder) && !has_headers(CLEM_INCLUDE_OF_SOURCES))
        include_dir[0] = '\0';
}

static void find_all(void)
{
    has_compiler = clang_find(&compiler);
    find_headers();
}

/* --- the folder ------------------------------------------------------------------------------- */

static bool make_folder(char folder[PATH_MAX])
{
    const char *place = secure_getenv("TMPDIR");
    if (place == NULL || place[0] != '/')
        place = "/tmp";
    return snprintf(folder, PATH_MAX, "%s/clem-nvrtc-XXXXXX", place) < PATH_MAX &&
           mkdtemp(folder) != NULL;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static void remove_folder(const char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A path of the folder, with the folders on the way to it. */
static bool make_way(char *path, size_t from)
{
    for (char *slash = strchr(path + from, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool is_there = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!is_there)
            return false;
    }
    return true;
}

/* Names that would lead out of the folder can be no file of it. */
static bool stays_inside(const char *name)
{
    return name[0] != '/' && name[0] != '\0' && strcmp(name, "..") != 0 &&
           strncmp(name, "../", 3) != 0 && strstr(name, "/../") == NULL;
}

static FILE *create(const char *folder, const char *name)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length >= PATH_MAX || !make_way(path, strlen(folder) + 1))
        return NULL;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return fd >= 0 ? fdopen(fd, "w") : NULL;
}

static bool close_whole(FILE *file, bool is_written)
{
    is_written &= ferror(file) == 0;
    return fclose(file) == 0 && is_written;
}

static bool write_header(const char *folder, const struct nvrtc_header *header)
{
    char name[PATH_MAX];
    if (snprintf(name, sizeof name, "include/%s", header->name) >= PATH_MAX)
        return false;
    FILE *file = stays_inside(header->name) ? create(folder, name) : NULL;
    return file != NULL && close_whole(file, fputs(header->text, file) >= 0);
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

static bool write_source(const struct _nvrtcProgram *program, const struct nvrtc_options *options,
                         const char *folder)
{
    FILE *file = create(folder, "source.cu");
    if (file == NULL)
        return false;
    if (options->is_all_device)
        fputs("#pragma clang force_cuda_host_device begin\n", file);
    write_name(file, program->name);
    fputs(program->source, file);
    if (options->is_all_device)
        fputs("\n#pragma clang force_cuda_host_device end\n", file);
    return close_whole(file, nvrtc_write_expressions(program, file));
}

static bool write_files(const struct _nvrtcProgram *program, const struct nvrtc_options *options,
                        const char *folder)
{
    bool is_whole = write_source(program, options, folder);
    for (size_t i = 0; is_whole && i < program->header_count; i++)
        is_whole = write_header(folder, &program->headers[i]);
    return is_whole;
}

static char *read_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat status;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX)
        return NULL;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    char *text = fstat(fileno(file), &status) == 0 ? calloc((size_t)status.st_size + 1, 1) : NULL;
    if (text != NULL)
        text[fread(text, 1, (size_t)status.st_size, file)] = '\0';
    fclose(file);
    return text;
}

/* --- running ---------------------------------------------------------------------------------- */

static void add_arguments(struct clang_arguments *list, const struct nvrtc_options *options,
                          const char *folder)
{
    clang_arguments_add(list, compiler.path);
    clang_arguments_add(list, "-x");
    clang_arguments_add(list, "cuda");
    clang_add_common(list, include_dir);
    clang_add_device(list, &compiler, &options->device);
    clang_arguments_add(list, "-fno-color-diagnostics");
    clang_arguments_add(list, "-std=c++17");
    clang_arguments_format(list, "-I%s/include", folder);
    clang_arguments_append(list, &options->arguments);
    clang_arguments_add(list, "-o");
    clang_arguments_format(list, "%s/code.ptx", folder);
    clang_arguments_format(list, "%s/source.cu", folder);
}

static bool wait_for(pid_t child)
{
    int status = 0;
    pid_t ended;
    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    /* Where the process waits for children elsewhere, or lets them go, the file tells. */
    return ended < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* True: clang ended well. *is_started: it could be started at all. */
static bool run(const struct clang_arguments *list, const char *folder, bool *is_started)
{
    char log[PATH_MAX];
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    *is_started = false;
    if (snprintf(log, sizeof log, "%s/log", folder) >= PATH_MAX ||
        posix_spawn_file_actions_init(&actions) != 0)
        return false;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    *is_started = posix_spawnp(&child, compiler.path, &actions, NULL, list->values, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return *is_started && wait_for(child);
}

/* Takes the folder's name out of a text, in place. */
static void forget_folder(char *text, const char *folder)
{
    static const char *const inside[] = {"/include/", "/"};
    char path[PATH_MAX + 16];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s%s", folder, inside[i]);
        size_t length = strlen(path);
        for (char *place = strstr(text, path); place != NULL; place = strstr(place, path))
            memmove(place, place + length, strlen(place + length) + 1);
    }
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

static nvrtcResult run_clang(struct _nvrtcProgram *program, const struct nvrtc_options *options,
                             const char *folder)
{
    struct clang_arguments list = {0};
    bool is_started = false;
    add_arguments(&list, options, folder);
    if (list.has_failed) {
        clang_arguments_free(&list);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    bool is_compiled = run(&list, folder, &is_started);
    clang_arguments_free(&list);
    if (!is_started)
        return fail(program, "clang could not be started\n");
    char *log = read_file(folder, "log");
    if (log == NULL)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    forget_folder(log, folder);
    program->ptx = is_compiled ? read_file(folder, "code.ptx") : NULL;
    nvrtcResult result = program->ptx != NULL ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
    return set_log(program, log, result);
}

nvrtcResult nvrtc_compile(struct _nvrtcProgram *program, const struct nvrtc_options *options)
{
    char folder[PATH_MAX];
    pthread_once(&once, find_all);
    if (!has_compiler)
        return fail(program, "no clang was found: install clang 14 or newer (on Debian and Ubuntu: "
                             "apt-get install clang), or let CLEM_CLANG name one\n");
    if (include_dir[0] == '\0')
        return fail(program, "clem's headers are not where this library looks for them\n");
    if (!make_folder(folder))
        return fail(program, "no folder for temporary files could be made; TMPDIR names one\n");
    nvrtcResult result = write_files(program, options, folder)
                             ? run_clang(program, options, folder)
                             : fail(program, "the program's files could not be written\n");
    remove_folder(folder);
    if (result == NVRTC_SUCCESS)
        result = nvrtc_read_names(program);
    return result;
}
