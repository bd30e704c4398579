/* Tests of the driver API's view of variables of device code.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

static const char text[] =
    "__constant int first_counter = 7;\n"
    "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) \\\n"
    "    CONSTANT(int, table, [8]) DEVICE(int, counter, )\n"
    "#define CLEM_SYMBOL_VALUES(CONSTANT, DEVICE, MANAGED) DEVICE(counter, first_counter)\n"
    "#include \"clem_symbols.h\"\n"
    "__kernel void add(int v, CLEM_SYMBOLS_PARAMETERS)\n"
    "{ CLEM_DEVICE(counter) += v * CLEM_CONSTANT(table)[7]; }\n";

static const char managed_text[] =
    "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) MANAGED(int, progress, [2])\n"
    "#include \"clem_symbols.h\"\n"
    "__kernel void set(int v, CLEM_SYMBOLS_PARAMETERS) { CLEM_MANAGED(progress)[1] = v; }\n";

static int read_driver_int(CUdeviceptr address)
{
    int value = -1;
    assert_driver(cuMemcpyDtoH(&value, address, sizeof value));
    return value;
}

TEST_BODY(driver_symbol_of_a_module)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr table = 0, counter = 0;
    size_t bytes = 0;
    int v = 5, weight = 3;
    void *args[] = {&v};
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, text));
    assert_driver(cuModuleGetFunction(&function, module, "add"));
    assert_driver(cuModuleGetGlobal(&table, &bytes, module, "table"));
    assert_int_equal(bytes, 32);
    assert_driver(cuModuleGetGlobal(&counter, NULL, module, "counter"));
    assert_int_equal(read_driver_int(counter), 7);
    assert_driver(cuMemcpyHtoD(table + 28, &weight, sizeof weight));
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    assert_driver(cuCtxSynchronize());
    assert_int_equal(read_driver_int(counter), 22);
    assert_int_equal(cuMemFree(counter), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuModuleUnload(module));
    assert_int_equal(cuModuleGetGlobal(&counter, NULL, module, "counter"),
                     CUDA_ERROR_INVALID_HANDLE);
}

TEST_BODY(driver_symbol_of_a_module_is_checked)
{
    CUmodule module = NULL;
    CUdeviceptr address = 77;
    size_t bytes = 77;
    unsigned count = 0;
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, text));
    for (const char *const *name =
             (const char *const[]){"missing", "Counter", "clem_symbol_table", NULL};
         *name; name++) {
        bytes = 77;
        assert_int_equal(cuModuleGetGlobal(&address, &bytes, module, *name), CUDA_ERROR_NOT_FOUND);
        assert_int_equal(bytes, 0);
    }
    assert_int_equal(cuModuleGetGlobal(&address, &bytes, module, "add"), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuModuleGetGlobal(&address, &bytes, module, ""), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuModuleGetGlobal(&address, &bytes, module, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuModuleGetGlobal(NULL, NULL, module, "counter"), CUDA_ERROR_INVALID_VALUE);
    bytes = 77;
    assert_int_equal(cuModuleGetGlobal(&address, &bytes, NULL, "counter"),
                     CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuModuleGetGlobal(NULL, NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(address, 77);
    assert_int_equal(bytes, 77);
    assert_driver(cuModuleGetFunctionCount(&count, module));
    assert_int_equal(count, 1);
    assert_driver(cuModuleUnload(module));
}

TEST_BODY(driver_symbol_of_a_library)
{
    CUlibrary library = NULL;
    CUmodule module = NULL;
    CUdeviceptr global = 0, same = 0;
    size_t bytes = 0;
    driver_use_primary();
    assert_driver(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    assert_driver(cuLibraryGetGlobal(&global, &bytes, library, "counter"));
    assert_int_equal(bytes, 4);
    assert_int_equal(read_driver_int(global), 7);
    assert_driver(cuLibraryGetModule(&module, library));
    assert_driver(cuModuleGetGlobal(&same, NULL, module, "counter"));
    assert_int_equal(same, global);
    assert_int_equal(cuLibraryGetManaged(&global, &bytes, library, "counter"),
                     CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuLibraryGetGlobal(&global, &bytes, library, "missing"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuLibraryGetGlobal(&global, &bytes, NULL, "counter"),
                     CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuLibraryGetGlobal(&global, &bytes, library, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuLibraryUnload(library));
}

TEST_BODY(driver_symbol_in_managed_memory)
{
    CUlibrary library = NULL;
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr managed = 0, global = 0;
    size_t bytes = 0;
    int has_managed = 0, v = 6;
    void *args[] = {&v};
    driver_use_primary();
    assert_driver(cuDeviceGetAttribute(&has_managed, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 0));
    if (!has_managed)
        TEST_SKIP("this strategy has no managed memory");
    assert_driver(cuLibraryLoadData(&library, managed_text, NULL, NULL, 0, NULL, NULL, 0));
    assert_driver(cuLibraryGetModule(&module, library));
    assert_driver(cuModuleGetFunction(&function, module, "set"));
    assert_driver(cuLibraryGetManaged(&managed, &bytes, library, "progress"));
    assert_int_equal(bytes, 8);
    assert_driver(cuModuleGetGlobal(&global, NULL, module, "progress"));
    assert_int_equal(global, managed);
    int *progress = (int *)(uintptr_t)managed;
    progress[0] = 4;
    assert_int_equal(read_driver_int(managed), 4);
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    assert_driver(cuCtxSynchronize());
    assert_int_equal(progress[0], 4);
    assert_int_equal(progress[1], 6);
    assert_driver(cuLibraryUnload(library));
}
