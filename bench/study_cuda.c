/* Studies through the CUDA API.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/cuda_side.h"
#include "bench/study_run.h"

/* Neighbouring tasks use the same kernels, and building them takes long. Two tasks may be open at once, and what the forms of
 * one need must not drive out what the other launches. */
#define KEPT 16

struct cuda_run {
    struct study_run run;
    struct span spans[STUDY_SETS][STUDY_BUFFERS];
    cudaKernel_t kernel;
};

static struct kept {
    const void *image;
    char *text; /* what the image is, where it is not there for good */
    cudaLibrary_t library;
} kept[KEPT];
static size_t next_kept;

static void forget(struct kept *entry)
{
    if (entry->library)
        cudaLibraryUnload(entry->library);
    free(entry->text);
    *entry = (struct kept){0};
}

void study_forget_kernels(void)
{
    for (size_t i = 0; i < KEPT; i++)
        forget(&kept[i]);
}

/* The library of an image, loaded or kept; takes owned over. NULL after attempt_fail. */
static cudaLibrary_t library_of(struct attempt *attempt, const void *image, char *owned)
{
    for (size_t i = 0; i < KEPT; i++) {
        if (kept[i].library &&
            (owned ? kept[i].text && strcmp(kept[i].text, owned) == 0 : kept[i].image == image)) {
            free(owned);
            return kept[i].library;
        }
    }
    struct kept *entry = &kept[next_kept];
    forget(entry);
    cudaLibrary_t library = NULL;
    if (!cuda_ok(attempt, cudaLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0),
                 "cudaLibraryLoadData")) {
        free(owned);
        return NULL;
    }
    *entry = (struct kept){image, owned, library};
    next_kept = (next_kept + 1) % KEPT;
    return library;
}

/* NULL after attempt_fail. */
static const void *image_of(struct attempt *attempt, const struct shot *shot,
                            char name[KERNEL_NAME_BYTES], void **owned)
{
    if (attempt->task->form == FORM_TRANSLATED)
        return runtime_translated_kernels(attempt, shot, name, owned);
    const void *image = runtime_shot_kernels(attempt->device, shot, name, owned);
    if (!image)
        attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    return image;
}

static bool prepare(struct attempt *attempt, struct study_run *run)
{
    struct cuda_run *own = (struct cuda_run *)run;
    char name[KERNEL_NAME_BYTES];
    void *owned = NULL;
    const void *image = image_of(attempt, &run->shot, name, &owned);
    if (!image)
        return false;
    cudaLibrary_t library = library_of(attempt, image, owned);
    return library && cuda_ok(attempt, cudaLibraryGetKernel(&own->kernel, library, name), name);
}

static void drop(struct study_run *run)
{
    ((struct cuda_run *)run)->kernel = NULL;
}

static bool take(struct attempt *attempt, struct study_run *run, size_t set, size_t index)
{
    const struct shot_buffer *buffer = &run->shot.buffers[index];
    return span_take(attempt, &((struct cuda_run *)run)->spans[set][index], buffer->place,
                     buffer->bytes);
}

static void give(struct study_run *run, size_t set, size_t index)
{
    struct span *span = &((struct cuda_run *)run)->spans[set][index];
    if (span->pointer)
        span_give(span);
}

static bool write(struct attempt *attempt, struct study_run *run, size_t set, size_t index,
                  size_t offset, const void *from, size_t bytes)
{
    const struct span *span = &((struct cuda_run *)run)->spans[set][index];
    char *to = (char *)span->pointer + offset;
    if (span->place == DEVICE)
        return cuda_ok(attempt, cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    memcpy(to, from, bytes);
    return true;
}

static bool read(struct attempt *attempt, struct study_run *run, size_t set, size_t index, void *to)
{
    const struct span *span = &((struct cuda_run *)run)->spans[set][index];
    if (span->place == DEVICE)
        return cuda_ok(attempt, cudaMemcpy(to, span->pointer, span->bytes, cudaMemcpyDeviceToHost),
                       "cudaMemcpy");
    memcpy(to, span->pointer, span->bytes);
    return true;
}

static unsigned at_least_one(size_t count)
{
    return count ? (unsigned)count : 1;
}

static void *address_of(struct cuda_run *own, size_t set, struct shot_argument *argument)
{
    if (argument->kind == ARGUMENT_BLOCK)
        return argument->value.block.bytes;
    return argument->kind == ARGUMENT_BUFFER ? (void *)&own->spans[set][argument->buffer].device
                                             : (void *)&argument->value;
}

static bool launch(struct attempt *attempt, struct study_run *run, size_t set)
{
    struct cuda_run *own = (struct cuda_run *)run;
    struct shot *shot = &run->shot;
    void *arguments[STUDY_ARGUMENTS];
    for (size_t i = 0; i < shot->argument_count; i++)
        arguments[i] = address_of(own, set, &shot->arguments[i]);
    const dim3 grid = {at_least_one(shot->groups[0]), at_least_one(shot->groups[1]), 1};
    const dim3 block = {at_least_one(shot->local[0]), at_least_one(shot->local[1]), 1};
    return cuda_ok(attempt,
                   cudaLaunchKernel((const void *)own->kernel, grid, block, arguments, 0, NULL),
                   "cudaLaunchKernel");
}

static bool finish(struct attempt *attempt, struct study_run *run)
{
    (void)run;
    return cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

static const struct study_side side = {take, give, write, read, prepare, drop, launch, finish};

static bool open_study(struct attempt *attempt)
{
    attempt->state = calloc(1, sizeof(struct cuda_run));
    return study_open(attempt, &side);
}

static void close_study(struct attempt *attempt)
{
    study_close(attempt->state);
    free(attempt->state);
}

const struct way cuda_study = {open_study, study_poison, study_verify, close_study, study_methods};
