/* Builds clem's own texts, without what drivers' compilers would read for all that OpenCL C has. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_DRIVER_DECLARATIONS_H
#define OCL_DRIVER_DECLARATIONS_H

#include "cl/device/device_private.h"

/* A program of a text of clem's own, built for one device; of PoCL's what a program brings along is taken (cl/pack.h).
 * Units:  bytes are those of the text, without its NUL.
 * Needs:  the text calls functions of OpenCL C by their names, not by names that it pastes together. One that
 *         driver_declarations.def lacks, or with vectors, costs it a second build.
 * Errors: those of ocl_driver_build() and clCreateProgramWithSource(). Where a build fails, *program is there, with the
 *         compiler's log; otherwise, in a failure, NULL.
 * Owns:   the caller releases *program. */
ocl_status ocl_driver_build_own(const struct ocl_device *device, cl_context context,
                                const char *text, size_t bytes, const char *options,
                                cl_program *program);

/* For the pack that is being made, if one is: a program that the above made. PoCL compiles it once more for that, for
 * work-groups of any size: for kernels that are launched with one work-item. */
void ocl_driver_note_own(const struct ocl_device *device, const char *text, size_t bytes,
                         const char *options, cl_program program);

/* The text with declarations of the functions of OpenCL C that it calls, or NULL: without memory, where it
 * calls others, and for drivers that are not known to build it then. The caller frees it. */
char *ocl_driver_declare(const struct ocl_device *device, const char *text, size_t bytes,
                         const char *options);

/* What the first build of ocl_driver_build_own() gives to the driver, for who builds it elsewhere: texts that end with NUL. */
struct ocl_driver_source {
    char *text, *options;
};

/* False: there is no memory, and nothing to free. */
bool ocl_driver_source_make(const struct ocl_device *device, const char *text, size_t bytes,
                            const char *options, struct ocl_driver_source *source);
void ocl_driver_source_free(struct ocl_driver_source *source);

#endif
