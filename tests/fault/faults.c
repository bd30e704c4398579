/* Lets the first, second, third ... OpenCL call of each operation fail, until the operation needs no more calls. Each
 * time: the error is a proper one, the same operation works right after it, and a reset leaves nothing behind.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <string.h>

#include "tests/fault/opencl.h"
#include "tests/test.h"

enum { BYTES = 1 << 16, LONGEST = 2000 };

static char host[BYTES];

/* One operation: everything it makes, it also frees, whether or not something fails on the way. */
typedef cudaError_t operation(void);

static cudaError_t first_of(cudaError_t a, cudaError_t b)
{
    return a != cudaSuccess ? a : b;
}

static void check_error(cudaError_t error)
{
    /* The injected code means "no memory"; what failed in a program build or a launch is told as such. */
    static const cudaError_t proper[] = {cudaSuccess,
                                         cudaErrorMemoryAllocation,
                                         cudaErrorLaunchOutOfResources,
                                         cudaErrorInvalidKernelImage,
                                         cudaErrorNotSupported,
                                         cudaErrorInvalidValue};
    for (size_t i = 0; i < sizeof proper / sizeof proper[0]; i++) {
        if (error == proper[i])
            return;
    }
    print_error("%s after a failed %s\n", cudaGetErrorName(error), fault_name());
    fail();
}

static void expect_nothing_alive(const char *when, long n)
{
    if (fault_live_objects() == 0)
        return;
    fault_print_live();
    print_error("%s: call %ld (%s) left objects behind\n", when, n, fault_name());
    fail();
}

static void run_with_faults(operation *op)
{
    assert_int_equal(op(), cudaSuccess);
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
    expect_nothing_alive("without a fault", 0);
    long n = 1;
    for (; n < LONGEST; n++) {
        assert_int_equal(cudaFree(NULL), cudaSuccess);
        fault_at(n);
        cudaError_t error = op();
        int was_met = fault_was_met();
        fault_at(0);
        if (!was_met) {
            assert_int_equal(error, cudaSuccess);
            break;
        }
        check_error(error);
        cudaGetLastError();
        cudaError_t again = op();
        if (again != cudaSuccess)
            print_error("%s in the operation after a failed %s\n", cudaGetErrorName(again),
                        fault_name());
        assert_int_equal(again, cudaSuccess);
        assert_int_equal(cudaDeviceReset(), cudaSuccess);
        expect_nothing_alive("after a fault", n);
    }
    if (n == 1)
        TEST_SKIP("the operation makes no call of those that can fail here (extensions are not "
                  "among them)");
    assert_true(n < LONGEST);
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
}

static cudaError_t allocate_small(void)
{
    void *memory = NULL;
    cudaError_t error = cudaMalloc(&memory, 1000);
    return first_of(error, cudaFree(memory));
}

static cudaError_t allocate_large(void)
{
    void *memory = NULL;
    cudaError_t error = cudaMalloc(&memory, (size_t)8 << 20);
    return first_of(error, cudaFree(memory));
}

static cudaError_t allocate_pinned(void)
{
    void *memory = NULL;
    cudaError_t error = cudaMallocHost(&memory, BYTES);
    return first_of(error, cudaFreeHost(memory));
}

static cudaError_t register_host(void)
{
    cudaError_t error = cudaHostRegister(host, sizeof host, cudaHostRegisterDefault);
    return error == cudaSuccess ? cudaHostUnregister(host) : error;
}

/* Calls body with device memory. */
static cudaError_t with_memory(cudaError_t (*body)(char *memory))
{
    char *memory = NULL;
    cudaError_t error = cudaMalloc((void **)&memory, 2 * BYTES);
    if (error == cudaSuccess)
        error = body(memory);
    return first_of(error, cudaFree(memory));
}

static cudaError_t copy_there_and_back(char *memory)
{
    memset(host, 7, sizeof host);
    cudaError_t error = cudaMemcpy(memory, host, BYTES, cudaMemcpyHostToDevice);
    error = first_of(error, cudaMemcpy(memory + BYTES, memory, BYTES, cudaMemcpyDeviceToDevice));
    memset(host, 0, sizeof host);
    error = first_of(error, cudaMemcpy(host, memory + BYTES, BYTES, cudaMemcpyDeviceToHost));
    if (error == cudaSuccess)
        assert_true(host[0] == 7 && host[BYTES - 1] == 7);
    return error;
}

static cudaError_t copy(void)
{
    return with_memory(copy_there_and_back);
}

static cudaError_t set_and_copy_rectangles(char *memory)
{
    cudaError_t error = cudaMemset2D(memory, 512, 5, 300, 100);
    error = first_of(
        error, cudaMemcpy2D(memory + BYTES, 400, memory, 512, 300, 100, cudaMemcpyDeviceToDevice));
    error = first_of(
        error, cudaMemcpy2D(host, 300, memory + BYTES, 400, 300, 100, cudaMemcpyDeviceToHost));
    if (error == cudaSuccess)
        assert_true(host[0] == 5 && host[29999] == 5);
    return error;
}

static cudaError_t rectangles(void)
{
    return with_memory(set_and_copy_rectangles);
}

static cudaError_t use_streams(void)
{
    cudaStream_t blocking = NULL, other = NULL;
    cudaError_t error = cudaStreamCreate(&blocking);
    error = first_of(error, cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    if (error == cudaSuccess)
        error = first_of(cudaStreamSynchronize(blocking), cudaStreamQuery(other));
    if (other != NULL)
        error = first_of(error, cudaStreamDestroy(other));
    if (blocking != NULL)
        error = first_of(error, cudaStreamDestroy(blocking));
    return error;
}

static cudaError_t time_on_stream(cudaEvent_t start, cudaEvent_t end, cudaStream_t stream,
                                  char *memory)
{
    float milliseconds = -1.0f;
    cudaError_t error = cudaEventRecord(start, stream);
    error = first_of(error, cudaMemsetAsync(memory, 1, BYTES, stream));
    error = first_of(error, cudaEventRecord(end, stream));
    error = first_of(error, cudaStreamWaitEvent(stream, end, 0));
    error = first_of(error, cudaEventSynchronize(end));
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&milliseconds, start, end);
    if (error == cudaSuccess)
        assert_true(milliseconds >= 0.0f);
    return error;
}

static cudaError_t use_events(char *memory)
{
    cudaEvent_t start = NULL, end = NULL;
    cudaStream_t stream = NULL;
    cudaError_t error = cudaEventCreate(&start);
    error = first_of(error, cudaEventCreate(&end));
    error = first_of(error, cudaStreamCreate(&stream));
    if (error == cudaSuccess)
        error = time_on_stream(start, end, stream, memory);
    if (stream != NULL)
        error = first_of(error, cudaStreamDestroy(stream));
    if (end != NULL)
        error = first_of(error, cudaEventDestroy(end));
    if (start != NULL)
        error = first_of(error, cudaEventDestroy(start));
    return error;
}

static cudaError_t events(void)
{
    return with_memory(use_events);
}

static void count_call(void *data)
{
    ++*(int *)data;
}

static cudaError_t host_function(void)
{
    static int calls;
    calls = 0;
    cudaError_t error = cudaLaunchHostFunc(NULL, count_call, &calls);
    cudaError_t waited = cudaStreamSynchronize(NULL);
    if (error == cudaSuccess && waited == cudaSuccess)
        assert_int_equal(calls, 1);
    return first_of(error, waited);
}

static const char code[] =
    "typedef struct { int a; char b; } pair;\n"
    "__kernel void fill(__global int *p, pair v) { p[get_global_id(0)] = v.a; }\n";

static cudaError_t launch_fill(cudaLibrary_t library, char *memory)
{
    struct {
        int a;
        char b;
    } pair = {42, 'x'};
    cudaKernel_t fill = NULL;
    void *args[] = {&memory, &pair};
    int last = 0;
    cudaError_t error = cudaLibraryGetKernel(&fill, library, "fill");
    if (error == cudaSuccess)
        error =
            cudaLaunchKernel((const void *)fill, (dim3){4, 1, 1}, (dim3){64, 1, 1}, args, 0, NULL);
    error = first_of(
        error, cudaMemcpy(&last, memory + 255 * sizeof(int), sizeof last, cudaMemcpyDeviceToHost));
    if (error == cudaSuccess)
        assert_int_equal(last, 42);
    return error;
}

static cudaError_t load_and_launch(char *memory)
{
    cudaLibrary_t library = NULL;
    cudaError_t error = cudaLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0);
    if (error == cudaSuccess)
        error = launch_fill(library, memory);
    if (library != NULL)
        error = first_of(error, cudaLibraryUnload(library));
    return error;
}

static cudaError_t launch(void)
{
    return with_memory(load_and_launch);
}

/* --- variables of device code ----------------------------------------------------------------- */

static const char symbol_code[] =
    "__constant int first_counter = 7;\n"
    "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) \\\n"
    "    CONSTANT(int, step, ) DEVICE(int, counter, )\n"
    "#define CLEM_SYMBOL_VALUES(CONSTANT, DEVICE, MANAGED) DEVICE(counter, first_counter)\n"
    "#include \"clem_symbols.h\"\n"
    "__kernel void count(CLEM_SYMBOLS_PARAMETERS)\n"
    "{ CLEM_DEVICE(counter) += CLEM_CONSTANT(step); }\n";

static cudaError_t count_once(cudaLibrary_t library)
{
    cudaKernel_t kernel = NULL;
    void *step = NULL, *counter = NULL;
    int value = 5;
    cudaError_t error = cudaLibraryGetKernel(&kernel, library, "count");
    error = first_of(error, cudaLibraryGetGlobal(&step, NULL, library, "step"));
    error = first_of(error, cudaLibraryGetGlobal(&counter, NULL, library, "counter"));
    if (error == cudaSuccess)
        error = cudaMemcpy(step, &value, sizeof value, cudaMemcpyHostToDevice);
    if (error == cudaSuccess)
        error =
            cudaLaunchKernel((const void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL);
    if (error == cudaSuccess)
        error = cudaMemcpy(&value, counter, sizeof value, cudaMemcpyDeviceToHost);
    if (error == cudaSuccess)
        assert_int_equal(value, 12);
    return error;
}

static cudaError_t symbols(void)
{
    cudaLibrary_t library = NULL;
    cudaError_t error = cudaLibraryLoadData(&library, symbol_code, NULL, NULL, 0, NULL, NULL, 0);
    if (error == cudaSuccess)
        error = count_once(library);
    if (library != NULL)
        error = first_of(error, cudaLibraryUnload(library));
    return error;
}

/* --- arrays ----------------------------------------------------------------------------------- */

enum { SIDE = 48 };

static const struct cudaChannelFormatDesc texel = {32, 0, 0, 0, cudaChannelFormatKindFloat};

static cudaError_t copy_through_arrays(cudaArray_t one, cudaArray_t other, cudaStream_t stream)
{
    const size_t row = SIDE * sizeof(float), bytes = SIDE * row;
    memset(host, 3, sizeof host);
    cudaError_t error =
        cudaMemcpy2DToArrayAsync(one, 0, 0, host, row, row, SIDE, cudaMemcpyHostToDevice, stream);
    error = first_of(error, cudaStreamSynchronize(stream));
    error = first_of(error, cudaMemcpyToArray(one, 8, 1, host + bytes, row, cudaMemcpyDefault));
    error = first_of(error, cudaMemcpy2DArrayToArray(other, 0, 0, one, 0, 0, row, SIDE,
                                                     cudaMemcpyDeviceToDevice));
    memset(host, 0, sizeof host);
    error = first_of(
        error, cudaMemcpy2DFromArray(host, row, other, 0, 0, row, SIDE, cudaMemcpyDeviceToHost));
    if (error == cudaSuccess)
        assert_true(host[0] == 3 && host[bytes - 1] == 3 && host[bytes] == 0);
    return error;
}

static cudaError_t arrays(void)
{
    const struct cudaExtent extent = {2 * SIDE, 2 * SIDE, 0};
    cudaArray_t array = NULL, level = NULL;
    cudaMipmappedArray_t mipmap = NULL;
    cudaStream_t stream = NULL;
    cudaError_t error = cudaMallocArray(&array, &texel, SIDE, SIDE, 0);
    error = first_of(error, cudaMallocMipmappedArray(&mipmap, &texel, extent, 2, 0));
    if (error == cudaSuccess)
        error = cudaGetMipmappedArrayLevel(&level, mipmap, 1);
    error = first_of(error, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    if (error == cudaSuccess)
        error = copy_through_arrays(array, level, stream);
    if (stream != NULL)
        error = first_of(error, cudaStreamDestroy(stream));
    error = first_of(error, cudaFreeArray(array));
    return first_of(error, cudaFreeMipmappedArray(mipmap));
}

static cudaError_t volumes(void)
{
    cudaArray_t array = NULL;
    struct cudaMemcpy3DParms p = {0};
    cudaError_t error =
        cudaMalloc3DArray(&array, &texel, (struct cudaExtent){16, 16, 8}, cudaArrayLayered);
    memset(host, 9, sizeof host);
    p.srcPtr = (struct cudaPitchedPtr){host, 64, 16, 16};
    p.dstArray = array;
    p.dstPos.z = 2;
    p.extent = (struct cudaExtent){16, 16, 5};
    p.kind = cudaMemcpyHostToDevice;
    if (error == cudaSuccess)
        error = cudaMemcpy3D(&p);
    return first_of(error, cudaFreeArray(array));
}

/* ---- Textures and surfaces ---- */

static const char texture_code[] =
    "#include \"clem_device.h\"\n"
    "__kernel void fetch(CLEM_TEXTURE2D(picture), __global float *out)\n"
    "{ int x = get_global_id(0); out[x] = tex2D(float, picture, x + 0.5f, 1.5f); }\n"
    "__kernel void paint(CLEM_SURFACE(target), float value)\n"
    "{ surf2Dwrite(float, value, target, get_global_id(0) * 4, 1); }\n";

enum { PICTURE = 8 };

struct picture {
    cudaLibrary_t library;
    cudaArray_t array;
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
};

static cudaError_t launch_one(struct picture *picture, const char *name, void **args)
{
    cudaKernel_t kernel = NULL;
    cudaError_t error = cudaLibraryGetKernel(&kernel, picture->library, name);
    if (error == cudaSuccess)
        error = cudaLaunchKernel((const void *)kernel, (dim3){PICTURE, 1, 1}, (dim3){1, 1, 1}, args,
                                 0, NULL);
    return error;
}

static cudaError_t make_picture(struct picture *picture)
{
    const struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    struct cudaTextureDesc sampling = {
        .addressMode = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp}};
    cudaError_t error =
        cudaLibraryLoadData(&picture->library, texture_code, NULL, NULL, 0, NULL, NULL, 0);
    if (error == cudaSuccess)
        error = cudaMallocArray(&picture->array, &format, PICTURE, 3, cudaArraySurfaceLoadStore);
    resource.res.array.array = picture->array;
    if (error == cudaSuccess)
        error = cudaCreateTextureObject(&picture->texture, &resource, &sampling, NULL);
    if (error == cudaSuccess)
        error = cudaCreateSurfaceObject(&picture->surface, &resource);
    return error;
}

static cudaError_t paint_and_fetch(struct picture *picture, char *memory)
{
    float texels[3 * PICTURE] = {0.0f}, found = 0.0f, value = 9.0f;
    cudaError_t error = cudaMemcpy2DToArray(picture->array, 0, 0, texels, PICTURE * sizeof(float),
                                            PICTURE * sizeof(float), 3, cudaMemcpyHostToDevice);
    error = first_of(error, launch_one(picture, "paint", (void *[]){&picture->surface, &value}));
    error = first_of(error, launch_one(picture, "fetch", (void *[]){&picture->texture, &memory}));
    error = first_of(error, cudaMemcpy(&found, memory + (PICTURE - 1) * sizeof(float), sizeof found,
                                       cudaMemcpyDeviceToHost));
    if (error == cudaSuccess)
        assert_true(found == value);
    return error;
}

static cudaError_t use_picture(char *memory)
{
    struct picture picture = {0};
    cudaError_t error = make_picture(&picture);
    if (error == cudaSuccess)
        error = paint_and_fetch(&picture, memory);
    if (picture.surface != 0)
        error = first_of(error, cudaDestroySurfaceObject(picture.surface));
    if (picture.texture != 0)
        error = first_of(error, cudaDestroyTextureObject(picture.texture));
    if (picture.array != NULL)
        error = first_of(error, cudaFreeArray(picture.array));
    if (picture.library != NULL)
        error = first_of(error, cudaLibraryUnload(picture.library));
    return error;
}

static cudaError_t textures(void)
{
    return with_memory(use_picture);
}

/* --- texture references ----------------------------------------------------------------------- */

static const char reference_code[] =
    "#include \"clem_device.h\"\n"
    "kernel void fetch(CLEM_TEXTURE_REFERENCE2D(source), global float *out)"
    "{ out[get_global_id(0)] = tex2D(float, source, get_global_id(0) + 0.5f, 1.5f); }\n";

static cudaError_t bind_and_fetch(struct picture *picture, char *memory)
{
    const struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    const struct textureReference *source = NULL;
    cudaKernel_t kernel = NULL;
    /* Only code that is loaded has references. */
    cudaError_t error = cudaLibraryGetKernel(&kernel, picture->library, "fetch");
    if (error == cudaSuccess)
        error = cudaGetTextureReference(&source, "source");
    if (error == cudaSuccess)
        error = cudaBindTextureToArray(source, picture->array, &format);
    if (error == cudaSuccess)
        error = launch_one(picture, "fetch", (void *[]){&memory});
    if (source != NULL)
        error = first_of(error, cudaUnbindTexture(source));
    return error;
}

static cudaError_t use_reference(char *memory)
{
    const struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    struct picture picture = {0};
    cudaError_t error =
        cudaLibraryLoadData(&picture.library, reference_code, NULL, NULL, 0, NULL, NULL, 0);
    if (error == cudaSuccess)
        error = cudaMallocArray(&picture.array, &format, PICTURE, 3, 0);
    if (error == cudaSuccess)
        error = bind_and_fetch(&picture, memory);
    if (picture.array != NULL)
        error = first_of(error, cudaFreeArray(picture.array));
    if (picture.library != NULL)
        error = first_of(error, cudaLibraryUnload(picture.library));
    return error;
}

static cudaError_t references(void)
{
    return with_memory(use_reference);
}

/* --- stream-ordered memory -------------------------------------------------------------------- */

/* The second stream gets what the first one freed: by waiting, as the pool holds no more. */
static cudaError_t pass_memory_on(cudaMemPool_t pool, cudaStream_t first, cudaStream_t second)
{
    void *memory = NULL, *again = NULL;
    cudaError_t error = cudaMallocFromPoolAsync(&memory, BYTES, pool, first);
    if (error == cudaSuccess)
        error = cudaMemsetAsync(memory, 1, BYTES, first);
    if (memory != NULL)
        error = first_of(error, cudaFreeAsync(memory, first));
    if (error == cudaSuccess)
        error = cudaMallocFromPoolAsync(&again, BYTES, pool, second);
    if (again != NULL)
        error = first_of(error, cudaMemsetAsync(again, 2, BYTES, second));
    if (again != NULL)
        error = first_of(error, cudaFreeAsync(again, second));
    return first_of(error, cudaDeviceSynchronize());
}

static cudaError_t use_pool(cudaMemPool_t pool)
{
    cudaStream_t first = NULL, second = NULL;
    cudaError_t error = cudaStreamCreate(&first);
    error = first_of(error, cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    if (error == cudaSuccess)
        error = pass_memory_on(pool, first, second);
    if (second != NULL)
        error = first_of(error, cudaStreamDestroy(second));
    if (first != NULL)
        error = first_of(error, cudaStreamDestroy(first));
    return error;
}

static cudaError_t ordered_memory(void)
{
    struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                          .maxSize = BYTES + BYTES / 2};
    cudaMemPool_t pool = NULL;
    properties.location.type = cudaMemLocationTypeDevice;
    cudaError_t error = cudaMemPoolCreate(&pool, &properties);
    if (error == cudaSuccess)
        error = use_pool(pool);
    if (pool != NULL)
        error = first_of(error, cudaMemPoolDestroy(pool));
    return error;
}

static cudaError_t move_managed(char *memory, size_t bytes)
{
    const struct cudaMemLocation places[] = {{cudaMemLocationTypeDevice, 0},
                                             {cudaMemLocationTypeHost, 0}};
    cudaError_t error = cudaMemset(memory, 6, bytes);
    error = first_of(error, cudaStreamAttachMemAsync(NULL, memory, 0, cudaMemAttachGlobal));
    for (int i = 0; i < 2; i++)
        error = first_of(error, cudaMemPrefetchAsync(memory, bytes, places[i], 0, NULL));
    error =
        first_of(error, cudaMemAdvise(memory, bytes, cudaMemAdviseSetPreferredLocation, places[0]));
    memset(host, 0, sizeof host);
    error = first_of(error, cudaMemcpy(host, memory + bytes - BYTES, BYTES, cudaMemcpyDefault));
    if (error == cudaSuccess)
        assert_true(host[0] == 6 && host[BYTES - 1] == 6);
    return error;
}

/* The host does not touch the memory: a fault that is met then is told nobody. */
static cudaError_t managed(void)
{
    static const size_t sizes[] = {BYTES, (size_t)6 << 20};
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < 2 && error == cudaSuccess; i++) {
        void *memory = NULL;
        error = cudaMallocManaged(&memory, sizes[i], cudaMemAttachGlobal);
        if (error == cudaSuccess)
            error = move_managed(memory, sizes[i]);
        error = first_of(error, cudaFree(memory));
    }
    return error;
}

/* Opening the device itself: a strategy may fall back, but something must work afterwards. */
static cudaError_t open_device(void)
{
    cudaError_t error = cudaDeviceReset();
    return first_of(error, cudaFree(NULL));
}

TEST_BODY(fault_allocate_small)
{
    run_with_faults(allocate_small);
}

TEST_BODY(fault_allocate_large)
{
    run_with_faults(allocate_large);
}

TEST_BODY(fault_allocate_pinned)
{
    run_with_faults(allocate_pinned);
}

TEST_BODY(fault_register_host)
{
    run_with_faults(register_host);
}

TEST_BODY(fault_copy)
{
    run_with_faults(copy);
}

TEST_BODY(fault_rectangles)
{
    run_with_faults(rectangles);
}

TEST_BODY(fault_streams)
{
    run_with_faults(use_streams);
}

TEST_BODY(fault_events)
{
    run_with_faults(events);
}

TEST_BODY(fault_host_function)
{
    run_with_faults(host_function);
}

TEST_BODY(fault_launch)
{
    run_with_faults(launch);
}

TEST_BODY(fault_symbols)
{
    run_with_faults(symbols);
}

TEST_BODY(fault_arrays)
{
    run_with_faults(arrays);
}

TEST_BODY(fault_array_volumes)
{
    run_with_faults(volumes);
}

TEST_BODY(fault_textures_by_hand)
{
    setenv("CLEM_TEXTURES", "hand", 1);
    run_with_faults(textures);
}

TEST_BODY(fault_textures_by_image)
{
    setenv("CLEM_TEXTURES", "image", 1);
    run_with_faults(textures);
}

TEST_BODY(fault_texture_references)
{
    run_with_faults(references);
}

TEST_BODY(fault_ordered_memory)
{
    run_with_faults(ordered_memory);
}

/* Where pages move, a failed move has lost contents: that is the context's failure, and stays. */
TEST_BODY(fault_managed)
{
    int is_shared = 0;
    assert_int_equal(cudaFree(NULL), cudaSuccess);
    assert_int_equal(cudaDeviceGetAttribute(&is_shared, cudaDevAttrConcurrentManagedAccess, 0),
                     cudaSuccess);
    if (!is_shared)
        TEST_SKIP("a failed move of pages is not forgotten");
    run_with_faults(managed);
}

TEST_BODY(fault_open_device)
{
    run_with_faults(open_device);
}
