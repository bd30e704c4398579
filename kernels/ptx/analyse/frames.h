/* Recursion: functions that are jumped to and may lead back to themselves keep what they still need in frames, one behind the
 * other in an array of .local memory. Private to kernels/ptx/analyse/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_FRAMES_H
#define KERNELS_PTX_FRAMES_H

#include "kernels/ptx/analyse/grow.h"

/* Finds which of the functions that are jumped to may lead back to themselves, gives those frames, and writes what the entry
 * begins with where there are any.
 * Needs:  c->jumped and c->jumped_of are filled in, with bases; nothing was copied yet. */
void ptx_frames_find(struct ptx_growing *c);

/* Whether a call within one may come back to it before it returns. */
bool ptx_frames_may_return(const struct ptx_growing *c, const struct ptx_jumped *caller,
                           const struct ptx_jumped *callee);

/* At a function's beginning and at its end: its own .local variables lie in the frame. Where the frames are full, the thread
 * traps. */
void ptx_frames_enter(struct ptx_growing *c, const struct ptx_jumped *j);
void ptx_frames_leave(struct ptx_growing *c, const struct ptx_jumped *j);

/* Around a call at an instruction of the function, as it is in the module: what is read behind it. The second gets what the
 * first returned. */
struct ptx_saved *ptx_frames_save(struct ptx_growing *c, const struct ptx_jumped *j,
                                  const struct ptx_instruction *in);
void ptx_frames_restore(struct ptx_growing *c, const struct ptx_jumped *j,
                        const struct ptx_saved *saved);

#endif
