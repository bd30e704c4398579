/* Looks up the extension functions of a platform.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/extension.h"

#include <stdlib.h>
#include <string.h>

/* ISO C has no conversion from void * to a function pointer; POSIX promises that both have one
 * representation, so the bytes are copied. */
_Static_assert(sizeof(void *) == sizeof(void (*)(void)),
               "function pointers are as wide as object pointers");

#define FUNCTION(field, name)                                                                      \
    {                                                                                              \
        offsetof(struct ocl_extension, field), name                                                \
    }

static const struct {
    size_t offset;
    const char *name;
} functions[] = {
    FUNCTION(device_alloc, "clDeviceMemAllocINTEL"),
    FUNCTION(host_alloc, "clHostMemAllocINTEL"),
    FUNCTION(shared_alloc, "clSharedMemAllocINTEL"),
    FUNCTION(mem_free, "clMemFreeINTEL"),
    FUNCTION(mem_blocking_free, "clMemBlockingFreeINTEL"),
    FUNCTION(set_arg_usm_pointer, "clSetKernelArgMemPointerINTEL"),
    FUNCTION(enqueue_usm_copy, "clEnqueueMemcpyINTEL"),
    FUNCTION(enqueue_usm_fill, "clEnqueueMemFillINTEL"),
    FUNCTION(set_arg_device_pointer, "clSetKernelArgDevicePointerEXT"),
    FUNCTION(create_located, "clCreateBufferNV"),
};

struct platform_entry {
    cl_platform_id platform;
    struct ocl_extension extension;
    struct platform_entry *next;
};

static struct platform_entry *platforms;

static void look_up(cl_platform_id platform, struct ocl_extension *extension)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *address = clGetExtensionFunctionAddressForPlatform(platform, functions[i].name);
        memcpy((char *)extension + functions[i].offset, &address, sizeof address);
    }
}

const struct ocl_extension *ocl_extension_get(cl_platform_id platform)
{
    for (struct platform_entry *entry = platforms; entry; entry = entry->next)
        if (entry->platform == platform)
            return &entry->extension;
    struct platform_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->platform = platform;
    look_up(platform, &entry->extension);
    entry->next = platforms;
    platforms = entry;
    return &entry->extension;
}
