/* Tests of copies to, from and between arrays: every form against loops over a model.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/memory_support.h"
#include "tests/facade/runtime_support.h"

/* An array and what it should hold, without gaps. Sizes of the model are at least 1. */
struct image {
    cudaArray_t array;
    size_t width, height, depth, element; /* elements, rows, slices, bytes */
    unsigned char *model;
};

static size_t row_of(const struct image *image)
{
    return image->width * image->element;
}

static size_t bytes_of(const struct image *image)
{
    return row_of(image) * image->height * image->depth;
}

static unsigned char *model_at(const struct image *image, size_t x, size_t y, size_t z)
{
    return image->model + (z * image->height + y) * row_of(image) + x;
}

static struct cudaChannelFormatDesc desc_of(size_t element)
{
    const int bits = element >= 4 ? (int)(element >= 8 ? 32 : 8) : (int)element * 8;
    switch (element) {
    case 4:
        return cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
    case 8:
        return cudaCreateChannelDesc(bits, bits, 0, 0, cudaChannelFormatKindFloat);
    case 16:
        return cudaCreateChannelDesc(bits, bits, bits, bits, cudaChannelFormatKindSigned);
    default:
        return cudaCreateChannelDesc(bits, 0, 0, 0, cudaChannelFormatKindUnsigned);
    }
}

static size_t one_or(size_t size)
{
    return size > 0 ? size : 1;
}

/* The whole of an array, by the plain form of the volume copy. */
static void move_all(const struct image *image, void *memory, bool is_read)
{
    struct cudaMemcpy3DParms p = {0};
    const struct cudaPitchedPtr pointer = {memory, row_of(image), image->width, image->height};
    if (is_read) {
        p.srcArray = image->array;
        p.dstPtr = pointer;
    } else {
        p.srcPtr = pointer;
        p.dstArray = image->array;
    }
    p.extent = (struct cudaExtent){image->width, image->height, image->depth};
    p.kind = cudaMemcpyDefault;
    assert_success(cudaMemcpy3D(&p));
}

static struct image make_image(struct cudaExtent extent, size_t element, unsigned flags,
                               uint32_t seed)
{
    const struct cudaChannelFormatDesc desc = desc_of(element);
    struct image image = {.width = extent.width,
                          .height = one_or(extent.height),
                          .depth = one_or(extent.depth),
                          .element = element};
    assert_success(cudaMalloc3DArray(&image.array, &desc, extent, flags));
    image.model = malloc(bytes_of(&image));
    assert_non_null(image.model);
    fill_random(image.model, bytes_of(&image), seed | 1);
    move_all(&image, image.model, false);
    return image;
}

static void check_image(const struct image *image)
{
    unsigned char *seen = calloc(1, bytes_of(image));
    assert_non_null(seen);
    assert_success(cudaDeviceSynchronize());
    move_all(image, seen, true);
    assert_memory_equal(seen, image->model, bytes_of(image));
    free(seen);
}

static void end_image(struct image *image)
{
    assert_success(cudaFreeArray(image->array));
    free(image->model);
}

/* Shapes of every kind. */
static struct image random_image(size_t element, uint32_t *random)
{
    static const unsigned flags[] = {0, 0, 0, cudaArrayLayered, cudaArrayLayered, cudaArrayCubemap};
    const size_t kind = random_below(random, 6);
    struct cudaExtent extent = {1 + random_below(random, 80), 1 + random_below(random, 12),
                                1 + random_below(random, 5)};
    if (kind == 0 || kind == 3)
        extent.height = 0;
    if (kind <= 1)
        extent.depth = 0;
    if (kind == 5)
        extent = (struct cudaExtent){extent.height, extent.height, 6};
    return make_image(extent, element, flags[kind], next_random(random));
}

/* --- boxes ------------------------------------------------------------------------------------ */

struct box {
    struct cudaPos at;
    struct cudaExtent extent;
};

static void random_span(size_t *at, size_t *size, size_t bound, uint32_t *random)
{
    *at = random_below(random, bound);
    *size = 1 + random_below(random, bound - *at);
}

static struct box random_box(const struct image *image, uint32_t *random)
{
    struct box box;
    random_span(&box.at.x, &box.extent.width, image->width, random);
    random_span(&box.at.y, &box.extent.height, image->height, random);
    random_span(&box.at.z, &box.extent.depth, image->depth, random);
    return box;
}

/* Memory of some kind with rows and slices that are larger than the box, and a model of it. */
struct box_memory {
    struct block block;
    struct cudaPitchedPtr pointer;
    struct cudaPos at; /* bytes, rows, slices */
    unsigned char *model;
};

static struct box_memory make_memory(enum block_kind kind, struct cudaExtent extent, size_t element,
                                     uint32_t *random)
{
    struct box_memory made = {0};
    made.at = (struct cudaPos){random_below(random, 8) * element, random_below(random, 3),
                               random_below(random, 3)};
    const size_t pitch = made.at.x + extent.width * element + random_below(random, 40);
    const size_t rows = made.at.y + extent.height + random_below(random, 3);
    made.block = make_block(kind, pitch * rows * (made.at.z + extent.depth));
    made.pointer = (struct cudaPitchedPtr){made.block.address, pitch, pitch, rows};
    made.model = malloc(made.block.bytes);
    assert_non_null(made.model);
    fill_random(made.model, made.block.bytes, next_random(random) | 1);
    write_block(&made.block, made.model);
    return made;
}

static unsigned char *memory_at(const struct box_memory *memory, size_t y, size_t z)
{
    return memory->model +
           ((memory->at.z + z) * memory->pointer.ysize + memory->at.y + y) * memory->pointer.pitch +
           memory->at.x;
}

static void check_memory(const struct box_memory *memory)
{
    unsigned char *seen = malloc(memory->block.bytes);
    assert_non_null(seen);
    read_block(&memory->block, seen);
    assert_memory_equal(seen, memory->model, memory->block.bytes);
    free(seen);
}

static void end_memory(struct box_memory *memory)
{
    end_block(&memory->block);
    free(memory->model);
}

/* Between an array and memory: rows of the models. */
static void model_box(const struct image *image, const struct box *box,
                      const struct box_memory *memory, bool to_array)
{
    for (size_t z = 0; z < box->extent.depth; z++) {
        for (size_t y = 0; y < box->extent.height; y++) {
            unsigned char *in_array =
                model_at(image, box->at.x * image->element, box->at.y + y, box->at.z + z);
            unsigned char *in_memory = memory_at(memory, y, z);
            memcpy(to_array ? in_array : in_memory, to_array ? in_memory : in_array,
                   box->extent.width * image->element);
        }
    }
}

static void copy_box(const struct image *image, const struct box *box,
                     const struct box_memory *memory, bool to_array, bool is_async)
{
    struct cudaMemcpy3DParms p = {0};
    const struct cudaPos at = {memory->at.x / image->element, memory->at.y, memory->at.z};
    p.extent = box->extent;
    p.kind = to_array ? kind_between(DEVICE, memory->block.kind)
                      : kind_between(memory->block.kind, DEVICE);
    if (to_array) {
        p.srcPtr = memory->pointer;
        p.srcPos = at;
        p.dstArray = image->array;
        p.dstPos = box->at;
    } else {
        p.srcArray = image->array;
        p.srcPos = box->at;
        p.dstPtr = memory->pointer;
        p.dstPos = at;
    }
    assert_success(is_async ? cudaMemcpy3DAsync(&p, NULL) : cudaMemcpy3D(&p));
}

static void try_box(enum block_kind kind, bool to_array, size_t element, uint32_t *random)
{
    struct image image = random_image(element, random);
    const struct box box = random_box(&image, random);
    struct box_memory memory = make_memory(kind, box.extent, element, random);
    copy_box(&image, &box, &memory, to_array, next_random(random) % 2 != 0);
    model_box(&image, &box, &memory, to_array);
    check_image(&image);
    check_memory(&memory);
    end_memory(&memory);
    end_image(&image);
}

TEST_BODY(memory_array_copy_random_boxes)
{
    static const size_t elements[] = {1, 2, 4, 8, 16};
    uint32_t random = 41;
    for (int round = 0; round < 12; round++)
        for (int kind = 0; kind < BLOCK_KINDS; kind++)
            for (int to_array = 0; to_array < 2; to_array++)
                try_box((enum block_kind)kind, to_array != 0, elements[random_below(&random, 5)],
                        &random);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void try_between(size_t element, uint32_t *random)
{
    struct image source = random_image(element, random), target = random_image(element, random);
    struct box from = random_box(&source, random), to = random_box(&target, random);
    struct cudaMemcpy3DParms p = {0};
    p.srcArray = source.array;
    p.srcPos = from.at;
    p.dstArray = target.array;
    p.dstPos = to.at;
    p.extent = (struct cudaExtent){smaller(from.extent.width, to.extent.width),
                                   smaller(from.extent.height, to.extent.height),
                                   smaller(from.extent.depth, to.extent.depth)};
    p.kind = next_random(random) % 2 != 0 ? cudaMemcpyDefault : cudaMemcpyDeviceToDevice;
    assert_success(cudaMemcpy3D(&p));
    for (size_t z = 0; z < p.extent.depth; z++)
        for (size_t y = 0; y < p.extent.height; y++)
            memcpy(model_at(&target, to.at.x * element, to.at.y + y, to.at.z + z),
                   model_at(&source, from.at.x * element, from.at.y + y, from.at.z + z),
                   p.extent.width * element);
    check_image(&target);
    check_image(&source);
    end_image(&source);
    end_image(&target);
}

TEST_BODY(memory_array_copy_random_boxes_between_arrays)
{
    static const size_t elements[] = {1, 2, 4, 8, 16};
    uint32_t random = 43;
    for (int round = 0; round < 60; round++)
        try_between(elements[random_below(&random, 5)], &random);
}

/* Each level is an array of its own, and no copy reaches into another one. */
TEST_BODY(memory_array_copy_levels)
{
    enum { LEVELS = 5 };
    const struct cudaExtent extent = {20, 17, 3};
    const struct cudaChannelFormatDesc desc = desc_of(4);
    cudaMipmappedArray_t mipmap = NULL;
    struct image levels[LEVELS];
    assert_success(cudaMallocMipmappedArray(&mipmap, &desc, extent, LEVELS, 0));
    for (unsigned i = 0; i < LEVELS; i++) {
        levels[i] = (struct image){.width = one_or(20u >> i),
                                   .height = one_or(17u >> i),
                                   .depth = one_or(3u >> i),
                                   .element = 4};
        assert_success(cudaGetMipmappedArrayLevel(&levels[i].array, mipmap, i));
        levels[i].model = malloc(bytes_of(&levels[i]));
        fill_random(levels[i].model, bytes_of(&levels[i]), i + 1);
        move_all(&levels[i], levels[i].model, false);
    }
    for (unsigned i = 0; i < LEVELS; i++) {
        check_image(&levels[i]);
        free(levels[i].model);
    }
    assert_success(cudaFreeMipmappedArray(mipmap));
}

/* --- rectangles ------------------------------------------------------------------------------- */

static void try_rectangle(enum block_kind kind, bool to_array, bool is_async, uint32_t *random)
{
    struct image image = random_image(4, random);
    struct box box = random_box(&image, random);
    box.at.z = 0;
    box.extent.depth = 1;
    struct box_memory memory = make_memory(kind, box.extent, 4, random);
    unsigned char *start = memory.block.address + (memory_at(&memory, 0, 0) - memory.model);
    const size_t pitch = memory.pointer.pitch, width = box.extent.width * 4;
    const enum cudaMemcpyKind direction =
        to_array ? kind_between(DEVICE, kind) : kind_between(kind, DEVICE);
    if (to_array && is_async)
        assert_success(cudaMemcpy2DToArrayAsync(image.array, box.at.x * 4, box.at.y, start, pitch,
                                                width, box.extent.height, direction, NULL));
    else if (to_array)
        assert_success(cudaMemcpy2DToArray(image.array, box.at.x * 4, box.at.y, start, pitch, width,
                                           box.extent.height, direction));
    else if (is_async)
        assert_success(cudaMemcpy2DFromArrayAsync(start, pitch, image.array, box.at.x * 4, box.at.y,
                                                  width, box.extent.height, direction, NULL));
    else
        assert_success(cudaMemcpy2DFromArray(start, pitch, image.array, box.at.x * 4, box.at.y,
                                             width, box.extent.height, direction));
    model_box(&image, &box, &memory, to_array);
    check_image(&image);
    check_memory(&memory);
    end_memory(&memory);
    end_image(&image);
}

TEST_BODY(memory_array_copy_random_rectangles)
{
    uint32_t random = 47;
    for (int round = 0; round < 6; round++)
        for (int kind = 0; kind < BLOCK_KINDS; kind++)
            for (int form = 0; form < 4; form++)
                try_rectangle((enum block_kind)kind, form % 2 != 0, form / 2 != 0, &random);
}

TEST_BODY(memory_array_copy_rectangles_between_arrays)
{
    struct image a = make_image((struct cudaExtent){40, 20, 0}, 4, 0, 1);
    struct image b = make_image((struct cudaExtent){33, 25, 0}, 4, 0, 2);
    assert_success(
        cudaMemcpy2DArrayToArray(b.array, 8, 7, a.array, 16, 3, 60, 12, cudaMemcpyDeviceToDevice));
    for (size_t y = 0; y < 12; y++)
        memcpy(model_at(&b, 8, 7 + y, 0), model_at(&a, 16, 3 + y, 0), 60);
    check_image(&b);
    /* Two parts of one array. */
    assert_success(
        cudaMemcpy2DArrayToArray(a.array, 80, 10, a.array, 0, 0, 80, 10, cudaMemcpyDefault));
    for (size_t y = 0; y < 10; y++)
        memcpy(model_at(&a, 80, 10 + y, 0), model_at(&a, 0, y, 0), 80);
    check_image(&a);
    end_image(&a);
    end_image(&b);
}

/* Bytes that are no whole elements, and elements of another size. */
TEST_BODY(memory_array_copy_parts_of_elements)
{
    struct image a = make_image((struct cudaExtent){9, 5, 0}, 4, 0, 20);
    struct image b = make_image((struct cudaExtent){9, 5, 0}, 2, 0, 21);
    unsigned char bytes[64];
    fill_random(bytes, sizeof bytes, 22);
    assert_success(cudaMemcpy2DToArray(a.array, 3, 1, bytes, 8, 7, 4, cudaMemcpyHostToDevice));
    for (size_t y = 0; y < 4; y++)
        memcpy(model_at(&a, 3, 1 + y, 0), bytes + y * 8, 7);
    check_image(&a);
    assert_success(
        cudaMemcpy2DArrayToArray(b.array, 5, 2, a.array, 1, 0, 13, 3, cudaMemcpyDeviceToDevice));
    for (size_t y = 0; y < 3; y++)
        memcpy(model_at(&b, 5, 2 + y, 0), model_at(&a, 1, y, 0), 13);
    check_image(&b);
    assert_success(cudaMemcpyToArray(a.array, 35, 0, bytes, 6, cudaMemcpyHostToDevice));
    memcpy(a.model + 35, bytes, 6);
    assert_success(cudaMemcpyToArray(a.array, 36 + 5, 1, bytes, 3, cudaMemcpyHostToDevice));
    memcpy(a.model + 2 * 36 + 5, bytes, 3);
    check_image(&a);
    end_image(&a);
    end_image(&b);
}

/* --- bytes that wrap from row to row ---------------------------------------------------------- */

static void try_wrapped(enum block_kind kind, bool to_array, bool is_async, uint32_t *random)
{
    const struct cudaExtent extent = {1 + random_below(random, 30), 1 + random_below(random, 10),
                                      0};
    struct image image = make_image(extent, 2, 0, next_random(random));
    const size_t row = row_of(&image), x = random_below(random, image.width) * 2,
                 y = random_below(random, image.height), first = y * row + x;
    const size_t count = 2 * (1 + random_below(random, (bytes_of(&image) - first) / 2));
    struct block block = make_block(kind, count);
    unsigned char *bytes = malloc(count);
    const enum cudaMemcpyKind direction =
        to_array ? kind_between(DEVICE, kind) : kind_between(kind, DEVICE);
    fill_random(bytes, count, next_random(random) | 1);
    write_block(&block, bytes);
    if (to_array) {
        memcpy(image.model + first, bytes, count);
        assert_success(
            is_async
                ? cudaMemcpyToArrayAsync(image.array, x, y, block.address, count, direction, NULL)
                : cudaMemcpyToArray(image.array, x, y, block.address, count, direction));
    } else {
        assert_success(
            is_async
                ? cudaMemcpyFromArrayAsync(block.address, image.array, x, y, count, direction, NULL)
                : cudaMemcpyFromArray(block.address, image.array, x, y, count, direction));
        read_block(&block, bytes);
        assert_memory_equal(bytes, image.model + first, count);
    }
    check_image(&image);
    end_block(&block);
    free(bytes);
    end_image(&image);
}

TEST_BODY(memory_array_copy_wraps_over_rows)
{
    uint32_t random = 53;
    for (int round = 0; round < 8; round++)
        for (int kind = 0; kind < BLOCK_KINDS; kind++)
            for (int form = 0; form < 4; form++)
                try_wrapped((enum block_kind)kind, form % 2 != 0, form / 2 != 0, &random);
}

/* Rows of different lengths end at different places. */
TEST_BODY(memory_array_copy_wraps_between_arrays)
{
    static const size_t widths[][2] = {{7, 7}, {7, 5}, {5, 7}, {1, 64}, {64, 1}};
    uint32_t random = 59;
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        for (int round = 0; round < 4; round++) {
            struct image a = make_image((struct cudaExtent){widths[i][0], 70, 0}, 4, 0, 3);
            struct image b = make_image((struct cudaExtent){widths[i][1], 70, 0}, 4, 0, 4);
            const size_t xa = round > 0 ? random_below(&random, a.width) * 4 : 0;
            const size_t xb = round > 1 ? random_below(&random, b.width) * 4 : 0;
            const size_t ya = random_below(&random, 30), yb = random_below(&random, 30);
            const size_t from = ya * row_of(&a) + xa, to = yb * row_of(&b) + xb;
            const size_t most = smaller(bytes_of(&a) - from, bytes_of(&b) - to) / 4;
            const size_t count = round == 3 ? most * 4 : (1 + random_below(&random, most)) * 4;
            assert_success(cudaMemcpyArrayToArray(b.array, xb, yb, a.array, xa, ya, count,
                                                  cudaMemcpyDeviceToDevice));
            memcpy(b.model + to, a.model + from, count);
            check_image(&b);
            end_image(&a);
            end_image(&b);
        }
    }
}

TEST_BODY(memory_array_copy_wrapping_refuses_before_it_begins)
{
    struct image image = make_image((struct cudaExtent){8, 4, 0}, 4, 0, 5);
    unsigned char bytes[256] = {0}, *memory = NULL;
    assert_success(cudaMalloc((void **)&memory, 64));
    const cudaArray_t a = image.array;
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpyToArray(a, 0, 0, bytes, 132, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpyToArray(a, 4, 0, bytes, 128, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpyToArray(a, 0, 1, bytes, 100, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpyToArray(a, 2, 2, bytes, 64, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpyToArray(a, SIZE_MAX, 1, bytes, 4, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpyToArray(a, 32, SIZE_MAX, bytes, 4, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpyToArray(a, 4, 0, memory, 68, cudaMemcpyDeviceToDevice));
    check_image(&image);
    assert_success(cudaMemcpyToArray(a, 0, 0, NULL, 0, cudaMemcpyHostToDevice));
    assert_success(cudaFree(memory));
    end_image(&image);
}

/* --- other forms ------------------------------------------------------------------------------ */

TEST_BODY(memory_array_copy_peer_form)
{
    struct image a = make_image((struct cudaExtent){10, 6, 4}, 8, 0, 6);
    struct image b = make_image((struct cudaExtent){10, 6, 4}, 8, 0, 7);
    struct cudaMemcpy3DPeerParms p = {0};
    p.srcArray = a.array;
    p.dstArray = b.array;
    p.srcPos = (struct cudaPos){1, 2, 3};
    p.dstPos = (struct cudaPos){3, 2, 1};
    p.extent = (struct cudaExtent){5, 4, 1};
    assert_success(cudaMemcpy3DPeer(&p));
    for (size_t y = 0; y < 4; y++)
        memcpy(model_at(&b, 24, 2 + y, 1), model_at(&a, 8, 2 + y, 3), 40);
    check_image(&b);
    end_image(&a);
    end_image(&b);
}

TEST_BODY(memory_array_copy_batch)
{
    struct image a = make_image((struct cudaExtent){10, 6, 4}, 4, 0, 8);
    unsigned char bytes[12 * 4 * 7 * 2], seen[sizeof bytes];
    struct cudaMemcpy3DBatchOp ops[2] = {0};
    cudaStream_t stream = NULL;
    fill_random(bytes, sizeof bytes, 9);
    memset(seen, 0, sizeof seen);
    ops[0].src.type = ops[1].dst.type = cudaMemcpyOperandTypePointer;
    ops[0].src.op.ptr.ptr = bytes;
    ops[1].dst.op.ptr.ptr = seen;
    ops[0].src.op.ptr.rowLength = ops[1].dst.op.ptr.rowLength = 12; /* elements */
    ops[0].src.op.ptr.layerHeight = ops[1].dst.op.ptr.layerHeight = 7;
    ops[0].dst.type = ops[1].src.type = cudaMemcpyOperandTypeArray;
    ops[0].dst.op.array.array = ops[1].src.op.array.array = a.array;
    ops[0].dst.op.array.offset = ops[1].src.op.array.offset = (struct cudaOffset3D){1, 2, 1};
    for (int i = 0; i < 2; i++) {
        ops[i].extent = (struct cudaExtent){9, 4, 2};
        ops[i].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    }
    assert_success(cudaStreamCreate(&stream));
    assert_success(cudaMemcpy3DBatchAsync(2, ops, 0, stream));
    assert_success(cudaStreamSynchronize(stream));
    for (size_t z = 0; z < 2; z++) {
        for (size_t y = 0; y < 4; y++) {
            const size_t at = (z * 7 + y) * 48;
            memcpy(model_at(&a, 4, 2 + y, 1 + z), bytes + at, 36);
            assert_memory_equal(seen + at, bytes + at, 36);
        }
    }
    check_image(&a);
    assert_success(cudaStreamDestroy(stream));
    end_image(&a);
}

/* An asynchronous copy stays behind what its stream waits for. */
TEST_BODY(memory_array_copy_follows_its_stream)
{
    struct gate gate = GATE_INITIALIZER;
    struct image a = make_image((struct cudaExtent){64, 8, 0}, 4, 0, 10);
    struct block pinned = make_block(PINNED, bytes_of(&a));
    cudaStream_t stream = NULL;
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gate_hold(&gate, stream);
    fill_random(pinned.address, pinned.bytes, 11);
    assert_success(cudaMemcpy2DToArrayAsync(a.array, 0, 0, pinned.address, 256, 256, 8,
                                            cudaMemcpyHostToDevice, stream));
    assert_stays_busy(stream);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    memcpy(a.model, pinned.address, pinned.bytes);
    check_image(&a);
    assert_success(cudaStreamDestroy(stream));
    end_block(&pinned);
    end_image(&a);
}

/* --- refusals --------------------------------------------------------------------------------- */

TEST_BODY(memory_array_copy_2d_refuses_bad_arguments)
{
    struct image image = make_image((struct cudaExtent){16, 4, 0}, 4, 0, 12);
    struct image line = make_image((struct cudaExtent){16, 0, 0}, 4, 0, 13);
    struct image narrow = make_image((struct cudaExtent){16, 4, 0}, 2, 0, 13);
    const cudaArray_t a = image.array;
    unsigned char bytes[256] = {0};
    const enum cudaMemcpyKind to = cudaMemcpyHostToDevice, from = cudaMemcpyDeviceToHost;
    assert_fails(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 0, 0, bytes, 68, 68, 1, to));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 4, 0, bytes, 64, 64, 1, to));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 0, 1, bytes, 64, 64, 4, to));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpy2DToArray(a, SIZE_MAX - 3, 0, bytes, 64, 8, 1, to));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 0, SIZE_MAX, bytes, 64, 8, 2, to));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 62, 0, bytes, 64, 4, 1, to));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 0, 0, NULL, 64, 64, 4, to));
    assert_fails(cudaErrorInvalidPitchValue, cudaMemcpy2DToArray(a, 0, 0, bytes, 60, 64, 4, to));
    assert_fails(cudaErrorInvalidPitchValue,
                 cudaMemcpy2DFromArray(bytes, 60, a, 0, 0, 64, 4, from));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy2DFromArray(bytes, 64, a, 0, 2, 64, 3, from));
    assert_fails(cudaErrorInvalidMemcpyDirection,
                 cudaMemcpy2DToArray(a, 0, 0, bytes, 64, 64, 4, (enum cudaMemcpyKind)9));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpy2DToArray(line.array, 0, 1, bytes, 64, 64, 1, to));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy2DArrayToArray(narrow.array, 0, 0, a, 0, 0, 33, 1,
                                                                 cudaMemcpyDeviceToDevice));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpy2DArrayToArray(NULL, 0, 0, a, 0, 0, 8, 1, cudaMemcpyDeviceToDevice));
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaMemcpy2DArrayToArray(a, 0, 0, NULL, 0, 0, 8, 1, cudaMemcpyDeviceToDevice));
    assert_int_not_equal(cudaMemcpy2DToArray(NULL, 0, 0, bytes, 64, 64, 4, to), cudaSuccess);
    assert_int_not_equal(cudaMemcpy2DToArray((cudaArray_t)bytes, 0, 0, bytes, 64, 64, 4, to),
                         cudaSuccess);
    (void)cudaGetLastError();
    check_image(&image);
    check_image(&line);
    check_image(&narrow);
    end_image(&image);
    end_image(&line);
    end_image(&narrow);
}

TEST_BODY(memory_array_copy_2d_of_nothing)
{
    struct image image = make_image((struct cudaExtent){16, 4, 0}, 4, 0, 14);
    const cudaArray_t a = image.array;
    assert_success(cudaMemcpy2DToArray(a, 0, 0, NULL, 0, 0, 4, cudaMemcpyHostToDevice));
    assert_success(cudaMemcpy2DToArray(a, 0, 0, NULL, 0, 64, 0, cudaMemcpyHostToDevice));
    assert_success(cudaMemcpy2DFromArray(NULL, 0, a, 0, 0, 64, 0, cudaMemcpyDeviceToHost));
    assert_success(cudaMemcpy2DArrayToArray(a, 0, 0, a, 0, 0, 0, 0, cudaMemcpyDeviceToDevice));
    check_image(&image);
    end_image(&image);
}

TEST_BODY(memory_array_copy_3d_refuses_bad_arguments)
{
    struct image image = make_image((struct cudaExtent){16, 4, 2}, 4, 0, 15);
    unsigned char bytes[16 * 4 * 4 * 2] = {0};
    const struct cudaMemcpy3DParms good = {
        .srcPtr = {bytes, 64, 64, 4},
        .dstArray = image.array,
        .extent = {16, 4, 2},
        .kind = cudaMemcpyHostToDevice,
    };
    struct cudaMemcpy3DParms p = good;
    p.extent.width = 17;
    assert_fails(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    p.srcPtr.pitch = 16; /* compared with elements, and first */
    assert_fails(cudaErrorInvalidPitchValue, cudaMemcpy3D(&p));
    p = good;
    p.dstPos.x = 1;
    assert_fails(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    p = good;
    p.dstPos.z = 1;
    assert_fails(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    p = good;
    p.extent.depth = 3;
    assert_fails(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    p = good;
    p.extent.width = SIZE_MAX / 2;
    assert_int_not_equal(cudaMemcpy3D(&p), cudaSuccess);
    (void)cudaGetLastError();
    p = good;
    p.srcPos.x = 1; /* counts elements in memory, too */
    p.extent.width = 15;
    p.srcPtr.pitch = 63;
    assert_fails(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    p = good;
    p.dstPtr = good.srcPtr;
    assert_fails(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    p = good;
    p.kind = cudaMemcpyDeviceToHost;
    assert_fails(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    p = good;
    p.kind = (enum cudaMemcpyKind)9;
    assert_fails(cudaErrorInvalidMemcpyDirection, cudaMemcpy3D(&p));
    struct image wide = make_image((struct cudaExtent){16, 4, 2}, 8, 0, 24);
    p = good;
    p.srcPtr = (struct cudaPitchedPtr){0};
    p.srcArray = wide.array; /* elements of another size */
    p.kind = cudaMemcpyDeviceToDevice;
    p.extent.width = 4;
    assert_fails(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    end_image(&wide);
    check_image(&image);
    assert_success(cudaMemcpy3D(&good));
    memcpy(image.model, bytes, sizeof bytes);
    check_image(&image);
    end_image(&image);
}

/* The calling thread's own stream orders what its forms copy. */
TEST_BODY(memory_array_copy_per_thread_form)
{
    struct gate gate = GATE_INITIALIZER;
    struct image a = make_image((struct cudaExtent){64, 8, 0}, 4, 0, 16);
    struct block pinned = make_block(PINNED, bytes_of(&a));
    fill_random(pinned.address, pinned.bytes, 17);
    gate_hold(&gate, cudaStreamPerThread);
    assert_success(cudaMemcpy2DToArrayAsync_ptsz(a.array, 0, 0, pinned.address, 256, 256, 8,
                                                 cudaMemcpyHostToDevice, NULL));
    assert_stays_busy(cudaStreamPerThread);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(cudaStreamPerThread));
    memcpy(a.model, pinned.address, pinned.bytes);
    check_image(&a);
    end_block(&pinned);
    end_image(&a);
}

/* --- threads ---------------------------------------------------------------------------------- */

struct part {
    cudaArray_t array;
    size_t row;
};

static void *copy_own_row(void *data)
{
    const struct part *part = data;
    unsigned char bytes[256], seen[256];
    cudaStream_t stream = NULL;
    THREAD_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (uint32_t i = 1; i <= 60; i++) {
        fill_random(bytes, sizeof bytes, i * 100 + (uint32_t)part->row);
        THREAD_SUCCESS(cudaMemcpy2DToArrayAsync(part->array, 0, part->row, bytes, 256, 256, 1,
                                                cudaMemcpyHostToDevice, stream));
        THREAD_SUCCESS(cudaMemcpy2DFromArrayAsync(seen, 256, part->array, 0, part->row, 256, 1,
                                                  cudaMemcpyDeviceToHost, stream));
        THREAD_SUCCESS(cudaStreamSynchronize(stream));
        THREAD_CHECK(memcmp(seen, bytes, sizeof seen) == 0);
    }
    THREAD_SUCCESS(cudaStreamDestroy(stream));
    return NULL;
}

TEST_BODY(memory_array_copy_many_threads)
{
    enum { THREADS = 6 };
    struct image image = make_image((struct cudaExtent){64, THREADS, 0}, 4, 0, 18);
    struct part parts[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        parts[i] = (struct part){image.array, i};
    run_threads(THREADS, copy_own_row, parts, sizeof parts[0]);
    end_image(&image);
}
