/* For tests of the device header: textures in device memory, laid out as arrays are, and kernels
 * that fetch from them, on plain OpenCL so that nothing of the launcher's is in between.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TEXTURE_DEVICE_H
#define TESTS_TEXTURE_DEVICE_H

#include "cl/state/state.h"
#include "kernels/device/clem_texture_facts.h"
#include "tests/kernels/texture_model.h"

/* The context's device with one program of the header and fetching kernels, in one variant. */
struct fetcher {
    struct ocl_context *context;
    cl_command_queue queue;
    cl_program program;
    bool by_image;
};

/* By image where type is "float4", "int4" or "uint4", for the formats that are read as such; by
 * hand where it is NULL. Skips the test where the device cannot do it. */
struct fetcher fetcher_open(const char *type);
void fetcher_close(struct fetcher *fetcher);

enum { FETCH_MOST = 4096 }; /* coordinates per launch */

/* A texture's texels on the device. */
struct laid_out {
    cl_mem memory;
    struct clem_texture facts;
};

/* Puts a model's texels into device memory, with gaps between rows, slices and levels that hold
 * values no texel has, and describes them. */
struct laid_out lay_out(const struct fetcher *fetcher, const struct model_texture *texture);
void lay_out_release(struct laid_out *laid_out);

/* Takes the model's address modes, filters and so on into the facts. */
void describe_sampling(struct laid_out *laid_out, const struct model_texture *texture);

/* Fetches at each place; 4 words for each come out, floats or whole numbers as the format has. */
void fetch_all(const struct fetcher *fetcher, const struct laid_out *laid_out,
               const struct model_texture *texture, enum model_fetch fetch,
               const struct model_coordinates *at, size_t count, uint32_t *out);

#endif
