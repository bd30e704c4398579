/* What ends the process in a driver instead of failing. One row for each cause that can be seen before
 * a build. All of them are PoCL's, which compiles kernels when they are launched, on threads of its own
 * that have nobody to return an error to: it aborts.
 *
 * Causes that clem never gives PoCL 3.1, and where that is seen to:
 *   - an image over a buffer: image.c;
 *   - an argument that is a cl_mem which was released: set_memory() in kernel_enqueue.c;
 *   - more private memory than its threads' stacks hold: ptx_target.c measures, translate.c obeys;
 *   - bitcode out of its own cache as a program's binary: program_compile.c stores what the driver
 *     calls a binary only.
 *   - a kernel of clem's that runs several times while a wider grid of it comes: transfer_kernel.c.
 * What PoCL 6's compiler must not do: driver_llvm.c. What cannot be seen: facade/README.md, "With PoCL".
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/driver_limits.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cl/base/steady.h"
#include "cl/device/driver_folder.h"
#include "cl/device/driver_llvm.h"
#include "cl/device/emulated.h"
#include "cl/device/large.h"
#include "cl/own_thread.h"
#include "cl/sanitized.h"
#include "cl/trace.h"
#include "kernels/ptx/ptx.h"

/* Of PoCL 3.1: the bytes of a path that it builds (POCL_FILENAME_LENGTH), and what it puts behind
 * its folder: the program's, the kernel's, one for work-groups of a size with its file of the kernel's
 * name, each with a slash; the folder for the size and the longest suffix fit in SUFFIXES. */
enum { PATH_BYTES = 1024, PROGRAM_FOLDER = 42, SUFFIXES = 80 };

/* A file's name has NAME_MAX bytes; ".so" is behind the kernel's. */
enum { LONGEST_NAME = NAME_MAX - 3 };

/* --- the causes --------------------------------------------------------------------------------- */

static size_t longest_name(void)
{
    const size_t taken = strlen(ocl_driver_folder()) + PROGRAM_FOLDER + SUFFIXES;
    const size_t most = taken < PATH_BYTES ? (PATH_BYTES - taken) / 2 : 0;
    return most < LONGEST_NAME ? most : LONGEST_NAME;
}

static bool is_path_too_long(char *why, size_t bytes)
{
    if (longest_name() >= PTX_LONGEST_NAME)
        return false;
    snprintf(
        why, bytes,
        "the path of its cache folder has %zu characters, and may have %d: set POCL_CACHE_DIR to a "
        "shorter one",
        strlen(ocl_driver_folder()), PATH_BYTES - PROGRAM_FOLDER - SUFFIXES - 2 * PTX_LONGEST_NAME);
    return true;
}

static bool is_disk_full(char *why, size_t bytes)
{
    unsigned long long room = 0;
    if (!ocl_driver_folder_is_full(ocl_driver_folder(), &room))
        return false;
    snprintf(why, bytes, "the disk of its cache folder %s is full (%llu bytes are free)",
             ocl_driver_folder(), room);
    return true;
}

static bool may_not_execute(char *why, size_t bytes)
{
    struct statvfs disk;
    if (statvfs(ocl_driver_folder(), &disk) != 0 || !(disk.f_flag & ST_NOEXEC))
        return false;
    snprintf(why, bytes, "its cache folder %s is mounted noexec: set POCL_CACHE_DIR to another",
             ocl_driver_folder());
    return true;
}

static bool limits_files(char *why, size_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= OCL_DRIVER_FOLDER_BYTES)
        return false;
    snprintf(why, bytes, "files may have %llu bytes (ulimit -f), and it writes larger ones",
             (unsigned long long)limit.rlim_cur);
    return true;
}

/* Its compiler and its linker had 11 open at once. */
enum { OPEN_FILES = 16 };

static bool lacks_descriptors(char *why, size_t bytes)
{
    int got[OPEN_FILES], count = 0;
    got[0] = open("/", O_PATH | O_CLOEXEC);
    for (int next = got[0]; next >= 0 && ++count < OPEN_FILES;)
        next = got[count] = fcntl(got[0], F_DUPFD_CLOEXEC, 0);
    const int error = errno;
    for (int i = 0; i < count; i++)
        close(got[i]);
    if (count == OPEN_FILES || (error != EMFILE && error != ENFILE))
        return false;
    snprintf(why, bytes,
             "this process may open %d more files (ulimit -n), and its compiler needs %d", count,
             OPEN_FILES);
    return true;
}

static void *do_nothing(void *unused)
{
    return unused;
}

/* The system counts threads as it counts processes, of which the linker is one. */
static bool lacks_processes(char *why, size_t bytes)
{
    pthread_t thread;
    if (own_thread_start(&thread, 0, do_nothing, NULL)) {
        pthread_join(thread, NULL);
        return false;
    }
    snprintf(why, bytes, "no thread or process can be started (ulimit -u, pids.max or memory)");
    return true;
}

/* The layer above may stand in for the waits of the driver's compiler (not in builds with sanitizers), which then does
 * without the status. */
static bool has_waits(void)
{
    static const char here;
    Dl_info own, found;
    const void *function = dlsym(RTLD_DEFAULT, "wait4");
    return !OCL_IS_SANITIZED && function && dladdr(&here, &own) != 0 &&
           dladdr(function, &found) != 0 && own.dli_fbase == found.dli_fbase;
}

static bool ignores_children(char *why, size_t bytes)
{
    struct sigaction now;
    if (has_waits() || sigaction(SIGCHLD, NULL, &now) != 0 ||
        (now.sa_handler != SIG_IGN && !(now.sa_flags & SA_NOCLDWAIT)))
        return false;
    snprintf(why, bytes, "SIGCHLD is ignored, so that it cannot learn how its linker ended");
    return true;
}

static bool has_file(const char *directory, size_t length, const char *name)
{
    char path[PATH_MAX];
    const int bytes = snprintf(path, sizeof path, "%.*s%s%s", (int)length, directory,
                               length > 0 ? "/" : "", name);
    return bytes > 0 && (size_t)bytes < sizeof path && access(path, X_OK) == 0;
}

static bool is_in_path(const char *name)
{
    const char *path = getenv("PATH");
    while (path) {
        const size_t length = strcspn(path, ":");
        if (has_file(path, length, name))
            return true;
        path = path[length] ? path + length + 1 : NULL;
    }
    return false;
}

/* Whether the tools of this processor as a target have a linker; those of others, for other processors, do not count. */
static bool has_target_linker(void)
{
    struct utsname system;
    char pattern[128];
    glob_t found;
    if (uname(&system) != 0)
        return false;
    snprintf(pattern, sizeof pattern, "/usr/%.60s-linux-gnu*/bin/ld", system.machine);
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
        return false;
    globfree(&found);
    return true;
}

/* The linker, where clang looks for it. */
static bool lacks_linker(char *why, size_t bytes)
{
    if (is_in_path("ld") || has_target_linker())
        return false;
    snprintf(why, bytes, "it finds no linker: there is no ld in PATH");
    return true;
}

enum { ANY = INT_MAX };
static const struct {
    int major; /* the first version of PoCL that is not taken to do this; measured on 3.1 and 6.0 */
    bool (*is_met)(char *why, size_t bytes);
} causes[] = {
    {4, is_path_too_long},    /* "program_device_dir: Assertion failed"; or SIGSEGV */
    {4, is_disk_full},        /* "LLVM ERROR: IO failure on output stream", and exit() */
    {ANY, limits_files},      /* the same; from 4 on SIGXFSZ */
    {ANY, lacks_descriptors}, /* "Final linking of kernel ... failed": abort() */
    {ANY, may_not_execute},   /* dlopen() fails: abort() */
    {4, ignores_children},    /* "Final linking of kernel ... failed": abort() */
    {ANY, lacks_linker},      /* the same */
    {ANY, lacks_processes},   /* the same */
};
enum { CAUSES = sizeof causes / sizeof *causes };

/* --- for builds and launches -------------------------------------------------------------------- */

bool ocl_driver_is_pocl(const struct ocl_device_facts *facts)
{
    return strcmp(facts->platform_name, "Portable Computing Language") == 0;
}

int ocl_driver_pocl_major(const struct ocl_device *device)
{
    int major = 0;
    const char *version = strstr(device->facts.platform_version, "PoCL ");
    if (!version)
        version = strstr(device->facts.platform_version, "pocl ");
    return version && sscanf(version + strlen("PoCL "), "%d", &major) == 1 ? major : 0;
}

static void say(size_t cause, const char *why)
{
    static atomic_bool was_said[CAUSES];
    static const char words[] = "PoCL would end the process: %s";
    if (atomic_exchange(&was_said[cause], true))
        ocl_log(true, words, why);
    else
        ocl_complain(words, why);
}

struct build {
    const struct ocl_device *device;
    cl_program program;
    const char *options;
};

/* PoCL names what it keeps after the model of the processor that its LLVM knows, which is the same for processors that
 * have other instructions (an older LLVM's newest model; a virtual machine's mask), and after the options. */
char *ocl_driver_options(const struct ocl_device *device, const char *options)
{
    char *named = NULL;
    const char *large = ocl_large_option(device), *emulated = ocl_emulated_option(device);
    if (*large || *emulated)
        return asprintf(&named, "%s %s %s", options, large, emulated) < 0 ? NULL : named;
    if (!ocl_driver_keeps_programs(device) || !device->facts.processor[0])
        return strdup(options);
    if (asprintf(&named, "%s -D CLEM_PROCESSOR_%s", options, device->facts.processor) < 0)
        return NULL;
    return named;
}

static ocl_status build(void *data)
{
    const struct build *asked = data;
    const struct ocl_device *device = asked->device;
    char why[PATH_MAX];
    const int major = ocl_driver_pocl_major(device);
    for (size_t i = 0; major > 0 && i < CAUSES; i++)
        if (major < causes[i].major && causes[i].is_met(why, sizeof why)) {
            say(i, why);
            return OCL_E_NOT_SUPPORTED;
        }
    ocl_driver_llvm_tame(major, device->facts.platform_version);
    char *named = ocl_driver_options(device, asked->options);
    if (!named)
        return OCL_E_OUT_OF_MEMORY;
    const int before = ocl_steady_begin();
    const ocl_status status = clBuildProgram(asked->program, 1, &device->id, named, NULL, NULL);
    ocl_steady_end(before);
    free(named);
    return status;
}

ocl_status ocl_driver_build(const struct ocl_device *device, cl_program program,
                            const char *options)
{
    return own_thread_call(build, &(struct build){device, program, options}, OCL_E_OUT_OF_MEMORY);
}

/* Versions from 4 on shorten what they name files after. */
size_t ocl_driver_longest_name(const struct ocl_device *device)
{
    const int major = ocl_driver_pocl_major(device);
    return major > 0 && major < 4 ? longest_name() : SIZE_MAX;
}

bool ocl_driver_keeps_programs(const struct ocl_device *device)
{
    return ocl_driver_is_pocl(&device->facts);
}
