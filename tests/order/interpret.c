/* SPDX-License-Identifier: Apache-2.0 */
#include "interpret.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"

static cudaLibrary_t library;
static cudaKernel_t change;
static double spins_per_us;

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
    bool must_be_done[MOST_COMMANDS], must_be_pending[MOST_COMMANDS];

    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool returned[MOST_COMMANDS];
    int opened;      /* the last command that let gates go on, or -1 */
    bool is_stopped; /* a thread found something wrong: the others leave */
};

struct thread {
    struct interpreter *of;
    unsigned index;
    cudaStream_t checks[MOST_DEVICES]; /* non-blocking, so that a check orders nothing */
    uint8_t *read;                     /* what a check reads */
};

static void pause_us(unsigned us)
{
    const struct timespec time = {.tv_nsec = (long)us * 1000};
    nanosleep(&time, NULL);
}

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* fail: the first one counts. */
static void __attribute__((format(printf, 3, 4)))
fail(struct interpreter *of, int command, const char *format, ...)
{
    va_list arguments;

    pthread_mutex_lock(&of->lock);
    if (!of->outcome->is_wrong) {
        va_start(arguments, format);
        vsnprintf(of->outcome->text, sizeof of->outcome->text, format, arguments);
        va_end(arguments);
        of->outcome->is_wrong = true;
        of->outcome->command = command;
    }
    of->is_stopped = true;
    pthread_cond_broadcast(&of->moved);
    pthread_mutex_unlock(&of->lock);
}

static bool check_call(struct interpreter *of, int command, cudaError_t error, const char *call)
{
    if (error)
        fail(of, command, "%s: %s", call, cudaGetErrorName(error));
    return !error;
}
#define CALL(of, command, call) check_call(of, command, call, #call)

/* The kernel. */

static cudaError_t launch(uint8_t *target, uint8_t *first, uint8_t *second, uint32_t bytes,
                          uint32_t factor, uint32_t term, uint32_t spins, cudaStream_t stream)
{
    const dim3 block = {32, 1, 1};
    const uint32_t blocks = 1 + bytes / 16384;
    const dim3 grid = {blocks < 4 ? blocks : 4, 1, 1};
    void *arguments[] = {&target, &first, &second, &bytes, &factor, &term, &spins};

    return cudaLaunchKernel((const void *)change, grid, block, arguments, 0, stream);
}

/* measure: how many turns of the kernel's loop take a microsecond. */
static cudaError_t measure(void)
{
    enum { SPINS = 20000, ROUNDS = 3 };
    uint8_t *memory = NULL;
    cudaError_t error = cudaMalloc((void **)&memory, 256);

    for (int i = 0; i < ROUNDS && !error; i++) {
        const double start = now_us();
        error = launch(memory, memory, memory, 1, 1, 0, SPINS, NULL);
        if (!error)
            error = cudaDeviceSynchronize();
        spins_per_us = SPINS / (now_us() - start);
    }
    cudaFree(memory);
    return error;
}

/* look: how many devices there are, and what all of them can. */
static cudaError_t look(struct facts *facts)
{
    cudaError_t error = cudaGetDeviceCount(&facts->devices);
    facts->is_concurrent = true;
    if (facts->devices > MOST_DEVICES)
        facts->devices = MOST_DEVICES;
    for (int device = 0; device < facts->devices && !error; device++) {
        int value = 0;
        error = cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentManagedAccess, device);
        facts->is_concurrent = facts->is_concurrent && value;
    }
    return error;
}

bool interpreter_begin(struct facts *facts, bool is_opencl, struct outcome *outcome)
{
    *outcome = (struct outcome){.command = -1};
    cudaError_t error = look(facts);
    if (!error)
        error = cudaLibraryLoadData(&library, is_opencl ? order_opencl : order_kernels, NULL, NULL,
                                    0, NULL, NULL, 0);
    if (!error)
        error = cudaLibraryGetKernel(&change, library, "change");
    if (!error)
        error = measure();
    if (error)
        snprintf(outcome->text, sizeof outcome->text, "start: %s", cudaGetErrorName(error));
    outcome->is_wrong = error;
    return !error;
}

/* Commands. */

static uint8_t *address(const struct interpreter *of, const struct region *region)
{
    return of->buffer[region->buffer] + (size_t)of->program->unit * region->first;
}

static uint8_t *kernel_address(const struct interpreter *of, const struct region *region)
{
    return of->on_device[region->buffer] + (size_t)of->program->unit * region->first;
}

static size_t length(const struct interpreter *of, const struct region *region)
{
    return (size_t)of->program->unit * region->count;
}

static cudaStream_t stream_of(const struct interpreter *of, const struct command *c)
{
    return c->stream == LEGACY       ? cudaStreamLegacy
           : c->stream == PER_THREAD ? cudaStreamPerThread
                                     : of->stream[c->stream];
}

/* transform: what the kernel does, on the host. */
static void transform(const struct interpreter *of, const struct command *c)
{
    volatile uint8_t *target = address(of, &c->target);
    const volatile uint8_t *first = address(of, &c->first);
    const volatile uint8_t *second = address(of, &c->second);
    const size_t bytes = length(of, &c->target);

    for (size_t at = 0; at < bytes; at++)
        target[at] = transformed(c, first[at], second[at], at);
}

static void wait_for_opening(const struct host_work *work)
{
    struct interpreter *of = work->of;
    const int gate = (int)(work->command - of->program->command);

    pthread_mutex_lock(&of->lock);
    while (of->opened < gate && !of->is_stopped)
        pthread_cond_wait(&of->moved, &of->lock);
    pthread_mutex_unlock(&of->lock);
}

static void open_gates(struct interpreter *of, int command)
{
    pthread_mutex_lock(&of->lock);
    of->opened = command;
    pthread_cond_broadcast(&of->moved);
    pthread_mutex_unlock(&of->lock);
}

static void CUDART_CB host_function(void *data)
{
    const struct host_work *work = data;
    if (work->command->delay)
        pause_us(work->command->delay);
    if (work->command->kind == DO_GATE)
        wait_for_opening(work);
    if (work->command->kind == DO_HOST_FUNCTION)
        transform(work->of, work->command);
}

/* compare: the determined units. */
static void compare(struct interpreter *of, int index, const volatile uint8_t *found)
{
    const struct command *c = &of->program->command[index];
    const size_t unit = of->program->unit;
    bool is_any_known = false;

    for (size_t i = 0; i < c->first.count; i++) {
        if (!of->known[index][i])
            continue;
        is_any_known = true;
        for (size_t at = i * unit; at < (i + 1) * unit; at++)
            if (found[at] != of->expected[index][at]) {
                fail(of, index, "buffer %u, byte %zu (unit %zu) is %u instead of %u",
                     c->first.buffer, unit * c->first.first + at, c->first.first + i, found[at],
                     of->expected[index][at]);
                return;
            }
    }
    pthread_mutex_lock(&of->lock);
    of->outcome->checks += is_any_known;
    pthread_mutex_unlock(&of->lock);
}

static enum memory memory_of(const struct interpreter *of, const struct region *region)
{
    return (enum memory)of->program->buffer[region->buffer].memory;
}

static void check(struct thread *thread, int index)
{
    struct interpreter *of = thread->of;
    const struct command *c = &of->program->command[index];
    const cudaStream_t stream = thread->checks[c->device];
    const size_t unit = of->program->unit;
    bool is_read;

    if (is_host_accessible(memory_of(of, &c->first))) {
        compare(of, index, address(of, &c->first));
        return;
    }
    if (memory_of(of, &c->first) == MEMORY_ARRAY)
        is_read = CALL(of, index,
                       cudaMemcpy2DFromArrayAsync(thread->read, unit, of->array[c->first.buffer], 0,
                                                  c->first.first, unit, c->first.count,
                                                  cudaMemcpyDefault, stream));
    else
        is_read = CALL(of, index,
                       cudaMemcpyAsync(thread->read, address(of, &c->first), length(of, &c->first),
                                       cudaMemcpyDefault, stream));
    if (is_read && CALL(of, index, cudaStreamSynchronize(stream)))
        compare(of, index, thread->read);
}

/* copy_rectangle: rows of a unit. */
static cudaError_t copy_rectangle(const struct interpreter *of, const struct command *c,
                                  cudaStream_t stream)
{
    const size_t unit = of->program->unit;
    uint8_t *to = address(of, &c->target);
    const uint8_t *from = address(of, &c->first);

    if (c->kind == DO_COPY_2D)
        return cudaMemcpy2D(to, unit * c->target.step, from, unit * c->first.step, unit,
                            c->target.count, cudaMemcpyDefault);
    return cudaMemcpy2DAsync(to, unit * c->target.step, from, unit * c->first.step, unit,
                             c->target.count, cudaMemcpyDefault, stream);
}

/* copy_array: to or from one. */
static cudaError_t copy_array(const struct interpreter *of, const struct command *c,
                              cudaStream_t stream)
{
    const size_t unit = of->program->unit;
    const bool is_target = memory_of(of, &c->target) == MEMORY_ARRAY;
    const cudaArray_t array = of->array[is_target ? c->target.buffer : c->first.buffer];
    uint8_t *memory = address(of, is_target ? &c->first : &c->target);
    const size_t row = is_target ? c->target.first : c->first.first;

    if (c->kind == DO_COPY_ARRAY)
        return is_target ? cudaMemcpy2DToArray(array, 0, row, memory, unit, unit, c->target.count,
                                               cudaMemcpyDefault)
                         : cudaMemcpy2DFromArray(memory, unit, array, 0, row, unit, c->target.count,
                                                 cudaMemcpyDefault);
    return is_target ? cudaMemcpy2DToArrayAsync(array, 0, row, memory, unit, unit, c->target.count,
                                                cudaMemcpyDefault, stream)
                     : cudaMemcpy2DFromArrayAsync(memory, unit, array, 0, row, unit,
                                                  c->target.count, cudaMemcpyDefault, stream);
}

static cudaError_t prefetch(const struct interpreter *of, const struct command *c,
                            cudaStream_t stream)
{
    const struct cudaMemLocation location = {
        .type = c->term & 1 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
        .id = c->term & 1 ? 0 : c->device,
    };
    return cudaMemPrefetchAsync(address(of, &c->first), length(of, &c->first), location, 0, stream);
}

static cudaError_t attach(const struct interpreter *of, const struct command *c,
                          cudaStream_t stream)
{
    static const unsigned flags[] = {[ATTACH_GLOBAL] = cudaMemAttachGlobal,
                                     [ATTACH_HOST] = cudaMemAttachHost,
                                     [ATTACH_SINGLE] = cudaMemAttachSingle};
    return cudaStreamAttachMemAsync(stream, address(of, &c->target), 0, flags[c->term]);
}

static cudaError_t allocate(struct interpreter *of, const struct command *c, cudaStream_t stream)
{
    void *memory = NULL;
    const cudaError_t error = cudaMallocAsync(&memory, length(of, &c->target), stream);
    of->buffer[c->target.buffer] = of->on_device[c->target.buffer] = memory;
    return error;
}

static cudaError_t release(struct interpreter *of, const struct command *c, cudaStream_t stream)
{
    const cudaError_t error = cudaFreeAsync(of->buffer[c->target.buffer], stream);
    of->buffer[c->target.buffer] = NULL;
    return error;
}

static cudaError_t poll_stream(const struct interpreter *of, cudaStream_t stream)
{
    cudaError_t error;
    while ((error = cudaStreamQuery(stream)) == cudaErrorNotReady && !of->outcome->is_wrong)
        sched_yield();
    return error;
}

static cudaError_t poll_event(const struct interpreter *of, cudaEvent_t event)
{
    cudaError_t error;
    while ((error = cudaEventQuery(event)) == cudaErrorNotReady && !of->outcome->is_wrong)
        sched_yield();
    return error;
}

static void query(struct interpreter *of, int index)
{
    const cudaError_t error = cudaStreamQuery(stream_of(of, &of->program->command[index]));
    if (error != cudaSuccess && error != cudaErrorNotReady)
        fail(of, index, "cudaStreamQuery: %s", cudaGetErrorName(error));
    else if (error ? of->must_be_done[index] : of->must_be_pending[index])
        fail(of, index, "cudaStreamQuery: %s though its work is known%s to be done",
             cudaGetErrorName(error), error ? "" : " not");
}

static void run_command(struct thread *thread, int index)
{
    struct interpreter *of = thread->of;
    const struct command *c = &of->program->command[index];
    const cudaStream_t stream = stream_of(of, c);
    const cudaEvent_t event = of->event[c->event];

    switch ((enum kind)c->kind) {
    case DO_KERNEL:
        CALL(of, index,
             launch(kernel_address(of, &c->target), kernel_address(of, &c->first),
                    kernel_address(of, &c->second), (uint32_t)length(of, &c->target), c->factor,
                    c->term, (uint32_t)(c->delay * spins_per_us), stream));
        break;
    case DO_HOST_FUNCTION:
    case DO_PAUSE:
    case DO_GATE:
        of->work[index] = (struct host_work){of, c};
        CALL(of, index, cudaLaunchHostFunc(stream, host_function, &of->work[index]));
        break;
    case DO_COPY_ASYNC:
        CALL(of, index,
             cudaMemcpyAsync(address(of, &c->target), address(of, &c->first),
                             length(of, &c->target), cudaMemcpyDefault, stream));
        break;
    case DO_COPY:
        CALL(of, index,
             cudaMemcpy(address(of, &c->target), address(of, &c->first), length(of, &c->target),
                        cudaMemcpyDefault));
        break;
    case DO_COPY_2D_ASYNC:
    case DO_COPY_2D:
        CALL(of, index, copy_rectangle(of, c, stream));
        break;
    case DO_COPY_ARRAY_ASYNC:
    case DO_COPY_ARRAY:
        CALL(of, index, copy_array(of, c, stream));
        break;
    case DO_PREFETCH:
        CALL(of, index, prefetch(of, c, stream));
        break;
    case DO_ATTACH:
        CALL(of, index, attach(of, c, stream));
        break;
    case DO_MALLOC_ASYNC:
        CALL(of, index, allocate(of, c, stream));
        break;
    case DO_FREE_ASYNC:
        CALL(of, index, release(of, c, stream));
        break;
    case DO_SET_ASYNC:
        CALL(of, index,
             cudaMemsetAsync(address(of, &c->target), c->term, length(of, &c->target), stream));
        break;
    case DO_SET:
        CALL(of, index, cudaMemset(address(of, &c->target), c->term, length(of, &c->target)));
        break;
    case DO_RECORD:
        CALL(of, index, cudaEventRecord(event, stream));
        break;
    case DO_WAIT:
        CALL(of, index, cudaStreamWaitEvent(stream, event, 0));
        break;
    case DO_STREAM_SYNCHRONIZE:
        CALL(of, index, cudaStreamSynchronize(stream));
        break;
    case DO_STREAM_POLL:
        CALL(of, index, poll_stream(of, stream));
        break;
    case DO_STREAM_QUERY:
        query(of, index);
        break;
    case DO_EVENT_SYNCHRONIZE:
        CALL(of, index, cudaEventSynchronize(event));
        break;
    case DO_EVENT_POLL:
        CALL(of, index, poll_event(of, event));
        break;
    case DO_DEVICE_SYNCHRONIZE:
        CALL(of, index, cudaDeviceSynchronize());
        break;
    case DO_OPEN:
        open_gates(of, index);
        break;
    case DO_HOST_WRITE:
        transform(of, c);
        break;
    case DO_CHECK:
        check(thread, index);
        break;
    case KINDS:
        break;
    }
}

/* Threads. */

/* wait_for: the call of a command of another thread returned; false if the program is stopped. */
static bool wait_for(struct interpreter *of, int command)
{
    pthread_mutex_lock(&of->lock);
    while (command >= 0 && !of->returned[command] && !of->is_stopped)
        pthread_cond_wait(&of->moved, &of->lock);
    const bool goes_on = !of->is_stopped;
    pthread_mutex_unlock(&of->lock);
    return goes_on;
}

static void say_returned(struct interpreter *of, int command)
{
    pthread_mutex_lock(&of->lock);
    of->returned[command] = true;
    pthread_cond_broadcast(&of->moved);
    pthread_mutex_unlock(&of->lock);
}

static void *run_thread(void *data)
{
    struct thread *thread = data;
    struct interpreter *of = thread->of;
    const struct program *program = of->program;

    for (int i = 0; i < program->commands; i++) {
        const struct command *c = &program->command[i];
        if (c->thread != thread->index)
            continue;
        if (!wait_for(of, c->after))
            break;
        if (program->devices > 1)
            CALL(of, i, cudaSetDevice(c->device));
        run_command(thread, i);
        if (program->threads > 1)
            say_returned(of, i);
    }
    return NULL;
}

static bool begin_thread(struct interpreter *of, struct thread *thread, unsigned index)
{
    *thread = (struct thread){
        .of = of, .index = index, .read = malloc((size_t)of->program->unit * MOST_UNITS)};
    if (!thread->read)
        fail(of, -1, "no memory");
    for (int i = 0; i < of->program->devices; i++)
        if (!CALL(of, -1, cudaSetDevice(i)) ||
            !CALL(of, -1, cudaStreamCreateWithFlags(&thread->checks[i], cudaStreamNonBlocking)))
            return false;
    return thread->read;
}

static void end_thread(struct thread *thread)
{
    for (int i = 0; i < thread->of->program->devices; i++)
        if (thread->checks[i])
            cudaStreamDestroy(thread->checks[i]);
    free(thread->read);
}

static void run_threads(struct interpreter *of)
{
    struct thread threads[MOST_THREADS];
    pthread_t ids[MOST_THREADS];
    unsigned started = 0;
    bool is_ready = true;

    for (unsigned i = 0; i < of->program->threads; i++)
        is_ready = begin_thread(of, &threads[i], i) && is_ready;
    for (unsigned i = 1; i < of->program->threads && is_ready; i++, started++)
        if (pthread_create(&ids[i], NULL, run_thread, &threads[i])) {
            fail(of, -1, "no thread");
            break;
        }
    if (is_ready)
        run_thread(&threads[0]);
    for (unsigned i = 1; i <= started; i++)
        pthread_join(ids[i], NULL);
    for (int i = of->program->devices - 1; i >= 0; i--) {
        cudaSetDevice(i);
        cudaDeviceSynchronize();
    }
    for (unsigned i = 0; i < of->program->threads; i++)
        end_thread(&threads[i]);
}

/* Objects. */

static bool make_registered(struct interpreter *of, unsigned i, size_t bytes)
{
    void *memory = NULL;
    const size_t page = 4096;

    if (posix_memalign(&memory, page, (bytes + page - 1) / page * page)) {
        fail(of, -1, "no memory");
        return false;
    }
    of->buffer[i] = memory;
    return CALL(of, -1,
                cudaHostRegister(memory, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable));
}

static bool make_array(struct interpreter *of, unsigned i, const uint8_t *initial)
{
    const size_t unit = of->program->unit;
    const struct cudaChannelFormatDesc bytes = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};

    return CALL(of, -1,
                cudaMallocArray(&of->array[i], &bytes, unit, of->program->buffer[i].units, 0)) &&
           CALL(of, -1,
                cudaMemcpy2DToArray(of->array[i], 0, 0, initial, unit, unit,
                                    of->program->buffer[i].units, cudaMemcpyHostToDevice));
}

static bool allocate_buffer(struct interpreter *of, unsigned i, size_t bytes)
{
    void **const memory = (void **)&of->buffer[i];
    size_t found = 0;

    switch ((enum memory)of->program->buffer[i].memory) {
    case MEMORY_PAGEABLE:
        *memory = malloc(bytes);
        return *memory;
    case MEMORY_PINNED:
        return CALL(of, -1, cudaMallocHost(memory, bytes));
    case MEMORY_MAPPED:
        return CALL(of, -1,
                    cudaHostAlloc(memory, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
    case MEMORY_REGISTERED:
        return make_registered(of, i, bytes);
    case MEMORY_MANAGED:
        return CALL(of, -1, cudaMallocManaged(memory, bytes, cudaMemAttachGlobal));
    case MEMORY_DEVICE:
        return CALL(of, -1, cudaMalloc(memory, bytes));
    case MEMORY_SYMBOL:
        return CALL(of, -1, cudaLibraryGetGlobal(memory, &found, library, "store"));
    case MEMORY_POOL:
    case MEMORY_ARRAY:
    case MEMORY_KINDS:
        break;
    }
    return true;
}

/* initialise: puts the bytes there, and finds what kernels call the memory. */
static bool initialise(struct interpreter *of, unsigned i, const uint8_t *initial, size_t bytes)
{
    const enum memory memory = (enum memory)of->program->buffer[i].memory;

    of->on_device[i] = of->buffer[i];
    if (memory == MEMORY_POOL)
        return true;
    if (memory == MEMORY_ARRAY)
        return make_array(of, i, initial);
    if (!is_host_accessible(memory))
        return CALL(of, -1, cudaMemcpy(of->buffer[i], initial, bytes, cudaMemcpyHostToDevice));
    memcpy(of->buffer[i], initial, bytes);
    if (memory == MEMORY_MAPPED || memory == MEMORY_REGISTERED)
        return CALL(of, -1, cudaHostGetDevicePointer((void **)&of->on_device[i], of->buffer[i], 0));
    return true;
}

static bool make_buffer(struct interpreter *of, unsigned i)
{
    const size_t bytes = (size_t)of->program->unit * of->program->buffer[i].units;
    uint8_t *initial = malloc(bytes);

    if (!initial)
        return false;
    for (size_t at = 0; at < bytes; at++)
        initial[at] = initial_byte(i, at);
    const bool is_made = CALL(of, -1, cudaSetDevice(of->program->buffer[i].device)) &&
                         allocate_buffer(of, i, bytes) && initialise(of, i, initial, bytes);
    free(initial);
    return is_made;
}

static void free_buffer(struct interpreter *of, unsigned i)
{
    if (of->array[i])
        CALL(of, -1, cudaFreeArray(of->array[i]));
    if (!of->buffer[i])
        return;
    switch ((enum memory)of->program->buffer[i].memory) {
    case MEMORY_REGISTERED:
        CALL(of, -1, cudaHostUnregister(of->buffer[i]));
        free(of->buffer[i]);
        break;
    case MEMORY_PAGEABLE:
        free(of->buffer[i]);
        break;
    case MEMORY_PINNED:
    case MEMORY_MAPPED:
        CALL(of, -1, cudaFreeHost(of->buffer[i]));
        break;
    case MEMORY_MANAGED:
    case MEMORY_DEVICE:
    case MEMORY_POOL:
        CALL(of, -1, cudaFree(of->buffer[i]));
        break;
    case MEMORY_SYMBOL:
    case MEMORY_ARRAY:
    case MEMORY_KINDS:
        break;
    }
}

static bool make_objects(struct interpreter *of)
{
    const struct program *program = of->program;
    bool is_made = true;

    for (unsigned i = FIRST_CREATED; i < program->streams && is_made; i++)
        is_made = CALL(of, -1, cudaSetDevice(program->stream[i].device)) &&
                  CALL(of, -1,
                       cudaStreamCreateWithPriority(&of->stream[i],
                                                    program->stream[i].kind == STREAM_BLOCKING
                                                        ? cudaStreamDefault
                                                        : cudaStreamNonBlocking,
                                                    program->stream[i].priority));
    for (unsigned i = 0; i < program->events && is_made; i++)
        is_made = CALL(of, -1, cudaSetDevice(program->event[i].device)) &&
                  CALL(of, -1,
                       cudaEventCreateWithFlags(&of->event[i], program->event[i].is_timed
                                                                   ? cudaEventDefault
                                                                   : cudaEventDisableTiming));
    for (unsigned i = 0; i < program->buffers && is_made; i++)
        is_made = make_buffer(of, i);
    for (int i = program->devices - 1; i >= 0 && is_made; i--)
        is_made = CALL(of, -1, cudaSetDevice(i)) && CALL(of, -1, cudaDeviceSynchronize());
    return is_made;
}

static void free_objects(struct interpreter *of)
{
    const struct program *program = of->program;

    for (unsigned i = 0; i < program->buffers; i++)
        free_buffer(of, i);
    for (unsigned i = 0; i < program->events; i++)
        if (of->event[i])
            cudaEventDestroy(of->event[i]);
    for (unsigned i = FIRST_CREATED; i < program->streams; i++)
        if (of->stream[i])
            CALL(of, -1, cudaStreamDestroy(of->stream[i]));
    for (int i = 0; i < program->commands; i++)
        free(of->expected[i]);
}

/* expect: what each check must find. */
static bool expect(struct interpreter *of, const struct model *model)
{
    const struct program *program = of->program;
    struct memory_model memory;
    bool has_memory = memory_begin(&memory, program);

    for (int i = 0; i < program->commands && has_memory; i++) {
        const struct command *c = &program->command[i];
        memory_step(&memory, model, i, of->known[i]);
        if (c->kind == DO_STREAM_QUERY)
            of->must_be_done[i] = model_must_be_done(model, i);
        if (c->kind == DO_STREAM_QUERY)
            of->must_be_pending[i] = model_must_be_pending(model, i);
        if (c->kind != DO_CHECK)
            continue;
        of->expected[i] = malloc(length(of, &c->first));
        has_memory = of->expected[i] != NULL;
        if (has_memory)
            memcpy(of->expected[i],
                   memory.bytes[c->first.buffer] + (size_t)program->unit * c->first.first,
                   length(of, &c->first));
    }
    memory_end(&memory);
    return has_memory;
}

void interpret(const struct program *program, struct outcome *outcome)
{
    static struct model model;
    struct interpreter of = {.program = program,
                             .outcome = outcome,
                             .opened = -1,
                             .lock = PTHREAD_MUTEX_INITIALIZER,
                             .moved = PTHREAD_COND_INITIALIZER};

    *outcome = (struct outcome){.command = -1};
    if (!model_build(&model, program))
        fail(&of, -1, "CUDA does not define what this program does");
    else if (!expect(&of, &model))
        fail(&of, -1, "no memory");
    else if (make_objects(&of))
        run_threads(&of);
    free_objects(&of);
}
