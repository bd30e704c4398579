/* Semantics of peer access and peer copies with one device.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "../oracle.h"

void case_peer_queries(void)
{
    int can = 77;
    for (int a = -1; a <= 1; a++) {
        for (int b = -1; b <= 1; b++) {
            if (a == 1 || b == 1) {
                continue; /* whether there is a second device differs */
            }
            can = 77;
            CALL_AS(cudaDeviceCanAccessPeer(&can, a, b), "%d to %d", a, b);
            VALUE(can, "%d to %d: value", a, b);
        }
    }
    CALL(cudaDeviceCanAccessPeer(&can, 0, 1000));
    CALL(cudaDeviceCanAccessPeer(&can, 1000, 0));
    CALL(cudaDeviceCanAccessPeer(&can, 1000, 1000));
    CALL(cudaDeviceCanAccessPeer(NULL, 0, 0));
    CALL(cudaDeviceCanAccessPeer(NULL, -1, 1000));
    for (int attribute = -1; attribute <= 6; attribute++) {
        enum cudaDeviceP2PAttr p2p = (enum cudaDeviceP2PAttr)attribute;
        CALL_AS(cudaDeviceGetP2PAttribute(&can, p2p, 0, 0), "attribute %d", attribute);
        CALL_AS(cudaDeviceGetP2PAttribute(&can, p2p, 0, 1000), "attribute %d, device 1000",
                attribute);
    }
}

void case_peer_enable(void)
{
    CALL(cudaDeviceEnablePeerAccess(0, 0));
    CALL(cudaDeviceEnablePeerAccess(0, 1));
    CALL(cudaDeviceEnablePeerAccess(-1, 0));
    CALL(cudaDeviceEnablePeerAccess(-1, 1));
    CALL(cudaDeviceEnablePeerAccess(1000, 0));
    CALL(cudaDeviceEnablePeerAccess(1000, 1));
    CALL(cudaDeviceDisablePeerAccess(0));
    CALL(cudaDeviceDisablePeerAccess(-1));
    CALL(cudaDeviceDisablePeerAccess(1000));
}

void case_peer_copies(void)
{
    char *a = device_block(64 * KIB);
    char *b = device_block(64 * KIB);
    char *pinned = pinned_block(4096);
    char host[64] = {0};
    write_int(a, 42);
    TRY(cudaMemcpyPeer(b, 0, a, 0, 64));
    VALUE(read_int(b), "as copied");
    TRY(cudaMemcpyPeer(b, 0, a, 0, 0));
    TRY(cudaMemcpyPeer(NULL, 0, NULL, 0, 0));
    TRY(cudaMemcpyPeer(NULL, 0, a, 0, 64));
    TRY(cudaMemcpyPeer(b, 0, NULL, 0, 64));
    TRY(cudaMemcpyPeer(b, -1, a, 0, 64));
    TRY(cudaMemcpyPeer(b, 0, a, -1, 64));
    TRY(cudaMemcpyPeer(b, 1000, a, 0, 64));
    TRY(cudaMemcpyPeer(b, 0, a, 1000, 64));
    TRY(cudaMemcpyPeer(b, 1000, a, 0, 0));
    TRY(cudaMemcpyPeer(NULL, -1, NULL, -1, 0));
    TRY(cudaMemcpyPeer(b, 0, a, 0, 64 * KIB + 1));
    TRY(cudaMemcpyPeer(b, 0, a, 0, SIZE_MAX));
    TRY(cudaMemcpyPeer(b + 100, 0, a + 3, 0, 64));
    TRY(cudaMemcpyPeer(pinned, 0, a, 0, 64));
    TRY(cudaMemcpyPeer(host, 0, a, 0, 64));
    TRY(cudaMemcpyPeer(a, 0, host, 0, 64));
    TRY(cudaMemcpyPeerAsync(b, 0, a, 0, 64, NULL));
    TRY(cudaMemcpyPeerAsync(b, 0, a, 0, 64, cudaStreamPerThread));
    TRY(cudaMemcpyPeerAsync(b, 0, a, 1000, 64, NULL));
    TRY(cudaMemcpyPeerAsync(b, -1, a, 0, 64, NULL));
    TRY(cudaMemcpyPeerAsync(NULL, 0, a, 0, 64, NULL));
    TRY(cudaMemcpyPeerAsync(b, 0, a, 0, 0, NULL));
}

void case_peer_copies_3d(void)
{
    char *a = device_block(64 * KIB);
    char *b = device_block(64 * KIB);
    struct cudaMemcpy3DPeerParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = (struct cudaPitchedPtr){a, 64, 64, 8};
    p.dstPtr = (struct cudaPitchedPtr){b, 64, 64, 8};
    p.extent = (struct cudaExtent){64, 8, 2};
    TRY(cudaMemcpy3DPeer(&p));
    TRY(cudaMemcpy3DPeer(NULL));
    TRY(cudaMemcpy3DPeerAsync(&p, NULL));
    TRY(cudaMemcpy3DPeerAsync(NULL, NULL));
    p.srcDevice = 1000;
    TRY_AS(cudaMemcpy3DPeer(&p), "source device 1000");
    p.srcDevice = -1;
    TRY_AS(cudaMemcpy3DPeer(&p), "source device -1");
    p.srcDevice = 0;
    p.dstDevice = 1000;
    TRY_AS(cudaMemcpy3DPeer(&p), "destination device 1000");
    p.extent.width = 0;
    TRY_AS(cudaMemcpy3DPeer(&p), "destination device 1000, width 0");
    p.dstDevice = 0;
    TRY_AS(cudaMemcpy3DPeer(&p), "width 0");
    p.extent.width = 65;
    TRY_AS(cudaMemcpy3DPeer(&p), "width above the pitch");
    p.extent.width = 64;
    p.srcPtr.ptr = NULL;
    TRY_AS(cudaMemcpy3DPeer(&p), "from NULL");
}

void case_peer_driver(void)
{
    CUdeviceptr a = 0;
    CUdeviceptr b = 0;
    CUcontext c = NULL;
    int can = 77;
    make_driver_context();
    REQUIRE_DRIVER(cuMemAlloc(&a, 4096));
    REQUIRE_DRIVER(cuMemAlloc(&b, 4096));
    REQUIRE_DRIVER(cuCtxGetCurrent(&c));
    DRIVER(cuDeviceCanAccessPeer(&can, 0, 0));
    VALUE(can, "can");
    DRIVER(cuDeviceCanAccessPeer(NULL, 0, 0));
    DRIVER(cuDeviceCanAccessPeer(&can, 0, 1000));
    DRIVER(cuDeviceCanAccessPeer(&can, -1, 0));
    DRIVER(cuCtxEnablePeerAccess(c, 0));
    DRIVER(cuCtxEnablePeerAccess(c, 1));
    DRIVER(cuCtxEnablePeerAccess(NULL, 0));
    DRIVER(cuCtxDisablePeerAccess(c));
    DRIVER(cuCtxDisablePeerAccess(NULL));
    DRIVER(cuMemcpyPeer(b, c, a, c, 64));
    DRIVER(cuMemcpyPeer(b, NULL, a, c, 64));
    DRIVER(cuMemcpyPeer(b, c, a, NULL, 64));
    DRIVER(cuMemcpyPeer(0, c, a, c, 64));
    DRIVER(cuMemcpyPeer(b, c, a, c, 0));
    DRIVER(cuMemcpyPeer(0, c, 0, c, 0));
    DRIVER(cuMemcpyPeerAsync(b, c, a, c, 64, NULL));
    DRIVER(cuMemcpyPeerAsync(b, c, a, c, 8192, NULL));
    DRIVER(cuCtxSynchronize());
}
