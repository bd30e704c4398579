/* The structures behind the handles of cl/, and the order of its locks. Included only inside cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_STATE_H
#define OCL_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "cl/context.h"
#include "cl/device/device_private.h"

/* Locks, outermost first. A thread takes them only downward, holds at most one of a rank, and holds none across a
 * blocking OpenCL call, a program build or a user's function.
 *
 *   0 image.lock            a refresh of an image is being enqueued
 *   0 context.twin_lock     the commands of a launch with twins
 *   1 queue.order_lock      making this queue wait for others (legacy against blocking)
 *   2 queue.lock            the queue's marker, its kernel for the clock, what it waited for
 *   3 context.memory_lock   pools, kept blocks, accounting
 *   3 virtual memory        reservations and mappings
 *   3 claims of addresses
 *   4 range map write lock
 *   5 leaves: context.queue_lock (the list of queues), queue.chain_lock, context.block_lock, context.pin_lock, event.lock, array.lock, program.lock,
 *     values.lock, migration.lock, stream-ordered pools (their list, each shard), fixed blocks, clock, slabs, probe, staging ring,
 *     worker, copy pool, built-in programs, making and freeing SVM, watching SIGSEGV, stillness, offers to other processes, what is
 *     open of theirs, native kernels' LLVM and scratch, what --check notes and says
 *
 * Above all of them: a move of managed memory (managed_private.h), which is not a lock: its owner waits for the driver.
 */

struct ocl_probe;        /* probe.c: the kernels that learn addresses and prove strategies */
struct ocl_piece;        /* pool.c: a part of a block, or all of one */
struct ocl_pool;         /* pool.c: small allocations and kept blocks */
struct ocl_staging;      /* staging.c */
struct ocl_builtins;     /* builtin.c */
struct ocl_clock;        /* clock.h */
struct ocl_image_facts;  /* image_facts.c */
struct ocl_ptx_facts;    /* ptx_target.c */
struct ocl_scratch_pool; /* scratch.c: memory for blocks of native launches */
struct ocl_runtime;      /* ptx_runtime.c */
struct ocl_table;        /* ptx_table.c */
struct ocl_worker;       /* worker.h */
struct ocl_values;       /* value.c: what queues wait for in memory */
struct ocl_migration;    /* managed_private.h */
struct ocl_region;       /* likewise */

/* Launches that name all blocks to the driver are counted in one of two rounds, and only one round gets new ones. Blocks
 * that end wait for the other, older round, or for that to be over so that the rounds can change. */
struct ocl_endings {
    unsigned launches[2];
    unsigned round;                   /* that counts new ones */
    struct ocl_block *dying, *behind; /* linked by next */
};

/* How a kernel's pointer parameter is set; chosen by the self-test of the address strategy. */
enum ocl_pass {
    OCL_PASS_SVM_POINTER, /* clSetKernelArgSVMPointer(address) */
    OCL_PASS_USM_POINTER, /* clSetKernelArgMemPointerINTEL(address) */
    OCL_PASS_BDA_POINTER, /* clSetKernelArgDevicePointerEXT(address) */
    OCL_PASS_NUMBER,      /* a generated wrapper takes the address as a ulong and casts it */
    OCL_PASS_BUFFER /* cl_mem, an aligned sub-buffer, or a generated wrapper that adds the offset */
};

/* How pinned host memory is made. */
enum ocl_host_method {
    OCL_HOST_NONE,    /* not proved yet */
    OCL_HOST_ALLOC,   /* CL_MEM_ALLOC_HOST_PTR, mapped for good */
    OCL_HOST_USE,     /* CL_MEM_USE_HOST_PTR over pages of the process, mapped for good */
    OCL_HOST_LOCATED, /* clCreateBufferNV, in the host's memory, mapped for good */
    OCL_HOST_SVM,     /* clSVMAlloc, fine-grained */
    OCL_HOST_USM      /* clHostMemAllocINTEL */
};

/* How managed memory is made. */
enum ocl_managed_store {
    OCL_MANAGED_NOWHERE,
    OCL_MANAGED_IN_HOST,       /* as pinned host memory, which is the device's as well */
    OCL_MANAGED_IN_USM,        /* clSharedMemAllocINTEL */
    OCL_MANAGED_IN_FINE_SVM,   /* clSVMAlloc, fine-grained */
    OCL_MANAGED_IN_COARSE_SVM, /* clSVMAlloc, coarse-grained: pages migrate */
};

/* The habits of a device's driver; queue_driver.c tells them. */
struct ocl_queue_tuning {
    bool starts_by_itself; /* commands run without clFlush() */
    bool is_profiled;      /* queues are made with profiling */
    bool finishes_exactly; /* clFinish() waits for no command that comes after it */
    bool marks_late;       /* markers are over when no kernel of any queue runs */
};

/* How device time is read. */
enum ocl_stamp_kind {
    OCL_STAMP_UNKNOWN, /* one of the next two; found out at the first timed event */
    OCL_STAMP_MARKER,  /* the end time of a marker */
    OCL_STAMP_COMMAND, /* the end time of a 4-byte write, where markers carry no time or a wrong one */
    OCL_STAMP_CLOCK    /* a kernel reads the device's clock; the queues are not profiled */
};

/* What the self-test of the strategy found out. */
struct ocl_capability {
    enum ocl_address address;
    enum ocl_pass pass;
    /* clSetKernelExecInfo's name for "uses these indirectly": a list of pointers under svm and bda,
     * a cl_bool under usm, 0 when nothing is to be declared. */
    cl_kernel_exec_info indirect_info;
    unsigned bda_revision;            /* which constants the driver has; see extension.h */
    enum ocl_host_method host_method; /* of pinned memory that clem allocates */
    enum ocl_managed_store managed;
    bool managed_has_buffers; /* coarse SVM: a cl_mem over it names the same memory */
    bool managed_has_parts;   /* coarse SVM: kernels may use what is not mapped of an allocation */
    bool has_addresses;       /* kernels can follow pointers stored in memory */
    /* Blocks have a cl_mem: always but under usm, and svm where it is not coherent. */
    bool has_block_buffers;
    bool reaches_pinned_host;     /* kernels reach pinned host memory by its host address */
    bool reaches_registered_host; /* the same for the user's memory pinned in place */
    /* The host may read and write device memory at its device address while no command runs (CPU
     * devices); proved by the self-test, never assumed. */
    bool device_is_host_memory;
    bool
        shares_memory; /* device memory consists of whole pages, which other processes may map too */
    char reason[512];
};

/* queue_list.c; changed under queue_lock. */
struct ocl_queue_list {
    _Atomic(struct ocl_queue *) first;
    struct ocl_queue *last;
    unsigned count;
};
enum { OCL_QUEUE_BUSY, OCL_QUEUE_NEWS, OCL_QUEUE_LINKS };
struct ocl_queue_link {
    struct ocl_queue *next, *previous;
    _Atomic bool is_listed;
};

struct ocl_context {
    const struct ocl_device *device;
    struct ocl_context *next_open; /* context.c */
    struct ocl_context *next_home; /* mapping.c: the next whose device has virtual memory */
    _Atomic int virtual_memory;    /* virtual_test.c: whether this one has */
    bool
        gathers; /* blocks of cooperative launches are work-groups, which have to be at work all at once */
    unsigned lookers; /* likewise: threads that look at it while the process ends */
    cl_context cl;
    struct ocl_capability capability;
    cl_command_queue service; /* block.c's own queue: learning addresses, mapping pinned memory */
    struct ocl_probe *probe;
    pthread_mutex_t block_lock; /* a leaf: the list of blocks and the range below */
    struct ocl_block *blocks;   /* all that live, linked by next */
    struct ocl_endings endings; /* block.c: of blocks that launches may still name */
    pthread_mutex_t pin_lock;   /* a leaf: the list of pins */
    pthread_cond_t pin_changed; /* with pin_lock: a pin is made or gone */
    struct ocl_pin *pins;       /* block_registered.c */
    _Atomic size_t
        block_slack; /* bytes asked for on top: the driver aligns to less than is needed */
    /* Learned addresses may collide with the host's: block_buffer.c keeps them apart. */
    bool reserves_addresses;
    uint64_t driver_low, driver_high; /* part of the host's addresses that is the driver's */
    _Atomic int driver_reserves;      /* block_buffer.c: what ocl_block_driver_reserves() found */
    struct ocl_queue *legacy;
    pthread_mutex_t queue_lock;
    pthread_cond_t queue_gone; /* with queue_lock: a queue left the list, or work failed */
    struct ocl_queue *queues;  /* all, linked by next, newest first */
    /* Queues whose work is not known to be complete, [true] blocking and [false] other ones, and blocking queues with work
     * that the legacy queue has not waited for, the oldest first (queue_list.c). Some that have none may be among them. */
    struct ocl_queue_list busy[2], news;
    _Atomic(struct ocl_queue *) entrance; /* event_all.c: what all queues wait for; NULL: nothing */
    _Atomic unsigned blocking_queues;     /* how many of them are blocking */
    _Atomic uint64_t blocking_work;       /* changes when a blocking queue gets commands */
    struct ocl_queue_tuning tuning;
    _Atomic int stamp;                 /* enum ocl_stamp_kind */
    struct ocl_clock *clock;           /* for OCL_STAMP_CLOCK */
    _Atomic bool marks_readings;       /* likewise: readings get markers at once (event.c) */
    cl_mem stamp_buffer;               /* for OCL_STAMP_COMMAND */
    struct ocl_worker *host_functions; /* runs users' functions: may block for long */
    struct ocl_worker *bridge; /* completes gates and releases things: never blocks on a user */
    _Atomic(struct ocl_values *) values; /* made at the first use */
    _Atomic unsigned gates;              /* gate.c: how many are closed */
    _Atomic bool
        is_doubtful; /* the driver has refused to wait before memory was freed: kernels may run that nobody knows of */
    _Atomic bool is_abandoned;  /* one could not be opened: what waits for it never ends */
    _Atomic bool is_lost;       /* what the program has not given back is no leak */
    _Atomic bool ends_launches; /* what kernels launched and has not begun is left out */
    _Atomic bool is_closing;    /* its memory goes: values there are waited for no more */
    pthread_mutex_t twin_lock;  /* before all others: launches with twins, one after another */
    pthread_mutex_t memory_lock;
    _Atomic(struct ocl_pool *) pool;      /* device memory; made at the first use */
    _Atomic(struct ocl_pool *) host_pool; /* pinned memory; likewise */
    _Atomic(struct ocl_pool *) managed_pool;
    _Atomic(struct ocl_migration *) migration; /* managed_private.h; NULL while no page moves */
    _Atomic uint64_t device_taken; /* bytes that the pools of device memory took from the driver */
    /* Changes when a block is made or freed: kernels re-declare indirect use. */
    _Atomic uint64_t memory_generation;
    struct ocl_staging *staging;
    const struct ocl_following *following;       /* waited.h */
    const struct ocl_paging *paging;             /* paging.h */
    const struct ocl_kernel_parts *kernel_parts; /* kernel_parts.h */
    struct ocl_builtins *builtins;
    _Atomic bool has_copies; /* transfer_kernel.c: kernels of copies and fills were made ready */
    _Atomic(struct ocl_image_facts *) image_facts; /* made at the first use */
    _Atomic(struct ocl_ptx_facts *) ptx_facts;     /* likewise */
    _Atomic(struct ocl_runtime *) runtime;         /* likewise; ptx_runtime.h */
    _Atomic(struct ocl_table *) table;             /* likewise; ptx_table.h */
    _Atomic(struct ocl_scratch_pool *) scratch;    /* likewise; native_launch.c */
    _Atomic unsigned table_users;                  /* launches on their way that read the table */
    _Atomic uint64_t texture_version;              /* changes when a texture or surface is made */
    _Atomic size_t print_bytes, heap_bytes;        /* how large its parts will be */
    _Atomic ocl_status failure;                    /* sticky; OCL_OK while healthy */
};

#endif
