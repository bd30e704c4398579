/* Checks of what programs and their kernels do: which are wanted, and what they find.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_H
#define OCL_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ocl_check {
    OCL_CHECK_MEMORY = 1,
    OCL_CHECK_INIT = 2,
    OCL_CHECK_RACE = 4,
    OCL_CHECK_SYNC = 8,
    OCL_CHECK_LEAK = 16,
    OCL_CHECK_GUARD = 32,
    OCL_CHECK_ALL =
        OCL_CHECK_MEMORY | OCL_CHECK_INIT | OCL_CHECK_RACE | OCL_CHECK_SYNC | OCL_CHECK_LEAK,
    /* Those for which kernels are translated in another way. */
    OCL_CHECK_KERNELS = OCL_CHECK_MEMORY | OCL_CHECK_INIT | OCL_CHECK_RACE | OCL_CHECK_SYNC
};

/* Those of enum ocl_check that CLEM_CHECK asks for, constant for the process; whether one of several is. */
unsigned ocl_check_wanted(void);
bool ocl_check_wants(unsigned checks);

/* Whether membarrier() makes all threads of the process see what was stored. Needs: races are wanted. */
bool ocl_check_can_stop_threads(void);

/* Bytes that an access goes to beyond the end of memory shall be nobody's: so many are allocated behind it. */
enum { OCL_CHECK_MARGIN = 1024 };

/* Device memory begins and ends to be a user's, as kernels see it; and memory that the host writes as it likes, whose bytes
 * count as written. Done nothing where no kernels are checked.
 * Shape:  kind is constant: "device memory". */
void ocl_check_allocated(uint64_t base, uint64_t bytes, const char *kind, bool is_written);
void ocl_check_freed(uint64_t base);

/* It is pages of the process's own, where the host writes as it likes: bytes of a page count as written once anybody has
 * touched that. Needs: nobody else maps them, and nobody but this process takes pages away. */
void ocl_check_follow_pages(uint64_t base);

/* Likewise, while kernels that were launched before may still use it for its last owner: they may, and its bytes count as written. */
void ocl_check_handed_on(uint64_t base, uint64_t bytes, const char *kind);

/* Whether memory was there that has been freed, and what is there now is no other. */
bool ocl_check_is_freed(uint64_t address);

/* All bytes of memory count as written: what nobody follows writes them. */
void ocl_check_filled(uint64_t base);

/* The same of all memory that there is. */
void ocl_check_all_filled(void);

/* Memory is another's now: what was done to it until then is no race with what comes. Nothing where no races are looked for. */
void ocl_check_race_forget(uint64_t address, uint64_t bytes);

/* A context's heap goes, or those of all contexts (NULL): what kernels have not freed of it is a leak; or is none. */
void ocl_check_heap_leave(const void *context);
void ocl_check_heap_lose(const void *context);

/* Rows of bytes in memory, as many as a shape says, and what is done to all of their bytes. */
struct ocl_check_rows {
    uint64_t address;
    size_t pitch, slice_bytes;
};
struct ocl_check_shape {
    size_t width, height, depth; /* bytes, rows, slices */
};

/* Whether it is known which bytes of that memory were written, as far as kernels have run. */
bool ocl_check_follows(const struct ocl_check_rows *source);

/* Addresses of the host's code, from the innermost call on. */
enum { OCL_STACK_DEPTH = 24 };
struct ocl_stack {
    void *at[OCL_STACK_DEPTH];
    int depth; /* 0: not known */
};

/* The caller's. */
void ocl_check_stack(struct ocl_stack *stack);

/* Rows are copied, or filled (source is NULL). Reports what was never written and goes to the host. by: the call's stack; NULL: the
 * caller's. */
void ocl_check_copied(const struct ocl_check_rows *target, const struct ocl_check_rows *source,
                      const struct ocl_check_shape *shape, const struct ocl_stack *by);

/* A call of a function of CUDA's begins and ends in the calling thread, which is one of the program's. Needs: races are wanted. */
void ocl_check_call_begin(void);
void ocl_check_call_end(void);

/* One thing that is wrong. What is not known is NULL or 0. */
struct ocl_finding {
    enum ocl_check check;
    bool is_warning;
    const char *what;   /* "4 bytes read past the end of an allocation" */
    const char *kernel; /* as the host knows it; NULL: the host itself did it */
    bool has_thread;
    uint32_t block[3], thread[3];
    const char *space; /* "global", "shared", "local", "constant", "parameter" */
    uint64_t address;
    uint64_t bytes;
    uint32_t ptx_line;
    const char *source;             /* "k.cu:12", "f.h:3, inlined at k.cu:12" */
    const char *about;              /* lines of words more: which allocation, which other thread */
    const struct ocl_stack *launch; /* of the host: the kernel's launch, or the call */
    const struct ocl_stack *allocation; /* of the memory's allocation */
    const struct ocl_stack *freed;      /* of its free */
    const struct ocl_stack *host;       /* of the program's own access */
    const struct ocl_stack *other;      /* of the other one's call */
    const char *other_kernel;           /* that it was the launch of */
};

/* Says it on stderr. From any thread, also within kernels; holds no lock of clem's while it does. */
void ocl_check_report(const struct ocl_finding *finding);

#endif
