/* Tests of facade/device/device_properties.c: attributes, properties, choosing by wish, pairs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "include/clem.h"
#include "tests/facade/runtime_support.h"

static int attribute(enum cudaDeviceAttr attr, int device)
{
    int value = -77;
    assert_success(cudaDeviceGetAttribute(&value, attr, device));
    return value;
}

static int device_count(void)
{
    int count = 0;
    assert_success(cudaGetDeviceCount(&count));
    return count;
}

TEST_BODY(device_properties_tell_what_clem_promises)
{
    for (int i = 0; i < device_count(); i++) {
        struct cudaDeviceProp p;
        memset(&p, 0x55, sizeof p);
        assert_success(cudaGetDeviceProperties(&p, i));
        assert_int_equal(p.major, 7);
        assert_int_equal(p.minor, 5);
        assert_int_equal(p.warpSize, 32);
        assert_int_equal(p.unifiedAddressing, 1);
        assert_int_equal(p.canMapHostMemory, 1);
        assert_true(p.name[0] != '\0' && memchr(p.name, '\0', sizeof p.name) != NULL);
        assert_true(p.multiProcessorCount >= 1);
        assert_true(p.totalGlobalMem >= (size_t)1 << 20);
        assert_true(p.sharedMemPerBlock >= 1024);
        assert_true(p.maxThreadsPerBlock >= 1 && p.maxThreadsPerBlock <= 1024);
        assert_true(p.maxThreadsPerMultiProcessor >= p.maxThreadsPerBlock);
        assert_int_equal(p.maxGridSize[0], 2147483647);
        assert_int_equal(p.maxGridSize[1], 65535);
        assert_int_equal(p.maxGridSize[2], 65535);
    }
}

/* What is in both is the same in both. */
TEST_BODY(device_properties_agree_with_attributes)
{
    struct cudaDeviceProp p;
    assert_success(cudaGetDeviceProperties(&p, 0));
    const struct {
        enum cudaDeviceAttr attr;
        size_t value;
    } pairs[] = {
        {cudaDevAttrMaxThreadsPerBlock, (size_t)p.maxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimX, (size_t)p.maxThreadsDim[0]},
        {cudaDevAttrMaxBlockDimY, (size_t)p.maxThreadsDim[1]},
        {cudaDevAttrMaxBlockDimZ, (size_t)p.maxThreadsDim[2]},
        {cudaDevAttrMaxGridDimX, (size_t)p.maxGridSize[0]},
        {cudaDevAttrMaxGridDimY, (size_t)p.maxGridSize[1]},
        {cudaDevAttrMaxGridDimZ, (size_t)p.maxGridSize[2]},
        {cudaDevAttrMaxSharedMemoryPerBlock, p.sharedMemPerBlock},
        {cudaDevAttrWarpSize, (size_t)p.warpSize},
        {cudaDevAttrMaxPitch, p.memPitch},
        {cudaDevAttrTextureAlignment, p.textureAlignment},
        {cudaDevAttrTexturePitchAlignment, p.texturePitchAlignment},
        {cudaDevAttrMultiProcessorCount, (size_t)p.multiProcessorCount},
        {cudaDevAttrIntegrated, (size_t)p.integrated},
        {cudaDevAttrL2CacheSize, (size_t)p.l2CacheSize},
        {cudaDevAttrMaxThreadsPerMultiProcessor, (size_t)p.maxThreadsPerMultiProcessor},
        {cudaDevAttrAsyncEngineCount, (size_t)p.asyncEngineCount},
        {cudaDevAttrPciBusId, (size_t)p.pciBusID},
        {cudaDevAttrPciDeviceId, (size_t)p.pciDeviceID},
        {cudaDevAttrPciDomainId, (size_t)p.pciDomainID},
        {cudaDevAttrComputeCapabilityMajor, (size_t)p.major},
        {cudaDevAttrComputeCapabilityMinor, (size_t)p.minor},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, p.sharedMemPerMultiprocessor},
        {cudaDevAttrMaxRegistersPerBlock, (size_t)p.regsPerBlock},
        {cudaDevAttrMaxTexture2DWidth, (size_t)p.maxTexture2D[0]},
        {cudaDevAttrMaxTexture2DHeight, (size_t)p.maxTexture2D[1]},
        {cudaDevAttrMaxTexture3DDepth, (size_t)p.maxTexture3D[2]},
        {cudaDevAttrManagedMemory, (size_t)p.managedMemory},
        {cudaDevAttrCooperativeLaunch, (size_t)p.cooperativeLaunch},
        {cudaDevAttrMemoryPoolsSupported, (size_t)p.memoryPoolsSupported},
        {cudaDevAttrMaxBlocksPerMultiprocessor, (size_t)p.maxBlocksPerMultiProcessor},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if ((size_t)attribute(pairs[i].attr, 0) != pairs[i].value)
            print_error("attribute %d\n", (int)pairs[i].attr);
        assert_int_equal(attribute(pairs[i].attr, 0), pairs[i].value);
    }
}

/* What CUDA has for compute capability 7.5, where arrays are sampled by hand; elsewhere no more than that. */
TEST_BODY(device_properties_of_textures)
{
    for (int i = 0; i < device_count(); i++) {
        clemDeviceInfo info;
        assert_success(clemGetDeviceInfo(&info, i));
        const bool is_cpu = info.deviceClass == 2;
        const int row = attribute(cudaDevAttrMaxTexture1DWidth, i);
        const int plane = attribute(cudaDevAttrMaxTexture2DHeight, i);
        const int volume = attribute(cudaDevAttrMaxTexture3DDepth, i);
        assert_true(is_cpu ? row == 131072 : row <= 131072);
        assert_true(is_cpu ? plane == 65536 : plane <= 65536);
        assert_true(is_cpu ? volume == 16384 : volume <= 16384);
    }
}

/* The range of attributes has no hole, and nothing outside is known. */
TEST_BODY(device_properties_have_every_attribute)
{
    int value = 77;
    for (int i = 1; i <= cudaDevAttrMaxTexture1DMipmappedWidth; i++)
        assert_success(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)i, 0));
    value = 77;
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)0, 0));
    assert_fails(cudaErrorInvalidValue,
                 cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)10000, 0));
    assert_fails(cudaErrorInvalidValue,
                 cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)(-1), 0));
    assert_fails(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, -1));
    assert_fails(cudaErrorInvalidDevice,
                 cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, device_count()));
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    assert_int_equal(value, 77);
}

TEST_BODY(device_properties_refuse_bad_arguments)
{
    struct cudaDeviceProp p;
    memset(&p, 0x55, sizeof p);
    assert_fails(cudaErrorInvalidValue, cudaGetDeviceProperties(NULL, 0));
    assert_fails(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, -1));
    assert_fails(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, device_count()));
    assert_int_equal(p.warpSize, 0x55555555);
}

/* Two devices are never the same one: a GPU seen through two platforms is one device. */
TEST_BODY(device_properties_tell_devices_apart)
{
    int count = device_count();
    for (int i = 0; i < count; i++) {
        struct cudaDeviceProp a, b;
        char place[32], other[32];
        assert_success(cudaGetDeviceProperties(&a, i));
        assert_success(cudaDeviceGetPCIBusId(place, sizeof place, i));
        static const char none[sizeof a.uuid.bytes];
        assert_memory_not_equal(a.uuid.bytes, none, sizeof none);
        for (int k = i + 1; k < count; k++) {
            assert_success(cudaGetDeviceProperties(&b, k));
            assert_memory_not_equal(a.uuid.bytes, b.uuid.bytes, sizeof a.uuid.bytes);
            assert_success(cudaDeviceGetPCIBusId(other, sizeof other, k));
            assert_string_not_equal(place, other);
        }
    }
}

TEST_BODY(device_properties_choose_by_wish)
{
    struct cudaDeviceProp wish;
    int count = device_count(), chosen = -1;
    memset(&wish, 0, sizeof wish);
    assert_success(cudaChooseDevice(&chosen, &wish));
    assert_int_equal(chosen, 0);
    for (int i = 0; i < count; i++) {
        struct cudaDeviceProp found;
        assert_success(cudaGetDeviceProperties(&wish, i));
        assert_success(cudaChooseDevice(&chosen, &wish));
        assert_in_range(chosen, 0, count - 1);
        assert_success(cudaGetDeviceProperties(&found, chosen));
        assert_true(found.totalGlobalMem >= wish.totalGlobalMem);
    }
    assert_fails(cudaErrorInvalidValue, cudaChooseDevice(NULL, &wish));
    assert_fails(cudaErrorInvalidValue, cudaChooseDevice(&chosen, NULL));
}

TEST_BODY(device_properties_of_pairs)
{
    enum cudaAtomicOperation operation = cudaAtomicOperationIntegerAdd;
    unsigned capability = 77;
    int value = 77;
    assert_fails(cudaErrorInvalidDevice,
                 cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
    assert_fails(cudaErrorInvalidValue,
                 cudaDeviceGetP2PAttribute(NULL, cudaDevP2PAttrAccessSupported, 0, 0));
    assert_success(cudaDeviceGetHostAtomicCapabilities(&capability, &operation, 1, 0));
    assert_int_equal(capability, 0);
    assert_fails(cudaErrorInvalidValue,
                 cudaDeviceGetHostAtomicCapabilities(&capability, &operation, 0, 0));
    assert_fails(cudaErrorInvalidValue,
                 cudaDeviceGetHostAtomicCapabilities(NULL, &operation, 1, 0));
    assert_fails(cudaErrorInvalidDevice,
                 cudaDeviceGetHostAtomicCapabilities(&capability, &operation, 1, -1));
    assert_fails(cudaErrorInvalidDevice,
                 cudaDeviceGetP2PAtomicCapabilities(&capability, &operation, 1, 0, 0));
    if (device_count() > 1) {
        assert_success(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
        assert_int_equal(value, 0);
    }
}

/* What programs ask for before they take a newer way, and compute occupancy with. */
TEST_BODY(device_properties_have_the_capability_that_is_asked_for)
{
    struct cudaDeviceProp properties;
    int value = 0;
    setenv("CLEM_COMPUTE_CAPABILITY", "8.6", 1);
    assert_success(cudaGetDeviceProperties(&properties, 0));
    assert_int_equal(properties.major, 8);
    assert_int_equal(properties.minor, 6);
    assert_int_equal(properties.maxThreadsPerMultiProcessor, 1536);
    assert_int_equal(properties.maxBlocksPerMultiProcessor, 16);
    assert_success(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMinor, 0));
    assert_int_equal(value, 6);
    assert_int_equal(properties.sharedMemPerBlockOptin, 99 * 1024);
    assert_int_equal(properties.sharedMemPerMultiprocessor, 100 * 1024);
}

TEST_BODY(device_properties_are_of_no_unknown_capability)
{
    struct cudaDeviceProp properties;
    setenv("CLEM_COMPUTE_CAPABILITY", "8.9", 1);
    assert_success(cudaGetDeviceProperties(&properties, 0));
    assert_int_equal(properties.major, 7);
    assert_int_equal(properties.minor, 5);
}
