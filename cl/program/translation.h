/* What programs and kernels have that are translations of PTX. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TRANSLATION_H
#define OCL_TRANSLATION_H

#include "cl/program/kernel.h"
#include "kernels/ptx/ptx.h"

/* The most threads that a CUDA block can have.
 * Source: CUDA C++ Programming Guide 13.0, technical specifications. */
enum { OCL_BLOCK_THREADS = 1024 };

/* Of the program that is the module. Its kernels have a program each, whose origin it is, with the
 * translation's text and build. */
struct ocl_ptx {
    struct ptx_module *module;
    void *managed;                 /* the host's memory that is the managed block, or NULL */
    struct ocl_launches *launches; /* those that nobody uses (program.lock) */
    size_t following;         /* launches of the host's behind which others follow (program.lock) */
    _Atomic bool is_ahead;    /* its kernels are compiled, or will be: ptx_apart.h */
    _Atomic int binary_state; /* enum ocl_lazy_state of the next */
    cl_program binary;        /* the driver's build of the module as it is, or NULL */
};

/* One launch shape of a kernel, and what was measured of it. */
struct ocl_at_once {
    struct ocl_at_once *next;
    size_t items, local_bytes, groups;
};

/* What is known of a kernel beside its arguments, from ocl_ptx_describe() on.
 */
struct ocl_ptx_kernel {
    size_t index; /* of the module's entry */
    enum ptx_form form;
    size_t scratch_bytes; /* of __local memory for each thread of a thread block;
                           PTX_FORM_BLOCK */
    size_t static_bytes;  /* of shared memory that is not the launch's */
    size_t local_bytes;   /* of local memory for each thread, where accesses are checked */
    bool joins_blocks;    /* a work-item may run several thread blocks */
    bool takes_turns;     /* as of struct ptx_kernel; then it spills */
    bool waits_for_blocks;
    bool widens;          /* PTX_FORM_NATIVE: ptx_module_entry_widens() */
    bool ends_when_empty; /* as of struct ptx_kernel */
    bool has_runtime, has_table, has_bank;
    bool has_check;                  /* its accesses are checked */
    bool has_launches;               /* it calls CUDA's device runtime */
    bool has_conditions;             /* PTX_FORM_NATIVE */
    _Atomic uint64_t expected_shape; /* of the first launch: ocl_shape_pack(); 0: not known */
    struct ocl_native *_Atomic natives
        [2]
        [PTX_THREADS_HALVES +
         1]; /* its code, or NULL: by whether launches are vast, and enum ptx_threads; PTX_FORM_NATIVE */
    _Atomic bool lacks[2][PTX_THREADS_HALVES + 1]; /* that could not be had */
    enum ptx_vast vast;                            /* as of struct ptx_kernel */
    bool has_shared;                               /* it is given shared memory, or declares it */
    size_t shape[3]; /* of a variant: the only one that its work-groups can have; otherwise zeros */
    bool writes_table; /* surfaces of the table */
    bool gathers;      /* of a variant: for cooperative launches, as of struct ptx_target */
    struct ocl_kernel *gathering; /* that variant of this one, or NULL (program.lock) */
    struct ocl_at_once
        *at_once;  /* how many thread blocks are at work at once, as measured (program.lock) */
    bool by_image; /* of a variant: its textures are images */
    struct ocl_kernel *image;   /* that variant of this one, or NULL (program.lock) */
    bool is_opencl;             /* of a variant: OpenCL C, whatever else the kernel could be */
    struct ocl_kernel *opencl;  /* that variant of this one, or NULL (program.lock) */
    bool spills;                /* of a variant: shared memory and scratch lie in __global memory */
    struct ocl_kernel *spilled; /* that variant of this one, or NULL (program.lock) */
    struct ocl_kernel *shaped;  /* variants, each linked to the next by this (program.lock) */
    _Atomic size_t refused_local; /* local memory that the driver refused a launch for; 0: none */
};

/* ---- Launches: launch_shape.c ---- */

/* How many thread blocks that lie side by side a launch of the kernel runs as one: as many as make a warp's lanes one row of
 * threads, where it widens and a row of so many blocks has no rest; otherwise 1. */
size_t ocl_widened(const struct ocl_ptx_kernel *ptx, size_t row, const size_t block[3]);

/* Whether a word for each thread is more than the device's caches hold. */
bool ocl_is_vast(const struct ocl_device_facts *device, const size_t groups[3],
                 const size_t items[3]);

/* Whether the memory that a value of so many bytes points into is. */
bool ocl_points_to_vast(const struct ocl_device_facts *device, const void *value, size_t bytes);

/* What is known of the first launch, as one word, not 0; 0: of such a shape nothing is. Two that pack alike widen alike. */
uint64_t ocl_shape_pack(const struct ocl_device_facts *device, const size_t groups[3],
                        const size_t items[3]);
struct ocl_packed_shape {
    size_t row, block[3]; /* row: of another number, see above */
    bool is_vast;
};
struct ocl_packed_shape ocl_shape_unpack(uint64_t packed);

/* What a launch needs beside its args entries. */
struct ocl_ptx_memory {
    cl_mem bank;            /* the args entries as one struct, where the kernel takes them so */
    cl_mem scratch, shared; /* where the kernel spills: of as many thread blocks as a command has */
    cl_mem turns;           /* where thread blocks take turns: struct clem_rota and its records */
    cl_mem gathering;       /* of the variant that gathers: struct clem_gather */
    struct ocl_launches *launches;    /* where its threads write down what they launch, or NULL */
    struct ocl_native_launch *native; /* PTX_FORM_NATIVE: the driver's, once it was given to it */
    struct ocl_check_launch *check;   /* where accesses are checked, or NULL */
    struct ocl_chain *
        chain; /* what the driver's command runs in place of the former, which is a piece of it; or NULL */
    bool is_spoiled; /* a part of the launch may be on its way, though it was refused */
    bool is_noted;   /* that it may write to the runtime */
};

#endif
