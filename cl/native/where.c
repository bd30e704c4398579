/* Which kernel an instruction belongs to.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "cl/native/native.h"
#include "cl/native/native_private.h"
#include "cl/range_map.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct ocl_range_map
    *_Atomic codes; /* made once, for the life of the process; NULL without memory */

static void make_codes(void)
{
    struct ocl_range_map *made = NULL;
    if (ocl_range_map_create(&made) == OCL_OK)
        atomic_store(&codes, made);
}

static uint64_t base_of(const struct ocl_native *native)
{
    return (uint64_t)(uintptr_t)native->code.base;
}

void ocl_native_note_code(struct ocl_native *native)
{
    pthread_once(&once, make_codes);
    struct ocl_range_map *const map = atomic_load(&codes);
    native->is_noted =
        map && native->code.bytes > 0 &&
        ocl_range_map_insert(map, base_of(native), native->code.bytes, native) == OCL_OK;
}

void ocl_native_forget_code(struct ocl_native *native)
{
    if (native->is_noted)
        ocl_range_map_erase(atomic_load(&codes), base_of(native), native->code.bytes);
}

const char *ocl_native_name_at(uint64_t code)
{
    const struct ocl_range_map *const map = atomic_load(&codes);
    const struct ocl_native *const native = map ? ocl_range_map_find(map, code) : NULL;
    return native ? native->name : NULL;
}
