/* Operations on kernels in PTX that use what such kernels share with the host: printf and malloc.
 * SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"

static int load_kernel(const char *text, const char *name, cudaLibrary_t *library,
                       cudaKernel_t *kernel)
{
    int error = 0;
    TRY(cudaLibraryLoadData, library, text, NULL, NULL, 0, NULL, NULL, 0);
    TRY(cudaLibraryGetKernel, kernel, *library, name);
    return error;
}

static const char printing[] =
    HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
         ".global .align 1 .b8 $format[9] = {112, 114, 105, 110, 116, 101, 100, 10, 0};\n"
         ".visible .entry say(.param .u64 p)\n"
         "{\n"
         "  .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
         "  ld.param.u64 %rd6, [p];\n"
         "  mov.u64 %rd4, 0;\n"
         "  mov.u64 %rd2, $format;\n"
         "  cvta.global.u64 %rd5, %rd2;\n"
         "  { .param .b64 param0; st.param.b64 [param0+0], %rd5;\n"
         "    .param .b64 param1; st.param.b64 [param1+0], %rd4;\n"
         "    .param .b32 retval0;\n"
         "    call.uni (retval0), vprintf, (param0, param1);\n"
         "    ld.param.b32 %r5, [retval0+0]; }\n"
         "  cvta.to.global.u64 %rd7, %rd6;\n"
         "  mov.u32 %r6, 7;\n"
         "  st.global.u32 [%rd7], %r6;\n"
         "  ret;\n"
         "}\n";

int operation_ptx_printf(void)
{
    cudaLibrary_t library = NULL;
    cudaKernel_t kernel = NULL;
    void *memory = NULL, *args[] = {&memory};
    int value = 0, error = load_kernel(printing, "say", &library, &kernel);
    TRY(cudaMalloc, &memory, 64);
    TRY(cudaLaunchKernel, (const void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL);
    TRY(cudaStreamSynchronize, NULL);
    TRY(cudaMemcpy, &value, memory, sizeof value, cudaMemcpyDeviceToHost);
    CHECK(value == 7);
    END(cudaFree, memory);
    if (library != NULL)
        END(cudaLibraryUnload, library);
    return error;
}

static const char taking[] =
    HEAD ".extern .func (.param .b64 r) malloc (.param .b64 a);\n"
         ".extern .func free (.param .b64 a);\n"
         ".visible .entry take(.param .u64 out)\n{\n"
         "  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
         "  ld.param.u64 %d1, [out];\n  cvta.to.global.u64 %d1, %d1;\n"
         "  mov.u32 %r5, 0;\n  mov.u64 %d3, 48;\n"
         "  { .param .b64 p0; st.param.b64 [p0], %d3; .param .b64 got;\n"
         "    call.uni (got), malloc, (p0); ld.param.b64 %d4, [got]; }\n"
         "  setp.eq.u64 %p1, %d4, 0;\n  @%p1 bra NONE;\n"
         "  mov.u32 %r4, 9;\n"
         "  st.u32 [%d4+44], %r4;\n  ld.volatile.u32 %r5, [%d4+44];\n"
         "  { .param .b64 p0; st.param.b64 [p0], %d4; call.uni free, (p0); }\n"
         "NONE:\n  st.global.u32 [%d1], %r5;\n  ret;\n}\n";

int operation_ptx_heap(void)
{
    cudaLibrary_t library = NULL;
    cudaKernel_t kernel = NULL;
    void *memory = NULL, *args[] = {&memory};
    int value = 0, error = load_kernel(taking, "take", &library, &kernel);
    TRY(cudaMalloc, &memory, 64);
    if (error == 0)
        error = CALL(cudaLaunchKernel, (const void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args,
                     0, NULL);
    TRY(cudaMemcpy, &value, memory, sizeof value, cudaMemcpyDeviceToHost);
    CHECK(value == 9);
    END(cudaFree, memory);
    if (library != NULL)
        END(cudaLibraryUnload, library);
    return error;
}
