/* What programs and kernels may have beside plain arguments: textures, symbols, a translation. Whatever carries that out copies
 * and fills, which is the work of plain kernels: so these find it in a table, and nothing of it by name. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_PARTS_H
#define OCL_KERNEL_PARTS_H

#include "cl/program/kernel.h"
#include "cl/symbols.h"

struct ocl_binding;
struct ocl_call;
struct ocl_native;
struct ocl_launches;
struct ocl_plan;
struct ptx_module;

/* Each does what the function of the same name does that its file declares: ocl_binding_open(), and so on. */
struct ocl_kernel_parts {
    /* kernel_texture.h, kernel.h; kernels with bundles, and programs that may have references */
    ocl_status (*binding_open)(struct ocl_binding *binding, struct ocl_kernel *kernel,
                               struct ocl_queue *queue, const struct ocl_launch *launch,
                               struct ocl_plan *plan);
    ocl_status (*binding_written)(const struct ocl_binding *binding, struct ocl_queue *queue);
    void (*binding_close)(struct ocl_binding *binding);
    void (*program_forget_references)(struct ocl_program *program);
    /* symbols_private.h; kernels with hidden parameters, and all programs */
    ocl_status (*symbols_ready)(struct ocl_program *program, unsigned kinds);
    uint64_t (*symbols_block)(const struct ocl_program *program, enum ocl_symbol_kind kind);
    void (*symbols_release)(struct ocl_program *program);
    /* ptx_kernel.h, ptx_table.h; translations of PTX */
    ocl_status (*ptx_open)(struct ocl_context *context, const char *text, size_t bytes,
                           struct ocl_program **program, char **log);
    ocl_status (*ptx_open_parsed)(struct ocl_context *context, struct ptx_module *module,
                                  struct ocl_program **program, char **log);
    void (*ptx_close)(struct ocl_program *program);
    void (*ptx_forget)(struct ocl_kernel *kernel);
    ocl_status (*ptx_describe)(struct ocl_kernel *kernel);
    void (*ptx_limit)(struct ocl_kernel *kernel);
    struct ocl_kernel *(*ptx_spilled)(struct ocl_kernel *kernel);
    struct ocl_kernel *(*ptx_gathering)(struct ocl_kernel *kernel);
    ocl_status (*ptx_native)(const struct ocl_kernel *kernel, const size_t block[3], bool is_vast,
                             struct ocl_native **native);
    struct ocl_kernel *(*ptx_opencl)(struct ocl_kernel *kernel);
    ocl_status (*ptx_shaped)(struct ocl_kernel *kernel, const size_t shape[3],
                             struct ocl_kernel **shaped);
    ocl_status (*ptx_begin)(struct ocl_call *call);
    void (*ptx_end)(const struct ocl_call *call);
    ocl_status (*ptx_gathered)(const struct ocl_call *call, struct ocl_queue *queue);
    uint64_t (*ptx_memory)(const struct ocl_kernel *kernel, uint32_t entry);
    ocl_status (*table_written)(struct ocl_queue *queue);
    /* ptx_launches.h; kernels that launch kernels, and all programs */
    uint64_t (*launches_address)(const struct ocl_launches *launches);
    ocl_status (*launches_follow)(struct ocl_call *call, struct ocl_queue *queue);
    void (*launches_release)(struct ocl_program *program);
};

static inline const struct ocl_kernel_parts *ocl_parts_of(const struct ocl_kernel *kernel)
{
    return kernel->program->context->kernel_parts;
}

#endif
