/* Random programs against CUDA's rules of order: what a program is.
 *
 * A program is a list of commands over streams, events and buffers, made from a seed (generate.c). The model (model.c)
 * says which bytes are determined at each read; the interpreter (interpret.c) runs the program through the CUDA runtime
 * API, clem's or NVIDIA's, and compares those bytes and no others. A program that fails is shrunk (shrink.c): commands
 * are dropped while it still fails, the model being asked anew each time, and what is left is printed as C (print.c).
 *
 * Buffers are divided into units of equal size, and every command works on whole units, so the model keeps one state for
 * a unit. A unit may have an odd number of bytes. Values are bytes that depend on the position, so that what is
 * moved by a wrong offset differs.
 *
 * Every command has four points: its call C, the start S and the end E of what it does, and the call's return R (model.h has one
 * more, for what CUDA reads early). The
 * model is the order of those points ("happens before"), and nothing but CUDA's documentation puts an edge into it:
 *
 *   threads    C(x) -> S(x) -> E(x), C(x) -> R(x); a thread's calls follow each other; "after" makes a call wait for
 *              another thread's call to return.
 *   streams    Commands of one stream do not overlap, in the order of their calls. (Programming Guide, "Streams")
 *   legacy     The legacy stream waits for all blocking streams' earlier commands, and they wait for its earlier ones.
 *              A stream-ordered allocation is no edge, nor is an attachment, a prefetch or a wait on a blocking stream.
 *              (Runtime API, "Stream synchronization behavior")
 *              CUDA itself does less (H200, driver 580): records and stream-ordered frees in a blocking stream do not wait, nothing waits for copies between host memory, and some copies read their source
 *              when their own stream is there or wait for it alone (model.c). Copies of managed memory may hold up
 *              their caller. With the feature "documented" these are edges nevertheless: clem keeps them.
 *              Attachments and prefetches on the legacy stream are edges with "managed_work".
 *   per thread cudaStreamPerThread is a blocking stream of each thread's own. (the same section)
 *   events     A wait follows the latest record whose call returned before the wait's call. (Runtime API, "Event
 *              Management", "Stream Management") A wait for an event that was never recorded is nothing.
 *   waits      cudaStreamSynchronize, cudaEventSynchronize, cudaDeviceSynchronize and queries that said success return
 *              after the end of what they wait for.
 *   copies     cudaMemcpy returns after its end when a side is host memory, but from pageable to device memory it
 *              returns after the source was read; between device memory it promises nothing. cudaMemset returns
 *              after its end when the target is pinned or managed. The Async forms promise nothing, and from
 *              pageable to device memory they may read the source as early as the call.
 *              (Runtime API, "API synchronization behavior")
 *   managed    Prefetches and advice change no bytes. Where concurrentManagedAccess is 0: the host touches memory only while no
 *              device works, or none of the stream that the memory is attached to; memory attached to the host is not for
 *              devices, memory attached to a stream for that stream alone. An attachment is in stream order.
 *              (Programming Guide, "Coherency and Concurrency", "Managing Data Visibility and Concurrent CPU + GPU Access
 *              with Streams"; Runtime API, cudaStreamAttachMemAsync)
 *   batches    The copies of a batch have no order among each other; the batch has its place in the stream. Their source is read in
 *              that order too, pageable or not, or during the call, or at any time from the call on, as the attributes say.
 *              (Runtime API, cudaMemcpyBatchAsync and cudaMemcpy3DBatchAsync) CUDA itself does less (H200, driver 580): without
 *              "documented" they may read host memory as early as the call whatever the attributes say, no batch writes host
 *              or managed memory, nor names stream 0 where that is the thread's own, which CUDA refuses.
 *   symbols    Copies to and from variables are copies of device memory by another name. (Runtime API, "Memory Management")
 *   pools      Memory of cudaMallocAsync is used after the allocation's end and before the free's start, whatever
 *              streams they are in. (Programming Guide, "Stream Ordered Memory Allocator")
 *   frees      cudaFree of device memory may be called while kernels, copies and fills use it, which end before it returns;
 *              other memory is not in use when it is freed.
 *   spellings  The names with _ptds and _ptsz mean cudaStreamPerThread where no stream, or stream 0, is named. What the
 *              synchronous ones wait for is that stream. (Runtime API, "Stream synchronization behavior")
 *   lives      cudaStreamDestroy and cudaEventDestroy return at once, whatever is pending; what the stream has got goes on, in the
 *              legacy stream's order too, and cudaDeviceSynchronize waits for it. A stream or event that is created in its
 *              place is another one. Calls that name it have returned before it is destroyed. No memory is attached to a
 *              stream then. (Runtime API, cudaStreamDestroy, cudaEventDestroy)
 *   devices    Legacy and per-thread streams are each device's own; events are recorded on their device's streams and
 *              waited for by all. A copy in the legacy stream from or to memory of another device is in the order of that
 *              device's legacy stream too (two H100, driver 580). What copies between devices wait for beyond that is no edge.
 *              Memory of a device's pool is the other's where the pool's access says so, which no program sets. (Runtime API,
 *              cudaMemPoolSetAccess)
 *   gates      Between a host function that waits for its caller and the call that lets it go on stand only calls that must
 *              not wait for other work: launches, Async copies and fills without pageable memory, events, queries,
 *              stream-ordered allocation. A program that never ends shows that one did. (Programming Guide,
 *              "Asynchronous Concurrent Execution"; Runtime API, "API synchronization behavior")
 *   graphs     Commands that a thread calls one behind the other for one stream may be a graph, whose launch is the call of all of
 *              them: its nodes are in their order where they touch the same memory, and it ends when all have ended. (Programming
 *              Guide, "CUDA Graphs")
 *   values     A record may also write a value, and a wait wait for that: what came before the write in its stream is over then.
 *              (Driver API, "Stream Memory Operations")
 *   host       What a thread does with memory itself lies between C and R.
 *
 * A read is determined when every write of the unit comes before it or after it, one write before it comes after all the others
 * before it, and what that one wrote was determined. Two conflicting commands without order are allowed: their bytes are not
 * looked at.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ORDER_PROGRAM_H
#define ORDER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MOST_COMMANDS = 192,
    MOST_BUFFERS = 20,
    MOST_UNITS = 16, /* of a buffer */
    MOST_STREAMS = 10,
    MOST_EVENTS = 12,
    MOST_THREADS = 8,
    MOST_DEVICES = 2,
};

enum stream_kind { STREAM_LEGACY, STREAM_PER_THREAD, STREAM_BLOCKING, STREAM_NON_BLOCKING };

/* The first two of a program's streams are these, on the device of the command that names them. */
enum { LEGACY, PER_THREAD, FIRST_CREATED };

enum memory {
    MEMORY_PAGEABLE,
    MEMORY_PINNED,     /* cudaMallocHost */
    MEMORY_MAPPED,     /* cudaHostAlloc, mapped and portable */
    MEMORY_REGISTERED, /* cudaHostRegister */
    MEMORY_MANAGED,
    MEMORY_DEVICE, /* cudaMalloc */
    MEMORY_POOL,   /* cudaMallocAsync, by a command of the program */
    MEMORY_SYMBOL, /* the module's variable: one buffer of a program at most */
    MEMORY_ARRAY,  /* a CUDA array, a unit in each row */
    MEMORY_CUBE,   /* one of three dimensions, a unit in each slice */
    MEMORY_KINDS
};

/* COMMAND(NAME, whether it is work of a stream) */
#define COMMANDS(COMMAND)                                                                          \
    COMMAND(KERNEL, 1)        /* target = first * factor + second + term + position */             \
    COMMAND(HOST_FUNCTION, 1) /* the same on the host, by cudaLaunchHostFunc */                    \
    COMMAND(CALLBACK, 1)      /* the same, by cudaStreamAddCallback */                             \
    COMMAND(PAUSE, 1)         /* a host function that takes its time */                            \
    COMMAND(COPY_ASYNC, 1)    /* target = first */                                                 \
    COMMAND(COPY, 1)          /* cudaMemcpy, on the legacy stream */                               \
    COMMAND(COPY_2D_ASYNC, 1) /* a unit is a row */                                                \
    COMMAND(COPY_2D, 1)                                                                            \
    COMMAND(COPY_3D_ASYNC, 1) /* between memory and arrays of all kinds */                         \
    COMMAND(COPY_3D, 1)                                                                            \
    COMMAND(COPY_ARRAY_ASYNC, 1) /* to or from an array */                                         \
    COMMAND(COPY_ARRAY, 1)                                                                         \
    COMMAND(COPY_BATCH, 1)        /* cudaMemcpyBatchAsync: a copy for each unit */                 \
    COMMAND(COPY_BOXES, 1)        /* cudaMemcpy3DBatchAsync, likewise */                           \
    COMMAND(COPY_SYMBOL_ASYNC, 1) /* to or from a variable, by its name */                         \
    COMMAND(COPY_SYMBOL, 1)                                                                        \
    COMMAND(SET_ASYNC, 1)    /* target = term */                                                   \
    COMMAND(SET, 1)          /* cudaMemset, on the legacy stream */                                \
    COMMAND(SET_2D_ASYNC, 1) /* a unit is a row, or a slice */                                     \
    COMMAND(SET_2D, 1)                                                                             \
    COMMAND(PREFETCH, 1)     /* first: to the device, or to the host if term is odd */             \
    COMMAND(ATTACH, 1)       /* target, whole: enum attachment term */                             \
    COMMAND(MALLOC_ASYNC, 1) /* target, whole */                                                   \
    COMMAND(FREE_ASYNC, 1)                                                                         \
    COMMAND(GATE, 1) /* a host function that waits for the thread's OPEN */                        \
    COMMAND(RECORD, 1)                                                                             \
    COMMAND(WAIT, 1)   /* cudaStreamWaitEvent */                                                   \
    COMMAND(ADVISE, 0) /* first: the advice is the term */                                         \
    COMMAND(MALLOC, 0) /* target, whole: cudaMalloc and its like */                                \
    COMMAND(FREE, 0)                                                                               \
    COMMAND(OPEN, 0)                                                                               \
    COMMAND(STREAM_DESTROY, 0)                                                                     \
    COMMAND(STREAM_CREATE, 0) /* in place of one that was destroyed, and like it */                \
    COMMAND(EVENT_DESTROY, 0)                                                                      \
    COMMAND(EVENT_CREATE, 0)                                                                       \
    COMMAND(STREAM_SYNCHRONIZE, 0)                                                                 \
    COMMAND(STREAM_POLL, 0)  /* cudaStreamQuery until it says success */                           \
    COMMAND(STREAM_QUERY, 0) /* cudaStreamQuery once */                                            \
    COMMAND(EVENT_SYNCHRONIZE, 0)                                                                  \
    COMMAND(EVENT_POLL, 0)                                                                         \
    COMMAND(DEVICE_SYNCHRONIZE, 0)                                                                 \
    COMMAND(HOST_WRITE,                                                                            \
            0)        /* the thread itself: target = first * factor + second + term + position */  \
    COMMAND(CHECK, 0) /* the thread reads first, by a copy where it must, and compares */

enum kind {
#define COMMAND(name, is_work) DO_##name,
    COMMANDS(COMMAND)
#undef COMMAND
        KINDS
};

enum attachment { ATTACH_GLOBAL, ATTACH_HOST, ATTACH_SINGLE };

enum spelling {
    SPELL_HANDLE_0 =
        1, /* the stream is 0: legacy, or per-thread by the names with _ptds and _ptsz */
    SPELL_PER_THREAD = 2, /* those names, with a stream's own handle */
    SPELL_KIND = 4,       /* copies name their direction instead of cudaMemcpyDefault */
    SPELL_OTHER = 8,  /* peer copies, fills in three dimensions, callbacks, records with flags */
    SPELL_EARLY = 16, /* batches read their source during the call */
    SPELL_ANY = 32,   /* or at any time from the call on, which is stronger */
    SPELL_VALUE =
        64, /* records write a value in memory as well, which waits wait for in place of the event */
    SPELL_COOPERATIVE = 128, /* kernels */
};

/* How commands become a graph. */
enum graph_how {
    GRAPH_EXPLICIT = 1,    /* made node by node, where all have nodes for that; else captured */
    GRAPH_UPDATED = 2,     /* instantiated from another one and then updated */
    GRAPH_CONDITIONAL = 4, /* in the body of a conditional node, where all may be there */
    GRAPH_SCRATCH = 8,     /* copies go through memory that the graph allocates and frees */
    GRAPH_AGAIN =
        16, /* the same as the commands before, whose executable graph is launched again */
    GRAPH_CHILD = 32, /* a child of the graph that is launched */
    GRAPH_LOOP =
        64, /* with GRAPH_CONDITIONAL, where kernels can set conditions: in one turn of a loop */
    GRAPH_FORK = 128, /* captured in two streams, which events join where they must be in order */
    GRAPH_HOWS = 256
};

/* Units first, first + step, ... of a buffer; none at all with count 0. */
struct region {
    uint8_t buffer, first, count, step;
};

struct command {
    uint8_t kind, thread, device, stream, event;
    uint8_t factor, term; /* factor is odd */
    uint8_t spelling;     /* enum spelling: which of CUDA's names for the same */
    uint8_t graph,
        how; /* what a thread calls one behind the other with this number is one graph; 0: none. enum graph_how */
    int16_t after;  /* a command of another thread whose call returned before this one's, or -1 */
    uint16_t delay; /* microseconds, about, before it touches memory */
    struct region target, first, second;
};

struct program {
    uint64_t seed;
    uint32_t unit;        /* bytes */
    bool is_concurrent;   /* cudaDevAttrConcurrentManagedAccess of all devices */
    bool is_pageable;     /* cudaDevAttrPageableMemoryAccess of all devices */
    bool is_documented;   /* the legacy stream's order is the documented one */
    bool is_managed_work; /* attachments and prefetches on the legacy stream are work of it */
    bool is_reused;       /* objects may be those of earlier programs */
    bool is_shared;       /* kernels use the managed and pinned memory of other devices */
    uint8_t threads, devices, streams, events, buffers;
    struct {
        uint8_t kind, device;
        int8_t priority; /* from 0, the lowest, down */
    } stream[MOST_STREAMS];
    struct {
        uint8_t is_timed, device;
    } event[MOST_EVENTS];
    struct {
        uint8_t memory, device, units;
        bool is_late; /* allocated by commands alone, as pool memory is */
    } buffer[MOST_BUFFERS];
    int commands;
    struct command command[MOST_COMMANDS];
};

/* What programs may use beyond device, pinned and pageable memory, kernels, copies, fills, events and waits. */
struct features {
    bool host_functions, pinned_kernels, pinned_fills, host_to_host, pageable_copies, legacy_waits,
        polls, per_thread, threads, gates, priorities, mapped, registered, managed, managed_copies,
        prefetch, advise, attach, late, spellings, callbacks, boxes, large, foreign, documented,
        managed_work, reuse, pool, symbols, arrays, rectangles, devices, batches, symbol_copies,
        lives, graphs, conditions, values, cooperative;
};

/* What the devices are. */
struct facts {
    int devices;
    bool is_concurrent, is_pageable, is_shared; /* as of a program */
    bool has_values, is_cooperative;            /* kernels launch so */
};

extern const char *const kind_names[KINDS];

/* is_work: the command belongs to a stream. */
bool is_work(const struct command *command);
/* is_transform: target = first * factor + second + term + position. */
bool is_transform(const struct command *command);
/* is_copy: target = first, whatever the shape. */
bool is_copy(const struct command *command);
/* is_fill: target = term, likewise. */
bool is_fill(const struct command *command);
/* is_synchronous: a copy or fill that names no stream, whose return may promise something. */
bool is_synchronous(const struct command *command);
/* is_batch: a copy whose source is read when its attributes say. */
bool is_batch(const struct command *command);
/* is_symbol_copy: a copy that names the module's variable. */
bool is_symbol_copy(const struct command *command);
bool has_symbol_copies(const struct program *program);
/* is_peer_copy: a copy that names its devices; what it waits for, and keeps waiting, beyond its stream is no edge. */
bool is_peer_copy(const struct program *program, const struct command *command);
/* uses_event: the command's event is its own. */
bool uses_event(const struct command *command);
/* uses_stream: the command names its stream. */
bool uses_stream(const struct command *command);
/* is_stream_life, is_event_life: destroys it, or creates it anew. */
bool is_stream_life(const struct command *command);
bool is_event_life(const struct command *command);
/* allocates, frees: the target, whole. */
bool allocates(const struct command *command);
bool frees(const struct command *command);
/* touches_memory: target, first and second are what the command reads and writes, not only names. */
bool touches_memory(const struct command *command);
/* is_host_memory: to copies and fills, managed memory is not. */
bool is_host_memory(enum memory memory);
/* is_host_accessible: a thread of the host reads and writes it itself. */
bool is_host_accessible(enum memory memory);
/* is_array: a CUDA array, which has no address. */
bool is_array(enum memory memory);
/* may_be_node: the command can be a node of a graph. */
bool may_be_node(const struct program *program, const struct command *command);
/* graph_end: the last command of the graph that begins with command x. Needs: that one has a graph. */
int graph_end(const struct program *program, int x);
/* graph_next: the command of the same graph behind command x, or -1. */
int graph_next(const struct program *program, int x);
/* may_name: commands of the kind can read or write such memory, on its own device at least. */
bool may_name(enum kind kind, enum memory memory, const struct features *features,
              bool is_concurrent, bool is_pageable);

/* generate: the program of a seed; always one that model_build() takes. */
void generate(struct program *program, uint64_t seed, const struct features *features,
              const struct facts *facts);

/* initial_byte: what a buffer holds at its byte at before the first command. */
uint8_t initial_byte(unsigned buffer, size_t at);

static inline uint8_t transformed(const struct command *command, uint8_t first, uint8_t second,
                                  size_t at)
{
    return (uint8_t)((unsigned)first * command->factor + second + command->term + (unsigned)at);
}

#endif
