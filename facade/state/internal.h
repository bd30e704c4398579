/* What every file of the facade may use: results, the calling thread, the current context, handles.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_INTERNAL_H
#define FACADE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/process.h"
#include "cl/status.h"
#include "include/cuda.h"
#include "include/cuda_runtime_api.h"

struct facade_context; /* handles.h */
struct facade_green;
struct facade_stream;

/* --- error.c ------------------------------------------------------------------------------------------------- */

/* Keeps error as the calling thread's last error when it is one, and returns it. Every runtime entry point leaves
 * through it; cudaErrorNotReady is an answer and not kept. */
cudaError_t facade_result(cudaError_t error);

/* The thread's last error, which is forgotten unless it is sticky. */
cudaError_t facade_take_last_error(void);

/* For entry points that OpenCL cannot serve or that a later version brings: traces the name, keeps and returns
 * cudaErrorNotSupported, or CUDA_ERROR_NOT_SUPPORTED. */
cudaError_t facade_unsupported(const char *name);
CUresult facade_driver_unsupported(const char *name);

/* --- error_map.c: the only file that knows both OpenCL's and CUDA's codes -------------------------------------- */

/* What a call of the driver has answered in the current context: that has failed where only a failed device answers so.
 * Returns the failure that is kept then, otherwise status (runtime.c). */
ocl_status facade_judge(ocl_status status);

/* What was being done when a status came back: a few codes mean different things at a launch and at a copy. */
enum facade_operation { FACADE_OTHER, FACADE_LAUNCH, FACADE_BUILD, FACADE_SHARING };

cudaError_t facade_error_from(ocl_status status, enum facade_operation operation);

/* The driver API's code of the same meaning, and back. The numbers are the same for most codes by design of CUDA. */
CUresult facade_driver_error(cudaError_t error);
cudaError_t facade_runtime_error(CUresult error);

/* --- thread_state.c ------------------------------------------------------------------------------------------ */

/* Between these two the calling thread's stream 0 is its own stream, not the legacy one: what the _ptds and _ptsz entry
 * points mean. Calls nest: leave takes what enter returned. */
bool facade_per_thread_enter(void);
void facade_per_thread_leave(bool outer);
bool facade_is_per_thread(void);

/* The device that cudaSetDevice chose, or the first visible one. */
int facade_thread_device(void);
void facade_thread_set_device(int device);

/* The driver API's stack of current contexts of the calling thread; the runtime uses its top as well. NULL when empty. */
struct facade_context *facade_stack_top(void);
struct facade_context *facade_stack_live(void); /* the top; NULL too when it was destroyed */
bool facade_stack_push(struct facade_context *context); /* false without memory */
struct facade_context *facade_stack_pop(void);
bool facade_stack_replace(
    struct facade_context *context); /* the top; pushes when empty; NULL pops */

/* Instead of a context, push and replace take what cuCtxFromGreenCtx() gave as well: then the top is the primary context, and
 * these two give what was pushed, and the live green context, or NULL. */
void *facade_stack_handle(void);
struct facade_green *facade_stack_green(void);

/* The live context that a CUcontext stands for, also one of a green context; NULL: none. */
struct facade_context *facade_context_find(const void *handle);

/* The launch configurations that <<<>>> pushes and pops. */
struct facade_launch_configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};
bool facade_launch_push(const struct facade_launch_configuration *configuration);
bool facade_launch_pop(struct facade_launch_configuration *configuration);

/* --- runtime.c ----------------------------------------------------------------------------------------------- */

/* cudaSuccess when calls may reach the driver; cudaErrorInitializationError in a forked child, cudaErrorCudartUnloading
 * after exit handlers have run. */
cudaError_t facade_process_state(void);

/* For what needs no driver, and so may be called in host functions and at exit as well: cudaErrorInitializationError in a
 * forked child, where locks that other threads held stay locked. */
static inline cudaError_t facade_process_check_fork(void)
{
    return ocl_process_is_forked() ? cudaErrorInitializationError : cudaSuccess;
}

/* Number of devices; cudaErrorNoDevice when there is none. */
cudaError_t facade_devices(int *count);

/* The context that runtime calls of this thread act on: the top of the stack, or else the primary context of the
 * thread's device, opened when needed and made current. Also gives back a context's sticky error. */
cudaError_t facade_current(struct facade_context **context);

/* The primary context of a device: exists for the life of the process, opened and closed in place. */
struct facade_context *facade_primary(int device);
cudaError_t facade_context_open(struct facade_context *context);

/* Frees everything of the context; its handles and pointers are unknown afterwards. */
void facade_context_close(struct facade_context *context);
/* The same, at the user's wish to have all of it freed: what was not is no leak. */
void facade_context_reset(struct facade_context *context);

/* --- handles.c ----------------------------------------------------------------------------------------------- */

/* Every handle given to a user is looked up before it is used: a stale or foreign pointer is an error, not a crash. */
enum facade_kind {
    FACADE_CONTEXT,
    FACADE_STREAM,
    FACADE_EVENT,
    FACADE_LIBRARY,
    FACADE_MODULE,
    FACADE_KERNEL,
    FACADE_FUNCTION,
    FACADE_LOG_CALLBACK,
    FACADE_POOL,
    FACADE_EXTERNAL,
    FACADE_SEMAPHORE,
    FACADE_ARRAY,
    FACADE_MIPMAPPED_ARRAY,
    FACADE_TEXTURE,
    FACADE_SURFACE,
    FACADE_TEXTURE_REFERENCE,
    FACADE_SURFACE_REFERENCE,
    FACADE_LINK,
    FACADE_PHYSICAL,
    FACADE_GRAPH,
    FACADE_GRAPH_NODE,
    FACADE_GRAPH_EXEC,
    FACADE_USER_OBJECT,
    FACADE_GREEN,
    FACADE_GREEN_CONTEXT,
    FACADE_RESOURCES,
    FACADE_NOTIFICATION,
    FACADE_GRAPHICS,
    FACADE_KINDS
};

/* A zeroed object of bytes with the given kind, findable until facade_handle_free(). NULL without memory. */
void *facade_handle_new(enum facade_kind kind, size_t bytes);
/* The same, which nobody finds until it is shown: a thread whose object was there before another one's reset has its handle still, and
 * would find one half made. false: without memory, and the object is gone. */
void *facade_handle_make(enum facade_kind kind, size_t bytes);
bool facade_handle_show(void *object);
void facade_handle_free(void *object);

/* object itself when it is a live handle of this kind, otherwise NULL. Lock-free. */
void *facade_handle_find(enum facade_kind kind, const void *object);

/* What no other handle of the process has, of any time. Requires: object is live. */
uint64_t facade_handle_number(const void *object);

/* As facade_handle_find(), and NULL too where another object has taken the place of the one with this number. */
void *facade_handle_find_again(enum facade_kind kind, const void *object, uint64_t number);

/* How many handles have been freed: what was found before the last one went has to be looked for again. */
uint64_t facade_handles_freed(void);

/* The same for names of functions that are gone before their handles are: others may get their addresses. */
void facade_handles_forget_names(void);

/* --- stream.c ------------------------------------------------------------------------------------------------ */

/* The stream a handle means for this thread: 0, cudaStreamLegacy and cudaStreamPerThread are resolved against the
 * current context. Errors: cudaErrorInvalidResourceHandle for a stale handle, cudaErrorContextIsDestroyed. */
cudaError_t facade_stream_find(cudaStream_t stream, struct facade_stream **found);

#endif
