/* Builds OpenCL C texts by OpenCL runtimes for GPUs that are not there:
 *     clem_offline_driver amd TARGET <LIST     AMD's, which has offline devices
 *     clem_offline_driver mesa TARGET <LIST    Mesa's rusticl, under its drm-shim, which makes the kernel's driver up
 *     clem_offline_driver PLATFORM --version   the driver's
 * LIST has lines: text's file, options, output; tabs between. Of AMD's runtime the output is the code object, of Mesa's a line
 * for each kernel: name, 0, 0, bytes of private memory; tabs between. Prints a line for each text: "ok" or "refused", and the
 * text's file; what the compiler says goes to the output's name with ".log". Ends with 77 where there is no such runtime.
 * Source: CL_CONTEXT_OFFLINE_DEVICES_AMD of cl_amd_offline_devices.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

enum { OFFLINE_DEVICES = 0x403F, MOST_DEVICES = 512, MOST_KERNELS = 256 };

static bool is_mesa;
static cl_context context;
static cl_device_id device;

static bool is_wanted(cl_platform_id platform)
{
    char name[256] = "";
    return clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) == CL_SUCCESS &&
           strstr(name, is_mesa ? "rusticl" : "AMD Accelerated") != NULL;
}

static cl_platform_id find_platform(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        return NULL;
    for (cl_uint i = 0; i < count && i < 16; i++)
        if (is_wanted(platforms[i]))
            return platforms[i];
    return NULL;
}

/* The name alone, or with features of the target behind it ("gfx90a:sramecc+:xnack-"): the first is taken. */
static bool is_called(cl_device_id id, const char *target)
{
    char name[256] = "";
    const size_t length = strlen(target);
    return clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof name, name, NULL) == CL_SUCCESS &&
           strncmp(name, target, length) == 0 && (name[length] == '\0' || name[length] == ':');
}

static bool open_offline_device(cl_platform_id platform, const char *target)
{
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, (cl_context_properties)platform, OFFLINE_DEVICES, 1, 0};
    cl_device_id ids[MOST_DEVICES];
    size_t bytes = 0;
    cl_int error = CL_SUCCESS;
    context = clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, NULL, NULL, &error);
    if (error != CL_SUCCESS ||
        clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof ids, ids, &bytes) != CL_SUCCESS)
        return false;
    for (size_t i = 0; !device && i < bytes / sizeof *ids; i++)
        if (is_called(ids[i], target))
            device = ids[i];
    return device != NULL;
}

/* The drm-shim has one, whose name has the target's in it. */
static bool open_shim_device(cl_platform_id platform, const char *target)
{
    char name[256] = "";
    cl_int error = CL_SUCCESS;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL) != CL_SUCCESS ||
        clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL) != CL_SUCCESS ||
        !strstr(name, target))
        return false;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    return error == CL_SUCCESS;
}

static char *read_text(const char *path)
{
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    if (getdelim(&text, &room, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static bool write_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    const bool is_written = fwrite(bytes, 1, count, file) == count;
    return fclose(file) == 0 && is_written;
}

static void write_log(cl_program program, const char *output)
{
    static char log[1 << 16];
    char path[4096];
    (void)clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    snprintf(path, sizeof path, "%s.log", output);
    (void)write_bytes(path, log, strlen(log));
}

/* A context of many devices has a binary for each: those that nothing was built for have none. */
static bool write_binary(cl_program program, const char *output)
{
    static cl_device_id ids[MOST_DEVICES];
    static size_t sizes[MOST_DEVICES];
    static unsigned char *binaries[MOST_DEVICES];
    size_t bytes = 0;
    bool is_written = false;
    if (clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof ids, ids, &bytes) != CL_SUCCESS ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL) != CL_SUCCESS)
        return false;
    const size_t count = bytes / sizeof *ids;
    for (size_t i = 0; i < count; i++)
        binaries[i] = sizes[i] > 0 ? malloc(sizes[i]) : NULL;
    const cl_int error =
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof *binaries, binaries, NULL);
    for (size_t i = 0; i < count; i++) {
        if (error == CL_SUCCESS && ids[i] == device && binaries[i])
            is_written = write_bytes(output, binaries[i], sizes[i]);
        free(binaries[i]);
    }
    return is_written;
}

static bool write_kernel(FILE *file, cl_kernel kernel)
{
    char name[1024] = "";
    cl_ulong bytes = 0;
    return clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL) ==
               CL_SUCCESS &&
           clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes,
                                    &bytes, NULL) == CL_SUCCESS &&
           fprintf(file, "%s\t0\t0\t%llu\n", name, (unsigned long long)bytes) > 0;
}

/* Mesa makes machine code of a kernel when there is one. */
static bool write_kernels(cl_program program, const char *output)
{
    static cl_kernel kernels[MOST_KERNELS];
    cl_uint count = 0;
    FILE *file = fopen(output, "w");
    bool is_good =
        file && clCreateKernelsInProgram(program, MOST_KERNELS, kernels, &count) == CL_SUCCESS;
    for (cl_uint i = 0; i < count; i++) {
        is_good = is_good && write_kernel(file, kernels[i]);
        clReleaseKernel(kernels[i]);
    }
    is_good = file && fclose(file) == 0 && is_good;
    if (!is_good)
        (void)remove(output);
    return is_good;
}

static bool build(const char *text, const char *options, const char *output)
{
    cl_int error = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    if (error != CL_SUCCESS)
        return false;
    error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    const bool is_built = error == CL_SUCCESS && (is_mesa ? write_kernels(program, output)
                                                          : write_binary(program, output));
    if (!is_built)
        write_log(program, output);
    clReleaseProgram(program);
    return is_built;
}

/* Of a core, for a text; one that takes longer ends the program, and has no answer. */
enum { MOST_SECONDS = 90 };

static void limit_time(void)
{
    const struct itimerval limit = {.it_value = {.tv_sec = MOST_SECONDS}};
    (void)setitimer(ITIMER_PROF, &limit, NULL);
}

/* Lines of three fields. */
static bool build_list(void)
{
    static char line[16384];
    while (fgets(line, sizeof line, stdin)) {
        char *rest = line;
        line[strcspn(line, "\n")] = '\0';
        const char *path = strsep(&rest, "\t"), *options = strsep(&rest, "\t"),
                   *output = strsep(&rest, "\t");
        char *text = output ? read_text(path) : NULL;
        if (!text)
            return false;
        limit_time();
        printf("%s\t%s\n", build(text, options, output) ? "ok" : "refused", path);
        fflush(stdout);
        free(text);
    }
    return true;
}

/* Mesa tells its version as a device's driver. */
static int print_version(cl_platform_id platform)
{
    char version[256] = "";
    if (is_mesa && clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL) == CL_SUCCESS)
        (void)clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    if (!is_mesa)
        (void)clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL);
    printf("%s\n", version);
    return version[0] ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    is_mesa = strcmp(argv[1], "mesa") == 0;
    cl_platform_id platform = find_platform();
    if (!platform) {
        fprintf(stderr, "%s's OpenCL runtime is not there\n", argv[1]);
        return 77;
    }
    if (strcmp(argv[2], "--version") == 0)
        return print_version(platform);
    if (!(is_mesa ? open_shim_device : open_offline_device)(platform, argv[2])) {
        fprintf(stderr, "%s's OpenCL runtime has no device %s\n", argv[1], argv[2]);
        return 77;
    }
    return build_list() ? 0 : 1;
}
