/* What copies, fills and stream-ordered allocations touch that the host does not know to be complete. Private to cl/check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TOUCHES_H
#define OCL_TOUCHES_H

#include "cl/check.h"
#include "cl/check/streams.h"

enum { OCL_TOUCHED_RANGES = 8 };

/* One end of a command of a stream's. */
struct ocl_touch {
    struct ocl_stream_time time;
    struct ocl_check_rows rows;
    struct ocl_check_shape shape;
    bool writes;
    bool
        is_watched; /* memory that the host writes as it likes, from which is read: `sum` is of its bytes */
    bool allocates;   /* all that others do there comes behind it; `writes` too */
    bool is_host;     /* the program itself touches it: ocl_stream_host() */
    const char *what; /* "copy", "fill", "stream-ordered allocation" */
    struct ocl_stack stack;
    uint64_t sum;
};

/* Whether they have bytes in common that either writes, and nothing orders them; *address is one of those. */
bool ocl_touches_meet(const struct ocl_touch *one, const struct ocl_touch *other,
                      uint64_t *address);

/* Keeps it until the host knows it to be complete, and all launches, and of many the latest. Beforehand: the first that it meets, copied;
 * false: none. */
bool ocl_touches_add(const struct ocl_touch *touch, struct ocl_touch *met, uint64_t *address);

/* Those that are not in order with a launch, or are watched, lie in these, as long as ocl_touches_change() stays the same: the lowest
 * first, and apart; 0 and 0 behind the last. */
uint64_t ocl_touches_change(void);
uint64_t ocl_touches_change_place(void); /* the address of that number */
void ocl_touches_bound(const struct ocl_stream_time *time,
                       uint64_t ranges[static OCL_TOUCHED_RANGES][2]);

/* The first that meets an access of a kernel to so many bytes, copied. What a kernel writes is no longer watched. is_open: the host
 * is meant to see it, or to be seen by it. */
bool ocl_touches_find(const struct ocl_stream_time *time, uint64_t address, uint64_t bytes,
                      bool writes, bool is_open, struct ocl_touch *met);

/* Memory is another's now. */
void ocl_touches_forget(uint64_t address, uint64_t bytes);

/* Of those that are complete, as the host knows, memory is no longer watched, and they go where all launches are known to be, too. Up
 * to one whose memory is not as it was, copied; false: none. */
bool ocl_touches_take_changed(struct ocl_touch *taken);

/* A kernel that is not checked may write what it likes: memory is no longer watched. */
void ocl_touches_trust(void);

#endif
