/* Functions with an ellipsis, which templates of both sides choose by.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

template <class T> struct has_length {
    struct no {
        char bytes[2];
    };
    template <class U> static __host__ __device__ char test(decltype(((U *)0)->length()) *);
    template <class U> static __host__ __device__ no test(...);
    enum { value = sizeof(test<T>(0)) == sizeof(char) };
};

struct rope {
    __host__ __device__ int length() const
    {
        return 5;
    }
};
struct knot {
};

template <class T, bool has> struct length_of {
    static __host__ __device__ int get(const T &)
    {
        return -1;
    }
};
template <class T> struct length_of<T, true> {
    static __host__ __device__ int get(const T &thing)
    {
        return thing.length();
    }
};

template <class T> __host__ __device__ int length(const T &thing)
{
    return length_of<T, has_length<T>::value>::get(thing);
}

__global__ void measure(int *lengths)
{
    lengths[0] = length(rope());
    lengths[1] = length(knot());
}

int main(int argc, char **argv)
{
    program_begin(argc, argv);
    device_array<int> lengths(2);
    measure<<<1, 1>>>(lengths.data);
    LAUNCHED();
    const std::vector<int> found = lengths.host();
    EXPECT(found[0] == length(rope()) && found[0] == 5);
    EXPECT(found[1] == length(knot()) && found[1] == -1);
    result("lengths", found);
    return program_end();
}
