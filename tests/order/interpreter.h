/* What the interpreter's parts share: a program that runs, and its objects.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ORDER_INTERPRETER_H
#define ORDER_INTERPRETER_H

#include <cuda_runtime_api.h>
#include <pthread.h>

#include "calls.h"
#include "interpret.h"
#include "model.h"

/* The kernel, and how many turns of its loop take a microsecond. */
struct device_code {
    cudaLibrary_t module;
    cudaKernel_t change;
    cudaLibrary_t loop_module;
    cudaKernel_t turn; /* NULL: kernels set no conditions here */
    double spins_per_us;
};
extern struct device_code device_code;

struct interpreter;

/* What a host function does, and to what. */
struct host_work {
    struct interpreter *of;
    const struct command *command;
};

struct interpreter {
    const struct program *program;
    struct outcome *outcome;
    cudaStream_t stream[MOST_STREAMS];
    cudaEvent_t event[MOST_EVENTS];
    uint8_t *buffer[MOST_BUFFERS];
    uint8_t *on_device[MOST_BUFFERS]; /* the same, to kernels */
    cudaArray_t array[MOST_BUFFERS];
    struct host_work work[MOST_COMMANDS];
    uint8_t *expected[MOST_COMMANDS]; /* of checks: the bytes */
    bool known[MOST_COMMANDS][MOST_UNITS];
    int value[MOST_COMMANDS]; /* of waits: model_value() */
    uint32_t *words
        [2]; /* what records write, by their number: pinned memory, and device memory where there is one device */
    bool must_be_done[MOST_COMMANDS], must_be_pending[MOST_COMMANDS];

    /* A device is not waited for while one of its streams captures. Source: CUDA Programming Guide, "Stream Capture". */
    pthread_rwlock_t captures;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool returned[MOST_COMMANDS];
    int opened;      /* the last command that let gates go on, or -1 */
    bool is_stopped; /* a thread found something wrong: the others leave */
};

struct thread {
    struct interpreter *of;
    unsigned index;
    cudaStream_t checks[MOST_DEVICES];      /* non-blocking, so that a check orders nothing */
    uint8_t *read;                          /* what a check reads */
    cudaStream_t captures[MOST_DEVICES][2]; /* made when asked for */
    cudaStream_t capture;                   /* in place of the stream of each command, or NULL */
    bool is_decoy;                          /* commands of what is updated before it runs */
    struct {
        cudaGraphExec_t exec;
        int first; /* its command */
    } last;        /* the thread's last graph */
};

/* fail: the program is wrong, or cannot run; the first one counts. command: where, or -1. */
void __attribute__((format(printf, 3, 4)))
fail(struct interpreter *of, int command, const char *format, ...);

/* check_call: fails with the call's text if the error is one. */
bool check_call(struct interpreter *of, int command, cudaError_t error, const char *call);
#define CALL(of, command, call) check_call(of, command, call, #call)

/* launch: the kernel. */
cudaError_t launch(const struct calls *calls, uint8_t *target, uint8_t *first, uint8_t *second,
                   uint32_t bytes, uint32_t factor, uint32_t term, uint32_t spins,
                   cudaStream_t stream, bool is_cooperative);

/* run_graph: the commands of the graph that begins with this one; returns the last of them. end_graphs: of a thread. */
int run_graph(struct thread *thread, int index);
void end_graphs(struct thread *thread);

/* The stream of a command as it is spelled, and the names that give it. */
cudaStream_t stream_of(const struct interpreter *of, const struct command *c);
const struct calls *calls_of(const struct command *c);

/* Where regions lie, for the host and copies, and for kernels. */
uint8_t *address(const struct interpreter *of, const struct region *region);
uint8_t *kernel_address(const struct interpreter *of, const struct region *region);

/* host_function: what the host does of a struct host_work. */
void CUDART_CB host_function(void *data);

/* find_values: whether streams write values and wait for them here. */
bool find_values(void);

void run_command(struct thread *thread, int index);

static inline size_t region_bytes(const struct interpreter *of, const struct region *region)
{
    return (size_t)of->program->unit * region->count;
}

/* make_objects: streams, events, and the buffers that no command allocates. free_objects() takes what is there either way. */
bool make_objects(struct interpreter *of);
void free_objects(struct interpreter *of);

/* create_stream, create_event: on the current device; for that command or -1, which makes it one that others had before. */
bool create_stream(struct interpreter *of, int command, unsigned stream);
bool create_event(struct interpreter *of, int command, unsigned event);

/* allocate_buffer: as its memory says, with no bytes that count; for that command or -1. */
bool allocate_buffer(struct interpreter *of, int command, unsigned buffer);
void free_buffer(struct interpreter *of, int command, unsigned buffer);

#endif
