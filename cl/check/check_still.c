/* Memory that a launch does not write: what kernels need to know what they have read of it (kernels/ptx/host/still.h).
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cl/check/check_table.h"

static uint64_t find(uint64_t address)
{
    return (uint64_t)(uintptr_t)ocl_check_find(address);
}

/* Nothing is known yet; NULL without memory. */
static struct clem_check_still *make_still(uint64_t memory_bytes)
{
    const uint64_t word = sizeof(uint64_t), bytes = (memory_bytes / 32 / word + 2) * word,
                   parts = (bytes / CLEM_CHECK_STILL_PART / word + 1) * word;
    struct clem_check_still *const still = calloc(1, sizeof *still + bytes + parts + 4 * bytes);
    if (!still)
        return NULL;
    still->bytes = bytes;
    still->each = sizeof *still + bytes + parts;
    return still;
}

static void empty_still(struct clem_check_still *still)
{
    unsigned char *const bits = (unsigned char *)(still + 1), *const parts = bits + still->bytes,
                         *const each = (unsigned char *)still + still->each;
    for (uint64_t at = 0; at < still->bytes; at += CLEM_CHECK_STILL_PART) {
        const uint64_t rest = still->bytes - at,
                       count = rest < CLEM_CHECK_STILL_PART ? rest : CLEM_CHECK_STILL_PART;
        if (!parts[at / CLEM_CHECK_STILL_PART])
            continue;
        parts[at / CLEM_CHECK_STILL_PART] = 0;
        memset(bits + at, 0, count);
        memset(each + 4 * at, 0, 4 * count);
    }
}

static bool keep(uint64_t memory, uint64_t times)
{
    struct clem_check_memory *const its = (struct clem_check_memory *)(uintptr_t)memory;
    struct clem_check_still *still = (struct clem_check_still *)(uintptr_t)its->still;
    if (still)
        empty_still(still);
    else
        still = make_still(its->bytes);
    if (!still)
        return false;
    still->times = times;
    its->still = (uint64_t)(uintptr_t)still;
    return true;
}

void ocl_check_still(struct ocl_check_launch *launch)
{
    launch->head.find = (uint64_t)(uintptr_t)find;
    launch->head.keep = (uint64_t)(uintptr_t)keep;
    launch->head.none = ocl_check_no_memory();
    ocl_check_still_begin(launch, 0);
}
