/* Managed variables as the host sees them: first values of every kind, addresses, structs, pointers among them, and the
 * runtime's functions on them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

/* nvcc has no addresses among first values of managed variables: begin() writes them. */
#if defined(__clang__)
#define ADDRESS(place) place
#else
#define ADDRESS(place) nullptr
#endif

struct node {
    int value;
    node *next;
    float weights[3];
};

__device__ int plain[4] = {1, 2, 3, 4};
__managed__ int counters[4] = {10, 20, 30};
__managed__ unsigned char letter = 'x';
__managed__ double third = 1.0 / 3;
__managed__ node last = {3, nullptr, {0.25f, 0.5f, 1.0f}};
__managed__ node middle = {2, ADDRESS(&last), {}};
__managed__ node first = {1, ADDRESS(&middle), {7}};
__managed__ int *inner = ADDRESS(counters);
__managed__ long long big[100000];
static __managed__ short hidden = -5;
struct box {
    char tag;
    double value;
    node *list;
};

__managed__ box record = {'r', 2.5, ADDRESS(&first)};

__global__ void walk(int add)
{
    int sum = 0;
    for (node *n = record.list; n; n = n->next) {
        n->value += add;
        n->weights[2] += n->weights[0];
        sum += n->value;
    }
    counters[3] = sum + plain[0] + hidden;
    inner[1] += 5;
    letter++;
    third *= 3;
    hidden = 77;
    record.tag = 'R';
}

__global__ void fill_big(void)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 100000; i += gridDim.x * blockDim.x)
        big[i] += i;
}

__global__ void add_to(int *target, int by)
{
    atomicAdd(target, by);
}

static void begin(void)
{
#if !defined(__clang__)
    middle.next = &last;
    first.next = &middle;
    inner = counters;
    record.list = &first;
#endif
}

static void values(void)
{
    EXPECT(counters[0] == 10 && counters[2] == 30 && counters[3] == 0);
    EXPECT(letter == 'x' && third == 1.0 / 3 && hidden == -5);
    EXPECT(first.next == &middle && first.next->next == &last && last.next == nullptr);
    EXPECT(last.weights[1] == 0.5f && first.weights[0] == 7 && inner == counters);
    EXPECT(record.tag == 'r' && record.value == 2.5 && record.list->next->value == 2);
    walk<<<1, 1>>>(100);
    LAUNCHED();
    EXPECT(first.value == 101 && middle.value == 102 && last.value == 103);
    EXPECT(first.weights[2] == 7 && last.weights[2] == 1.25f);
    EXPECT(counters[3] == 306 + 1 - 5 && counters[1] == 25);
    EXPECT(letter == 'y' && third == 1.0 && hidden == 77 && record.tag == 'R');
    result("counters", counters, sizeof counters);
}

static void changes_by_the_host(void)
{
    node *own;
    CUDA(cudaMallocManaged((void **)&own, sizeof *own));
    *own = {50, &last, {1, 2, 3}};
    record.list = own;
    inner = counters + 2;
    walk<<<1, 1>>>(1);
    LAUNCHED();
    EXPECT(own->value == 51 && last.value == 104 && first.value == 101);
    EXPECT(inner == counters + 2 && counters[3] == 51 + 104 + 1 + 77 + 5);
    record.list = &first;
    CUDA(cudaFree(own));
    big[99999] = 1;
    fill_big<<<20, 128>>>();
    LAUNCHED();
    long long wrong = 0;
    for (int i = 0; i < 100000; i++)
        wrong += big[i] != i + (i == 99999);
    EXPECT(wrong == 0);
}

static void functions(void)
{
    void *address = nullptr;
    size_t bytes = 0;
    CUDA(cudaGetSymbolAddress(&address, counters));
    CUDA(cudaGetSymbolSize(&bytes, counters));
    EXPECT(address == (void *)counters && bytes == sizeof counters);
    cudaPointerAttributes is;
    CUDA(cudaPointerGetAttributes(&is, &counters[1]));
    EXPECT(is.type == cudaMemoryTypeManaged && is.devicePointer == &counters[1] &&
           is.hostPointer == &counters[1]);
    int copied[4] = {};
    const int given[2] = {-1, -2};
    CUDA(cudaMemcpy(&counters[1], given, sizeof given, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(copied, counters, sizeof copied, cudaMemcpyDeviceToHost));
    EXPECT(copied[0] == counters[0] && copied[1] == -1 && copied[2] == -2 && counters[2] == -2);
    CUDA(cudaMemcpyToSymbol(counters, given, sizeof(int), 2 * sizeof(int)));
    EXPECT(counters[2] == -1);
    CUDA(cudaMemcpyFromSymbol(copied, third, sizeof third));
    EXPECT(memcmp(copied, &third, sizeof third) == 0);
    CUDA(cudaMemset(counters, 0, sizeof counters));
    CUDA(cudaDeviceSynchronize());
    EXPECT(counters[0] == 0 && counters[3] == 0);
    add_to<<<4, 64>>>(&counters[3], 2);
    LAUNCHED();
    EXPECT(counters[3] == 512);
    EXPECT(cudaFree(&counters[0]) != cudaSuccess);
    (void)cudaGetLastError();
    add_to<<<1, 1>>>(counters, 9);
    LAUNCHED();
    EXPECT(counters[0] == 9);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    begin();
    values();
    changes_by_the_host();
    functions();
    return program_end();
}
