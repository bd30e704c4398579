/* Why a launch is more than the device takes, in words.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/launch/kernel_limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl/device/work_group.h"
#include "cl/program/kernel.h"
#include "cl/trace.h"

/* Programs that do not look at errors would go on without a word: stderr hears of each kernel once,
 * whoever listens each time. */
void ocl_kernel_complain(struct ocl_kernel *kernel, const char *format, ...)
{
    static const char words[] = "kernel %s cannot be launched: %s";
    char *why = NULL;
    va_list list;
    va_start(list, format);
    if (vasprintf(&why, format, list) < 0)
        why = NULL;
    va_end(list);
    if (atomic_exchange(&kernel->is_complained_of, true))
        ocl_log(true, words, kernel->name, why ? why : "");
    else
        ocl_complain(words, kernel->name, why ? why : "");
    free(why);
}

static bool exceeds_local(struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    const uint64_t most = kernel->facts.most_local;
    const uint64_t fixed = kernel->facts.local_bytes;
    if (fixed <= most && launch->local_bytes <= most - fixed)
        return false;
    ocl_kernel_complain(kernel,
                        "it takes %llu bytes of local memory, and the launch gives it %zu more; "
                        "the device has %llu",
                        (unsigned long long)fixed, launch->local_bytes, (unsigned long long)most);
    return true;
}

/* Under PTX's translations a work-item may be a whole thread block; the kernel's parameters are the device's
 * business all the same. */
static bool exceeds_arguments(struct ocl_kernel *kernel)
{
    const size_t most = kernel->program->context->device->facts.max_parameter_bytes;
    if (most == 0 || kernel->facts.argument_bytes <= most)
        return false;
    ocl_kernel_complain(kernel, "its parameters take %zu bytes, and the device takes %zu",
                        kernel->facts.argument_bytes, most);
    return true;
}

static bool differs_from_required(struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    const size_t *required = kernel->facts.required_work_group, *items = launch->items;
    if (required[0] == 0 ||
        (items[0] == required[0] && items[1] == required[1] && items[2] == required[2]))
        return false;
    ocl_kernel_complain(kernel,
                        "its text wants work-groups of %zu x %zu x %zu work-items, and they are of "
                        "%zu x %zu x %zu",
                        required[0], required[1], required[2], items[0], items[1], items[2]);
    return true;
}

static bool exceeds_group(struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    const struct ocl_device *device = kernel->program->context->device;
    const size_t *items = launch->items, *most = device->facts.max_work_item;
    const size_t most_in_all = ocl_work_group_most(device);
    size_t all = 0;
    if (items[0] <= most[0] && items[1] <= most[1] && items[2] <= most[2] &&
        !__builtin_mul_overflow(items[0], items[1], &all) &&
        !__builtin_mul_overflow(all, items[2], &all) && all <= most_in_all)
        return false;
    ocl_kernel_complain(kernel,
                        "work-groups of %zu x %zu x %zu work-items; the device takes %zu x %zu x "
                        "%zu, and %zu in all",
                        items[0], items[1], items[2], most[0], most[1], most[2], most_in_all);
    return true;
}

/* What only the driver knows: registers, mostly. */
static void quote_driver(struct ocl_kernel *kernel, const struct ocl_launch *launch,
                         ocl_status status)
{
    const struct ocl_device_facts *device = &kernel->program->context->device->facts;
    const size_t *groups = launch->groups, *items = launch->items;
    ocl_kernel_complain(
        kernel,
        "the driver says %s to %zu x %zu x %zu work-groups of %zu x %zu x %zu work-items (its "
        "advice "
        "for this kernel is %zu), %llu of %llu bytes of local memory, and parameters of %zu bytes",
        ocl_status_name(status), groups[0], groups[1], groups[2], items[0], items[1], items[2],
        kernel->facts.max_work_group,
        (unsigned long long)kernel->facts.local_bytes + launch->local_bytes,
        (unsigned long long)device->local_bytes, kernel->facts.argument_bytes);
}

static bool is_empty(const struct ocl_launch *launch)
{
    for (int d = 0; d < 3; d++)
        if (launch->groups[d] == 0 || launch->items[d] == 0)
            return true;
    return false;
}

ocl_status ocl_kernel_explain(struct ocl_kernel *kernel, const struct ocl_launch *launch,
                              ocl_status status)
{
    if (status != OCL_E_LAUNCH_SIZE && status != CL_OUT_OF_RESOURCES &&
        status != CL_INVALID_ARG_SIZE)
        return status;
    if (!is_empty(launch) && !exceeds_local(kernel, launch) && !exceeds_arguments(kernel) &&
        !differs_from_required(kernel, launch) && !exceeds_group(kernel, launch))
        quote_driver(kernel, launch, status);
    return status;
}
