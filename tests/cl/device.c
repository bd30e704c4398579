/* Tests of cl/device/device.c, against the driver's own answers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device.h"

#include <pthread.h>

#include "cl/device/extension.h"
#include "cl/state/state.h"
#include "tests/cl/captured.h"

static cl_device_id first_device(void)
{
    if (ocl_device_count() == 0)
        TEST_SKIP("no OpenCL device");
    return ocl_device_get(0)->id;
}

static void check_text(cl_device_id id, cl_device_info query, const char *field, size_t bytes)
{
    size_t needed = 0;
    if (clGetDeviceInfo(id, query, 0, NULL, &needed) != CL_SUCCESS || needed == 0) {
        assert_string_equal(field, "");
        return;
    }
    char *text = calloc(1, needed + 1);
    assert_int_equal(clGetDeviceInfo(id, query, needed, text, NULL), CL_SUCCESS);
    char *begin = text + strspn(text, " ");
    if (strlen(begin) >= bytes)
        begin[bytes - 1] = '\0';
    assert_string_equal(field, begin);
    free(text);
}

/* The driver answers with 4 or 8 bytes; the rest stays zero on a host of its byte order. */
static void check_number(cl_device_id id, cl_device_info query, uint64_t field, bool is_bool)
{
    uint64_t answer = 0;
    if (clGetDeviceInfo(id, query, sizeof answer, &answer, NULL) != CL_SUCCESS)
        answer = 0;
    assert_int_equal(field, is_bool ? answer != 0 : answer);
}

TEST_BODY(device_facts_are_the_drivers_answers)
{
    cl_device_id id = first_device();
    const struct ocl_device_facts *facts = ocl_device_facts(0);
    uint64_t moving;
#define TEXT(field, bytes, query) check_text(id, query, facts->field, bytes);
#define NUMBER(type, field, query)                                                                 \
    if (query != CL_DEVICE_GLOBAL_MEM_SIZE && query != CL_DEVICE_MAX_MEM_ALLOC_SIZE &&             \
        (query != CL_DEVICE_GLOBAL_MEM_CACHE_SIZE || facts->cache_bytes != 0)) /* else not L2's */ \
        check_number(id, query, (uint64_t)facts->field,                                            \
                     _Generic((type)0, bool                                                        \
                              : true, default                                                      \
                              : false));
#define NUMBERS(type, field, count, query)                                                         \
    type field[count];                                                                             \
    assert_int_equal(clGetDeviceInfo(id, query, sizeof field, field, &moving), CL_SUCCESS);        \
    assert_memory_equal(field, facts->field, sizeof field);
#include "cl/device_queries.def"
#undef TEXT
#undef NUMBER
#undef NUMBERS
    ocl_device_memory(0, &moving, &(uint64_t){0}); /* PoCL's sizes follow the host's memory */
    assert_true(facts->global_bytes > moving / 4 && facts->global_bytes / 4 < moving);
}

TEST_BODY(device_facts_are_sane)
{
    first_device();
    for (int i = 0; i < ocl_device_count(); i++) {
        const struct ocl_device_facts *facts = ocl_device_facts(i);
        static const uint8_t none[16];
        assert_true(facts->name[0] && facts->platform_name[0] && facts->device_version[0]);
        assert_true(facts->opencl_major > 1 || facts->opencl_minor >= 2);
        assert_true(facts->platform_major >= 1);
        assert_true(facts->is_available && facts->has_compiler);
        assert_true(facts->compute_units > 0 && facts->max_work_group > 0 &&
                    facts->local_bytes > 0);
        assert_true(facts->max_work_item[0] > 0 && facts->max_work_item[2] > 0);
        assert_true(facts->base_align_bytes >= 8 && facts->address_bits >= 32);
        assert_memory_not_equal(facts->uuid, none, sizeof none);
        assert_int_equal(ocl_device_get(i)->index, i);
        assert_non_null(ocl_device_get(i)->extension);
        if (i > 0)
            assert_true(facts->device_class >= ocl_device_facts(i - 1)->device_class);
    }
}

TEST_BODY(device_uuids_differ)
{
    first_device();
    for (int i = 0; i < ocl_device_count(); i++)
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(ocl_device_facts(i)->uuid, ocl_device_facts(j)->uuid, 16);
}

TEST_BODY(device_memory_is_asked_each_time)
{
    uint64_t total = 0, largest = 0;
    first_device();
    ocl_device_memory(0, &total, &largest);
    assert_true(total > 0);
    assert_true(largest > 0 && largest <= total);
}

TEST_BODY(device_extension_words_are_whole)
{
    struct ocl_device_facts *facts = calloc(1, sizeof *facts);
    strcpy(facts->extensions, "cl_khr_fp64_more cl_khr_fp16 cl_khr_fp64 x_cl_khr_icd");
    assert_true(ocl_device_has_extension(facts, "cl_khr_fp64"));
    assert_true(ocl_device_has_extension(facts, "cl_khr_fp16"));
    assert_true(ocl_device_has_extension(facts, "cl_khr_fp64_more"));
    assert_true(ocl_device_has_extension(facts, "x_cl_khr_icd"));
    assert_false(ocl_device_has_extension(facts, "cl_khr_icd"));
    assert_false(ocl_device_has_extension(facts, "cl_khr_fp"));
    facts->extensions[0] = '\0';
    assert_false(ocl_device_has_extension(facts, "cl_khr_fp64"));
    free(facts);
}

TEST_BODY(device_strategies_have_names)
{
    assert_string_equal(ocl_address_name(OCL_ADDRESS_NONE), "none");
    assert_string_equal(ocl_address_name(OCL_ADDRESS_BDA), "bda");
    assert_string_equal(ocl_address_name(OCL_ADDRESS_USM), "usm");
    assert_string_equal(ocl_address_name(OCL_ADDRESS_RAW), "raw");
    assert_string_equal(ocl_address_name(OCL_ADDRESS_SVM), "svm");
    assert_string_equal(ocl_address_name(OCL_ADDRESS_HANDLE), "handle");
}

TEST_BODY(device_extension_functions_match_the_extensions)
{
    first_device();
    for (int i = 0; i < ocl_device_count(); i++) {
        const struct ocl_device *device = ocl_device_get(i);
        if (device->facts.has_usm) {
            assert_true(device->extension->device_alloc && device->extension->mem_free);
            assert_true(device->extension->set_arg_usm_pointer &&
                        device->extension->enqueue_usm_copy);
        }
        if (device->facts.has_bda)
            assert_true(device->extension->set_arg_device_pointer);
    }
}

TEST_BODY(device_count_is_zero_without_platforms)
{
    setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
    unsetenv("OCL_ICD_FILENAMES");
    setenv("OPENCL_VENDOR_PATH", "/nonexistent", 1);
    assert_int_equal(ocl_device_count(), 0);
    assert_int_equal(ocl_device_count(), 0);
}

TEST_BODY(device_count_is_zero_when_none_is_visible)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    assert_int_equal(ocl_device_count(), 0);
}

TEST_BODY(device_choice_without_match_leaves_none)
{
    char printed[4096];
    setenv("CLEM_DEVICE", "no device has this name", 1);
    struct capture capture = capture_begin();
    int count = ocl_device_count();
    capture_end(&capture, printed, sizeof printed);
    assert_int_equal(count, 0);
    assert_int_equal(count_text(printed, "CLEM_DEVICE=no device has this name"), 1);
}

static void *count_devices(void *count)
{
    *(int *)count = ocl_device_count();
    return NULL;
}

TEST_BODY(device_start_is_safe_from_many_threads)
{
    pthread_t threads[8];
    int counts[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_devices, &counts[i]), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < 8; i++)
        assert_int_equal(counts[i], counts[0]);
}
