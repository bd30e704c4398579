/* Extension functions of a platform, and the constants that old headers lack. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_EXTENSION_H
#define OCL_EXTENSION_H

#include "cl/device/device_private.h"

/* cl_ext_buffer_device_address exists in two revisions, both in use; Debian 12's headers have neither.
 * Revision 1 (drafts 0.1 to 0.3; PoCL 6.0): a flag of clCreateBuffer. Revision 2 (1.0.0, January
 * 2025, and later): a property of clCreateBufferWithProperties. Both take the address as a cl_ulong
 * by value.
 * Source: OpenCL-Docs, extensions/cl_ext_buffer_device_address 0.1.0 to 0.3.0, and the registry
 *         from 1.0.0 on. */
enum { OCL_BDA_NONE, OCL_BDA_DRAFT, OCL_BDA_RELEASED };
#define OCL_BDA_DRAFT_FLAG         ((cl_mem_flags)1 << 31)
#define OCL_BDA_DRAFT_ADDRESS      0xff01
#define OCL_BDA_DRAFT_EXEC_INFO    0x11B8
#define OCL_BDA_RELEASED_PROPERTY  0x5000
#define OCL_BDA_RELEASED_ADDRESS   0x5001
#define OCL_BDA_RELEASED_EXEC_INFO 0x5002

/* Facts about a device's place on the bus that headers lack.
 * Source: cl_nv_device_attribute_query and cl_amd_device_attribute_query, and the drivers that
 *         answer them. */
#define OCL_DEVICE_PCI_BUS_ID_NV    0x4008
#define OCL_DEVICE_PCI_SLOT_ID_NV   0x4009
#define OCL_DEVICE_PCI_DOMAIN_ID_NV 0x400A
#define OCL_DEVICE_TOPOLOGY_AMD     0x4037

/* Where a buffer lies, by clCreateBufferNV(); no header of Debian 12 has it.
 * Source: cl_nv_create_buffer in Khronos' registry (cl_ext.h). */
#define OCL_LOCATED_HOST ((cl_bitfield)1 << 0)

struct ocl_extension {
    void *(CL_API_CALL *device_alloc)(cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint,
                                      cl_int *);
    void *(CL_API_CALL *host_alloc)(cl_context, const cl_ulong *, size_t, cl_uint, cl_int *);
    void *(CL_API_CALL *shared_alloc)(cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint,
                                      cl_int *);
    cl_int(CL_API_CALL *mem_free)(cl_context, void *); /* needs: no command uses it any more */
    cl_int(CL_API_CALL *mem_blocking_free)(cl_context, void *);
    cl_int(CL_API_CALL *set_arg_usm_pointer)(cl_kernel, cl_uint, const void *);
    cl_int(CL_API_CALL *enqueue_usm_copy)(cl_command_queue, cl_bool, void *, const void *, size_t,
                                          cl_uint, const cl_event *, cl_event *);
    cl_int(CL_API_CALL *enqueue_usm_fill)(cl_command_queue, void *, const void *, size_t, size_t,
                                          cl_uint, const cl_event *, cl_event *);
    cl_int(CL_API_CALL *set_arg_device_pointer)(cl_kernel, cl_uint, cl_ulong);
    /* A buffer in the place that the bits after the flags name. */
    cl_mem(CL_API_CALL *create_located)(cl_context, cl_mem_flags, cl_bitfield, size_t, void *,
                                        cl_int *);
};

/* Function pointers of a platform; entries the platform lacks are NULL. Lives as long as the
 * process. NULL without memory. Needs: called only while the devices are enumerated, by one thread;
 * others read ocl_device.extension. */
const struct ocl_extension *ocl_extension_get(cl_platform_id platform);

#endif
