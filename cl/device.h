/* The OpenCL devices of this process and everything clem asks them, once.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_DEVICE_H
#define OCL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/status.h"

/* How a device pointer is represented; see capability.c for how one is chosen. */
enum ocl_address {
    OCL_ADDRESS_NONE,  /* not chosen yet */
    OCL_ADDRESS_BDA,   /* cl_ext_buffer_device_address */
    OCL_ADDRESS_USM,   /* cl_intel_unified_shared_memory device allocations */
    OCL_ADDRESS_RAW,   /* cl_mem whose device address a kernel reports */
    OCL_ADDRESS_SVM,   /* clSVMAlloc */
    OCL_ADDRESS_HANDLE /* cl_mem behind a reserved range of numbers */
};

/* "bda", "usm", "raw", "svm", "handle" or "none". */
const char *ocl_address_name(enum ocl_address address);

enum ocl_device_class { OCL_CLASS_GPU, OCL_CLASS_ACCELERATOR, OCL_CLASS_CPU };

/* Facts about one device: asked at start, constant afterwards. Sizes in bytes, clocks in MHz. */
struct ocl_device_facts {
    /* What the driver says, as it says it: name, vendor, compute_units, max_work_group, ... */
#define TEXT(field, bytes, query)          char field[bytes];
#define NUMBER(type, field, query)         type field;
#define NUMBERS(type, field, count, query) type field[count];
#include "cl/device_queries.def"
#undef TEXT
#undef NUMBER
#undef NUMBERS
    /* What is made of it. */
    char platform_name[256];
    char platform_vendor[256];
    char platform_version[256];
    int platform_major; /* of the OpenCL that the platform's dispatch table has */
    int opencl_major, opencl_minor;
    enum ocl_device_class device_class;
    char processor[17]; /* which instructions a CPU has, for what is kept; or empty */
    uint8_t uuid[16];
    bool has_uuid; /* uuid came from the driver; otherwise it is made from names and index */
    bool has_pci;
    uint32_t pci_domain, pci_bus, pci_device, pci_function;
    uint32_t base_align_bytes;
    bool has_double, has_half;
    bool has_int64_atomics;
    bool has_svm_coarse, has_svm_fine, has_svm_system, has_svm_atomics;
    bool has_usm, has_bda;
    bool has_located_buffers; /* cl_nv_create_buffer: buffers that lie in the host's memory */
};

/* Whether a blank-separated list (facts.extensions) holds the word. */
bool ocl_device_has_extension(const struct ocl_device_facts *facts, const char *extension);

/* What CLEM_COMPUTE_CAPABILITY says, as 75 for 7.5; 0: nothing. */
unsigned ocl_wanted_capability(void);

/* Number of devices, in CUDA's sense: after CLEM_DEVICE and CUDA_VISIBLE_DEVICES, one entry per
 * physical device, GPUs first, then accelerators, then CPUs, which are there unasked only where no GPU is. Starts OpenCL at the first call of the
 * process; safe from any thread. */
int ocl_device_count(void);

/* Whether there are devices, but CLEM_DEVICE names none of them. */
bool ocl_device_choice_is_unmet(void);

/* Whether one driver has both devices, or the devices of all numbers: no driver's kernels are known to reach what
 * another's allocated. Needs: indexes in range. */
bool ocl_device_shares_platform(int device, int other);
bool ocl_devices_share_platform(void);

/* Facts about device 0 .. count-1. Needs: index in range. Never NULL. */
const struct ocl_device_facts *ocl_device_facts(int device);

/* The most threads that a CUDA block can have on it, up to 1,024. The first question may run a kernel, and wait for it.
 * Needs: index in range. */
size_t ocl_device_most_threads(int device);

/* Whether kernels in OpenCL C may have double: the device's, or what its driver emulates. The first question may run a kernel,
 * and wait for it. Needs: index in range. */
bool ocl_device_has_double(int device);

/* Whether the device's memory is the host's. */
bool ocl_device_takes_host_memory(const struct ocl_device_facts *facts);

/* Whether kernels may use any memory of the process, as far as can be told before there is a context: under the handle
 * strategy, which CLEM_ADDRESS may ask for, they get buffers, which other memory has none of. */
bool ocl_device_reaches_pageable(const struct ocl_device_facts *facts);

/* What the driver says now about memory (PoCL's answer follows the host's); where it is the host's, no more than
 * this process may have. total and max_allocation in bytes. */
void ocl_device_memory(int device, uint64_t *total, uint64_t *max_allocation);

/* Whether cooperative launches on a device of these facts begin with all their work-groups at work, and not with blocks that take
 * turns, as on CPUs. */
bool ocl_device_gathers(const struct ocl_device_facts *facts);

#endif
