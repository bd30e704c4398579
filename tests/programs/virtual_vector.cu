/* A vector that grows in place by virtual memory management: pointers into it, which lie in it, stay what they are. And a
 * ring, whose memory is mapped twice in a row so that runs over its end are whole. A device that cannot do it gets as much
 * memory as both come to.
 * nvcc: -lcuda
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cuda.h>

#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)

static int can; /* the device has virtual memory management */

static CUmemAllocationProp properties()
{
    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return prop;
}

static size_t granularity()
{
    size_t bytes = (size_t)2 << 20;
    const CUmemAllocationProp prop = properties();
    if (can)
        DRIVER(cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    return bytes;
}

static void allow(CUdeviceptr address, size_t bytes)
{
    CUmemAccessDesc access = {};
    access.location = properties().location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    DRIVER(cuMemSetAccess(address, bytes, &access, 1));
}

/* Elements at one address for good, with memory for as many as there are. */
template <class T> struct growing_vector {
    CUdeviceptr address = 0;
    size_t reserved, mapped = 0, grain;

    growing_vector(size_t most, size_t needed) : grain(granularity())
    {
        reserved = (most * sizeof(T) + grain - 1) / grain * grain;
        if (can)
            DRIVER(cuMemAddressReserve(&address, reserved, 0, 0, 0));
        else
            CUDA(cudaMalloc((void **)&address, needed * sizeof(T)));
    }
    ~growing_vector()
    {
        if (!can) {
            cudaFree(data());
            return;
        }
        DRIVER(cuMemUnmap(address, mapped));
        DRIVER(cuMemAddressFree(address, reserved));
    }
    growing_vector(const growing_vector &) = delete;
    growing_vector &operator=(const growing_vector &) = delete;

    T *data() const
    {
        return (T *)address;
    }
    void grow(size_t elements)
    {
        const size_t more = (elements * sizeof(T) + grain - 1) / grain * grain - mapped;
        const CUmemAllocationProp prop = properties();
        CUmemGenericAllocationHandle handle;
        if (!can || more == 0)
            return;
        DRIVER(cuMemCreate(&handle, more, &prop, 0));
        DRIVER(cuMemMap(address + mapped, more, 0, handle, 0));
        DRIVER(cuMemRelease(handle));
        allow(address + mapped, more);
        mapped += more;
    }
};

struct node {
    node *before; /* in the same vector */
    unsigned value, pad;
};

/* Each new node comes behind one that is there already. */
__global__ void append(node *nodes, unsigned first, unsigned count)
{
    const unsigned i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= first + count)
        return;
    nodes[i].before = i == 0 ? nullptr : &nodes[first == 0 ? 0 : i % first];
    nodes[i].value = random_word(i);
}

/* From the last of the nodes back to the first. */
__global__ void walk(const node *nodes, unsigned count, unsigned *sums)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (const node *at = &nodes[count - 1 - i]; at && at != nodes; at = at->before)
        sum = sum * 31 + at->value;
    sums[i] = sum;
}

static void append_nodes()
{
    enum { WALKS = 256, TIMES = 7 };
    unsigned count = 0, sizes[TIMES];
    growing_vector<node> nodes((size_t)1 << 32, 1000000);
    device_array<unsigned> sums(WALKS);
    for (unsigned time = 0; time < TIMES; time++) {
        const unsigned more = 50000u << time % 3;
        nodes.grow(count + more);
        append<<<(more + 255) / 256, 256>>>(nodes.data(), count, more);
        sizes[time] = count;
        count += more;
    }
    walk<<<WALKS / 64, 64>>>(nodes.data(), count, sums.data);
    LAUNCHED();
    const std::vector<unsigned> got = sums.host();
    unsigned wrong = 0;
    for (unsigned i = 0; i < WALKS; i++) {
        unsigned sum = 0, at = count - 1 - i, time = TIMES;
        while (at != 0) {
            sum = sum * 31 + random_word(at);
            while (time > 0 && sizes[time - 1] > at)
                time--;
            at = sizes[time - 1] == 0 ? 0 : at % sizes[time - 1];
        }
        wrong += got[i] != sum;
    }
    EXPECT(wrong == 0);
    result("walks", got);
}

__global__ void rotate(unsigned *ring, unsigned from, unsigned count)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        ring[from + i] += i;
}

static CUdeviceptr make_ring(size_t bytes)
{
    const CUmemAllocationProp prop = properties();
    CUmemGenericAllocationHandle handle;
    CUdeviceptr ring = 0;
    if (!can) {
        CUDA(cudaMalloc((void **)&ring, 2 * bytes));
        return ring;
    }
    DRIVER(cuMemCreate(&handle, bytes, &prop, 0));
    DRIVER(cuMemAddressReserve(&ring, 2 * bytes, 0, 0, 0));
    DRIVER(cuMemMap(ring, bytes, 0, handle, 0));
    DRIVER(cuMemMap(ring + bytes, bytes, 0, handle, 0));
    DRIVER(cuMemRelease(handle));
    allow(ring, 2 * bytes);
    return ring;
}

static void end_ring(CUdeviceptr ring, size_t bytes)
{
    if (!can) {
        CUDA(cudaFree((void *)ring));
        return;
    }
    DRIVER(cuMemUnmap(ring, 2 * bytes));
    DRIVER(cuMemAddressFree(ring, 2 * bytes));
}

static void turn_ring()
{
    const size_t bytes = granularity(), words = bytes / sizeof(unsigned);
    const unsigned from = (unsigned)words - 1000, run = 5000;
    const CUdeviceptr ring = make_ring(bytes);
    const std::vector<unsigned> start = random_words(words);
    std::vector<unsigned> got(run);
    CUDA(cudaMemcpy((void *)ring, start.data(), bytes, cudaMemcpyHostToDevice));
    if (!can)
        CUDA(cudaMemcpy((void *)(ring + bytes), start.data(), bytes, cudaMemcpyHostToDevice));
    rotate<<<(run + 255) / 256, 256>>>((unsigned *)ring, from, run);
    LAUNCHED();
    CUDA(
        cudaMemcpy(got.data(), (unsigned *)ring + from, run * sizeof(unsigned), cudaMemcpyDefault));
    unsigned wrong = 0;
    for (unsigned i = 0; i < run; i++)
        wrong += got[i] != start[(from + i) % words] + i;
    EXPECT(wrong == 0);
    result("ring", got);
    end_ring(ring, bytes);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    CUDA(cudaFree(nullptr));
    DRIVER(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    append_nodes();
    turn_ring();
    return program_end();
}
