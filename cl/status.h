/* The one result type of cl/: a cl_int carried unchanged, or one of cl/'s own codes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_STATUS_H
#define OCL_STATUS_H

#include <stdint.h>

/* 0 is success. Negative values down to -9999 are OpenCL's and come from the driver as they are. */
typedef int32_t ocl_status;

/* cl/'s own codes stand far outside the ranges Khronos and vendors use. */
enum {
    OCL_OK = 0,
    OCL_E_NO_DEVICE = -30001,     /* no OpenCL device that clem can use */
    OCL_E_INVALID_VALUE = -30002, /* an argument that no caller may pass */
    OCL_E_OUT_OF_MEMORY = -30003, /* the host or the device has no room */
    OCL_E_NOT_READY = -30004,     /* asked without waiting, and work is still going on */
    OCL_E_NOT_SUPPORTED = -30005, /* this device cannot do it */
    OCL_E_NOT_FOUND = -30006,     /* no such name, kernel or allocation */
    OCL_E_ALREADY = -30007,       /* the range is registered already */
    OCL_E_BUILD = -30008,         /* the program text did not compile */
    OCL_E_NEEDS_ADDRESS =
        -30009,          /* handle strategy: not a known pointer, and nothing else can be passed */
    OCL_E_FILE = -30010, /* a file could not be read */
    OCL_E_EXECUTION = -30011, /* earlier work in this context failed on the device */
    OCL_E_LAUNCH_SIZE =
        -30012, /* more work-items or local memory than the device or kernel can take */
    OCL_E_TIMING_DISABLED = -30013, /* the event was made without timing */
    OCL_E_ACCESS = -30014,          /* a kernel read or wrote where it must not */
    OCL_E_PTX = -30015,             /* the text is no PTX that can be read */
    OCL_E_ASSERT = -30016,          /* an assertion of a kernel failed */
    OCL_E_TRAP = -30017,            /* a kernel ended itself by a trap */
    OCL_E_GATHER =
        -30018 /* the blocks of a cooperative launch did not come to be at work at once */
};

/* The name of a status for logs: "CL_INVALID_VALUE", "OCL_E_NOT_READY"; "status -1234" is made for unknown ones in
 * a buffer of the calling thread that the next call overwrites. Never NULL. */
const char *ocl_status_name(ocl_status status);

#endif
