/* Tests of the device header's surfaces.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cl/state/state.h"
#include "kernels/device/clem_texture_facts.h"
#include "kernels/kernels.h"
#include "tests/cl/held.h"
#include "tests/kernels/texture_model.h"

/* ---- What hardware gave ---- */

enum mode { MODE_ZERO, MODE_CLAMP, MODE_TRAP };

struct access {
    int x, y, z;
    uint32_t value;
    int where;
};

struct surface {
    enum model_shape shape;
    enum mode mode;
    bool is_write;
    int width, height, depth, layers;
};

#define SURFACE(shape, mode, is_write, width, height, depth, layers)                               \
    {MODEL_##shape, MODE_##mode, is_write, width, height, depth, layers},
#define AT(x, y, z, value, where)
static const struct surface surfaces[] = {
#include "tests/kernels/surface_native.def"
};
#undef SURFACE
#undef AT

enum { ACCESSES = 14, SURFACES = sizeof surfaces / sizeof surfaces[0] };

/* The same accesses for each of the surfaces. */
#define SURFACE(shape, mode, is_write, width, height, depth, layers)
#define AT(x, y, z, value, where) {(x), (y), (z), (value), (where)},
static const struct access accesses[] = {
#include "tests/kernels/surface_native.def"
};
_Static_assert(sizeof accesses / sizeof accesses[0] == ACCESSES * SURFACES, "rows");

/* ---- The device ---- */

static const char kernels[] =
    "__kernel void access(CLEM_SURFACE(s), __global const int4 *at, __global uint *out, int "
    "count,\n"
    "                     int shape, int mode, int is_write)\n"
    "{\n"
    "    for (int i = 0; i < count; ++i) {\n"
    "        int4 p = at[i];\n"
    "        uint v = 0, n = 0xabc0u + i;\n"
    "        if (mode == cudaBoundaryModeTrap) {\n"
    "            if (is_write) surf2Dwrite(uint, n, s, p.x, p.y);\n"
    "            else v = surf2Dread(uint, s, p.x, p.y);\n"
    "        } else if (is_write) switch (shape) {\n"
    "        case 0: surf1DwriteMode(uint, n, s, p.x, mode); break;\n"
    "        case 1: surf2DwriteMode(uint, n, s, p.x, p.y, mode); break;\n"
    "        case 2: surf3DwriteMode(uint, n, s, p.x, p.y, p.z, mode); break;\n"
    "        case 3: surf1DLayeredwriteMode(uint, n, s, p.x, p.z, mode); break;\n"
    "        case 4: surf2DLayeredwriteMode(uint, n, s, p.x, p.y, p.z, mode); break;\n"
    "        case 5: surfCubemapwriteMode(uint, n, s, p.x, p.y, p.z, mode); break;\n"
    "        } else switch (shape) {\n"
    "        case 0: v = surf1DreadMode(uint, s, p.x, mode); break;\n"
    "        case 1: v = surf2DreadMode(uint, s, p.x, p.y, mode); break;\n"
    "        case 2: v = surf3DreadMode(uint, s, p.x, p.y, p.z, mode); break;\n"
    "        case 3: v = surf1DLayeredreadMode(uint, s, p.x, p.z, mode); break;\n"
    "        case 4: v = surf2DLayeredreadMode(uint, s, p.x, p.y, p.z, mode); break;\n"
    "        case 5: v = surfCubemapreadMode(uint, s, p.x, p.y, p.z, mode); break;\n"
    "        }\n"
    "        out[i] = v;\n"
    "    }\n"
    "}\n"
    "__kernel void types(CLEM_SURFACE(s), __global uint *out)\n"
    "{\n"
    "    surf1Dwrite(uchar, (uchar)(surf1Dread(uchar, s, 1) + 1), s, 1);\n"
    "    surf1Dwrite(char2, -surf1Dread(char2, s, 2), s, 2);\n"
    "    surf1Dwrite(ushort4, surf1Dread(ushort4, s, 0), s, 8);\n"
    "    surf1Dwrite(float4, surf1Dread(float4, s, 0), s, 16);\n"
    "    surf1Dwrite(ulong2, surf1Dread(ulong2, s, 16), s, 32);\n"
    "    surf1Dwrite(float4, (float4)(7.0f), s, 56);\n" /* rounded down to 48 */
    "    out[0] = surf1Dread(uint4, s, 64).x + surf1Dread(uint2, s, 60).y;\n"
    "}\n";

struct bench {
    struct ocl_context *context;
    cl_command_queue queue;
    cl_program program;
};

static void must(cl_int error)
{
    assert_int_equal(error, CL_SUCCESS);
}

static struct bench open_bench(void)
{
    struct bench bench = {.context = open_context()};
    const cl_device_id device = bench.context->device->id;
    const char *texts[] = {kernel_device_header.text, kernels};
    char log[4000] = "";
    cl_int error;

    bench.queue = clCreateCommandQueue(bench.context->cl, device, 0, &error);
    must(error);
    bench.program = clCreateProgramWithSource(bench.context->cl, 2, texts, NULL, &error);
    must(error);
    if (clBuildProgram(bench.program, 1, &device, "-cl-std=CL1.2", NULL, NULL) != CL_SUCCESS) {
        clGetProgramBuildInfo(bench.program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fail_msg("%s", log);
    }
    return bench;
}

static void close_bench(struct bench *bench)
{
    clReleaseProgram(bench->program);
    clReleaseCommandQueue(bench->queue);
    ocl_context_close(bench->context);
}

static cl_mem make_buffer(const struct bench *bench, const void *bytes, size_t count)
{
    unsigned char *copy = malloc(count);
    cl_int error;

    assert_non_null(copy);
    memcpy(copy, bytes, count);
    cl_mem buffer = clCreateBuffer(bench->context->cl, CL_MEM_COPY_HOST_PTR, count, copy, &error);
    must(error);
    free(copy);
    return buffer;
}

/* ---- Tests ---- */

enum { OFFSET = 64, MARGIN = 32, ROOM = 8192 };

/* The surface's place in memory: rows and slices with gaps between them. */
static struct clem_surface describe(const struct surface *surface)
{
    const uint32_t row = (uint32_t)surface->width * 4, pitch = row + MARGIN;
    const uint32_t height = surface->height > 1 ? (uint32_t)surface->height : 1;
    const uint32_t slices = (uint32_t)(surface->depth + surface->layers);

    return (struct clem_surface){.offset = OFFSET,
                                 .slice_bytes = (uint64_t)pitch * height + MARGIN,
                                 .pitch = pitch,
                                 .row_bytes = row,
                                 .height = height,
                                 .depth = slices > 1 ? slices : 1};
}

/* Where texel `index` of the surface lies. */
static size_t place_of(const struct clem_surface *facts, size_t index)
{
    const size_t width = facts->row_bytes / 4, x = index % width;
    const size_t y = index / width % facts->height, z = index / width / facts->height;
    return (size_t)facts->offset + z * (size_t)facts->slice_bytes + y * facts->pitch + x * 4;
}

static size_t texel_count(const struct clem_surface *facts)
{
    return (size_t)(facts->row_bytes / 4) * facts->height * facts->depth;
}

static void fill(const struct surface *surface, const struct clem_surface *facts,
                 unsigned char *bytes)
{
    const struct model_texture texture = {.shape = surface->shape,
                                          .format = MODEL_U32,
                                          .channels = 1,
                                          .width = surface->width,
                                          .height = surface->height,
                                          .depth = surface->depth,
                                          .layers = surface->layers};
    const size_t width = facts->row_bytes / 4;

    memset(bytes, 0xa5, ROOM);
    for (size_t i = 0; i < texel_count(facts); i++) {
        const size_t row = i / width;
        const uint32_t texel = model_texel(&texture, 0, (int)(row / facts->height),
                                           (int)(row % facts->height), (int)(i % width), 0);
        memcpy(bytes + place_of(facts, i), &texel, sizeof texel);
    }
}

/* Runs the accesses; memory and out are what was before and become what is after. */
static void run(const struct bench *bench, const struct surface *surface,
                const struct clem_surface *facts, const struct access *rows, unsigned char *memory,
                uint32_t *out)
{
    const cl_int numbers[] = {ACCESSES, (cl_int)surface->shape, (cl_int)surface->mode,
                              surface->is_write};
    const size_t one = 1;
    cl_int at[ACCESSES][4] = {{0}}, error;

    for (int i = 0; i < ACCESSES; i++)
        memcpy(at[i], &rows[i], 3 * sizeof(cl_int));
    cl_mem buffers[] = {make_buffer(bench, memory, ROOM), make_buffer(bench, at, sizeof at),
                        make_buffer(bench, out, ACCESSES * sizeof *out)};
    cl_kernel kernel = clCreateKernel(bench->program, "access", &error);
    must(error);
    must(clSetKernelArg(kernel, 0, sizeof buffers[0], &buffers[0]));
    must(clSetKernelArg(kernel, 1, sizeof *facts, facts));
    must(clSetKernelArg(kernel, 2, sizeof buffers[1], &buffers[1]));
    must(clSetKernelArg(kernel, 3, sizeof buffers[2], &buffers[2]));
    for (cl_uint i = 0; i < 4; i++)
        must(clSetKernelArg(kernel, 4 + i, sizeof numbers[i], &numbers[i]));
    must(clEnqueueNDRangeKernel(bench->queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
    must(clEnqueueReadBuffer(bench->queue, buffers[0], CL_TRUE, 0, ROOM, memory, 0, NULL, NULL));
    must(clEnqueueReadBuffer(bench->queue, buffers[2], CL_TRUE, 0, ACCESSES * sizeof *out, out, 0,
                             NULL, NULL));
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
    clReleaseKernel(kernel);
}

static void check(const struct bench *bench, const struct surface *surface,
                  const struct access *rows)
{
    static unsigned char memory[ROOM], expected[ROOM];
    const struct clem_surface facts = describe(surface);
    uint32_t out[ACCESSES] = {0};

    fill(surface, &facts, memory);
    fill(surface, &facts, expected);
    for (int i = 0; i < ACCESSES; i++)
        if (surface->is_write && rows[i].where >= 0) {
            const uint32_t value = 0xabc0u + (uint32_t)i;
            memcpy(expected + place_of(&facts, (size_t)rows[i].where), &value, sizeof value);
        }
    run(bench, surface, &facts, rows, memory, out);
    for (int i = 0; i < ACCESSES && !surface->is_write; i++)
        if (out[i] != rows[i].value)
            fail_msg("shape %d, mode %d at %d %d %d: %#x, not %#x", surface->shape, surface->mode,
                     rows[i].x, rows[i].y, rows[i].z, out[i], rows[i].value);
    assert_memory_equal(memory, expected, ROOM); /* gaps too */
}

TEST_BODY(surfaces_do_what_hardware_did)
{
    struct bench bench = open_bench();

    for (int i = 0; i < SURFACES; i++)
        check(&bench, &surfaces[i], accesses + (size_t)i * ACCESSES);
    close_bench(&bench);
}

/* CUDA ends the kernel there; reads that give 0 and writes that are dropped are what is left. */
TEST_BODY(surfaces_that_would_trap_are_not_touched)
{
    struct bench bench = open_bench();

    for (int i = 0; i < SURFACES; i++) {
        struct surface surface = surfaces[i];
        if (surface.shape != MODEL_2D || surface.mode != MODE_ZERO)
            continue;
        surface.mode = MODE_TRAP;
        check(&bench, &surface, accesses + (size_t)i * ACCESSES);
    }
    close_bench(&bench);
}

/* Elements of every size, and the ends of a row. */
TEST_BODY(surfaces_hold_any_type)
{
    struct bench bench = open_bench();
    const struct clem_surface facts = {.row_bytes = 64, .height = 1, .depth = 1, .pitch = 64};
    unsigned char memory[64], expected[64];
    const float seven[4] = {7, 7, 7, 7};
    const uint32_t zero = 0;
    const size_t one = 1;
    uint32_t out, last;
    cl_int error;

    for (int i = 0; i < 64; i++)
        memory[i] = expected[i] = (unsigned char)(3 * i + 1);
    expected[1]++;
    expected[2] = (unsigned char)-expected[2];
    expected[3] = (unsigned char)-expected[3];
    memcpy(expected + 8, expected, 8);
    memcpy(expected + 16, expected, 16);
    memcpy(expected + 32, expected + 16, 16);
    memcpy(expected + 48, seven, 16);
    memcpy(&last, expected + 60, sizeof last); /* of a uint2 at 60, rounded down to 56 */
    cl_mem buffers[] = {make_buffer(&bench, memory, 64), make_buffer(&bench, &zero, 4)};
    cl_kernel kernel = clCreateKernel(bench.program, "types", &error);
    must(error);
    must(clSetKernelArg(kernel, 0, sizeof buffers[0], &buffers[0]));
    must(clSetKernelArg(kernel, 1, sizeof facts, &facts));
    must(clSetKernelArg(kernel, 2, sizeof buffers[1], &buffers[1]));
    must(clEnqueueNDRangeKernel(bench.queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
    must(clEnqueueReadBuffer(bench.queue, buffers[0], CL_TRUE, 0, 64, memory, 0, NULL, NULL));
    must(clEnqueueReadBuffer(bench.queue, buffers[1], CL_TRUE, 0, 4, &out, 0, NULL, NULL));
    assert_memory_equal(memory, expected, 64);
    assert_int_equal(out, last);
    clReleaseMemObject(buffers[0]);
    clReleaseMemObject(buffers[1]);
    clReleaseKernel(kernel);
    close_bench(&bench);
}
