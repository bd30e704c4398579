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

/* ---- Arrays ---- */

enum { SIDE = 8, HALF = SIDE / 2 };

__global__ void count_larger(cudaTextureObject_t from, float x, float y, int *count)
{
    if (tex2D<float>(from, x + (float)threadIdx.x, y) > 0.5f)
        atomicAdd(count, 1);
}

__global__ void count_gathered(cudaTextureObject_t from, float x, float y, int *count)
{
    const float4 all = tex2Dgather<float4>(from, x, y, 0);
    if (all.x + all.y + all.z + all.w > 2.0f)
        atomicAdd(count, 1);
}

__global__ void count_in_layer(cudaTextureObject_t from, int layer, int *count)
{
    if (tex2DLayered<float>(from, (float)threadIdx.x + 0.5f, 0.5f, layer) > 0.5f)
        atomicAdd(count, 1);
}

__global__ void put_row(cudaSurfaceObject_t to, int row)
{
    surf2Dwrite(1.0f, to, (int)threadIdx.x * (int)sizeof(float), row);
}

static int *new_count()
{
    int *count;
    MUST(cudaMalloc(&count, sizeof *count));
    MUST(cudaMemset(count, 0, sizeof *count));
    return count;
}

static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureFilterMode filter, cudaTextureAddressMode mode)
{
    cudaTextureObject_t texture;
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    how.filterMode = filter;
    how.addressMode[0] = how.addressMode[1] = mode;
    MUST(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    return texture;
}

/* Its upper rows are written. */
static cudaArray_t half_an_array(unsigned flags)
{
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    float rows[HALF][SIDE];
    for (auto &row : rows)
        for (float &texel : row)
            texel = 1.0f;
    MUST(cudaMallocArray(&array, &format, SIDE, SIDE, flags));
    MUST(cudaMemcpy2DToArray(array, 0, 0, rows, sizeof rows[0], sizeof rows[0], HALF, cudaMemcpyHostToDevice));
    return array;
}

static void fetch_from(cudaTextureFilterMode filter, cudaTextureAddressMode mode, float x, float y, int count)
{
    int *counted = new_count(), seen;
    count_larger<<<1, SIDE>>>(texture_of(half_an_array(0), filter, mode), x, y, counted);
    MUST(cudaMemcpy(&seen, counted, sizeof seen, cudaMemcpyDeviceToHost));
    MUST(count >= 0 && seen != count);
}

static void array_texels()
{
    fetch_from(cudaFilterModePoint, cudaAddressModeClamp, 0.5f, 3.5f, SIDE);
    fetch_from(cudaFilterModePoint, cudaAddressModeBorder, 0.5f, -2.5f, 0);
}

/* In the middle of a texel the others have no weight. */
static void array_between()
{
    fetch_from(cudaFilterModeLinear, cudaAddressModeClamp, 1.0f, 2.75f, SIDE);
    fetch_from(cudaFilterModeLinear, cudaAddressModeClamp, 0.5f, 3.5f, SIDE);
}

static void wrong_array_texel()
{
    fetch_from(cudaFilterModePoint, cudaAddressModeClamp, 0.5f, 4.5f, -1);
}

static void wrong_array_between()
{
    fetch_from(cudaFilterModeLinear, cudaAddressModeClamp, 0.5f, 3.75f, -1);
}

static void wrong_array_gathered()
{
    count_gathered<<<1, 1>>>(texture_of(half_an_array(cudaArrayTextureGather), cudaFilterModePoint, cudaAddressModeClamp), 4.0f,
                             4.0f, new_count());
    MUST(cudaDeviceSynchronize());
}

static void array_by_surface()
{
    cudaArray_t array = half_an_array(cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t surface;
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    MUST(cudaCreateSurfaceObject(&surface, &what));
    put_row<<<1, SIDE>>>(surface, 4);
    count_larger<<<1, SIDE>>>(texture_of(array, cudaFilterModeLinear, cudaAddressModeClamp), 0.5f, 4.25f, new_count());
    MUST(cudaDeviceSynchronize());
}

static cudaTextureObject_t two_layers()
{
    cudaArray_t array;
    cudaMemcpy3DParms copy = {};
    static float rows[SIDE][SIDE];
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    MUST(cudaMalloc3DArray(&array, &format, make_cudaExtent(SIDE, SIDE, 2), cudaArrayLayered));
    copy.srcPtr = make_cudaPitchedPtr(rows, sizeof rows[0], SIDE, SIDE);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(SIDE, SIDE, 1);
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    return texture_of(array, cudaFilterModePoint, cudaAddressModeClamp);
}

static void array_layer()
{
    count_in_layer<<<1, SIDE>>>(two_layers(), 0, new_count());
    MUST(cudaDeviceSynchronize());
}

static void wrong_array_layer()
{
    count_in_layer<<<1, SIDE>>>(two_layers(), 1, new_count());
    MUST(cudaDeviceSynchronize());
}

/* ---- Memory of which all was written, and is no more ---- */

enum { WORDS = 1 << 14, SOME = 77 };

__global__ void count_odd(const int *words, int *count)
{
    if (words[blockIdx.x * blockDim.x + threadIdx.x] % 2 != 0)
        atomicAdd(count, 1);
}

__global__ void move_one(int *to, const int *from)
{
    *to = *from;
}

__global__ void set_words(int *words, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count)
        words[i] = i;
}

static int *new_words()
{
    int *words;
    MUST(cudaMalloc(&words, WORDS * sizeof *words));
    return words;
}

/* So often that it is known how much of it was written. */
static void read_words(const int *words, int count = WORDS)
{
    for (int i = 0; i < 3; i++)
        count_odd<<<count / THREADS, THREADS>>>(words, new_count());
    MUST(cudaDeviceSynchronize());
}

static int *filled_words()
{
    int *words = new_words();
    MUST(cudaMemset(words, 1, WORDS * sizeof *words));
    read_words(words);
    return words;
}

static void copy_unwritten_to(int *words, size_t count = 1)
{
    MUST(cudaMemcpy(words, new_words(), count * sizeof *words, cudaMemcpyDeviceToDevice));
}

static void wrong_filled_copied_in()
{
    int *words = filled_words();
    copy_unwritten_to(words + SOME);
    read_words(words);
}

static void filled_copied_over()
{
    int *words = filled_words();
    copy_unwritten_to(words + SOME);
    copy_unwritten_to(words + 9 * SOME, 100);
    MUST(cudaMemcpy(words + SOME, words, sizeof *words, cudaMemcpyDeviceToDevice));
    MUST(cudaMemset(words + 9 * SOME, 2, 100 * sizeof *words));
    read_words(words);
    read_words(words);
}

static void wrong_filled_copied_over_in_part()
{
    int *words = filled_words();
    copy_unwritten_to(words + 9 * SOME, 100);
    copy_unwritten_to(words + SOME);
    read_words(words + THREADS, WORDS / 64);
    MUST(cudaMemset(words + 9 * SOME, 2, 100 * sizeof *words));
    read_words(words + THREADS, WORDS / 64);
    read_words(words);
}

static void wrong_filled_stored()
{
    int *words = filled_words();
    move_one<<<1, 1>>>(words + SOME, new_words());
    read_words(words);
}

static void filled_stored_over()
{
    int *words = filled_words();
    move_one<<<1, 1>>>(words + SOME, new_words());
    set_words<<<WORDS / THREADS, THREADS>>>(words, WORDS);
    read_words(words);
    MUST(cudaMemcpy(host, words, WORDS * sizeof *words, cudaMemcpyDeviceToHost));
}

static void wrong_filled_freed()
{
    int *words = filled_words();
    MUST(cudaFree(words));
    read_words(new_words());
}

static void filled_by_kernel()
{
    int *words = new_words();
    set_words<<<WORDS / THREADS, THREADS>>>(words, WORDS / 2);
    read_words(words, WORDS / 2);
    set_words<<<WORDS / THREADS, THREADS>>>(words, WORDS);
    read_words(words);
}

static void wrong_filled_by_kernel_but_one()
{
    int *words = new_words();
    set_words<<<WORDS / THREADS, THREADS>>>(words, WORDS - 1);
    read_words(words, WORDS - THREADS);
    read_words(words);
}

static void wrong_filled_but_one()
{
    int *words = new_words();
    MUST(cudaMemset(words, 1, SOME * sizeof *words));
    MUST(cudaMemset(words + SOME + 1, 1, (WORDS - SOME - 1) * sizeof *words));
    read_words(words + THREADS, WORDS - THREADS);
    read_words(words);
}

static void wrong_filled_in_another_stream()
{
    int *words = filled_words(), *empty = new_words();
    cudaStream_t one, other;
    cudaEvent_t event;
    MUST(cudaStreamCreate(&one));
    MUST(cudaStreamCreate(&other));
    MUST(cudaEventCreate(&event));
    count_odd<<<WORDS / THREADS, THREADS, 0, one>>>(words, new_count());
    MUST(cudaEventRecord(event, one));
    MUST(cudaStreamWaitEvent(other, event, 0));
    MUST(cudaMemcpyAsync(words + SOME, empty, sizeof *words, cudaMemcpyDeviceToDevice, other));
    MUST(cudaEventRecord(event, other));
    MUST(cudaStreamWaitEvent(one, event, 0));
    count_odd<<<WORDS / THREADS, THREADS, 0, one>>>(words, new_count());
    MUST(cudaDeviceSynchronize());
}

static void filled_from_pinned()
{
    int *words = filled_words(), *pinned;
    copy_unwritten_to(words, WORDS);
    MUST(cudaMallocHost(&pinned, WORDS * sizeof *pinned));
    memset(pinned, 1, WORDS * sizeof *pinned);
    MUST(cudaMemcpy(words, pinned, WORDS * sizeof *words, cudaMemcpyHostToDevice));
    read_words(pinned);
    read_words(words);
}

/* Of pages that somebody has touched it is not known what was copied there. */
static void filled_managed()
{
    int *words;
    MUST(cudaMallocManaged(&words, WORDS * sizeof *words));
    MUST(cudaMemset(words, 1, WORDS * sizeof *words));
    read_words(words);
    copy_unwritten_to(words + SOME);
    read_words(words);
}

/* ---- Managed memory ---- */

/* More than the system makes of one page. */
enum { MANAGED = 4 << 20, FAR = 3 << 20 };

static char *managed()
{
    char *made = NULL;
    MUST(cudaMallocManaged(&made, MANAGED));
    return made;
}

static void managed_written()
{
    char *bytes = managed();
    memset(bytes, 1, MANAGED);
    double_all<<<1, THREADS>>>(bytes + FAR, 512);
    MUST(cudaDeviceSynchronize());
    MUST(cudaFree(bytes));
}

/* A page that the host has written some of may be all that it wants. */
static void managed_partly()
{
    char *bytes = managed();
    bytes[FAR] = 1;
    double_all<<<1, THREADS>>>(bytes + FAR, 512);
    MUST(cudaDeviceSynchronize());
}

static void managed_read()
{
    char *bytes = managed();
    const int file = open("/dev/zero", O_RDONLY);
    MUST(read(file, bytes, MANAGED) != MANAGED);
    double_all<<<1, THREADS>>>(bytes + FAR, 512);
    MUST(cudaDeviceSynchronize());
}

static void managed_filled()
{
    char *bytes = managed();
    MUST(cudaMemset(bytes, 3, MANAGED));
    double_all<<<1, THREADS>>>(bytes + FAR, 512);
    expect(bytes + FAR, 512, 6);
}

__global__ void set_all(char *bytes, int count)
{
    for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x)
        bytes[i] = 1;
}

static void managed_by_kernel()
{
    char *bytes = managed();
    set_all<<<1, THREADS>>>(bytes + FAR, 512);
    double_all<<<1, THREADS>>>(bytes + FAR, 512);
    expect(bytes + FAR, 512, 2);
}

/* What a kernel did there first says nothing of what the host does later. */
static void managed_later()
{
    char *bytes = managed();
    set_all<<<1, THREADS>>>(bytes + FAR, 8);
    MUST(cudaDeviceSynchronize());
    memset(bytes + FAR, 1, 512);
    double_all<<<1, THREADS>>>(bytes + FAR, 512);
    expect(bytes + FAR, 512, 2);
}

/* Memory of before may have been the host's. */
static void managed_again()
{
    for (int i = 0; i < 4; i++)
        managed_written();
}

static void wrong_managed()
{
    char *bytes = managed();
    bytes[0] = 1;
    double_all<<<1, THREADS>>>(bytes + FAR, 512);
    MUST(cudaDeviceSynchronize());
}

static void wrong_managed_copied()
{
    char *bytes = managed(), *device = NULL;
    MUST(cudaMalloc(&device, 512));
    MUST(cudaMemcpy(device, bytes + FAR, 512, cudaMemcpyDefault));
    double_all<<<1, THREADS>>>(device, 512);
    MUST(cudaDeviceSynchronize());
}

static const struct {
    const char *name;
    void (*run)();
} cases[] = {{"filled_across", filled_across},   {"copied_across", copied_across},
             {"wrong_across", wrong_across},     {"wrong_mapping", wrong_mapping},
             {"mapped_again", mapped_again},     {"mapped_twice", mapped_twice},
             {"imported", imported},             {"another_context", another_context},
             {"shared", shared},
             {"array_texels", array_texels},
             {"array_between", array_between},
             {"wrong_array_texel", wrong_array_texel},
             {"wrong_array_between", wrong_array_between},
             {"wrong_array_gathered", wrong_array_gathered},
             {"array_by_surface", array_by_surface},
             {"array_layer", array_layer},
             {"wrong_array_layer", wrong_array_layer},
             {"managed_written", managed_written},
             {"managed_partly", managed_partly},
             {"managed_read", managed_read},
             {"managed_filled", managed_filled},
             {"managed_by_kernel", managed_by_kernel},
             {"managed_later", managed_later},
             {"managed_again", managed_again},
             {"wrong_managed", wrong_managed},
             {"wrong_managed_copied", wrong_managed_copied},
             {"wrong_filled_copied_in", wrong_filled_copied_in},
             {"filled_copied_over", filled_copied_over},
             {"wrong_filled_copied_over_in_part", wrong_filled_copied_over_in_part},
             {"wrong_filled_stored", wrong_filled_stored},
             {"filled_stored_over", filled_stored_over},
             {"wrong_filled_freed", wrong_filled_freed},
             {"filled_by_kernel", filled_by_kernel},
             {"wrong_filled_by_kernel_but_one", wrong_filled_by_kernel_but_one},
             {"wrong_filled_but_one", wrong_filled_but_one},
             {"wrong_filled_in_another_stream", wrong_filled_in_another_stream},
             {"filled_from_pinned", filled_from_pinned},
             {"filled_managed", filled_managed}};

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
