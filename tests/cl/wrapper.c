/* Tests of generated wrapper kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/wrapper.h"

#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "tests/cl/launch.h"

static const char text[] =
    "struct pair { int a, b; };\n"
    "__kernel __attribute__((reqd_work_group_size(4, 1, 1)))\n"
    "void every(__global int *out, __local int *l, struct pair v, const __constant int *c, float "
    "f)\n"
    "{ int i = (int)get_local_id(0); l[i] = c[i] + v.a; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_global_id(0)] = l[3 - i] * v.b + (int)f; }\n"
    "__kernel void own_local(__global int *out)\n"
    "{ __local int l[16]; int i = (int)get_local_id(0); l[i] = i; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_global_id(0)] = l[15 - i]; }\n"
    "__kernel void put(__global int *out, int v) { out[0] = v; }\n";

static char *write_form(struct ocl_kernel *kernel, enum ocl_form_kind kind)
{
    struct ocl_form form = {0};

    assert_int_equal(ocl_kernel_facts(kernel)->status, OCL_OK);
    assert_int_equal(ocl_form_plan(kernel, kind, &form), OCL_OK);
    char *written = ocl_wrapper_text(kernel, &form, "w");
    assert_non_null(written);
    free(form.slots);
    return written;
}

TEST_BODY(wrapper_text_adds_offsets)
{
    struct bench bench = open_bench(text, NULL);
    char *written = write_form(find_kernel(&bench, "every"), OCL_FORM_OFFSETS);

    assert_string_equal(
        written,
        "__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void w("
        "__global char *clem_0, ulong clem_offset_0, __local ulong16 *clem_1, struct pair clem_2, "
        "__constant char *clem_3, ulong clem_offset_3, float clem_4)\n"
        "{\n"
        "    every((__global void *)(clem_0 + clem_offset_0), (__local void *)clem_1, clem_2, "
        "(__constant void *)(clem_3 + clem_offset_3), clem_4);\n"
        "}\n");
    free(written);
    close_bench(&bench);
}

/* A number becomes a pointer to global memory; one to constant memory is passed as the driver
 * passes it. */
TEST_BODY(wrapper_text_casts_numbers)
{
    struct bench bench = open_bench(text, NULL);
    struct ocl_capability *capability = &bench.context->capability;
    const enum ocl_pass pass = capability->pass;

    capability->pass = OCL_PASS_NUMBER;
    char *written = write_form(find_kernel(&bench, "every"), OCL_FORM_NUMBERS);
    assert_non_null(strstr(written, "w(ulong clem_0, __local ulong16 *clem_1, struct pair clem_2, "
                                    "__constant char *clem_3, ulong clem_offset_3, float clem_4)"));
    assert_non_null(strstr(written,
                           "every((__global void *)clem_0, (__local void *)clem_1, clem_2, "
                           "(__constant void *)(clem_3 + clem_offset_3), clem_4)"));
    free(written);
    capability->pass = OCL_PASS_SVM_POINTER;
    written = write_form(find_kernel(&bench, "every"), OCL_FORM_NUMBERS);
    assert_non_null(strstr(written, "__constant char *clem_3, float clem_4)"));
    assert_non_null(strstr(written, "(__constant void *)clem_3, clem_4)"));
    free(written);
    capability->pass = pass;
    close_bench(&bench);
}

/* Launches `every` with pointers at odd places, however the context passes pointers. */
static void launch_all(struct bench *bench, size_t out_offset, size_t constant_offset)
{
    int source[256], target[16], expected[16];
    struct {
        int a, b;
    } pair = {5, 10};
    float f = 3;
    uint64_t out = make_device(bench, 4096), constants = make_device(bench, sizeof source);
    uint64_t to = out + out_offset, from = constants + constant_offset;

    for (int i = 0; i < 256; i++)
        source[i] = i * i;
    write_device(bench, constants, source, sizeof source);
    assert_int_equal(launch_line(bench, find_kernel(bench, "every"), 4, 4, 16,
                                 (void *[]){&to, &pair, &from, &f}),
                     OCL_OK);
    read_device(bench, target, to, sizeof target);
    for (size_t i = 0; i < 16; i++)
        expected[i] = (source[constant_offset / 4 + 3 - i % 4] + pair.a) * pair.b + 3;
    assert_memory_equal(target, expected, sizeof target);
    free_device(out);
    free_device(constants);
}

/* Passing by buffer works under every strategy whose blocks are buffers, so it is tried there too.
 */
TEST_BODY(wrapper_passes_buffers_and_offsets)
{
    static const size_t offsets[] = {0, 4, 128, 256, 260, 512};
    struct bench bench = open_bench(text, NULL);

    if (!bench.context->capability.has_block_buffers)
        TEST_SKIP("the blocks of this strategy are no buffers");
    bench.context->capability.pass = OCL_PASS_BUFFER;
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        launch_all(&bench, offsets[i], offsets[sizeof offsets / sizeof *offsets - 1 - i]);
    close_bench(&bench);
}

TEST_BODY(wrapper_passes_numbers)
{
    static const size_t offsets[] = {0, 4, 128, 260};
    struct bench bench = open_bench(text, NULL);

    if (!bench.context->capability.has_addresses || !bench.context->capability.has_block_buffers)
        TEST_SKIP("this strategy has no numbers, or no buffers for __constant pointers");
    bench.context->capability.pass = OCL_PASS_NUMBER;
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        launch_all(&bench, offsets[i], offsets[sizeof offsets / sizeof *offsets - 1 - i]);
    close_bench(&bench);
}

/* The first address from which a sub-buffer can be made, behind the first byte of the allocation at
 * address. */
static uint64_t find_aligned(const struct bench *bench, uint64_t address)
{
    struct ocl_allocation *allocation = ocl_address_acquire(address);
    const size_t alignment = ocl_device_facts(ocl_context_device(bench->context))->base_align_bytes;

    assert_non_null(allocation);
    do
        address++;
    while (ocl_allocation_place(allocation, address).offset % alignment != 0);
    ocl_allocation_release(allocation);
    return address;
}

TEST_BODY(wrapper_refuses_kernels_with_local_variables)
{
    struct bench bench = open_bench(text, NULL);
    struct ocl_kernel *kernel = find_kernel(&bench, "own_local");
    int target[16];

    if (!bench.context->capability.has_block_buffers)
        TEST_SKIP("the blocks of this strategy are no buffers");
    bench.context->capability.pass = OCL_PASS_BUFFER;
    if (ocl_kernel_facts(kernel)->local_bytes < sizeof target)
        TEST_SKIP("the driver does not say which kernels declare __local variables");
    listen_to_logs();
    uint64_t out = make_device(&bench, 65536);
    uint64_t aligned = find_aligned(&bench, out), odd = aligned + 4;
    assert_int_equal(launch_line(&bench, kernel, 1, 16, 0, (void *[]){&aligned}), OCL_OK);
    read_device(&bench, target, aligned, sizeof target);
    for (int i = 0; i < 16; i++)
        assert_int_equal(target[i], 15 - i);
    assert_int_equal(launch_line(&bench, kernel, 1, 16, 0, (void *[]){&odd}), OCL_E_NEEDS_ADDRESS);
    assert_non_null(strstr(heard(), "own_local"));
    free_device(out);
    close_bench(&bench);
}

TEST_BODY(wrapper_buffers_of_other_devices_are_unknown)
{
    struct bench bench = open_bench(text, NULL);
    int value = 3;
    uint64_t out = make_device(&bench, 64), local = (uint64_t)(uintptr_t)&value;

    if (!bench.context->capability.has_block_buffers)
        TEST_SKIP("the blocks of this strategy are no buffers");
    bench.context->capability.pass = OCL_PASS_BUFFER;
    listen_to_logs();
    assert_int_equal(
        launch_line(&bench, find_kernel(&bench, "put"), 1, 1, 0, (void *[]){&local, &value}),
        OCL_E_NEEDS_ADDRESS);
    assert_non_null(strstr(heard(), "put"));
    struct bench other = open_bench(text, NULL);
    other.context->capability.pass = OCL_PASS_BUFFER;
    assert_int_equal(
        launch_line(&other, find_kernel(&other, "put"), 1, 1, 0, (void *[]){&out, &value}),
        OCL_E_NEEDS_ADDRESS);
    close_bench(&other);
    free_device(out);
    close_bench(&bench);
}
