/* The folder in which PoCL keeps compiled kernels: it runs what it finds there.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/driver_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cl/base/environment.h"
#include "cl/base/options.h"
#include "cl/base/temporary_folder.h"
#include "cl/base/trust.h"
#include "cl/base/user_cache.h"
#include "cl/device/driver_folder_share.h"
#include "cl/process.h"
#include "cl/trace.h"

#define VARIABLE "POCL_CACHE_DIR"

/* What PoCL was given, as an entry of the environment: VARIABLE, "=" and the folder. */
static char given[PATH_MAX + sizeof VARIABLE];
static char *const folder = given + sizeof VARIABLE; /* empty: PoCL has its usual one */
static char *usual_path;                             /* the other case; as long as the process */
static const char *fault;                            /* why not the usual one */
/* Where PoCL may start, though nothing builds: that says what is wrong. */
static const char on_full_disk[] = "is on a full disk", no_exec[] = "is mounted noexec";
static bool is_given; /* the usual one, by its whole name, or one that nobody asked for */
static pid_t maker;   /* of a folder to remove; 0: there is none */

/* ---- The usual folder ---- */

/* PoCL would look for a relative one wherever the program is by then. NULL: out of memory. */
static char *whole_path(const char *path)
{
    char *here = *path == '/' ? NULL : getcwd(NULL, 0), *whole = NULL;
    if (!here)
        return strdup(path);
    if (asprintf(&whole, "%s/%s", here, path) < 0)
        whole = NULL;
    free(here);
    return whole;
}

/* Under CUDA_CACHE_PATH, beside the program cache's. */
static struct ocl_user_cache folder_of_cuda(void)
{
    struct ocl_user_cache folder_there = {NULL, 0};
    if (asprintf(&folder_there.path, "%s/pocl", ocl_options_get()->cuda_cache) < 0)
        folder_there.path = NULL;
    return folder_there;
}

/* PoCL's own rule (pocl_cache_init_topdir() of its sources), but for names that it would take relative to
 * wherever the program is, and /tmp/pocl. */
static struct ocl_user_cache usual_folder(void)
{
    const char *chosen = secure_getenv(VARIABLE), *cache = secure_getenv("XDG_CACHE_HOME"),
               *keeps = secure_getenv("POCL_KERNEL_CACHE");
    if (chosen)
        return (struct ocl_user_cache){*chosen ? whole_path(chosen) : NULL, 0};
    if (ocl_options_get()->cuda_cache)
        return folder_of_cuda();
    if (cache && *cache && *cache != '/')
        return (struct ocl_user_cache){NULL, 0};
    return ocl_user_cache_find(keeps && *keeps != '1' ? "/pocl/uncached" : "/pocl/kcache");
}

bool ocl_driver_folder_is_full(const char *path, unsigned long long *room)
{
    struct statvfs disk;
    if (statvfs(path, &disk) != 0)
        return false;
    *room = (unsigned long long)disk.f_frsize * disk.f_bavail;
    const bool has_files =
        disk.f_files == 0 || disk.f_favail > 0; /* some file systems count none */
    return *room < OCL_DRIVER_FOLDER_BYTES || !has_files;
}

static bool has_room(const char *path)
{
    unsigned long long room = 0;
    return !ocl_driver_folder_is_full(path, &room);
}

static bool can_run_from(const char *place)
{
    struct statvfs disk;
    return statvfs(place, &disk) == 0 && !(disk.f_flag & ST_NOEXEC);
}

/* Whether a folder that is not there can be made: the last that is there on the way to it takes more. */
static bool can_make(const char *path, size_t least)
{
    struct stat facts;
    char *way = strdup(path);
    const char *last = NULL; /* what is there */
    while (way && !last) {
        char *slash = strrchr(way, '/');
        const char *here = ".";
        if (slash) {
            *slash = '\0';
            here = *way ? way : "/";
            if (strlen(way) + 1 < least)
                break;
        }
        if (!slash || stat(here, &facts) == 0)
            last = here;
    }
    const bool can = last && ocl_trust_can_write(AT_FDCWD, last) && has_room(last);
    free(way);
    return can;
}

/* Why PoCL must not have the folder; NULL where it may. */
static const char *find_fault(const char *path, size_t least)
{
    struct stat facts;
    const int opened = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0 && errno == ENOENT)
        return can_make(path, least) ? NULL : "cannot be made";
    if (opened < 0)
        return "cannot be opened";
    const char *found =
        fstat(opened, &facts) != 0 ? "cannot be examined" : ocl_trust_fault(opened, &facts);
    close(opened);
    if (!found && !ocl_trust_can_write(AT_FDCWD, path))
        found = "cannot be written";
    if (!found && !can_run_from(path))
        found = no_exec;
    return found || has_room(path) ? found : on_full_disk;
}

/* ---- A private folder ---- */

/* A child that ends leaves alone what is its parent's. */
static void remove_folder(void)
{
    if (maker == getpid())
        ocl_temporary_folder_remove(AT_FDCWD, folder);
    maker = 0;
}

/* The system empties this place when the user has logged out. */
static bool make_runtime_folder(void)
{
    const char *place = secure_getenv("XDG_RUNTIME_DIR");
    if (!place || *place != '/' || find_fault(place, strlen(place)) ||
        snprintf(folder, PATH_MAX, "%s/clem-pocl", place) >= PATH_MAX)
        return false;
    (void)mkdir(folder, 0700);
    return !find_fault(folder, strlen(folder));
}

/* The handler is registered before PoCL's and its compiler's own, so it runs behind them. */
static bool make_temporary_folder(void)
{
    const char *const places[] = {secure_getenv("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i] && *places[i] == '/' && can_run_from(places[i]) && has_room(places[i]) &&
            ocl_temporary_folder_make(places[i], "clem-pocl", folder)) {
            maker = getpid();
            atexit(remove_folder);
            return true;
        }
    return false;
}

/* ---- Both ---- */

static void give_folder(bool is_privileged)
{
    static const char *const none[] = {NULL};
    /* The path is the one in which drivers look for linkers. */
    static const char *const dangerous[] = {"POCL_", "OCL_ICD_", "OPENCL_", NULL};
    static char path[] = "PATH=/usr/bin:/bin";
    char *const added[] = {given, is_privileged ? path : NULL, NULL};
    memcpy(given, VARIABLE "=", sizeof VARIABLE);
    if ((is_privileged || !make_runtime_folder()) && !make_temporary_folder()) {
        if (fault == on_full_disk || fault == no_exec) { /* as all others are */
            fault = NULL;
            *folder = '\0';
            return;
        }
        strcpy(folder, "/dev/null/none"); /* no folder can be made there: PoCL will not start */
    }
    if (!ocl_environment_replace(is_privileged ? dangerous : none, added))
        ocl_trace("there is no memory for an environment with %s", given);
}

/* For PoCL the usual folder's name is as clem has examined it. */
static void give_usual(void)
{
    static const char *const none[] = {NULL};
    char *const added[] = {given, NULL};
    const char *chosen = secure_getenv(VARIABLE);
    const bool is_of_cuda = !chosen && ocl_options_get()->cuda_cache;
    const bool is_found = !is_of_cuda && (!chosen || strcmp(chosen, usual_path) == 0);
    if (is_found || strlen(usual_path) >= PATH_MAX)
        return;
    memcpy(given, VARIABLE "=", sizeof VARIABLE);
    strcpy(folder, usual_path);
    is_given = ocl_environment_replace(none, added);
    if (is_of_cuda)
        ocl_driver_folder_share(ocl_options_get()->cuda_cache, folder);
}

/* CUDA_CACHE_DISABLE: PoCL has to have a folder, which goes when the process ends. False: nowhere. */
static bool give_none(void)
{
    static const char *const none[] = {NULL};
    char *const added[] = {given, NULL};
    memcpy(given, VARIABLE "=", sizeof VARIABLE);
    is_given = make_temporary_folder() && ocl_environment_replace(none, added);
    if (!is_given)
        *folder = '\0';
    return is_given;
}

void ocl_driver_folder_choose(void)
{
    const bool is_privileged = ocl_process_is_privileged();
    if (ocl_options_get()->no_cache && give_none())
        return;
    if (!is_privileged) {
        const struct ocl_user_cache usual = usual_folder();
        usual_path = usual.path;
        fault = usual.path ? find_fault(usual.path, usual.least) : "is not known without a home";
    }
    if (is_privileged || fault)
        give_folder(is_privileged);
    else
        give_usual();
}

const char *ocl_driver_folder(void)
{
    return *folder || !usual_path ? folder : usual_path;
}

void ocl_driver_folder_settle(bool is_needed)
{
    if (is_needed && fault)
        ocl_notice("PoCL keeps compiled kernels in %s%s: %s %s. " VARIABLE " can name a folder",
                   folder, maker ? " until this process ends" : "",
                   usual_path ? usual_path : "its usual folder", fault);
    if (!is_needed)
        remove_folder();
    if (fault || is_given)
        ocl_environment_restore();
}
