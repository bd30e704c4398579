/* Semantics of cudaPointerGetAttributes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "../oracle.h"

static void query(const char *name, void *p)
{
    struct cudaPointerAttributes a = {0};
    a.device = 77;
    CALL_AS(cudaPointerGetAttributes(&a, p), "%s", name);
    VALUE(a.type, "%s: type", name);
    VALUE(a.device, "%s: device", name);
    VALUE(a.devicePointer == p, "%s: devicePointer is p", name);
    VALUE(a.devicePointer == NULL, "%s: devicePointer is NULL", name);
    VALUE(a.hostPointer == p, "%s: hostPointer is p", name);
    VALUE(a.hostPointer == NULL, "%s: hostPointer is NULL", name);
}

void case_pointer_places(void)
{
    size_t count = 0;
    int on_stack = 0;
    const struct place *places = make_places(&count);
    for (size_t i = 0; i < count; i++) {
        query(places[i].name, places[i].p);
    }
    query("stack", &on_stack);
    query("1", (void *)(uintptr_t)1);
    query("UINTPTR_MAX", (void *)(uintptr_t)UINTPTR_MAX);
    query("function", (void *)(uintptr_t)&cudaMalloc);
}

void case_pointer_edges(void)
{
    char *device = device_block(8 * MIB);
    char *pinned = pinned_block(64 * KIB);
    char *registered = aligned_alloc(4096, 64 * KIB);
    void *wc = NULL;
    REQUIRE(cudaHostAlloc(&wc, 4096, cudaHostAllocWriteCombined));
    REQUIRE(cudaHostRegister(registered + 4096 + 100, 1000, cudaHostRegisterReadOnly));
    query("device + 8 MiB - 1", device + 8 * MIB - 1);
    query("device + 8 MiB", device + 8 * MIB);
    query("pinned + 64 KiB - 1", pinned + 64 * KIB - 1);
    query("write combined", wc);
    query("registered first byte", registered + 4096 + 100);
    query("registered last byte", registered + 4096 + 1099);
    query("same page before", registered + 4096);
    query("same page after", registered + 4096 + 1100);
    query("next page", registered + 8192);
    query("page before", registered + 4095);
    CALL(cudaHostUnregister(registered + 4096 + 100));
    query("after unregister", registered + 4096 + 100);
}

void case_pointer_arguments(void)
{
    void *device = device_block(4096);
    CALL(cudaPointerGetAttributes(NULL, NULL));
    CALL(cudaPointerGetAttributes(NULL, device));
    struct cudaPointerAttributes a;
    CALL(cudaPointerGetAttributes(&a, NULL));
    VALUE(a.type, "type of NULL");
}

void case_pointer_first_call(void)
{
    static int variable;
    query("static variable, first call of the process", &variable);
}

void case_pointer_managed(void)
{
    void *p = NULL;
    CALL(cudaMallocManaged(&p, 4096, cudaMemAttachGlobal));
    if (p) {
        query("managed", p);
    }
}

void case_pointer_after_reset(void)
{
    void *device = device_block(4096);
    void *pinned = pinned_block(4096);
    CALL(cudaDeviceReset());
    query("device", device);
    query("pinned", pinned);
}
