/* The structures behind the handles of cl/, and the order of its locks. Included only inside cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_STATE_H
#define OCL_STATE_H

#define CL_TARGET_OPENCL_VERSION 300
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: all that OpenCL 1.2 has */
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdatomic.h>

#include "cl/address_range.h"
#include "cl/context.h"
#include "cl/device.h"
#include "cl/event.h"
#include "cl/memory.h"
#include "cl/program.h"
#include "cl/queue.h"
#include "cl/worker.h"

/* Locks, outermost first. A thread takes them only downward, holds at most one of a rank, and holds none across a
 * blocking OpenCL call, a program build or a user's function.
 *
 *   0 image.lock            a refresh of an image is being enqueued
 *   0 context.twin_lock     the commands of a launch with twins
 *   1 queue.order_lock      making this queue wait for others (legacy against blocking)
 *   2 queue.lock            the queue's marker, its kernel for the clock, what it waited for
 *   3 context.memory_lock   pools, kept blocks, accounting
 *   3 claims of addresses
 *   4 range map write lock
 *   5 leaves: context.queue_lock (the list of queues), context.block_lock, context.pin_lock, event.lock, array.lock, program.lock,
 *     migration.lock, stream-ordered pools (their list, each shard), clock, slabs, probe, staging ring, worker, copy
 *     pool, built-in programs, making and freeing SVM, watching SIGSEGV
 *
 * Above all of them: a move of managed memory (managed_private.h), which is not a lock: its owner waits for the driver.
 */

struct ocl_extension;   /* extension.h: function pointers per platform */
struct ocl_probe;       /* probe.c: the kernels that learn addresses and prove strategies */
struct ocl_piece;       /* pool.c: a part of a block, or all of one */
struct ocl_pool;        /* pool.c: small allocations and kept blocks */
struct ocl_staging;     /* staging.c */
struct ocl_builtins;    /* builtin.c */
struct ocl_clock;       /* clock.h */
struct ocl_image_facts; /* image_facts.c */
struct ocl_ptx_facts;   /* ptx_target.c */
struct ocl_runtime;     /* ptx_runtime.c */
struct ocl_table;       /* ptx_table.c */
struct ocl_worker;      /* worker.h */
struct ocl_migration;   /* managed_private.h */
struct ocl_region;      /* likewise */

/* Launches that name all blocks to the driver are counted in one of two turns, and only one turn gets new ones. Blocks
 * that end wait for the other, older turn, or for that to be over so that the turns can change. */
struct ocl_endings {
    unsigned launches[2];
    unsigned turn;                    /* that counts new ones */
    struct ocl_block *dying, *behind; /* linked by next */
};

struct ocl_device {
    int index;
    cl_platform_id platform;
    cl_device_id id;
    const struct ocl_extension *extension;
    struct ocl_device_facts facts;
};

/* Needs: index in range. */
const struct ocl_device *ocl_device_get(int index);

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
    OCL_HOST_NONE,  /* not proved yet */
    OCL_HOST_ALLOC, /* CL_MEM_ALLOC_HOST_PTR, mapped for good */
    OCL_HOST_USE,   /* CL_MEM_USE_HOST_PTR over pages of the process, mapped for good */
    OCL_HOST_SVM,   /* clSVMAlloc, fine-grained */
    OCL_HOST_USM    /* clHostMemAllocINTEL */
};

/* How managed memory is made. */
enum ocl_managed_store {
    OCL_MANAGED_NOWHERE,
    OCL_MANAGED_IN_HOST,       /* as pinned host memory, which is the device's as well */
    OCL_MANAGED_IN_USM,        /* clSharedMemAllocINTEL */
    OCL_MANAGED_IN_FINE_SVM,   /* clSVMAlloc, fine-grained */
    OCL_MANAGED_IN_COARSE_SVM, /* clSVMAlloc, coarse-grained: pages migrate */
};

/* How the host waits for a device. */
enum ocl_wait_method {
    OCL_WAIT_BY_FINISH, /* clFinish; events: clWaitForEvents */
    OCL_WAIT_BY_EVENT,  /* a marker and clWaitForEvents */
    OCL_WAIT_BY_POLLING /* a marker whose status is asked again and again for a while, then as OCL_WAIT_BY_EVENT */
};

/* The habits of a device's driver; chosen in queue.c. */
struct ocl_queue_tuning {
    enum ocl_wait_method wait;
    unsigned poll_us;      /* how long polling goes on */
    bool starts_by_itself; /* commands run without clFlush() */
    bool is_profiled;      /* queues are made with profiling */
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
    unsigned lookers;              /* likewise: threads that look at it while the process ends */
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
    _Atomic size_t block_slack; /* bytes asked for on top: the driver aligns to less than 256 */
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
    _Atomic unsigned gates;    /* gate.c: how many are closed */
    _Atomic bool is_abandoned; /* one could not be opened: what waits for it never ends */
    pthread_mutex_t twin_lock; /* before all others: launches with twins, one after another */
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
    _Atomic unsigned table_users;                  /* launches on their way that read the table */
    _Atomic uint64_t texture_version;              /* changes when a texture or surface is made */
    _Atomic size_t print_bytes, heap_bytes;        /* how large its parts will be */
    _Atomic ocl_status failure;                    /* sticky; OCL_OK while healthy */
};

enum ocl_block_kind {
    OCL_BLOCK_DEVICE,     /* by the address strategy */
    OCL_BLOCK_HOST,       /* pinned, by the capability's host_method */
    OCL_BLOCK_REGISTERED, /* the user's memory */
    OCL_BLOCK_MANAGED     /* by the capability's managed */
};

/* One allocation of the driver: what OpenCL commands and arguments name. */
struct ocl_block {
    struct ocl_context *context;
    cl_mem buffer;    /* NULL under usm, and under svm where a buffer over SVM is not coherent */
    void *pointer;    /* svm or usm allocation, mapped or registered host memory; NULL otherwise */
    uint64_t address; /* device address of byte 0 of buffer */
    size_t bytes;     /* of the driver's object: what was asked for and block_slack on top */
    bool is_mapped;   /* pinned host memory: buffer is mapped at pointer */
    enum ocl_block_kind kind;
    const struct ocl_block_strategy *strategy; /* block_strategy.h */
    bool is_linked;                            /* on the context's list */
    void *reserved; /* a range of host addresses that stands for the block, or NULL */
    size_t reserved_bytes;
    struct ocl_range_claim claim; /* keeps the device address apart from the host's addresses */
    struct ocl_pin *pins[3];      /* block_registered.c: the user's pages that the block shares */
    void *pages;               /* pinned memory: what holds pointer, where it is not the buffer's */
    struct ocl_region *region; /* managed memory whose pages move, or NULL */
    struct ocl_block *next, *previous; /* context.blocks (block_lock) */
};

/* What the registry finds. Memory comes from a slab: readable after it was freed. */
struct ocl_allocation {
    void *slab_word;
    _Atomic uint32_t references;                        /* 0: free or dying */
    void (*destroy)(struct ocl_allocation *allocation); /* memory.c: gives back what it holds */
    enum ocl_memory_kind kind;
    struct ocl_context *context;
    uint64_t address;
    void *host;
    size_t bytes;
    unsigned flags;
    uint64_t id;
    struct ocl_block *block;
    size_t offset;           /* of the first byte inside block */
    struct ocl_piece *piece; /* what goes back to the pool; NULL for the user's own memory */
    enum ocl_memory_kind
        home;       /* whose pool that is: kind, but of managed memory that got pinned memory */
    size_t span;    /* bytes that stand in the registry; 0: those of bytes, rounded up */
    bool is_listed; /* they do */
    _Atomic(struct ocl_twin *) twin; /* twin.h: of pinned memory that kernels do not see, or NULL */
    struct ocl_ordered *ordered; /* ordered_private.h: of stream-ordered memory, otherwise NULL */
    _Atomic(struct ocl_region *)
        region;           /* managed_private.h: of its own; NULL: its block's, if that has one */
    _Atomic bool is_live; /* known to users; whoever clears it ends the allocation */
};

/* The OpenCL name of a byte of device memory. */
struct ocl_place {
    cl_mem buffer; /* NULL: use pointer */
    size_t offset;
    void *pointer;
};

/* Where address is, for commands of this context. Needs: address lies in allocation. */
struct ocl_place ocl_allocation_place(const struct ocl_allocation *allocation, uint64_t address);

/* memory.c's part of ocl_managed_allocate(): a piece, of at least least bytes, of a block of managed
 * memory, made known. Contents are not defined. Errors: as ocl_memory_allocate(). */
ocl_status ocl_memory_allocate_managed(struct ocl_context *context, size_t bytes, size_t least,
                                       unsigned flags, void **pointer);

/* Device memory that users do not know, by its pool's name for it (pool.h). Errors: OCL_E_OUT_OF_MEMORY; the
 * driver's. */
ocl_status ocl_memory_take_piece(struct ocl_context *context, size_t bytes,
                                 struct ocl_piece **piece);
void ocl_memory_give_piece(struct ocl_context *context, struct ocl_piece *piece);

/* Ends every allocation of a context that is closing, gives all kept memory back to the driver and frees the pool.
 * Needs: all work of the context is complete; no other thread uses the context. */
void ocl_memory_release_all(struct ocl_context *context);

/* Makes the staging memory of a context; frees it. Both accept a half-made context. */
ocl_status ocl_staging_create(struct ocl_context *context);
void ocl_staging_destroy(struct ocl_context *context);

/* What a queue has waited for last: that the first position commands of others were complete. Older waits are
 * forgotten. */
enum { OCL_QUEUE_WAITS = 8 };
struct ocl_queue_waits {
    uint64_t ids[OCL_QUEUE_WAITS]; /* 0: none */
    uint64_t positions[OCL_QUEUE_WAITS];
    unsigned oldest;
};

struct ocl_queue {
    void *slab_word;
    _Atomic uint64_t id; /* unique in the process, never used again; 0 while the memory is free */
    struct ocl_context *context;
    enum ocl_queue_kind kind;
    int priority;
    /* Made at the first command, for which ocl_command_begin() sees; NULL before. */
    _Atomic(cl_command_queue) cl;
    cl_kernel clock_kernel; /* reads the clock, or NULL (lock) */
    struct ocl_clock_slot
        *reading; /* the last one, behind reading_position commands, or NULL (lock) */
    void (*release_reading)(struct ocl_clock_slot *slot);
    uint64_t reading_position;
    unsigned reading_stamps;     /* that share it */
    _Atomic uint32_t references; /* the owner's, and one for each task or loop that needs it */
    bool is_destroyed;           /* the owner's is on its way back (queue_lock) */
    bool has_locks;              /* the locks outlive the queue, as the memory does */
    pthread_mutex_t order_lock, lock;
    cl_event mark; /* a marker behind the first mark_position commands, or NULL (lock) */
    uint64_t mark_position;
    bool mark_is_pushed;          /* the driver was flushed behind it (lock) */
    struct ocl_queue_waits waits; /* for other queues (lock) */
    _Atomic uint64_t submitted;   /* commands given to the driver so far */
    _Atomic uint64_t finished;    /* how many of them are known to be complete; only grows */
    _Atomic uint64_t flushed;     /* how many of them the driver was told to start; only grows */
    _Atomic uint64_t ending;      /* submitted when the program returned; before that 0 */
    /* Blocking queue: legacy.submitted when it last waited for the legacy queue; legacy queue:
     * context.blocking_work when it last waited for the blocking ones. */
    _Atomic uint64_t seen;
    _Atomic uint64_t seen_by_legacy; /* submitted when the legacy queue last waited for this one */
    _Atomic uint64_t seen_until;     /* which of the legacy queue's commands complete after that */
    _Atomic uint64_t entered; /* how many commands of the context's entrance it has waited for */
    struct ocl_worker
        *turns; /* gate.c: does what the host has to do in the queue's turn, or NULL (lock) */
    struct ocl_worker_task release; /* posted when the work of a destroyed queue is complete */
    bool awaits_release;            /* nobody has posted it yet (lock) */
    struct ocl_queue *next, *previous;
    struct ocl_queue_link links[OCL_QUEUE_LINKS];
    unsigned walkers; /* walks over the busy queues that have come to this one (queue_lock) */
};

/* Whether all submitted commands are known to be complete, without asking the driver; true for a fresh queue. Takes the
 * legacy queue's and the blocking queues' relation into account: true means that the host may touch device memory in
 * place of a command on this queue. */
bool ocl_queue_is_idle(struct ocl_queue *queue);

/* Before the host does something in place of a command: waits for all that a command submitted now would wait for. More than
 * ocl_queue_finish() where the queue has no command yet that waits for the legacy queue; nearly free when all is idle.
 * Errors: the context's sticky failure. */
ocl_status ocl_queue_settle(struct ocl_queue *queue);

/* Tells the driver to start what was submitted. */
ocl_status ocl_queue_flush(struct ocl_queue *queue);

/* Waits for the work of all queues of the context, destroyed ones included; nearly free when they are idle. Returns the
 * context's sticky failure. */
ocl_status ocl_queues_finish(struct ocl_context *context);

/* The same without waiting: OCL_E_NOT_READY while any queue has work. */
ocl_status ocl_queues_query(struct ocl_context *context);

/* When the program returns: what the queues have got so far is what it leaves. And whether that is complete, whatever other
 * threads go on to submit. */
void ocl_queues_note_ending(struct ocl_context *context);
ocl_status ocl_queues_query_ending(struct ocl_context *context);

/* Waits for all work, pending host functions included, and destroys every queue, the legacy one last. Afterwards nothing
 * of the queues is left in the workers, which the caller may then destroy.
 * Errors: OCL_E_NOT_READY when the driver of a failed context never ended its work: the workers and the context must then
 *         stay in memory. */
ocl_status ocl_queues_close(struct ocl_context *context);

#endif
