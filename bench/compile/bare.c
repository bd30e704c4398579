/* clem-bench-bare: builds a file of OpenCL C on the first CPU and launches kernels of it once, without clem.
 *
 *   clem-bench-bare FILE KERNEL[,KERNEL...] ITEMS GROUP BYTES NUMBER
 *   clem-bench-bare --platform
 *
 * Each kernel takes three __global pointers, to BYTES of memory each, and an int, NUMBER. --platform: the platform's version.
 * SPDX-License-Identifier: Apache-2.0 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLATFORMS = 16, MOST_BYTES = 1 << 20, POINTERS = 3 };

static void must(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "clem-bench-bare: %s: %d\n", what, (int)error);
    exit(1);
}

static cl_device_id first_cpu(cl_platform_id *platform)
{
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_uint count = 0;
    cl_device_id device = NULL;
    must(clGetPlatformIDs(MOST_PLATFORMS, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && i < MOST_PLATFORMS && !device; i++) {
        *platform = platforms[i];
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) != CL_SUCCESS)
            device = NULL;
    }
    must(device ? CL_SUCCESS : CL_DEVICE_NOT_FOUND, "no CPU");
    return device;
}

static int print_platform(void)
{
    cl_platform_id platform = NULL;
    char version[1024] = "";
    first_cpu(&platform);
    must(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL),
         "clGetPlatformInfo");
    puts(version);
    return 0;
}

static cl_program build(cl_context context, cl_device_id device, const char *path)
{
    FILE *file = fopen(path, "rbe");
    char *text = calloc(1, MOST_BYTES);
    cl_int error;
    if (!file || !text || fread(text, 1, MOST_BYTES - 1, file) == 0) {
        perror(path);
        exit(1);
    }
    fclose(file);
    cl_program program = clCreateProgramWithSource(context, 1, &(const char *){text}, NULL, &error);
    must(error, "clCreateProgramWithSource");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    free(text);
    return program;
}

int main(int count, char **words)
{
    cl_platform_id platform = NULL;
    cl_int error;
    if (count == 2 && strcmp(words[1], "--platform") == 0)
        return print_platform();
    if (count != 7)
        return 2;
    const size_t items = strtoul(words[3], NULL, 10), group = strtoul(words[4], NULL, 10);
    const cl_int number = (cl_int)strtol(words[6], NULL, 10);
    cl_device_id device = first_cpu(&platform);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    must(error, "clCreateCommandQueue");
    cl_program program = build(context, device, words[1]);
    cl_mem memory[POINTERS];
    for (int i = 0; i < POINTERS; i++) {
        memory[i] =
            clCreateBuffer(context, CL_MEM_READ_WRITE, strtoul(words[5], NULL, 10), NULL, &error);
        must(error, "clCreateBuffer");
    }
    for (char *rest = NULL, *name = strtok_r(words[2], ",", &rest); name;
         name = strtok_r(NULL, ",", &rest)) {
        cl_kernel kernel = clCreateKernel(program, name, &error);
        must(error, name);
        for (cl_uint i = 0; i < POINTERS; i++)
            must(clSetKernelArg(kernel, i, sizeof memory[i], &memory[i]), name);
        must(clSetKernelArg(kernel, POINTERS, sizeof number, &number), name);
        must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL), name);
        must(clFinish(queue), name);
        clReleaseKernel(kernel);
    }
    for (int i = 0; i < POINTERS; i++)
        clReleaseMemObject(memory[i]);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
