/* What a program does wrong, by the words that it is given, one after the other; without any, nothing. guard.sh reads what
 * clem-run --check says of it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clem.h>
#include <cuda_runtime_api.h>

enum { BYTES = 1000, SKIPPED = 77 };

static const char text[] = "kernel void put(global uchar *to, long at, int count)"
                           "{ for (int i = 0; i < count; i++) to[at + i] = 3; }\n"
                           "kernel void put_two(global uchar *to, long at, int count)"
                           "{ for (int i = 0; i < count; i++) to[at + i] = 4; }\n";

static cudaKernel_t put, put_two;
static unsigned char *memory, *other, *pinned;

static void must(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    printf("%s\n", cudaGetErrorName(error));
    exit(1);
}

static void run(cudaKernel_t kernel, void *to, long at, int count)
{
    void *arguments[] = {&to, &at, &count};
    (void)cudaLaunchKernel((const void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0,
                           NULL);
}

/* A function of its own, whose name stands in reports. */
__attribute__((noinline)) static void *allocate_wrongly(size_t bytes)
{
    void *made = NULL;
    must(cudaMalloc(&made, bytes));
    return made;
}

static void free_wrongly(const char *word)
{
    unsigned char host[16];
    if (strcmp(word, "double") == 0) {
        void *twice = allocate_wrongly(64);
        must(cudaFree(twice));
        (void)cudaFree(twice);
    } else if (strcmp(word, "kind") == 0) {
        (void)cudaFree(pinned);
    } else if (strcmp(word, "kind-host") == 0) {
        (void)cudaFreeHost(memory);
    } else if (strcmp(word, "inner") == 0) {
        (void)cudaFree(memory + 16);
    } else if (strcmp(word, "stranger") == 0) {
        (void)cudaFree(host);
    }
}

static void copy_wrongly(const char *word)
{
    unsigned char host[2 * BYTES] = {0};
    if (strcmp(word, "copy") == 0)
        (void)cudaMemcpy(memory, host, BYTES + 4, cudaMemcpyHostToDevice);
    else if (strcmp(word, "fill") == 0)
        (void)cudaMemset(memory + 8, 1, BYTES);
    else if (strcmp(word, "overlap") == 0)
        (void)cudaMemcpyAsync(memory, memory + 8, BYTES / 2, cudaMemcpyDeviceToDevice, NULL);
}

static void write_wrongly(const char *word)
{
    unsigned char host[16] = {0};
    if (strcmp(word, "behind") == 0)
        run(put, memory, BYTES, 1);
    else if (strcmp(word, "behind-8") == 0)
        run(put, memory, BYTES + 8, 1);
    else if (strcmp(word, "before") == 0)
        run(put_two, other, -8, 3);
    else if (strcmp(word, "pinned") == 0)
        run(put, pinned, BYTES + 3, 5);
    else if (strcmp(word, "far") == 0)
        run(put, memory, BYTES + 9000, 1);
    else if (strcmp(word, "null") == 0)
        run(put, NULL, 0, 1);
    else if (strcmp(word, "host") == 0)
        run(put, host, 0, 1);
    if (strcmp(word, "freed") != 0) {
        must(cudaDeviceSynchronize());
        return;
    }
    unsigned char *gone = allocate_wrongly(BYTES);
    must(cudaFree(gone));
    run(put, gone, 10, 1);
    must(cudaDeviceSynchronize());
}

/* Repeats are one report. */
static void repeat(const char *word)
{
    for (int i = 0; strcmp(word, "repeat") == 0 && i < 7; i++) {
        run(put, memory, BYTES, 2);
        must(cudaDeviceSynchronize());
    }
}

static void stream_wrongly(const char *word)
{
    void *ordered = NULL;
    cudaStream_t stream = NULL;
    if (strcmp(word, "ordered") != 0)
        return;
    must(cudaStreamCreate(&stream));
    must(cudaMallocAsync(&ordered, BYTES, stream));
    (void)cudaMemsetAsync(ordered, 0, BYTES, stream);
    must(cudaFreeAsync(ordered, stream));
    (void)cudaFreeAsync(ordered, stream);
    must(cudaStreamSynchronize(stream));
    must(cudaStreamDestroy(stream));
}

static void wait(void *go)
{
    while (!atomic_load((atomic_bool *)go))
        sched_yield();
}

/* Freed in a stream that does not wait for the one that uses it, whose turn has not come. */
static void free_in_flight(const char *word)
{
    void *ordered = NULL;
    atomic_bool go = false;
    cudaStream_t user, other_stream;
    if (strcmp(word, "flight") != 0)
        return;
    must(cudaStreamCreateWithFlags(&user, cudaStreamNonBlocking));
    must(cudaStreamCreateWithFlags(&other_stream, cudaStreamNonBlocking));
    must(cudaMallocAsync(&ordered, BYTES, user));
    must(cudaLaunchHostFunc(user, wait, &go));
    must(cudaMemsetAsync(ordered, 0, BYTES, user));
    must(cudaFreeAsync(ordered, other_stream));
    atomic_store(&go, true);
    must(cudaStreamSynchronize(user));
    must(cudaStreamDestroy(user));
    must(cudaStreamDestroy(other_stream));
}

static void leak(const char *word)
{
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaArray_t array;
    void *host;
    const struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    if (strcmp(word, "leak") != 0)
        return;
    for (volatile int i = 0; i < 3; i++) /* one call, not three */
        (void)allocate_wrongly(48);
    must(cudaMallocHost(&host, 80));
    must(cudaStreamCreate(&stream));
    must(cudaEventCreate(&event));
    must(cudaGraphCreate(&graph, 0));
    (void)cudaMallocArray(&array, &format, 16, 1, 0);
}

/* More at once than a process may have mappings for, where it may have as many as Linux lets it. */
static void allocate_many(const char *word)
{
    enum { MANY = 30000 };
    static void *made[MANY];
    if (strcmp(word, "many") != 0)
        return;
    for (int i = 0; i < MANY; i++)
        must(cudaMalloc(&made[i], 16));
    run(put, made[0], 0, 16);
    run(put, made[MANY - 1], 0, 16);
    for (int i = 0; i < MANY; i++)
        must(cudaFree(made[i]));
}

/* All that can be made, used rightly and given back: nothing is said of it. */
static void behave(void)
{
    cudaStream_t stream, second;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    void *ordered;
    unsigned char host[BYTES];
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    must(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    must(cudaEventCreate(&event));
    for (int by_host = 0; by_host < 2; by_host++) { /* freed elsewhere, in order */
        must(cudaMallocAsync(&ordered, BYTES, stream));
        must(cudaMemsetAsync(ordered, 7, BYTES, stream));
        must(cudaEventRecord(event, stream));
        must(by_host ? cudaEventSynchronize(event) : cudaStreamWaitEvent(second, event, 0));
        must(cudaFreeAsync(ordered, second));
        must(cudaStreamDestroy(second));
        must(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    }
    must(cudaStreamDestroy(second));
    run(put, memory, 0, BYTES);
    run(put_two, other, 0, BYTES);
    must(cudaMallocAsync(&ordered, BYTES, stream));
    must(cudaMemsetAsync(ordered, 7, BYTES, stream));
    must(cudaMemcpyAsync(pinned, ordered, BYTES, cudaMemcpyDeviceToHost, stream));
    must(cudaFreeAsync(ordered, stream));
    must(cudaEventRecord(event, stream));
    must(cudaStreamSynchronize(stream));
    must(cudaMemcpy(host, memory, BYTES, cudaMemcpyDeviceToHost));
    if (host[BYTES - 1] != 3 || pinned[0] != 7)
        exit(2);
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    must(cudaMemsetAsync(memory, 1, BYTES, stream));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphLaunch(exec, stream));
    must(cudaStreamSynchronize(stream));
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
    must(cudaEventDestroy(event));
    must(cudaStreamDestroy(stream));
}

/* Whether guards are real here: kernels of a CPU that reach memory by the host's addresses. */
static void skip_unless_guarded(void)
{
    clemDeviceInfo info;
    if (clemGetDeviceInfo(&info, 0) != cudaSuccess || info.deviceClass != 2)
        exit(SKIPPED);
}

int main(int count, char **words)
{
    cudaLibrary_t library;
    must(cudaFree(NULL));
    skip_unless_guarded();
    must(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    must(cudaLibraryGetKernel(&put, library, "put"));
    must(cudaLibraryGetKernel(&put_two, library, "put_two"));
    must(cudaMalloc((void **)&memory, BYTES));
    must(cudaMalloc((void **)&other, BYTES));
    must(cudaMallocHost((void **)&pinned, BYTES));
    behave();
    for (int i = 1; i < count; i++) {
        free_wrongly(words[i]);
        copy_wrongly(words[i]);
        write_wrongly(words[i]);
        repeat(words[i]);
        stream_wrongly(words[i]);
        free_in_flight(words[i]);
        leak(words[i]);
        allocate_many(words[i]);
    }
    must(cudaDeviceSynchronize());
    must(cudaFree(memory));
    must(cudaFree(other));
    must(cudaFreeHost(pinned));
    must(cudaLibraryUnload(library));
    puts("the program's own words");
    return count > 1 && strcmp(words[1], "fail") == 0 ? 3 : 0;
}
