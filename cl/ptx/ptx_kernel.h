/* Programs from PTX: a module whose kernels are translated and built one by one, each at the first
 * question about it. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PTX_KERNEL_H
#define OCL_PTX_KERNEL_H

#include "cl/program/translation.h"

/* Makes the program of a PTX text; nothing is translated yet.
 * Errors: OCL_E_PTX with the parser's words in *log; OCL_E_OUT_OF_MEMORY. The caller releases
 *         *program, if it is not NULL, and frees *log. */
ocl_status ocl_ptx_open(struct ocl_context *context, const char *text, size_t bytes,
                        struct ocl_program **program, char **log);

/* The same of a module that was parsed before, which the program holds. */
ocl_status ocl_ptx_open_parsed(struct ocl_context *context, struct ptx_module *module,
                               struct ocl_program **program, char **log);

/* Parts of ocl_program_release(). Safe on what is no PTX. */
void ocl_ptx_close(struct ocl_program *program);
void ocl_ptx_forget(struct ocl_kernel *kernel);

/* Whether the module declares a texture reference, or a surface reference, of this name. */
bool ocl_ptx_has_reference(const struct ocl_program *program, const char *name, bool is_surface);

/* Whether numbers may have to be changed because kernels see pinned memory elsewhere. */
bool ocl_ptx_moves_pinned(const struct ocl_context *context);

/* The entry that a kernel is of.
 * Needs:  kernel->ptx. */
const struct ptx_entry *ocl_ptx_entry(const struct ocl_kernel *kernel);

/* Translates and builds the kernel and fills in its arguments, parameters and those facts that PTX
 * tells. One that cannot be translated is OCL_OK, says so in its facts and has no program.cl.
 * Errors: OCL_E_OUT_OF_MEMORY; the driver's: worth trying again. */
ocl_status ocl_ptx_describe(struct ocl_kernel *kernel);

/* The code of a native kernel for thread blocks of a shape, and for launches that are vast or not, made at the first request.
 * Errors: OCL_E_BUILD: it cannot be had, now and later. */
ocl_status ocl_ptx_native(const struct ocl_kernel *kernel, const size_t block[3], bool is_vast,
                          struct ocl_native **native);

/* Corrects the facts that the driver told, which are those of the translation.
 */
void ocl_ptx_limit(struct ocl_kernel *kernel);

/* The same kernel with shared memory and scratch in __global memory, made at the first request. NULL only without
 * memory. */
struct ocl_kernel *ocl_ptx_spilled(struct ocl_kernel *kernel);

/* The same kernel for cooperative launches whose thread blocks gather (library/gather.h), made at the first request; whoever
 * asks finds out whether it builds. NULL only without memory. */
struct ocl_kernel *ocl_ptx_gathering(struct ocl_kernel *kernel);

/* The same kernel as OpenCL C, made at the first request: what is launched where ocl_ptx_native() has no code for a shape. NULL
 * only without memory. */
struct ocl_kernel *ocl_ptx_opencl(struct ocl_kernel *kernel);

/* The same kernel, compiled for work-groups of one shape only, for which drivers take fewer
 * registers where the kernel would not fit otherwise. Made at the first request.
 * Errors: OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_ptx_shaped(struct ocl_kernel *kernel, const size_t shape[3],
                          struct ocl_kernel **shaped);

/* The same kernel with textures as images where they can be, made at the first request; whoever asks
 * finds out whether it builds. NULL only without memory. */
struct ocl_kernel *ocl_ptx_by_image(struct ocl_kernel *kernel);

/* What stands in for an entry: OCL_ENTRY_RUNTIME or OCL_ENTRY_TABLE.
 * Needs:  ocl_ptx_begin(). */
uint64_t ocl_ptx_memory(const struct ocl_kernel *kernel, uint32_t entry);

/* Around a launch: makes the call's memory, and lets go of it.
 * Errors: OCL_E_OUT_OF_MEMORY; the driver's. The caller calls end after errors too. */
struct ocl_call;
ocl_status ocl_ptx_begin(struct ocl_call *call);
void ocl_ptx_end(const struct ocl_call *call);

/* Waits for a launch that gathered, and tells what came of it in the launch's `gathered`. Needs: it is in the queue.
 * Errors: the driver's; the sticky failure. */
struct ocl_queue;
ocl_status ocl_ptx_gathered(const struct ocl_call *call, struct ocl_queue *queue);

/* Of a context that is closing: what is known of its device. */
void ocl_ptx_forget_target(struct ocl_context *context);

#endif
