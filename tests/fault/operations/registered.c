/* Operations on code that the program registers, as compilers do: kernels by stubs, symbols, references, old launches.
 * SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

#include <crt/host_runtime_abi.h>
#include <nvtx3/nvToolsExt.h>

int InitializeInjectionNvtx2(const void *(*tables)(uint32_t number));

enum { SIDE = 8 };

static const char text[] =
    "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) \\\n"
    "    CONSTANT(int, step, ) DEVICE(int, counter, ) MANAGED(int, shown, )\n"
    "#include \"clem_device.h\"\n"
    "kernel void count(global int *out, int by, CLEM_SYMBOLS_PARAMETERS)\n"
    "{ CLEM_DEVICE(counter) += CLEM_CONSTANT(step) * by; out[0] = CLEM_DEVICE(counter); }\n"
    "kernel void read(global float *out, CLEM_TEXTURE_REFERENCE2D(picture))\n"
    "{ out[0] = tex2D(float, picture, 1.5f, 1.5f); }\n"
    "kernel void fetch(global float *out, CLEM_TEXTURE_REFERENCE1D_BUFFER(line))\n"
    "{ out[0] = tex1Dfetch(float, line, 3); }\n"
    "kernel void draw(CLEM_SURFACE_REFERENCE(canvas), float value)\n"
    "{ surf2Dwrite(float, value, canvas, 4, 1); }\n";

static struct {
    uint32_t magic, version;
    const void *code;
    const void *const *parts;
} wrapper = {0x466243b1, 1, text, NULL};

static const char count_stub = 1, read_stub = 2, fetch_stub = 3, draw_stub = 4;
static char step_variable, counter_variable;
static void *shown_pointer;
static struct textureReference picture, line;
static struct surfaceReference canvas;
static const struct cudaChannelFormatDesc texel = {32, 0, 0, 0, cudaChannelFormatKindFloat};

static void register_kernel(void **code, const char *stub, const char *name)
{
    NOTE(__cudaRegisterFunction)
    (code, stub, (char *)(uintptr_t)name, name, -1, NULL, NULL, NULL, NULL, NULL);
}

static void register_variables(void **code)
{
    char none[] = "";
    NOTE(__cudaRegisterVar)(code, &step_variable, none, "step", 0, 4, 1, 0);
    NOTE(__cudaRegisterVar)(code, &counter_variable, none, "counter", 0, 4, 0, 0);
    NOTE(__cudaRegisterManagedVar)(code, &shown_pointer, none, "shown", 0, 4, 0, 0);
    NOTE(__cudaRegisterHostVar)(code, "host", none, 1);
}

static void **register_code(void)
{
    for (int i = 0; i < 3; i++)
        picture.addressMode[i] = line.addressMode[i] = cudaAddressModeClamp;
    picture.channelDesc = line.channelDesc = texel;
    void **code = NOTE(__cudaRegisterFatBinary)(&wrapper);
    register_kernel(code, &count_stub, "count");
    register_kernel(code, &read_stub, "read");
    register_kernel(code, &fetch_stub, "fetch");
    register_kernel(code, &draw_stub, "draw");
    register_variables(code);
    NOTE(__cudaRegisterTexture)(code, &picture, NULL, "picture", 2, 0, 0);
    NOTE(__cudaRegisterTexture)(code, &line, NULL, "line", 1, 0, 0);
    NOTE(__cudaRegisterSurface)(code, &canvas, NULL, "canvas", 2, 0);
    NOTE(__cudaRegisterFatBinaryEnd)(code);
    return code;
}

/* ---- Symbols and launches ---- */

static int copy_symbols(void)
{
    void *address = NULL;
    size_t size = 0;
    int value = 2, error = 0;
    TRY(cudaMemcpyToSymbol, &step_variable, &value, sizeof value, 0, cudaMemcpyHostToDevice);
    value = 10;
    TRY(cudaMemcpyToSymbolAsync, &counter_variable, &value, sizeof value, 0, cudaMemcpyHostToDevice,
        NULL);
    TRY(cudaStreamSynchronize, NULL);
    TRY(cudaGetSymbolAddress, &address, &counter_variable);
    TRY(cudaGetSymbolSize, &size, &counter_variable);
    CHECK(size == 4 && address != NULL);
    return error;
}

/* A launch as code for stub<<<...>>> makes it. */
static int launch_by_stub(void **args)
{
    const dim3 one = {1, 1, 1};
    dim3 grid = one, block = one;
    cudaStream_t stream = NULL;
    cudaKernel_t kernel = NULL;
    cudaFunction_t function = NULL;
    size_t shared = 0;
    int error = 0;
    if (NOTE(__cudaPushCallConfiguration)(one, one, 0, NULL) != 0)
        return cudaErrorMemoryAllocation;
    error = CALL(__cudaPopCallConfiguration, &grid, &block, &shared, &stream);
    TRY(cudaGetFuncBySymbol, &function, &count_stub);
    TRY(cudaGetKernel, &kernel, &count_stub);
    TRY(__cudaGetKernel, &kernel, &count_stub);
    TRY(__cudaLaunchKernel, kernel, grid, block, args, shared, stream);
    TRY(cudaLaunchKernel, &count_stub, grid, block, args, shared, stream);
    return error;
}

static int launch_in_steps(void *out)
{
    const dim3 one = {1, 1, 1};
    int by = 3, error = 0;
    TRY(cudaConfigureCall, one, one, 0, NULL);
    TRY(cudaSetupArgument, &out, sizeof out, 0);
    TRY(cudaSetupArgument, &by, sizeof by, sizeof out);
    TRY(cudaLaunch, &count_stub);
    return error;
}

int operation_registered_code(void)
{
    void *out = NULL;
    int by = 1, value = 0, error = 0;
    void **code = register_code();
    void *args[] = {&out, &by};
    if (NOTE(__cudaInitModule)(code) == 0)
        error = cudaErrorInvalidKernelImage; /* it tells no more than that it failed */
    if (error == 0)
        error = copy_symbols();
    TRY(cudaMalloc, &out, 64);
    if (error == 0)
        error = launch_by_stub(args);
    if (error == 0)
        error = launch_in_steps(out);
    TRY(cudaMemcpy, &value, out, sizeof value, cudaMemcpyDeviceToHost);
    CHECK(value == 10 + 2 + 2 + 6);
    value = 0;
    TRY(cudaMemcpyFromSymbol, &value, &counter_variable, sizeof value, 0, cudaMemcpyDeviceToHost);
    CHECK(value == 20);
    TRY(cudaMemcpyFromSymbolAsync, &value, &counter_variable, sizeof value, 0,
        cudaMemcpyDeviceToHost, NULL);
    TRY(cudaStreamSynchronize, NULL);
    CHECK(value == 20);
    END(cudaFree, out);
    NOTE(__cudaUnregisterFatBinary)(code);
    return error;
}

/* ---- References ---- */

static int launch_read(const char *stub, float **out, float expected)
{
    void *args[] = {out};
    float found = 0;
    int error = 0;
    TRY(cudaLaunchKernel, stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL);
    TRY(cudaMemcpy, &found, *out, sizeof found, cudaMemcpyDeviceToHost);
    CHECK(found == expected);
    return error;
}

static int bind_arrays(float *out, cudaArray_t array, cudaMipmappedArray_t mipmap)
{
    float value = 6;
    void *args[] = {&value};
    int error = 0;
    TRY(cudaBindTextureToMipmappedArray, &picture, mipmap, &texel);
    TRY(cudaBindTextureToArray, &picture, array, &texel);
    TRY(cudaBindSurfaceToArray, &canvas, array, &texel);
    TRY(cudaLaunchKernel, &draw_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL);
    return error == 0 ? launch_read(&read_stub, &out, 6) : error;
}

static int bind_memory(float *out, float *memory)
{
    float values[SIDE * SIDE];
    size_t offset = 0;
    int error = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        values[i] = (float)i;
    TRY(cudaMemcpy, memory, values, sizeof values, cudaMemcpyHostToDevice);
    TRY(cudaBindTexture, &offset, &line, memory, &texel, sizeof values);
    TRY(cudaGetTextureAlignmentOffset, &offset, &line);
    return error == 0 ? launch_read(&fetch_stub, &out, 3) : error;
}

static int find_references(void)
{
    const struct textureReference *texture = NULL;
    const struct surfaceReference *surface = NULL;
    int error = 0;
    TRY(cudaGetTextureReference, &texture, &picture);
    TRY(cudaGetSurfaceReference, &surface, &canvas);
    CHECK(texture == &picture && surface == &canvas);
    return error;
}

static int use_references(float *out, float *memory)
{
    const struct cudaExtent extent = {SIDE, SIDE, 0};
    cudaArray_t array = NULL;
    cudaMipmappedArray_t mipmap = NULL;
    size_t offset = 0;
    int error = find_references();
    TRY(cudaMallocArray, &array, &texel, SIDE, SIDE, cudaArraySurfaceLoadStore);
    TRY(cudaMallocMipmappedArray, &mipmap, &texel, extent, 2, 0);
    if (error == 0)
        error = bind_arrays(out, array, mipmap);
    TRY(cudaUnbindTexture, &picture);
    TRY(cudaBindTexture2D, &offset, &picture, memory, &texel, 8, 4, 512);
    TRY(cudaUnbindTexture, &picture);
    if (error == 0)
        error = bind_memory(out, memory);
    END(cudaFreeMipmappedArray, mipmap);
    END(cudaFreeArray, array);
    return error;
}

int operation_references(void)
{
    void *out = NULL, *memory = NULL;
    int error = 0;
    void **code = register_code();
    TRY(cudaMalloc, &out, 64);
    TRY(cudaMalloc, &memory, 1 << 16);
    if (error == 0)
        error = use_references(out, memory);
    NOTE(__cudaUnregisterFatBinary)(code);
    END(cudaFree, memory);
    END(cudaFree, out);
    return error;
}

/* ---- What clemcc's headers register before main() runs ---- */

static int managed_section[16];

static void register_none(void **code)
{
    register_kernel(code, &count_stub, "count");
}

/* The library keeps what is registered so for as long as the process lives. */
int operation_sections(void)
{
    static bool is_registered;
    static const char id = 1;
    if (!is_registered) {
        NOTE(__clemRegisterManagedSection)(managed_section, managed_section + 16);
        (void)NOTE(__clemNvtxNote)(NVTX_CLEM_MARK, NULL, NVTX_MESSAGE_TYPE_ASCII, "mark", 0);
        (void)NOTE(__clemNvtxName)(NVTX_MESSAGE_TYPE_ASCII, "name");
        (void)NOTE(InitializeInjectionNvtx2)(NULL);
        (void)NOTE(__clemPrecompile)(NULL, NULL, NULL);
        NOTE(__clemRegisterLinkedBinary)(register_none, &wrapper, (void *)(uintptr_t)&id, NULL);
    }
    is_registered = true;
    int error = 0;
    TRY(cudaFree, NULL);
    return error;
}
