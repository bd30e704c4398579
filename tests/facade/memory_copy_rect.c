/* Tests of facade/memory/memory_copy_rect.c: rectangles and volumes against a three-loop reference.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/memory_support.h"

/* One end of a random volume: where it begins inside its block, and its distances. */
struct shape {
    size_t x, y, z, pitch, rows;
};

struct volume {
    struct shape source, target;
    struct cudaExtent extent;
};

static struct shape random_shape(struct cudaExtent extent, bool is_tight, uint32_t *random)
{
    struct shape shape = {0};
    if (!is_tight) {
        shape.x = random_below(random, 40);
        shape.y = random_below(random, 4);
        shape.z = random_below(random, 3);
    }
    shape.pitch = shape.x + extent.width + (is_tight ? 0 : random_below(random, 70));
    shape.rows = shape.y + extent.height + (is_tight ? 0 : random_below(random, 4));
    return shape;
}

static struct volume random_volume(uint32_t *random)
{
    static const size_t widths[] = {1, 3, 4, 16, 17, 64, 200, 255, 1000};
    struct volume volume;
    volume.extent.width = widths[random_below(random, sizeof widths / sizeof widths[0])];
    volume.extent.height = 1 + random_below(random, 20);
    volume.extent.depth = 1 + random_below(random, 5);
    volume.source = random_shape(volume.extent, next_random(random) % 4 == 0, random);
    volume.target = random_shape(volume.extent, next_random(random) % 4 == 0, random);
    return volume;
}

static size_t shape_bytes(const struct shape *shape, struct cudaExtent extent)
{
    return shape->pitch * shape->rows * (shape->z + extent.depth);
}

static size_t at(const struct shape *shape, size_t y, size_t z)
{
    return ((shape->z + z) * shape->rows + shape->y + y) * shape->pitch + shape->x;
}

static void copy_reference(unsigned char *target, const unsigned char *source,
                           const struct volume *volume)
{
    for (size_t z = 0; z < volume->extent.depth; z++) {
        for (size_t y = 0; y < volume->extent.height; y++) {
            for (size_t x = 0; x < volume->extent.width; x++)
                target[at(&volume->target, y, z) + x] = source[at(&volume->source, y, z) + x];
        }
    }
}

static struct cudaMemcpy3DParms make_parms(const struct volume *volume, const struct block *target,
                                           const struct block *source, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms p = {0};
    p.srcPtr = (struct cudaPitchedPtr){source->address, volume->source.pitch, volume->source.pitch,
                                       volume->source.rows};
    p.dstPtr = (struct cudaPitchedPtr){target->address, volume->target.pitch, volume->target.pitch,
                                       volume->target.rows};
    p.srcPos = (struct cudaPos){volume->source.x, volume->source.y, volume->source.z};
    p.dstPos = (struct cudaPos){volume->target.x, volume->target.y, volume->target.z};
    p.extent = volume->extent;
    p.kind = kind;
    return p;
}

static void copy_2d(const struct volume *volume, const struct block *target,
                    const struct block *source, enum cudaMemcpyKind kind, bool is_async)
{
    unsigned char *to = target->address + at(&volume->target, 0, 0);
    const unsigned char *from = source->address + at(&volume->source, 0, 0);
    size_t width = volume->extent.width, height = volume->extent.height;
    if (is_async)
        assert_success(cudaMemcpy2DAsync(to, volume->target.pitch, from, volume->source.pitch,
                                         width, height, kind, NULL));
    else
        assert_success(cudaMemcpy2D(to, volume->target.pitch, from, volume->source.pitch, width,
                                    height, kind));
}

/* form: 0 and 1 cudaMemcpy3D and its asynchronous form, 2 and 3 the same for 2D. */
static void copy_random(enum block_kind to, enum block_kind from, unsigned form, uint32_t *random)
{
    struct volume volume = random_volume(random);
    if (form >= 2)
        volume.extent.depth = 1;
    struct block source = make_block(from, shape_bytes(&volume.source, volume.extent));
    struct block target = make_block(to, shape_bytes(&volume.target, volume.extent));
    unsigned char *put = malloc(source.bytes), *wanted = malloc(target.bytes),
                  *got = malloc(target.bytes);
    enum cudaMemcpyKind kind =
        next_random(random) % 2 != 0 ? cudaMemcpyDefault : kind_between(to, from);
    fill_random(put, source.bytes, next_random(random) | 1);
    fill_random(wanted, target.bytes, next_random(random) | 1);
    write_block(&source, put);
    write_block(&target, wanted);
    copy_reference(wanted, put, &volume);
    const struct cudaMemcpy3DParms p = make_parms(&volume, &target, &source, kind);
    if (form >= 2)
        copy_2d(&volume, &target, &source, kind, form == 3);
    else
        assert_success(form == 1 ? cudaMemcpy3DAsync(&p, NULL) : cudaMemcpy3D(&p));
    read_block(&target, got);
    assert_memory_equal(got, wanted, target.bytes);
    end_block(&source);
    end_block(&target);
    free(put);
    free(wanted);
    free(got);
}

TEST_BODY(memory_copy_rect_random_volumes)
{
    uint32_t random = 23;
    for (int round = 0; round < 12; round++) {
        for (int to = 0; to < BLOCK_KINDS; to++) {
            for (int from = 0; from < BLOCK_KINDS; from++)
                copy_random((enum block_kind)to, (enum block_kind)from,
                            random_below(&random, 4) & 3, &random);
        }
    }
}

/* Rows long enough for every path that a planner may take. */
TEST_BODY(memory_copy_rect_large_rectangle)
{
    const struct volume volume = {.source = {.pitch = 5003, .rows = 700},
                                  .target = {.pitch = 4999, .rows = 700},
                                  .extent = {4096, 700, 1}};
    unsigned char *put = malloc(5003 * 700), *wanted = malloc(4999 * 700),
                  *got = malloc(4999 * 700);
    for (int to = 0; to < BLOCK_KINDS; to++) {
        for (int from = 0; from < BLOCK_KINDS; from++) {
            struct block target = make_block((enum block_kind)to, 4999 * 700);
            struct block source = make_block((enum block_kind)from, 5003 * 700);
            fill_random(put, source.bytes, 29);
            memset(wanted, 0xee, target.bytes);
            write_block(&source, put);
            write_block(&target, wanted);
            copy_reference(wanted, put, &volume);
            copy_2d(&volume, &target, &source, cudaMemcpyDefault, (to + from) % 2 != 0);
            read_block(&target, got);
            assert_memory_equal(got, wanted, target.bytes);
            end_block(&source);
            end_block(&target);
        }
    }
    free(put);
    free(wanted);
    free(got);
}

/* --- arguments -------------------------------------------------------------------------------- */

TEST_BODY(memory_copy_rect_2d_refuses_bad_arguments)
{
    struct block d = make_block(DEVICE, MIB), h = make_block(PAGEABLE, MIB);
    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice;
    assert_success(cudaMemcpy2D(d.address, 64, h.address, 64, 64, 16, kind));
    assert_fails(cudaErrorInvalidPitchValue,
                 cudaMemcpy2D(d.address, 63, h.address, 64, 64, 16, kind));
    assert_fails(cudaErrorInvalidPitchValue,
                 cudaMemcpy2D(d.address, 64, h.address, 63, 64, 16, kind));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy2D(NULL, 64, h.address, 64, 64, 16, kind));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy2D(d.address, 64, NULL, 64, 64, 16, kind));
    assert_fails(cudaErrorInvalidMemcpyDirection,
                 cudaMemcpy2D(d.address, 64, h.address, 64, 64, 16, (enum cudaMemcpyKind)9));
    assert_fails(cudaErrorInvalidPitchValue,
                 cudaMemcpy2D(NULL, 63, NULL, 63, 64, 16, (enum cudaMemcpyKind)9));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpy2D(d.address, 64, h.address, 64, 64, 16, cudaMemcpyDeviceToDevice));
    assert_success(cudaMemcpy2D(d.address, 64, h.address, 64, 64, 16, cudaMemcpyHostToHost));
    end_block(&d);
    end_block(&h);
}

TEST_BODY(memory_copy_rect_2d_of_nothing_looks_at_nothing)
{
    assert_success(cudaMemcpy2D(NULL, 0, NULL, 0, 0, 16, cudaMemcpyHostToDevice));
    assert_success(cudaMemcpy2D(NULL, 1, NULL, 1, 64, 0, (enum cudaMemcpyKind)9));
    assert_success(cudaMemcpy2DAsync(NULL, 1, NULL, 1, 64, 0, (enum cudaMemcpyKind)9, NULL));
}

/* The distance to a second row that is not there may be anything but a number too small for the
 * first. */
TEST_BODY(memory_copy_rect_2d_single_row)
{
    static const size_t pitches[] = {0, 64, (size_t)1 << 31, SIZE_MAX};
    struct block d = make_block(DEVICE, 256), h = make_block(PAGEABLE, 256);
    for (size_t i = 0; i < sizeof pitches / sizeof pitches[0]; i++) {
        unsigned char got[256];
        memset(h.address, (int)i + 1, 256);
        assert_success(cudaMemset(d.address, 0xee, 256));
        assert_success(cudaMemcpy2D(d.address, pitches[i], h.address, pitches[i], 64, 1,
                                    cudaMemcpyHostToDevice));
        read_block(&d, got);
        assert_int_equal(got[63], i + 1);
        assert_int_equal(got[64], 0xee);
    }
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpy2D(d.address, 63, h.address, 63, 64, 1, cudaMemcpyHostToDevice));
    end_block(&d);
    end_block(&h);
}

TEST_BODY(memory_copy_rect_2d_refuses_ranges_that_leave)
{
    struct block d = make_block(DEVICE, 64 * KIB), e = make_block(DEVICE, MIB);
    enum cudaMemcpyKind kind = cudaMemcpyDeviceToDevice;
    assert_success(cudaMemcpy2D(d.address, 1024, e.address, 1024, 1024, 64, kind));
    assert_success(cudaMemcpy2D(d.address + 512, 1024, e.address, 1024, 512, 64, kind));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpy2D(d.address, 1024, e.address, 1024, 1024, 65, kind));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpy2D(e.address, 1024, d.address, 1024, 1024, 65, kind));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpy2D(d.address, 64, e.address, 64, 64, SIZE_MAX, kind));
    end_block(&d);
    end_block(&e);
}

static struct block d, e, h;

static struct cudaMemcpy3DParms good(void)
{
    struct cudaMemcpy3DParms p = {0};
    p.srcPtr = (struct cudaPitchedPtr){h.address, 64, 64, 8};
    p.dstPtr = (struct cudaPitchedPtr){d.address, 64, 64, 8};
    p.extent = (struct cudaExtent){32, 4, 3};
    p.kind = cudaMemcpyHostToDevice;
    return p;
}

static void make_blocks(void)
{
    d = make_block(DEVICE, 64 * KIB);
    e = make_block(DEVICE, 64 * KIB);
    h = make_block(PAGEABLE, MIB);
}

static void end_blocks(void)
{
    end_block(&d);
    end_block(&e);
    end_block(&h);
}

#define SPOILED(code, ...)                                                                         \
    do {                                                                                           \
        struct cudaMemcpy3DParms p = good();                                                       \
        __VA_ARGS__;                                                                               \
        assert_int_equal(cudaMemcpy3D(&p), (code));                                                \
        assert_int_equal(cudaGetLastError(), (code));                                              \
    } while (0)

TEST_BODY(memory_copy_rect_3d_refuses_bad_arguments)
{
    make_blocks();
    SPOILED(cudaSuccess, (void)0);
    SPOILED(cudaErrorInvalidValue, p.srcPtr.ptr = NULL);
    SPOILED(cudaErrorInvalidValue, p.dstPtr.ptr = NULL);
    SPOILED(cudaErrorInvalidPitchValue, p.srcPtr.pitch = 31);
    SPOILED(cudaErrorInvalidPitchValue, p.dstPtr.pitch = 31);
    SPOILED(cudaErrorInvalidPitchValue, p.srcPtr.ysize = 3);
    SPOILED(cudaErrorInvalidPitchValue, p.dstPtr.ysize = 0);
    SPOILED(cudaSuccess, p.srcPtr.xsize = 0);
    SPOILED(cudaErrorInvalidValue, p.srcPos.x = 33);
    SPOILED(cudaSuccess, p.srcPos.x = 32);
    SPOILED(cudaErrorInvalidValue, p.dstPos.y = 5);
    SPOILED(cudaErrorInvalidValue, p.dstPos.x = SIZE_MAX);
    SPOILED(cudaErrorInvalidMemcpyDirection, p.srcPtr.ptr = NULL; p.kind = (enum cudaMemcpyKind)9);
    SPOILED(cudaErrorInvalidValue, p.srcPtr.ptr = NULL; p.srcPtr.pitch = 31);
    SPOILED(cudaErrorInvalidValue, p.kind = cudaMemcpyDeviceToHost);
    SPOILED(cudaSuccess, p.extent.depth = 0; p.kind = (enum cudaMemcpyKind)9);
    SPOILED(cudaErrorInvalidValue, p.dstPos.z = 1000);
    SPOILED(cudaErrorInvalidValue, p.extent.depth = 1000);
    SPOILED(cudaErrorInvalidMemcpyDirection, p.kind = (enum cudaMemcpyKind)9);
    SPOILED(cudaErrorInvalidValue, p.srcArray = (cudaArray_t)(uintptr_t)16);
    SPOILED(cudaSuccess, p.extent.width = 0);
    SPOILED(cudaSuccess, p.extent.height = 0);
    SPOILED(cudaSuccess, p.extent.depth = 0);
    assert_fails(cudaErrorInvalidValue, cudaMemcpy3D(NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy3DAsync(NULL, NULL));
    end_blocks();
}

/* A position may not reach a neighbour, wherever that lies. */
TEST_BODY(memory_copy_rect_3d_stays_in_the_allocation)
{
    make_blocks();
    struct block *lower = d.address < e.address ? &d : &e, *upper = lower == &d ? &e : &d;
    struct cudaMemcpy3DParms p = good();
    p.dstPtr = (struct cudaPitchedPtr){lower->address, 64, 64, 1};
    p.extent = (struct cudaExtent){32, 1, 1};
    p.dstPos.z = lower->bytes / 64 - 1;
    assert_success(cudaMemcpy3D(&p));
    p.dstPos.z = (size_t)(upper->address - lower->address) / 64;
    assert_fails(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    end_blocks();
}

TEST_BODY(memory_copy_rect_3d_peer)
{
    unsigned char put[64 * 1024], got[64 * 1024];
    struct cudaMemcpy3DPeerParms p = {0};
    make_blocks();
    fill_random(put, sizeof put, 31);
    write_block(&e, put);
    assert_success(cudaMemset(d.address, 0, d.bytes));
    p.srcPtr = (struct cudaPitchedPtr){e.address, 64, 64, 8};
    p.dstPtr = (struct cudaPitchedPtr){d.address, 100, 100, 5};
    p.extent = (struct cudaExtent){32, 4, 3};
    assert_success(cudaMemcpy3DPeer(&p));
    read_block(&d, got);
    assert_memory_equal(got + 2 * 500 + 3 * 100, put + 2 * 512 + 3 * 64, 32);
    assert_int_equal(got[2 * 500 + 3 * 100 + 32], 0);
    assert_success(cudaMemcpy3DPeerAsync(&p, NULL));
    p.srcDevice = -1;
    assert_fails(cudaErrorInvalidDevice, cudaMemcpy3DPeer(&p));
    p.srcDevice = 0;
    p.dstDevice = 1000;
    assert_fails(cudaErrorInvalidDevice, cudaMemcpy3DPeerAsync(&p, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy3DPeer(NULL));
    end_blocks();
}
