/* Memory whose bytes come in other ways than by what is done at its own addresses: contents CASE runs one case, of which a
 * report says "wrong" if its name does; --list names them. The child of a case is the same program: contents --child FILE.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MUST(call)                                                                                 \
    do {                                                                                           \
        const int result_ = (int)(call);                                                           \
        if (result_ != 0) {                                                                        \
            printf("line %d: %s: %d\n", __LINE__, #call, result_);                                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { BYTES = 2 << 20, THREADS = 128 };

static char host[2 * BYTES];
static const char *self;

__global__ void double_all(char *bytes, int count)
{
    for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x)
        if (bytes[i] != 0)
            bytes[i] *= 2;
}

static void expect(const void *device, size_t bytes, char value)
{
    MUST(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < bytes; i++)
        if (host[i] != value) {
            printf("byte %zu is %d, not %d\n", i, host[i], value);
            exit(1);
        }
}

/* ---- Mappings ---- */

static CUmemGenericAllocationHandle new_memory(bool is_shared)
{
    CUmemGenericAllocationHandle handle;
    CUmemAllocationProp what = {};
    what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    if (is_shared)
        what.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    MUST(cuMemCreate(&handle, BYTES, &what, 0));
    return handle;
}

static char *reserve(size_t bytes)
{
    CUdeviceptr address;
    MUST(cuMemAddressReserve(&address, bytes, 0, 0, 0));
    return (char *)address;
}

static void map(char *address, CUmemGenericAllocationHandle handle)
{
    CUmemAccessDesc access = {};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    MUST(cuMemMap((CUdeviceptr)address, BYTES, 0, handle, 0));
    MUST(cuMemSetAccess((CUdeviceptr)address, BYTES, &access, 1));
}

static char *pair()
{
    char *both = reserve(2 * BYTES);
    map(both, new_memory(false));
    map(both + BYTES, new_memory(false));
    return both;
}

static void filled_across()
{
    char *both = pair();
    MUST(cudaMemset(both, 3, 2 * BYTES));
    double_all<<<1, THREADS>>>(both + BYTES - 256, 512);
    expect(both + BYTES - 256, 512, 6);
    expect(both, BYTES - 256, 3);
}

static void copied_across()
{
    char *both = pair(), *other = pair();
    memset(host, 5, sizeof host);
    MUST(cudaMemcpy(both, host, 2 * BYTES, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(other + 4096, both, 2 * BYTES - 4096, cudaMemcpyDeviceToDevice));
    expect(other + 4096, 2 * BYTES - 4096, 5);
}

static void wrong_across()
{
    char *both = pair();
    MUST(cudaMemset(both, 3, BYTES));
    MUST(cudaMemcpy(host, both, 2 * BYTES, cudaMemcpyDeviceToHost));
}

static void wrong_mapping()
{
    char *one = reserve(BYTES);
    map(one, new_memory(false));
    double_all<<<1, THREADS>>>(one, 512);
    MUST(cudaDeviceSynchronize());
}

static void mapped_again()
{
    const CUmemGenericAllocationHandle handle = new_memory(false);
    char *one = reserve(BYTES), *two = reserve(BYTES);
    map(one, handle);
    MUST(cudaMemset(one, 4, BYTES));
    MUST(cuMemUnmap((CUdeviceptr)one, BYTES));
    map(two, handle);
    expect(two, BYTES, 4);
}

static void mapped_twice()
{
    const CUmemGenericAllocationHandle handle = new_memory(false);
    char *one = reserve(BYTES), *two = reserve(BYTES);
    map(one, handle);
    map(two, handle);
    MUST(cudaMemset(two, 4, BYTES));
    double_all<<<1, THREADS>>>(one, 512);
    expect(one, 512, 8);
}

static void imported()
{
    const CUmemGenericAllocationHandle handle = new_memory(true);
    CUmemGenericAllocationHandle other;
    int file;
    MUST(cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    MUST(cuMemImportFromShareableHandle(&other, (void *)(size_t)file,
                                        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    char *one = reserve(BYTES), *two = reserve(BYTES);
    map(one, handle);
    map(two, other);
    MUST(cudaMemset(one, 7, BYTES));
    expect(two, BYTES, 7);
}

/* Memory outlives contexts, and is found by the next. */
static void another_context()
{
    char *one = reserve(BYTES);
    map(one, new_memory(false));
    MUST(cudaMemset(one, 2, BYTES));
    MUST(cudaDeviceReset());
    MUST(cudaFree(NULL));
    expect(one, BYTES, 2);
}

/* ---- Processes ---- */

struct handles {
    cudaIpcMemHandle_t written, empty;
};

static int child(const char *name)
{
    struct handles handles;
    char *written, *empty;
    const int file = open(name, O_RDONLY);
    if (file < 0 || read(file, &handles, sizeof handles) != (ssize_t)sizeof handles)
        return 1;
    close(file);
    MUST(cudaIpcOpenMemHandle((void **)&written, handles.written, cudaIpcMemLazyEnablePeerAccess));
    MUST(cudaIpcOpenMemHandle((void **)&empty, handles.empty, cudaIpcMemLazyEnablePeerAccess));
    double_all<<<1, THREADS>>>(written, BYTES);
    MUST(cudaMemset(empty, 9, BYTES));
    MUST(cudaDeviceSynchronize());
    MUST(cudaIpcCloseMemHandle(written));
    MUST(cudaIpcCloseMemHandle(empty));
    return 0;
}

static void shared()
{
    struct handles handles;
    char *written, *empty, name[] = "/tmp/contentsXXXXXX";
    MUST(cudaMalloc(&written, BYTES));
    MUST(cudaMalloc(&empty, BYTES));
    MUST(cudaIpcGetMemHandle(&handles.written, written));
    MUST(cudaIpcGetMemHandle(&handles.empty, empty));
    MUST(cudaMemset(written, 1, BYTES));
    MUST(cudaDeviceSynchronize());
    const int file = mkstemp(name);
    MUST(file < 0 || write(file, &handles, sizeof handles) != (ssize_t)sizeof handles);
    close(file);
    const pid_t process = fork();
    if (process == 0) {
        execl("/proc/self/exe", self, "--child", name, (char *)NULL);
        _exit(1);
    }
    int status = 1;
    waitpid(process, &status, 0);
    unlink(name);
    MUST(status);
    expect(written, BYTES, 2);
    expect(empty, BYTES, 9);
}

static const struct {
    const char *name;
    void (*run)();
} cases[] = {{"filled_across", filled_across},   {"copied_across", copied_across},
             {"wrong_across", wrong_across},     {"wrong_mapping", wrong_mapping},
             {"mapped_again", mapped_again},     {"mapped_twice", mapped_twice},
             {"imported", imported},             {"another_context", another_context},
             {"shared", shared}};

int main(int count, char **arguments)
{
    self = arguments[0];
    if (count == 3 && strcmp(arguments[1], "--child") == 0)
        return child(arguments[2]);
    for (const auto &one : cases) {
        if (count == 2 && strcmp(arguments[1], "--list") == 0)
            puts(one.name);
        if (count == 2 && strcmp(arguments[1], one.name) == 0) {
            MUST(cudaFree(NULL));
            one.run();
            puts("ran");
            return 0;
        }
    }
    return count == 2 && strcmp(arguments[1], "--list") == 0 ? 0 : 1;
}
