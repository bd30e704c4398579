/* Whether kernels of one context reach the device memory of another.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/peer.h"

#include <stdlib.h>
#include <string.h>

#include "cl/memory.h"
#include "cl/program.h"
#include "cl/queue.h"
#include "cl/state/state.h"
#include "cl/state/stillness.h"
#include "cl/trace.h"

static const char source[] =
    "kernel void clem_reach(global volatile uint *p, uint v) { p[1] = p[0] + v; }\n";

enum { SEED = 0x1234567, STEP = 0x1020304 };

static ocl_status launch(struct ocl_program *program, struct ocl_queue *queue, uint64_t address)
{
    uint32_t step = STEP;
    void *const arguments[] = {&address, &step};
    const struct ocl_launch launch = {
        .groups = {1, 1, 1}, .items = {1, 1, 1}, .arguments = arguments};
    struct ocl_kernel *kernel = ocl_program_find_kernel(program, "clem_reach");
    ocl_status status = kernel ? ocl_kernel_launch(kernel, queue, &launch) : OCL_E_NOT_FOUND;
    const ocl_status finished =
        ocl_queue_finish(queue); /* of a launch that was refused half way, too */
    return status == OCL_OK ? finished : status;
}

/* The words are the host's to read and write as well. */
static bool reaches(struct ocl_context *context, uint64_t address)
{
    volatile uint32_t *words = (volatile uint32_t *)(uintptr_t)address;
    struct ocl_program *program = NULL;
    struct ocl_queue *queue = NULL;
    char *log = NULL;
    ocl_write_begin(context);
    words[0] = SEED;
    words[1] = 0;
    ocl_write_end(context);
    ocl_status status = ocl_program_build(context, source, strlen(source), "", &program, &log);
    free(log);
    if (status == OCL_OK)
        status = ocl_queue_create(context, OCL_QUEUE_APART, 0, &queue);
    if (status == OCL_OK)
        status = launch(program, queue, address);
    ocl_queue_destroy(queue);
    ocl_program_release(program);
    return status == OCL_OK && words[1] == SEED + STEP;
}

static bool may_reach(const struct ocl_context *context)
{
    return context->capability.device_is_host_memory && context->capability.has_addresses;
}

bool ocl_peer_reaches(struct ocl_context *context, struct ocl_context *peer)
{
    uint64_t address = 0;
    if (context == peer || !may_reach(context) || !may_reach(peer) ||
        ocl_memory_allocate(peer, 2 * sizeof(uint32_t), 0, &address) != OCL_OK)
        return false;
    const bool is_reached = reaches(context, address);
    ocl_memory_discard(address);
    ocl_trace("%s: kernels %s device memory of %s", context->device->facts.name,
              is_reached ? "reach" : "do not reach", peer->device->facts.name);
    return is_reached;
}
