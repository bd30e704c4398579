/* Tests of variables of device code, as registered host variables, by name, and by library.
 * SPDX-License-Identifier: Apache-2.0 */
#include <sys/mman.h>
#include <unistd.h>

#include "tests/facade/runtime_support.h"

#include <crt/host_runtime_abi.h>

struct fat_binary_wrapper {
    uint32_t magic, version;
    const void *code;
    void *unused;
};

enum { MAGIC = 0x466243b1, GAMMAS = 16 };

static const char *const text =
    "__constant int first_counter = 7;\n"
    "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) \\\n"
    "    CONSTANT(int, gammas, [16]) DEVICE(int, counter, ) DEVICE(char, tail, [3])\n"
    "#define CLEM_SYMBOL_VALUES(CONSTANT, DEVICE, MANAGED) DEVICE(counter, first_counter)\n"
    "#include \"clem_symbols.h\"\n"
    "__kernel void sum(__global int *out, CLEM_SYMBOLS_PARAMETERS)\n"
    "{\n"
    "    int sum = 0;\n"
    "    for (int i = 0; i < 16; i++)\n"
    "        sum += CLEM_CONSTANT(gammas)[i];\n"
    "    out[0] = sum;\n"
    "    CLEM_DEVICE(counter)++;\n"
    "}\n";

static const char *const managed_text =
    "__constant int first_progress = 5;\n"
    "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) \\\n"
    "    MANAGED(int, progress, ) DEVICE(int, counter, )\n"
    "#define CLEM_SYMBOL_VALUES(CONSTANT, DEVICE, MANAGED) MANAGED(progress, first_progress)\n"
    "#include \"clem_symbols.h\"\n"
    "__kernel void advance(int by, CLEM_SYMBOLS_PARAMETERS)\n"
    "{ CLEM_MANAGED(progress) += by; CLEM_DEVICE(counter)++; }\n";

/* The host's shadows, as compilers make them, and the kernel's stub. */
static int host_gammas[GAMMAS], host_counter;
static char host_tail[3];
static void *host_progress;
static int not_registered;
static const char sum_stub = 1, advance_stub = 2;
static struct fat_binary_wrapper wrapper = {MAGIC, 1, NULL, NULL};

static void register_variable(void **handle, void *host, const char *name, size_t bytes,
                              int is_constant)
{
    char *device_name = (char *)(uintptr_t)name;
    __cudaRegisterVar(handle, host, device_name, name, 0, bytes, is_constant, 0);
}

static void **register_module(void)
{
    static char name[] = "sum";
    wrapper.code = text;
    void **handle = __cudaRegisterFatBinary(&wrapper);
    assert_non_null(handle);
    __cudaRegisterFunction(handle, &sum_stub, name, name, -1, NULL, NULL, NULL, NULL, NULL);
    register_variable(handle, host_gammas, "gammas", sizeof host_gammas, 1);
    register_variable(handle, &host_counter, "counter", sizeof host_counter, 0);
    register_variable(handle, host_tail, "tail", sizeof host_tail, 0);
    __cudaRegisterFatBinaryEnd(handle);
    return handle;
}

static int sum_on(cudaStream_t stream)
{
    int *out = device_ints(1);
    void *args[] = {&out};
    assert_success(launch_1d(&sum_stub, 1, 1, args, 0, stream));
    assert_success(cudaStreamSynchronize(stream));
    const int sum = read_device_int(out);
    assert_success(cudaFree(out));
    return sum;
}

static int read_symbol(const void *symbol)
{
    int value = -1;
    assert_success(cudaMemcpyFromSymbol(&value, symbol, sizeof value, 0, cudaMemcpyDeviceToHost));
    return value;
}

TEST_BODY(symbol_addresses_and_sizes)
{
    void **handle = register_module();
    struct cudaPointerAttributes attributes;
    void *address = NULL, *again = NULL;
    size_t bytes = 0;
    assert_success(cudaGetSymbolSize(&bytes, host_gammas));
    assert_int_equal(bytes, sizeof host_gammas);
    assert_success(cudaGetSymbolSize(&bytes, host_tail));
    assert_int_equal(bytes, 3);
    assert_success(cudaGetSymbolAddress(&address, &host_counter));
    assert_int_equal(read_device_int(address), 7);
    assert_success(cudaGetSymbolAddress(&again, &host_counter));
    assert_ptr_equal(again, address);
    assert_success(cudaPointerGetAttributes(&attributes, address));
    assert_int_equal(attributes.type, cudaMemoryTypeDevice);
    assert_ptr_equal(attributes.devicePointer, address);
    assert_fails(cudaErrorInvalidValue, cudaFree(address));
    assert_int_equal(read_device_int(address), 7);
    assert_success(cudaMemset(address, 0, sizeof(int)));
    assert_int_equal(read_symbol(&host_counter), 0);
    __cudaUnregisterFatBinary(handle);
}

TEST_BODY(symbol_copies_in_every_direction)
{
    void **handle = register_module();
    int values[GAMMAS], seen[GAMMAS] = {0}, *device = device_ints(GAMMAS);
    for (int i = 0; i < GAMMAS; i++)
        values[i] = i + 1;
    assert_success(
        cudaMemcpyToSymbol(host_gammas, values, sizeof values, 0, cudaMemcpyHostToDevice));
    assert_int_equal(sum_on(NULL), 136);
    assert_int_equal(read_symbol(&host_counter), 8);
    assert_success(
        cudaMemcpyFromSymbol(device, host_gammas, sizeof seen, 0, cudaMemcpyDeviceToDevice));
    assert_int_equal(read_device_int(device + 15), 16);
    assert_success(cudaMemset(device, 0, sizeof seen));
    assert_success(
        cudaMemcpyToSymbol(host_gammas, device, 2 * sizeof(int), 8, cudaMemcpyDeviceToDevice));
    assert_int_equal(sum_on(NULL), 136 - 3 - 4);
    assert_success(cudaMemcpyToSymbol(host_gammas, device, 4, 0, cudaMemcpyDefault));
    assert_success(cudaMemcpyToSymbol(host_gammas, values, 4, 60, cudaMemcpyDefault));
    assert_success(cudaMemcpyFromSymbol(seen, host_gammas, 12, 52, cudaMemcpyDefault));
    assert_int_equal(seen[0], 14);
    assert_int_equal(seen[2], 1);
    assert_success(cudaMemcpyToSymbol(host_tail, "xyz", 2, 1, cudaMemcpyHostToDevice));
    assert_success(cudaMemcpyFromSymbol(seen, host_tail, 3, 0, cudaMemcpyDeviceToHost));
    assert_memory_equal(seen, "\0xy", 3);
    assert_success(cudaFree(device));
    __cudaUnregisterFatBinary(handle);
}

TEST_BODY(symbol_copies_are_checked)
{
    void **handle = register_module();
    int v[GAMMAS + 1] = {0};
    const enum cudaMemcpyKind to = cudaMemcpyHostToDevice, from = cudaMemcpyDeviceToHost;
    const struct {
        size_t count, offset;
    } beyond[] = {{65, 0}, {64, 1}, {1, 64}, {4, SIZE_MAX}, {SIZE_MAX, 0}, {SIZE_MAX, 2}},
      outside[] = {{65, 0}, {1, 64}, {4, SIZE_MAX}, {SIZE_MAX, 0}, {4, (size_t)1 << 40}};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        const size_t count = beyond[i].count, offset = beyond[i].offset;
        assert_fails(cudaErrorInvalidValue, cudaMemcpyToSymbol(host_gammas, v, count, offset, to));
        assert_fails(cudaErrorInvalidValue,
                     cudaMemcpyFromSymbol(v, host_gammas, count, offset, from));
    }
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        const size_t count = outside[i].count, offset = outside[i].offset;
        assert_fails(cudaErrorInvalidValue,
                     cudaMemcpyToSymbolAsync(host_gammas, v, count, offset, to, NULL));
        assert_fails(cudaErrorInvalidValue, cudaMemcpyToSymbolAsync(host_gammas, v, count, offset,
                                                                    cudaMemcpyDefault, NULL));
        assert_fails(cudaErrorInvalidValue,
                     cudaMemcpyFromSymbolAsync(v, host_gammas, count, offset, from, NULL));
    }
    assert_success(cudaMemcpyToSymbol(host_gammas, v, 0, 0, to));
    assert_success(cudaMemcpyToSymbol(host_gammas, v, 0, 64, to));
    assert_success(cudaMemcpyFromSymbol(v, host_gammas, 0, 0, from));
    assert_fails(cudaErrorInvalidValue, cudaMemcpyToSymbol(host_gammas, NULL, 4, 0, to));
    assert_fails(cudaErrorInvalidValue, cudaMemcpyFromSymbol(NULL, host_gammas, 4, 0, from));
    assert_fails(cudaErrorInvalidMemcpyDirection,
                 cudaMemcpyToSymbol(host_gammas, v, 4, 0, cudaMemcpyDeviceToHost));
    assert_fails(cudaErrorInvalidMemcpyDirection,
                 cudaMemcpyToSymbol(host_gammas, v, 4, 0, cudaMemcpyHostToHost));
    assert_fails(cudaErrorInvalidMemcpyDirection,
                 cudaMemcpyFromSymbol(v, host_gammas, 4, 0, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidMemcpyDirection,
                 cudaMemcpyFromSymbol(v, host_gammas, 4, 0, (enum cudaMemcpyKind)99));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpyToSymbol(host_gammas, v, 4, 0, cudaMemcpyDeviceToDevice));
    assert_fails(cudaErrorInvalidValue, cudaGetSymbolAddress(NULL, host_gammas));
    assert_fails(cudaErrorInvalidValue, cudaGetSymbolSize(NULL, host_gammas));
    assert_int_equal(sum_on(NULL), 0);
    __cudaUnregisterFatBinary(handle);
}

static void assert_no_symbol(const void *symbol)
{
    int v = 0;
    void *address = NULL;
    size_t bytes = 7;
    assert_fails(cudaErrorInvalidSymbol,
                 cudaMemcpyToSymbol(symbol, &v, 4, 0, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidSymbol,
                 cudaMemcpyFromSymbol(&v, symbol, 4, 0, cudaMemcpyDeviceToHost));
    assert_fails(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, symbol));
    assert_fails(cudaErrorInvalidSymbol, cudaGetSymbolSize(&bytes, symbol));
    assert_null(address);
    assert_int_equal(bytes, 7);
}

TEST_BODY(symbol_of_what_is_none)
{
    void **handle = register_module();
    int local = 0;
    assert_no_symbol(NULL);
    assert_no_symbol(&local);
    assert_no_symbol(&not_registered);
    assert_no_symbol(host_gammas + 1);
    assert_no_symbol("missing");
    assert_no_symbol("");
    assert_no_symbol("sum");
    assert_no_symbol("counter ");
    assert_no_symbol("0counter");
    __cudaUnregisterFatBinary(handle);
    assert_no_symbol(host_gammas);
    assert_no_symbol(&host_counter);
    assert_no_symbol("counter");
}

/* What cannot be read is no name, and reading it ends no program. */
TEST_BODY(symbol_names_that_cannot_be_read)
{
    void **handle = register_module();
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    memset(pages, 'a', 2 * page);
    assert_no_symbol(pages);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    assert_no_symbol((const void *)(uintptr_t)1);
    assert_no_symbol((const void *)UINTPTR_MAX);
    assert_no_symbol((const void *)(uintptr_t)0x8000000000000000u);
    assert_no_symbol(pages + page);
    memcpy(pages + page - 7, "counter", 7);
    assert_no_symbol(pages + page - 7);
    memcpy(pages + page - 8, "counter", 8);
    assert_int_equal(read_symbol(pages + page - 8), 7);
    assert_int_equal(munmap(pages, 2 * page), 0);
    __cudaUnregisterFatBinary(handle);
}

/* Programs for CUDA before 5.0 named the variable. */
TEST_BODY(symbol_by_name)
{
    static const char *const other_text =
        "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) DEVICE(int, only_here, )\n"
        "#include \"clem_symbols.h\"\n"
        "__kernel void nothing(CLEM_SYMBOLS_PARAMETERS) { CLEM_DEVICE(only_here) = 1; }\n";
    static struct fat_binary_wrapper other = {MAGIC, 1, NULL, NULL};
    static const uint32_t elf[16] = {0x464c457f};
    static struct fat_binary_wrapper machine_code = {MAGIC, 1, elf, NULL};
    void **none = __cudaRegisterFatBinary(&machine_code), **first = register_module();
    other.code = other_text;
    void **second = __cudaRegisterFatBinary(&other);
    int value = 30;
    size_t bytes = 0;
    void *by_name = NULL, *by_variable = NULL;
    assert_success(cudaGetSymbolAddress(&by_name, "counter"));
    assert_success(cudaGetSymbolAddress(&by_variable, &host_counter));
    assert_ptr_equal(by_name, by_variable);
    assert_success(cudaGetSymbolSize(&bytes, "gammas"));
    assert_int_equal(bytes, sizeof host_gammas);
    assert_success(cudaMemcpyToSymbol("gammas", &value, 4, 4, cudaMemcpyHostToDevice));
    assert_int_equal(sum_on(NULL), 30);
    assert_success(cudaMemcpyToSymbol("only_here", &value, 4, 0, cudaMemcpyHostToDevice));
    assert_int_equal(read_symbol("only_here"), 30);
    __cudaUnregisterFatBinary(second);
    assert_no_symbol("only_here");
    __cudaUnregisterFatBinary(first);
    __cudaUnregisterFatBinary(none);
}

/* Each launch sees the constants that were copied before it in the stream, and no later ones. */
TEST_BODY(symbol_copies_keep_to_the_stream)
{
    static struct gate gate = GATE_INITIALIZER;
    void **handle = register_module();
    cudaStream_t stream = NULL;
    int *out = device_ints(3), *values = NULL, *seen = NULL;
    assert_success(cudaMallocHost((void **)&values, 3 * sizeof *values));
    assert_success(cudaMallocHost((void **)&seen, sizeof *seen));
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_int_equal(sum_on(stream), 0);
    gate_hold(&gate, stream);
    for (int i = 0; i < 3; i++) {
        int *place = out + i;
        void *args[] = {&place};
        values[i] = 100 + i;
        assert_success(cudaMemcpyToSymbolAsync(host_gammas, values + i, sizeof(int), 0,
                                               cudaMemcpyHostToDevice, stream));
        assert_success(launch_1d(&sum_stub, 1, 1, args, 0, stream));
    }
    *seen = 0;
    assert_success(cudaMemcpyFromSymbolAsync(seen, &host_counter, sizeof *seen, 0,
                                             cudaMemcpyDeviceToHost, stream));
    assert_int_equal(*(volatile int *)seen, 0);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    for (int i = 0; i < 3; i++)
        assert_int_equal(read_device_int(out + i), 100 + i);
    assert_int_equal(*seen, 7 + 4);
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaMemcpyToSymbolAsync(host_gammas, values, 4, 0, cudaMemcpyHostToDevice,
                                         (cudaStream_t)values));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFreeHost(values));
    assert_success(cudaFreeHost(seen));
    assert_success(cudaFree(out));
    __cudaUnregisterFatBinary(handle);
}

/* The first use may come while another stream is held; making the memory waits for no stream. */
TEST_BODY(symbol_first_use_beside_busy_streams)
{
    static struct gate gate = GATE_INITIALIZER;
    void **handle = register_module();
    cudaStream_t busy = NULL;
    void *address = NULL;
    assert_success(cudaStreamCreate(&busy));
    gate_hold(&gate, busy);
    assert_success(cudaGetSymbolAddress(&address, &host_counter));
    assert_int_equal(cudaStreamQuery(busy), cudaErrorNotReady);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(busy));
    assert_int_equal(read_device_int(address), 7);
    assert_success(cudaStreamDestroy(busy));
    __cudaUnregisterFatBinary(handle);
}

TEST_BODY(symbol_values_start_again_after_a_reset)
{
    void **handle = register_module();
    for (int round = 0; round < 2; round++) {
        assert_int_equal(read_symbol(&host_counter), 7);
        assert_int_equal(sum_on(NULL), 0);
        assert_int_equal(read_symbol(&host_counter), 8);
        assert_success(cudaMemcpyToSymbol(host_gammas, &round, 4, 0, cudaMemcpyHostToDevice));
        assert_success(cudaDeviceReset());
    }
    __cudaUnregisterFatBinary(handle);
}

TEST_BODY(symbol_variants_of_per_thread_streams)
{
    void **handle = register_module();
    int value = 21, seen = 0;
    assert_success(
        cudaMemcpyToSymbol_ptds(&host_counter, &value, sizeof value, 0, cudaMemcpyHostToDevice));
    assert_success(
        cudaMemcpyFromSymbol_ptds(&seen, &host_counter, sizeof seen, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(seen, 21);
    value = 22;
    assert_success(cudaMemcpyToSymbolAsync_ptsz(&host_counter, &value, sizeof value, 0,
                                                cudaMemcpyHostToDevice, NULL));
    assert_success(cudaMemcpyFromSymbolAsync_ptsz(&seen, &host_counter, sizeof seen, 0,
                                                  cudaMemcpyDeviceToHost, NULL));
    assert_success(cudaStreamSynchronize(cudaStreamPerThread));
    assert_int_equal(seen, 22);
    __cudaUnregisterFatBinary(handle);
}

/* --- managed variables ------------------------------------------------------------------------ */

static void **register_managed_module(void)
{
    static char advance[] = "advance", progress[] = "progress";
    static struct fat_binary_wrapper managed_wrapper = {MAGIC, 1, NULL, NULL};
    int has_managed = 0;
    assert_success(cudaDeviceGetAttribute(&has_managed, cudaDevAttrManagedMemory, 0));
    if (!has_managed)
        TEST_SKIP("this strategy has no managed memory");
    managed_wrapper.code = managed_text;
    host_progress = NULL;
    void **handle = __cudaRegisterFatBinary(&managed_wrapper);
    assert_non_null(handle);
    __cudaRegisterFunction(handle, &advance_stub, advance, advance, -1, NULL, NULL, NULL, NULL,
                           NULL);
    __cudaRegisterManagedVar(handle, &host_progress, progress, progress, 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    return handle;
}

static void advance(const void *kernel, int by)
{
    void *args[] = {&by};
    assert_success(launch_1d(kernel, 1, 1, args, 0, NULL));
    assert_success(cudaDeviceSynchronize());
}

TEST_BODY(symbol_managed_is_the_hosts_pointer)
{
    void **handle = register_managed_module();
    struct cudaPointerAttributes attributes;
    void *address = NULL;
    size_t bytes = 0;
    assert_null(host_progress);
    assert_int_equal(__cudaInitModule(handle), 1);
    assert_non_null(host_progress);
    assert_int_equal(*(int *)host_progress, 5);
    *(int *)host_progress = 50;
    advance(&advance_stub, 10);
    assert_int_equal(*(int *)host_progress, 60);
    assert_fails(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, &host_progress));
    assert_success(cudaGetSymbolAddress(&address, host_progress));
    assert_ptr_equal(address, host_progress);
    assert_success(cudaGetSymbolSize(&bytes, host_progress));
    assert_int_equal(bytes, 4);
    assert_success(cudaGetSymbolAddress(&address, "progress"));
    assert_ptr_equal(address, host_progress);
    assert_success(cudaPointerGetAttributes(&attributes, host_progress));
    assert_int_equal(attributes.type, cudaMemoryTypeManaged);
    assert_int_equal(read_symbol(host_progress), 60);
    assert_fails(cudaErrorInvalidValue, cudaFree(host_progress));
    assert_int_equal(__cudaInitModule(handle), 1);
    assert_ptr_equal(address, host_progress);
    __cudaUnregisterFatBinary(handle);
}

/* Without an explicit start of the module, the first launch gives the pointer; after a reset, the
 * next one does, to fresh memory. */
TEST_BODY(symbol_managed_comes_with_the_first_launch)
{
    void **handle = register_managed_module();
    for (int round = 0; round < 2; round++) {
        advance(&advance_stub, 10);
        assert_non_null(host_progress);
        assert_int_equal(*(int *)host_progress, 15);
        assert_success(cudaDeviceReset());
        host_progress = NULL;
    }
    __cudaUnregisterFatBinary(handle);
}

static void *advance_from_thread(void *data)
{
    int none = 0;
    void *args[] = {&none};
    (void)data;
    THREAD_SUCCESS(launch_1d(&advance_stub, 1, 1, args, 0, cudaStreamPerThread));
    THREAD_SUCCESS(cudaStreamSynchronize(cudaStreamPerThread));
    THREAD_CHECK(*(int *)host_progress == 5);
    return NULL;
}

TEST_BODY(symbol_managed_first_use_by_many_threads)
{
    void **handle = register_managed_module();
    char unused[8];
    run_threads(8, advance_from_thread, unused, 1);
    __cudaUnregisterFatBinary(handle);
}

TEST_BODY(symbol_managed_of_a_library)
{
    void **handle = register_managed_module(); /* skips where there is none */
    cudaLibrary_t library = load_text(managed_text);
    void *managed = NULL, *global = NULL;
    size_t bytes = 0;
    assert_success(cudaLibraryGetManaged(&managed, &bytes, library, "progress"));
    assert_int_equal(bytes, 4);
    assert_int_equal(*(int *)managed, 5);
    assert_success(cudaLibraryGetGlobal(&global, NULL, library, "progress"));
    assert_ptr_equal(global, managed);
    advance(find_kernel(library, "advance"), 10);
    assert_int_equal(*(int *)managed, 15);
    assert_fails(cudaErrorSymbolNotFound,
                 cudaLibraryGetManaged(&managed, &bytes, library, "counter"));
    assert_success(cudaLibraryUnload(library));
    __cudaUnregisterFatBinary(handle);
}

/* Where there is no managed memory, the variables of other kinds are there all the same. */
TEST_BODY(symbol_beside_managed_ones_that_cannot_be)
{
    cudaLibrary_t library = load_text(managed_text);
    void *counter = NULL, *progress = NULL;
    int has_managed = 0;
    assert_success(cudaDeviceGetAttribute(&has_managed, cudaDevAttrManagedMemory, 0));
    assert_success(cudaLibraryGetGlobal(&counter, NULL, library, "counter"));
    assert_int_equal(read_device_int(counter), 0);
    assert_int_equal(cudaLibraryGetManaged(&progress, NULL, library, "progress"),
                     has_managed ? cudaSuccess : cudaErrorNotSupported);
    assert_int_equal(progress != NULL, has_managed);
    assert_success(cudaLibraryUnload(library));
}

/* --- several threads and devices -------------------------------------------------------------- */

static void *copy_from_thread(void *data)
{
    int *value = data;
    THREAD_SUCCESS(cudaMemcpyToSymbolAsync(host_gammas, value, sizeof *value,
                                           (size_t)*value * sizeof *value, cudaMemcpyHostToDevice,
                                           cudaStreamPerThread));
    THREAD_SUCCESS(cudaStreamSynchronize(cudaStreamPerThread));
    return NULL;
}

TEST_BODY(symbol_first_use_by_many_threads)
{
    void **handle = register_module();
    int values[8];
    for (int i = 0; i < 8; i++)
        values[i] = i;
    run_threads(8, copy_from_thread, values, sizeof values[0]);
    assert_int_equal(sum_on(NULL), 28);
    __cudaUnregisterFatBinary(handle);
}

TEST_BODY(symbol_of_each_device)
{
    int count = 0, value = 9;
    void *first = NULL, *second = NULL;
    assert_success(cudaGetDeviceCount(&count));
    if (count < 2)
        TEST_SKIP("there is one device");
    void **handle = register_module();
    assert_success(cudaGetSymbolAddress(&first, &host_counter));
    assert_success(cudaSetDevice(1));
    assert_success(cudaGetSymbolAddress(&second, &host_counter));
    assert_ptr_not_equal(first, second);
    assert_success(cudaMemcpyToSymbol(&host_counter, &value, 4, 0, cudaMemcpyHostToDevice));
    assert_int_equal(sum_on(NULL), 0);
    assert_int_equal(read_symbol(&host_counter), 10);
    assert_success(cudaSetDevice(0));
    assert_int_equal(read_symbol(&host_counter), 7);
    __cudaUnregisterFatBinary(handle);
}

/* --- libraries -------------------------------------------------------------------------------- */

TEST_BODY(symbol_of_a_library)
{
    cudaLibrary_t library = load_text(text);
    void *address = NULL, *again = NULL;
    size_t bytes = 0;
    assert_success(cudaLibraryGetGlobal(&address, &bytes, library, "counter"));
    assert_int_equal(bytes, 4);
    assert_int_equal(read_device_int(address), 7);
    assert_success(cudaLibraryGetGlobal(&again, NULL, library, "counter"));
    assert_ptr_equal(again, address);
    assert_success(cudaLibraryGetGlobal(NULL, &bytes, library, "gammas"));
    assert_int_equal(bytes, sizeof host_gammas);
    int *out = device_ints(1);
    void *args[] = {&out};
    assert_success(launch_1d(find_kernel(library, "sum"), 1, 1, args, 0, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(read_device_int(address), 8);
    assert_success(cudaFree(out));
    assert_success(cudaLibraryUnload(library));
}

TEST_BODY(symbol_of_a_library_is_checked)
{
    cudaLibrary_t library = load_text(text);
    void *address = NULL;
    size_t bytes = 7;
    unsigned kernels = 0;
    static const char *const missing[] = {"missing", "clem_symbol_table", "counter2"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        assert_fails(cudaErrorSymbolNotFound,
                     cudaLibraryGetGlobal(&address, &bytes, library, missing[i]));
    assert_fails(cudaErrorSymbolNotFound,
                 cudaLibraryGetManaged(&address, &bytes, library, "counter"));
    assert_fails(cudaErrorSymbolNotFound, cudaLibraryGetManaged(&address, &bytes, library, "sum"));
    assert_fails(cudaErrorInvalidValue, cudaLibraryGetGlobal(&address, &bytes, library, "sum"));
    assert_fails(cudaErrorInvalidValue, cudaLibraryGetGlobal(&address, &bytes, library, NULL));
    assert_fails(cudaErrorInvalidValue, cudaLibraryGetGlobal(&address, &bytes, library, ""));
    assert_fails(cudaErrorInvalidValue, cudaLibraryGetGlobal(NULL, NULL, library, "counter"));
    assert_fails(cudaErrorInvalidValue, cudaLibraryGetManaged(NULL, NULL, library, "progress"));
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaLibraryGetGlobal(&address, &bytes, (cudaLibrary_t)&bytes, "counter"));
    assert_null(address);
    assert_int_equal(bytes, 7);
    assert_success(cudaLibraryGetKernelCount(&kernels, library));
    assert_int_equal(kernels, 1);
    assert_success(cudaLibraryUnload(library));
}

/* What a launch fills in is no parameter of the kernel's. */
TEST_BODY(symbol_parameters_are_hidden)
{
    cudaLibrary_t library = load_text(text);
    const void *kernel = find_kernel(library, "sum");
    size_t offset = 7, bytes = 7;
    assert_success(cudaFuncGetParamInfo(kernel, 0, &offset, &bytes));
    assert_int_equal(offset, 0);
    assert_int_equal(bytes, 8);
    assert_fails(cudaErrorInvalidValue, cudaFuncGetParamInfo(kernel, 1, &offset, &bytes));
    assert_success(cudaLibraryUnload(library));
}

/* --- beside textures -------------------------------------------------------------------------- */

static const char *const texture_text =
    "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) CONSTANT(int, row, ) DEVICE(float, last, )\n"
    "#include \"clem_device.h\"\n"
    "__kernel void pick(CLEM_TEXTURE2D(picture), __global float *out, CLEM_SYMBOLS_PARAMETERS)\n"
    "{\n"
    "    out[0] = tex2D(float, picture, 2.5f, (float)CLEM_CONSTANT(row) + 0.5f);\n"
    "    CLEM_DEVICE(last) += out[0];\n"
    "}\n";

static cudaTextureObject_t make_texture(cudaArray_t *array)
{
    const struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    const struct cudaTextureDesc sampling = {
        .addressMode = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp}};
    const float texels[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    cudaTextureObject_t texture = 0;
    assert_success(cudaMallocArray(array, &format, 4, 2, 0));
    assert_success(cudaMemcpy2DToArray(*array, 0, 0, texels, 16, 16, 2, cudaMemcpyHostToDevice));
    resource.res.array.array = *array;
    assert_success(cudaCreateTextureObject(&texture, &resource, &sampling, NULL));
    return texture;
}

/* One kernel, whichever way the texture takes, has one set of variables. */
static void pick_by(const char *way)
{
    setenv("CLEM_TEXTURES", way, 1);
    cudaLibrary_t library = load_text(texture_text);
    cudaArray_t array = NULL;
    cudaTextureObject_t texture = make_texture(&array);
    void *row = NULL, *last = NULL;
    int *out = device_ints(1), one = 1;
    void *args[] = {&texture, &out};
    float sum = 0;
    assert_success(cudaLibraryGetGlobal(&row, NULL, library, "row"));
    assert_success(launch_1d(find_kernel(library, "pick"), 1, 1, args, 0, NULL));
    assert_success(cudaMemcpy(row, &one, sizeof one, cudaMemcpyHostToDevice));
    assert_success(launch_1d(find_kernel(library, "pick"), 1, 1, args, 0, NULL));
    assert_success(cudaLibraryGetGlobal(&last, NULL, library, "last"));
    assert_success(cudaMemcpy(&sum, last, sizeof sum, cudaMemcpyDeviceToHost));
    assert_true(sum == 3.0f + 7.0f);
    assert_success(cudaDestroyTextureObject(texture));
    assert_success(cudaFreeArray(array));
    assert_success(cudaFree(out));
    assert_success(cudaLibraryUnload(library));
}

TEST_BODY(symbol_beside_textures_by_hand)
{
    pick_by("hand");
}

TEST_BODY(symbol_beside_textures_by_image)
{
    pick_by("image");
}
