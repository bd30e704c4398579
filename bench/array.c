/* Copies to, from and between CUDA arrays of 16-byte texels.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/cuda_side.h"
#include "bench/texture.h"

struct array {
    struct span source, target; /* what is no array */
    cudaArray_t from, to;       /* what is one */
    struct image_shape shape;
    size_t row_bytes;
};

enum { TEXEL = 16 };

static bool take_array(struct attempt *attempt, const struct array *array, cudaArray_t *taken)
{
    const struct cudaChannelFormatDesc desc =
        cudaCreateChannelDesc(32, 32, 32, 32, cudaChannelFormatKindUnsigned);
    return cuda_ok(attempt,
                   cudaMallocArray(taken, &desc, array->shape.width, array->shape.height, 0),
                   "cudaMallocArray");
}

static bool take_source(struct attempt *attempt, struct array *array)
{
    const enum place place = attempt->task->row->source;
    return span_take(attempt, &array->source, place == ARRAY ? DEVICE : place,
                     attempt->task->bytes) &&
           span_fill(attempt, &array->source, PATTERN_WORDS) &&
           (place != ARRAY ||
            (take_array(attempt, array, &array->from) &&
             cuda_ok(attempt,
                     cudaMemcpy2DToArray(array->from, 0, 0, array->source.pointer, array->row_bytes,
                                         array->row_bytes, array->shape.height, cudaMemcpyDefault),
                     "cudaMemcpy2DToArray")));
}

static bool open_array(struct attempt *attempt)
{
    const struct task *task = attempt->task;
    struct array *array = attempt->state = calloc(1, sizeof *array);
    if (!array)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    array->shape = image_shape(task, TEXEL);
    array->row_bytes = array->shape.width * TEXEL;
    return take_source(attempt, array) &&
           span_take(attempt, &array->target,
                     task->row->target == ARRAY ? DEVICE : task->row->target, task->bytes) &&
           (task->row->target != ARRAY || take_array(attempt, array, &array->to));
}

static bool fill_target(struct attempt *attempt, const struct array *array)
{
    return cuda_ok(attempt,
                   cudaMemcpy2DToArray(array->to, 0, 0, array->target.pointer, array->row_bytes,
                                       array->row_bytes, array->shape.height, cudaMemcpyDefault),
                   "poisoning with cudaMemcpy2DToArray");
}

static bool poison_array(struct attempt *attempt)
{
    struct array *array = attempt->state;
    return span_poison(attempt, &array->target) && (!array->to || fill_target(attempt, array));
}

static bool verify_array(struct attempt *attempt)
{
    struct array *array = attempt->state;
    if (array->to &&
        !cuda_ok(attempt,
                 cudaMemcpy2DFromArray(array->target.pointer, array->row_bytes, array->to, 0, 0,
                                       array->row_bytes, array->shape.height, cudaMemcpyDefault),
                 "cudaMemcpy2DFromArray"))
        return false;
    return span_check(attempt, &array->target, CONTENT_COPY);
}

static void close_array(struct attempt *attempt)
{
    struct array *array = attempt->state;
    if (!array)
        return;
    cudaFreeArray(array->from);
    cudaFreeArray(array->to);
    span_give(&array->source);
    span_give(&array->target);
    free(array);
}

static cudaError_t copy(const struct array *array)
{
    const size_t row = array->row_bytes, height = array->shape.height;
    if (array->from && array->to)
        return cudaMemcpy2DArrayToArray(array->to, 0, 0, array->from, 0, 0, row, height,
                                        cudaMemcpyDeviceToDevice);
    if (array->to)
        return cudaMemcpy2DToArrayAsync(array->to, 0, 0, array->source.pointer, row, row, height,
                                        cudaMemcpyDefault, NULL);
    return cudaMemcpy2DFromArrayAsync(array->target.pointer, row, array->from, 0, 0, row, height,
                                      cudaMemcpyDefault, NULL);
}

static bool run_array(struct attempt *attempt, size_t count)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = copy(attempt->state);
    return cuda_ok(attempt, error, attempt->task->row->name) &&
           cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

static const struct method methods[] = {{"the call", NULL, run_array}, {NULL, NULL, NULL}};

const struct way cuda_array = {open_array, poison_array, verify_array, close_array, methods};
