/* Pointers in device memory: a list linked across allocations, a tree built by a kernel, a table of rows, pointers to
 * pointers.
 * Pointers live in device memory here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

struct node {
    int value;
    node *next;
};

__global__ void sum_list(long long *out, const node *list)
{
    long long sum = 0;
    for (int place = 1; list; list = list->next, place++)
        sum += (long long)list->value * place;
    *out = sum;
}

__global__ void reverse_list(node **head)
{
    node *previous = NULL;
    for (node *n = *head; n;) {
        node *next = n->next;
        n->next = previous;
        previous = n;
        n = next;
    }
    *head = previous;
}

struct tree {
    unsigned key;
    tree *children[2];
};

/* Every thread inserts its node, all at once: a child is set only where there is none. */
__global__ void insert(tree *nodes, const unsigned *keys, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    tree *mine = &nodes[i + 1], *at = &nodes[0];
    mine->key = keys[i];
    __threadfence();
    while (at) {
        const int side = mine->key > at->key;
        at = (tree *)atomicCAS((unsigned long long *)&at->children[side], 0ull,
                               (unsigned long long)(size_t)mine);
        __threadfence(); /* what is read next was written before its fence */
    }
}

__global__ void depth_of(int *out, const tree *root, const unsigned *keys)
{
    const unsigned key = keys[threadIdx.x];
    int found = 0;
    for (const tree *t = root->children[key > root->key]; t; t = t->children[key > t->key])
        if (t->key == key) {
            found = 1;
            break;
        }
    out[threadIdx.x] = found;
}

__global__ void row_sums(float *out, float *const *rows, const int *lengths)
{
    float sum = 0;
    for (int i = 0; i < lengths[threadIdx.x]; i++)
        sum += rows[threadIdx.x][i];
    out[threadIdx.x] = sum;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    node *nodes[50], *head = NULL;
    long long forward = 0, backward = 0;
    for (int i = 49; i >= 0; i--) {
        const node n = {i * i, head};
        CUDA(cudaMalloc((void **)&nodes[i], sizeof(node)));
        CUDA(cudaMemcpy(nodes[i], &n, sizeof n, cudaMemcpyHostToDevice));
        head = nodes[i];
        forward += (long long)i * i * (i + 1), backward += (long long)i * i * (50 - i);
    }
    device_array<long long> sum(1);
    device_array<node *> dhead(std::vector<node *>(1, head));
    sum_list<<<1, 1>>>(sum.data, head);
    LAUNCHED();
    EXPECT(sum.host()[0] == forward);
    reverse_list<<<1, 1>>>(dhead.data);
    LAUNCHED();
    EXPECT(dhead.host()[0] == nodes[49]);
    sum_list<<<1, 1>>>(sum.data, dhead.host()[0]);
    LAUNCHED();
    EXPECT(sum.host()[0] == backward);
    for (node *n : nodes)
        CUDA(cudaFree(n));

    const int n = 500;
    const std::vector<unsigned> keys = random_words(n);
    std::vector<unsigned> asked(keys.begin(), keys.begin() + 64);
    for (int i = 0; i < 64; i += 2)
        asked[i] = random_word(100000 + i); /* not in the tree */
    device_array<tree> trees(n + 1);
    device_array<unsigned> dkeys(keys), dasked(asked);
    device_array<int> found(64);
    insert<<<(n + 127) / 128, 128>>>(trees.data, dkeys.data, n);
    depth_of<<<1, 64>>>(found.data, trees.data, dasked.data);
    LAUNCHED();
    const std::vector<int> is_found = found.host();
    for (int i = 0; i < 64; i++)
        EXPECT(is_found[i] == i % 2);

    std::vector<float *> rows(20);
    std::vector<int> lengths(20);
    for (int i = 0; i < 20; i++) {
        lengths[i] = i * 7 % 20 + 1;
        const std::vector<float> values(lengths[i], (float)i);
        CUDA(cudaMalloc((void **)&rows[i], lengths[i] * sizeof(float)));
        CUDA(
            cudaMemcpy(rows[i], values.data(), lengths[i] * sizeof(float), cudaMemcpyHostToDevice));
    }
    device_array<float *> drows(rows);
    device_array<int> dlengths(lengths);
    device_array<float> sums(20);
    row_sums<<<1, 20>>>(sums.data, drows.data, dlengths.data);
    LAUNCHED();
    const std::vector<float> got = sums.host();
    for (int i = 0; i < 20; i++) {
        EXPECT(got[i] == (float)(i * lengths[i]));
        CUDA(cudaFree(rows[i]));
    }
    return program_end();
}
