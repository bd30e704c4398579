/* Proves that the driver reads images rightly where drivers are known not to. PoCL 3.1 reads halves
 * as whole numbers, and scales the number of a layer with the coordinates that are normalised.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/steady.h"
#include "cl/block/probe.h"
#include "cl/image/image_private.h"
#include "cl/program/builtin.h"
#include "cl/program/kernel.h"
#include "cl/trace.h"

enum { LAYERS = 4 };

/* One image, and what x of texel 0 (of layer 1, where there are layers) is. */
struct question {
    const char *kernel;
    cl_image_format format;
    cl_image_desc shape;
    float answer;
    uint64_t texels[2 * LAYERS]; /* four halves or floats each */
};

/* Halves 1.5 and three times 0; floats 10, 20, 30, 40 and zeros, of which the first two of a texel
 * share a word. */
static const struct question questions[] = {
    [OCL_IMAGE_HALVES] = {"image_test_texel",
                          {CL_RGBA, CL_HALF_FLOAT},
                          {.image_type = CL_MEM_OBJECT_IMAGE2D,
                           .image_width = 1,
                           .image_height = 1},
                          1.5f,
                          {0x3e00}},
    [OCL_IMAGE_LAYERED_ROWS] = {"image_test_rows",
                                {CL_RGBA, CL_FLOAT},
                                {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                 .image_width = 1,
                                 .image_array_size = LAYERS},
                                20.0f,
                                {0x41200000, 0, 0x41a00000, 0, 0x41f00000, 0, 0x42200000, 0}},
    [OCL_IMAGE_LAYERED_PLANES] = {"image_test_planes",
                                  {CL_RGBA, CL_FLOAT},
                                  {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                   .image_width = 1,
                                   .image_height = 1,
                                   .image_array_size = LAYERS},
                                  20.0f,
                                  {0x41200000, 0, 0x41a00000, 0, 0x41f00000, 0, 0x42200000, 0}},
};

/* What a question is asked with. */
struct asking {
    cl_mem image, answer;
    cl_sampler sampler; /* the context's */
    cl_kernel kernel;
};

static void end(struct asking *asking)
{
    if (asking->image)
        clReleaseMemObject(asking->image);
    if (asking->answer)
        clReleaseMemObject(asking->answer);
    if (asking->kernel)
        clReleaseKernel(asking->kernel);
}

static ocl_status begin(struct ocl_context *context, const struct question *question,
                        struct asking *asking)
{
    struct ocl_kernel *kernel;
    cl_int error = CL_SUCCESS;
    uint64_t texels[2 * LAYERS]; /* drivers take it as theirs to write */
    for (size_t i = 0; i < sizeof texels / sizeof *texels; i++)
        texels[i] = question->texels[i];
    ocl_status status = ocl_builtin_kernel(context, "image_test", question->kernel, &kernel);
    if (status == OCL_OK)
        status =
            ocl_image_facts_sampler(context, true, OCL_ADDRESS_MODE_CLAMP, false, &asking->sampler);
    if (status != OCL_OK)
        return status;
    asking->kernel = clCreateKernel(kernel->program->cl, kernel->name, &error);
    if (error == CL_SUCCESS)
        asking->image = clCreateImage(context->cl, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                      &question->format, &question->shape, texels, &error);
    if (error == CL_SUCCESS)
        asking->answer =
            clCreateBuffer(context->cl, CL_MEM_READ_WRITE, sizeof(cl_float4), NULL, &error);
    return error;
}

static ocl_status ask(struct ocl_context *context, const struct asking *asking, float *answer)
{
    cl_float4 values;
    ocl_status status = clSetKernelArg(asking->kernel, 0, sizeof(cl_mem), &asking->image);
    if (status == OCL_OK)
        status = clSetKernelArg(asking->kernel, 1, sizeof(cl_sampler), &asking->sampler);
    if (status == OCL_OK)
        status = clSetKernelArg(asking->kernel, 2, sizeof(cl_mem), &asking->answer);
    if (status == OCL_OK)
        status = ocl_probe_run(context, asking->kernel);
    if (status == OCL_OK)
        status = ocl_steady_read(context->service, asking->answer, sizeof values, &values);
    if (status == OCL_OK)
        *answer = values.s[0];
    return status;
}

ocl_status ocl_image_test(struct ocl_context *context, enum ocl_image_claim claim, bool *is_right)
{
    struct asking asking = {0};
    float answer = 0;
    ocl_status status = begin(context, &questions[claim], &asking);
    if (status == OCL_OK)
        status = ask(context, &asking, &answer);
    end(&asking);
    *is_right = answer == questions[claim].answer;
    if (status == OCL_OK && !*is_right)
        ocl_trace("%s: the driver reads such images wrongly: %g for %g", questions[claim].kernel,
                  (double)answer, (double)questions[claim].answer);
    return status;
}
