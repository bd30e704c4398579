/* Threads that launch, wait, allocate, copy and record while another resets the device, which CUDA leaves to the program: calls fail
 * or not, and the process lives.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <atomic>
#include <thread>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 12, RESETS = 6, BLOCKS = 100 };

__global__ void add_one(int *to, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count)
        to[i]++;
}

/* Writes nothing to a null pointer. */
__global__ void turn(int *to, int by)
{
    __shared__ int shared[64];
    shared[threadIdx.x] = by;
    __syncthreads();
    const int sum = by + shared[threadIdx.x ^ 1];
    if (sum == -1)
        to[threadIdx.x] = sum;
}

static std::atomic<bool> is_over;
static std::atomic<int> unexpected, heard;

static void expect_known(cudaError_t error)
{
    unexpected += error != cudaSuccess && error != cudaErrorContextIsDestroyed;
}

/* No memory, of which a reset leaves none. */
static void launch_on(void)
{
    for (int i = 0; !is_over; i++) {
        add_one<<<16, 64>>>(nullptr, 0);
        turn<<<3, 64>>>(nullptr, 0);
        turn<<<BLOCKS, 32>>>(nullptr, i);
        expect_known(cudaGetLastError());
        expect_known(i % 2 ? cudaStreamSynchronize(nullptr) : cudaDeviceSynchronize());
    }
}

/* What is had may be gone at once, or be another's: whoever has it then loses it. */
static void copy_on(void)
{
    std::vector<char> host(10000);
    for (int i = 0; !is_over; i++) {
        void *memory = nullptr;
        const cudaError_t error = i % 3 == 0   ? cudaMalloc(&memory, host.size())
                                  : i % 3 == 1 ? cudaMallocManaged(&memory, host.size())
                                               : cudaMallocHost(&memory, host.size());
        if (error != cudaSuccess)
            continue;
        if (i % 3 == 0) {
            (void)cudaMemset(memory, i, host.size());
            (void)cudaMemcpy(memory, host.data(), host.size(), cudaMemcpyHostToDevice);
            (void)cudaMemcpyAsync(host.data(), memory, host.size(), cudaMemcpyDeviceToHost);
        }
        (void)(i % 3 == 2 ? cudaFreeHost(memory) : cudaFree(memory));
    }
}

static void record_on(void)
{
    while (!is_over) {
        cudaEvent_t event;
        cudaStream_t stream;
        float milliseconds;
        if (cudaEventCreate(&event) == cudaSuccess) {
            (void)cudaEventRecord(event);
            (void)cudaEventSynchronize(event);
            (void)cudaEventElapsedTime(&milliseconds, event, event);
            (void)cudaEventDestroy(event);
        }
        if (cudaStreamCreate(&stream) == cudaSuccess) {
            (void)cudaStreamSynchronize(stream);
            (void)cudaStreamDestroy(stream);
        }
    }
}

static void hear(void *heard)
{
    ++*(std::atomic<int> *)heard;
}

/* The stream may be gone before its memory. */
static void order_on(void)
{
    while (!is_over) {
        cudaStream_t stream;
        void *memory;
        if (cudaStreamCreate(&stream) != cudaSuccess)
            continue;
        if (cudaMallocAsync(&memory, 5000, stream) == cudaSuccess)
            (void)cudaFreeAsync(memory, stream);
        (void)cudaLaunchHostFunc(stream, hear, &heard);
        (void)cudaStreamSynchronize(stream);
        (void)cudaStreamDestroy(stream);
    }
}

static void test_resets(void (*go_on)(void))
{
    std::vector<std::thread> threads;
    is_over = false;
    for (int i = 0; i < THREADS; i++)
        threads.emplace_back(go_on);
    for (int i = 0; i < RESETS; i++) {
        usleep(2000 * (i % 5));
        CUDA(cudaDeviceReset());
    }
    is_over = true;
    for (std::thread &thread : threads)
        thread.join();
}

/* After a reset the addresses of what was there are other things', and who has the old ones uses and ends those. Here that happens all
 * the time: one thread makes, and two have what it made, or is making. */
static std::atomic<void *> made_event, made_stream, made_memory;

static void use_on(void)
{
    while (!is_over) {
        cudaEvent_t event = (cudaEvent_t)made_event.load();
        cudaStream_t stream = (cudaStream_t)made_stream.load();
        if (event != nullptr) {
            (void)cudaEventQuery(event);
            (void)cudaEventSynchronize(event);
            (void)cudaEventDestroy(event);
        }
        if (stream != nullptr) {
            (void)cudaStreamQuery(stream);
            (void)cudaStreamDestroy(stream);
        }
        if (made_memory != nullptr)
            (void)cudaFree(made_memory);
    }
}

static void test_others(void)
{
    enum { TIMES = 3000 };
    is_over = false;
    std::thread users[] = {std::thread(use_on), std::thread(use_on)};
    for (int i = 0; i < TIMES; i++) {
        cudaEvent_t event;
        cudaStream_t stream;
        void *memory;
        if (cudaEventCreate(&event) == cudaSuccess) {
            made_event = (void *)event;
            (void)cudaEventDestroy(event);
        }
        if (i % 8 == 0 && cudaStreamCreate(&stream) == cudaSuccess) {
            made_stream = (void *)stream;
            (void)cudaStreamDestroy(stream);
        }
        if (i % 8 == 0 && cudaMallocManaged(&memory, 10000) == cudaSuccess) {
            made_memory = memory;
            (void)cudaFree(memory);
        }
    }
    is_over = true;
    for (std::thread &user : users)
        user.join();
    (void)cudaGetLastError();
}

static void test_afterwards(void)
{
    int *memory, found = 0;
    CUDA(cudaMalloc(&memory, 1024 * sizeof(int)));
    CUDA(cudaMemset(memory, 0, 1024 * sizeof(int)));
    add_one<<<16, 64>>>(memory, 1024);
    LAUNCHED();
    CUDA(cudaMemcpy(&found, memory + 1023, sizeof found, cudaMemcpyDefault));
    EXPECT(found == 1);
    CUDA(cudaFree(memory));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    void (*const ways[])(void) = {copy_on, record_on, launch_on, order_on};
    for (int i = 0; i < ROUNDS; i++)
        test_resets(ways[i % 4]);
    EXPECT(unexpected == 0);
    test_afterwards();
    test_others();
    test_afterwards();
    return program_end();
}
