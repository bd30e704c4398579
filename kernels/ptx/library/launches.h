/* Kernels that launch kernels: what a grid's threads write down, and the host launches when the grid has ended. Read by C and
 * by OpenCL C, as CUDA's device runtime is called by PTX: cudaGetParameterBufferV2(), cudaLaunchDeviceV2() and so on.
 *
 * What translated code calls (launches.cl); `at` has the number of the thread and that of its block in the grid:
 *
 *   ulong clem_launch_room(launches, function, grid x y z, block x y z, shared, at)   where parameters go; 0: refused
 *   uint  clem_launch_begin(launches, parameters, stream, at)
 *   uint  clem_launch_last_error(launches, at), clem_launch_peek_error(launches, at)
 *
 * launches: NULL where the kernel is only compiled ahead. C has uint and ulong from <sys/types.h>.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_LIBRARY_LAUNCHES_H
#define CLEM_LIBRARY_LAUNCHES_H

/* Of one grid. Behind it lie, at the offsets that it tells: per function number of the module the bytes of parameters + 1,
 * 0 for what is no kernel; the last errors of threads; words about errors; records. */
struct clem_launches {
    uint most;     /* records that the grid may write */
    uint reserved; /* that it began, more where some were refused */
    uint begun;    /* records that are launches, in this order */
    uint used;     /* bytes of records */
    uint largest;  /* that a record may be */
    uint depth;    /* of the grid: 0 where the host launched it */
    uint handles;  /* streams and events that it made */
    uint failures; /* not 0: a thread has an error */
    uint functions, functions_at;
    uint errors, errors_at; /* struct clem_launch_error: a table of threads that have one */
    uint words, words_at;   /* rows of struct clem_launch_word */
    uint records_at;
    uint device; /* CUDA's number of it */
    uint limit;  /* cudaLimitDevRuntimePendingLaunchCount */
    uint reserved_words[15];
};

/* The parameters follow at once, and the next record begins at a multiple of CLEM_LAUNCH_ALIGNMENT. */
#define CLEM_LAUNCH_ALIGNMENT 64u
struct clem_launch_record {
    uint bytes; /* with the parameters and what is left free behind them */
    uint function;
    uint grid[3], block[3];
    uint shared;
    uint order; /* 0: not launched; otherwise a number, smaller than those of later launches */
    ulong stream;
    ulong block_number; /* of who launched it */
    ulong told;         /* where kernels are checked: CLEM_CHECK_LAUNCH's answer */
};

/* A thread's last error is at what its number hashes to or one of the next places. Who has more threads with errors that they do
 * not ask for than there is room loses some. */
#define CLEM_LAUNCH_ERRORS  8192u
#define CLEM_LAUNCH_PROBES  64u
#define CLEM_LAUNCH_NOBODY  0u          /* the place was never taken */
#define CLEM_LAUNCH_NOT_NOW 0xffffffffu /* it was, and is free again */
struct clem_launch_error {
    uint thread, error;
};

/* In place of a function: parameters are target, source, bytes; and target, value, bytes. Three ulong. */
#define CLEM_LAUNCH_COPY 0xfffffff0u
#define CLEM_LAUNCH_FILL 0xfffffff1u

/* Streams. The handles of others, and of events, count up from the last. Source: driver_types.h, cudaStreamTailLaunch and
 * cudaStreamFireAndForget. */
#define CLEM_LAUNCH_TAIL   3ul
#define CLEM_LAUNCH_FORGET 4ul
#define CLEM_LAUNCH_MADE   16ul

/* Kernels within kernels. Source: CUDA C++ Programming Guide 13.0, CUDA dynamic parallelism, launch environment. */
#define CLEM_LAUNCH_DEEPEST 24u
#define CLEM_LAUNCH_THREADS 1024u
#define CLEM_LAUNCH_SHARED  (64u * 1024u)

/* Source: driver_types.h, enum cudaError. */
#define CLEM_LAUNCH_OK            0u
#define CLEM_LAUNCH_VALUE         1u
#define CLEM_LAUNCH_MEMORY        2u
#define CLEM_LAUNCH_CONFIGURATION 9u
#define CLEM_LAUNCH_DEPTH         65u
#define CLEM_LAUNCH_PENDING       69u
#define CLEM_LAUNCH_FUNCTION      98u
#define CLEM_LAUNCH_HANDLE        400u

/* An error's name and description, each as so many words from its row on. */
#define CLEM_LAUNCH_WORD_BYTES 80u
struct clem_launch_word {
    uint error, reserved[3];
    char name[CLEM_LAUNCH_WORD_BYTES], text[CLEM_LAUNCH_WORD_BYTES];
};

#endif
