/* Chooses the address strategy of a context by self-tests with real kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/context/capability.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cl/base/options.h"
#include "cl/block/block.h"
#include "cl/block/block_strategy.h"
#include "cl/block/probe.h"
#include "cl/context.h"
#include "cl/device/extension.h"
#include "cl/managed/managed_private.h"
#include "cl/trace.h"
#include "cl/whole.h"

/* Memory of the self-tests. The places are not multiples of large powers of two, so that what works
 * only for aligned addresses does not pass. */
enum {
    TEST_BYTES = 65536,
    FOLLOW_AT = 1032, /* where the kernel's three words lie: a multiple of 8 */
    TARGET_AT = 4108, /* where the two numbers lie that it is led to: a multiple of 4 */
    ROUNDS = 2        /* a copy that the driver made once would pass one round */
};

/* What kernels/probe.cl's follow() reads and writes. */
struct follow_words {
    uint64_t target, number, self;
};
struct follow_pair {
    uint32_t before, after;
};

/* ---- moving bytes and setting arguments, each in the strategy's own way ---- */

static ocl_status write_block(const struct ocl_block *block, size_t offset, const void *host,
                              size_t bytes)
{
    cl_command_queue queue = block->context->service;
    char *place = (char *)block->pointer + offset;
    if (block->buffer)
        return clEnqueueWriteBuffer(queue, block->buffer, CL_TRUE, offset, bytes, host, 0, NULL,
                                    NULL);
    if (block->context->capability.address == OCL_ADDRESS_USM)
        return OCL_STEADY(block->context->device->extension->enqueue_usm_copy(
            queue, CL_TRUE, place, host, bytes, 0, NULL, NULL));
    return clEnqueueSVMMemcpy(queue, CL_TRUE, place, host, bytes, 0, NULL, NULL);
}

static ocl_status read_block(const struct ocl_block *block, size_t offset, void *host, size_t bytes)
{
    cl_command_queue queue = block->context->service;
    const char *place = (const char *)block->pointer + offset;
    if (block->buffer)
        return clEnqueueReadBuffer(queue, block->buffer, CL_TRUE, offset, bytes, host, 0, NULL,
                                   NULL);
    if (block->context->capability.address == OCL_ADDRESS_USM)
        return OCL_STEADY(block->context->device->extension->enqueue_usm_copy(
            queue, CL_TRUE, host, place, bytes, 0, NULL, NULL));
    return clEnqueueSVMMemcpy(queue, CL_TRUE, host, place, bytes, 0, NULL, NULL);
}

static ocl_status set_address(struct ocl_context *context, cl_kernel kernel, cl_uint index,
                              uint64_t address)
{
    const struct ocl_extension *extension = context->device->extension;
    const void *pointer = (const void *)(uintptr_t)address;
    const cl_ulong number = address;
    switch (context->capability.pass) {
    case OCL_PASS_SVM_POINTER:
        return clSetKernelArgSVMPointer(kernel, index, pointer);
    case OCL_PASS_USM_POINTER:
        return OCL_STEADY(extension->set_arg_usm_pointer(kernel, index, pointer));
    case OCL_PASS_BDA_POINTER:
        return OCL_STEADY(extension->set_arg_device_pointer(kernel, index, number));
    case OCL_PASS_NUMBER:
        return clSetKernelArg(kernel, index, sizeof number, &number);
    default:
        return OCL_E_NOT_SUPPORTED;
    }
}

/* Functions of OpenCL 2.0 stand in the dispatch table only of platforms that have it, and do
 * something only on devices that have it. */
static bool has_version_2(const struct ocl_context *context)
{
    return context->device->facts.opencl_major >= 2 && context->device->facts.platform_major >= 2;
}

static bool has_pass(const struct ocl_context *context, enum ocl_pass pass)
{
    switch (pass) {
    case OCL_PASS_SVM_POINTER:
        return has_version_2(context);
    case OCL_PASS_USM_POINTER:
        return context->device->extension->set_arg_usm_pointer != NULL;
    case OCL_PASS_BDA_POINTER:
        return context->device->extension->set_arg_device_pointer != NULL;
    default:
        return true;
    }
}

/* A driver that refuses the declaration and still passes the test needs none. */
static void declare(struct ocl_context *context, cl_kernel kernel)
{
    ocl_status status = ocl_block_declare_indirect(context, kernel);
    if (status == OCL_OK)
        return;
    ocl_trace("%s: indirect use cannot be declared (%s)",
              ocl_address_name(context->capability.address), ocl_status_name(status));
    context->capability.indirect_info = 0;
}

/* Runs follow() on the words at an address. */
static ocl_status run_follow(struct ocl_context *context, uint64_t words)
{
    const bool is_number = context->capability.pass == OCL_PASS_NUMBER;
    cl_kernel kernel;
    ocl_status status = is_number ? ocl_probe_kernel(context, "probe_follow_number", &kernel)
                                  : ocl_probe_follow_kernel(context, &kernel);
    if (status != OCL_OK)
        return status;
    declare(context, kernel);
    status = set_address(context, kernel, 0, words);
    if (status == OCL_OK)
        status = ocl_probe_run(context, kernel);
    clReleaseKernel(kernel);
    return status;
}

/* ---- does a kernel follow addresses through memory? ---- */

static bool overlap(const struct ocl_block *a, const struct ocl_block *b)
{
    return a->address < b->address + b->bytes && b->address < a->address + a->bytes;
}

/* The kernel gets an address inside `from`, and finds there one inside `to`. */
static ocl_status follow_blocks(struct ocl_context *context, const struct ocl_block *from,
                                const struct ocl_block *to)
{
    const uint64_t self = from->address + FOLLOW_AT;
    struct follow_words words = {.target = to->address + TARGET_AT, .number = 1234567};
    struct follow_pair pair = {.before = 87654321};
    const uint32_t expected = pair.before + (uint32_t)words.number;
    ocl_status status = write_block(from, FOLLOW_AT, &words, sizeof words);
    if (status == OCL_OK)
        status = write_block(to, TARGET_AT, &pair, sizeof pair);
    if (status == OCL_OK)
        status = run_follow(context, self);
    if (status == OCL_OK)
        status = read_block(from, FOLLOW_AT, &words, sizeof words);
    if (status == OCL_OK)
        status = read_block(to, TARGET_AT, &pair, sizeof pair);
    if (status != OCL_OK)
        return status;
    return pair.after == expected && words.self == self ? OCL_OK : OCL_E_EXECUTION;
}

/* What is told of two tries of which the first failed: a wrong result tells more than a refusal, for all calls before it
 * succeeded. */
static ocl_status of_two_tries(ocl_status first, ocl_status second)
{
    return first == OCL_E_EXECUTION && second != OCL_OK ? first : second;
}

static ocl_status test_passes(struct ocl_context *context, const struct ocl_block *from,
                              const struct ocl_block *to)
{
    /* The extension's own way first; a number in a wrapper works wherever addresses work at all. */
    static const enum ocl_pass passes[][3] = {
        [OCL_ADDRESS_BDA] = {OCL_PASS_BDA_POINTER, OCL_PASS_SVM_POINTER, OCL_PASS_NUMBER},
        [OCL_ADDRESS_USM] = {OCL_PASS_USM_POINTER, OCL_PASS_SVM_POINTER, OCL_PASS_NUMBER},
        [OCL_ADDRESS_RAW] = {OCL_PASS_SVM_POINTER, OCL_PASS_NUMBER, OCL_PASS_NUMBER},
        [OCL_ADDRESS_SVM] = {OCL_PASS_SVM_POINTER, OCL_PASS_NUMBER, OCL_PASS_NUMBER},
    };
    ocl_status status = OCL_E_NOT_SUPPORTED;
    for (size_t i = 0; i < 3; i++) {
        context->capability.pass = passes[context->capability.address][i];
        if (!has_pass(context, context->capability.pass))
            continue;
        status = of_two_tries(status, follow_blocks(context, from, to));
        if (status == OCL_OK)
            break;
    }
    return status;
}

static ocl_status test_addresses(struct ocl_context *context)
{
    struct ocl_block *from = NULL, *to = NULL;
    ocl_status status = ocl_block_create(context, TEST_BYTES, &from);
    if (status == OCL_OK)
        status = ocl_block_create(context, TEST_BYTES, &to);
    if (status == OCL_OK)
        status = overlap(from, to) ? OCL_E_EXECUTION : test_passes(context, from, to);
    ocl_block_destroy(to);
    ocl_block_destroy(from);
    return status;
}

/* Runs x[1] = x[0] + n over a buffer. */
static ocl_status run_add(struct ocl_context *context, cl_mem buffer, cl_uint n)
{
    cl_kernel kernel;
    ocl_status status = ocl_probe_kernel(context, "probe_add", &kernel);
    if (status != OCL_OK)
        return status;
    status = clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer);
    if (status == OCL_OK)
        status = clSetKernelArg(kernel, 1, sizeof n, &n);
    if (status == OCL_OK)
        status = ocl_probe_run(context, kernel);
    clReleaseKernel(kernel);
    return status;
}

/* handle: nothing but OpenCL 1.2's own promise, a kernel that works on its buffer. */
static ocl_status test_handle(struct ocl_context *context)
{
    struct follow_pair pair = {.before = 1000};
    struct ocl_block *block = NULL;
    ocl_status status = ocl_block_create(context, TEST_BYTES, &block);
    if (status == OCL_OK)
        status = write_block(block, 0, &pair, sizeof pair);
    if (status == OCL_OK)
        status = run_add(context, block->buffer, 7);
    if (status == OCL_OK)
        status = read_block(block, 0, &pair, sizeof pair);
    if (status == OCL_OK && pair.after != 1007)
        status = OCL_E_EXECUTION;
    ocl_block_destroy(block);
    return status;
}

/* ---- svm: is a buffer over SVM memory the same memory? ---- */

/* Kernel and buffer commands alternate; every value must arrive. */
static bool is_wrapper_coherent(struct ocl_context *context, const struct ocl_block *block,
                                cl_mem wrapper)
{
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        const uint64_t self = block->address + FOLLOW_AT;
        const struct follow_words words = {.target = block->address + TARGET_AT, .number = round};
        struct follow_pair pair = {.before = 100 * round};
        const struct ocl_block view = {.context = context, .buffer = wrapper};
        if (write_block(&view, FOLLOW_AT, &words, sizeof words) != OCL_OK ||
            write_block(&view, TARGET_AT, &pair, sizeof pair) != OCL_OK ||
            run_follow(context, self) != OCL_OK ||
            read_block(&view, TARGET_AT, &pair, sizeof pair) != OCL_OK || pair.after != 101 * round)
            return false;
        pair.after = 0;
        if (read_block(block, TARGET_AT, &pair, sizeof pair) != OCL_OK || pair.after != 101 * round)
            return false;
    }
    return true;
}

static bool test_wrapper(struct ocl_context *context)
{
    struct ocl_block *block = NULL;
    bool is_coherent = false;
    cl_int error;
    if (ocl_block_create(context, TEST_BYTES, &block) != OCL_OK)
        return false;
    cl_mem wrapper = clCreateBuffer(context->cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                    block->bytes, block->pointer, &error);
    if (error == CL_SUCCESS) {
        is_coherent = is_wrapper_coherent(context, block, wrapper);
        clReleaseMemObject(wrapper);
    }
    ocl_block_destroy(block);
    return is_coherent;
}

/* ---- is device memory host memory? ---- */

/* Whether the host may read and write every page of a range, asked without touching it: write() and
 * read() on a pipe answer EFAULT where a touch would end the process. */
static bool can_touch(uint64_t address, size_t bytes)
{
    int ends[2];
    bool is_good = true;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    for (size_t offset = 0; is_good && offset < bytes; offset += page) {
        char *byte = (char *)(uintptr_t)(address + offset);
        is_good = whole_write(ends[1], byte, 1) && whole_read(ends[0], byte, 1) == 1;
    }
    close(ends[0]);
    close(ends[1]);
    return is_good;
}

static void fill_pattern(uint32_t *words, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++)
        words[i] = seed = seed * 1664525 + 1013904223; /* Numerical Recipes' generator */
}

/* What the driver writes is seen by the host at the device address, so that it is safe to write
 * there; and what the host writes is seen by a kernel and by the driver. */
static bool is_same_memory(struct ocl_context *context, const struct ocl_block *block,
                           uint32_t *pattern, uint32_t *back)
{
    char *direct = (char *)(uintptr_t)block->address;
    const size_t bytes = TEST_BYTES;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        struct follow_words words = {.target = block->address + TARGET_AT, .number = round};
        struct follow_pair pair = {.before = 100 * round};
        fill_pattern(pattern, bytes / sizeof *pattern, round);
        if (write_block(block, 0, pattern, bytes) != OCL_OK || !can_touch(block->address, bytes) ||
            memcmp(direct, pattern, bytes) != 0)
            return false;
        fill_pattern(pattern, bytes / sizeof *pattern, ~round);
        memcpy(direct, pattern, bytes);
        if (read_block(block, 0, back, bytes) != OCL_OK || memcmp(back, pattern, bytes) != 0)
            return false;
        memcpy(direct + FOLLOW_AT, &words, sizeof words);
        memcpy(direct + TARGET_AT, &pair, sizeof pair);
        if (run_follow(context, block->address + FOLLOW_AT) != OCL_OK)
            return false;
        memcpy(&pair, direct + TARGET_AT, sizeof pair);
        if (pair.after != 101 * round)
            return false;
    }
    return true;
}

/* Asked of CPU devices only: elsewhere a cache between the two could let the test pass once and
 * fail later. */
static bool test_same_memory(struct ocl_context *context)
{
    struct ocl_block *block = NULL;
    uint32_t *pattern = malloc((size_t)2 * TEST_BYTES);
    bool is_same = false;
    if (context->device->facts.device_class == OCL_CLASS_CPU && context->capability.has_addresses &&
        pattern && ocl_block_create(context, TEST_BYTES, &block) == OCL_OK)
        is_same = is_same_memory(context, block, pattern, pattern + TEST_BYTES / sizeof *pattern);
    ocl_block_destroy(block);
    free(pattern);
    return is_same;
}

/* ---- do kernels reach pinned host memory by its host address? ----
 *
 * A kernel that follows an address it does not reach may do more harm than fail: drivers answer
 * with a lost context, one or two with abort(). So an address is followed only where something
 * speaks for it, and a context that did not survive is replaced. */

/* Whether the device itself calls the pinned buffer by its host address. */
static bool is_called_so(struct ocl_context *context, const struct ocl_block *block)
{
    uint64_t address;
    return block->buffer && ocl_probe_learn(context, block->buffer, &address) == OCL_OK &&
           address == (uint64_t)(uintptr_t)block->pointer;
}

/* SVM and USM are reached by definition. */
static bool may_follow(struct ocl_context *context, const struct ocl_block *block)
{
    const struct ocl_capability *capability = &context->capability;
    return !block->buffer || capability->device_is_host_memory || is_called_so(context, block) ||
           ocl_block_driver_reserves(context);
}

/* Host and kernel alternate without any map in between. volatile: the compiler cannot see the
 * kernel's writes. */
static bool is_reached_by_address(struct ocl_context *context, char *host)
{
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        volatile struct follow_words *words = (volatile struct follow_words *)(host + FOLLOW_AT);
        volatile struct follow_pair *pair = (volatile struct follow_pair *)(host + TARGET_AT);
        words->target = (uint64_t)(uintptr_t)pair;
        words->number = round;
        words->self = 0;
        pair->before = 100 * round;
        pair->after = 0;
        if (run_follow(context, (uint64_t)(uintptr_t)words) != OCL_OK ||
            pair->after != 101 * round || words->self != (uint64_t)(uintptr_t)words)
            return false;
    }
    return true;
}

/* handle: kernels name the buffer, so what counts is that both sides see each other's writes
 * without a map. */
static bool is_reached_by_buffer(struct ocl_context *context, cl_mem buffer, void *host)
{
    volatile struct follow_pair *pair = host;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        pair->before = 100 * round;
        pair->after = 0;
        if (!buffer || run_add(context, buffer, round) != OCL_OK || pair->after != 101 * round)
            return false;
    }
    return true;
}

static bool is_reached(struct ocl_context *context, const struct ocl_block *block)
{
    if (!context->capability.has_addresses)
        return is_reached_by_buffer(context, block->buffer, block->pointer);
    return may_follow(context, block) && is_reached_by_address(context, block->pointer);
}

static bool has_method(const struct ocl_context *context, enum ocl_host_method method)
{
    const struct ocl_device *device = context->device;
    if (method == OCL_HOST_SVM)
        return device->facts.has_svm_fine && has_version_2(context) &&
               context->capability.has_addresses;
    if (method == OCL_HOST_USM)
        return context->capability.address == OCL_ADDRESS_USM && device->extension->host_alloc;
    if (method == OCL_HOST_LOCATED)
        return device->facts.has_located_buffers && device->extension->create_located;
    return true;
}

/* Whether pinned memory can be made by a method, and, if so, whether kernels reach it. */
static ocl_status test_host_method(struct ocl_context *context, enum ocl_host_method method,
                                   bool may_try, bool *reaches)
{
    struct ocl_block *block = NULL;
    context->capability.host_method = method;
    context->capability.reaches_pinned_host = true;
    ocl_status status = ocl_block_create_host(context, TEST_BYTES, &block);
    *reaches = status == OCL_OK && may_try && is_reached(context, block);
    ocl_block_destroy(block);
    return status;
}

/* The first method whose memory kernels reach, or else the first that works. A CPU has nothing to
 * pin, so there pages of our own come first: they are aligned and need no driver. NVIDIA's driver (580)
 * gives a buffer that it allocates or takes by a pointer as much device memory as well, even if no kernel
 * ever names the buffer; not so one that it is told to locate in the host's memory. */
static void choose_host_method(struct ocl_context *context, bool may_try)
{
    enum { METHODS = 5 };
    static const enum ocl_host_method orders[2][METHODS] = {
        {OCL_HOST_USM, OCL_HOST_LOCATED, OCL_HOST_ALLOC, OCL_HOST_USE, OCL_HOST_SVM},
        {OCL_HOST_USE, OCL_HOST_LOCATED, OCL_HOST_ALLOC, OCL_HOST_SVM, OCL_HOST_USM},
    };
    const enum ocl_host_method *order =
        orders[context->device->facts.device_class == OCL_CLASS_CPU];
    enum ocl_host_method working = OCL_HOST_NONE;
    for (int i = 0; i < METHODS; i++) {
        bool reaches;
        if (!has_method(context, order[i]) ||
            test_host_method(context, order[i], may_try, &reaches) != OCL_OK)
            continue;
        if (reaches)
            return;
        if (working == OCL_HOST_NONE)
            working = order[i];
    }
    context->capability.host_method = working;
    context->capability.reaches_pinned_host = false;
}

/* Kernels that get buffers need one over all of a range, and two of the user's ranges may lie in one page, which then
 * has two buffers over it: both must hold the host's bytes. */
static bool is_neighbour_reached(struct ocl_context *context, const struct ocl_block *block,
                                 void *neighbour)
{
    struct ocl_block *second = NULL;
    if (context->capability.has_addresses)
        return true; /* neighbours share what pins their page */
    const bool reaches = ocl_block_wrap_host(context, neighbour, 1, &second) == OCL_OK &&
                         is_reached_by_buffer(context, second->buffer, second->pointer) &&
                         is_reached_by_buffer(context, block->buffer, block->pointer);
    ocl_block_destroy(second);
    return reaches;
}

static void test_registered(struct ocl_context *context, bool may_try)
{
    struct ocl_block *block = NULL;
    bool reaches = false;
    void *pages =
        mmap(NULL, TEST_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    context->capability.reaches_registered_host = true;
    if (pages != MAP_FAILED) {
        if (may_try &&
            ocl_block_wrap_host(context, (char *)pages + 24, TEST_BYTES - 100, &block) == OCL_OK)
            reaches = is_reached(context, block) && is_neighbour_reached(context, block, pages);
        ocl_block_destroy(block);
        munmap(pages, TEST_BYTES);
    }
    context->capability.reaches_registered_host = reaches;
}

/* ---- managed memory ---- */

static bool is_fine_svm_shared(struct ocl_context *context)
{
    const struct ocl_capability before = context->capability;
    bool reaches = false;
    if (!has_method(context, OCL_HOST_SVM))
        return false;
    (void)test_host_method(context, OCL_HOST_SVM, true, &reaches);
    context->capability.host_method = before.host_method;
    context->capability.reaches_pinned_host = before.reaches_pinned_host;
    return reaches;
}

static bool has_shared_usm(const struct ocl_context *context)
{
    return context->capability.address == OCL_ADDRESS_USM &&
           context->device->extension->shared_alloc != NULL;
}

/* Memory that is the device's and the host's at once comes first; pinned memory far from the device is
 * the last resort. */
static enum ocl_managed_store choose_managed(struct ocl_context *context)
{
    const struct ocl_device_facts *facts = &context->device->facts;
    const bool is_reached = context->capability.reaches_pinned_host;
    if (is_reached && facts->has_host_unified_memory)
        return OCL_MANAGED_IN_HOST;
    if (has_shared_usm(context))
        return OCL_MANAGED_IN_USM;
    if (is_fine_svm_shared(context))
        return OCL_MANAGED_IN_FINE_SVM;
    if (ocl_managed_test_coarse(context))
        return OCL_MANAGED_IN_COARSE_SVM;
    return is_reached ? OCL_MANAGED_IN_HOST : OCL_MANAGED_NOWHERE;
}

/* ---- the strategies ---- */

static const char *find_lack(const struct ocl_context *context, enum ocl_address address)
{
    const struct ocl_device *device = context->device;
    const struct ocl_extension *extension = device->extension;
    switch (address) {
    case OCL_ADDRESS_BDA:
        return device->facts.has_bda ? NULL : "extension missing";
    case OCL_ADDRESS_USM:
        if (!device->facts.has_usm)
            return "extension missing";
        return extension->device_alloc && extension->mem_free && extension->enqueue_usm_copy
                   ? NULL
                   : "functions missing";
    case OCL_ADDRESS_SVM:
        return device->facts.has_svm_coarse && has_version_2(context) ? NULL
                                                                      : "the device has no SVM";
    default:
        return NULL;
    }
}

static void begin_strategy(struct ocl_context *context, enum ocl_address address)
{
    struct ocl_capability *capability = &context->capability;
    char reason[sizeof capability->reason];
    memcpy(reason, capability->reason, sizeof reason);
    memset(capability, 0, sizeof *capability);
    memcpy(capability->reason, reason, sizeof reason);
    capability->address = address;
    capability->pass = OCL_PASS_BUFFER;
    capability->has_addresses = address != OCL_ADDRESS_HANDLE;
    capability->has_block_buffers = address != OCL_ADDRESS_USM && address != OCL_ADDRESS_SVM;
    if (address == OCL_ADDRESS_SVM)
        capability->indirect_info = CL_KERNEL_EXEC_INFO_SVM_PTRS;
    if (address == OCL_ADDRESS_USM && has_version_2(context))
        capability->indirect_info = CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL;
    atomic_store(&context->block_slack, 0);
    context->reserves_addresses = false;
}

/* The released revision first; it needs a function of OpenCL 3.0. */
static ocl_status test_bda(struct ocl_context *context)
{
    ocl_status status = OCL_E_NOT_SUPPORTED;
    if (context->device->facts.platform_major >= 3) {
        context->capability.bda_revision = OCL_BDA_RELEASED;
        context->capability.indirect_info = has_version_2(context) ? OCL_BDA_RELEASED_EXEC_INFO : 0;
        status = test_addresses(context);
    }
    if (status != OCL_OK) {
        context->capability.bda_revision = OCL_BDA_DRAFT;
        context->capability.indirect_info = has_version_2(context) ? OCL_BDA_DRAFT_EXEC_INFO : 0;
        status = of_two_tries(status, test_addresses(context));
    }
    return status;
}

static ocl_status test_strategy(struct ocl_context *context, enum ocl_address address)
{
    begin_strategy(context, address);
    if (address == OCL_ADDRESS_HANDLE)
        return test_handle(context);
    return address == OCL_ADDRESS_BDA ? test_bda(context) : test_addresses(context);
}

/* What else the chosen strategy can do. may_try: kernels may be sent to host memory to see whether
 * they reach it. */
static void find_abilities(struct ocl_context *context, bool may_try)
{
    struct ocl_capability *capability = &context->capability;
    if (capability->address == OCL_ADDRESS_SVM)
        capability->has_block_buffers = test_wrapper(context);
    capability->device_is_host_memory = test_same_memory(context);
    choose_host_method(context, may_try);
    test_registered(context, may_try);
    capability->managed = choose_managed(context);
    capability->shares_memory = capability->device_is_host_memory && capability->has_addresses &&
                                capability->reaches_registered_host;
    if (capability->shares_memory)
        atomic_store(&context->block_slack, ocl_block_page_bytes());
    context->reserves_addresses =
        !capability->device_is_host_memory &&
        (capability->address == OCL_ADDRESS_RAW || capability->address == OCL_ADDRESS_BDA);
}

/* A new context of the driver in place of one that may be lost. */
static ocl_status renew(struct ocl_context *context)
{
    ocl_probe_destroy(context);
    return ocl_probe_create(context);
}

/* The self-test once more tells whether the context is still good after the abilities were tried.
 */
static ocl_status settle(struct ocl_context *context)
{
    const enum ocl_address address = context->capability.address;
    find_abilities(context, true);
    if ((address == OCL_ADDRESS_HANDLE ? test_handle(context) : test_addresses(context)) == OCL_OK)
        return OCL_OK;
    ocl_trace("%s: a kernel that tried to reach host memory broke the context; it gets a new one",
              context->device->facts.name);
    ocl_status status = renew(context);
    if (status == OCL_OK)
        status = test_strategy(context, address);
    if (status == OCL_OK)
        find_abilities(context, false);
    return status;
}

static void add_reason(struct ocl_context *context, enum ocl_address address, const char *words,
                       const char *detail)
{
    char *reason = context->capability.reason;
    const size_t size = sizeof context->capability.reason;
    const size_t length = strlen(reason);
    snprintf(reason + length, size - length, "%s%s: %s%s%s%s", length ? "; " : "",
             ocl_address_name(address), words, *detail ? " (" : "", detail, *detail ? ")" : "");
}

/* The chosen one's line goes to the front. */
static void finish_reason(struct ocl_context *context, bool is_forced)
{
    struct ocl_capability *capability = &context->capability;
    char others[sizeof capability->reason];
    memcpy(others, capability->reason, sizeof others);
    capability->reason[0] = '\0';
    add_reason(context, capability->address, "self-test passed",
               is_forced ? "asked for by CLEM_ADDRESS" : "");
    const size_t length = strlen(capability->reason);
    if (others[0])
        snprintf(capability->reason + length, sizeof capability->reason - length, "; %.*s",
                 (int)(sizeof others - length - 3), others);
    ocl_trace("%s: address strategy %s", context->device->facts.name, capability->reason);
    ocl_trace("%s: pass %d, pinned memory %d %s, registered memory %s, managed memory %d%s, device "
              "memory is %s, buffers %s, "
              "bda revision %u",
              context->device->facts.name, (int)capability->pass, (int)capability->host_method,
              capability->reaches_pinned_host ? "reached" : "not reached",
              capability->reaches_registered_host ? "reached" : "not reached",
              (int)capability->managed, capability->managed_has_buffers ? " with buffers" : "",
              capability->device_is_host_memory ? "host memory" : "its own",
              capability->has_block_buffers ? "yes" : "no", capability->bda_revision);
}

static enum ocl_address forced_address(void)
{
    const char *name = ocl_options_get()->address;
    for (int address = OCL_ADDRESS_BDA; name && address <= OCL_ADDRESS_HANDLE; address++)
        if (strcmp(name, ocl_address_name((enum ocl_address)address)) == 0)
            return (enum ocl_address)address;
    return OCL_ADDRESS_NONE;
}

static const char *failure_words(ocl_status status)
{
    if (status == OCL_E_EXECUTION)
        return "wrong result";
    return status == OCL_E_NOT_SUPPORTED ? "not supported" : ocl_status_name(status);
}

static ocl_status try_strategy(struct ocl_context *context, enum ocl_address address)
{
    const char *lack = find_lack(context, address);
    if (lack) {
        add_reason(context, address, lack, "");
        return OCL_E_NOT_SUPPORTED;
    }
    ocl_status status = test_strategy(context, address);
    if (status == OCL_OK)
        return settle(context);
    add_reason(context, address, "self-test failed", failure_words(status));
    ocl_status renewed = renew(context);
    return renewed == OCL_OK ? status : renewed;
}

/* Why contexts of the first devices could not be opened: what was said first, which stays. */
enum { DEVICES = 64 };
static _Atomic(char *) refusals[DEVICES];

void ocl_capability_refuse(const struct ocl_context *context, const char *reason)
{
    const int device = context->device->index;
    char *none = NULL, *kept = device < DEVICES ? strdup(reason) : NULL;
    if (kept && !atomic_compare_exchange_strong(&refusals[device], &none, kept))
        free(kept);
}

const char *ocl_context_refusal(int device)
{
    const char *reason = device < DEVICES ? atomic_load(&refusals[device]) : NULL;
    return reason ? reason : "";
}

/* Without a context of the driver nothing more can be tried. */
static bool is_hopeless(const struct ocl_context *context)
{
    return !context->probe;
}

ocl_status ocl_capability_choose(struct ocl_context *context)
{
    const enum ocl_address forced = forced_address();
    ocl_status status =
        forced != OCL_ADDRESS_NONE ? try_strategy(context, forced) : OCL_E_NOT_SUPPORTED;
    const bool is_forced = status == OCL_OK;
    if (forced != OCL_ADDRESS_NONE && !is_forced)
        ocl_trace("%s: CLEM_ADDRESS=%s cannot be had: %s", context->device->facts.name,
                  ocl_address_name(forced), context->capability.reason);
    for (int i = OCL_ADDRESS_BDA;
         status != OCL_OK && i <= OCL_ADDRESS_HANDLE && !is_hopeless(context); i++)
        if (i != (int)forced)
            status = try_strategy(context, (enum ocl_address)i);
    if (status == OCL_OK) {
        finish_reason(context, is_forced);
        return OCL_OK;
    }
    ocl_capability_refuse(context, context->capability.reason);
    ocl_log(true, "%s: no address strategy works: %s", context->device->facts.name,
            context->capability.reason);
    return status;
}
