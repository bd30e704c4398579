/* Semantics of device and constant variables.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"
#include "../symbols.h"

enum { READS = 5 };

/* What the test kernel saw of the variables: counter, table[3], squares[5], zeroed[31], progress.
 * It adds 1 to counter and 10 to progress after reading them. */
static void record_reads(const char *name, const void *k)
{
    int *out = device_block(4096);
    int seen[READS] = {0};
    void *args[] = {&out};
    dim3 one = {1, 1, 1};
    CALL_AS(cudaLaunchKernel(k, one, one, args, 0, NULL), "%s: launch", name);
    REQUIRE(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
    for (int i = 0; i < READS; i++) {
        VALUE(seen[i], "%s: %d", name, i);
    }
}

static cudaLibrary_t load(void)
{
    cudaLibrary_t library = NULL;
    REQUIRE(cudaLibraryLoadData(&library, symbol_source(), NULL, NULL, 0, NULL, NULL, 0));
    return library;
}

void case_symbol_unregistered(void)
{
    static const void *no_symbol = NULL;
    static int variable;
    char host[64] = {0};
    void *p = &p;
    size_t size = 77;
    const void *symbols[] = {no_symbol, &variable, host, "counter", device_block(64)};
    static const char *const names[] = {"NULL", "static", "stack", "text", "device memory"};
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        const void *s = symbols[i];
        CALL_AS(cudaMemcpyToSymbol(s, host, 4, 0, cudaMemcpyHostToDevice), "%s: to", names[i]);
        CALL_AS(cudaMemcpyToSymbol(s, host, 4, 0, cudaMemcpyDefault), "%s: to, default", names[i]);
        CALL_AS(cudaMemcpyToSymbol(s, host, 0, 0, cudaMemcpyHostToDevice), "%s: to, 0 bytes",
                names[i]);
        CALL_AS(cudaMemcpyToSymbol(s, NULL, 4, 0, cudaMemcpyHostToDevice), "%s: to, from NULL",
                names[i]);
        CALL_AS(cudaMemcpyToSymbol(s, host, 4, 0, cudaMemcpyDeviceToHost), "%s: to, wrong way",
                names[i]);
        CALL_AS(cudaMemcpyToSymbol(s, host, 4, 0, cudaMemcpyHostToHost), "%s: to, host to host",
                names[i]);
        CALL_AS(cudaMemcpyToSymbol(s, host, 4, 0, (enum cudaMemcpyKind)99), "%s: to, kind 99",
                names[i]);
        CALL_AS(cudaMemcpyToSymbol(s, host, 0, 0, (enum cudaMemcpyKind)99),
                "%s: to, kind 99, 0 bytes", names[i]);
        CALL_AS(cudaMemcpyFromSymbol(host, s, 4, 0, cudaMemcpyDeviceToHost), "%s: from", names[i]);
        CALL_AS(cudaMemcpyFromSymbol(host, s, 0, 0, cudaMemcpyDeviceToHost), "%s: from, 0 bytes",
                names[i]);
        CALL_AS(cudaMemcpyFromSymbol(NULL, s, 4, 0, cudaMemcpyDeviceToHost), "%s: from, to NULL",
                names[i]);
        CALL_AS(cudaMemcpyFromSymbol(host, s, 4, 0, cudaMemcpyHostToDevice), "%s: from, wrong way",
                names[i]);
        CALL_AS(cudaMemcpyFromSymbol(host, s, 4, 0, (enum cudaMemcpyKind)99), "%s: from, kind 99",
                names[i]);
        CALL_AS(cudaMemcpyToSymbolAsync(s, host, 4, 0, cudaMemcpyHostToDevice, NULL),
                "%s: to, asynchronous", names[i]);
        CALL_AS(cudaMemcpyToSymbolAsync(s, host, 4, 0, (enum cudaMemcpyKind)99, NULL),
                "%s: to, asynchronous, kind 99", names[i]);
        CALL_AS(cudaMemcpyFromSymbolAsync(host, s, 4, 0, cudaMemcpyDeviceToHost, NULL),
                "%s: from, asynchronous", names[i]);
        CALL_AS(cudaMemcpyFromSymbolAsync(host, s, 0, 0, cudaMemcpyDeviceToHost, NULL),
                "%s: from, asynchronous, 0 bytes", names[i]);
        CALL_AS(cudaGetSymbolAddress(&p, s), "%s: address", names[i]);
        CALL_AS(cudaGetSymbolAddress(NULL, s), "%s: address, to NULL", names[i]);
        CALL_AS(cudaGetSymbolSize(&size, s), "%s: size", names[i]);
        CALL_AS(cudaGetSymbolSize(NULL, s), "%s: size, to NULL", names[i]);
    }
    VALUE(p == (void *)&p, "address untouched");
    VALUE((long long)size, "size untouched");
}

void case_symbol_library(void)
{
    cudaLibrary_t library = load();
    static const char *const names[] = {"counter", "table", "squares", "zeroed"};
    cudaKernel_t k = NULL;
    void *p[4] = {NULL};
    size_t bytes = 77;
    void *managed = NULL;
    CALL(cudaLibraryGetKernel(&k, library, "read_symbols"));
    for (size_t i = 0; i < 4; i++) {
        struct cudaPointerAttributes a;
        CALL_AS(cudaLibraryGetGlobal(&p[i], &bytes, library, names[i]), "%s", names[i]);
        VALUE((long long)bytes, "%s: bytes", names[i]);
        CALL_AS(cudaPointerGetAttributes(&a, p[i]), "%s: attributes", names[i]);
        VALUE(a.type, "%s: type", names[i]);
        VALUE(a.device, "%s: device", names[i]);
        CALL_AS(cudaFree(p[i]), "%s: free", names[i]);
    }
    void *again = NULL;
    CALL(cudaLibraryGetGlobal(&again, NULL, library, "counter"));
    VALUE(again == p[0], "the same address again");
    bytes = 77;
    CALL(cudaLibraryGetGlobal(NULL, &bytes, library, "zeroed"));
    VALUE((long long)bytes, "bytes alone");
    CALL(cudaLibraryGetGlobal(NULL, NULL, library, "counter"));
    CALL(cudaLibraryGetGlobal(&again, &bytes, NULL, "counter"));
    CALL(cudaLibraryGetGlobal(&again, &bytes, library, NULL));
    CALL(cudaLibraryGetGlobal(&again, &bytes, library, ""));
    CALL(cudaLibraryGetGlobal(&again, &bytes, library, "read_symbols"));
    CALL(cudaLibraryGetGlobal(&again, &bytes, library, "progress"));
    CALL(cudaLibraryGetManaged(&managed, &bytes, library, "counter"));
    CALL(cudaLibraryGetManaged(NULL, NULL, library, "progress"));
    CALL(cudaLibraryGetManaged(&managed, &bytes, NULL, "progress"));
    CALL(cudaLibraryGetManaged(&managed, &bytes, library, NULL));
    CALL(cudaLibraryGetManaged(&managed, &bytes, library, "progress"));
    VALUE((long long)bytes, "progress: bytes");
    VALUE(managed ? *(int *)managed : -1, "progress: first value");
    struct cudaPointerAttributes a;
    CALL(cudaPointerGetAttributes(&a, managed));
    VALUE(a.type, "progress: type");
    record_reads("first values", k);
    VALUE(read_int(p[0]), "counter after the kernel");
    VALUE(managed ? *(int *)managed : -1, "progress after the kernel");
    write_int(p[0], 100);
    write_int((char *)p[1] + 12, 33);
    write_int((char *)p[2] + 20, 55);
    record_reads("as written", k);
    CALL(cudaMemset(p[1], 1, 256));
    record_reads("as set", k);
    CALL(cudaLibraryUnload(library));
    CALL(cudaPointerGetAttributes(&a, p[0]));
    VALUE(a.type, "unloaded: type");
}

void case_symbol_two_libraries(void)
{
    cudaLibrary_t one = load();
    cudaLibrary_t two = load();
    void *a = NULL;
    void *b = NULL;
    CALL(cudaLibraryGetGlobal(&a, NULL, one, "counter"));
    CALL(cudaLibraryGetGlobal(&b, NULL, two, "counter"));
    VALUE(a == b, "one variable");
    write_int(a, 50);
    VALUE(read_int(b), "the other");
}

void case_symbol_module(void)
{
    CUmodule m = NULL;
    CUlibrary l = NULL;
    CUdeviceptr p = 7;
    size_t bytes = 77;
    make_driver_context();
    REQUIRE_DRIVER(cuModuleLoadData(&m, symbol_source()));
    REQUIRE_DRIVER(cuLibraryLoadData(&l, symbol_source(), NULL, NULL, 0, NULL, NULL, 0));
    static const char *const names[] = {"counter",  "table",        "squares", "zeroed",
                                        "progress", "read_symbols", "missing", ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bytes = 77;
        DRIVER_AS(cuModuleGetGlobal(&p, &bytes, m, names[i]), "module: %s", names[i]);
        VALUE((long long)bytes, "module: %s: bytes", names[i]);
        bytes = 77;
        DRIVER_AS(cuLibraryGetGlobal(&p, &bytes, l, names[i]), "library: %s", names[i]);
        VALUE((long long)bytes, "library: %s: bytes", names[i]);
        bytes = 77;
        DRIVER_AS(cuLibraryGetManaged(&p, &bytes, l, names[i]), "managed: %s", names[i]);
        VALUE((long long)bytes, "managed: %s: bytes", names[i]);
    }
    DRIVER(cuModuleGetGlobal(&p, NULL, m, "counter"));
    int value = 0;
    DRIVER(cuMemcpyDtoH(&value, p, 4));
    VALUE(value, "first value");
    CUdeviceptr base = 0;
    DRIVER(cuMemGetAddressRange(&base, &bytes, p));
    unsigned type = 77;
    DRIVER(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    VALUE(type, "type");
    DRIVER(cuMemFree(p));
    DRIVER(cuModuleGetGlobal(NULL, &bytes, m, "counter"));
    DRIVER(cuModuleGetGlobal(NULL, NULL, m, "counter"));
    DRIVER(cuModuleGetGlobal(NULL, NULL, NULL, NULL));
    DRIVER(cuModuleGetGlobal(&p, &bytes, NULL, "counter"));
    DRIVER(cuModuleGetGlobal(&p, &bytes, m, NULL));
    DRIVER(cuLibraryGetGlobal(NULL, NULL, l, "counter"));
    DRIVER(cuLibraryGetGlobal(&p, &bytes, NULL, "counter"));
    DRIVER(cuLibraryGetGlobal(&p, &bytes, l, NULL));
    DRIVER(cuLibraryGetManaged(NULL, NULL, l, "progress"));
    DRIVER(cuLibraryGetManaged(&p, &bytes, NULL, "progress"));
    DRIVER(cuModuleUnload(m));
    DRIVER(cuLibraryUnload(l));
}

/* The host's shadows of the variables, as a compiler would make them. */
static int shadow_counter, shadow_table[64], shadow_squares[8];
static void *shadow_progress;
static const char stub = 1;

static void **register_all(void)
{
    void **handle = __cudaRegisterFatBinary(symbol_fat_binary());
    require(handle != NULL, "__cudaRegisterFatBinary");
    __cudaRegisterFunction(handle, &stub, "read_symbols", "read_symbols", -1, NULL, NULL, NULL,
                           NULL, NULL);
    __cudaRegisterVar(handle, (char *)&shadow_counter, "counter", "counter", 0, 4, 0, 0);
    __cudaRegisterVar(handle, (char *)shadow_table, "table", "table", 0, 256, 1, 0);
    __cudaRegisterVar(handle, (char *)shadow_squares, "squares", "squares", 0, 32, 1, 0);
    __cudaRegisterManagedVar(handle, &shadow_progress, "progress", "progress", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    return handle;
}

void case_symbol_registered(void)
{
    void *p = NULL;
    size_t size = 77;
    int v[64] = {0};
    (void)register_all();
    CALL(cudaGetSymbolSize(&size, &shadow_counter));
    VALUE((long long)size, "counter: size");
    CALL(cudaGetSymbolSize(&size, shadow_table));
    VALUE((long long)size, "table: size");
    CALL(cudaGetSymbolSize(NULL, &shadow_counter));
    CALL(cudaGetSymbolSize(&size, shadow_table + 1));
    CALL(cudaGetSymbolAddress(&p, &shadow_counter));
    VALUE(p ? read_int(p) : -1, "counter: first value");
    CALL(cudaGetSymbolAddress(NULL, &shadow_counter));
    CALL(cudaGetSymbolAddress(&p, shadow_table + 1));
    v[3] = 33;
    CALL(cudaMemcpyToSymbol(shadow_table, v, 256, 0, cudaMemcpyHostToDevice));
    v[0] = 55;
    CALL(cudaMemcpyToSymbol(shadow_squares, v, 4, 20, cudaMemcpyHostToDevice));
    record_reads("as copied", &stub);
    CALL(cudaMemcpyFromSymbol(v, &shadow_counter, 4, 0, cudaMemcpyDeviceToHost));
    VALUE(v[0], "counter after the kernel");
    CALL(cudaMemcpyFromSymbol(v, shadow_squares, 8, 16, cudaMemcpyDeviceToHost));
    VALUE(v[0] * 1000 + v[1], "squares[4], squares[5]");
    int *device = device_block(4096);
    CALL(cudaMemcpyToSymbol(shadow_table, device, 64, 0, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpyToSymbol(shadow_table, device, 64, 0, cudaMemcpyDefault));
    CALL(cudaMemcpyFromSymbol(device, shadow_table, 64, 0, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpyFromSymbol(device, shadow_table, 64, 0, cudaMemcpyDefault));
    cudaStream_t s = NULL;
    REQUIRE(cudaStreamCreate(&s));
    CALL(cudaMemcpyToSymbolAsync(shadow_table, v, 64, 0, cudaMemcpyHostToDevice, s));
    CALL(cudaMemcpyFromSymbolAsync(v, shadow_table, 64, 0, cudaMemcpyDeviceToHost, s));
    CALL(cudaStreamSynchronize(s));
}

void case_symbol_registered_arguments(void)
{
    int v[64] = {0};
    const void *t = shadow_table;
    (void)register_all();
    CALL(cudaMemcpyToSymbol(t, v, 0, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToSymbol(t, NULL, 0, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToSymbol(t, NULL, 4, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToSymbol(t, v, 257, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToSymbol(t, v, 256, 1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToSymbol(t, v, 0, 256, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToSymbol(t, v, 0, 257, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToSymbol(t, v, 4, SIZE_MAX, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToSymbol(t, v, SIZE_MAX, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToSymbol(t, v, 4, 0, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpyToSymbol(t, v, 4, 0, cudaMemcpyHostToHost));
    CALL(cudaMemcpyToSymbol(t, v, 4, 0, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpyToSymbol(t, v, 4, 0, (enum cudaMemcpyKind)99));
    CALL(cudaMemcpyToSymbol(t, v, 257, 0, (enum cudaMemcpyKind)99));
    CALL(cudaMemcpyFromSymbol(v, t, 0, 0, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpyFromSymbol(NULL, t, 4, 0, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpyFromSymbol(v, t, 257, 0, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpyFromSymbol(v, t, 4, 253, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpyFromSymbol(v, t, 4, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyFromSymbol(v, t, 4, 0, cudaMemcpyHostToHost));
    CALL(cudaMemcpyFromSymbol(v, t, 4, 0, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpyFromSymbol(v, t, 4, 0, (enum cudaMemcpyKind)99));
    CALL(cudaMemcpyToSymbolAsync(t, v, 257, 0, cudaMemcpyHostToDevice, NULL));
    CALL(cudaMemcpyToSymbolAsync(t, v, 4, 0, cudaMemcpyDeviceToHost, NULL));
    CALL(cudaMemcpyFromSymbolAsync(v, t, 257, 0, cudaMemcpyDeviceToHost, NULL));
    CALL(cudaMemcpyFromSymbolAsync(v, t, 4, 0, cudaMemcpyHostToDevice, NULL));
    CALL(cudaMemcpyFromSymbolAsync(v, t, 4, 0, (enum cudaMemcpyKind)99, NULL));
}

void case_symbol_registered_managed(void)
{
    void **handle = register_all();
    size_t size = 77;
    void *p = NULL;
    VALUE(shadow_progress != NULL, "known before the first call");
    (void)__cudaInitModule(handle);
    VALUE(shadow_progress != NULL, "known after the module's start");
    CALL(cudaFree(NULL));
    VALUE(shadow_progress != NULL, "known after the first call");
    if (shadow_progress) {
        struct cudaPointerAttributes a;
        VALUE(*(int *)shadow_progress, "first value");
        CALL(cudaPointerGetAttributes(&a, shadow_progress));
        VALUE(a.type, "type");
        record_reads("first values", &stub);
        VALUE(*(int *)shadow_progress, "after the kernel");
        CALL(cudaGetSymbolAddress(&p, shadow_progress));
        CALL(cudaFree(shadow_progress));
    }
    CALL(cudaGetSymbolAddress(&p, &shadow_progress));
    VALUE(p == shadow_progress, "address");
    CALL(cudaGetSymbolSize(&size, &shadow_progress));
}
