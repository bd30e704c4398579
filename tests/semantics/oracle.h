/* What a semantics case sees: how to record steps, and shared fixtures.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A case is a function case_<group>_<name> with a row in cases.def. Everything it records becomes
 * one row "case<TAB>step<TAB>value". The same source runs natively and against clem, and the rows
 * must be equal.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CASE(group, name)       void case_##group##_##name(void);
#define CASE_ALONE(group, name) void case_##group##_##name(void);
#include "cases.def"
#undef CASE_ALONE
#undef CASE

/* Steps. The step's name is the call as it is written, or for the _AS forms a printf format. A
 * step that kills the process is recorded as "signal N" and left out when the runner repeats the
 * case, so that the steps after it are still seen. CALL records the code and the last error after
 * it, then clears the last error. TRY does the same, synchronises the device, and repeats the
 * case without the step when the step left a lasting error. DRIVER and DRIVER_TRY are their forms
 * for the driver API. */
#define CALL(...)                                                                                  \
    do {                                                                                           \
        if (oracle_begin("%s", #__VA_ARGS__)) {                                                    \
            oracle_end_runtime(__VA_ARGS__);                                                       \
        }                                                                                          \
    } while (0)
#define CALL_AS(call, ...)                                                                         \
    do {                                                                                           \
        if (oracle_begin(__VA_ARGS__)) {                                                           \
            oracle_end_runtime(call);                                                              \
        }                                                                                          \
    } while (0)
#define TRY(...)                                                                                   \
    do {                                                                                           \
        if (oracle_begin("%s", #__VA_ARGS__)) {                                                    \
            oracle_end_isolated(__VA_ARGS__);                                                      \
        }                                                                                          \
    } while (0)
#define TRY_AS(call, ...)                                                                          \
    do {                                                                                           \
        if (oracle_begin(__VA_ARGS__)) {                                                           \
            oracle_end_isolated(call);                                                             \
        }                                                                                          \
    } while (0)
#define DRIVER(...)                                                                                \
    do {                                                                                           \
        if (oracle_begin("%s", #__VA_ARGS__)) {                                                    \
            oracle_end_driver(__VA_ARGS__);                                                        \
        }                                                                                          \
    } while (0)
#define DRIVER_AS(call, ...)                                                                       \
    do {                                                                                           \
        if (oracle_begin(__VA_ARGS__)) {                                                           \
            oracle_end_driver(call);                                                               \
        }                                                                                          \
    } while (0)

#define DRIVER_TRY(...)                                                                            \
    do {                                                                                           \
        if (oracle_begin("%s", #__VA_ARGS__)) {                                                    \
            oracle_end_driver_isolated(__VA_ARGS__);                                               \
        }                                                                                          \
    } while (0)
#define DRIVER_TRY_AS(call, ...)                                                                   \
    do {                                                                                           \
        if (oracle_begin(__VA_ARGS__)) {                                                           \
            oracle_end_driver_isolated(call);                                                      \
        }                                                                                          \
    } while (0)

/* VALUE records a number that every implementation must give; DEVICE_VALUE one that differs by
 * device, which is kept in the data but not compared. TEXT and DEVICE_TEXT are the same for
 * strings. */
#define VALUE(value, ...)                                                                          \
    do {                                                                                           \
        if (oracle_begin(__VA_ARGS__)) {                                                           \
            oracle_end_value((long long)(value), false);                                           \
        }                                                                                          \
    } while (0)
#define DEVICE_VALUE(value, ...)                                                                   \
    do {                                                                                           \
        if (oracle_begin(__VA_ARGS__)) {                                                           \
            oracle_end_value((long long)(value), true);                                            \
        }                                                                                          \
    } while (0)
#define TEXT(text, ...)                                                                            \
    do {                                                                                           \
        if (oracle_begin(__VA_ARGS__)) {                                                           \
            oracle_end_text((text), false);                                                        \
        }                                                                                          \
    } while (0)
#define DEVICE_TEXT(text, ...)                                                                     \
    do {                                                                                           \
        if (oracle_begin(__VA_ARGS__)) {                                                           \
            oracle_end_text((text), true);                                                         \
        }                                                                                          \
    } while (0)

/* SKIP: the device cannot do the steps that would follow, for this reason; they are not missed. */
#define SKIP(reason) DEVICE_TEXT((reason), "(skipped)")

/* oracle_begin: announces a step; false when the runner already knows that it kills the process. */
bool oracle_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));
void oracle_end_runtime(cudaError_t code);
void oracle_end_isolated(cudaError_t code);
void oracle_end_driver(CUresult code);
void oracle_end_driver_isolated(CUresult code);
void oracle_end_value(long long value, bool differs_by_device);
void oracle_end_text(const char *text, bool differs_by_device);

/* Fixtures (support.c). They end the process with a message when the set-up itself fails, which
 * the runner records as "exit 70". */
void require(bool ok, const char *what);

/* Whether kernels can follow a pointer that is stored in device memory (not under clem's handle strategy). */
bool device_follows_pointers(void);
#define REQUIRE(call)        require((call) == cudaSuccess, #call)
#define REQUIRE_DRIVER(call) require((call) == CUDA_SUCCESS, #call)

#define KIB       ((size_t)1024)
#define MIB       ((size_t)1024 * 1024)
#define GIB       ((size_t)1024 * 1024 * 1024)
#define HUGE_SIZE ((size_t)1 << 50)

/* device_block, pinned_block: fresh memory filled with zeros. */
void *device_block(size_t bytes);
void *pinned_block(size_t bytes);

/* make_runtime_context: makes the primary context exist and current. make_driver_context: the
 * same by the driver API alone. */
void make_runtime_context(void);
void make_driver_context(void);

/* read_int: the int at any address, by cudaMemcpyDefault. write_int: the reverse. */
int read_int(const void *from);
void write_int(void *to, int value);
CUdeviceptr address_of(const void *p);
void sleep_ms(unsigned ms);
double now_ms(void);

/* struct place: one kind of memory that a copy or query may be given. */
struct place {
    const char *name;
    char *p;
    bool usable; /* at least PLACE_BYTES may be read and written there */
    bool host;   /* the host may read and write it */
};
enum { PLACE_BYTES = 4096 };

/* make_places: every kind of memory; the number of them is *count. The last ones are misuse:
 * freed, outside. */
const struct place *make_places(size_t *count);

/* record_pointer_attributes: each attribute that the driver tells of an address. */
void record_pointer_attributes(const char *name, const void *p);

/* Kernels (kernels.c): loaded by cudaLibraryLoadData on first use. */
enum kernel {
    KERNEL_NOOP,  /* () */
    KERNEL_STORE, /* (int *p, int v): *p = v */
    KERNEL_ADD,   /* (int *p, int n, int v): p[i] += v for i < n */
    KERNEL_SPIN,  /* (unsigned *out, unsigned iterations): long loop */
    KERNEL_PAIR, /* (int *out, struct kernel_pair s): out[0..2] = s.first, (int)s.second, s.third */
    KERNEL_FOLLOW,  /* (void **cell, int v): *(int *)cell[0] = v */
    KERNEL_DYNAMIC, /* (int *out, int n): out[i] = n - 1 - i, through n ints of shared memory */
    KERNEL_COUNT
};
struct kernel_pair {
    int first;
    long long second;
    signed char third;
};

const char *kernel_source(void);
const char *kernel_name(enum kernel which);
const void *kernel(enum kernel which);
cudaLibrary_t kernel_library(void);
cudaError_t launch(enum kernel which, unsigned grid, unsigned block, void **args, size_t shared,
                   cudaStream_t stream);
cudaError_t launch_store(int *p, int value, cudaStream_t stream);
/* kernels_forget: the library is gone (after cudaDeviceReset); the next use loads it again. */
void kernels_forget(void);

/* spin_start: keeps a stream busy, with a kernel that waits for a host function, until the process has rested, or
 * has worked, for ms milliseconds: that is, until somebody waits for the stream. One at a time. spin_is_over: whether it
 * has ended; a call that waits for it returns later. spin_prepare makes beforehand what it needs, so that nothing in
 * spin_start waits. spin_forget: as kernels_forget, which calls it. */
void spin_prepare(void);
cudaError_t spin_start(cudaStream_t stream, unsigned ms);
bool spin_is_over(void);
void spin_forget(void);
enum { SPIN_MS = 300 };

#endif
