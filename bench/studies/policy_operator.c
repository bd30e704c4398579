/* Which of PTX's cache operators work: a small kernel must give right values.
 * SPDX-License-Identifier: Apache-2.0
 *
 * They are inline assembly, which only NVIDIA's compiler understands. Others are never shown it:
 * PoCL would build it and compute nonsense. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cuda_side.h"
#include "bench/studies/policy.h"

#define PROBE_WORDS 128

struct cache_operator {
    bool is_store;
    unsigned number; /* enum policy_path or enum policy_hint */
};

static void describe_probe(struct shot *shot, struct cache_operator probed)
{
    shot->file = "policy";
    shot->kernel = probed.is_store ? "policy_probe_store" : "policy_probe";
    shot_define_number(shot, "PATH", probed.is_store ? POLICY_PLAIN : probed.number);
    shot_define_number(shot, "HINT", probed.is_store ? probed.number : POLICY_WRITE);
}

static bool launch_probe(struct attempt *attempt, cudaKernel_t kernel, const struct span *source,
                         const struct span *target, bool is_store)
{
    uint32_t value = POLICY_VALUE;
    void *load[] = {(void *)&source->device, (void *)&target->device};
    void *store[] = {(void *)&target->device, &value};
    const dim3 grid = {1, 1, 1}, block = {is_store ? PROBE_WORDS / 4 : PROBE_WORDS, 1, 1};
    return cuda_ok(
        attempt,
        cudaLaunchKernel((const void *)kernel, grid, block, is_store ? store : load, 0, NULL),
        "cudaLaunchKernel");
}

static bool probe_is_right(struct attempt *attempt, const struct span *target, bool is_store)
{
    uint32_t words[PROBE_WORDS];
    if (!cuda_ok(attempt, cudaMemcpy(words, target->device, sizeof words, cudaMemcpyDeviceToHost),
                 "cudaMemcpy"))
        return false;
    for (uint32_t i = 0; i < PROBE_WORDS; i++)
        if (words[i] != (is_store ? i ^ POLICY_VALUE : 3 * pattern_word(PATTERN_WORDS, i) + i))
            return attempt_fail(attempt, STATUS_UNSUPPORTED,
                                "a kernel with this operator gives wrong values");
    return true;
}

static bool run_probe(struct attempt *attempt, cudaKernel_t kernel, bool is_store)
{
    struct span source = {0}, target = {0};
    bool right = span_take(attempt, &source, DEVICE, PROBE_WORDS * 4) &&
                 span_take(attempt, &target, DEVICE, PROBE_WORDS * 4) &&
                 span_fill(attempt, &source, PATTERN_WORDS) && span_poison(attempt, &target) &&
                 launch_probe(attempt, kernel, &source, &target, is_store) &&
                 probe_is_right(attempt, &target, is_store);
    if (source.pointer)
        span_give(&source);
    if (target.pointer)
        span_give(&target);
    return right;
}

static bool probe(struct attempt *attempt, struct cache_operator probed)
{
    struct shot shot = {0};
    char name[KERNEL_NAME_BYTES];
    void *owned = NULL;
    cudaLibrary_t library = NULL;
    cudaKernel_t kernel = NULL;
    describe_probe(&shot, probed);
    const void *image = runtime_shot_kernels(attempt->device, &shot, name, &owned);
    bool right =
        image &&
        cudaLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0) == cudaSuccess &&
        cudaLibraryGetKernel(&kernel, library, name) == cudaSuccess;
    if (right)
        right = run_probe(attempt, kernel, probed.is_store);
    else
        attempt_fail(attempt, STATUS_UNSUPPORTED, "the compiler does not take this operator: %s",
                     cudaGetErrorString(cudaGetLastError()));
    if (library)
        cudaLibraryUnload(library);
    free(owned);
    return right;
}

/* Asked once for each device of a run. */
static bool is_right(struct attempt *attempt, struct cache_operator probed)
{
    static struct answer {
        bool is_known, works;
        int device;
        char reason[sizeof attempt->reason];
    } answers[POLICY_PATHS + POLICY_HINTS];
    struct answer *answer = &answers[probed.number + (probed.is_store ? POLICY_PATHS : 0)];
    if (!answer->is_known || answer->device != attempt->device->index) {
        answer->works = probe(attempt, probed);
        answer->is_known = true;
        answer->device = attempt->device->index;
        snprintf(answer->reason, sizeof answer->reason, "%s", attempt->reason);
    }
    return answer->works || attempt_fail(attempt, STATUS_UNSUPPORTED, "%s", answer->reason);
}

bool policy_refuse(struct attempt *attempt, const char *reason)
{
    if (attempt)
        attempt_fail(attempt, STATUS_UNSUPPORTED, "%s", reason);
    return false;
}

/* opencl is empty over NVIDIA's own runtime. */
bool policy_reads_ptx(const struct device_facts *device)
{
    return !device->is_cpu && (!device->opencl[0] || strstr(device->opencl, "NVIDIA"));
}

static bool works(struct attempt *attempt, const struct device_facts *device,
                  struct cache_operator probed)
{
    if (!policy_reads_ptx(device))
        return policy_refuse(attempt, "cache operators are PTX, which is of NVIDIA's GPUs");
    return !attempt || is_right(attempt, probed);
}

bool policy_path_works(struct attempt *attempt, const struct device_facts *device,
                       enum policy_path path)
{
    return path < POLICY_CA || works(attempt, device, (struct cache_operator){false, path});
}

bool policy_hint_works(struct attempt *attempt, const struct device_facts *device,
                       enum policy_hint hint)
{
    if (hint == POLICY_NON_TEMPORAL && !device->is_cpu)
        return policy_refuse(attempt, "a builtin of CPU compilers; see cs and wt");
    return hint < POLICY_WB || works(attempt, device, (struct cache_operator){true, hint});
}
