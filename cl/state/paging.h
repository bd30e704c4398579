/* What memory whose pages move between host and device has to be told. Private to cl/.
 * Whatever moves pages allocates memory and enqueues commands: so these find it in a table, and nothing of it by name.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PAGING_H
#define OCL_PAGING_H

#include "cl/status.h"

struct ocl_allocation;
struct ocl_block;
struct ocl_queue;

/* Nearly free in a context without such memory. managed_private.h has the functions, and what they need. */
struct ocl_paging {
    ocl_status (*add)(struct ocl_block *block); /* a block of it comes, or goes */
    void (*remove)(struct ocl_block *block);
    void (*join)(struct ocl_allocation *allocation); /* an allocation ends */
    void (*detach)(const struct ocl_queue *queue);   /* a queue is destroyed */
    void (*enter)(struct ocl_queue *queue);          /* around commands of OCL_COMMAND_MEMORY */
    void (*leave)(void);
    ocl_status (*watch)(void);    /* faults of pages come to clem */
    void (*begin_function)(void); /* around functions of the host */
    void (*end_function)(void);
};

#endif
