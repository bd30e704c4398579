/* Opens and closes the context of a device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/context.h"

#include <stdlib.h>

#include "cl/base/deadline.h"
#include "cl/base/steady.h"
#include "cl/base/worker.h"
#include "cl/binding/kernel_texture.h"
#include "cl/binding/ptx_launches.h"
#include "cl/binding/ptx_runtime.h"
#include "cl/binding/ptx_table.h"
#include "cl/block/block.h"
#include "cl/block/probe.h"
#include "cl/check.h"
#include "cl/check/guard.h"
#include "cl/context/capability.h"
#include "cl/context/exit.h"
#include "cl/image/image.h"
#include "cl/launch/kernel_crash.h"
#include "cl/managed/managed_private.h"
#include "cl/memory/ordered_private.h"
#include "cl/native/native.h"
#include "cl/own_thread.h"
#include "cl/program/builtin.h"
#include "cl/program/kernel_parts.h"
#include "cl/ptx/ptx_kernel.h"
#include "cl/queue/command.h"
#include "cl/queue/queue_private.h"
#include "cl/queue/waited.h"
#include "cl/state/contexts.h"
#include "cl/state/failure.h"
#include "cl/state/paging.h"
#include "cl/state/state.h"
#include "cl/symbol/symbols_private.h"
#include "cl/trace.h"
#include "cl/transfer/staging.h"
#include "cl/value.h"
#include "cl/virtual/mapping.h"

/* Source: CUDA Runtime API 13.0, cudaDeviceSetLimit, and what its driver tells at first. */
enum { PRINT_BYTES = 1 << 20, HEAP_BYTES = 8 << 20 };

/* Patterns first: what is freed then is looked at where it goes. */
static void look_and_settle(struct ocl_context *context)
{
    ocl_guard_check_new(ocl_queues_are_idle(context));
    ocl_ordered_settle(context);
}

/* In the order of ocl_waited(). */
static const struct ocl_following following = {
    .keep_failures = ocl_staging_look,
    .trim_pools = look_and_settle,
    .let_touch = ocl_migration_let_touch,
    .bring_back = ocl_migration_return,
    .print = ocl_runtime_after_wait,
};

static const struct ocl_paging paging = {
    .add = ocl_migration_add,
    .remove = ocl_migration_remove,
    .join = ocl_region_join,
    .detach = ocl_migration_detach,
    .enter = ocl_migration_enter,
    .leave = ocl_migration_leave,
    .watch = ocl_fault_watch,
    .begin_function = ocl_migration_begin_function,
    .end_function = ocl_migration_end_function,
};

/* For the files of plain kernels. */
static const struct ocl_kernel_parts kernel_parts = {
    .binding_open = ocl_binding_open,
    .binding_written = ocl_binding_written,
    .binding_close = ocl_binding_close,
    .program_forget_references = ocl_program_forget_references,
    .symbols_ready = ocl_symbols_ready,
    .symbols_block = ocl_symbols_block,
    .symbols_release = ocl_symbols_release,
    .ptx_open = ocl_ptx_open,
    .ptx_open_parsed = ocl_ptx_open_parsed,
    .ptx_close = ocl_ptx_close,
    .ptx_forget = ocl_ptx_forget,
    .ptx_describe = ocl_ptx_describe,
    .ptx_limit = ocl_ptx_limit,
    .ptx_spilled = ocl_ptx_spilled,
    .ptx_gathering = ocl_ptx_gathering,
    .ptx_native = ocl_ptx_native,
    .ptx_opencl = ocl_ptx_opencl,
    .ptx_gathered = ocl_ptx_gathered,
    .ptx_shaped = ocl_ptx_shaped,
    .ptx_begin = ocl_ptx_begin,
    .ptx_end = ocl_ptx_end,
    .ptx_memory = ocl_ptx_memory,
    .table_written = ocl_table_written,
    .launches_address = ocl_launches_address,
    .launches_follow = ocl_launches_follow,
    .launches_release = ocl_launches_release,
};

static ocl_status open_parts(void *made)
{
    struct ocl_context *context = made;
    ocl_status status = ocl_probe_create(context);
    if (status == OCL_OK)
        status = ocl_capability_choose(context);
    if (status == OCL_OK)
        status = ocl_worker_create(&context->host_functions);
    if (status == OCL_OK)
        status = ocl_worker_create(&context->bridge);
    if (status == OCL_OK) {
        struct ocl_queue *legacy; /* context->legacy is set by the call */
        status = ocl_queue_create(context, OCL_QUEUE_LEGACY, 0, &legacy);
    }
    if (status == OCL_OK)
        status = ocl_staging_create(context);
    return status;
}

/* Drivers of CPUs load kernels as libraries, on threads of their own: who waits for those within dlopen() waits for ever. */
static bool can_run_kernels(const struct ocl_device *device)
{
    if (device->facts.device_class != OCL_CLASS_CPU || own_thread_may_load())
        return true;
    ocl_complain("%s does not start while a library is being loaded: its threads would wait for "
                 "the loader, and the "
                 "loader for the library's constructor, which calls CUDA",
                 device->facts.name);
    return false;
}

/* Nothing of the program has failed: kernels of the self-tests gave wrong results, or the driver told of a failure. */
static bool is_of_device(ocl_status status)
{
    return status == OCL_E_EXECUTION || ocl_tells_failure(status);
}

static ocl_status open_context(int device, struct ocl_context **context)
{
    if (!can_run_kernels(ocl_device_get(device)))
        return CL_DEVICE_NOT_AVAILABLE;
    struct ocl_context *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->device = ocl_device_get(device);
    made->gathers = ocl_device_gathers(&made->device->facts);
    made->following = &following;
    made->paging = &paging;
    made->kernel_parts = &kernel_parts;
    made->print_bytes = PRINT_BYTES;
    made->heap_bytes = HEAP_BYTES;
    pthread_mutex_init(&made->block_lock, NULL);
    pthread_mutex_init(&made->pin_lock, NULL);
    pthread_cond_init(&made->pin_changed, NULL);
    pthread_mutex_init(&made->queue_lock, NULL);
    ocl_condition_init(&made->queue_gone);
    pthread_mutex_init(&made->memory_lock, NULL);
    pthread_mutex_init(&made->twin_lock, NULL);
    ocl_status status = own_thread_call(open_parts, made, OCL_E_OUT_OF_MEMORY);
    if (status != OCL_OK) {
        ocl_capability_refuse(made, ocl_status_name(status));
        ocl_context_close(made);
        return is_of_device(status) ? CL_DEVICE_NOT_AVAILABLE : ocl_block_status(status);
    }
    ocl_exit_watch(device);
    ocl_runtime_crash_watch(); /* before the next, which knows all */
    ocl_kernel_crash_watch();
    ocl_contexts_note(made);
    ocl_virtual_join(made);
    *context = made;
    return OCL_OK;
}

ocl_status ocl_context_open(int device, struct ocl_context **context)
{
    const int before = ocl_steady_begin();
    const ocl_status status = open_context(device, context);
    ocl_steady_end(before);
    return status;
}

static void close_context(struct ocl_context *context)
{
    atomic_store(&context->is_closing, true);
    ocl_values_end(context);
    if (atomic_load(&context->runtime) || atomic_load(&context->table))
        (void)ocl_queues_finish(context); /* kernels may still print, and read textures */
    ocl_runtime_destroy(context);
    ocl_table_destroy(context);
    const ocl_status status = ocl_queues_close(context);
    ocl_contexts_forget(
        context); /* not before: what compiles for it is waited for when the process ends */
    ocl_virtual_leave(context);
    if (status != OCL_OK)
        return;
    ocl_values_close(context);
    if (context->service && !atomic_load(&context->is_abandoned))
        (void)ocl_steady_finish(
            context->service); /* whoever could not read an answer left the kernel behind */
    ocl_worker_destroy(context->host_functions);
    ocl_worker_destroy(context->bridge);
    ocl_texture_release_all(context);
    ocl_image_forget(atomic_load(&context->image_facts));
    ocl_ptx_forget_target(context);
    ocl_native_forget(context);
    ocl_builtin_release(context);
    ocl_staging_destroy(context);
    ocl_memory_release_all(context);
    ocl_migration_destroy(context);
    ocl_probe_destroy(context);
    pthread_mutex_destroy(&context->memory_lock);
    pthread_mutex_destroy(&context->twin_lock);
    pthread_cond_destroy(&context->queue_gone);
    pthread_mutex_destroy(&context->queue_lock);
    pthread_mutex_destroy(&context->block_lock);
    pthread_cond_destroy(&context->pin_changed);
    pthread_mutex_destroy(&context->pin_lock);
    free(context);
}

void ocl_context_end_launches(struct ocl_context *context)
{
    atomic_store(&context->ends_launches, true);
}

void ocl_context_lose(struct ocl_context *context)
{
    atomic_store(&context->is_lost, true);
    ocl_check_heap_lose(context);
}

void ocl_context_close(struct ocl_context *context)
{
    if (!context)
        return;
    const int before = ocl_steady_begin();
    close_context(context);
    ocl_steady_end(before);
}

int ocl_context_device(const struct ocl_context *context)
{
    return context->device->index;
}

enum ocl_address ocl_context_address(const struct ocl_context *context)
{
    return context->capability.address;
}

const char *ocl_context_address_reason(const struct ocl_context *context)
{
    return context->capability.reason;
}

ocl_status ocl_context_finish(struct ocl_context *context)
{
    return ocl_queues_finish(context);
}

ocl_status ocl_context_query(struct ocl_context *context)
{
    const ocl_status status = ocl_queues_query(context);

    return status == OCL_OK ? ocl_waited(context, OCL_WAITED_BY_ASKING, status) : status;
}

/* A command is refused so for want of resources, and by NVIDIA's driver also where the device has failed. Then its work
 * tells of the failure, or a marker, which needs next to nothing, is refused as well. Waits for nothing. */
static ocl_status judge_want_of_resources(struct ocl_context *context)
{
    const ocl_status status = ocl_queues_query(context);

    if (status == CL_OUT_OF_RESOURCES || ocl_tells_failure(status))
        return ocl_context_fail(context, status);
    const ocl_status failure = ocl_context_failure(context);
    return failure != OCL_OK ? failure : CL_OUT_OF_RESOURCES;
}

ocl_status ocl_context_judge(struct ocl_context *context, ocl_status status)
{
    if (status == CL_OUT_OF_RESOURCES)
        return judge_want_of_resources(context);
    return ocl_tells_failure(status) ? ocl_context_fail(context, status) : status;
}
