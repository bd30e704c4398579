/* Objects that several programs use one after the other, where making them takes longer than running a program.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ORDER_KEPT_H
#define ORDER_KEPT_H

#include "interpreter.h"

/* kept_stream, kept_event: as cudaStreamCreateWithPriority() and cudaEventCreateWithFlags() on the device, which is current
 * then; one that an earlier program had where this program reuses objects. */
cudaError_t kept_stream(const struct program *program, int device, unsigned flags, int priority,
                        cudaStream_t *stream);
cudaError_t kept_event(const struct program *program, int device, unsigned flags,
                       cudaEvent_t *event);

/* kept_give: back from the program; false where it is nobody else's and to be destroyed. */
bool kept_give(const void *handle);

/* kept_forget: the program destroys it. */
void kept_forget(const void *handle);

/* kept_memory: for a buffer, of memory that all programs share; NULL where it wants its own. The device is current. */
void *kept_memory(const struct program *program, unsigned buffer);

/* kept_has: the memory is of that kind, which is not freed. */
bool kept_has(const void *memory);

/* kept_end: the program's memory is free for the next. */
void kept_end(void);

#endif
