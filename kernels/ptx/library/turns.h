/* How the blocks of a launch take turns where they may wait for each other. Read by C and by OpenCL C.
 *
 * Work-items are workers: each takes a block, runs it until it has ended or waits, and takes another. A block that has begun
 * has a slot, with its turn's record here and its registers and shared memory beside; one that waits lies there until a
 * worker comes round to it. Before a launch all is zero but what the host sets. C has uint and ulong from <sys/types.h>.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_LIBRARY_TURNS_H
#define CLEM_LIBRARY_TURNS_H

/* The records of the slots follow at once. */
struct clem_rota {
    uint slots;          /* set by the host, > 0 */
    uint workers;        /* that have not left; set by the host to how many there are */
    uint is_cooperative; /* set by the host: kernels see the workspace */
    uint next;           /* the first block that has not begun */
    uint waiting;        /* blocks that wait for a worker */
    uint progress;       /* grows whenever a block has done more than wait, and others do */
    uint workspace
        [2]; /* of the grid's barrier, as CUDA's compilers know it: its bytes, who has arrived */
    uint reserved[24];
};

/* Of a slot: which block it holds, and what of that is in no memory of its own. */
struct clem_rota_slot {
    uint state; /* CLEM_SLOT_... */
    uint left;  /* CLEM_TURN_... of the last turn */
    uint block;
    uint reserved[13];
    uint arrived[16]; /* at each barrier, of threads that only arrive */
};

#define CLEM_SLOT_FREE  0u
#define CLEM_SLOT_RUNS  1u
#define CLEM_SLOT_WAITS 2u

#define CLEM_TURN_ENDED  0u
#define CLEM_TURN_WAITED 1u /* and did nothing else */
#define CLEM_TURN_MOVED  2u /* got on, then came to wait */

#endif
