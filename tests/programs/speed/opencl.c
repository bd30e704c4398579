/* CUDA kernels through clem against the same work in OpenCL C written by hand, in turns within one
 * process: what the translation costs. kernels.cu has the CUDA kernels.
 *   opencl PTX [runs [elements [kernel]]]
 * Times are the process's processor time where the device is a CPU, since others may use the machine too,
 * and wall time otherwise; the best of all runs counts. The results are compared once.
 * SPDX-License-Identifier: Apache-2.0 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda.h"

/* "chunk" is what a CPU does best: each work-item has one run of elements. */
static const char source[] =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#define I const size_t i = get_global_id(0)\n"
    "#define IN __global const float *\n#define OUT __global float *\n"
    "kernel void copy(OUT o, IN a, int n) { I; if (i < n) o[i] = a[i]; }\n"
    "kernel void triad(OUT o, IN b, IN c, float s, int n) { I; if (i < n) o[i] = fma(s, c[i], "
    "b[i]); }\n"
    "kernel void saxpy(OUT y, IN x, float a, int n) { I; if (i < n) y[i] = fma(a, x[i], y[i]); }\n"
    "kernel void transpose(OUT o, IN a, int w) { size_t x = get_global_id(0), y = "
    "get_global_id(1); o[x * w + y] = a[y * w + x]; }\n"
    "typedef struct { float x, y, z, w; } P;\n"
    "kernel void structures(__global P *o, __global const P *a, float s, int n) { I; if (i < n) { "
    "P p = a[i]; p.x += s; p.y *= s; p.z -= s; p.w = p.x + p.y; o[i] = p; } }\n"
    "kernel void arrays(OUT x, OUT y, OUT z, float s, int n) { I; if (i < n) { x[i] += s; y[i] *= "
    "s; z[i] = x[i] + y[i]; } }\n"
    "kernel void gather(OUT o, IN a, __global const uint *x, int n) { I; if (i < n) o[i] = "
    "a[x[i]]; }\n"
    "kernel void stencil(OUT o, IN a, int n) { I; if (i > 0 && i < n - 1) o[i] = fma(0.25f, a[i + "
    "1], fma(0.5f, a[i], 0.25f * a[i - 1])); }\n"
    "#define CHUNK const size_t c = ((size_t)n + get_global_size(0) - 1) / get_global_size(0); "
    "const size_t first = get_global_id(0) * c, end = min(first + c, (size_t)n); for (size_t i = "
    "first; i < end; i++)\n"
    "kernel void copy_chunk(OUT o, IN a, int n) { CHUNK o[i] = a[i]; }\n"
    "kernel void copy_chunk_wide(__global float4 *o, __global const float4 *a, ulong n) { CHUNK "
    "o[i] = a[i]; }\n"
    "kernel void triad_chunk(OUT o, IN b, IN c_, float s, int n) { CHUNK o[i] = fma(s, c_[i], "
    "b[i]); }\n"
    "kernel void reduce_chunk(OUT o, IN a, int n) { float16 s = 0; const int c = (n / 16 + "
    "get_global_size(0) - 1) / get_global_size(0) * 16; const int first = get_global_id(0) * c; "
    "for (int i = first; i < min(first + c, n); i += 16) s += vload16(0, a + i); const float8 t = "
    "s.lo + s.hi; const float4 u = "
    "t.lo + t.hi; o[get_global_id(0)] = u.x + u.y + u.z + u.w; }\n";

/* Arguments: letters of buffers a to c, 's' a float, 'n' the elements as int, 'q' a quarter of them as
 * ulong, 'w' the width of a square of them. */
static const struct row {
    const char *cuda, *opencl, *arguments;
    unsigned blocks; /* 0: a thread for each element, or as `per` says */
    unsigned per;    /* elements for each thread */
    bool is_square, is_sum;
    double bytes; /* moved for each element */
} rows[] = {
    {"copy", "copy", "abn", 0, 1, false, false, 8},
    {"triad", "triad", "abcsn", 0, 1, false, false, 12},
    {"saxpy", "saxpy", "absn", 0, 1, false, false, 12},
    {"transpose", "transpose", "abw", 0, 1, true, false, 8},
    {"structures", "structures", "absm", 0, 4, false, false, 8},
    {"arrays", "arrays", "abcsn", 0, 1, false, false, 20},
    {"gather", "gather", "abxn", 0, 1, false, false, 12},
    {"stencil", "stencil", "abn", 0, 1, false, false, 8},
    {"copy_stride", "copy_chunk", "abn", 64, 0, false, false, 8},
    {"copy_stride", "copy_chunk", "abn", 256, 0, false, false, 8},
    {"copy_stride", "copy_chunk", "abn", 1000, 0, false, false, 8},
    {"copy_stride_wide", "copy_chunk_wide", "abq", 256, 0, false, false, 8},
    {"copy_stride_wide", "copy_chunk_wide", "abq", 1056, 0, false, false, 8},
    {"triad_stride", "triad_chunk", "abcsn", 256, 0, false, false, 12},
    {"reduce", "reduce_chunk", "abn", 64, 0, false, true, 4},
    {"reduce", "reduce_chunk", "abn", 256, 0, false, true, 4},
    {"reduce", "reduce_chunk", "abn", 1056, 0, false, true, 4},
};

static struct {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_mem memory[4];
    CUmodule module;
    CUdeviceptr pointers[4];
    float *values;
    size_t n, width;
    bool is_cpu;
} s;

static void must(long status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s: %ld\n", what, status);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(s.is_cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 22);
    if (!file || !text || fread(text, 1, (1 << 22) - 1, file) == 0)
        must(1, path);
    fclose(file);
    return text;
}

static void start_opencl(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_device_type type;
    cl_int error;
    const char *text = source;
    must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    must(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL), "clGetDeviceInfo");
    s.is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    s.context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error, "clCreateContext");
    s.queue = clCreateCommandQueue(s.context, device, 0, &error);
    must(error, "clCreateCommandQueue");
    s.program = clCreateProgramWithSource(s.context, 1, &text, NULL, &error);
    must(clBuildProgram(s.program, 1, &device, "", NULL, NULL), "clBuildProgram");
}

static void fill(void)
{
    for (size_t i = 0; i < s.n; i++)
        s.values[i] = (float)(i * 2654435761u % 1000u);
}

static void start_memory(void)
{
    s.values = malloc(s.n * 4);
    must(s.values == NULL, "malloc");
    for (size_t i = 0; i < 4; i++) {
        cl_int error;
        fill();
        for (size_t j = 0; i == 3 && j < s.n; j++) /* a permutation in each 4 KiB */
            ((cl_uint *)s.values)[j] = (cl_uint)((j & ~(size_t)1023) | (j * 389u + 17u) % 1024u);
        s.memory[i] = clCreateBuffer(s.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, s.n * 4,
                                     s.values, &error);
        must(error, "clCreateBuffer");
        must(cuMemAlloc(&s.pointers[i], s.n * 4), "cuMemAlloc");
        must(cuMemcpyHtoD(s.pointers[i], s.values, s.n * 4), "cuMemcpyHtoD");
    }
}

static int buffer_of(char letter)
{
    return letter == 'x' ? 3 : letter >= 'a' && letter <= 'c' ? letter - 'a' : -1;
}

/* The other arguments have the same values and sizes on both sides. */
static void *value_of(char letter, size_t *bytes)
{
    static float factor = 0.5f;
    static int n, width, quarter;
    static unsigned long long wide;
    n = (int)s.n, width = (int)s.width, quarter = n / 4, wide = s.n / 4;
    *bytes = letter == 'q' ? 8 : 4;
    return letter == 's'   ? (void *)&factor
           : letter == 'n' ? (void *)&n
           : letter == 'm' ? (void *)&quarter
           : letter == 'q' ? (void *)&wide
                           : (void *)&width;
}

static double run_opencl(const struct row *row, cl_kernel kernel)
{
    size_t global[2] = {row->blocks, 1}, bytes;
    const size_t local[2] = {row->is_square ? 32 : 256, row->is_square ? 8 : 1};
    for (cl_uint i = 0; row->arguments[i]; i++) {
        const int buffer = buffer_of(row->arguments[i]);
        const void *value = buffer >= 0 ? &s.memory[buffer] : value_of(row->arguments[i], &bytes);
        must(clSetKernelArg(kernel, i, buffer >= 0 ? sizeof(cl_mem) : bytes, value), "argument");
    }
    if (row->is_square)
        global[0] = global[1] = s.width;
    else if (row->blocks == 0)
        global[0] = s.n / row->per;
    const double start = now();
    must(clEnqueueNDRangeKernel(s.queue, kernel, row->is_square ? 2 : 1, NULL, global,
                                row->blocks ? NULL : local, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
    must(clFinish(s.queue), "clFinish");
    return now() - start;
}

static double run_cuda(const struct row *row, CUfunction kernel)
{
    void *arguments[8];
    size_t bytes;
    for (size_t i = 0; row->arguments[i]; i++) {
        const int buffer = buffer_of(row->arguments[i]);
        arguments[i] = buffer >= 0 ? &s.pointers[buffer] : value_of(row->arguments[i], &bytes);
    }
    const unsigned width = (unsigned)s.width;
    const unsigned blocks = row->is_square    ? width / 32
                            : row->blocks > 0 ? row->blocks
                                              : (unsigned)(s.n / row->per / 256);
    const double start = now();
    must(cuLaunchKernel(kernel, blocks, row->is_square ? width / 8 : 1, 1,
                        row->is_square ? 32 : 256, row->is_square ? 8 : 1, 1, 0, NULL, arguments,
                        NULL),
         "cuLaunchKernel");
    must(cuCtxSynchronize(), "cuCtxSynchronize");
    return now() - start;
}

/* Both sides began with the same memory and have run equally often. */
static bool is_same(const struct row *row)
{
    float *other = malloc(s.n * 4);
    double sums[2] = {0, 0};
    must(other == NULL, "malloc");
    must(clEnqueueReadBuffer(s.queue, s.memory[0], CL_TRUE, 0, s.n * 4, other, 0, NULL, NULL),
         "clEnqueueReadBuffer");
    must(cuMemcpyDtoH(s.values, s.pointers[0], s.n * 4), "cuMemcpyDtoH");
    for (unsigned i = 0; i < row->blocks; i++)
        sums[0] += (double)s.values[i], sums[1] += (double)other[i];
    const double difference = sums[0] > sums[1] ? sums[0] - sums[1] : sums[1] - sums[0];
    const bool same =
        row->is_sum ? difference <= 1e-4 * sums[0] : memcmp(s.values, other, s.n * 4) == 0;
    free(other);
    return same;
}

static void refill(void)
{
    fill();
    for (size_t i = 0; i < 3; i++) {
        must(clEnqueueWriteBuffer(s.queue, s.memory[i], CL_TRUE, 0, s.n * 4, s.values, 0, NULL,
                                  NULL),
             "clEnqueueWriteBuffer");
        must(cuMemcpyHtoD(s.pointers[i], s.values, s.n * 4), "cuMemcpyHtoD");
    }
}

static bool compare(const struct row *row, int runs)
{
    cl_int error;
    CUfunction function;
    double best[2] = {1e30, 1e30};
    cl_kernel kernel = clCreateKernel(s.program, row->opencl, &error);
    must(error, row->opencl);
    must(cuModuleGetFunction(&function, s.module, row->cuda), row->cuda);
    refill();
    for (int i = 0; i < runs; i++) {
        const double opencl = run_opencl(row, kernel), cuda = run_cuda(row, function);
        best[0] = opencl < best[0] ? opencl : best[0];
        best[1] = cuda < best[1] ? cuda : best[1];
    }
    const bool same = is_same(row);
    printf("%-18s %5u  %8.2f GB/s  %8.2f GB/s  %5.2f%s\n", row->cuda, row->blocks,
           row->bytes * 1e-9 * (double)s.n / best[0], row->bytes * 1e-9 * (double)s.n / best[1],
           best[0] / best[1], same ? "" : "  DIFFERS");
    fflush(stdout);
    clReleaseKernel(kernel);
    return same;
}

int main(int count, char **arguments)
{
    if (count < 2)
        must(2, "opencl PTX [runs [elements [kernel]]]");
    const int runs = count > 2 ? atoi(arguments[2]) : 10;
    bool is_right = true;
    CUdevice device;
    CUcontext context;
    for (s.width = 32;
         s.width * s.width * 4 <= (count > 3 ? strtoull(arguments[3], NULL, 10) : 1 << 24);)
        s.width *= 2;
    s.n = s.width * s.width;
    start_opencl();
    must(cuInit(0), "cuInit");
    must(cuDeviceGet(&device, 0), "cuDeviceGet");
    must(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    char *text = read_text(arguments[1]);
    must(cuModuleLoadData(&s.module, text), "cuModuleLoadData");
    start_memory();
    printf("%-18s %5s  %13s  %13s  ratio\n", "kernel", "grid", "OpenCL C", "clem");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (count < 5 || strstr(rows[i].cuda, arguments[4]))
            is_right &= compare(&rows[i], runs);
    free(s.values);
    free(text);
    return is_right ? 0 : 1;
}
