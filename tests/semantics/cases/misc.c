/* Semantics of versions, logs, the profiler and driver entry points.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../oracle.h"

void case_misc_versions(void)
{
    int version = 77;
    CALL(cudaRuntimeGetVersion(NULL));
    CALL(cudaRuntimeGetVersion(&version));
    VALUE(version, "runtime version");
    CALL(cudaDriverGetVersion(NULL));
    CALL(cudaDriverGetVersion(&version));
    DEVICE_VALUE(version, "driver version");
    VALUE(version >= 13000, "driver version >= 13000");
    DRIVER(cuDriverGetVersion(NULL));
    DRIVER(cuDriverGetVersion(&version));
}

void case_misc_profiler(void)
{
    CALL(cudaProfilerStart());
    CALL(cudaProfilerStop());
    CALL(cudaProfilerStop());
}

static void on_log(void *data, CUlogLevel level, char *message, size_t length)
{
    (void)level;
    (void)message;
    *(int *)data += length > 0;
}

void case_misc_logs(void)
{
    cudaLogIterator iterator = 0;
    cudaLogsCallbackHandle handle = NULL;
    char buffer[4096] = {0};
    size_t size = sizeof buffer;
    int messages = 0;
    cudaLibrary_t library = NULL;
    make_runtime_context();
    CALL(cudaLogsRegisterCallback(NULL, NULL, NULL));
    CALL(cudaLogsRegisterCallback(NULL, NULL, &handle));
    CALL(cudaLogsRegisterCallback((cudaLogsCallback_t)on_log, &messages, NULL));
    CALL(cudaLogsRegisterCallback((cudaLogsCallback_t)on_log, &messages, &handle));
    CALL(cudaLogsCurrent(NULL, 0));
    CALL(cudaLogsCurrent(&iterator, 1));
    CALL(cudaLogsCurrent(NULL, 1));
    CALL(cudaLogsCurrent(&iterator, 0));
    (void)cudaLibraryLoadData(&library, "this is no program {", NULL, NULL, 0, NULL, NULL, 0);
    (void)cudaMemcpy(NULL, NULL, 16, (enum cudaMemcpyKind)9);
    (void)cudaGetLastError();
    DEVICE_VALUE(messages, "messages after two failures");
    CALL(cudaLogsDumpToMemory(NULL, NULL, NULL, 0));
    CALL(cudaLogsDumpToMemory(NULL, buffer, NULL, 0));
    CALL(cudaLogsDumpToMemory(NULL, NULL, &size, 0));
    CALL(cudaLogsDumpToMemory(NULL, buffer, &size, 1));
    size = 0;
    CALL_AS(cudaLogsDumpToMemory(NULL, buffer, &size, 0), "size 0");
    DEVICE_VALUE((long long)size, "size 0: size");
    size = 10;
    CALL_AS(cudaLogsDumpToMemory(NULL, buffer, &size, 0), "size 10");
    DEVICE_VALUE((long long)size, "size 10: size");
    size = sizeof buffer;
    CALL_AS(cudaLogsDumpToMemory(NULL, buffer, &size, 0), "size 4096");
    DEVICE_VALUE((long long)size, "size 4096: size");
    DEVICE_TEXT(buffer, "log");
    size = sizeof buffer;
    CALL_AS(cudaLogsDumpToMemory(&iterator, buffer, &size, 0), "from an iterator");
    DEVICE_VALUE((long long)size, "from an iterator: size");
    CALL(cudaLogsDumpToFile(NULL, NULL, 0));
    CALL(cudaLogsDumpToFile(NULL, "/nonexistent/file", 0));
    CALL(cudaLogsDumpToFile(NULL, "/dev/null", 1));
    CALL(cudaLogsDumpToFile(NULL, "/dev/null", 0));
    CALL(cudaLogsUnregisterCallback(NULL));
    CALL(cudaLogsUnregisterCallback(handle));
    CALL_AS(cudaLogsUnregisterCallback(handle), "unregister twice");
}

static void entry(const char *name, unsigned version, unsigned long long flags)
{
    void *p = &p;
    enum cudaDriverEntryPointQueryResult status = (enum cudaDriverEntryPointQueryResult)77;
    CALL_AS(cudaGetDriverEntryPointByVersion(name, &p, version, flags, &status), "%s %u flags %llu",
            name, version, flags);
    VALUE(status, "%s %u flags %llu: status", name, version, flags);
    VALUE(p == NULL, "%s %u flags %llu: NULL", name, version, flags);
}

void case_misc_entry_point(void)
{
    void *p = &p;
    enum cudaDriverEntryPointQueryResult status = (enum cudaDriverEntryPointQueryResult)77;
    CALL(cudaGetDriverEntryPoint(NULL, NULL, 0, NULL));
    CALL(cudaGetDriverEntryPoint(NULL, &p, 0, &status));
    CALL(cudaGetDriverEntryPoint("cuInit", NULL, 0, &status));
    CALL(cudaGetDriverEntryPoint("cuInit", &p, 99, &status));
    CALL(cudaGetDriverEntryPoint("cuInit", &p, 0, NULL));
    CALL(cudaGetDriverEntryPoint("cuInit", &p, 0, &status));
    VALUE(status, "status of cuInit");
    VALUE(p != NULL && p != (void *)&p, "cuInit found");
    CALL(cudaGetDriverEntryPoint("cuNothing", &p, 0, &status));
    VALUE(status, "status of cuNothing");
    VALUE(p == NULL, "cuNothing is NULL");
    p = &p;
    CALL(cudaGetDriverEntryPoint("cuNothing", &p, 0, NULL));
    CALL(cudaGetDriverEntryPoint("", &p, 0, &status));
    CALL(cudaGetDriverEntryPoint("cudaMalloc", &p, 0, &status));
    VALUE(status, "status of cudaMalloc");
    CALL(cudaGetDriverEntryPoint("cuMemAlloc_v2", &p, 0, &status));
    VALUE(status, "status of cuMemAlloc_v2");
    entry("cuMemAlloc", 13000, 0);
    entry("cuMemAlloc", 3010, 0);
    entry("cuMemAlloc", 1000, 0);
    entry("cuMemAlloc", 0, 0);
    entry("cuMemAlloc", 99000, 0);
    entry("cuMemAllocAsync", 11000, 0);
    entry("cuMemAllocAsync", 11020, 0);
    entry("cuMemcpyHtoDAsync", 13000, 1);
    entry("cuMemcpyHtoDAsync", 13000, 2);
    entry("cuMemcpyHtoDAsync", 13000, 3);
    entry("cuMemcpyHtoDAsync", 13000, 4);
    entry("cuNothing", 13000, 0);
    entry("cuNothing", 13000, 99);
    entry("cuMemcpyHtoDAsync_v2", 13000, 0);
    entry("cuMemcpyHtoDAsync_v2_ptsz", 13000, 0);
    entry("cuMemcpyHtoDAsync_ptsz", 13000, 0);
}
