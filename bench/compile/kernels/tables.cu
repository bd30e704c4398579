// Counting, tables, graphs, texts and learning: where threads go where their data says.
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void histogram_shared(const unsigned *words, unsigned *bins, int n)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned word = words[i];
        atomicAdd(&own[word & 255], 1);
        atomicAdd(&own[word >> 8 & 255], 1);
        atomicAdd(&own[word >> 16 & 255], 1);
        atomicAdd(&own[word >> 24], 1);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// Elements that pass are packed in their order: places from votes in each warp and a scan by shuffles among the warps.
extern "C" __global__ void compact(const int *in, int *out, int *count, int n, int least)
{
    __shared__ int of_warp[32];
    __shared__ int base;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int start = blockIdx.x * blockDim.x; start < n; start += gridDim.x * blockDim.x) {
        const int i = start + threadIdx.x;
        const bool passes = i < n && in[i] > least;
        const unsigned those = __ballot_sync(0xffffffffu, passes);
        if (lane == 0)
            of_warp[warp] = __popc(those);
        __syncthreads();
        if (warp == 0) {
            const int own = lane < (int)blockDim.x / 32 ? of_warp[lane] : 0;
            int sum = own;
#pragma unroll
            for (int offset = 1; offset < 32; offset *= 2) {
                const int below = __shfl_up_sync(0xffffffffu, sum, offset);
                if (lane >= offset)
                    sum += below;
            }
            of_warp[lane] = sum - own;
            if (lane == 31)
                base = atomicAdd(count, sum);
        }
        __syncthreads();
        if (passes)
            out[base + of_warp[warp] + __popc(those & ((1u << lane) - 1))] = in[i];
        __syncthreads();
    }
}

// A table of buckets of 32 places: a warp inserts the pairs of its lanes one after the other, looking at a whole bucket at once.
extern "C" __global__ void hash_insert(unsigned long long *table, const unsigned *keys, const unsigned *values, unsigned n,
                                       unsigned buckets, int *failed)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    unsigned long long own = 0;
    bool is_waiting = i < n;
    if (is_waiting)
        own = (unsigned long long)(keys[i] + 1) << 32 | values[i];
    unsigned work;
    while ((work = __ballot_sync(0xffffffffu, is_waiting)) != 0) {
        const int source = __ffs(work) - 1;
        const unsigned long long pair = __shfl_sync(0xffffffffu, own, source);
        unsigned slot = (unsigned)(pair >> 32);
        slot ^= slot >> 16;
        slot *= 0x85ebca6b;
        slot ^= slot >> 13;
        bool is_done = false;
        for (unsigned turn = 0; turn < buckets && !is_done; turn++) {
            unsigned long long *const place = &table[(slot + turn) % buckets * 32 + lane];
            const unsigned long long before = *place;
            const unsigned same = __ballot_sync(0xffffffffu, before >> 32 == pair >> 32);
            if (same != 0) {
                if ((int)lane == __ffs(same) - 1)
                    atomicExch(place, pair);
                is_done = true;
            }
            unsigned empty = __ballot_sync(0xffffffffu, before == 0);
            while (!is_done && empty != 0) {
                const int chosen = __ffs(empty) - 1;
                bool has_it = false;
                if ((int)lane == chosen)
                    has_it = atomicCAS(place, 0ull, pair) == 0;
                is_done = __any_sync(0xffffffffu, has_it);
                empty &= empty - 1;
            }
        }
        if ((int)lane == source) {
            is_waiting = false;
            if (!is_done)
                atomicAdd(failed, 1);
        }
    }
}

// One level of a search: neighbours are collected in shared memory, then put into the next front, a place for each by a scan.
extern "C" __global__ void breadth_first(const int *starts, const int *edges, const int *front, int front_length, int *next,
                                         int *next_length, int *level, int now)
{
    enum { BLOCK = 256, ROOM = 1024 };
    __shared__ int found[ROOM], of_warp[BLOCK / 32];
    __shared__ int count, base;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    int own = 0;
    if (i < front_length) {
        const int from = front[i];
        for (int j = starts[from]; j < starts[from + 1]; j++) {
            const int to = edges[j];
            if (atomicCAS(&level[to], -1, now + 1) == -1) {
                const int at = atomicAdd(&count, 1);
                if (at < ROOM)
                    found[at] = to;
                else
                    next[atomicAdd(next_length, 1)] = to;
                own++;
            }
        }
    }
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const int below = __shfl_up_sync(0xffffffffu, own, offset);
        if (lane >= offset)
            own += below;
    }
    if (lane == 31)
        of_warp[warp] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        int all = 0;
        for (int w = 0; w < BLOCK / 32; w++)
            all += of_warp[w];
        all = min(all, (int)ROOM);
        base = all > 0 ? atomicAdd(next_length, all) : 0;
    }
    __syncthreads();
    for (int at = threadIdx.x; at < min(count, (int)ROOM); at += BLOCK)
        next[base + at] = found[at];
}

// One tile of all shortest paths, in shared memory.
extern "C" __global__ void floyd_warshall(int *distance, int n, int tile)
{
    enum { SIDE = 16 };
    __shared__ int near[SIDE][SIDE], row[SIDE][SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * SIDE + tx, y = tile * SIDE + ty;
    const bool is_inside = x < n && y < n;
    near[ty][tx] = tile * SIDE + tx < n && y < n ? distance[y * n + tile * SIDE + tx] : 1 << 29;
    int least = is_inside ? distance[y * n + x] : 1 << 29;
    row[ty][tx] = least;
    __syncthreads();
    for (int k = 0; k < SIDE; k++) {
        const int by = near[ty][k] + row[k][tx];
        if (by < least)
            least = by;
        __syncthreads();
        row[ty][tx] = least;
        __syncthreads();
    }
    if (is_inside)
        distance[y * n + x] = least;
}

// The nearest of some centres for each point.
extern "C" __global__ void kmeans(const float *features, const float *centres, int *member, int points, int count, int dimensions)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points)
        return;
    int nearest = -1;
    float least = 3.4e38f;
    for (int c = 0; c < count; c++) {
        float far = 0;
        for (int d = 0; d < dimensions; d++) {
            const float by = features[d * points + i] - centres[c * dimensions + d];
            far += by * by;
        }
        if (far < least) {
            least = far;
            nearest = c;
        }
    }
    member[i] = nearest;
}

template <bool is_maximum> __device__ inline float of_block(float x, float *room)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        const float other = __shfl_xor_sync(0xffffffffu, x, offset);
        x = is_maximum ? fmaxf(x, other) : x + other;
    }
    __syncthreads();
    if (lane == 0)
        room[warp] = x;
    __syncthreads();
    x = lane < warps ? room[lane] : is_maximum ? -3.4e38f : 0;
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        const float other = __shfl_xor_sync(0xffffffffu, x, offset);
        x = is_maximum ? fmaxf(x, other) : x + other;
    }
    return x;
}

// A row for each block: normed by mean and variance, scaled, and its softmax.
extern "C" __global__ void softmax_rows(const float *in, const float *scale, const float *shift, float *out, int columns)
{
    __shared__ float room[32];
    const float *row = in + blockIdx.x * columns;
    float sum = 0, square = 0, most = -3.4e38f, all = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += row[i];
    const float mean = of_block<false>(sum, room) / columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        square += (row[i] - mean) * (row[i] - mean);
    const float factor = rsqrtf(of_block<false>(square, room) / columns + 1e-5f);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        most = fmaxf(most, (row[i] - mean) * factor * scale[i] + shift[i]);
    most = of_block<true>(most, room);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        all += expf((row[i] - mean) * factor * scale[i] + shift[i] - most);
    all = of_block<false>(all, room);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[blockIdx.x * columns + i] = expf((row[i] - mean) * factor * scale[i] + shift[i] - most) / all;
}

// Where a word of up to 32 bytes stands in a text, by a table of skips in shared memory.
extern "C" __global__ void string_search(const char *text, int length, const char *word, int word_length, int *found, int each)
{
    __shared__ int skip[256];
    __shared__ char own[32];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        skip[i] = word_length;
    if ((int)threadIdx.x < word_length)
        own[threadIdx.x] = word[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < word_length - 1; i++)
            skip[(unsigned char)own[i]] = word_length - 1 - i;
    __syncthreads();
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * each, end = min(first + each, length - word_length + 1);
    for (int at = first; at < end;) {
        int j = word_length - 1;
        while (j >= 0 && text[at + j] == own[j])
            j--;
        if (j < 0) {
            found[atomicAdd(found, 1) + 1] = at;
            at++;
        } else {
            at += skip[(unsigned char)text[at + word_length - 1]];
        }
    }
}
