/* What a device can do for PTX. Private to cl/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PTX_FACTS_H
#define OCL_PTX_FACTS_H

#include "cl/state/state.h"
#include "kernels/ptx/ptx.h"

/* Translations are OpenCL C 1.2, whatever else the driver would take; and they say nothing on the user's stderr, where PoCL
 * counts its warnings. */
#define OCL_TRANSLATION_OPTIONS "-cl-std=CL1.2 -w"

/* The option under which a device divides exactly, where it can: ptx_target.has_exact_divide. */
#define OCL_EXACT_DIVISION "-cl-fp32-correctly-rounded-divide-sqrt"

struct ocl_ptx_facts {
    bool runs_ptx;            /* as it is: ptx_binary.h */
    pthread_mutex_t lock;     /* a leaf: the rest */
    struct ptx_target target; /* what is not known yet as enum ptx_fact says */
    unsigned known;           /* of enum ptx_fact */
};

/* Found out at the first request of a context. NULL only without memory. */
struct ocl_ptx_facts *ocl_ptx_facts(struct ocl_context *context);

/* What a translation is told about the context's device. Returns what of enum ptx_fact is known by now. */
unsigned ocl_ptx_target(struct ocl_ptx_facts *facts, struct ptx_target *target);

/* Tries the device for facts of enum ptx_fact, each with a kernel of its own, which takes a build and a launch. What
 * cannot be found out counts as missing. Returns whether all are as those say who had not tried them. */
bool ocl_ptx_find_out(struct ocl_context *context, struct ocl_ptx_facts *facts, unsigned wanted);

#endif
