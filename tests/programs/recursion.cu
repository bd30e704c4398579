/* Recursive device functions: values that outlive calls, addresses of a caller's variables, functions that call each other,
 * barriers on the way down, and one that never ends, whose launch fails.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { THREADS = 40, STACK_BYTES = 8192 };

__device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void nested_results(int *out)
{
    out[threadIdx.x] = ackermann(2, (int)threadIdx.x);
}

__device__ __noinline__ double fibonacci(int n, double scale, bool is_twice)
{
    if (n < 2)
        return n * scale * (is_twice ? 2 : 1);
    const double less = fibonacci(n - 1, scale, is_twice);
    return (is_twice ? less : less * 1) + fibonacci(n - 2, scale, is_twice);
}

__global__ void sums(double *out)
{
    out[threadIdx.x] = fibonacci((int)threadIdx.x % 12, 0.5, threadIdx.x % 2 == 0);
}

/* Each level has an array of its own, and reads and writes that of the level above. */
struct pair {
    int first, second;
};

__host__ __device__ __noinline__ pair gather(int *above, int depth, pair given)
{
    int own[4];
    for (int i = 0; i < 4; i++)
        own[i] = above[i] + depth * i;
    pair found = {own[depth % 4], given.second + 1};
    if (depth > 0) {
        const pair below = gather(own, depth - 1, pair{given.first * 3 + depth, given.second});
        found.first += below.first + own[(depth + 1) % 4];
        found.second += below.second;
    } else {
        found.first += given.first;
    }
    above[depth % 4] += own[0] + 1;
    return found;
}

__global__ void gathers(pair *out)
{
    int top[4] = {(int)threadIdx.x, 1, 2, 3};
    const pair found = gather(top, (int)threadIdx.x % 9, pair{(int)threadIdx.x, 5});
    out[threadIdx.x] = pair{found.first + 7 * top[threadIdx.x % 4], found.second};
}

/* Two that call each other. */
__device__ int odd(int n, int *steps);

__device__ __noinline__ int even(int n, int *steps)
{
    const int before = (*steps)++;
    return n == 0 ? 1 : odd(n - 1, steps) + 0 * before;
}

__device__ __noinline__ int odd(int n, int *steps)
{
    const int before = (*steps)++;
    return n == 0 ? 0 : even(n - 1, steps) + before - before;
}

__global__ void mutual(int *out)
{
    int steps = 0;
    const int is_even = even((int)threadIdx.x, &steps);
    out[threadIdx.x] = 2 * steps + is_even;
}

/* A sort in place, by parts. */
__device__ void sort(int *data, int first, int last)
{
    if (first >= last)
        return;
    const int pivot = data[(first + last) / 2];
    int i = first, j = last;
    while (i <= j) {
        while (data[i] < pivot)
            i++;
        while (data[j] > pivot)
            j--;
        if (i <= j) {
            const int kept = data[i];
            data[i++] = data[j];
            data[j--] = kept;
        }
    }
    sort(data, first, j);
    sort(data, i, last);
}

__global__ void sort_each(int *data, int n)
{
    sort(data + (int)threadIdx.x * n, 0, n - 1);
}

/* Halves of a block's sum, with a barrier at each level. */
__device__ __noinline__ int reduce(int *room, int width)
{
    const int i = (int)threadIdx.x;
    __syncthreads();
    if (width == 0)
        return room[0];
    if (i < width)
        room[i] += room[i + width];
    const int total = reduce(room, width / 2);
    return total + 0 * width;
}

__global__ void reduces(int *out)
{
    __shared__ int room[64];
    room[threadIdx.x] = (int)threadIdx.x + 1;
    out[threadIdx.x] = reduce(room, 32);
}

__device__ __noinline__ int endless(int n, int *out)
{
    out[0] = n;
    const int found = n < 0 ? 0 : endless(n + 1, out);
    return found + n;
}

__global__ void never_ends(int *out)
{
    out[1] = endless(0, out);
}

static void check_values(void)
{
    device_array<int> out(THREADS);
    std::vector<int> expected;
    nested_results<<<1, 4>>>(out.data);
    LAUNCHED();
    const std::vector<int> results = out.host();
    EXPECT(results[0] == 3 && results[1] == 5 && results[2] == 7 && results[3] == 9);

    device_array<double> numbers(THREADS);
    sums<<<1, THREADS>>>(numbers.data);
    LAUNCHED();
    const double values[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    for (int i = 0; i < THREADS; i++)
        EXPECT(numbers.host()[i] == values[i % 12] * (i % 2 == 0 ? 1 : 0.5));

    mutual<<<1, THREADS>>>(out.data);
    LAUNCHED();
    for (int i = 0; i < THREADS; i++)
        expected.push_back(2 * (i + 1) + (i % 2 == 0));
    EXPECT(out.host() == expected);
}

static void check_variables(void)
{
    device_array<pair> out(THREADS);
    gathers<<<1, THREADS>>>(out.data);
    LAUNCHED();
    const std::vector<pair> got = out.host();
    for (int i = 0; i < THREADS; i++) {
        int top[4] = {i, 1, 2, 3};
        const pair found = gather(top, i % 9, pair{i, 5});
        EXPECT(got[i].first == found.first + 7 * top[i % 4] && got[i].second == found.second);
    }
}

static void check_sorts(void)
{
    enum { N = 50 };
    std::vector<int> numbers(THREADS * N);
    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = (int)(random_word(i) % 100);
    device_array<int> data(numbers);
    sort_each<<<1, THREADS>>>(data.data, N);
    LAUNCHED();
    const std::vector<int> sorted = data.host();
    for (int t = 0; t < THREADS; t++) {
        long before = 0, after = 0;
        for (int i = 0; i < N; i++) {
            before += numbers[t * N + i] * numbers[t * N + i];
            after += sorted[t * N + i] * sorted[t * N + i];
            EXPECT(i == 0 || sorted[t * N + i - 1] <= sorted[t * N + i]);
        }
        EXPECT(before == after);
    }

    device_array<int> out(64);
    reduces<<<1, 64>>>(out.data);
    LAUNCHED();
    EXPECT(out.host() == std::vector<int>(64, 64 * 65 / 2));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, STACK_BYTES));
    check_values();
    check_variables();
    check_sorts();
    device_array<int> out(2);
    never_ends<<<1, 1>>>(out.data);
    EXPECT(cudaDeviceSynchronize() != cudaSuccess);
    return program_end();
}
