/* Semantics of driver entry points by name.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../oracle.h"

static void entry(const char *name, int version, cuuint64_t flags)
{
    void *p = &p;
    CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)77;
    DRIVER_AS(cuGetProcAddress(name, &p, version, flags, &status), "%s %d flags %llu", name,
              version, (unsigned long long)flags);
    VALUE(status, "%s %d flags %llu: status", name, version, (unsigned long long)flags);
    VALUE(p == NULL, "%s %d flags %llu: NULL", name, version, (unsigned long long)flags);
}

void case_driver_entry_lookup(void)
{
    void *p = &p;
    CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)77;
    REQUIRE_DRIVER(cuInit(0));
    DRIVER(cuGetProcAddress(NULL, NULL, 0, 99, NULL));
    DRIVER(cuGetProcAddress(NULL, &p, 13000, 0, &status));
    DRIVER(cuGetProcAddress("cuInit", NULL, 13000, 0, &status));
    DRIVER(cuGetProcAddress("cuInit", &p, 13000, 0, NULL));
    DRIVER(cuGetProcAddress("cuNothing", &p, 13000, 0, NULL));
    DRIVER(cuGetProcAddress("", &p, 13000, 0, &status));
    static const char *const names[] = {
        "cuInit",         "cuMemAlloc",       "cuMemAlloc_v2",
        "cuCtxCreate",    "cuCtxCreate_v4",   "cuEventElapsedTime",
        "cuStreamCreate", "cuMemcpyHtoD",     "cuMemcpyHtoD_v2_ptds",
        "cuNothing",      "cuGetProcAddress", "cuGetProcAddress_v2",
        "cuGraphCreate",  "cudaMalloc"};
    static const int versions[] = {0,     1000,  2000,  3020,  4000, 7000,
                                   11040, 12000, 12080, 13000, 99000};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t j = 0; j < sizeof versions / sizeof versions[0]; j++) {
            entry(names[i], versions[j], 0);
        }
    }
    for (cuuint64_t flags = 1; flags <= 5; flags++) {
        entry("cuMemcpyHtoDAsync", 13000, flags);
        entry("cuNothing", 13000, flags);
    }
    entry("cuInit", -1, 0);
}

/* Which function a version and a kind of default stream give. */
void case_driver_entry_identity(void)
{
    void *plain = NULL;
    void *per_thread = NULL;
    void *old = NULL;
    void *legacy = NULL;
    CUdriverProcAddressQueryResult status;
    REQUIRE_DRIVER(cuInit(0));
    REQUIRE_DRIVER(cuGetProcAddress("cuMemcpyHtoDAsync", &plain, 13000, 0, &status));
    REQUIRE_DRIVER(cuGetProcAddress("cuMemcpyHtoDAsync", &legacy, 13000, 1, &status));
    REQUIRE_DRIVER(cuGetProcAddress("cuMemcpyHtoDAsync", &per_thread, 13000, 2, &status));
    REQUIRE_DRIVER(cuGetProcAddress("cuMemcpyHtoDAsync", &old, 3000, 0, &status));
    VALUE(plain == legacy, "default is legacy");
    VALUE(plain == per_thread, "per thread is the same");
    VALUE(plain == old, "version 3000 is the same");
    VALUE(plain == (void *)(uintptr_t)&cuMemcpyHtoDAsync, "equals the linked symbol");
}
