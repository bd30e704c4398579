/* Double precision by the driver where a device has none: Intel's compiler emulates it where it is asked to. A kernel that
 * computes what goes wrong first is believed, not the option.
 * Source: github.com/intel/intel-graphics-compiler, -cl-fp64-gen-emu.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/emulated.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "cl/base/options.h"
#include "cl/base/steady.h"
#include "cl/device/trial.h"
#include "cl/own_thread.h"
#include "cl/trace.h"

static const char option[] = "-cl-fp64-gen-emu";

enum { UNKNOWN, NO, YES };

/* Of the first devices; others are not tried. Two threads may both find out, and find the same. */
enum { DEVICES = 64 };
static _Atomic int emulates[DEVICES];

/* ---- What is computed ---- */

enum { RESULTS = 8 };

static const char text[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "__kernel void trial(__global const ulong *from, __global ulong *to)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    const double a = as_double(from[3 * i]), b = as_double(from[3 * i + 1]);\n"
    "    const double c = as_double(from[3 * i + 2]);\n"
    "    to += 8 * i;\n"
    "    to[0] = as_ulong(a + b);\n"
    "    to[1] = as_ulong(a * b);\n"
    "    to[2] = as_ulong(a / b);\n"
    "    to[3] = as_ulong(fma(a, b, c));\n"
    "    to[4] = as_ulong(sqrt(fabs(a)));\n"
    "    to[5] = as_uint((float)a);\n"
    "    to[6] = as_ulong((double)(int)(from[3 * i] >> 17));\n"
    "    to[7] = (a < b) | (a == b) << 1 | (a != b) << 2;\n"
    "}\n";

/* Roundings both ways, ties, numbers below the normal ones, the ends of the range, infinity and sums that vanish. */
static const double numbers[][3] = {
    {1.0 / 3, 3.0, -1.0},
    {1.0 + 0x1p-52, 1.0 - 0x1p-53, -1.0},
    {0x1p-1022, 0.5, 0x1p-1074},
    {0x1.fffffffffffffp-1023, 0x1.8p-1, -0x1p-1074},
    {0x1p-1074, 0x1p-1074, 0.0},
    {0x1.fffffffffffffp1023, 0x1.0000000000001p0, -0x1.fffffffffffffp1023},
    {-0x1p1023, 2.0, 1.0},
    {123456789012345678.0, -9876543210.125, 0x1p-30},
    {0.1, 0.2, -0.02},
    {-7.0, 42.0, 294.0},
    {-0.0, 5.0, 0.0},
    {INFINITY, -2.5, 1e300},
    {0x1.fffffefffffffp127, 0x1.ffffffp-127, 0x1p-140},
    {4503599627370497.5, 4503599627370495.5, 0x1p-52},
    {3.0, 7.0, -0x1.5p4},
    {1e-310, 1e10, -1e-300},
};
enum { ROWS = sizeof numbers / sizeof *numbers };

static cl_ulong bits_of(double number)
{
    cl_ulong bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static cl_ulong narrow_bits_of(double number)
{
    const float narrow = (float)number;
    cl_uint bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

static void compute(const double row[3], cl_ulong wanted[RESULTS])
{
    const double a = row[0], b = row[1], c = row[2];
    const cl_int whole = (cl_int)(cl_uint)(bits_of(a) >> 17);
    wanted[0] = bits_of(a + b);
    wanted[1] = bits_of(a * b);
    wanted[2] = bits_of(a / b);
    wanted[3] = bits_of(fma(a, b, c));
    wanted[4] = bits_of(sqrt(fabs(a)));
    wanted[5] = narrow_bits_of(a);
    wanted[6] = bits_of((double)whole);
    wanted[7] = (cl_ulong)(a < b) | (cl_ulong)(a == b) << 1 | (cl_ulong)(a != b) << 2;
}

/* ---- The trial ---- */

struct trial {
    struct ocl_trial objects;
    cl_mem from;
    cl_ulong results[ROWS][RESULTS];
};

static cl_int build(struct ocl_trial *objects)
{
    const char *lines = text;
    cl_int error = CL_SUCCESS;
    objects->program = clCreateProgramWithSource(objects->context, 1, &lines, NULL, &error);
    if (error == CL_SUCCESS)
        error = clBuildProgram(objects->program, 1, &objects->device->id, option, NULL, NULL);
    if (error == CL_SUCCESS)
        objects->kernel = clCreateKernel(objects->program, "trial", &error);
    return error;
}

static cl_int make_buffers(struct trial *trial)
{
    struct ocl_trial *objects = &trial->objects;
    double copy[ROWS][3];
    cl_int error = CL_SUCCESS;
    memcpy(copy, numbers, sizeof copy);
    trial->from = clCreateBuffer(objects->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                 sizeof copy, copy, &error);
    if (error == CL_SUCCESS)
        objects->buffer = clCreateBuffer(objects->context, CL_MEM_READ_WRITE, sizeof trial->results,
                                         NULL, &error);
    return error;
}

static cl_int compute_there(struct trial *trial)
{
    const struct ocl_trial *objects = &trial->objects;
    const size_t items = ROWS;
    cl_int error = make_buffers(trial);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(objects->kernel, 0, sizeof trial->from, &trial->from);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(objects->kernel, 1, sizeof objects->buffer, &objects->buffer);
    if (error == CL_SUCCESS)
        error =
            ocl_steady_range(objects->queue, objects->kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    return error == CL_SUCCESS ? ocl_steady_read(objects->queue, objects->buffer,
                                                 sizeof trial->results, trial->results)
                               : error;
}

static int run(void *data)
{
    struct trial *trial = data;
    cl_int error = ocl_trial_begin(&trial->objects);
    if (error == CL_SUCCESS)
        error = build(&trial->objects);
    if (error == CL_SUCCESS)
        error = compute_there(trial);
    if (trial->from)
        clReleaseMemObject(trial->from);
    ocl_trial_end(&trial->objects);
    return error;
}

static bool is_right(const struct trial *trial)
{
    for (size_t i = 0; i < ROWS; i++) {
        cl_ulong wanted[RESULTS];
        compute(numbers[i], wanted);
        if (memcmp(wanted, trial->results[i], sizeof wanted) != 0)
            return false;
    }
    return true;
}

static int find(const struct ocl_device *device)
{
    struct trial trial = {.objects.device = device};
    const int before = ocl_steady_begin();
    const int error = own_thread_call(run, &trial, OCL_E_OUT_OF_MEMORY);
    ocl_steady_end(before);
    const bool emulates_double = error == CL_SUCCESS && is_right(&trial);
    ocl_trace("%s: %s: %s", device->facts.name, option,
              emulates_double       ? "yes"
              : error != CL_SUCCESS ? ocl_status_name(error)
                                    : "wrong result");
    return emulates_double ? YES : NO;
}

/* Of Intel's devices those with memory of their own: on the others kernels of the emulation do not end.
 * Source: github.com/intel/compute-runtime/issues/907. */
static bool may_try(const struct ocl_device *device)
{
    const struct ocl_device_facts *facts = &device->facts;
    return device->index < DEVICES && !facts->has_double && ocl_options_get()->doubles == NULL &&
           facts->device_class != OCL_CLASS_CPU && !facts->has_host_unified_memory &&
           strstr(facts->extensions, "cl_intel_") != NULL;
}

const char *ocl_emulated_option(const struct ocl_device *device)
{
    if (!may_try(device))
        return "";
    int found = atomic_load(&emulates[device->index]);
    if (found == UNKNOWN) {
        found = find(device);
        atomic_store(&emulates[device->index], found);
    }
    return found == YES ? option : "";
}
