/* Opens and closes the context of a device, and keeps its sticky failure.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/context.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cl/block.h"
#include "cl/builtin.h"
#include "cl/capability.h"
#include "cl/deadline.h"
#include "cl/image.h"
#include "cl/managed_private.h"
#include "cl/own_thread.h"
#include "cl/probe.h"
#include "cl/process.h"
#include "cl/ptx_kernel.h"
#include "cl/ptx_runtime.h"
#include "cl/ptx_table.h"
#include "cl/state.h"
#include "cl/steady.h"
#include "cl/trace.h"
#include "cl/worker.h"

/* Source: CUDA Runtime API 13.0, cudaDeviceSetLimit, and what its driver tells at first. */
enum { PRINT_BYTES = 1 << 20, HEAP_BYTES = 8 << 20 };

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

/* ---- Open contexts, and the end of the process ---- */

/* In all, however many contexts there are and however often exit handlers ask. */
enum { EXIT_WAIT_MS = 10000, LONGEST_NAP_MS = 16 };

static pthread_once_t open_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t open_changed;       /* a context is no longer looked at */
static struct ocl_context *open_contexts; /* linked by next_open */
static uint64_t exit_deadline;            /* 0: nobody has waited yet */

static void make_condition(void)
{
    ocl_condition_init(&open_changed);
}

static void note_open(struct ocl_context *context)
{
    pthread_once(&open_once, make_condition);
    pthread_mutex_lock(&open_lock);
    context->next_open = open_contexts;
    open_contexts = context;
    pthread_mutex_unlock(&open_lock);
}

/* Afterwards the end of the process does not look at the context any more. */
static void note_closed(struct ocl_context *context)
{
    pthread_mutex_lock(&open_lock);
    while (context->lookers > 0)
        ocl_steady_wait(&open_changed, &open_lock);
    struct ocl_context **link = &open_contexts;
    while (*link && *link != context)
        link = &(*link)->next_open;
    if (*link)
        *link = context->next_open;
    pthread_mutex_unlock(&open_lock);
}

void ocl_contexts_visit(void (*visit)(struct ocl_context *context))
{
    pthread_mutex_lock(&open_lock);
    for (struct ocl_context *context = open_contexts; context;) {
        context->lookers++;
        pthread_mutex_unlock(&open_lock);
        visit(context);
        pthread_mutex_lock(&open_lock);
        context->lookers--;
        pthread_cond_broadcast(&open_changed);
        context = context->next_open;
    }
    pthread_mutex_unlock(&open_lock);
}

/* Whether the work of a context is to be waited for: its driver computes in this process, and it is not
 * a host function, which that work waits for, that ends the process. */
static bool is_worth_waiting(struct ocl_context *context)
{
    return context->device->facts.device_class == OCL_CLASS_CPU &&
           !ocl_worker_is_this_thread(context->host_functions);
}

typedef ocl_status ask_function(struct ocl_context *context);

/* The open lock is held, but not while the driver is asked: a context that another thread closes
 * meanwhile stays until it was looked at. */
static struct ocl_context *find_busy(ask_function *ask)
{
    for (struct ocl_context *context = open_contexts; context; context = context->next_open) {
        context->lookers++;
        pthread_mutex_unlock(&open_lock);
        const bool is_busy = is_worth_waiting(context) && ask(context) == OCL_E_NOT_READY;
        pthread_mutex_lock(&open_lock);
        context->lookers--;
        pthread_cond_broadcast(&open_changed);
        if (is_busy)
            return context;
    }
    return NULL;
}

static bool nap(unsigned milliseconds)
{
    const uint64_t end = ocl_deadline_after(milliseconds);

    if (end > exit_deadline)
        return false;
    while (ocl_condition_wait_until(&open_changed, &open_lock, end))
        continue;
    return true;
}

/* A driver that computes in this process also compiles in it, in threads of its own, with libraries
 * that exit handlers take apart: a program that ends without waiting for its last kernels would
 * crash there. Only so long, since a kernel may never end. */
static void wait_for_work(ask_function *ask)
{
    static bool has_complained; /* open lock */
    const struct ocl_context *busy;
    bool gives_up = false;

    if (ocl_process_is_forked()) /* whoever held the lock is not here */
        return;
    pthread_mutex_lock(&open_lock);
    if (exit_deadline == 0)
        exit_deadline = ocl_deadline_after(EXIT_WAIT_MS);
    for (unsigned pause = 1; !gives_up && (busy = find_busy(ask)) != NULL;
         pause = pause < LONGEST_NAP_MS ? 2 * pause : pause)
        gives_up = !nap(pause);
    const char *name = gives_up && !has_complained ? busy->device->facts.name : NULL;
    has_complained |= gives_up;
    pthread_mutex_unlock(&open_lock);
    if (name)
        ocl_complain("%s still has work after %d seconds: the program ends without it", name,
                     EXIT_WAIT_MS / 1000);
}

/* glibc: destructors of the calling thread, which exit() calls before all exit handlers. */
__attribute__((weak)) int __cxa_thread_atexit_impl(void (*function)(void *), void *object,
                                                   void *library);
extern void *__dso_handle;

/* Other threads go on, perhaps for ever: their calls are refused when the exit handlers run, and so wait_for_all() ends. */
static void wait_at_exit(void *unused)
{
    (void)unused;
    if (ocl_process_is_forked())
        return;
    ocl_contexts_visit(ocl_queues_note_ending);
    wait_for_work(ocl_queues_query_ending);
}

static void wait_for_all(void)
{
    wait_for_work(ocl_queues_query);
}

/* Compilers register handlers as they go, which an exit handler of ours would come behind; what ends
 * with the main thread comes before them. Programs that end in another thread have the exit handler. */
static void wait_before_exit(void)
{
    atexit(wait_for_all);
    if (syscall(SYS_gettid) == getpid() && __cxa_thread_atexit_impl)
        (void)__cxa_thread_atexit_impl(wait_at_exit, NULL, &__dso_handle);
}

/* Compiling for a device brings in libraries with exit handlers of their own, which ours must come
 * before. Once per device: handlers add up. Ours that note the end run before the one that waits. */
static void watch_again(int device)
{
    static _Atomic uint64_t watched;
    const uint64_t bit = (uint64_t)1 << (device % 64);
    if (!(atomic_fetch_or(&watched, bit) & bit)) {
        wait_before_exit();
        ocl_process_watch();
    }
}

/* Not in the specification: NVIDIA's code after a kernel's illegal access. That driver answers too that a queue is invalid,
 * which a queue of ours is for no other reason (H200, driver 580). */
enum { NVIDIA_ILLEGAL_ACCESS = -9999 };

static bool tells_failure(ocl_status status)
{
    return status == NVIDIA_ILLEGAL_ACCESS || status == CL_INVALID_COMMAND_QUEUE ||
           status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
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

static ocl_status open_context(int device, struct ocl_context **context)
{
    if (!can_run_kernels(ocl_device_get(device)))
        return CL_DEVICE_NOT_AVAILABLE;
    struct ocl_context *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->device = ocl_device_get(device);
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
        ocl_context_close(made);
        return tells_failure(status) ? CL_DEVICE_NOT_AVAILABLE : ocl_block_status(status);
    }
    watch_again(device);
    note_open(made);
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
    if (atomic_load(&context->runtime))
        (void)ocl_queues_finish(context); /* kernels may still print */
    ocl_runtime_destroy(context);
    ocl_table_destroy(context);
    const ocl_status status = ocl_queues_close(context);
    note_closed(context); /* not before: what compiles for it is waited for when the process ends */
    if (status != OCL_OK)
        return;
    if (context->service && !atomic_load(&context->is_abandoned))
        (void)ocl_steady_finish(
            context->service); /* whoever could not read an answer left the kernel behind */
    ocl_worker_destroy(context->host_functions);
    ocl_worker_destroy(context->bridge);
    ocl_texture_release_all(context);
    ocl_image_forget(atomic_load(&context->image_facts));
    ocl_ptx_forget_target(context);
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

bool ocl_context_has_addresses(const struct ocl_context *context)
{
    return context->capability.has_addresses;
}

bool ocl_context_reaches_host(const struct ocl_context *context)
{
    return context->capability.reaches_pinned_host;
}

ocl_status ocl_context_finish(struct ocl_context *context)
{
    return ocl_queues_finish(context);
}

ocl_status ocl_context_query(struct ocl_context *context)
{
    const ocl_status status = ocl_queues_query(context);

    return status == OCL_OK ? ocl_context_failure(context) : status;
}

ocl_status ocl_context_failure(const struct ocl_context *context)
{
    return atomic_load(&context->failure);
}

/* A command is refused so for want of resources, and by NVIDIA's driver also where the device has failed. Then its work
 * tells of the failure, or a marker, which needs next to nothing, is refused as well. Waits for nothing. */
static ocl_status judge_want_of_resources(struct ocl_context *context)
{
    const ocl_status status = ocl_queues_query(context);

    if (status == CL_OUT_OF_RESOURCES || tells_failure(status))
        return ocl_context_fail(context, status);
    const ocl_status failure = ocl_context_failure(context);
    return failure != OCL_OK ? failure : CL_OUT_OF_RESOURCES;
}

ocl_status ocl_context_judge(struct ocl_context *context, ocl_status status)
{
    if (status == CL_OUT_OF_RESOURCES)
        return judge_want_of_resources(context);
    return tells_failure(status) ? ocl_context_fail(context, status) : status;
}

/* What a refused call means is not what a failed context means: neither memory nor anything else that may be better the
 * next time is what it lacks. */
static ocl_status sticky(ocl_status status)
{
    switch (status) {
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case OCL_E_OUT_OF_MEMORY:
        return OCL_E_EXECUTION;
    case NVIDIA_ILLEGAL_ACCESS:
    case CL_INVALID_COMMAND_QUEUE:
        return OCL_E_ACCESS;
    default:
        return status;
    }
}

ocl_status ocl_context_fail(struct ocl_context *context, ocl_status status)
{
    ocl_status kept = OCL_OK;
    status = sticky(status);
    if (status == OCL_OK || !atomic_compare_exchange_strong(&context->failure, &kept, status))
        return kept;
    ocl_trace("%s: work failed: %s", context->device->facts.name, ocl_status_name(status));
    pthread_mutex_lock(
        &context->queue_lock); /* who closes the context waits no longer than so long */
    pthread_cond_broadcast(&context->queue_gone);
    pthread_mutex_unlock(&context->queue_lock);
    return status;
}
