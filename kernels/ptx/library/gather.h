/* How the blocks of a cooperative launch make sure that all of them are at work, where a work-item is a thread: they wait for
 * each other before they do anything else. Read by C and by OpenCL C.
 *
 * Before a launch all is zero but what the host sets. C has uint and ulong from <sys/types.h>.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_LIBRARY_GATHER_H
#define CLEM_LIBRARY_GATHER_H

struct clem_gather {
    uint workspace
        [2]; /* of the grid's barrier, as CUDA's compilers know it: its bytes, who has arrived */
    uint blocks; /* set by the host: that have to be at work at once; 0: they are only counted */
    uint
        patience; /* set by the host, > 0: how often one looks before it takes the rest not to come */
    uint arrived;  /* blocks that are at work; where they are counted, the answer */
    uint state;    /* CLEM_GATHER_...; what it becomes it stays */
    uint is_quiet; /* set by the host: no failure is noted */
    uint reserved;
};

#define CLEM_GATHER_OPEN    0u
#define CLEM_GATHER_ALL     1u
#define CLEM_GATHER_GAVE_UP 2u
#define CLEM_GATHER_COUNTED 3u

#endif
