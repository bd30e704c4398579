/* What the host has left.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/host_memory.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "cl/base/cgroup.h"
#include "cl/base/options.h"
#include "cl/base/steady.h"

/* Linux hands memory out before it has it and kills a process later, so the last part is left
 * alone: the process's own growth and other programs need some. */
enum { RESERVE_SHARE = 16 };

/* Linux's own estimate, which counts caches that it would drop: proc(5), MemAvailable in KiB. */
static uint64_t meminfo_available(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    if (!file)
        return UINT64_MAX;
    char line[128];
    uint64_t kib = UINT64_MAX;
    while (kib == UINT64_MAX && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNu64, &kib) != 1)
            kib = UINT64_MAX;
    fclose(file);
    return kib == UINT64_MAX ? UINT64_MAX : kib * 1024;
}

static uint64_t sysinfo_available(void)
{
    struct sysinfo info;
    if (sysinfo(&info) != 0)
        return UINT64_MAX;
    return ((uint64_t)info.freeram + info.bufferram) * info.mem_unit;
}

/* Found once: where they are mounted, and which one is this process's, is not asked again. */
static pthread_once_t group_once = PTHREAD_ONCE_INIT;
static struct ocl_cgroup *group;
static uint64_t group_limit;

static void find_group(void)
{
    const char *root = ocl_options_get()->host_root;
    group = ocl_cgroup_find(root ? root : "");
    group_limit = ocl_cgroup_limit(group);
}

uint64_t ocl_host_memory_limit(void)
{
    const int before = ocl_steady_begin();
    pthread_once(&group_once, find_group);
    ocl_steady_end(before);
    return group_limit;
}

/* Pages of the address space and of private data: proc(5), statm's first and sixth. */
static bool find_taken(unsigned long long *all, unsigned long long *data)
{
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return false;
    const bool is_found = fscanf(file, "%llu %*u %*u %*u %*u %llu", all, data) == 2;
    fclose(file);
    return is_found;
}

static uint64_t left_of(const struct rlimit *limit, unsigned long long pages)
{
    const uint64_t taken = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
    if (limit->rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return limit->rlim_cur > taken ? limit->rlim_cur - taken : 0;
}

/* ulimit -v and -d: drivers may end the process where they get no memory. */
static uint64_t left_of_limits(void)
{
    unsigned long long all = 0, data = 0;
    struct rlimit space, own;
    if (getrlimit(RLIMIT_AS, &space) != 0 || getrlimit(RLIMIT_DATA, &own) != 0 ||
        (space.rlim_cur == RLIM_INFINITY && own.rlim_cur == RLIM_INFINITY) ||
        !find_taken(&all, &data))
        return UINT64_MAX;
    const uint64_t of_space = left_of(&space, all), of_data = left_of(&own, data);
    return of_space < of_data ? of_space : of_data;
}

static uint64_t find_available(void)
{
    uint64_t bytes = meminfo_available();
    if (bytes == UINT64_MAX)
        bytes = sysinfo_available();
    const uint64_t allowed = left_of_limits();
    if (allowed < bytes)
        bytes = allowed;
    pthread_once(&group_once, find_group);
    const uint64_t left = ocl_cgroup_left(group);
    if (left < bytes)
        bytes = left;
    return bytes == UINT64_MAX ? bytes : bytes - bytes / RESERVE_SHARE;
}

uint64_t ocl_host_memory_available(void)
{
    const int before = ocl_steady_begin();
    const uint64_t bytes = find_available();
    ocl_steady_end(before);
    return bytes;
}
