/* The file that a profiled process writes: what libclem and clem-run both know of it. Nobody else reads it, and both are of
 * one version.
 *
 * A page that says whose it is, then chunks of OCL_SPOOL_CHUNK bytes. A chunk is a struct ocl_spool_chunk and records, one
 * behind the other, up to its end or a word of zeros. The process maps what it writes, so whatever ends the process, the
 * records stay. Times are nanoseconds of CLOCK_MONOTONIC, but for those of commands, which are the device's.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_SPOOL_H
#define OCL_SPOOL_H

#include <stdatomic.h>
#include <stdint.h>

enum {
    OCL_SPOOL_VERSION = 2,
    OCL_SPOOL_PAGE = 64 << 10,
    OCL_SPOOL_CHUNK = 256 << 10,
    OCL_SPOOL_LEAST_CHUNKS = 8, /* of 2 MiB */
    OCL_SPOOL_MOST_PARTS = 1000
};
/* The file is called STEM.PROCESS and this, or STEM.PROCESS-PART for the second and later programs of the process. */
#define OCL_SPOOL_MAGIC  "clemspl\n"
#define OCL_SPOOL_SUFFIX ".clem-spool"

struct ocl_spool_header {
    char magic[8];
    uint32_t version, chunk_bytes;
    uint64_t process, parent;
    uint64_t monotonic, realtime, boottime; /* of one moment */
    uint64_t end;                           /* when the process ended by itself, or 0 */
    _Atomic uint64_t lost;                  /* records that there was no room for */
    _Atomic uint64_t overwritten;           /* chunks of which newer ones took the place */
    _Atomic uint64_t next;                  /* how many chunks were begun */
    _Atomic uint64_t commands;              /* that were timed */
    _Atomic uint64_t command_cost;          /* nanoseconds that took the host */
    uint32_t most;                          /* chunks that the file may have */
    uint32_t with_commands;                 /* 1: with --trace-detail=kernels */
    char program[256];
};

enum ocl_spool_use { OCL_SPOOL_UNUSED, OCL_SPOOL_EVENTS, OCL_SPOOL_NAMES };

struct ocl_spool_chunk {
    uint32_t use;          /* enum ocl_spool_use */
    _Atomic uint32_t busy; /* 1: a thread writes to it */
    uint64_t number;       /* of all that were begun, from 1 on */
    uint64_t reserved[6];
};

/* The first word of a record: kind, length in words with this one, a small value, the number of a name. */
enum ocl_spool_kind {
    OCL_SPOOL_END,    /* no record */
    OCL_SPOOL_NAME,   /* names are texts: words of bytes, with zeros behind */
    OCL_SPOOL_THREAD, /* who writes what follows in the chunk: the system's number of the thread */
    OCL_SPOOL_CALL,   /* start, end, number of the call | result << 32; small: enum ocl_spool_api */
    OCL_SPOOL_COMMAND, /* struct ocl_spool_command; small: enum ocl_spool_work */
    OCL_SPOOL_SPAN, /* start, end, value; small: enum ocl_spool_span: what the thread did within a call */
    OCL_SPOOL_MEMORY, /* when, bytes in use; small: enum ocl_spool_memory */
    OCL_SPOOL_CLOCK,  /* when, place, add to the device's time, at most wrong by so much */
    OCL_SPOOL_PLACE, /* what a name is called by in commands: number, number of the queue's device */
    OCL_SPOOL_RANGE, /* a program's own: when, identity, colour | domain << 32; small: enum ocl_spool_range */
};

enum ocl_spool_api { OCL_SPOOL_RUNTIME, OCL_SPOOL_DRIVER };

/* In the lowest four bits; of copies and fills enum ocl_spool_end of the source in the next two, of the target above. */
enum ocl_spool_work {
    OCL_SPOOL_KERNEL,
    OCL_SPOOL_COPY,
    OCL_SPOOL_FILL,
    OCL_SPOOL_OWN, /* something of clem's own */
};
enum ocl_spool_end {
    OCL_SPOOL_AT_HOST,
    OCL_SPOOL_AT_PAGEABLE,
    OCL_SPOOL_AT_PINNED,
    OCL_SPOOL_AT_DEVICE
};

enum ocl_spool_command_flag { OCL_SPOOL_UNTIMED = 0x100, OCL_SPOOL_HOST_TIME = 0x200 };

/* The words behind the first. */
struct ocl_spool_command {
    uint64_t enqueued; /* the host's time */
    uint64_t begin,
        end; /* the device's; 0 where OCL_SPOOL_UNTIMED; the host's where OCL_SPOOL_HOST_TIME */
    uint64_t call; /* the number of the call | system's number of its thread << 32; 0: of none */
    uint32_t place, device;
    uint64_t bytes; /* of a copy or fill; shared memory of a kernel */
    uint32_t grid[3], block[3];
};

enum ocl_spool_span {
    OCL_SPOOL_COMPILE, /* the driver's or clem's compiler was at work */
    OCL_SPOOL_CACHED,  /* it was taken from the cache */
    OCL_SPOOL_TO_HOST, /* value: bytes of managed memory that moved */
    OCL_SPOOL_TO_DEVICE
};

enum ocl_spool_memory { OCL_SPOOL_DEVICE, OCL_SPOOL_PINNED, OCL_SPOOL_MANAGED };

enum ocl_spool_range {
    OCL_SPOOL_MARK,
    OCL_SPOOL_PUSH,
    OCL_SPOOL_POP,
    OCL_SPOOL_START, /* identity: of the range, whatever threads end it */
    OCL_SPOOL_STOP
};

static inline uint64_t ocl_spool_first(enum ocl_spool_kind kind, unsigned words, unsigned small,
                                       uint32_t name)
{
    return (uint64_t)kind | (uint64_t)words << 8 | (uint64_t)small << 16 | (uint64_t)name << 32;
}

#endif
