/* Memory that is filled.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_filled.h"

#include <pthread.h>
#include <string.h>

#include "cl/check/check_shadow.h"

/* A leaf. `quick.written` of what is somebody's, and the bounds, change under it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void show(struct ocl_checked_memory *memory, const unsigned char *written)
{
    __atomic_store_n(&memory->quick.written, (ulong)(uintptr_t)written, __ATOMIC_RELAXED);
}

void ocl_check_filled_begin(struct ocl_checked_memory *memory)
{
    pthread_mutex_lock(&lock);
    atomic_store(&memory->filled_to, 0);
    memory->filled_from = memory->bytes;
    show(memory, atomic_load(&memory->written));
    pthread_mutex_unlock(&lock);
}

/* The first byte from `at` on that was not written, or `end`. */
static uint64_t first_unwritten(const unsigned char *written, uint64_t at, uint64_t end)
{
    enum { STEP = 64 };
    unsigned char all[STEP];
    memset(all, OCL_WRITTEN, sizeof all);
    while (at + STEP <= end && memcmp(written + at, all, STEP) == 0)
        at += STEP;
    while (at < end && written[at] == OCL_WRITTEN)
        at++;
    return at;
}

bool ocl_check_are_written(const unsigned char *written, uint64_t bytes)
{
    return first_unwritten(written, 0, bytes) == bytes;
}

void ocl_check_see_filled(struct ocl_checked_memory *memory)
{
    const unsigned char *const written = atomic_load(&memory->written);
    if (__atomic_load_n(&memory->quick.written, __ATOMIC_RELAXED) == 0 ||
        written[atomic_load(&memory->filled_to)] != OCL_WRITTEN)
        return;
    pthread_mutex_lock(&lock);
    const uint64_t to =
        first_unwritten(written, atomic_load(&memory->filled_to), memory->filled_from);
    if (to == memory->filled_from)
        show(memory, NULL);
    else
        atomic_store(&memory->filled_to, to);
    pthread_mutex_unlock(&lock);
}

void ocl_check_unfill_begin(struct ocl_checked_memory *memory, uint64_t address, uint64_t bytes)
{
    unsigned char *const written = memory ? atomic_load(&memory->written) : NULL;
    pthread_mutex_lock(&lock);
    if (!written || bytes == 0)
        return;
    const uint64_t at = address - memory->base, end = at + bytes,
                   to = atomic_load(&memory->filled_to);
    const bool is_filled = memory->quick.written == 0;
    if (is_filled || at < to)
        atomic_store(&memory->filled_to, at);
    if (is_filled || end > memory->filled_from)
        memory->filled_from = end;
    show(memory, written);
}

void ocl_check_unfill_end(void)
{
    pthread_mutex_unlock(&lock);
}
