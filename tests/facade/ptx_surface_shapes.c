/* Surfaces of PTX kernels in every geometry, size of element and boundary mode, against what OpenCL C
 * with the device header does.
 * SPDX-License-Identifier: Apache-2.0 */
#include <clem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/facade/driver_support.h"
#include "tests/facade/text_pair.h"

enum { WIDTH = 64, HEIGHT = 6, SLICES = 4, POINTS = 64 };

/* One element; its registers in PTX. */
struct element {
    const char *ptx, *registers, *c;
    unsigned bytes;
};

static const struct element elements[] = {
    {"b8", "{%rs1}", "uchar", 1},
    {"v2.b8", "{%rs1, %rs2}", "uchar2", 2},
    {"v4.b8", "{%rs1, %rs2, %rs3, %rs4}", "uchar4", 4},
    {"b16", "{%rs1}", "ushort", 2},
    {"v2.b16", "{%rs1, %rs2}", "ushort2", 4},
    {"v4.b16", "{%rs1, %rs2, %rs3, %rs4}", "ushort4", 8},
    {"b32", "{%r11}", "uint", 4},
    {"v2.b32", "{%r11, %r12}", "uint2", 8},
    {"v4.b32", "{%r11, %r12, %r13, %r14}", "uint4", 16},
    {"b64", "{%rd11}", "ulong", 8},
    {"v2.b64", "{%rd11, %rd12}", "ulong2", 16},
};

/* %r1 is a byte of a row, %r2 and %r3 row and slice. */
static const struct geometry {
    const char *ptx, *at, *c, *c_at;
    unsigned height, depth, flags;
} geometries[] = {
    {"1d", "{%r1}", "surf1D", "q.x", 0, 0, 0},
    {"2d", "{%r1, %r2}", "surf2D", "q.x, q.y", HEIGHT, 0, 0},
    {"3d", "{%r1, %r2, %r3, %r3}", "surf3D", "q.x, q.y, q.z", HEIGHT, SLICES, 0},
    {"a1d", "{%r3, %r1}", "surf1DLayered", "q.x, q.z", 0, SLICES, CUDA_ARRAY3D_LAYERED},
    {"a2d", "{%r3, %r1, %r2, %r2}", "surf2DLayered", "q.x, q.y, q.z", HEIGHT, SLICES,
     CUDA_ARRAY3D_LAYERED},
};

static const struct mode {
    const char *ptx, *c;
} modes[] = {{"trap", "Trap"}, {"clamp", "Clamp"}, {"zero", "Zero"}};

/* Each thread copies one element from a surface to another: kernel p with the surfaces as parameters,
 * m with their handles from memory. */
static void add_copy(struct texts *texts, unsigned number, const struct geometry *geometry,
                     const struct element *element, const struct mode *mode, bool from_memory)
{
    add(texts->ptx, &texts->ptx_used,
        ".visible .entry %c%u(.param .u64 from, .param .u64 to, .param .u64 at)\n{\n"
        ".reg .b16 %%rs<8>;\n.reg .b32 %%r<16>;\n.reg .b64 %%rd<16>;\n"
        "ld.param.u64 %%rd1, [from];\nld.param.u64 %%rd2, [to];\nld.param.u64 %%rd3, [at];\n"
        "%s"
        "mov.u32 %%r5, %%tid.x;\nmul.wide.u32 %%rd4, %%r5, 16;\nadd.u64 %%rd5, %%rd3, %%rd4;\n"
        "ld.global.v4.u32 {%%r1, %%r2, %%r3, %%r4}, [%%rd5];\n"
        "suld.b.%s.%s.%s %s, [%s, %s];\nsust.b.%s.%s.%s [%s, %s], %s;\nret;\n}\n",
        from_memory ? 'm' : 'p', number,
        from_memory ? "ld.global.u64 %rd6, [%rd1];\nld.global.u64 %rd7, [%rd2];\n" : "",
        geometry->ptx, element->ptx, mode->ptx, element->registers, from_memory ? "%rd6" : "%rd1",
        geometry->at, geometry->ptx, element->ptx, mode->ptx, from_memory ? "%rd7" : "%rd2",
        geometry->at, element->registers);
}

static void add_kernels(struct texts *texts, unsigned number, const struct geometry *geometry,
                        const struct element *element, const struct mode *mode, bool has_table)
{
    add_copy(texts, number, geometry, element, mode, false);
    if (has_table)
        add_copy(texts, number, geometry, element, mode, true);
    add(texts->c, &texts->c_used,
        "kernel void c%u(CLEM_SURFACE(a), CLEM_SURFACE(b), global const int4 *at)\n{\n"
        "    int4 q = at[get_global_id(0)];\n"
        "    %swriteMode(%s, %sreadMode(%s, a, %s, cudaBoundaryMode%s), b, %s, "
        "cudaBoundaryMode%s);\n}\n",
        number, geometry->c, element->c, geometry->c, element->c, geometry->c_at, mode->c,
        geometry->c_at, mode->c);
}

struct bench {
    CUmodule ptx, c;
    CUdeviceptr at, handles;
    bool has_table;
};

static bool has_addresses(void)
{
    clemDeviceInfo info;
    driver_use_primary();
    assert_int_equal(clemGetDeviceInfo(&info, 0), cudaSuccess);
    return info.address != clemAddressHandle;
}

static struct bench open_bench(struct texts *texts)
{
    struct bench bench = {.has_table = has_addresses()};
    assert_driver(cuModuleLoadData(&bench.ptx, texts->ptx));
    assert_driver(cuModuleLoadData(&bench.c, texts->c));
    free(texts);
    bench.at = driver_allocate(POINTS * 16);
    bench.handles = driver_allocate(16);
    return bench;
}

static void close_bench(const struct bench *bench)
{
    assert_driver(cuModuleUnload(bench->ptx));
    assert_driver(cuModuleUnload(bench->c));
    assert_driver(cuMemFree(bench->at));
    assert_driver(cuMemFree(bench->handles));
}

/* Bytes of a whole array; rows have WIDTH bytes, whatever an element is said to be. */
static size_t bytes_of(const struct geometry *geometry)
{
    return (size_t)WIDTH * (geometry->height ? geometry->height : 1) *
           (geometry->depth ? geometry->depth : 1);
}

static void move_bytes(CUarray array, const struct geometry *geometry, void *bytes, bool to_array)
{
    CUDA_MEMCPY3D copy = {.WidthInBytes = WIDTH,
                          .Height = geometry->height ? geometry->height : 1,
                          .Depth = geometry->depth ? geometry->depth : 1};
    if (to_array) {
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = bytes;
        copy.srcPitch = WIDTH;
        copy.srcHeight = copy.Height;
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = array;
    } else {
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = array;
        copy.dstMemoryType = CU_MEMORYTYPE_HOST;
        copy.dstHost = bytes;
        copy.dstPitch = WIDTH;
        copy.dstHeight = copy.Height;
    }
    assert_driver(cuMemcpy3D(&copy));
}

struct canvas {
    CUarray array;
    CUsurfObject surface;
};

static struct canvas make_canvas(const struct geometry *geometry, uint32_t seed)
{
    struct canvas made;
    unsigned char bytes[WIDTH * HEIGHT * SLICES];
    const CUDA_ARRAY3D_DESCRIPTOR desc = {WIDTH / 4,
                                          geometry->height,
                                          geometry->depth,
                                          CU_AD_FORMAT_UNSIGNED_INT32,
                                          1,
                                          geometry->flags | CUDA_ARRAY3D_SURFACE_LDST};
    assert_driver(cuArray3DCreate(&made.array, &desc));
    fill_with(bytes, bytes_of(geometry), seed);
    move_bytes(made.array, geometry, bytes, true);
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                         .res.array.hArray = made.array};
    assert_driver(cuSurfObjectCreate(&made.surface, &resource));
    return made;
}

static void end_canvas(const struct canvas *canvas)
{
    assert_driver(cuSurfObjectDestroy(canvas->surface));
    assert_driver(cuArrayDestroy(canvas->array));
}

/* Elements in and, for some, outside the surface; no two threads write the same one inside. */
static void make_points(const struct bench *bench, const struct geometry *geometry,
                        const struct element *element)
{
    int at[POINTS][4] = {{0}};
    const int row = WIDTH / (int)element->bytes, rows = geometry->height ? HEIGHT : 1;
    for (int i = 0; i < POINTS; i++) {
        at[i][0] = (i % (row + 2) - 1) * (int)element->bytes;
        at[i][1] = geometry->height ? (i / (row + 2) + 1) % (rows + 2) - 1 : 0;
        at[i][2] = geometry->depth ? i / (row + 2) / (rows + 2) % (SLICES + 2) - 1 : 0;
        if (geometry->depth && i % 3 == 0)
            at[i][2] += 2;
    }
    assert_driver(cuMemcpyHtoD(bench->at, at, sizeof at));
}

static void copy_elements(const struct bench *bench, char kind, unsigned number,
                          const struct geometry *geometry, unsigned char *copied)
{
    char name[16];
    CUfunction function = NULL;
    struct canvas from = make_canvas(geometry, 5), to = make_canvas(geometry, 99);
    uint64_t handles[2] = {from.surface, to.surface};
    CUdeviceptr places[2] = {bench->handles, bench->handles + 8}, at = bench->at;
    void *args[] = {kind == 'm' ? &places[0] : (void *)&handles[0],
                    kind == 'm' ? &places[1] : (void *)&handles[1], &at};
    snprintf(name, sizeof name, "%c%u", kind, number);
    assert_driver(cuMemcpyHtoD(bench->handles, handles, sizeof handles));
    assert_driver(cuModuleGetFunction(&function, kind == 'c' ? bench->c : bench->ptx, name));
    assert_driver(cuLaunchKernel(function, 1, 1, 1, POINTS, 1, 1, 0, NULL, args, NULL));
    move_bytes(to.array, geometry, copied, false);
    end_canvas(&from);
    end_canvas(&to);
}

static void compare(const struct bench *bench, unsigned number, const struct geometry *geometry,
                    const struct element *element)
{
    unsigned char expected[WIDTH * HEIGHT * SLICES], got[WIDTH * HEIGHT * SLICES];
    unsigned char untouched[WIDTH * HEIGHT * SLICES];
    make_points(bench, geometry, element);
    fill_with(untouched, bytes_of(geometry), 99);
    copy_elements(bench, 'c', number, geometry, expected);
    assert_memory_not_equal(expected, untouched, bytes_of(geometry));
    copy_elements(bench, 'p', number, geometry, got);
    assert_memory_equal(got, expected, bytes_of(geometry));
    if (bench->has_table) {
        copy_elements(bench, 'm', number, geometry, got);
        assert_memory_equal(got, expected, bytes_of(geometry));
    }
}

TEST_BODY(ptx_surfaces_of_every_size)
{
    enum { COUNT = sizeof elements / sizeof *elements };
    struct texts *texts = begin_texts();
    const bool has_table = has_addresses();
    for (unsigned i = 0; i < COUNT; i++)
        add_kernels(texts, i, &geometries[1], &elements[i], &modes[0], has_table);
    struct bench bench = open_bench(texts);
    for (unsigned i = 0; i < COUNT; i++)
        compare(&bench, i, &geometries[1], &elements[i]);
    close_bench(&bench);
}

TEST_BODY(ptx_surfaces_of_every_geometry)
{
    enum { COUNT = sizeof geometries / sizeof *geometries, MODES = sizeof modes / sizeof *modes };
    const struct element *element = &elements[8]; /* clamped, several threads write the same bytes
                                                   * only where they read the same ones */
    struct texts *texts = begin_texts();
    const bool has_table = has_addresses();
    for (unsigned i = 0; i < COUNT * MODES; i++)
        add_kernels(texts, i, &geometries[i / MODES], element, &modes[i % MODES], has_table);
    struct bench bench = open_bench(texts);
    for (unsigned i = 0; i < COUNT * MODES; i++)
        compare(&bench, i, &geometries[i / MODES], element);
    close_bench(&bench);
}
