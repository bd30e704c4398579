/* Copies, fills and allocations of streams, whose memory other streams' work may touch meanwhile. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_TRANSFER_H
#define OCL_CHECK_TRANSFER_H

#include "cl/check.h"
#include "cl/check/streams.h"

/* A launch of the host's, of which others are parts. */
struct ocl_check_origin {
    struct ocl_stream_time time; /* when it runs */
    struct ocl_stack stack;
};

/* A copy, or a fill (source is NULL), is next in a stream. An end that is NULL, or a source of address 0, is pageable memory,
 * which the host is done with when the call returns. Reports what other commands touch of it with nothing to order them. is_pinned: the source is memory that
 * the host writes as it likes, and must not until the copy is complete. */
void ocl_check_transfer(const struct ocl_stream *stream, const struct ocl_check_rows *target,
                        const struct ocl_check_rows *source, const struct ocl_check_shape *shape,
                        bool is_pinned);

/* The program itself touches a byte, at `code`, in the calling thread: work of streams that the host has not waited for, and that
 * touches it too, is reported. */
void ocl_check_host_touched(uint64_t address, bool writes, uint64_t code);

/* Memory has become a user's in a stream's order: other streams' work that nothing orders behind that is reported. */
void ocl_check_stream_allocated(const struct ocl_stream *stream, uint64_t address, size_t bytes);

/* A kernel that is not checked is next in a stream: what it writes nobody sees. */
void ocl_check_unseen_kernel(void);

#endif
