/* What the tests of memory share: blocks of every kind, patterns, a random sequence.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FACADE_MEMORY_SUPPORT_H
#define TESTS_FACADE_MEMORY_SUPPORT_H

#include <stdbool.h>
#include <string.h>

#include "tests/test.h"

#include <cuda_runtime.h>

#define KIB ((size_t)1024)
#define MIB ((size_t)1024 * 1024)
#define GIB ((size_t)1024 * 1024 * 1024)

#define assert_success(call) assert_int_equal((call), cudaSuccess)

/* The call fails with this code, which is then the last error once. */
#define assert_fails(code, call)                                                                   \
    do {                                                                                           \
        assert_int_equal((call), (code));                                                          \
        assert_int_equal(cudaGetLastError(), (code));                                              \
        assert_int_equal(cudaGetLastError(), cudaSuccess);                                         \
    } while (0)

static inline uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static inline size_t random_below(uint32_t *state, size_t limit)
{
    return next_random(state) % limit;
}

static inline void fill_random(unsigned char *bytes, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(next_random(&seed) >> 8);
}

enum block_kind { PAGEABLE, PINNED, REGISTERED, DEVICE, BLOCK_KINDS };

/* Memory of one kind. address is what copies are given. */
struct block {
    enum block_kind kind;
    unsigned char *address;
    size_t bytes;
};

static inline struct block make_block(enum block_kind kind, size_t bytes)
{
    struct block block = {kind, NULL, bytes};
    void *made = NULL;
    if (kind == DEVICE)
        assert_success(cudaMalloc(&made, bytes));
    else if (kind == PINNED)
        assert_success(cudaMallocHost(&made, bytes));
    else
        made = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    assert_non_null(made);
    if (kind == REGISTERED)
        assert_success(cudaHostRegister(made, bytes, cudaHostRegisterDefault));
    block.address = made;
    return block;
}

static inline void end_block(struct block *block)
{
    if (block->kind == DEVICE) {
        assert_success(cudaFree(block->address));
    } else if (block->kind == PINNED) {
        assert_success(cudaFreeHost(block->address));
    } else {
        if (block->kind == REGISTERED)
            assert_success(cudaHostUnregister(block->address));
        free(block->address);
    }
    block->address = NULL;
}

/* Contents by the linear copy alone, which has tests of its own. */
static inline void write_block(const struct block *block, const unsigned char *bytes)
{
    if (block->kind == DEVICE)
        assert_success(cudaMemcpy(block->address, bytes, block->bytes, cudaMemcpyHostToDevice));
    else
        memcpy(block->address, bytes, block->bytes);
}

static inline void read_block(const struct block *block, unsigned char *bytes)
{
    assert_success(cudaDeviceSynchronize());
    if (block->kind == DEVICE)
        assert_success(cudaMemcpy(bytes, block->address, block->bytes, cudaMemcpyDeviceToHost));
    else
        memcpy(bytes, block->address, block->bytes);
}

static inline enum cudaMemcpyKind kind_between(enum block_kind target, enum block_kind source)
{
    if (source == DEVICE)
        return target == DEVICE ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
    return target == DEVICE ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
}

#endif
