/* Khronos' headers, as clem means them. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_OPENCL_H
#define OCL_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: all that OpenCL 1.2 has */
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>

#endif
