/* What an OpenCL layer needs, once for all layers of the tests.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_TESTS_STUB_LAYER_H
#define CLEM_TESTS_STUB_LAYER_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#pragma GCC diagnostic pop

#define EXPORT __attribute__((visibility("default")))

/* Each layer defines this: it puts its own functions into layer, a copy of the table below it, and
 * keeps below to call what it stands before. */
void clem_stub_install(struct _cl_icd_dispatch *layer, const struct _cl_icd_dispatch *below);

#endif
