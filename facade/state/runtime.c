/* Start-up, the table of primary contexts, and which context the calling thread works in.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <time.h>

#include "cl/check_made.h"
#include "cl/device.h"
#include "cl/process.h"
#include "cl/trace.h"
#include "cl/value.h"
#include "facade/state/handles.h"
#include "facade/state/limits.h"
#include "facade/state/log.h"
#include "facade/state/runtime.h"
#include "facade/state/thread_state.h"

static struct facade_context **primaries;
static int device_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic bool is_started;
static struct facade_context *contexts; /* all live ones (list_lock) */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

static void make_primaries(void)
{
    int count = ocl_device_count();
    if (count <= 0)
        return;
    primaries = calloc((size_t)count, sizeof(void *));
    for (int i = 0; primaries != NULL && i < count; i++) {
        primaries[i] = facade_context_new(i, true);
        if (primaries[i] == NULL)
            return;
        device_count = i + 1;
    }
}

static void find_devices(void)
{
    ocl_trace_listen(facade_log);
    make_primaries();
    atomic_store_explicit(&is_started, true, memory_order_release);
}

cudaError_t facade_process_state(void)
{
    if (ocl_process_is_forked())
        return cudaErrorInitializationError;
    if (ocl_process_is_exiting())
        return cudaErrorCudartUnloading;
    return facade_thread()->is_in_host_function ? cudaErrorNotPermitted : cudaSuccess;
}

bool facade_is_started(void)
{
    return atomic_load_explicit(&is_started, memory_order_acquire);
}

int facade_known_devices(void)
{
    return facade_is_started() ? device_count : 0;
}

void facade_host_function_begin(void)
{
    facade_thread()->is_in_host_function = true;
}

void facade_host_function_end(void)
{
    facade_thread()->is_in_host_function = false;
}

cudaError_t facade_devices(int *count)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    pthread_once(&once, find_devices);
    *count = device_count;
    return device_count > 0 ? cudaSuccess : cudaErrorNoDevice;
}

struct facade_context *facade_primary(int device)
{
    return device >= 0 && device < device_count ? primaries[device] : NULL;
}

uint64_t facade_context_next_id(void)
{
    static _Atomic uint64_t next_id = 1;
    return atomic_fetch_add(&next_id, 1);
}

struct facade_context *facade_context_new(int device, bool is_primary)
{
    struct facade_context *context = facade_handle_new(FACADE_CONTEXT, sizeof *context);
    if (context == NULL)
        return NULL;
    context->device = device;
    context->is_primary = is_primary;
    context->id = facade_context_next_id();
    pthread_mutex_init(&context->open_lock, NULL);
    pthread_mutex_init(&context->lock, NULL);
    pthread_mutex_lock(&list_lock);
    context->next = contexts;
    contexts = context;
    pthread_mutex_unlock(&list_lock);
    return context;
}

static void unlist(struct facade_context *context)
{
    pthread_mutex_lock(&list_lock);
    struct facade_context **link = &contexts;
    while (*link != context)
        link = &(*link)->next;
    *link = context->next;
    pthread_mutex_unlock(&list_lock);
}

struct facade_context *facade_context_owning(const struct ocl_context *cl)
{
    pthread_mutex_lock(&list_lock);
    struct facade_context *context = contexts;
    while (context != NULL && atomic_load(&context->cl) != cl)
        context = context->next;
    pthread_mutex_unlock(&list_lock);
    return context;
}

void facade_context_delete(struct facade_context *context)
{
    unlist(context);
    facade_context_close(context);
    pthread_mutex_destroy(&context->lock);
    pthread_mutex_destroy(&context->open_lock);
    facade_handle_free(context);
}

/* The open lock is held across the opening on purpose: it keeps only those waiting who need the
 * same context. */
cudaError_t facade_context_open(struct facade_context *context)
{
    static _Atomic uint64_t openings;
    cudaError_t error = cudaSuccess;
    if (atomic_load_explicit(&context->cl, memory_order_acquire) != NULL)
        return cudaSuccess;
    pthread_mutex_lock(&context->open_lock);
    if (atomic_load(&context->cl) == NULL) {
        struct ocl_context *cl = NULL;
        error = facade_error_from(ocl_context_open(context->device, &cl), FACADE_OTHER);
        if (error == cudaSuccess) {
            facade_limits_reset(context);
            atomic_store(&context->generation, atomic_fetch_add(&openings, 1) + 1);
            atomic_store_explicit(&context->cl, cl, memory_order_release);
        }
    }
    pthread_mutex_unlock(&context->open_lock);
    return error;
}

/* Of a thread that has no state of its own it is not known. */
static void count_entered(unsigned by)
{
    struct facade_thread *const thread = facade_thread();
    if (facade_thread_may_keep(thread))
        thread->entered += by;
}

bool facade_context_enter(struct facade_context *context, enum facade_kind kind, const void *object)
{
    if (context == NULL) /* of an object that is gone, and whose place another one takes */
        return false;
    atomic_fetch_add(&context->users, 1);
    count_entered(1);
    if (atomic_load(&context->cl) != NULL && facade_handle_find(kind, object) != NULL)
        return true;
    facade_context_leave(context);
    return false;
}

void facade_context_leave(struct facade_context *context)
{
    count_entered(-1u);
    atomic_fetch_sub(&context->users, 1);
}

cudaError_t facade_current_enter(struct facade_context **context)
{
    const cudaError_t error = facade_current(context);
    if (error != cudaSuccess || facade_context_enter(*context, FACADE_CONTEXT, *context))
        return error;
    return cudaErrorContextIsDestroyed;
}

/* The context looks closed already, so that none comes any more. A thread that was ended within a call never leaves. */
static void wait_for_users(const struct facade_context *context)
{
    enum { PAUSE_NS = 100000, MOST_PAUSES = 100000 };
    for (int i = 0; atomic_load(&context->users) > 0 && i < MOST_PAUSES; i++)
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

/* Before the OpenCL context goes. */
static void forget_parts(struct facade_context *context)
{
    for (int part = 0; part < FACADE_PARTS; part++) {
        facade_part_function *forget = atomic_load(&context->forget[part]);
        if (forget != NULL)
            forget(context);
    }
}

/* What is left of it will be no leak. */
static void lose(const struct facade_context *context, struct ocl_context *cl)
{
    ocl_made_lose(context);
    ocl_context_lose(cl);
}

/* Open lock held: what settles needs no lock of a context that is open. is_reset: what is left is no leak, nor what calls that
 * are within the context still make. */
static void close_locked(struct facade_context *context, bool is_reset)
{
    facade_part_function *settle = atomic_load(&context->settle);
    if (atomic_load(&context->cl) != NULL)
        ocl_context_end_launches(atomic_load(&context->cl));
    if (settle != NULL && atomic_load(&context->cl) != NULL)
        settle(context);
    struct ocl_context *cl = atomic_exchange(&context->cl, NULL);
    if (cl != NULL) {
        ocl_values_end(
            cl); /* parts wait for work, which may wait for what nobody writes any more */
        wait_for_users(context);
        if (is_reset || ocl_context_failure(cl) != OCL_OK)
            lose(context, cl);
        ocl_made_leave(context);
        forget_parts(context);
        ocl_context_close(cl);
    }
    context->retain_count = 0;
    context->is_held = false;
    context->flags = 0;
    atomic_store(&context->peers, 0);
}

void facade_context_close(struct facade_context *context)
{
    pthread_mutex_lock(&context->open_lock);
    close_locked(context, false);
    pthread_mutex_unlock(&context->open_lock);
}

void facade_context_reset(struct facade_context *context)
{
    pthread_mutex_lock(&context->open_lock);
    close_locked(context, true);
    pthread_mutex_unlock(&context->open_lock);
}

ocl_status facade_judge(ocl_status status)
{
    struct facade_context *context = facade_stack_top();
    if (context == NULL || facade_handle_find(FACADE_CONTEXT, context) == NULL)
        return status;
    struct ocl_context *cl = atomic_load_explicit(&context->cl, memory_order_acquire);
    return cl != NULL ? ocl_context_judge(cl, status) : status;
}

/* What a context gets to hear once its work has failed. */
static cudaError_t failure_of(const struct facade_context *context, struct ocl_context *cl)
{
    const cudaError_t error = facade_error_from(ocl_context_failure(cl), FACADE_OTHER);
    if (error != cudaSuccess)
        lose(context, cl);
    return error;
}

cudaError_t facade_context_check(const struct facade_context *context)
{
    if (facade_handle_find(FACADE_CONTEXT, context) == NULL)
        return cudaErrorContextIsDestroyed;
    struct ocl_context *cl = atomic_load_explicit(&context->cl, memory_order_acquire);
    if (cl == NULL)
        return cudaErrorContextIsDestroyed;
    return failure_of(context, cl);
}

cudaError_t facade_context_finish(struct facade_context *context)
{
    if (!facade_context_enter(context, FACADE_CONTEXT, context))
        return cudaErrorContextIsDestroyed;
    struct ocl_context *cl = atomic_load(&context->cl);
    if (cl == NULL) { /* what is closing it waits for all work too */
        facade_context_leave(context);
        return cudaErrorContextIsDestroyed;
    }
    const ocl_status status = ocl_context_finish(cl);
    facade_part_function *reap = atomic_load(&context->reap);
    if (status == OCL_OK && reap != NULL)
        reap(context);
    if (ocl_context_failure(cl) != OCL_OK)
        lose(context, cl);
    const cudaError_t error = facade_error_from(status, FACADE_OTHER);
    facade_context_leave(context);
    return error;
}

/* --- who holds a primary context -------------------------------------------------------------- */

cudaError_t facade_primary_hold(struct facade_context *primary)
{
    pthread_mutex_lock(&primary->open_lock);
    primary->is_held = primary->is_primary;
    pthread_mutex_unlock(&primary->open_lock);
    return facade_context_open(primary);
}

cudaError_t facade_primary_retain(struct facade_context *primary)
{
    pthread_mutex_lock(&primary->open_lock);
    primary->retain_count++;
    pthread_mutex_unlock(&primary->open_lock);
    return facade_context_open(primary);
}

cudaError_t facade_primary_release(struct facade_context *primary)
{
    pthread_mutex_lock(&primary->open_lock);
    bool is_retained = primary->retain_count > 0;
    if (is_retained && --primary->retain_count == 0 && !primary->is_held)
        close_locked(primary, false);
    pthread_mutex_unlock(&primary->open_lock);
    return is_retained ? cudaSuccess : cudaErrorDeviceUninitialized;
}

/* --- the current context of a thread ---------------------------------------------------------- */

/* A thread that never chose a context gets the primary one of its device, and keeps it as its
 * current context. */
static cudaError_t choose_primary(struct facade_context **context)
{
    int count = 0;
    cudaError_t error = facade_devices(&count);
    if (error != cudaSuccess)
        return error;
    *context = facade_primary(facade_thread_device());
    if (*context == NULL)
        return cudaErrorInvalidDevice;
    if (!facade_stack_push(*context))
        return cudaErrorMemoryAllocation;
    return facade_primary_hold(*context);
}

static cudaError_t current_even_failed(struct facade_context **context)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    *context = facade_stack_top();
    if (*context == NULL) {
        error = choose_primary(context);
        if (error != cudaSuccess)
            return error;
    }
    if (facade_stack_live() == NULL)
        return cudaErrorContextIsDestroyed;
    if (atomic_load_explicit(&(*context)->cl, memory_order_acquire) != NULL)
        return cudaSuccess;
    if (facade_thread()->entered > 0) /* who closes it waits for this thread */
        return cudaErrorContextIsDestroyed;
    return facade_primary_hold(*context);
}

cudaError_t facade_current(struct facade_context **context)
{
    cudaError_t error = current_even_failed(context);
    if (error != cudaSuccess)
        return error;
    struct ocl_context *cl = atomic_load_explicit(&(*context)->cl, memory_order_acquire);
    return cl != NULL ? failure_of(*context, cl) : cudaErrorContextIsDestroyed;
}
