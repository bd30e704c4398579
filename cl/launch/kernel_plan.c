/* Works out what a launch comes to.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/launch/kernel_plan.h"

#include <string.h>

#include "cl/check.h"
#include "cl/device/work_group.h"
#include "cl/native/native.h"
#include "cl/program/kernel_parts.h"
#include "cl/program/program_shaped.h"
#include "cl/program/translation.h"
#include "cl/trace.h"

static const struct ocl_device_facts *device_of(const struct ocl_kernel *kernel)
{
    return &kernel->program->context->device->facts;
}

/* A translation may do a whole thread block in one work-item. */
static bool does_blocks(const struct ocl_kernel *kernel)
{
    return kernel->ptx && kernel->ptx->form != PTX_FORM_ITEM;
}

/* ---- Limits ---- */

/* Work-items of a work-group; false where the most of a dimension is exceeded, or the text's wish not met. */
static bool count_items(const struct ocl_kernel *kernel, const struct ocl_launch *launch,
                        const size_t most[3], size_t *items)
{
    const size_t *required = kernel->facts.required_work_group;
    *items = 1;
    for (int d = 0; d < 3; d++)
        if (launch->items[d] == 0 || launch->items[d] > most[d] ||
            (required[0] > 0 && launch->items[d] != required[d]) ||
            __builtin_mul_overflow(*items, launch->items[d], items))
            return false;
    return true;
}

/* The kernel's own group limit is left to the driver: some say less than they take. */
static bool fits_group(const struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    static const size_t block[3] = {OCL_BLOCK_THREADS, OCL_BLOCK_THREADS, 64};
    const struct ocl_device *device = kernel->program->context->device;
    size_t items = 0;
    return does_blocks(kernel)
               ? count_items(kernel, launch, block, &items) && items <= OCL_BLOCK_THREADS
               : count_items(kernel, launch, device->facts.max_work_item, &items) &&
                     (items <= device->facts.max_work_group ||
                      items <= ocl_work_group_most(device));
}

/* Whether the driver takes such work-groups only of kernels that are compiled for them. Needs: fits_group(). */
static bool must_be_shaped(const struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    const size_t *items = launch->items;
    return !does_blocks(kernel) && kernel->facts.required_work_group[0] == 0 &&
           items[0] * items[1] * items[2] > device_of(kernel)->max_work_group;
}

/* What kernel and launch ask for, wherever it lies. */
static bool fits_shared(const struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    const uint64_t most = kernel->facts.most_local, own = kernel->facts.local_bytes;
    return own <= most && launch->local_bytes <= most - own;
}

/* Whether all blocks of a launch can wait for each other, or need not: OpenCL C has no way to. Native ones take turns. */
static bool may_cooperate(struct ocl_kernel *kernel)
{
    const bool waits =
        kernel->ptx && kernel->ptx->waits_for_blocks && kernel->ptx->form != PTX_FORM_NATIVE;
    const bool may =
        kernel->program->context->gathers ? !kernel->ptx || kernel->ptx->gathers : !waits;
    if (!may)
        ocl_kernel_complain(kernel, "its blocks cannot wait for each other on this device");
    return may;
}

/* ---- Variants ---- */

static size_t round_up(size_t bytes, size_t step)
{
    return (bytes + step - 1) / step * step;
}

/* What a driver takes of local memory for itself: of a module that it was given as it is, it counts the static
 * variables as well. */
static size_t drivers_own(const struct ocl_kernel *kernel)
{
    const size_t counted = kernel->program->text ? 0 : kernel->facts.local_bytes;
    return kernel->declared_local > counted ? kernel->declared_local - counted : 0;
}

/* Needs: fits_group(), fits_shared(). */
static size_t scratch_of_block(const struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    enum { WARP = 32 };
    const size_t threads = launch->items[0] * launch->items[1] * launch->items[2];
    return kernel->ptx->scratch_bytes *
           (kernel->ptx->form == PTX_FORM_WARP ? round_up(threads, WARP) : threads);
}

/* Of __local memory, in a launch of a translation that does not spill. */
static size_t local_bytes(const struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    enum { ALIGNMENT = 16 }; /* of what the text declares; drivers begin it behind their own */
    const size_t shared =
        kernel->ptx->has_shared ? kernel->facts.local_bytes + launch->local_bytes : 0;
    return round_up(drivers_own(kernel), ALIGNMENT) + shared + scratch_of_block(kernel, launch);
}

static bool must_spill(const struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    if (!kernel->ptx || kernel->ptx->spills)
        return false;
    const size_t refused = atomic_load_explicit(&kernel->ptx->refused_local, memory_order_relaxed);
    const size_t bytes = local_bytes(kernel, launch);
    return bytes > device_of(kernel)->local_bytes || (refused > 0 && bytes >= refused);
}

/* After the driver refused a launch: whether that may be for the local memory that it takes for itself, up to 1 KiB in
 * NVIDIA's (580), which it tells nobody about. Launches with as much spill from then on. */
static bool spills_next(struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    enum { UNTOLD = 1024 };
    if (!kernel->ptx || kernel->ptx->spills || !kernel->ptx->has_shared)
        return false;
    const size_t bytes = local_bytes(kernel, launch);
    size_t refused = atomic_load(&kernel->ptx->refused_local);
    if (bytes + UNTOLD <= device_of(kernel)->local_bytes)
        return false;
    while ((refused == 0 || bytes < refused) &&
           !atomic_compare_exchange_weak(&kernel->ptx->refused_local, &refused, bytes))
        continue;
    return true;
}

/* Replaces the kernel by a variant of it; NULL: there was no memory for that. */
static ocl_status take_variant(struct ocl_kernel **kernel, struct ocl_kernel *variant)
{
    const ocl_status status = variant ? ocl_kernel_ready(variant) : OCL_E_OUT_OF_MEMORY;
    if (status != OCL_OK)
        return status;
    if (variant->facts.status != OCL_OK)
        ocl_kernel_complain(variant, "%s", variant->facts.reason);
    *kernel = variant;
    return variant->facts.status;
}

static bool points_to_vast(const struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    bool does = false;
    for (size_t i = 0; !does && launch->arguments && i < kernel->facts.parameter_count; i++)
        does = launch->arguments[i] && ocl_points_to_vast(device_of(kernel), launch->arguments[i],
                                                          kernel->parameters[i].bytes);
    return does;
}

static bool is_vast(const struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    switch (kernel->ptx->vast) {
    case PTX_VAST_THREADS:
        return ocl_is_vast(device_of(kernel), launch->groups, launch->items);
    case PTX_VAST_MEMORY:
        return points_to_vast(kernel, launch);
    default:
        return false;
    }
}

/* The plan's code, and whether it is for vast launches. Machine code is made for a shape when that is launched first, and may fail where another shape's did not. */
static ocl_status take_code(struct ocl_kernel **kernel, const struct ocl_launch *launch,
                            struct ocl_native **native, bool *vast)
{
    const struct ocl_kernel_parts *parts = ocl_parts_of(*kernel);
    if (!(*kernel)->ptx || (*kernel)->ptx->form != PTX_FORM_NATIVE)
        return OCL_OK;
    size_t block[3];
    memcpy(block, launch->items, sizeof block);
    block[0] *= ocl_widened((*kernel)->ptx, launch->groups[0], block);
    *vast = is_vast(*kernel, launch);
    ocl_status status = parts->ptx_native(*kernel, block, *vast, native);
    if (status == OCL_E_BUILD)
        status = take_variant(kernel, parts->ptx_opencl(*kernel));
    return status == OCL_OK && launch->is_cooperative && !may_cooperate(*kernel)
               ? OCL_E_NOT_SUPPORTED
               : status;
}

/* The variant for this launch's shape alone: of a translation, or of the user's text. */
static ocl_status find_shaped(struct ocl_kernel *kernel, const size_t shape[3],
                              struct ocl_kernel **shaped)
{
    const ocl_status status = kernel->ptx ? ocl_parts_of(kernel)->ptx_shaped(kernel, shape, shaped)
                                          : ocl_program_shaped(kernel, shape, shaped);
    return status == OCL_OK ? ocl_kernel_ready(*shaped) : status;
}

static ocl_status take_shaped(struct ocl_kernel **kernel, const struct ocl_launch *launch)
{
    struct ocl_kernel *shaped = NULL;
    const ocl_status status = find_shaped(*kernel, launch->items, &shaped);
    if (status != OCL_OK)
        return status;
    if (shaped->facts.status != OCL_OK)
        ocl_kernel_complain(shaped, "%s", shaped->facts.reason);
    *kernel = shaped;
    return shaped->facts.status;
}

/* ---- Work-items ---- */

/* Several work-items for each compute unit, so that one which comes late does not hold up the launch,
 * if each still has enough threads in step for runs of memory that are worth it; and threads beyond
 * which memory is walked no better. */
enum { ITEMS_PER_UNIT = 4, WORTH_IN_STEP = 8192, MOST_IN_STEP = 16384 };

/* How many thread blocks each work-item runs: enough work-items for all compute units stay. */
static size_t joined_blocks(const struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    const struct ocl_device_facts *facts = device_of(kernel);
    if (kernel->ptx && kernel->ptx->form == PTX_FORM_NATIVE)
        return ocl_widened(kernel->ptx, launch->groups[0], launch->items);
    if (!does_blocks(kernel) || !kernel->ptx->joins_blocks || kernel->ptx->spills)
        return 1;
    const size_t threads = launch->items[0] * launch->items[1] * launch->items[2];
    const size_t units = facts->compute_units ? facts->compute_units : 1;
    const size_t all = launch->groups[0] * launch->groups[1] * launch->groups[2];
    const size_t worth = (WORTH_IN_STEP + threads - 1) / threads;
    const size_t room = (size_t)facts->local_bytes / 2 / (scratch_of_block(kernel, launch) + 1);
    size_t blocks = all / (units * ITEMS_PER_UNIT);
    if (blocks < worth)
        blocks = all / units < worth ? all / units : worth;
    if (blocks > launch->groups[0])
        blocks = launch->groups[0];
    if (blocks > MOST_IN_STEP / threads)
        blocks = MOST_IN_STEP / threads;
    if (blocks > room)
        blocks = room;
    return blocks > 0 ? blocks : 1;
}

/* Work-items that do a thread block each lie along the last dimension. PoCL up to 5 compiles a kernel anew for each grid
 * that is wider than those before, in which it does not count the groups of that dimension; and where an old one runs
 * several times while a new one comes, it releases the wrong one and ends the process
 * (pocl_release_dlhandle_cache: found->ref_count > 0). */
static bool lay_along_last(size_t global[3])
{
    const bool fits = !__builtin_mul_overflow(global[0], global[1], &global[0]) &&
                      !__builtin_mul_overflow(global[0], global[2], &global[2]);
    global[0] = global[1] = 1;
    return fits;
}

static bool count_work(const struct ocl_kernel *kernel, const struct ocl_launch *launch,
                       struct ocl_plan *plan)
{
    const bool is_narrow = device_of(kernel)->address_bits == 32;
    for (int d = 0; d < 3; d++) {
        const size_t joined = d == 0 ? plan->joined : 1;
        plan->local[d] = does_blocks(kernel) ? 1 : launch->items[d];
        if (launch->groups[d] == 0 ||
            __builtin_mul_overflow((launch->groups[d] + joined - 1) / joined, plan->local[d],
                                   &plan->global[d]))
            return false;
    }
    if (does_blocks(kernel) && !lay_along_last(plan->global))
        return false;
    if (kernel->ptx && kernel->ptx->form == PTX_FORM_NATIVE)
        plan->global[2] = ocl_native_items(kernel->program->context, plan->native, plan->global[2]);
    plan->dimensions = 1;
    for (int d = 0; d < 3; d++) {
        if (is_narrow && plan->global[d] > UINT32_MAX)
            return false;
        if (plan->global[d] > 1)
            plan->dimensions = (cl_uint)d + 1;
    }
    memcpy(plan->portion, plan->global, sizeof plan->portion);
    return true;
}

/* ---- Memory ---- */

/* Enough for all compute units to be busy, and no more than a part of the device's memory. 0: it has no room
 * for one. Where blocks wait for each other: as many as a multiprocessor may have, on each, and some, since programs count
 * on so many being at work at once; all of a cooperative launch. */
static size_t blocks_at_once(const struct ocl_kernel *kernel, const struct ocl_launch *launch,
                             size_t bytes)
{
    enum { WORTH = 64 << 20, BLOCKS_PER_UNIT = 4, WAITING_PER_UNIT = 16, MOST_WAITING = 1024 };
    const struct ocl_device_facts *facts = device_of(kernel);
    const bool takes_turns = kernel->ptx->takes_turns;
    const size_t all = launch->groups[0] * launch->groups[1] * launch->groups[2];
    const size_t most = (size_t)facts->max_alloc_bytes / 2 / bytes;
    const size_t busy =
        (size_t)facts->compute_units * (takes_turns ? WAITING_PER_UNIT : BLOCKS_PER_UNIT);
    const size_t worth = takes_turns && WORTH / bytes > MOST_WAITING ? MOST_WAITING : WORTH / bytes;
    size_t blocks = worth > busy ? worth : busy;
    if (launch->is_cooperative)
        return all <= most ? all : 0;
    if (blocks > most)
        blocks = most;
    return blocks < all ? blocks : all;
}

/* Whole slices of the grid, or whole rows, or parts of rows, as many as can be enqueued at once. */
static void cut(struct ocl_plan *plan)
{
    size_t most = plan->at_once;
    for (int d = 0; d < 3; d++) {
        const size_t groups = plan->global[d] / plan->local[d];
        const size_t taken = groups < most ? groups : most;
        plan->portion[d] = taken * plan->local[d];
        most = taken < groups || taken == 0 ? 1 : most / taken;
    }
}

/* One work-item for each compute unit, which take the blocks one after the other. */
static ocl_status plan_turns(const struct ocl_kernel *kernel, struct ocl_plan *plan)
{
    enum { MOST_WORKERS = 0xffff };
    const size_t blocks = plan->global[2], units = device_of(kernel)->compute_units;
    size_t workers = units < MOST_WORKERS ? units : MOST_WORKERS;
    if (blocks > UINT32_MAX - MOST_WORKERS)
        return OCL_E_LAUNCH_SIZE;
    if (workers > plan->at_once)
        workers = plan->at_once;
    if (ocl_check_wants(OCL_CHECK_RACE | OCL_CHECK_SYNC)) /* blocks run in order */
        workers = 1;
    plan->global[2] = plan->portion[2] = workers > 0 ? workers : 1;
    return OCL_OK;
}

/* As library and text round it. */
enum { SCRATCH_STEP = 128 };

static ocl_status plan_memory(const struct ocl_kernel *kernel, const struct ocl_launch *launch,
                              struct ocl_plan *plan)
{
    if (!kernel->ptx)
        return OCL_OK;
    plan->scratch_bytes = scratch_of_block(kernel, launch) * plan->joined;
    if (!kernel->ptx->spills)
        return OCL_OK;
    plan->scratch_bytes = round_up(plan->scratch_bytes, SCRATCH_STEP);
    plan->shared_bytes = kernel->ptx->has_shared ? PTX_SHARED_BYTES : 0;
    const size_t bytes = plan->scratch_bytes + plan->shared_bytes;
    plan->at_once = blocks_at_once(kernel, launch, bytes > 0 ? bytes : 1);
    if (plan->at_once == 0) {
        ocl_log(true, "kernel %s needs %zu bytes for the threads of a block; %s has room for %llu",
                kernel->name, bytes, device_of(kernel)->name,
                (unsigned long long)device_of(kernel)->max_alloc_bytes / 2);
        return OCL_E_OUT_OF_MEMORY;
    }
    if (kernel->ptx->takes_turns)
        return plan_turns(kernel, plan);
    cut(plan);
    /* PoCL builds kernels anew where there is an offset: of several commands each has one, which work-items that do a block
     * each do not look at. */
    plan->first = does_blocks(kernel) && plan->portion[2] < plan->global[2];
    return OCL_OK;
}

ocl_status ocl_plan_make(struct ocl_kernel **kernel, const struct ocl_launch *launch,
                         struct ocl_plan *plan)
{
    if (launch->is_cooperative && !may_cooperate(*kernel))
        return OCL_E_NOT_SUPPORTED;
    if (!fits_group(*kernel, launch) || !fits_shared(*kernel, launch))
        return OCL_E_LAUNCH_SIZE;
    struct ocl_native *native = NULL;
    bool vast = false;
    ocl_status status = take_code(kernel, launch, &native, &vast);
    if (status != OCL_OK)
        return status;
    const bool spills = must_spill(*kernel, launch);
    if (spills && (*kernel)->ptx->gathers) {
        ocl_kernel_complain(*kernel, "its blocks cannot wait for each other on this device, where "
                                     "their shared memory has no room");
        return OCL_E_NOT_SUPPORTED;
    }
    if (spills)
        status = take_variant(kernel, ocl_parts_of(*kernel)->ptx_spilled(*kernel));
    if (status == OCL_OK && must_be_shaped(*kernel, launch))
        status = take_shaped(kernel, launch);
    if (status != OCL_OK)
        return status;
    *plan = (struct ocl_plan){
        .joined = joined_blocks(*kernel, launch), .native = native, .is_vast = vast};
    return count_work(*kernel, launch, plan) ? plan_memory(*kernel, launch, plan)
                                             : OCL_E_LAUNCH_SIZE;
}

/* Compiled for the launch's shape alone, a translation may fit. NULL: it cannot be had. */
static struct ocl_kernel *shaped_for(const struct ocl_launch *launch, struct ocl_kernel *variant)
{
    struct ocl_kernel *shaped = NULL;
    const ocl_status status = find_shaped(variant, launch->items, &shaped);
    return status == OCL_OK && shaped->facts.status == OCL_OK ? shaped : NULL;
}

struct ocl_kernel *ocl_plan_smaller(struct ocl_kernel *kernel, struct ocl_kernel *variant,
                                    const struct ocl_launch *launch)
{
    return spills_next(variant, launch) ? kernel : shaped_for(launch, variant);
}
