/* Physical memory: parts of memory files, which can be mapped at several addresses.
 *
 * What need not be exported lies in one file for the whole process: a file each would soon be more than a process may have
 * open. Parts of it are never used again, but given back to the system: a file has more room than there are addresses.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cl/base/host_memory.h"
#include "cl/base/own_file.h"
#include "cl/base/steady.h"
#include "cl/device.h"
#include "cl/virtual/virtual_private.h"
#include "cl/whole.h"

struct ocl_physical {
    _Atomic unsigned references;
    struct own_file file;
    bool owns_file; /* else a part of the common one, from offset on */
    bool is_shared; /* it can be exported */
    uint64_t offset;
    size_t bytes;
    int device;
    bool is_counted; /* as taken of the device: not what was imported */
    bool was_mapped; /* (virtual lock) */
    unsigned flags;
    void *handle;
};

/* What an exported file promises: whoever maps it will find all its pages there. */
enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

static pthread_mutex_t common_lock =
    PTHREAD_MUTEX_INITIALIZER; /* a leaf: the common file, credit */
static struct own_file common = OWN_FILE_NONE;
static uint64_t common_bytes;

static _Atomic uint64_t taken[OCL_VIRTUAL_DEVICES];

/* A file beyond the limit (ulimit -f) would come with a signal that ends the process. */
static bool may_have(uint64_t bytes)
{
    struct rlimit limit;
    return bytes <= INT64_MAX && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           (limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur);
}

static bool set_bytes(int file, uint64_t bytes)
{
    return may_have(bytes) && ftruncate(file, (off_t)bytes) == 0;
}

int ocl_physical_file(uint64_t bytes)
{
    int file = memfd_create("clem", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0)
        file = whole_above_streams(file);
    if (file >= 0 && !set_bytes(file, bytes)) {
        close(file);
        return -1;
    }
    return file;
}

/* A new one where the program has closed the one before, which the mappings of its parts keep. */
static int find_common(void)
{
    if (own_file_find(&common) < 0) {
        common = own_file_note(ocl_physical_file(0));
        common_bytes = 0;
    }
    return common.number;
}

static bool take_part(struct ocl_physical *made)
{
    pthread_mutex_lock(&common_lock);
    const int file = find_common();
    const bool is_taken = file >= 0 && set_bytes(file, common_bytes + made->bytes);
    if (is_taken) {
        made->file = common;
        made->offset = common_bytes;
        common_bytes += made->bytes;
    }
    pthread_mutex_unlock(&common_lock);
    return is_taken;
}

static bool take_file(struct ocl_physical *made)
{
    made->file = own_file_note(ocl_physical_file(made->bytes));
    made->owns_file = made->file.number >= 0;
    return made->owns_file && fcntl(made->file.number, F_ADD_SEALS, SEALS) == 0;
}

/* What may be taken before the host is asked again how much it has, which costs half a millisecond: an eighth of what that
 * was. */
enum { CREDIT_SHARE = 8 };
static uint64_t credit; /* common lock */

static bool host_has(size_t bytes)
{
    pthread_mutex_lock(&common_lock);
    if (bytes > credit) {
        const uint64_t available = ocl_host_memory_available();
        credit = bytes <= available ? bytes + (available - bytes) / CREDIT_SHARE : 0;
    }
    const bool has = bytes <= credit;
    if (has)
        credit -= bytes;
    pthread_mutex_unlock(&common_lock);
    return has;
}

/* Pages come when they are touched, and a process that touches more than there are is ended: so more than there is room
 * for is refused here. */
static bool count_taken(struct ocl_physical *made)
{
    uint64_t total = 0, largest = 0;
    ocl_device_memory(made->device, &total, &largest);
    const uint64_t before = atomic_fetch_add(&taken[made->device], made->bytes);
    made->is_counted = true;
    return before <= total && made->bytes <= total - before && host_has(made->bytes);
}

static struct ocl_physical *new_physical(int device, size_t bytes, unsigned flags)
{
    struct ocl_physical *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    atomic_store(&made->references, 1);
    made->file = (struct own_file)OWN_FILE_NONE;
    made->bytes = bytes;
    made->device = device;
    made->flags = flags;
    return made;
}

static void end_physical(struct ocl_physical *physical)
{
    if (physical->is_counted)
        atomic_fetch_sub(&taken[physical->device], physical->bytes);
    const int file = own_file_find(&physical->file);
    if (file >= 0 && physical->owns_file)
        close(file);
    else if (file >= 0)
        (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)physical->offset,
                        (off_t)physical->bytes);
    free(physical);
}

static ocl_status create(int device, size_t bytes, bool is_shared, unsigned flags,
                         struct ocl_physical **physical)
{
    struct ocl_physical *made = new_physical(device, bytes, flags);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->is_shared = is_shared;
    if (count_taken(made) && ((!is_shared && take_part(made)) || take_file(made))) {
        *physical = made;
        return OCL_OK;
    }
    end_physical(made);
    return OCL_E_OUT_OF_MEMORY;
}

ocl_status ocl_physical_create(int device, size_t bytes, bool is_shared, unsigned flags,
                               struct ocl_physical **physical)
{
    const int before = ocl_steady_begin();
    const ocl_status status = create(device, bytes, is_shared, flags, physical);
    ocl_steady_end(before);
    return status;
}

ocl_status ocl_physical_export(const struct ocl_physical *physical, int *file)
{
    if (!physical->is_shared)
        return OCL_E_NOT_SUPPORTED;
    const int made = fcntl(own_file_find(&physical->file), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (made < 0)
        return OCL_E_OUT_OF_MEMORY;
    *file = made;
    return OCL_OK;
}

/* Memory that its owner could cut short would end the process that reads it. */
static bool is_memory(int file, uint64_t *bytes)
{
    struct stat facts;
    const int seals = fcntl(file, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(file, &facts) != 0 || facts.st_size <= 0)
        return false;
    *bytes = (uint64_t)facts.st_size;
    return *bytes % OCL_VIRTUAL_GRAIN == 0;
}

ocl_status ocl_physical_import(int device, int file, unsigned flags, struct ocl_physical **physical)
{
    uint64_t bytes = 0;
    if (!is_memory(file, &bytes))
        return OCL_E_FILE;
    struct ocl_physical *made = new_physical(device, (size_t)bytes, flags);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->file = own_file_note(fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    made->owns_file = made->is_shared = made->file.number >= 0;
    if (!made->owns_file) {
        end_physical(made);
        return OCL_E_OUT_OF_MEMORY;
    }
    *physical = made;
    return OCL_OK;
}

void ocl_physical_retain(struct ocl_physical *physical)
{
    atomic_fetch_add(&physical->references, 1);
}

void ocl_physical_release(struct ocl_physical *physical)
{
    if (!physical || atomic_fetch_sub(&physical->references, 1) != 1)
        return;
    const int before = ocl_steady_begin();
    end_physical(physical);
    ocl_steady_end(before);
}

bool ocl_physical_is_fresh(struct ocl_physical *physical)
{
    const bool is_fresh = !physical->was_mapped && !physical->is_shared;
    physical->was_mapped = true;
    return is_fresh;
}

size_t ocl_physical_bytes(const struct ocl_physical *physical)
{
    return physical->bytes;
}

int ocl_physical_device(const struct ocl_physical *physical)
{
    return physical->device;
}

unsigned ocl_physical_flags(const struct ocl_physical *physical)
{
    return physical->flags;
}

void *ocl_physical_handle(const struct ocl_physical *physical)
{
    return physical->handle;
}

void ocl_physical_set_handle(struct ocl_physical *physical, void *handle)
{
    physical->handle = handle;
}

uint64_t ocl_physical_taken(int device)
{
    return device < OCL_VIRTUAL_DEVICES ? atomic_load(&taken[device]) : 0;
}

ocl_status ocl_physical_place(const struct ocl_physical *physical, uint64_t address)
{
    const void *placed = mmap((void *)(uintptr_t)address, physical->bytes, PROT_NONE,
                              MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
                              own_file_find(&physical->file), (off_t)physical->offset);
    return placed == MAP_FAILED ? OCL_E_OUT_OF_MEMORY : OCL_OK;
}
