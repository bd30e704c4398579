/* Whether a device can have virtual memory: whether its kernels and commands use the pages of this process, wherever they
 * were mapped.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cl/base/opencl.h"
#include "cl/base/options.h"
#include "cl/base/steady.h"
#include "cl/block/block_strategy.h"
#include "cl/block/probe.h"
#include "cl/device/extension.h"
#include "cl/state/state.h"
#include "cl/trace.h"
#include "cl/virtual/virtual_private.h"

enum { UNKNOWN, NO, YES };

enum { ROUNDS = 2 }; /* a copy that the driver made once would pass one round */

/* What kernels/probe.cl's probe_add() reads and writes. */
struct pair {
    uint32_t before, after;
};

/* Commands on such memory name it by its address. */
static bool has_pointer_commands(const struct ocl_device_facts *facts)
{
    return facts->has_svm_coarse && facts->opencl_major >= 2 && facts->platform_major >= 2;
}

static bool may_try(const struct ocl_context *context)
{
    const struct ocl_capability *capability = &context->capability;
    return context->device->index < OCL_VIRTUAL_DEVICES && capability->device_is_host_memory &&
           capability->has_addresses && capability->pass != OCL_PASS_NUMBER &&
           has_pointer_commands(&context->device->facts);
}

/* As launches do it. */
static ocl_status set_pointer(const struct ocl_context *context, cl_kernel kernel, void *pointer)
{
    const struct ocl_extension *extension = context->device->extension;
    switch (context->capability.pass) {
    case OCL_PASS_USM_POINTER:
        return OCL_STEADY(extension->set_arg_usm_pointer(kernel, 0, pointer));
    case OCL_PASS_BDA_POINTER:
        return OCL_STEADY(extension->set_arg_device_pointer(kernel, 0, (uintptr_t)pointer));
    default:
        return clSetKernelArgSVMPointer(kernel, 0, pointer);
    }
}

static ocl_status add(struct ocl_context *context, void *pair, cl_uint n)
{
    cl_kernel kernel;
    ocl_status status = ocl_probe_kernel(context, "probe_add", &kernel);
    if (status != OCL_OK)
        return status;
    status = set_pointer(context, kernel, pair);
    if (status == OCL_OK)
        status = clSetKernelArg(kernel, 1, sizeof n, &n);
    if (status == OCL_OK)
        status = ocl_probe_run(context, kernel);
    clReleaseKernel(kernel);
    return status;
}

static ocl_status copy(struct ocl_context *context, void *to, const void *from, size_t bytes)
{
    const int before = ocl_steady_begin();
    const cl_int error =
        context->capability.address == OCL_ADDRESS_USM
            ? OCL_STEADY(context->device->extension->enqueue_usm_copy(context->service, CL_TRUE, to,
                                                                      from, bytes, 0, NULL, NULL))
            : clEnqueueSVMMemcpy(context->service, CL_TRUE, to, from, bytes, 0, NULL, NULL);
    ocl_steady_end(before);
    return error;
}

/* A kernel works on one of two mappings of a page, a command reads the other. Errors: OCL_E_EXECUTION: a wrong result; the
 * driver's. */
static ocl_status run_round(struct ocl_context *context, struct pair *one, const struct pair *other,
                            uint32_t round)
{
    struct pair pair = {.before = 100 * round};
    ocl_status status = copy(context, one, &pair, sizeof pair);
    if (status == OCL_OK && other->before != pair.before)
        return OCL_E_EXECUTION;
    if (status == OCL_OK)
        status = add(context, one, round);
    if (status == OCL_OK)
        status = copy(context, &pair, other, sizeof pair);
    return status == OCL_OK && pair.after != 101 * round ? OCL_E_EXECUTION : status;
}

static void *map(int file, size_t bytes)
{
    void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return made == MAP_FAILED ? NULL : made;
}

static ocl_status try_file(struct ocl_context *context, int file, size_t bytes)
{
    void *one = map(file, bytes), *other = map(file, bytes);
    ocl_status status = one && other ? OCL_OK : OCL_E_OUT_OF_MEMORY;
    for (uint32_t round = 1; status == OCL_OK && round <= ROUNDS; round++)
        status = run_round(context, one, other, round);
    if (one)
        munmap(one, bytes);
    if (other)
        munmap(other, bytes);
    return status;
}

static ocl_status try_it(struct ocl_context *context)
{
    const int before = ocl_steady_begin();
    const size_t bytes = ocl_block_page_bytes();
    const int file = ocl_physical_file(bytes);
    const ocl_status status =
        file >= 0 ? ocl_block_status(try_file(context, file, bytes)) : OCL_E_OUT_OF_MEMORY;
    if (file >= 0)
        close(file);
    ocl_steady_end(before);
    return status;
}

/* Without memory to try it nothing is known: whoever asks next tries again. */
bool ocl_virtual_is_supported(struct ocl_context *context)
{
    const int answer = atomic_load(&context->virtual_memory);
    if (answer != UNKNOWN)
        return answer == YES;
    const ocl_status status = may_try(context) ? try_it(context) : OCL_E_NOT_SUPPORTED;
    if (status != OCL_E_OUT_OF_MEMORY)
        atomic_store(&context->virtual_memory, status == OCL_OK ? YES : NO);
    ocl_trace("%s: virtual memory management: %s", context->device->facts.name,
              status == OCL_OK ? "yes" : ocl_status_name(status));
    return status == OCL_OK;
}

static bool expects_addresses(void)
{
    const char *forced = ocl_options_get()->address;
    return !forced || strcmp(forced, "handle") != 0;
}

bool ocl_virtual_is_expected(int device)
{
    const struct ocl_device_facts *facts = ocl_device_facts(device);
    return facts->device_class == OCL_CLASS_CPU && facts->has_host_unified_memory &&
           device < OCL_VIRTUAL_DEVICES && has_pointer_commands(facts) && expects_addresses();
}
