/* What is checked of a launch's arguments.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/launch/kernel_checked.h"

#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cl/check.h"
#include "cl/check/check_transfer.h"
#include "cl/check/guard.h"
#include "cl/memory/address.h"
#include "cl/memory/uses.h"
#include "cl/native/native.h"

/* Reads as another process would, which fails where a read of one's own would end the process. A system that forbids it
 * leaves all pointers alone. */
static bool is_readable(uint64_t address)
{
    char byte;
    const struct iovec to = {&byte, 1}, from = {(void *)(uintptr_t)address, 1};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
}

static bool is_known(uint64_t address)
{
    struct ocl_guard_view view;
    struct ocl_allocation *const allocation = ocl_address_acquire_held(address);
    if (allocation)
        ocl_allocation_release(allocation);
    return allocation || ocl_guard_find(address, &view) || ocl_native_name_at(address);
}

/* The user's half of the address space, less what holds small numbers. Source: x86-64 and AArch64 Linux. */
static bool is_host_pointer(uint64_t value)
{
    enum { LOWEST = 1 << 16, USER_BITS = 47 };
    return value >= LOWEST && value >> USER_BITS == 0 && !is_known(value) && is_readable(value);
}

static void report(const struct ocl_kernel *kernel, size_t entry, uint64_t value)
{
    char what[160];
    struct ocl_stack stack;
    ocl_check_stack(&stack);
    snprintf(what, sizeof what,
             "argument %zu is 0x%llx, which is memory of the host: the launch is refused", entry,
             (unsigned long long)value);
    ocl_check_report(&(struct ocl_finding){
        .check = OCL_CHECK_GUARD, .what = what, .kernel = kernel->name, .launch = &stack});
}

/* The value of a parameter that may be a pointer, 0: it is none. *entry counts those of void **args. */
static uint64_t pointer_of(const struct ocl_kernel *kernel, const struct ocl_launch *launch,
                           size_t index, size_t *entry)
{
    const struct ocl_parameter *const parameter = &kernel->parameters[index];
    uint64_t value = 0;
    if (parameter->kind == OCL_PARAMETER_LOCAL || parameter->kind == OCL_PARAMETER_HIDDEN)
        return 0;
    if (parameter->kind == OCL_PARAMETER_POINTER ||
        (kernel->ptx && parameter->bytes == sizeof value))
        memcpy(&value, launch->arguments[*entry], sizeof value);
    ++*entry;
    return value;
}

ocl_status ocl_kernel_refuse_host_pointers(const struct ocl_kernel *kernel,
                                           const struct ocl_launch *launch)
{
    size_t entry = 0;
    for (size_t i = 0; i < kernel->facts.parameter_count; i++) {
        const uint64_t value = pointer_of(kernel, launch, i, &entry);
        if (is_host_pointer(value)) {
            report(kernel, entry - 1, value);
            return OCL_E_ACCESS;
        }
    }
    return OCL_OK;
}

void ocl_kernel_note_unchecked(const struct ocl_kernel *kernel)
{
    char what[256];
    const struct ocl_context *const context = kernel->program->context;
    const unsigned wanted = ocl_check_wanted() & OCL_CHECK_KERNELS;
    ocl_check_all_filled();
    ocl_check_unseen_kernel();
    if (!kernel->ptx)
        return;
    snprintf(
        what, sizeof what,
        "kernels run unchecked on %.100s with addresses of kind %s: checks need a CPU, and the "
        "kind raw, svm, usm or bda",
        context->device->facts.name, ocl_address_name(context->capability.address));
    ocl_check_report(&(struct ocl_finding){
        .check = (enum ocl_check)(wanted & -wanted), .is_warning = true, .what = what});
}

void ocl_kernel_note_uses(const struct ocl_kernel *kernel, const struct ocl_launch *launch,
                          const struct ocl_queue *queue)
{
    size_t entry = 0;
    for (size_t i = 0; i < kernel->facts.parameter_count; i++) {
        const uint64_t value = pointer_of(kernel, launch, i, &entry);
        struct ocl_allocation *const found = value ? ocl_address_acquire(value) : NULL;
        ocl_use_note(found, queue);
        if (found)
            ocl_allocation_release(found);
    }
}
