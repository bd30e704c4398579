/* Elements of arrays whose numbers come from memory, of several sizes and distances, by signed and unsigned numbers, in rows of
 * all lengths: lanes behind a row's end read nothing, neither a number nor an element, wherever the array lies.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { ROWS = 97, ELEMENTS = 1000, THREADS = 128 };

struct three {
    float x, y, z;
};

struct pair {
    double first;
    float second;
};

/* Numbers are counted from there: an array's first place lies far before its first element. */
constexpr long long FROM = 40000000;

static __host__ __device__ float value_of(float element)
{
    return element;
}

static __host__ __device__ double value_of(double element)
{
    return element;
}

static __host__ __device__ float value_of(const three &element)
{
    return element.y - element.z;
}

static __host__ __device__ double value_of(const pair &element)
{
    return element.first * element.second;
}

static __host__ __device__ float value_of(unsigned short element)
{
    return (float)element;
}

static __host__ __device__ double value_of(long long element)
{
    return (double)element;
}

/* A warp for each row: its lanes stride over it. */
template <class T, class N, class S>
__global__ void sum_rows(S *sums, const int *starts, const N *numbers, const T *elements, int rows)
{
    const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = (int)threadIdx.x % 32;
    if (row >= rows)
        return;
    S sum = 0;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
        sum += value_of(elements[(long long)numbers[i] - FROM]);
    sum += __shfl_xor_sync(~0u, sum, 1);
    sums[row * 32 + lane] = sum;
}

/* A thread for each number, of which every third and those behind a bound have nothing to do. */
template <class T, class N, class S>
__global__ void take(S *taken, const N *numbers, const T *elements, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    S value = 0;
    if (i < count && i % 3 != 1)
        value = value_of(elements[(long long)numbers[i] - FROM]);
    value += __shfl_xor_sync(~0u, value, 1);
    taken[i] = value;
}

static std::vector<int> starts_of_rows(void)
{
    std::vector<int> starts(1, 3);
    for (int i = 0; i < ROWS; i++)
        starts.push_back(starts.back() + i);
    return starts;
}

static void set(float &element, uint32_t word)
{
    element = (float)(word >> 20);
}

static void set(double &element, uint32_t word)
{
    element = (double)(word >> 12);
}

static void set(three &element, uint32_t word)
{
    element = three{-1, (float)(word >> 22), (float)(word & 1023)};
}

static void set(pair &element, uint32_t word)
{
    element = pair{(double)(word >> 16), (float)(word & 255)};
}

static void set(unsigned short &element, uint32_t word)
{
    element = (unsigned short)word;
}

static void set(long long &element, uint32_t word)
{
    element = (long long)word << 8;
}

template <class S> static std::vector<S> with_neighbours(const std::vector<S> &own)
{
    std::vector<S> sums(own);
    for (size_t i = 0; i < own.size(); i++)
        sums[i] += own[i ^ 1];
    return sums;
}

template <class T, class N, class S> static void check(const char *name)
{
    const std::vector<int> starts = starts_of_rows();
    const int count = starts.back();
    std::vector<N> numbers(count);
    std::vector<T> elements(ELEMENTS);
    const int threads = (count + THREADS - 1) / THREADS * THREADS;
    std::vector<S> sums(ROWS * 32), own(ROWS * 32), taken(threads), own_taken(threads);
    for (int i = 0; i < count; i++)
        numbers[i] = (N)(FROM + random_word(i) % ELEMENTS);
    for (int i = 0; i < ELEMENTS; i++)
        set(elements[i], random_word(i + 5000));
    for (int row = 0; row < ROWS; row++)
        for (int i = starts[row]; i < starts[row + 1]; i++)
            own[row * 32 + (i - starts[row]) % 32] += value_of(elements[numbers[i] - FROM]);
    for (int i = 0; i < count - 5; i++)
        if (i % 3 != 1)
            own_taken[i] = value_of(elements[numbers[i] - FROM]);
    device_array<int> dstarts(starts);
    device_array<N> dnumbers(numbers);
    device_array<T> delements(elements);
    device_array<S> dsums(sums), dtaken(taken);
    sum_rows<<<(ROWS * 32 + THREADS - 1) / THREADS, THREADS>>>(dsums.data, dstarts.data,
                                                               dnumbers.data, delements.data, ROWS);
    LAUNCHED();
    take<<<threads / THREADS, THREADS>>>(dtaken.data, dnumbers.data, delements.data, count - 5);
    LAUNCHED();
    sums = dsums.host();
    taken = dtaken.host();
    EXPECT(sums == with_neighbours(own));
    EXPECT(taken == with_neighbours(own_taken));
    result(name, sums);
    result(name, taken);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    check<float, int, float>("floats");
    check<float, unsigned, float>("floats_by_unsigned");
    check<double, int, double>("doubles");
    check<three, int, float>("threes");
    check<pair, unsigned, double>("pairs");
    check<unsigned short, int, float>("shorts");
    check<long long, int, double>("longs");
    return program_end();
}
