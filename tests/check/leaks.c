/* What a program makes and does not give back: leaks KIND [back | reset]. With "back" it gives it back, with "reset" it resets the device
 * before it ends. Without words it lists the kinds: KIND, what a report says of it, and whether a reset takes it along. leaks.sh reads
 * what --check=leak says.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

enum { BYTES = 1000, SKIPPED = 77 };

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
    ".extern .func free (.param .b64 p);\n"
    ".visible .entry take(.param .u64 out) {\n"
    "  .reg .b64 %rd<4>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %rd1, [out]; mov.u64 %rd2, 24;\n"
    "  { .param .b64 n; .param .b64 r; st.param.b64 [n], %rd2;\n"
    "    call (r), malloc, (n); ld.param.b64 %rd3, [r]; }\n"
    "  mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd1, %rd1, %rd2;\n"
    "  st.global.u64 [%rd1], %rd3; ret;\n}\n"
    ".visible .entry give(.param .u64 out) {\n"
    "  .reg .b64 %rd<4>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %rd1, [out];\n"
    "  mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd1, %rd1, %rd2;\n"
    "  ld.global.u64 %rd3, [%rd1];\n"
    "  { .param .b64 p; st.param.b64 [p], %rd3; call free, (p); } ret;\n}\n";

static const struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};

/* What cannot be had here is not tested here. */
static void must(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    printf("%s\n", cudaGetErrorName(error));
    exit(error == cudaErrorNotSupported ? SKIPPED : 1);
}

static void must_driver(CUresult result)
{
    if (result == CUDA_SUCCESS)
        return;
    printf("driver: %d\n", (int)result);
    exit(result == CUDA_ERROR_NOT_SUPPORTED ? SKIPPED : 1);
}

/* Each makes a thing, whose name begins at `made` of the caller's, and gives it back if it is to. */

static void use_device(bool gives_back)
{
    void *made;
    must(cudaMalloc(&made, BYTES));
    if (gives_back)
        must(cudaFree(made));
}

static void use_pitched(bool gives_back)
{
    void *made;
    size_t pitch;
    must(cudaMallocPitch(&made, &pitch, 64, 4));
    if (gives_back)
        must(cudaFree(made));
}

static void use_managed(bool gives_back)
{
    void *made;
    must(cudaMallocManaged(&made, BYTES, cudaMemAttachGlobal));
    if (gives_back)
        must(cudaFree(made));
}

static void use_ordered(bool gives_back)
{
    void *made;
    must(cudaMallocAsync(&made, BYTES, NULL));
    if (gives_back)
        must(cudaFreeAsync(made, NULL));
}

static void use_pool(bool gives_back)
{
    const struct cudaMemPoolProps wanted = {.allocType = cudaMemAllocationTypePinned,
                                            .location = {.type = cudaMemLocationTypeDevice}};
    cudaMemPool_t made;
    must(cudaMemPoolCreate(&made, &wanted));
    if (gives_back)
        must(cudaMemPoolDestroy(made));
}

static void use_host(bool gives_back)
{
    void *made;
    must(cudaMallocHost(&made, BYTES));
    if (gives_back)
        must(cudaFreeHost(made));
}

static void use_registered(bool gives_back)
{
    static _Alignas(4096) unsigned char memory[8192];
    must(cudaHostRegister(memory, sizeof memory, cudaHostRegisterDefault));
    if (gives_back)
        must(cudaHostUnregister(memory));
}

static void use_stream(bool gives_back)
{
    cudaStream_t made;
    must(cudaStreamCreate(&made));
    if (gives_back)
        must(cudaStreamDestroy(made));
}

static void use_event(bool gives_back)
{
    cudaEvent_t made;
    must(cudaEventCreate(&made));
    if (gives_back)
        must(cudaEventDestroy(made));
}

static void use_array(bool gives_back)
{
    cudaArray_t made;
    must(cudaMallocArray(&made, &format, 16, 4, 0));
    if (gives_back)
        must(cudaFreeArray(made));
}

static void use_levels(bool gives_back)
{
    cudaMipmappedArray_t made;
    must(cudaMallocMipmappedArray(&made, &format, (struct cudaExtent){16, 16, 0}, 2, 0));
    if (gives_back)
        must(cudaFreeMipmappedArray(made));
}

static void use_texture(bool gives_back)
{
    void *memory;
    cudaTextureObject_t made;
    must(cudaMalloc(&memory, 1024));
    const struct cudaResourceDesc from = {
        .resType = cudaResourceTypeLinear,
        .res.linear = {.devPtr = memory, .desc = format, .sizeInBytes = 1024}};
    const struct cudaTextureDesc how = {.readMode = cudaReadModeElementType};
    must(cudaCreateTextureObject(&made, &from, &how, NULL));
    if (gives_back)
        must(cudaDestroyTextureObject(made));
    must(cudaFree(memory));
}

static void use_surface(bool gives_back)
{
    cudaArray_t array;
    cudaSurfaceObject_t made;
    must(cudaMallocArray(&array, &format, 16, 4, cudaArraySurfaceLoadStore));
    const struct cudaResourceDesc from = {.resType = cudaResourceTypeArray,
                                          .res.array.array = array};
    must(cudaCreateSurfaceObject(&made, &from));
    if (gives_back)
        must(cudaDestroySurfaceObject(made));
    must(cudaFreeArray(array));
}

static void use_graph(bool gives_back)
{
    cudaGraph_t made;
    must(cudaGraphCreate(&made, 0));
    if (gives_back)
        must(cudaGraphDestroy(made));
}

static void use_captured(bool gives_back)
{
    cudaStream_t stream;
    cudaGraph_t made;
    must(cudaStreamCreate(&stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    must(cudaStreamEndCapture(stream, &made));
    must(cudaStreamDestroy(stream));
    if (gives_back)
        must(cudaGraphDestroy(made));
}

static void use_exec(bool gives_back)
{
    cudaGraph_t graph;
    cudaGraphExec_t made;
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphInstantiate(&made, graph, 0));
    must(cudaGraphLaunch(made, NULL));
    must(cudaDeviceSynchronize());
    must(cudaGraphDestroy(graph));
    if (gives_back)
        must(cudaGraphExecDestroy(made));
}

static void do_nothing(void *unused)
{
    (void)unused;
}

static void use_object(bool gives_back)
{
    cudaUserObject_t made;
    must(cudaUserObjectCreate(&made, NULL, do_nothing, 1, cudaUserObjectNoDestructorSync));
    if (gives_back)
        must(cudaUserObjectRelease(made, 1));
}

static void use_library(bool gives_back)
{
    cudaLibrary_t made;
    must(cudaLibraryLoadData(&made, ptx, NULL, NULL, 0, NULL, NULL, 0));
    if (gives_back)
        must(cudaLibraryUnload(made));
}

static void use_module(bool gives_back)
{
    CUmodule made;
    must(cudaFree(NULL));
    must_driver(cuModuleLoadData(&made, ptx));
    if (gives_back)
        must_driver(cuModuleUnload(made));
}

static void use_link(bool gives_back)
{
    CUlinkState made;
    must(cudaFree(NULL));
    must_driver(cuLinkCreate(0, NULL, NULL, &made));
    if (gives_back)
        must_driver(cuLinkDestroy(made));
}

static void use_context(bool gives_back)
{
    CUcontext made;
    CUdevice device;
    must_driver(cuInit(0));
    must_driver(cuDeviceGet(&device, 0));
    must_driver(cuCtxCreate(&made, NULL, 0, device));
    if (gives_back)
        must_driver(cuCtxDestroy(made));
    else
        must_driver(cuCtxPopCurrent(&made));
}

static void use_addresses(bool gives_back)
{
    CUdeviceptr made;
    must(cudaFree(NULL));
    must_driver(cuMemAddressReserve(&made, 4 << 20, 0, 0, 0));
    if (gives_back)
        must_driver(cuMemAddressFree(made, 4 << 20));
}

static void use_physical(bool gives_back)
{
    const CUmemAllocationProp wanted = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemGenericAllocationHandle made;
    must(cudaFree(NULL));
    must_driver(cuMemCreate(&made, 4 << 20, &wanted, 0));
    if (gives_back)
        must_driver(cuMemRelease(made));
}

static void use_heap(bool gives_back)
{
    cudaLibrary_t library;
    cudaKernel_t take, give;
    void *places;
    void *arguments[] = {&places};
    must(cudaMalloc(&places, 3 * sizeof(void *)));
    must(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    must(cudaLibraryGetKernel(&take, library, "take"));
    must(cudaLibraryGetKernel(&give, library, "give"));
    must(
        cudaLaunchKernel((const void *)take, (dim3){1, 1, 1}, (dim3){3, 1, 1}, arguments, 0, NULL));
    if (gives_back)
        must(cudaLaunchKernel((const void *)give, (dim3){1, 1, 1}, (dim3){3, 1, 1}, arguments, 0,
                              NULL));
    must(cudaDeviceSynchronize());
    must(cudaLibraryUnload(library));
    must(cudaFree(places));
}

static const struct kind {
    const char *word, *says;
    void (*use)(bool gives_back);
    bool goes_with_device;
} kinds[] = {
    {"device", "1000 bytes of device memory at 0x.* were not freed", use_device, true},
    {"pitched", "[0-9]+ bytes of device memory at 0x.* were not freed", use_pitched, true},
    {"managed", "1000 bytes of managed memory at 0x.* were not freed", use_managed, true},
    {"ordered", "1000 bytes of device memory at 0x.* were not freed", use_ordered, true},
    {"pool", "the memory pool 0x.* was not destroyed", use_pool, false},
    {"host", "1000 bytes of pinned host memory at 0x.* were not freed", use_host, true},
    {"registered", "8192 bytes of registered host memory at 0x.* were not unregistered",
     use_registered, true},
    {"stream", "the stream 0x.* was not destroyed", use_stream, true},
    {"event", "the event 0x.* was not destroyed", use_event, true},
    {"array", "the array 0x.* was not destroyed", use_array, true},
    {"levels", "the mipmapped array 0x.* was not destroyed", use_levels, true},
    {"texture", "the texture object 0x.* was not destroyed", use_texture, true},
    {"surface", "the surface object 0x.* was not destroyed", use_surface, true},
    {"graph", "the graph 0x.* was not destroyed", use_graph, false},
    {"captured", "the graph 0x.* was not destroyed", use_captured, false},
    {"exec", "the executable graph 0x.* was not destroyed", use_exec, false},
    {"object", "the user object 0x.* was not released", use_object, false},
    {"library", "the library 0x.* was not unloaded", use_library, false},
    {"module", "the module 0x.* was not unloaded", use_module, true},
    {"link", "the link state 0x.* was not destroyed", use_link, false},
    {"context", "the context 0x.* was not destroyed", use_context, false},
    {"addresses", "4194304 bytes of reserved addresses at 0x.* were not freed", use_addresses,
     false},
    {"physical", "the physical memory 0x.* was not released", use_physical, false},
    {"heap", "72 bytes of the device's heap were not freed, in 3 pieces", use_heap, true},
};

int main(int count, char **words)
{
    const bool gives_back = count > 2 && strcmp(words[2], "back") == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (count < 2)
            printf("%s\t%s\t%d\n", kinds[i].word, kinds[i].says, kinds[i].goes_with_device);
        else if (strcmp(words[1], kinds[i].word) == 0)
            kinds[i].use(gives_back);
    if (count > 2 && strcmp(words[2], "reset") == 0)
        must(cudaDeviceReset());
    return 0;
}
