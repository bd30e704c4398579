/* What the kernels of a device share beside variables: the ring that printf writes to, the heap of
 * malloc, the first failure. Read by C and by OpenCL C.
 *
 * What translated code calls (runtime.cl), where `format`, `arguments` and strings are generic
 * addresses, and the two bases are what such addresses of shared and local memory count from:
 *
 *   int   clem_vprintf(__global struct clem_runtime *, ulong format, ulong arguments,
 *                      __local uchar *shared, CLEM_LOCAL uchar *stack)
 *   void  clem_assertfail(__global struct clem_runtime *, ulong message, ulong file, uint line,
 *                         ulong function, uint8 place, __local uchar *shared,
 *                         CLEM_LOCAL uchar *stack)
 *                         place: s012 the block's, s456 the thread's number. The thread then ends.
 *   void  clem_trap(__global struct clem_runtime *)      the thread then ends
 *   ulong clem_malloc(__global struct clem_runtime *, ulong bytes, uint seed)
 *                         seed: any number that threads differ in
 *   ulong clem_aligned_malloc(__global struct clem_runtime *, ulong bytes, ulong alignment, uint seed)
 *   void  clem_free(__global struct clem_runtime *, ulong address)
 *   void  clem_set_conditional(__global uint *conditions, ulong handle, uint value)
 *                         conditions: NULL in a launch that is no node of a graph with conditions
 *   ulong clem_clock(__global struct clem_runtime *)      grows from call to call
 *
 * CLEM_LOCAL is the address space of local memory. C has uint and ulong from <sys/types.h>.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_LIBRARY_RUNTIME_H
#define CLEM_LIBRARY_RUNTIME_H

/* The ring follows at once. A record begins at a multiple of 16 bytes; `written` counts the bytes of
 * all records ever, so a record is at its position modulo the ring's size, and is overwritten when
 * the ring comes round again.
 * Many more threads than fit may write at once, so the ring has parts: whoever writes to some of them
 * is counted there while it does. Where a thread comes to a part in which a record of an earlier
 * round is still being written, or one of a later round was, its own record is lost: what has a mark
 * is never a mixture. */
#define CLEM_RING_PARTS 16u
struct clem_runtime {
    uint ring_bytes; /* a power of two */
    uint written;    /* modulo 2^32 */
    uint failure;    /* the first one: CLEM_FAILURE_... */
    uint ticks, ticks_high;
    uint reserved;
    ulong heap;                  /* address of a struct clem_heap; 0: there is none */
    uint parts[CLEM_RING_PARTS]; /* the round, as the position of its first byte, + writers */
};

/* What conditional nodes of a graph's launch depend on: `count` and, at each handle, its value. */
#define CLEM_CONDITIONS_COUNT 0u /* values behind it, which handles number from 1 on */

#define CLEM_FAILURE_NONE   0u
#define CLEM_FAILURE_ASSERT 1u
#define CLEM_FAILURE_TRAP   2u
#define CLEM_FAILURE_GATHER 3u /* not all blocks of a cooperative launch came to be at work */

/* Words at the head of a record. `mark` is written last: CLEM_RECORD_MARK + position. */
#define CLEM_RECORD_MARK  0x636c656du
#define CLEM_RECORD_WORDS 4u /* mark, bytes with head and padding, kind, count */

/* CLEM_RECORD_PRINT: the format and its NUL, then `count` arguments: numbers of 8 bytes, for strings
 * their bytes and a NUL. CLEM_RECORD_ASSERT: seven numbers of 8 bytes (line, block x y z, thread
 * x y z), then message, file and function, each with its NUL. Nothing is aligned. */
#define CLEM_RECORD_PRINT  1u
#define CLEM_RECORD_ASSERT 2u

/* The heap: pages, each free, the first or a further one of a run, or cut into slots of one size.
 * All tables are found from the start of this struct. */
#define CLEM_HEAP_PAGE    4096u
#define CLEM_HEAP_CLASSES 14u
#define CLEM_HEAP_ACTIVE  64u /* pages per class that threads allocate from at a time */
#define CLEM_HEAP_SLOTS   8u  /* words of a page's slots */
#define CLEM_HEAP_CLOSED  0x80000000u
struct clem_heap {
    uint pages;
    uint next;      /* where the next search for free pages begins */
    uint used_at;   /* bytes to a word per 32 pages, one bit per page that is taken */
    uint kinds_at;  /* to a word per page: pages of the run that begins there, or
                          * CLEM_HEAP_CLOSED + class of its slots */
    uint counts_at; /* to a word per page: slots in use, with CLEM_HEAP_CLOSED where there are
                          * no slots */
    uint slots_at;  /* to CLEM_HEAP_SLOTS words per page: one bit per slot in use */
    uint first_at;  /* to page 0 */
    uint reserved;
    uint
        active[CLEM_HEAP_CLASSES * CLEM_HEAP_ACTIVE]; /* page + 1, or 0; with CLEM_HEAP_CLOSED while
                                                        * a thread opens the next page for it */
};

#endif
