/* SPDX-License-Identifier: Apache-2.0 */
#include "interpret.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interpreter.h"
#include "kept.h"

#ifndef ORDER_DOCUMENTED
#define ORDER_DOCUMENTED false
#endif
#if ORDER_DOCUMENTED
#include <crt/host_runtime_abi.h>
#endif

struct device_code device_code;

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

void fail(struct interpreter *of, int command, const char *format, ...)
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

bool check_call(struct interpreter *of, int command, cudaError_t error, const char *call)
{
    if (error)
        fail(of, command, "%s: %s", call, cudaGetErrorName(error));
    return !error;
}
/* measure: how many turns of the kernel's loop take a microsecond. */
static cudaError_t measure(void)
{
    enum { SPINS = 20000, ROUNDS = 3 };
    uint8_t *memory = NULL;
    cudaError_t error = cudaMalloc((void **)&memory, 256);

    for (int i = 0; i < ROUNDS && !error; i++) {
        const double start = now_us();
        error = launch(&ordinary_calls, memory, memory, memory, 1, 1, 0, SPINS, NULL, false);
        if (!error)
            error = cudaDeviceSynchronize();
        device_code.spins_per_us = SPINS / (now_us() - start);
    }
    cudaFree(memory);
    return error;
}

/* look: how many devices there are, and what all of them can. */
static cudaError_t look(struct facts *facts)
{
    cudaError_t error = cudaGetDeviceCount(&facts->devices);
    facts->is_concurrent = facts->is_pageable = true;
    if (facts->devices > MOST_DEVICES)
        facts->devices = MOST_DEVICES;
    for (int device = 0; device < facts->devices && !error; device++) {
        int value = 0;
        error = cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentManagedAccess, device);
        facts->is_concurrent = facts->is_concurrent && value;
        if (!error)
            error = cudaDeviceGetAttribute(&value, cudaDevAttrPageableMemoryAccess, device);
        facts->is_pageable = facts->is_pageable && value;
    }
    return error;
}

/* try_sharing: whether a kernel of the last device takes managed memory of the first. */
static cudaError_t try_sharing(struct facts *facts)
{
    uint8_t *memory = NULL;
    cudaError_t error = cudaSetDevice(0);

    if (!error)
        error = cudaMallocManaged((void **)&memory, 256, cudaMemAttachGlobal);
    if (!error)
        error = cudaSetDevice(facts->devices - 1);
    if (error)
        return error;
    facts->is_shared =
        launch(&ordinary_calls, memory, memory, memory, 1, 1, 0, 0, NULL, false) == cudaSuccess;
    error = cudaDeviceSynchronize();
    cudaFree(memory);
    cudaGetLastError();
    return error ? error : cudaSetDevice(0);
}

/* try_cooperation: whether the kernel's launches may be cooperative, and streams know values. */
static cudaError_t try_cooperation(struct facts *facts)
{
    uint8_t *memory = NULL;
    cudaError_t error = cudaMalloc((void **)&memory, 256);

    if (error)
        return error;
    facts->is_cooperative =
        launch(&ordinary_calls, memory, memory, memory, 1, 1, 0, 0, NULL, true) == cudaSuccess;
    facts->has_values = find_values();
    cudaGetLastError();
    error = cudaDeviceSynchronize();
    cudaFree(memory);
    return error;
}

char order_store[1];

/* register_store: as compilers have programs do it. */
static void register_store(void)
{
#if ORDER_DOCUMENTED
    static const struct {
        unsigned magic, version;
        const void *code, *parts;
    } wrapper = {0x466243b1, 1, order_kernels, NULL};
    static char name[] = "store";
    void **handle = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);
    __cudaRegisterVar(handle, order_store, name, name, 0, STORE_BYTES, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
#endif
}

/* Where the module is refused, there are no loops. */
static void find_loops(void)
{
    if (cudaLibraryLoadData(&device_code.loop_module, order_loop, NULL, NULL, 0, NULL, NULL, 0) ||
        cudaLibraryGetKernel(&device_code.turn, device_code.loop_module, "turn"))
        device_code.turn = NULL;
    (void)cudaGetLastError();
}

bool interpreter_begin(struct facts *facts, bool is_opencl, struct outcome *outcome)
{
    *outcome = (struct outcome){.command = -1};
    cudaError_t error = look(facts);
    if (!is_opencl)
        register_store();
    if (!error)
        error = cudaLibraryLoadData(&device_code.module, is_opencl ? order_opencl : order_kernels,
                                    NULL, NULL, 0, NULL, NULL, 0);
    if (!error)
        error = cudaLibraryGetKernel(&device_code.change, device_code.module, "change");
    if (!error && !is_opencl)
        find_loops();
    if (!error)
        error = measure();
    if (!error)
        error = try_sharing(facts);
    if (!error)
        error = try_cooperation(facts);
    if (error)
        snprintf(outcome->text, sizeof outcome->text, "start: %s", cudaGetErrorName(error));
    outcome->is_wrong = error;
    return !error;
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
        int last = i;
        if (c->graph)
            last = run_graph(thread, i);
        else
            run_command(thread, i);
        for (; i < last; i = graph_next(program, i))
            say_returned(of, i);
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
        if (!CALL(of, -1,
                  kept_stream(of->program, i, cudaStreamNonBlocking, 0, &thread->checks[i])))
            return false;
    return thread->read;
}

static void end_thread(struct thread *thread)
{
    end_graphs(thread);
    for (int i = 0; i < thread->of->program->devices; i++)
        if (thread->checks[i] && !kept_give(thread->checks[i]))
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

/* expect: what each check must find. */
static bool expect(struct interpreter *of, const struct model *model)
{
    const struct program *program = of->program;
    struct memory_model memory;
    bool has_memory = memory_begin(&memory, program);

    for (int i = 0; i < program->commands && has_memory; i++) {
        const struct command *c = &program->command[i];
        memory_step(&memory, model, i, of->known[i]);
        of->value[i] = model_value(model, i);
        if (c->kind == DO_STREAM_QUERY)
            of->must_be_done[i] = model_must_be_done(model, i);
        if (c->kind == DO_STREAM_QUERY)
            of->must_be_pending[i] = model_must_be_pending(model, i);
        if (c->kind != DO_CHECK)
            continue;
        of->expected[i] = malloc(region_bytes(of, &c->first));
        has_memory = of->expected[i] != NULL;
        if (has_memory)
            memcpy(of->expected[i],
                   memory.bytes[c->first.buffer] + (size_t)program->unit * c->first.first,
                   region_bytes(of, &c->first));
    }
    memory_end(&memory);
    return has_memory;
}

/* lap: since *start, which becomes now. */
static double lap(double *start)
{
    const double before = *start;
    *start = now_us();
    return *start - before;
}

void interpret(const struct program *program, struct outcome *outcome)
{
    static struct model model;
    struct interpreter of = {.program = program,
                             .outcome = outcome,
                             .opened = -1,
                             .captures = PTHREAD_RWLOCK_INITIALIZER,
                             .lock = PTHREAD_MUTEX_INITIALIZER,
                             .moved = PTHREAD_COND_INITIALIZER};

    *outcome = (struct outcome){.command = -1};
    double start = now_us();
    if (!model_build(&model, program))
        fail(&of, -1, "CUDA does not define what this program does");
    else if (!expect(&of, &model))
        fail(&of, -1, "no memory");
    else if (make_objects(&of)) {
        outcome->us[0] = lap(&start);
        run_threads(&of);
        outcome->us[1] = lap(&start);
    }
    free_objects(&of);
    outcome->us[2] = lap(&start);
}
