/* Fetches from images whose answers are known: does the driver read such images rightly?
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       one texel, or one for each layer; answer gets what the fetch gave.
 * Index space: one work-item.
 */
#ifdef __IMAGE_SUPPORT__

kernel void image_test_texel(read_only image2d_t image, sampler_t sampler, global float4 *answer)
{
    answer[0] = read_imagef(image, sampler, (float2)(0.5f, 0.5f));
}

/* Layer 1. */
kernel void image_test_rows(read_only image1d_array_t image, sampler_t sampler,
                            global float4 *answer)
{
    answer[0] = read_imagef(image, sampler, (float2)(0.5f, 1.0f));
}

kernel void image_test_planes(read_only image2d_array_t image, sampler_t sampler,
                              global float4 *answer)
{
    answer[0] = read_imagef(image, sampler, (float4)(0.5f, 0.5f, 1.0f, 0.0f));
}

#endif
