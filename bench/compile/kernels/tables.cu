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

// Elements that pass are packed: one atomic operation for each warp.
extern "C" __global__ void filter_by_warps(const int *in, int *out, int *count, int n, int least)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    const bool passes = i < n && in[i] > least;
    const unsigned those = __ballot_sync(0xffffffffu, passes);
    const int leader = __ffs(those) - 1;
    int base = 0;
    if (lane == leader)
        base = atomicAdd(count, __popc(those));
    base = __shfl_sync(0xffffffffu, base, leader < 0 ? 0 : leader);
    if (passes)
        out[base + __popc(those & ((1u << lane) - 1))] = in[i];
}

// Open addressing by compare and swap.
extern "C" __global__ void hash_insert(unsigned long long *table, const unsigned *keys, const unsigned *values, unsigned n, unsigned mask)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned key = keys[i] + 1;
    unsigned slot = key;
    slot ^= slot >> 16;
    slot *= 0x85ebca6b;
    slot ^= slot >> 13;
    slot *= 0xc2b2ae35;
    slot ^= slot >> 16;
    const unsigned long long pair = (unsigned long long)key << 32 | values[i];
    for (unsigned turns = 0; turns <= mask; turns++) {
        slot &= mask;
        const unsigned long long before = atomicCAS(&table[slot], 0ull, pair);
        if (before == 0 || (unsigned)(before >> 32) == key) {
            if (before != 0)
                atomicExch(&table[slot], pair);
            return;
        }
        slot++;
    }
}

struct node {
    int start, edges;
};

extern "C" __global__ void breadth_first(const node *nodes, const int *edges, bool *is_in_front, bool *is_next, const bool *is_visited,
                                         int *cost, int n)
{
    const int t = blockIdx.x * 512 + threadIdx.x;
    if (t < n && is_in_front[t]) {
        is_in_front[t] = false;
        for (int i = nodes[t].start; i < nodes[t].edges + nodes[t].start; i++) {
            const int to = edges[i];
            if (!is_visited[to]) {
                cost[to] = cost[t] + 1;
                is_next[to] = true;
            }
        }
    }
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

// Forward through a layer: weights by inputs, summed along y.
extern "C" __global__ void layer_forward(const float *input, float *weights, float *sums, int hidden)
{
    enum { SIDE = 16 };
    __shared__ float node[SIDE], product[SIDE][SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int at = (hidden + 1) * SIDE * blockIdx.y + (hidden + 1) * ty + tx + 1 + hidden + 1;
    if (tx == 0)
        node[ty] = input[SIDE * blockIdx.y + ty + 1];
    __syncthreads();
    product[ty][tx] = weights[at];
    __syncthreads();
    product[ty][tx] *= node[ty];
    __syncthreads();
    for (int i = 1; i <= __log2f(SIDE); i++) {
        const int by = (int)__powf(2, i);
        if (ty % by == 0)
            product[ty][tx] += product[ty + by / 2][tx];
        __syncthreads();
    }
    weights[at] = product[ty][tx];
    __syncthreads();
    if (tx == 0)
        sums[blockIdx.y * hidden + ty] = product[tx][ty];
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
