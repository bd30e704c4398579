/* Rectangle kernels of the raw OpenCL side, built for one shape.
 * SPDX-License-Identifier: Apache-2.0
 *
 * WORD: uint4 or ulong; pitches and ROW_WORDS count words. Rows of all slices are numbered through;
 * a row's place in the target skips the unused rows of each slice.
 * _items: one item per word, in two dimensions, rounded up. _chunk: `chunk` rows per item. */
#ifndef CLEM_BENCH_RAW_RECT_KERNELS_H
#define CLEM_BENCH_RAW_RECT_KERNELS_H

#include "bench/raw_opencl.h"

struct raw_rect_kernel {
    cl_program program;
    struct raw_kernel kernel;
};

/* A kernel (rect_copy_items, rect_copy_chunk, rect_copy_streaming, rect_set_items, ...) for the
 * task's shape between two buffers; from is ignored by sets. to_pitch and from_pitch in bytes.
 * Remade only when it was closed. */
bool raw_rect_make(struct attempt *attempt, struct raw *raw, struct raw_rect_kernel *made,
                   const char *name, cl_mem to, size_t to_pitch, cl_mem from, size_t from_pitch);
void raw_rect_close(struct raw_rect_kernel *made);

#endif
