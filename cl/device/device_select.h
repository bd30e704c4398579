/* Which of the machine's devices clem shows, and in what order. Private to cl/device/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_DEVICE_SELECT_H
#define OCL_DEVICE_SELECT_H

#include "cl/device/device_private.h"

/* Each function works on an array in place and returns the new count. */

/* Orders GPUs, accelerators, CPUs, and keeps the order the platforms gave within each. */
int ocl_device_select_order(struct ocl_device *devices, int count);

/* Drops all but one entry of a GPU that several platforms show: the same UUID or PCI address. Keeps
 * the entry whose platform comes from the maker of the device, else the one with more address
 * strategies, else the first. */
int ocl_device_select_unique(struct ocl_device *devices, int count);

/* CLEM_DEVICE: a comma list; an entry is an index, or "all", or part of a platform's or device's name in any
 * case, which selects all that match. A number beyond the last device is looked for in the names
 * too. The order is the list's. Entries that match nothing are reported; when none matches, there is
 * no device, since another than the one asked for would mislead. NULL and blank lists keep all, but no
 * CPU where there is a GPU, and CPUs alone, where there are any, if kernels are to be checked. Needs: ocl_device_select_order(). */
int ocl_device_select_choice(struct ocl_device *devices, int count, const char *choice,
                             bool checks_kernels);

/* CUDA_VISIBLE_DEVICES: a comma list of indexes or of beginnings of "GPU-<uuid>" that fit one
 * device. The first entry that fits none ends the list; naming a device twice, or an empty list,
 * leaves none. NULL keeps all.
 * Source: CUDA C++ Programming Guide 13.0, CUDA Environment Variables. */
int ocl_device_select_visible(struct ocl_device *devices, int count, const char *visible);

#endif
