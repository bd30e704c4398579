/* clem-run: starts a program so that it finds clem where it looks for NVIDIA's libraries.
 *
 *     clem-run [--trace=FILE] [--summary] [--check] PROGRAM [ARGUMENTS...]
 *     clem-run --merge FILE TRACE...
 *
 * Children of the program inherit that. What the program's file shows cannot work is said on stderr
 * before it runs, in one line; if nothing of it can work, it is not started and the exit status is
 * 126, as shells do it for what is found and cannot be run.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "facade/tools/check_run.h"
#include "facade/tools/program_file.h"
#include "facade/tools/trace_files.h"
#include "facade/tools/trace_run.h"

enum { EXIT_USAGE = 64, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

/* --- what cannot work ------------------------------------------------------------------------- */

/* Why the program cannot run, and what mends it; NULL when nothing speaks against it. */
static const char *obstacle(const struct program_facts *facts)
{
    if (facts->runtime != 0 && facts->runtime != 13)
        return "it needs the CUDA runtime of an older toolkit, and clem has that of CUDA 13: build "
               "it again with nvcc 13 and -cudart shared";
    /* Programs built by nvcc carry the runtime even if they use the driver API alone. */
    if (facts->has_static_runtime && (facts->calls_runtime || !facts->needs_driver))
        return "the CUDA runtime is linked into it: build it again with nvcc -cudart shared";
    if (facts->parts_without_ptx > 0)
        return "its code, compiled with -rdc=true, is machine code for NVIDIA GPUs only: build it "
               "again with nvcc -gencode arch=compute_75,code=compute_75";
    if (facts->without_ptx > 0 && facts->with_ptx == 0 && facts->runtime != 0)
        return "its device code is machine code for NVIDIA GPUs only: build it again with nvcc "
               "-gencode arch=compute_75,code=compute_75";
    return NULL;
}

/* nvcc's linker adds a container that holds nothing of the program, and no PTX if others hold machine
 * code. */
static const char *doubt(const struct program_facts *facts)
{
    if (facts->without_ptx > 1 && facts->with_ptx > 0)
        return "some of its device code is machine code for NVIDIA GPUs only and will not run: "
               "build all of it with nvcc -gencode arch=compute_75,code=compute_75";
    return NULL;
}

static void read_facts(const char *path, struct program_facts *facts)
{
    struct stat status;
    memset(facts, 0, sizeof *facts);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        size_t bytes = (size_t)status.st_size;
        void *file = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            program_file_read(file, bytes, facts);
            munmap(file, bytes);
        }
    }
    close(fd);
}

/* --- finding things --------------------------------------------------------------------------- */

static bool is_executable(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Where a shell would find the program; false: nowhere. */
static bool find_program(const char *name, char path[PATH_MAX])
{
    const char *place = secure_getenv("PATH");
    if (strchr(name, '/') != NULL)
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && is_executable(path);
    if (place == NULL)
        place = "/bin:/usr/bin";
    for (;;) {
        size_t length = strcspn(place, ":");
        int written = length == 0 ? snprintf(path, PATH_MAX, "./%s", name)
                                  : snprintf(path, PATH_MAX, "%.*s/%s", (int)length, place, name);
        if (written < PATH_MAX && is_executable(path))
            return true;
        if (place[length] == '\0')
            return false;
        place += length + 1;
    }
}

/* clem's libraries lie beside this program: installed, or in the build folder. */
static bool find_libraries(char folder[PATH_MAX])
{
    static const char *const places[] = {CLEM_LIBRARIES_FROM_BIN, "../clem"};
    char own[PATH_MAX], path[PATH_MAX + 64], library[PATH_MAX + 128];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0)
        return false;
    own[length] = '\0';
    *(strrchr(own, '/') + 1) = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, sizeof path, "%s%s", own, places[i]);
        snprintf(library, sizeof library, "%s/libcudart.so.13", path);
        if (access(library, R_OK) == 0 && realpath(path, folder) != NULL)
            return true;
    }
    return false;
}

/* Puts a path in front of those that a variable lists. */
static bool put_in_front(const char *variable, const char *path)
{
    const char *old = secure_getenv(variable);
    char *value = NULL;
    if (old == NULL || old[0] == '\0')
        return setenv(variable, path, 1) == 0;
    if (asprintf(&value, "%s:%s", path, old) < 0)
        return false;
    bool is_set = setenv(variable, value, 1) == 0;
    free(value);
    return is_set;
}

/* DT_RPATH goes before LD_LIBRARY_PATH, but not before what is loaded already. */
static bool set_environment(const char *folder, const struct program_facts *facts)
{
    char library[PATH_MAX + 32];
    if (!put_in_front("LD_LIBRARY_PATH", folder))
        return false;
    if (!facts->has_rpath || (facts->runtime == 0 && !facts->needs_driver))
        return true;
    snprintf(library, sizeof library, "%s/%s", folder,
             facts->runtime != 0 ? "libcudart.so.13" : "libcuda.so.1");
    return put_in_front("LD_PRELOAD", library);
}

static int usage(FILE *to, int code)
{
    fprintf(to,
            "usage: clem-run [OPTIONS] PROGRAM [ARGUMENTS...]\n"
            "       clem-run --merge FILE TRACE...\n"
            "       clem-run --help | --version\n"
            "Runs a program built with nvcc -cudart shared and PTX in it on any OpenCL "
            "device.\n"
            "  --trace=FILE            records a timeline; FILE ends with .pftrace (for "
            "ui.perfetto.dev), .json or .json.gz\n"
            "  --summary[=FORM[:FILE]] says where time went; FORM is text, csv or json\n"
            "  --trace-detail=api      calls alone; else kernels: commands and their times too\n"
            "  --trace-start-after=N   N seconds, or profiler: when cudaProfilerStart() is "
            "called\n"
            "  --trace-max-mb=N        the latest N MiB of records; else 4096\n"
            "  --check[=LIST]          looks for errors: guard (else), or memory, init, race, "
            "sync, leak, or all\n"
            "  --error-exitcode=N      exit status where errors were found and the program's is "
            "0; else 0\n"
            "  --max-reports=N         so many are shown, also --print-limit; else 100\n"
            "  --suppressions=FILE     lines CHECK:PATTERN of what is not to be reported\n"
            "  --check-format=FORM     text, json or junit\n"
            "  --check-output=FILE     where reports go, also --log-file; else standard error\n"
            "  --guard-align=N         of guarded memory: 16 or 1, closer to its end than 256\n"
            "  --merge                 joins traces of several processes\n"
            "Exit status: the program's; 64 for wrong usage, 126 when it cannot run, 127 when "
            "it is not found.\n");
    return code;
}

static int refuse_value(const char *option, const char *value)
{
    fprintf(stderr, "clem-run: --%s=%s is nothing that it takes\n", option, value);
    return EXIT_USAGE;
}

enum { VERSION = 256, TRACE, SUMMARY, DETAIL, AFTER, MOST, MERGE };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, VERSION},
    {"trace", required_argument, NULL, TRACE},
    {"summary", optional_argument, NULL, SUMMARY},
    {"trace-detail", required_argument, NULL, DETAIL},
    {"trace-start-after", required_argument, NULL, AFTER},
    {"trace-max-mb", required_argument, NULL, MOST},
    {"merge", no_argument, NULL, MERGE},
    {"check", optional_argument, NULL, CHECK_LIST},
    {"error-exitcode", required_argument, NULL, CHECK_ERROR_EXITCODE},
    {"max-reports", required_argument, NULL, CHECK_MAX_REPORTS},
    {"print-limit", required_argument, NULL, CHECK_MAX_REPORTS},
    {"suppressions", required_argument, NULL, CHECK_SUPPRESSIONS},
    {"check-format", required_argument, NULL, CHECK_FORMAT},
    {"check-output", required_argument, NULL, CHECK_OUTPUT},
    {"log-file", required_argument, NULL, CHECK_OUTPUT},
    {"guard-align", required_argument, NULL, CHECK_GUARD_ALIGN},
    {NULL, 0, NULL, 0}};

enum { MOST_SECONDS = 999999, MOST_MB = 1000000000 };

static bool is_number(const char *text, double most)
{
    char *end;
    const double value = strtod(text, &end);
    return end != text && text[strspn(text, "0123456789.")] == '\0' && *end == '\0' &&
           value <= most;
}

/* False: the value is none that the option takes. */
static bool keep_wish(struct trace_wishes *wishes, int option, const char *value)
{
    switch (option) {
    case TRACE:
        wishes->trace = value;
        return trace_has_form(value);
    case SUMMARY:
        return trace_read_summary(wishes, value);
    case DETAIL:
        wishes->is_api_only = strcmp(value, "api") == 0;
        return wishes->is_api_only || strcmp(value, "kernels") == 0;
    case AFTER:
        wishes->after = value;
        return is_number(value, MOST_SECONDS) || strcmp(value, "profiler") == 0;
    default:
        wishes->most_mb = value;
        return is_number(value, MOST_MB);
    }
}

/* clem-run's own options end at the program's name. Returns the exit status, or -1 when there is a
 * program to start. */
static int read_options(int argc, char **argv, struct trace_wishes *wishes,
                        struct check_wishes *checks)
{
    bool merges = false;
    for (int option, index = 0; (option = getopt_long(argc, argv, "+h", options, &index)) != -1;) {
        if (option == 'h')
            return usage(stdout, EXIT_SUCCESS);
        if (option == VERSION) {
            puts("clem-run " CLEM_RUN_VERSION);
            return EXIT_SUCCESS;
        }
        if (option == '?')
            return EXIT_USAGE;
        if (option == MERGE)
            merges = true;
        else if (option >= CHECK_LIST ? !check_keep_wish(checks, option, optarg)
                                      : !keep_wish(wishes, option, optarg))
            return refuse_value(options[index].name, optarg);
    }
    if (merges)
        return argc - optind < 2 || !trace_has_form(argv[optind])
                   ? usage(stderr, EXIT_USAGE)
                   : trace_merge(argv + optind, argc - optind);
    return optind < argc ? -1 : usage(stderr, EXIT_USAGE);
}

static int refuse_unfound(const char *name)
{
    const bool is_there = strchr(name, '/') != NULL && access(name, F_OK) == 0;
    fprintf(stderr, "clem-run: %s: %s\n", name, is_there ? "not executable" : "not found");
    return is_there ? EXIT_CANNOT_RUN : EXIT_NOT_FOUND;
}

int main(int argc, char **argv)
{
    struct program_facts facts;
    char path[PATH_MAX], folder[PATH_MAX];
    struct trace_wishes wishes = {.trace = NULL};
    struct check_wishes checks = {.list = NULL};
    int status = read_options(argc, argv, &wishes, &checks);
    if (status >= 0)
        return status;
    argv += optind - 1; /* the program takes the place of clem-run */
    if (!find_program(argv[1], path))
        return refuse_unfound(argv[1]);
    if (!find_libraries(folder)) {
        fprintf(stderr, "clem-run: clem's libraries are not beside clem-run\n");
        return EXIT_CANNOT_RUN;
    }
    read_facts(path, &facts);
    const char *why = obstacle(&facts);
    if (why != NULL || doubt(&facts) != NULL)
        fprintf(stderr, "clem-run: %s: %s\n", argv[1], why != NULL ? why : doubt(&facts));
    if (why != NULL)
        return EXIT_CANNOT_RUN;
    if (!check_set_environment(&checks))
        return EXIT_USAGE;
    if (!set_environment(folder, &facts)) {
        fprintf(stderr, "clem-run: out of memory\n");
        return EXIT_CANNOT_RUN;
    }
    if (wishes.trace != NULL || wishes.has_summary) {
        char library[PATH_MAX + 32];
        snprintf(library, sizeof library, "%s/libcudart.so.13", folder);
        (void)setenv("NVTX_INJECTION64_PATH", library,
                     0); /* NVIDIA's header for marks and ranges */
        return trace_run(&wishes, path, argv + 1, facts.is_elf);
    }
    if (facts.is_elf)
        execv(path, argv + 1);
    else
        execvp(path, argv + 1); /* which gives a text without #! to a shell */
    fprintf(stderr, "clem-run: %s: %s\n", argv[1], strerror(errno));
    return EXIT_CANNOT_RUN;
}
