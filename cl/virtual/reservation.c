/* Reserved addresses: inaccessible mappings without memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "cl/base/steady.h"
#include "cl/range_map.h"
#include "cl/virtual/virtual_private.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Atomic(struct ocl_range_map *) reserved; /* made once; NULL: nothing ever was */

void ocl_virtual_lock(void)
{
    pthread_mutex_lock(&lock);
}

void ocl_virtual_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void ocl_virtual_wait(void)
{
    ocl_steady_wait(&changed, &lock);
}

void ocl_virtual_wake(void)
{
    pthread_cond_broadcast(&changed);
}

/* Without the lock, it may be wrong while other threads reserve and free. */
static bool seems_reserved(uint64_t address)
{
    const struct ocl_range_map *map = atomic_load_explicit(&reserved, memory_order_acquire);
    return map && ocl_range_map_find(map, address) != NULL;
}

struct ocl_reservation *ocl_reservation_find(uint64_t address, size_t bytes)
{
    const struct ocl_range_map *map = atomic_load(&reserved);
    struct ocl_reservation *found = map ? ocl_range_map_find(map, address) : NULL;
    const bool is_inside = found && bytes <= found->bytes - (size_t)(address - found->address);
    return is_inside ? found : NULL;
}

/* Most addresses that this is asked of are the program's own, for which no lock is taken. */
bool ocl_virtual_is_reserved(uint64_t address)
{
    if (!seems_reserved(address))
        return false;
    ocl_virtual_lock();
    const bool is_reserved = ocl_reservation_find(address, 1) != NULL;
    ocl_virtual_unlock();
    return is_reserved;
}

static void *map_nothing(uint64_t address, size_t bytes, int flags)
{
    void *made = mmap((void *)(uintptr_t)address, bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    return made == MAP_FAILED ? NULL : made;
}

/* Where the system can map no more, what is there stays behind the addresses until they are used again or freed, out of
 * everybody's reach. */
void ocl_reservation_clear(uint64_t address, size_t bytes)
{
    if (!map_nothing(address, bytes, MAP_FIXED))
        (void)mprotect((void *)(uintptr_t)address, bytes, PROT_NONE);
}

/* Kernels before Linux 4.17 take the address for a wish. */
static bool reserve_at(uint64_t wanted, size_t bytes)
{
    void *made = map_nothing(wanted, bytes, MAP_FIXED_NOREPLACE);
    if (made && (uint64_t)(uintptr_t)made != wanted)
        munmap(made, bytes);
    return made && (uint64_t)(uintptr_t)made == wanted;
}

static bool reserve_anywhere(size_t bytes, size_t alignment, uint64_t *address)
{
    if (bytes > SIZE_MAX - alignment)
        return false;
    char *made = map_nothing(0, bytes + alignment, 0);
    if (!made)
        return false;
    const size_t before = (size_t)(-(uintptr_t)made & (alignment - 1));
    if (before > 0)
        munmap(made, before);
    munmap(made + before + bytes, alignment - before);
    *address = (uint64_t)(uintptr_t)(made + before);
    return true;
}

static ocl_status note(uint64_t address, size_t bytes)
{
    struct ocl_range_map *map = atomic_load(&reserved);
    struct ocl_reservation *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->address = address;
    made->bytes = bytes;
    ocl_status status = map ? OCL_OK : ocl_range_map_create(&map);
    if (status == OCL_OK) {
        atomic_store_explicit(&reserved, map, memory_order_release);
        status = ocl_range_map_insert(map, address, bytes, made);
    }
    if (status != OCL_OK)
        free(made);
    return status == OCL_OK ? OCL_OK : OCL_E_OUT_OF_MEMORY;
}

ocl_status ocl_virtual_reserve(size_t bytes, size_t alignment, uint64_t wanted, uint64_t *address)
{
    if (bytes == 0 || bytes % OCL_VIRTUAL_GRAIN != 0 || (alignment & (alignment - 1)) != 0)
        return OCL_E_INVALID_VALUE;
    if (alignment < OCL_VIRTUAL_GRAIN)
        alignment = OCL_VIRTUAL_GRAIN;
    uint64_t found = wanted;
    if ((wanted == 0 || wanted % alignment != 0 || !reserve_at(wanted, bytes)) &&
        !reserve_anywhere(bytes, alignment, &found))
        return OCL_E_OUT_OF_MEMORY;
    ocl_virtual_watch(seems_reserved);
    ocl_virtual_lock();
    const ocl_status status = note(found, bytes);
    ocl_virtual_unlock();
    if (status == OCL_OK)
        *address = found;
    else
        munmap((void *)(uintptr_t)found, bytes);
    return status;
}

/* Unmapped only when it is known no more, and under the lock: another thread may get the addresses next. */
ocl_status ocl_virtual_free(uint64_t address, size_t bytes)
{
    ocl_virtual_lock();
    struct ocl_reservation *found = ocl_reservation_find(address, bytes);
    const bool is_right =
        found && found->address == address && found->bytes == bytes && found->count == 0;
    if (is_right) {
        ocl_range_map_erase(atomic_load(&reserved), address, bytes);
        if (!found->is_lost)
            munmap((void *)(uintptr_t)address, bytes);
    }
    ocl_virtual_unlock();
    if (!is_right)
        return OCL_E_INVALID_VALUE;
    free(found->mappings);
    free(found);
    return OCL_OK;
}
