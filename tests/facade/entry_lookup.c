/* Tests of facade/names/entry_lookup.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>

#include "tests/facade/driver_support.h"

static void *look_up(const char *name, int version, cuuint64_t flags)
{
    void *function = &function;
    CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)77;
    assert_driver(cuGetProcAddress(name, &function, version, flags, &status));
    assert_int_equal(status == CU_GET_PROC_ADDRESS_SUCCESS, function != NULL);
    return function;
}

/* What the dynamic linker knows by that name. */
static void *symbol(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    assert_non_null(found);
    return found;
}

TEST_BODY(entry_lookup_finds_every_name)
{
    static const struct {
        const char *name, *symbol;
    } rows[] = {
#define ENTRY(group, api_name, exported_name, status) {#api_name, #exported_name},
#include "facade/lists/driver_entry_points.def"
#undef ENTRY
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_non_null(look_up(rows[i].name, CUDA_VERSION, 0));
        assert_non_null(
            look_up(rows[i].name, CUDA_VERSION, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
        symbol(rows[i].symbol);
    }
}

TEST_BODY(entry_lookup_chooses_by_version)
{
    assert_null(look_up("cuCtxCreate", 1000, 0));
    assert_ptr_equal(look_up("cuCtxCreate", 2000, 0), symbol("cuCtxCreate"));
    assert_ptr_equal(look_up("cuCtxCreate", 3020, 0), symbol("cuCtxCreate_v2"));
    assert_ptr_equal(look_up("cuCtxCreate", 11030, 0), symbol("cuCtxCreate_v2"));
    assert_ptr_equal(look_up("cuCtxCreate", 11040, 0), symbol("cuCtxCreate_v3"));
    assert_ptr_equal(look_up("cuCtxCreate", 13000, 0), symbol("cuCtxCreate_v4"));
    assert_ptr_equal(look_up("cuCtxCreate", -1, 0), symbol("cuCtxCreate_v4"));
    assert_ptr_equal(look_up("cuEventElapsedTime", 12070, 0), symbol("cuEventElapsedTime"));
    assert_ptr_equal(look_up("cuEventElapsedTime", 12080, 0), symbol("cuEventElapsedTime_v2"));
    assert_ptr_equal(look_up("cuMemAlloc", 13000, 0), symbol("cuMemAlloc_v2"));
}

TEST_BODY(entry_lookup_chooses_by_default_stream)
{
    cuuint64_t legacy = CU_GET_PROC_ADDRESS_LEGACY_STREAM,
               own = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    assert_ptr_equal(look_up("cuMemcpyHtoD", 13000, legacy), symbol("cuMemcpyHtoD_v2"));
    assert_ptr_equal(look_up("cuMemcpyHtoD", 13000, own), symbol("cuMemcpyHtoD_v2_ptds"));
    assert_ptr_equal(look_up("cuMemcpyHtoDAsync", 13000, own), symbol("cuMemcpyHtoDAsync_v2_ptsz"));
    assert_ptr_equal(look_up("cuMemcpyHtoDAsync", 6000, own), symbol("cuMemcpyHtoDAsync_v2"));
    assert_ptr_equal(look_up("cuInit", 13000, own), symbol("cuInit"));
}

TEST_BODY(entry_lookup_refuses_bad_questions)
{
    void *function = NULL;
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    assert_int_equal(cuGetProcAddress(NULL, &function, 13000, 0, &status),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGetProcAddress("cuInit", NULL, 13000, 0, &status), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGetProcAddress("cuInit", &function, 13000, 4, &status),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGetProcAddress("cuInit", &function, CUDA_VERSION + 1, 0, &status),
                     CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuGetProcAddress("cuMemAlloc_v2", &function, 13000, 0, &status));
    assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    assert_driver(cuGetProcAddress("cuMemAllocAsync", &function, 11000, 0, &status));
    assert_int_equal(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    assert_null(function);
    assert_driver(cuGetProcAddress("cuInit", &function, 13000, 0, NULL));
    assert_non_null(function);
}

TEST_BODY(entry_lookup_gives_functions_that_work)
{
    void *found = NULL;
    CUresult (*init)(unsigned) = NULL;
    CUresult (*count_devices)(int *) = NULL;
    enum cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
    int count = 0;
    assert_int_equal(
        cudaGetDriverEntryPointByVersion("cuInit", &found, 2000, cudaEnableDefault, &status),
        cudaSuccess);
    assert_int_equal(status, cudaDriverEntryPointSuccess);
    memcpy(&init, &found, sizeof init);
    assert_driver(init(0));
    assert_int_equal(
        cudaGetDriverEntryPoint("cuDeviceGetCount", &found, cudaEnableDefault, &status),
        cudaSuccess);
    memcpy(&count_devices, &found, sizeof count_devices);
    assert_driver(count_devices(&count));
    assert_true(count > 0);
    assert_int_equal(cudaGetDriverEntryPoint("cuInit", &found, 99, &status), cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_BODY(entry_lookup_follows_the_programs_default_stream)
{
    void *found = NULL;
    enum cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
    assert_int_equal(
        cudaGetDriverEntryPoint_ptsz("cuLaunchKernel", &found, cudaEnableDefault, &status),
        cudaSuccess);
    assert_ptr_equal(found, symbol("cuLaunchKernel_ptsz"));
    assert_int_equal(
        cudaGetDriverEntryPoint_ptsz("cuLaunchKernel", &found, cudaEnableLegacyStream, &status),
        cudaSuccess);
    assert_ptr_equal(found, symbol("cuLaunchKernel"));
    assert_int_equal(cudaGetDriverEntryPoint("cuLaunchKernel", &found, cudaEnableDefault, &status),
                     cudaSuccess);
    assert_ptr_equal(found, symbol("cuLaunchKernel"));
}
