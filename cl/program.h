/* Programs from OpenCL C text, SPIR-V or PTX, their kernels, and launching them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PROGRAM_H
#define OCL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/queue.h"
#include "cl/status.h"

struct ocl_program;
struct ocl_kernel;
struct ocl_launches;

/* Builds a program for the context's device, through the disk cache where CLEM_CACHE_DIR names one.
 * Shape:  code is NUL-terminated OpenCL C text (bytes excludes the NUL), or SPIR-V (recognised by
 *         its magic number in either byte order), or PTX text. options may be NULL;
 *         "-cl-kernel-arg-info" is always added. The kernels of PTX are translated and built one by
 *         one, each at the first question about it, so that one which cannot be had spoils no other:
 *         its facts say why. Nothing can be written behind SPIR-V: of its kernels, those with structs by
 *         value, and launches that need a wrapper, are refused.
 * Errors: OCL_E_BUILD; OCL_E_PTX for PTX that cannot be read; OCL_E_NOT_SUPPORTED for SPIR-V where the driver takes none;
 *         OCL_E_INVALID_VALUE without code; the driver's. On every failure *log (never NULL then,
 *         except without memory) is the compiler's log, possibly empty; on success it is NULL.
 * Owns:   the caller releases the program and frees the log; log may be NULL when nobody wants it.
 *         The program keeps what it needs of code and options.
 * Locks:  none is held; any number of threads may build at once. */
ocl_status ocl_program_build(struct ocl_context *context, const void *code, size_t bytes,
                             const char *options, struct ocl_program **program, char **log);

/* The same of PTX that was parsed before: the program holds the module. */
struct ptx_module;
ocl_status ocl_program_build_parsed(struct ocl_context *context, struct ptx_module *module,
                                    struct ocl_program **program, char **log);

/* The module of a program that was built from PTX, with a hold for the caller, or NULL. */
struct ptx_module *ocl_program_module(const struct ocl_program *program);

/* Needs: nobody is launching its kernels any more; queued launches may still run. Safe on NULL.
 * Order: waits for the work of the context that was submitted before where the program's symbols
 *        were used. */
void ocl_program_release(struct ocl_program *program);

/* Kernels in the order of their names in the program; fixed once built. */
size_t ocl_program_kernel_count(const struct ocl_program *program);
struct ocl_kernel *ocl_program_kernel(struct ocl_program *program, size_t index);

/* NULL when there is none of that name. Owned by the program. */
struct ocl_kernel *ocl_program_find_kernel(struct ocl_program *program, const char *name);

/* As in the program's text. Costs nothing, unlike ocl_kernel_facts(). */
const char *ocl_kernel_name(const struct ocl_kernel *kernel);

/* What one parameter of a kernel takes from void **args. */
enum ocl_parameter_kind {
    OCL_PARAMETER_VALUE,   /* a scalar, vector or struct of `bytes` bytes */
    OCL_PARAMETER_POINTER, /* a __global or __constant pointer: a device pointer, 8 bytes */
    OCL_PARAMETER_LOCAL, /* a __local pointer: takes no args entry, gets the launch's local_bytes */
    OCL_PARAMETER_HIDDEN,  /* a block of the program's symbols, a further parameter of a texture, a
                           * texture reference: takes no args entry either */
    OCL_PARAMETER_TEXTURE, /* a texture or surface object: the 8 bytes of ocl_texture_id(); the first
                            * of the parameters that one object feeds */
    OCL_PARAMETER_OPAQUE   /* a sampler, pipe or queue: no void **args entry can carry it */
};

struct ocl_parameter {
    enum ocl_parameter_kind kind;
    size_t bytes;  /* 0 where it takes no args entry, and where the size could not be found */
    size_t offset; /* where it stands in a C struct that has one member per entry of void **args */
};

struct ocl_kernel_facts {
    const char *name;
    ocl_status status;  /* OCL_OK, or what every launch of this kernel returns; see reason */
    const char *reason; /* why it cannot be launched, in words; empty when it can */
    bool
        is_unknown; /* the driver failed when it was asked, with status; the next question asks again */
    size_t parameter_count; /* all, also those that take no args entry */
    size_t entry_count;     /* how many entries of void **args are read */
    size_t local_count;     /* OCL_PARAMETER_LOCAL parameters */
    size_t argument_bytes;  /* of the struct that the parameters' offsets describe */
    /* The driver's advice; launches may be larger, up to what the device takes: NVIDIA 580 says 256
     * for kernels that run with 1024. */
    size_t max_work_group;
    /* What a launch cannot have of the device's local memory: __local variables, and the driver's
     * own (NVIDIA 580 takes a byte, so a launch there gets 48 KiB less one). */
    size_t local_bytes;
    /* The most that a launch can have of it, this included: what the device has; of PTX, what a block of
     * CUDA's can have. */
    uint64_t most_local;
    size_t private_bytes;          /* per work-item */
    size_t required_work_group[3]; /* reqd_work_group_size, or zeros */
    size_t
        most_threads; /* what the code allows a thread block (PTX's .maxntid); 0: it says nothing */
};

/* Facts of a kernel; found out at the first question and constant afterwards. Never NULL.
 * Cost:  the first question about a kernel asks the driver; a value parameter whose type is not one
 *        of OpenCL C's own builds and runs a small program, once per program.
 * Locks: as many threads as like may ask; they wait for the one that finds out. */
const struct ocl_kernel_facts *ocl_kernel_facts(struct ocl_kernel *kernel);
/* Says that the kernel's next launch will have this shape, so that its code is made for that, if ocl_kernel_facts() was not asked
 * yet. A hint: any numbers may be given.
 * Threads: any. */
void ocl_kernel_expect(const struct ocl_kernel *kernel, const size_t groups[3],
                       const size_t items[3]);

/* Needs: index < parameter_count. */
const struct ocl_parameter *ocl_kernel_parameter(struct ocl_kernel *kernel, size_t index);

/* Bytes of the constant variables of the kernel's program. The first question makes OpenCL C's have memory. */
size_t ocl_kernel_constant_bytes(struct ocl_kernel *kernel);

/* Gives a texture reference of the program (a bundle of CLEM_TEXTURE_REFERENCE... parameters) what it
 * is bound to, for launches from now on; NULL unbinds it. The program keeps a reference. Names that
 * no kernel has are kept too. Errors: OCL_E_OUT_OF_MEMORY. */
struct ocl_texture;
ocl_status ocl_program_set_reference(struct ocl_program *program, const char *name,
                                     struct ocl_texture *texture);

/* Whether a kernel of the program has a texture reference, or a surface reference, of this name.
 * Order:  as ocl_kernel_facts().
 * Errors: OCL_E_NOT_FOUND; what kept a kernel from telling, when no other one has it. */
ocl_status ocl_program_find_reference(struct ocl_program *program, const char *name,
                                      bool is_surface);

/* What came of a cooperative launch whose groups gather before they begin. */
struct ocl_gathered {
    bool
        counts; /* before: none of the kernel is done, groups only count how many are at work at once */
    bool is_hasty; /* before: those that come give up soon */
    bool is_all;   /* all were at work, and the kernel was done */
    size_t groups; /* that came */
};

/* Of kernels that launch kernels. */
struct ocl_nesting {
    size_t pending;    /* launches of the kernel's threads that may wait at once */
    int device_number; /* as threads are told that ask for their device */
    struct ocl_launches *
        launches; /* of what a kernel launched: where its own threads write down launches; otherwise NULL */
    uint64_t
        told; /* likewise, where kernels are checked: of who launched it (kernels/ptx/library/check.h) */
    bool is_tail; /* likewise: it begins when that grid and what it launched have ended */
};

struct ocl_launch {
    size_t groups[3];       /* work-groups per dimension, > 0 */
    size_t items[3];        /* work-items per group and dimension, > 0 */
    size_t local_bytes;     /* for the __local pointer parameter, if there is one */
    void *const *arguments; /* one pointer per entry, to the value; read before returning */
    bool is_cooperative;    /* groups may wait for all others of the launch */
    uint64_t conditions; /* device address of what kernels set by cudaGraphSetConditional(), or 0 */
    struct ocl_gathered
        *gathered; /* NULL but for clem's own: what came of it, for which the call waits */
    struct ocl_nesting nesting;
};

/* Launches. Safe from many threads on one kernel.
 * Shape:  get_work_dim() is the number of dimensions up to the last one with more than one item.
 *         A pointer argument may be NULL, point into the middle of an allocation, be pinned host
 *         memory, or (where kernels have addresses) be any number at all.
 * Needs:  kernel and queue belong to one context.
 *         A cooperative launch's groups are at work all at once, and its kernel may ask for the grid's workspace.
 * Errors: OCL_E_LAUNCH_SIZE; OCL_E_INVALID_VALUE for missing arguments; OCL_E_NOT_SUPPORTED for a
 *         kernel that cannot be launched (facts.status), or not cooperatively (logged); OCL_E_NEEDS_ADDRESS under the handle
 *         strategy: the pointer is in no allocation, or its offset cannot be passed; the driver's;
 *         the sticky failure. OCL_E_INVALID_VALUE (logged) for an entry that is not the texture or
 *         surface object that the kernel wants, OCL_E_NOT_SUPPORTED (logged) for one that can be no
 *         image where the kernel's text wants one, and for memory of another platform's device. */
ocl_status ocl_kernel_launch(struct ocl_kernel *kernel, struct ocl_queue *queue,
                             const struct ocl_launch *launch);

/* How many groups of so many items and local bytes are at work at once on the device: measured at the first question, with the
 * kernel's own code, and kept. Needs: ocl_kernel_gathers().
 * Order:  the first question waits for all work of the device.
 * Errors: OCL_E_NOT_SUPPORTED (logged) for a kernel that cannot be launched cooperatively; those of ocl_kernel_launch(). */
ocl_status ocl_kernel_at_once(struct ocl_kernel *kernel, size_t items, size_t local_bytes,
                              size_t *groups);

/* Whether groups of the kernel gather in a cooperative launch: those of PTX, where the context's do. OpenCL C has no way to wait for
 * all groups. */
bool ocl_kernel_gathers(const struct ocl_kernel *kernel);

/* Whether such a number is to be told of the kernel: it reads the address of a grid's workspace, or was measured before. */
bool ocl_kernel_is_measured(struct ocl_kernel *kernel);

/* Says why a launch of the kernel is refused: to whoever listens each time, on stderr once for each kernel
 * unless CLEM_TRACE is 0. */
void ocl_kernel_complain(struct ocl_kernel *kernel, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
