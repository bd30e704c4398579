/* Semantics of cudaMemcpy3D and its peer form.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"

static const enum cudaMemcpyKind D2H = cudaMemcpyDeviceToHost;

/* A valid copy of 32 x 4 x 3 bytes; each step below spoils something in it. */
static char *d, *e, *h;

static struct cudaMemcpy3DParms good(void)
{
    struct cudaMemcpy3DParms p = {0};
    p.srcPtr = (struct cudaPitchedPtr){h, 64, 64, 8};
    p.dstPtr = (struct cudaPitchedPtr){d, 64, 64, 8};
    p.extent = (struct cudaExtent){32, 4, 3};
    p.kind = cudaMemcpyHostToDevice;
    return p;
}

static void make_blocks(void)
{
    d = device_block(64 * KIB);
    e = device_block(64 * KIB);
    h = calloc(1, 1 * MIB);
    require(h != NULL, "calloc");
}

#define SPOILED(change, ...)                                                                       \
    do {                                                                                           \
        struct cudaMemcpy3DParms p = good();                                                       \
        change;                                                                                    \
        TRY_AS(cudaMemcpy3D(&p), __VA_ARGS__);                                                     \
    } while (0)
#define SPOIL(...) SPOILED(__VA_ARGS__, "%s", #__VA_ARGS__)

void case_memcpy3d_arguments(void)
{
    make_blocks();
    CALL(cudaMemcpy3D(NULL));
    CALL(cudaMemcpy3DAsync(NULL, NULL));
    SPOIL((void)0);
    SPOIL(p.srcPtr.ptr = NULL);
    SPOIL(p.dstPtr.ptr = NULL);
    SPOIL(p.srcPtr.ptr = p.dstPtr.ptr = NULL);
    SPOIL(p.srcPtr.pitch = 31);
    SPOIL(p.dstPtr.pitch = 31);
    SPOIL(p.srcPtr.pitch = 0);
    SPOIL(p.srcPtr.pitch = 63);
    SPOIL(p.srcPtr.xsize = 31);
    SPOIL(p.srcPtr.xsize = 0);
    SPOIL(p.srcPtr.ysize = 3);
    SPOIL(p.dstPtr.ysize = 3);
    SPOIL(p.srcPtr.ysize = 0);
    SPOIL(p.dstPtr.xsize = p.dstPtr.ysize = 0);
    SPOIL(p.srcPos.x = 32);
    SPOIL(p.srcPos.x = 33);
    SPOIL(p.srcPos.x = 64);
    SPOIL(p.srcPos.y = 4);
    SPOIL(p.srcPos.y = 5);
    SPOIL(p.srcPos.y = 8);
    SPOIL(p.srcPos.z = 1);
    SPOIL(p.dstPos.x = 33);
    SPOIL(p.dstPos.y = 5);
    SPOIL(p.dstPos.z = 1000);
    SPOIL(p.dstPos.x = SIZE_MAX);
    SPOIL(p.kind = (enum cudaMemcpyKind)9);
    SPOIL(p.kind = (enum cudaMemcpyKind)(-1));
    SPOIL(p.kind = cudaMemcpyDeviceToHost);
    SPOIL(p.kind = cudaMemcpyDeviceToDevice);
    SPOIL(p.kind = cudaMemcpyHostToHost);
    SPOIL(p.kind = cudaMemcpyDefault);
    SPOIL(p.extent.depth = 1000);
    SPOIL(p.extent.depth = SIZE_MAX);
    SPOIL(p.extent.height = 9);
    SPOIL(p.extent.width = 65);
    SPOIL(p.srcPtr.pitch = SIZE_MAX);
    SPOIL(p.srcPtr.pitch = (size_t)1 << 31);
    SPOIL(p.srcPtr.pitch = 31; p.kind = (enum cudaMemcpyKind)9);
    SPOIL(p.srcPtr.ptr = NULL; p.kind = (enum cudaMemcpyKind)9);
    SPOIL(p.srcPtr.ptr = NULL; p.srcPtr.pitch = 31);
    SPOIL(p.srcPtr.ptr = NULL; p.srcPtr.pitch = 31; p.kind = (enum cudaMemcpyKind)9);
    SPOIL(p.srcArray = (cudaArray_t)(uintptr_t)16);
    SPOIL(p.srcPtr.ptr = NULL; p.srcPos.x = 40);
    SPOIL(memset(&p, 0, sizeof p));
}

void case_memcpy3d_zero_extent(void)
{
    make_blocks();
    SPOIL(p.extent.width = 0);
    SPOIL(p.extent.height = 0);
    SPOIL(p.extent.depth = 0);
    SPOIL(p.extent.width = 0; p.srcPtr.ptr = NULL);
    SPOIL(p.extent.height = 0; p.srcPtr.ptr = NULL; p.dstPtr.ptr = NULL);
    SPOIL(p.extent.depth = 0; p.srcPtr.ptr = NULL; p.dstPtr.ptr = NULL);
    SPOIL(p.extent.depth = 0; p.srcPtr.pitch = 1);
    SPOIL(p.extent.width = 0; p.srcPtr.pitch = 0; p.dstPtr.pitch = 0);
    SPOIL(p.extent.depth = 0; p.srcPos.x = 100);
    SPOIL(p.extent.depth = 0; p.kind = (enum cudaMemcpyKind)9);
    SPOIL(p.extent.depth = 0; p.kind = cudaMemcpyDeviceToHost);
}

static long long checksum(const unsigned char *p, size_t bytes)
{
    long long sum = 0;
    for (size_t i = 0; i < bytes; i++) {
        sum = (sum * 31 + p[i]) % 1000000007;
    }
    return sum;
}

void case_memcpy3d_values(void)
{
    unsigned char back[8192];
    make_blocks();
    for (size_t i = 0; i < 64 * KIB; i++) {
        h[i] = (char)(unsigned char)((i * 7 + i / 251) & 0xff);
    }
    REQUIRE(cudaMemset(d, 0xee, 64 * KIB));
    REQUIRE(cudaMemset(e, 0xdd, 64 * KIB));
    SPOIL(p.srcPos.x = 3; p.srcPos.y = 2; p.srcPos.z = 1; p.dstPos.x = 5; p.dstPos.y = 1;
          p.dstPos.z = 2);
    TRY(cudaMemcpy(back, d, sizeof back, D2H));
    VALUE(checksum(back, sizeof back), "host to device");
    SPOIL(p.srcPtr.ptr = d; p.dstPtr.ptr = e; p.dstPtr.pitch = 80; p.dstPtr.ysize = 5;
          p.srcPos.y = 1; p.dstPos.x = 7; p.kind = cudaMemcpyDeviceToDevice);
    TRY(cudaMemcpy(back, e, sizeof back, D2H));
    VALUE(checksum(back, sizeof back), "device to device");
    memset(back, 0xcc, sizeof back);
    SPOIL(p.srcPtr.ptr = d; p.dstPtr.ptr = back; p.dstPtr.pitch = 33; p.dstPtr.ysize = 6;
          p.srcPos.z = 1; p.dstPos.z = 1; p.kind = cudaMemcpyDeviceToHost);
    VALUE(checksum(back, sizeof back), "device to host");
    memset(back, 0xcc, sizeof back);
    SPOIL(p.dstPtr.ptr = back; p.kind = cudaMemcpyHostToHost);
    VALUE(checksum(back, sizeof back), "host to host");
    SPOIL(p.srcPtr.ptr = d; p.dstPtr.ptr = d; p.dstPos.x = 16; p.kind = cudaMemcpyDeviceToDevice);
    SPOIL(p.srcPtr.ptr = d; p.dstPtr.ptr = d; p.kind = cudaMemcpyDeviceToDevice);
}

#define SPOIL_PEER(...)                                                                            \
    do {                                                                                           \
        struct cudaMemcpy3DPeerParms p = good_peer();                                              \
        __VA_ARGS__;                                                                               \
        TRY_AS(cudaMemcpy3DPeer(&p), "%s", #__VA_ARGS__);                                          \
    } while (0)

static struct cudaMemcpy3DPeerParms good_peer(void)
{
    struct cudaMemcpy3DPeerParms p = {0};
    p.srcPtr = (struct cudaPitchedPtr){e, 64, 64, 8};
    p.dstPtr = (struct cudaPitchedPtr){d, 64, 64, 8};
    p.extent = (struct cudaExtent){32, 4, 3};
    return p;
}

void case_memcpy3d_peer(void)
{
    make_blocks();
    CALL(cudaMemcpy3DPeer(NULL));
    CALL(cudaMemcpy3DPeerAsync(NULL, NULL));
    SPOIL_PEER((void)0);
    SPOIL_PEER(p.srcPtr.ptr = NULL);
    SPOIL_PEER(p.srcDevice = -1);
    SPOIL_PEER(p.dstDevice = 1000);
    SPOIL_PEER(p.srcDevice = -1; p.srcPtr.ptr = NULL; p.srcPtr.pitch = 3);
    SPOIL_PEER(p.srcPtr.pitch = 31);
    SPOIL_PEER(p.extent.depth = 0);
    SPOIL_PEER(p.extent.depth = 0; p.srcDevice = -1);
    SPOIL_PEER(p.extent.depth = 0; p.srcPtr.ptr = NULL);
    SPOIL_PEER(p.srcPtr.ptr = h);
}

void case_memcpy3d_arrays(void)
{
    cudaArray_t array = NULL;
    struct cudaChannelFormatDesc format = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
    make_blocks();
    CALL(cudaMallocArray(&array, &format, 64, 8, 0));
    if (!array) {
        return;
    }
    SPOIL(p.srcArray = array);
    SPOIL(p.dstArray = array);
    SPOIL(p.srcArray = array; p.srcPtr.ptr = NULL; p.extent.depth = 1);
    SPOIL(p.dstArray = array; p.dstPtr.ptr = NULL; p.extent.depth = 1);
    SPOIL(p.dstArray = array; p.dstPtr = (struct cudaPitchedPtr){0}; p.extent.depth = 1);
    SPOIL(p.dstArray = array; p.dstPtr = (struct cudaPitchedPtr){0}; p.extent.depth = 2);
    SPOIL(p.dstArray = array; p.dstPtr = (struct cudaPitchedPtr){0}; p.extent.depth = 1;
          p.dstPos.x = 40);
    SPOIL(p.dstArray = array; p.dstPtr = (struct cudaPitchedPtr){0}; p.extent.depth = 1;
          p.extent.width = 65);
}
