/* clem-bench-cold: loads a module of PTX and launches kernels of it once, each over memory of zeros.
 *
 *   clem-bench-cold PTX KERNEL[,KERNEL...] GRID BLOCK SHARED [ARGUMENT...]
 *
 * GRID and BLOCK are X,Y,Z, SHARED the dynamic shared bytes; all kernels get the same. An ARGUMENT is p:BYTES (a pointer to so
 * many zeros), i:NUMBER, l:NUMBER (64 bits), f:NUMBER, d:NUMBER or z:BYTES (a struct of zeros).
 * Where METER_LOG names a file, the CPU seconds of the process until the device was open and until the kernels had run are
 * written to it, as meter.c writes its lines: "opened SECONDS", "ran SECONDS".
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cuda.h"

enum { MOST_ARGUMENTS = 64, MOST_BYTES = 16 << 20, VALUE_BYTES = 4096 };

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static void tell(const char *what)
{
    const char *path = getenv("METER_LOG");
    FILE *file = path ? fopen(path, "ae") : NULL;
    double used = 0;
    for (int whose = 0; whose < 2; whose++) {
        struct rusage usage;
        getrusage(whose ? RUSAGE_CHILDREN : RUSAGE_SELF, &usage);
        used += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    }
    if (file) {
        fprintf(file, "%s\t%.4f\n", what, used);
        fclose(file);
    }
}

static void must(CUresult result, const char *what)
{
    const char *words = "?";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorString(result, &words);
    fprintf(stderr, "clem-bench-cold: %s: %s\n", what, words);
    exit(1);
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rbe");
    char *text = calloc(1, MOST_BYTES);
    if (!file || !text || fread(text, 1, MOST_BYTES - 1, file) == 0) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return text;
}

/* X,Y,Z of which the last may be left out. */
static void read_size(const char *text, unsigned size[3])
{
    char *end = (char *)text;
    for (int i = 0; i < 3; i++) {
        size[i] = *end ? (unsigned)strtoul(end, &end, 10) : 1;
        end += *end == ',';
    }
}

static void *value_of(const char *argument)
{
    char *value = calloc(1, VALUE_BYTES);
    const char *number = argument[0] && argument[1] == ':' ? argument + 2 : "";
    CUdeviceptr memory;
    if (!value || !*number) {
        fprintf(stderr, "clem-bench-cold: %s is no argument\n", argument);
        exit(2);
    }
    switch (argument[0]) {
    case 'p':
        must(cuMemAlloc(&memory, strtoul(number, NULL, 10)), argument);
        must(cuMemsetD8(memory, 0, strtoul(number, NULL, 10)), argument);
        memcpy(value, &memory, sizeof memory);
        break;
    case 'i':
        memcpy(value, &(int){(int)strtol(number, NULL, 10)}, sizeof(int));
        break;
    case 'l':
        memcpy(value, &(long){strtol(number, NULL, 10)}, sizeof(long));
        break;
    case 'f':
        memcpy(value, &(float){strtof(number, NULL)}, sizeof(float));
        break;
    case 'd':
        memcpy(value, &(double){strtod(number, NULL)}, sizeof(double));
        break;
    default: /* z: zeros it is */
        break;
    }
    return value;
}

static void launch(CUmodule module, char *kernels, char **sizes, void **values)
{
    unsigned grid[3], block[3];
    read_size(sizes[0], grid);
    read_size(sizes[1], block);
    const unsigned shared = (unsigned)strtoul(sizes[2], NULL, 10);
    for (char *rest = NULL, *name = strtok_r(kernels, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest)) {
        CUfunction kernel;
        must(cuModuleGetFunction(&kernel, module, name), name);
        must(cuLaunchKernel(kernel, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared,
                            NULL, values, NULL),
             name);
        must(cuCtxSynchronize(), name);
    }
}

int main(int count, char **words)
{
    enum { FIXED = 6 };
    void *values[MOST_ARGUMENTS];
    CUdevice device;
    CUcontext context;
    CUmodule module;
    if (count < FIXED || count > FIXED + MOST_ARGUMENTS) {
        fputs("clem-bench-cold PTX KERNEL[,KERNEL...] GRID BLOCK SHARED [ARGUMENT...]\n", stderr);
        return 2;
    }
    char *text = read_text(words[1]);
    must(cuInit(0), "cuInit");
    must(cuDeviceGet(&device, 0), "cuDeviceGet");
    must(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    for (int i = FIXED; i < count; i++)
        values[i - FIXED] = value_of(words[i]);
    must(cuCtxSynchronize(), "cuCtxSynchronize");
    tell("opened");
    must(cuModuleLoadData(&module, text), words[1]);
    launch(module, words[2], words + 3, values);
    tell("ran");
    must(cuModuleUnload(module), "cuModuleUnload");
    must(cuDevicePrimaryCtxRelease(device), "cuDevicePrimaryCtxRelease");
    for (int i = FIXED; i < count; i++)
        free(values[i - FIXED]);
    free(text);
    return 0;
}
