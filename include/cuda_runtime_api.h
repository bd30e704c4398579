/* cuda_runtime_api.h: the C functions of the CUDA runtime API. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#include <limits.h>

#include "builtin_types.h"
#include "cuda_device_runtime_api.h"
#include "host_defines.h"

#define CUDART_VERSION 13000

/* Rules that hold for every function here, unless its own comment says otherwise.
 *
 * Returns: cudaSuccess or an error, which also becomes the calling thread's last error. An error of
 *          earlier asynchronous work of the current device may come back from any call.
 * Needs:   nothing; the first call that touches a device starts it. After the process has begun to
 *          exit every call returns cudaErrorCudartUnloading, in a forked child
 *          cudaErrorInitializationError.
 * Errors:  cudaErrorInvalidValue for a NULL result pointer or an unknown flag;
 *          cudaErrorNotSupported for what clem does not offer.
 * Units:   sizes and pitches are bytes.
 * Locks:   every function may be called from any thread.
 */

#if defined(__cplusplus)
#define CLEM_DEFAULT(value) = value
extern "C" {
#else
#define CLEM_DEFAULT(value)
#endif

#pragma GCC visibility push(default)

typedef void(CUDART_CB *cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status,
                                              void *userData);
typedef void (*cudaLogsCallback_t)(void *data, cudaLogLevel logLevel, char *message, size_t length);

/* ---- device management ----------------------------------------------------------------------
 * The current device belongs to the calling thread; it is device 0 until cudaSetDevice. Devices
 * are ordered GPUs, accelerators, CPUs; CUDA_VISIBLE_DEVICES and CLEM_DEVICE select among them.
 * Every device reports compute capability 7.5 and a warp of 32 threads. A device ordinal that
 * does not exist gives cudaErrorInvalidDevice; without any device the calls give
 * cudaErrorNoDevice.
 *
 * Source: CUDA Runtime API 13.0, Device Management.
 */

/* cudaDeviceReset: frees everything that the process holds on the current device.
 *
 * Order:   waits for all work of the device first.
 * Owns:    streams, events, allocations and libraries of the device are gone; their handles and
 *          addresses are unknown afterwards.
 * Errors:  none of earlier work; it also clears an error that sticks to the device.
 */
cudaError_t CUDARTAPI cudaDeviceReset(void);

/* cudaDeviceSynchronize: waits for all work of the current device.
 *
 * Errors:  the first error of that work.
 */
cudaError_t CUDARTAPI cudaDeviceSynchronize(void);

/* cudaDeviceSetLimit: asks for a limit; what cudaDeviceGetLimit returns is what the device gave.
 *
 * Units:   bytes, or a count for the pending launch limits.
 * Errors:  cudaErrorUnsupportedLimit for a limit that does not exist.
 */
cudaError_t CUDARTAPI cudaDeviceSetLimit(enum cudaLimit limit, size_t value);

cudaError_t CUDARTAPI cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit);
cudaError_t CUDARTAPI cudaDeviceGetTexture1DLinearMaxWidth(
    size_t *maxWidthInElements, const struct cudaChannelFormatDesc *fmtDesc, int device);
cudaError_t CUDARTAPI cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig);
cudaError_t CUDARTAPI cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority);
cudaError_t CUDARTAPI cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig);

/* cudaDeviceGetByPCIBusId: the device with this PCI address.
 *
 * Needs:   pciBusId as [domain:]bus:device.function in hexadecimal.
 * Errors:  cudaErrorInvalidDevice when no device has that address, or has one at all.
 */
cudaError_t CUDARTAPI cudaDeviceGetByPCIBusId(int *device, const char *pciBusId);

cudaError_t CUDARTAPI cudaDeviceGetPCIBusId(char *pciBusId, int len, int device);
cudaError_t CUDARTAPI cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event);
cudaError_t CUDARTAPI cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle);
cudaError_t CUDARTAPI cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr);
cudaError_t CUDARTAPI cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle,
                                           unsigned int flags);
cudaError_t CUDARTAPI cudaIpcCloseMemHandle(void *devPtr);
cudaError_t CUDARTAPI cudaDeviceFlushGPUDirectRDMAWrites(
    enum cudaFlushGPUDirectRDMAWritesTarget target, enum cudaFlushGPUDirectRDMAWritesScope scope);
cudaError_t CUDARTAPI cudaDeviceRegisterAsyncNotification(int device,
                                                          cudaAsyncCallback callbackFunc,
                                                          void *userData,
                                                          cudaAsyncCallbackHandle_t *callback);
cudaError_t CUDARTAPI cudaDeviceUnregisterAsyncNotification(int device,
                                                            cudaAsyncCallbackHandle_t callback);

/* cudaGetDeviceCount: number of devices that the process may use.
 *
 * Errors:  cudaErrorNoDevice, with *count 0, when there is none.
 */
cudaError_t CUDARTAPI cudaGetDeviceCount(int *count);

/* cudaGetDeviceProperties: fills in all members of *prop; limits that OpenCL does not report get
 * the value of compute capability 7.5.
 */
cudaError_t CUDARTAPI cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);

cudaError_t CUDARTAPI cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
cudaError_t CUDARTAPI cudaDeviceGetHostAtomicCapabilities(
    unsigned int *capabilities, const enum cudaAtomicOperation *operations, unsigned int count,
    int device);
cudaError_t CUDARTAPI cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device);
cudaError_t CUDARTAPI cudaDeviceSetMemPool(int device, cudaMemPool_t memPool);
cudaError_t CUDARTAPI cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device);
cudaError_t CUDARTAPI cudaDeviceGetNvSciSyncAttributes(void *nvSciSyncAttrList, int device,
                                                       int flags);
cudaError_t CUDARTAPI cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr,
                                                int srcDevice, int dstDevice);
cudaError_t CUDARTAPI cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                                         const enum cudaAtomicOperation *operations,
                                                         unsigned int count, int srcDevice,
                                                         int dstDevice);
cudaError_t CUDARTAPI cudaChooseDevice(int *device, const struct cudaDeviceProp *prop);
cudaError_t CUDARTAPI cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags);

/* cudaSetDevice: makes device the current one of the calling thread and starts it.
 *
 * Errors:  cudaErrorInvalidDevice.
 */
cudaError_t CUDARTAPI cudaSetDevice(int device);

cudaError_t CUDARTAPI cudaGetDevice(int *device);

/* cudaSetValidDevices: devices that the runtime tries, in order, when a thread has chosen none.
 *
 * Units:   len is a count; 0 restores the default list.
 */
cudaError_t CUDARTAPI cudaSetValidDevices(int *device_arr, int len);

/* cudaSetDeviceFlags: how host threads wait for the current device: spin, yield or block.
 *
 * Errors:  cudaErrorInvalidValue for flags outside cudaDeviceMask or two ways of waiting at
 *          once.
 */
cudaError_t CUDARTAPI cudaSetDeviceFlags(unsigned int flags);

cudaError_t CUDARTAPI cudaGetDeviceFlags(unsigned int *flags);

/* ---- device management, deprecated ----------------------------------------------------------
 * The bank size of shared memory is kept and returned; it changes nothing.
 *
 * Source: CUDA Runtime API 13.0, Device Management [DEPRECATED].
 */

cudaError_t CUDARTAPI cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig);
cudaError_t CUDARTAPI cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);

/* ---- error handling -------------------------------------------------------------------------
 * The last error is the calling thread's. cudaGetLastError forgets it unless it is one that only
 * cudaDeviceReset clears; cudaPeekAtLastError keeps it. Names and texts are constant strings.
 *
 * Source: CUDA Runtime API 13.0, Error Handling.
 */

/* cudaGetLastError: the calling thread's last error, which becomes cudaSuccess. */
cudaError_t CUDARTAPI cudaGetLastError(void);

/* cudaPeekAtLastError: the calling thread's last error, which stays. */
cudaError_t CUDARTAPI cudaPeekAtLastError(void);

/* cudaGetErrorName: the enumerator's name, or "unrecognized error code". */
const char *CUDARTAPI cudaGetErrorName(cudaError_t error);

/* cudaGetErrorString: a short description, or "unrecognized error code". */
const char *CUDARTAPI cudaGetErrorString(cudaError_t error);

/* ---- stream management ----------------------------------------------------------------------
 * Work of one stream runs in order. Stream 0 is the legacy default stream: it waits for earlier
 * work of all blocking streams, and they wait for it; cudaStreamPerThread is the calling
 * thread's own. A stream belongs to the device that was current when it was made. A handle that
 * is no live stream gives cudaErrorInvalidResourceHandle.
 *
 * Source: CUDA Runtime API 13.0, Stream Management.
 */

/* cudaStreamCreate: a new stream on the current device that synchronizes with the legacy default
 * stream.
 *
 * Owns:    the caller destroys it with cudaStreamDestroy.
 */
cudaError_t CUDARTAPI cudaStreamCreate(cudaStream_t *pStream);

/* cudaStreamCreateWithFlags: a new stream; cudaStreamNonBlocking makes it independent of the
 * legacy default stream.
 *
 * Errors:  cudaErrorInvalidValue for other flags.
 */
cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags);

/* cudaStreamCreateWithPriority: a new stream with a priority.
 *
 * Units:   lower numbers come first; a priority outside cudaDeviceGetStreamPriorityRange is
 *          clamped to it.
 * Differs: where the driver has no queue priorities the number is kept and has no effect.
 */
cudaError_t CUDARTAPI cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags,
                                                   int priority);

/* cudaStreamGetPriority: the priority that the stream was given, after clamping. */
cudaError_t CUDARTAPI cudaStreamGetPriority(cudaStream_t hStream, int *priority);

/* cudaStreamGetFlags: the flags that the stream was made with. */
cudaError_t CUDARTAPI cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags);

/* cudaStreamGetId: a number that no other stream of the process has, nor will have. */
cudaError_t CUDARTAPI cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId);

/* cudaStreamGetDevice: ordinal of the device that the stream belongs to. */
cudaError_t CUDARTAPI cudaStreamGetDevice(cudaStream_t hStream, int *device);

/* cudaCtxResetPersistingL2Cache: succeeds; OpenCL has no control over the cache. */
cudaError_t CUDARTAPI cudaCtxResetPersistingL2Cache(void);

/* cudaStreamCopyAttributes: gives dst the attributes of src.
 *
 * Errors:  cudaErrorInvalidValue when the streams belong to different devices.
 */
cudaError_t CUDARTAPI cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src);

/* cudaStreamGetAttribute: reads one attribute of a stream.
 *
 * Errors:  cudaErrorInvalidValue for an attribute that streams do not have.
 */
cudaError_t CUDARTAPI cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                             cudaLaunchAttributeValue *value_out);

/* cudaStreamSetAttribute: sets one attribute of a stream, for work that follows.
 *
 * Errors:  cudaErrorInvalidValue for an attribute that streams do not have.
 */
cudaError_t CUDARTAPI cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                             const cudaLaunchAttributeValue *value);

/* cudaStreamDestroy: gives a stream back.
 *
 * Order:   returns at once; the stream's queued work still runs.
 * Errors:  cudaErrorInvalidResourceHandle also for the default streams.
 */
cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t stream);

/* cudaStreamWaitEvent: later work of stream waits for what event stands for now.
 *
 * Order:   does not block the host; an event that was never recorded is no wait. The event may
 *          belong to another device.
 * Errors:  cudaErrorInvalidValue for flags other than cudaEventWaitDefault and
 *          cudaEventWaitExternal.
 */
cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                          unsigned int flags CLEM_DEFAULT(0));

/* cudaStreamAddCallback: calls callback on a thread of the library after the stream's earlier
 * work.
 *
 * Order:   later work of the stream waits for the callback. It gets the stream's status, an
 *          error included.
 * Needs:   the callback makes no CUDA call; flags is 0.
 */
cudaError_t CUDARTAPI cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                            void *userData, unsigned int flags);

/* cudaStreamSynchronize: waits for all work of the stream.
 *
 * Errors:  the first error of that work.
 */
cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t stream);

/* cudaStreamQuery: asks whether all work of the stream is done.
 *
 * Returns: cudaSuccess or cudaErrorNotReady, without waiting.
 */
cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t stream);

/* cudaStreamAttachMemAsync: ties managed memory to a stream, all streams, or the host. */
cudaError_t CUDARTAPI
cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length CLEM_DEFAULT(0),
                         unsigned int flags CLEM_DEFAULT(cudaMemAttachSingle));

/* cudaStreamBeginCapture: what the stream is given from now on becomes nodes of a graph, which cudaStreamEndCapture
 * gives back; so does what is given to streams that wait for events recorded in it. Memory that is allocated in streams
 * cannot be captured.
 *
 * Errors: begin: cudaErrorStreamCaptureUnsupported  the legacy stream; cudaErrorIllegalState  it captures already;
 *         end: cudaErrorIllegalState  it does not; cudaErrorStreamCaptureUnmatched, ...WrongThread, ...Invalidated,
 *         ...Unjoined, all but WrongThread with the capture ended or invalidated. */
cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);

cudaError_t CUDARTAPI cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                    const cudaGraphNode_t *dependencies,
                                                    const cudaGraphEdgeData *dependencyData,
                                                    size_t numDependencies,
                                                    enum cudaStreamCaptureMode mode);

/* cudaThreadExchangeStreamCaptureMode: swaps the calling thread's capture mode with *mode. */
cudaError_t CUDARTAPI cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);

cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph);

/* Errors: cudaErrorStreamCaptureImplicit  the legacy stream, while one captures that waits for it. */
cudaError_t CUDARTAPI cudaStreamIsCapturing(cudaStream_t stream,
                                            enum cudaStreamCaptureStatus *pCaptureStatus);

/* cudaStreamGetCaptureInfo: as cudaStreamIsCapturing; the other results, which may be NULL, stay as they are for a
 * stream that is not capturing. Lists are valid until the stream is used again. */
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo(
    cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
    unsigned long long *id_out CLEM_DEFAULT(0), cudaGraph_t *graph_out CLEM_DEFAULT(0),
    const cudaGraphNode_t **dependencies_out CLEM_DEFAULT(0),
    const cudaGraphEdgeData **edgeData_out CLEM_DEFAULT(0),
    size_t *numDependencies_out CLEM_DEFAULT(0));

cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                          cudaGraphNode_t *dependencies,
                                                          const cudaGraphEdgeData *dependencyData,
                                                          size_t numDependencies,
                                                          unsigned int flags CLEM_DEFAULT(0));

/* ---- event management -----------------------------------------------------------------------
 * An event stands for a point in a stream. A handle that is no live event gives
 * cudaErrorInvalidResourceHandle.
 *
 * Source: CUDA Runtime API 13.0, Event Management.
 */

/* cudaEventCreate: a new event that takes the time.
 *
 * Owns:    the caller destroys it with cudaEventDestroy.
 */
cudaError_t CUDARTAPI cudaEventCreate(cudaEvent_t *event);

/* cudaEventCreateWithFlags: a new event; cudaEventDisableTiming saves taking the time,
 * cudaEventBlockingSync makes waiting threads sleep.
 *
 * Errors:  cudaErrorInvalidValue for unknown flags, or cudaEventInterprocess without
 *          cudaEventDisableTiming; cudaErrorNotSupported for cudaEventInterprocess.
 */
cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);

/* cudaEventRecord: makes event stand for the stream's work so far, in place of what it stood for
 * before.
 *
 * Order:   does not block the host; cudaStreamLegacy stands for the work of all blocking
 *          streams.
 * Errors:  cudaErrorInvalidResourceHandle when event and stream belong to different devices.
 */
cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t event, cudaStream_t stream CLEM_DEFAULT(0));

/* cudaEventRecordWithFlags: cudaEventRecord; flags matters in stream capture alone. */
cudaError_t CUDARTAPI cudaEventRecordWithFlags(cudaEvent_t event,
                                               cudaStream_t stream CLEM_DEFAULT(0),
                                               unsigned int flags CLEM_DEFAULT(0));

/* cudaEventQuery: asks whether the event's point has been reached.
 *
 * Returns: cudaSuccess, also for an event that was never recorded, or cudaErrorNotReady.
 */
cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t event);

/* cudaEventSynchronize: waits until the event's point has been reached; returns at once for an
 * event that was never recorded.
 */
cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t event);

/* cudaEventDestroy: gives an event back; waits that were queued on it stay. */
cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t event);

/* cudaEventElapsedTime: time between two events by the device's clock.
 *
 * Units:   milliseconds; the resolution is CL_DEVICE_PROFILING_TIMER_RESOLUTION.
 * Errors:  cudaErrorInvalidResourceHandle when an event was never recorded or takes no time;
 *          cudaErrorNotReady when a point has not been reached.
 */
cudaError_t CUDARTAPI cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);

/* ---- execution control ----------------------------------------------------------------------
 * func is a kernel: a cudaKernel_t of a library, or the host address that a CUDA compiler
 * registered. Anything else gives cudaErrorInvalidDeviceFunction.
 *
 * Source: CUDA Runtime API 13.0, Execution Control.
 */

/* cudaLaunchKernel: queues a kernel.
 *
 * Shape:   gridDim blocks of blockDim threads; args holds the address of each parameter's value,
 *          in order. A kernel with a __local pointer parameter has no entry for it: it gets the
 *          sharedMem bytes.
 * Units:   sharedMem in bytes.
 * Order:   after earlier work of stream; the values behind args are copied before the call
 *          returns.
 * Errors:  cudaErrorInvalidConfiguration for a dimension of 0 or beyond the device's limits;
 *          cudaErrorLaunchOutOfResources; cudaErrorInvalidDeviceFunction; cudaErrorNotSupported for
 *          a kernel that the device cannot run; cudaErrorInvalidResourceHandle.
 */
cudaError_t CUDARTAPI cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                       size_t sharedMem, cudaStream_t stream);

/* cudaLaunchKernelExC: cudaLaunchKernel with the shape in *config.
 *
 * Errors:  those of cudaLaunchKernel; cudaErrorNotSupported for an attribute that asks for
 *          clusters; those of cudaLaunchCooperativeKernel for one that asks for cooperation.
 */
cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func,
                                          void **args);

/* cudaLaunchCooperativeKernel: cudaLaunchKernel of blocks that may wait for all others.
 *
 * Errors:  those of cudaLaunchKernel; cudaErrorNotSupported where cudaDevAttrCooperativeLaunch is
 *          0; cudaErrorCooperativeLaunchTooLarge for more blocks than
 *          cudaOccupancyMaxActiveBlocksPerMultiprocessor() says for each multiprocessor.
 */
cudaError_t CUDARTAPI cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim,
                                                  void **args, size_t sharedMem,
                                                  cudaStream_t stream);

/* cudaFuncSetCacheConfig: keeps a preference that OpenCL cannot pass on. */
cudaError_t CUDARTAPI cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig);

/* cudaFuncGetAttributes: what the built kernel needs and allows on the current device. */
cudaError_t CUDARTAPI cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func);

/* cudaFuncSetAttribute: sets one attribute of a kernel for later launches.
 *
 * Errors:  cudaErrorInvalidValue for an attribute that cannot be set, or a value beyond the
 *          device's limit.
 */
cudaError_t CUDARTAPI cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr,
                                           int value);

/* cudaFuncGetName: the kernel's name; the string lives as long as the kernel. */
cudaError_t CUDARTAPI cudaFuncGetName(const char **name, const void *func);

/* cudaFuncGetParamInfo: place of a parameter in the kernel's parameter block.
 *
 * Units:   bytes; parameters are laid out in order, each at a multiple of its alignment.
 * Errors:  cudaErrorInvalidValue when the kernel has no parameter paramIndex.
 */
cudaError_t CUDARTAPI cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                           size_t *paramSize);

/* cudaLaunchHostFunc: calls fn on a thread of the library after the stream's earlier work.
 *
 * Order:   later work of the stream waits for fn. It is not called when the stream is in error.
 * Needs:   fn makes no CUDA call.
 */
cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData);

/* ---- execution control, deprecated ----------------------------------------------------------
 * The preference is kept; it changes nothing.
 *
 * Source: CUDA Runtime API 13.0, Execution Control [DEPRECATED].
 */

cudaError_t CUDARTAPI cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config);

/* ---- occupancy ------------------------------------------------------------------------------
 * Answers follow from the limits that the OpenCL device reports for work-groups and local
 * memory. Clusters of blocks do not exist in OpenCL: the two functions about them return
 * cudaErrorNotSupported.
 *
 * Source: CUDA Runtime API 13.0, Occupancy.
 */

cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks,
                                                                    const void *func, int blockSize,
                                                                    size_t dynamicSMemSize);
cudaError_t CUDARTAPI cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize,
                                                                const void *func, int numBlocks,
                                                                int blockSize);
cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize, unsigned int flags);
cudaError_t CUDARTAPI cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                                           const cudaLaunchConfig_t *launchConfig);
cudaError_t CUDARTAPI cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                                                     const cudaLaunchConfig_t *launchConfig);

/* ---- memory management ----------------------------------------------------------------------
 * A device address is a number in the process's address space, unique over all devices and the
 * host: addresses inside an allocation are as good as its first, and cudaMemcpyDefault tells by
 * the addresses which way a copy goes.
 * Places of a copy: a copy from or to pageable host memory has left or reached it when the call
 * returns, even an asynchronous one; with pinned memory an asynchronous call returns at once.
 * Errors of every copy: cudaErrorInvalidMemcpyDirection for a kind that is none of the five;
 * cudaErrorInvalidValue for a range that no allocation holds wholly. A copy of zero bytes
 * succeeds and does nothing.
 *
 * Source: CUDA Runtime API 13.0, Memory Management.
 */

/* cudaMallocManaged: memory that host and device reach by one address; its contents are zero. A
 * size of 0 gives NULL.
 *
 * Errors:  cudaErrorMemoryAllocation; cudaErrorInvalidValue; cudaErrorNotSupported on a device that
 *          has no such memory.
 */
cudaError_t CUDARTAPI cudaMallocManaged(void **devPtr, size_t size,
                                        unsigned int flags CLEM_DEFAULT(cudaMemAttachGlobal));

/* cudaMalloc: device memory, aligned to at least 256 bytes, on the current device; its content
 * is undefined.
 *
 * Units:   size in bytes; 0 gives NULL and succeeds.
 * Owns:    the caller frees it with cudaFree.
 * Errors:  cudaErrorMemoryAllocation.
 */
cudaError_t CUDARTAPI cudaMalloc(void **devPtr, size_t size);

/* cudaMallocHost: host memory that the device copies from and to directly; cudaHostAlloc without
 * flags.
 *
 * Owns:    the caller frees it with cudaFreeHost.
 * Errors:  cudaErrorMemoryAllocation.
 */
cudaError_t CUDARTAPI cudaMallocHost(void **ptr, size_t size);

/* cudaMallocPitch: device memory for height rows of width bytes, each row at a multiple of
 * *pitch.
 *
 * Units:   width and *pitch in bytes, height in rows. *pitch is a multiple of
 *          texturePitchAlignment.
 * Errors:  cudaErrorMemoryAllocation.
 */
cudaError_t CUDARTAPI cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height);

/* cudaMallocArray: an array for textures and surfaces; width and height in elements, height 0
 * for one dimension.
 */
cudaError_t CUDARTAPI cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                      size_t width, size_t height CLEM_DEFAULT(0),
                                      unsigned int flags CLEM_DEFAULT(0));

/* cudaFree: frees what cudaMalloc and its relatives returned; NULL is fine.
 *
 * Order:   waits for queued work that may use the memory.
 * Errors:  cudaErrorInvalidValue for an address that no allocation starts at, an inner one and
 *          one freed before among them.
 */
cudaError_t CUDARTAPI cudaFree(void *devPtr);

/* cudaFreeHost: frees what cudaMallocHost or cudaHostAlloc returned; NULL is fine.
 *
 * Errors:  cudaErrorInvalidValue for any other address.
 */
cudaError_t CUDARTAPI cudaFreeHost(void *ptr);

/* cudaFreeArray: frees an array; NULL is fine. */
cudaError_t CUDARTAPI cudaFreeArray(cudaArray_t array);

/* cudaFreeMipmappedArray: frees a mipmapped array and with it its levels; NULL is fine. */
cudaError_t CUDARTAPI cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray);

/* cudaHostAlloc: pinned host memory.
 *
 * Shape:   flags are any of cudaHostAllocPortable, cudaHostAllocMapped (the device reaches it at
 *          the address that cudaHostGetDevicePointer returns) and cudaHostAllocWriteCombined (a
 *          hint).
 * Owns:    the caller frees it with cudaFreeHost.
 * Errors:  cudaErrorMemoryAllocation; cudaErrorInvalidValue for other flags.
 */
cudaError_t CUDARTAPI cudaHostAlloc(void **pHost, size_t size, unsigned int flags);

/* cudaHostRegister: pins host memory that the caller has.
 *
 * Units:   ptr and size in bytes; whole pages are pinned.
 * Owns:    the memory stays the caller's, who unregisters it before it goes.
 * Errors:  cudaErrorHostMemoryAlreadyRegistered when any byte is pinned already;
 *          cudaErrorInvalidValue.
 */
cudaError_t CUDARTAPI cudaHostRegister(void *ptr, size_t size, unsigned int flags);

/* cudaHostUnregister: undoes cudaHostRegister.
 *
 * Needs:   ptr is the address that was registered.
 * Errors:  cudaErrorHostMemoryNotRegistered.
 */
cudaError_t CUDARTAPI cudaHostUnregister(void *ptr);

/* cudaHostGetDevicePointer: device address of pinned host memory.
 *
 * Errors:  cudaErrorInvalidValue when pHost is not pinned or flags is not 0.
 */
cudaError_t CUDARTAPI cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags);

/* cudaHostGetFlags: the flags that pinned memory was allocated with.
 *
 * Errors:  cudaErrorInvalidValue when pHost is not pinned.
 */
cudaError_t CUDARTAPI cudaHostGetFlags(unsigned int *pFlags, void *pHost);

/* cudaMalloc3D: device memory for extent.depth slices of extent.height rows of extent.width
 * bytes.
 *
 * Returns: address and pitch; xsize and ysize are width and height.
 * Errors:  cudaErrorMemoryAllocation.
 */
cudaError_t CUDARTAPI cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent);

/* cudaMalloc3DArray: an array of up to three dimensions, layers or cube faces; extent in
 * elements.
 */
cudaError_t CUDARTAPI cudaMalloc3DArray(cudaArray_t *array,
                                        const struct cudaChannelFormatDesc *desc,
                                        struct cudaExtent extent,
                                        unsigned int flags CLEM_DEFAULT(0));

/* cudaMallocMipmappedArray: an array with numLevels levels, each half as wide, high and deep as
 * the one before.
 */
cudaError_t CUDARTAPI cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                               const struct cudaChannelFormatDesc *desc,
                                               struct cudaExtent extent, unsigned int numLevels,
                                               unsigned int flags CLEM_DEFAULT(0));

/* cudaGetMipmappedArrayLevel: one level as an array, which the mipmapped array owns. */
cudaError_t CUDARTAPI cudaGetMipmappedArrayLevel(cudaArray_t *levelArray,
                                                 cudaMipmappedArray_const_t mipmappedArray,
                                                 unsigned int level);

/* cudaMemcpy3D: copies a box between pitched memories or arrays.
 *
 * Shape:   extent.depth slices of extent.height rows of extent.width elements; row y of slice z
 *          is at ptr + (z * ysize + y) * pitch.
 * Units:   width and x are elements when an array takes part, bytes otherwise.
 * Needs:   one of srcArray and srcPtr, one of dstArray and dstPtr; the box lies inside both.
 * Order:   as cudaMemcpy.
 * Errors:  cudaErrorInvalidValue; cudaErrorInvalidPitchValue; cudaErrorInvalidMemcpyDirection.
 */
cudaError_t CUDARTAPI cudaMemcpy3D(const struct cudaMemcpy3DParms *p);

/* cudaMemcpy3DPeer: cudaMemcpy3D between the memories of two devices.
 *
 * Order:   after earlier work of both devices; the call may return before the copy is done.
 * Errors:  those of cudaMemcpy3D; cudaErrorInvalidDevice.
 */
cudaError_t CUDARTAPI cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p);

/* cudaMemcpy3DAsync: cudaMemcpy3D in stream order; *p may go when the call returns. */
cudaError_t CUDARTAPI cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p,
                                        cudaStream_t stream CLEM_DEFAULT(0));

/* cudaMemcpy3DPeerAsync: cudaMemcpy3DPeer in stream order; *p may go when the call returns. */
cudaError_t CUDARTAPI cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p,
                                            cudaStream_t stream CLEM_DEFAULT(0));

/* cudaMemGetInfo: memory of the current device: what is left, and all of it.
 *
 * Differs: OpenCL does not say what other processes use; free is what this process has not
 *          taken.
 */
cudaError_t CUDARTAPI cudaMemGetInfo(size_t *free, size_t *total);

/* cudaArrayGetInfo: format, extent and flags of an array; each result may be NULL. */
cudaError_t CUDARTAPI cudaArrayGetInfo(struct cudaChannelFormatDesc *desc,
                                       struct cudaExtent *extent, unsigned int *flags,
                                       cudaArray_t array);

/* cudaArrayGetPlane: planes, memory to be bound and tiles, of which no array here has any. Errors: cudaErrorInvalidValue. */
cudaError_t CUDARTAPI cudaArrayGetPlane(cudaArray_t *pPlaneArray, cudaArray_t hArray,
                                        unsigned int planeIdx);

cudaError_t CUDARTAPI cudaArrayGetMemoryRequirements(
    struct cudaArrayMemoryRequirements *memoryRequirements, cudaArray_t array, int device);
cudaError_t CUDARTAPI
cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
                                        cudaMipmappedArray_t mipmap, int device);
cudaError_t CUDARTAPI
cudaArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties, cudaArray_t array);
cudaError_t CUDARTAPI cudaMipmappedArrayGetSparseProperties(
    struct cudaArraySparseProperties *sparseProperties, cudaMipmappedArray_t mipmap);

/* cudaMemcpy: copies count bytes.
 *
 * Needs:   the ranges do not overlap.
 * Order:   after earlier work of the legacy default stream; returns when done, except that a
 *          copy inside device memory may still run.
 * Errors:  cudaErrorInvalidValue; cudaErrorInvalidMemcpyDirection.
 */
cudaError_t CUDARTAPI cudaMemcpy(void *dst, const void *src, size_t count,
                                 enum cudaMemcpyKind kind);

/* cudaMemcpyPeer: copies count bytes between the memories of two devices.
 *
 * Order:   after earlier work of both devices; the call may return before the copy is done.
 * Errors:  cudaErrorInvalidDevice; cudaErrorInvalidValue.
 */
cudaError_t CUDARTAPI cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice,
                                     size_t count);

/* cudaMemcpy2D: copies a rectangle between pitched memories.
 *
 * Shape:   height rows of width bytes; row i is at src + i * spitch and goes to dst + i *
 *          dpitch.
 * Units:   width and pitches in bytes, height in rows.
 * Needs:   width <= spitch and width <= dpitch; source and destination do not overlap.
 * Order:   as cudaMemcpy.
 * Errors:  cudaErrorInvalidPitchValue for a pitch below width; cudaErrorInvalidValue;
 *          cudaErrorInvalidMemcpyDirection.
 */
cudaError_t CUDARTAPI cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch,
                                   size_t width, size_t height, enum cudaMemcpyKind kind);

/* cudaMemcpy2DToArray: copies a rectangle into an array; offsets and width in bytes. */
cudaError_t CUDARTAPI cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                          const void *src, size_t spitch, size_t width,
                                          size_t height, enum cudaMemcpyKind kind);

/* cudaMemcpy2DFromArray: copies a rectangle out of an array; offsets and width in bytes. */
cudaError_t CUDARTAPI cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src,
                                            size_t wOffset, size_t hOffset, size_t width,
                                            size_t height, enum cudaMemcpyKind kind);

/* cudaMemcpy2DArrayToArray: copies a rectangle between arrays; offsets and width in bytes. */
cudaError_t CUDARTAPI cudaMemcpy2DArrayToArray(
    cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc,
    size_t hOffsetSrc, size_t width, size_t height,
    enum cudaMemcpyKind kind CLEM_DEFAULT(cudaMemcpyDeviceToDevice));

/* cudaMemcpyToSymbol: copies count bytes to offset bytes into a device variable.
 *
 * Errors:  cudaErrorInvalidSymbol; cudaErrorInvalidValue when the variable is too small.
 */
cudaError_t CUDARTAPI
cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset CLEM_DEFAULT(0),
                   enum cudaMemcpyKind kind CLEM_DEFAULT(cudaMemcpyHostToDevice));

/* cudaMemcpyFromSymbol: copies count bytes from offset bytes into a device variable.
 *
 * Errors:  as cudaMemcpyToSymbol.
 */
cudaError_t CUDARTAPI
cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset CLEM_DEFAULT(0),
                     enum cudaMemcpyKind kind CLEM_DEFAULT(cudaMemcpyDeviceToHost));

/* cudaMemcpyAsync: cudaMemcpy in stream order.
 *
 * Order:   after earlier work of stream. Pageable memory has been read, or written, when the
 *          call returns.
 * Errors:  those of cudaMemcpy; cudaErrorInvalidResourceHandle.
 */
cudaError_t CUDARTAPI cudaMemcpyAsync(void *dst, const void *src, size_t count,
                                      enum cudaMemcpyKind kind,
                                      cudaStream_t stream CLEM_DEFAULT(0));

/* cudaMemcpyPeerAsync: cudaMemcpyPeer in stream order. */
cudaError_t CUDARTAPI cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                          size_t count, cudaStream_t stream CLEM_DEFAULT(0));

/* cudaMemcpyBatchAsync: count copies, each of sizes[i] bytes from srcs[i] to dsts[i].
 *
 * Shape:   attribute attrs[k] holds for the copies from attrsIdxs[k] up to the next index;
 *          attrsIdxs[0] is 0.
 * Order:   after earlier work of stream; among each other in any order.
 * Errors:  cudaErrorInvalidValue for a missing list or indices that do not rise;
 *          cudaErrorInvalidResourceHandle for the legacy default stream.
 */
cudaError_t CUDARTAPI cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs,
                                           const size_t *sizes, size_t count,
                                           struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
                                           size_t numAttrs, cudaStream_t stream);

/* cudaMemcpy3DBatchAsync: numOps copies of boxes, as cudaMemcpyBatchAsync.
 *
 * Shape:   rowLength and layerHeight are elements; 0 means packed.
 * Errors:  as cudaMemcpyBatchAsync; flags is 0.
 */
cudaError_t CUDARTAPI cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp *opList,
                                             unsigned long long flags, cudaStream_t stream);

/* cudaMemcpy2DAsync: cudaMemcpy2D in stream order. */
cudaError_t CUDARTAPI cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                                        size_t width, size_t height, enum cudaMemcpyKind kind,
                                        cudaStream_t stream CLEM_DEFAULT(0));

/* cudaMemcpy2DToArrayAsync: cudaMemcpy2DToArray in stream order. */
cudaError_t CUDARTAPI cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                               const void *src, size_t spitch, size_t width,
                                               size_t height, enum cudaMemcpyKind kind,
                                               cudaStream_t stream CLEM_DEFAULT(0));

/* cudaMemcpy2DFromArrayAsync: cudaMemcpy2DFromArray in stream order. */
cudaError_t CUDARTAPI cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src,
                                                 size_t wOffset, size_t hOffset, size_t width,
                                                 size_t height, enum cudaMemcpyKind kind,
                                                 cudaStream_t stream CLEM_DEFAULT(0));

/* cudaMemcpyToSymbolAsync: cudaMemcpyToSymbol in stream order. */
cudaError_t CUDARTAPI cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                              size_t offset, enum cudaMemcpyKind kind,
                                              cudaStream_t stream CLEM_DEFAULT(0));

/* cudaMemcpyFromSymbolAsync: cudaMemcpyFromSymbol in stream order. */
cudaError_t CUDARTAPI cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count,
                                                size_t offset, enum cudaMemcpyKind kind,
                                                cudaStream_t stream CLEM_DEFAULT(0));

/* cudaMemset: sets count bytes to the low byte of value.
 *
 * Order:   after earlier work of the legacy default stream; the call may return before the
 *          memory is set, unless it is pinned host memory.
 * Errors:  cudaErrorInvalidValue for a range that no allocation holds wholly.
 */
cudaError_t CUDARTAPI cudaMemset(void *devPtr, int value, size_t count);

/* cudaMemset2D: sets height rows of width bytes, pitch bytes apart; the padding stays as it is.
 *
 * Units:   pitch and width in bytes, height in rows.
 * Order:   as cudaMemset.
 * Errors:  as cudaMemset; cudaErrorInvalidValue for a pitch below width.
 */
cudaError_t CUDARTAPI cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width,
                                   size_t height);

/* cudaMemset3D: sets extent.depth slices of extent.height rows of extent.width bytes; the
 * padding stays as it is.
 *
 * Shape:   slices are pitch * ysize bytes apart, rows pitch bytes.
 * Order:   as cudaMemset.
 * Errors:  as cudaMemset.
 */
cudaError_t CUDARTAPI cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value,
                                   struct cudaExtent extent);

/* cudaMemsetAsync: cudaMemset in stream order. */
cudaError_t CUDARTAPI cudaMemsetAsync(void *devPtr, int value, size_t count,
                                      cudaStream_t stream CLEM_DEFAULT(0));

/* cudaMemset2DAsync: cudaMemset2D in stream order. */
cudaError_t CUDARTAPI cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width,
                                        size_t height, cudaStream_t stream CLEM_DEFAULT(0));

/* cudaMemset3DAsync: cudaMemset3D in stream order. */
cudaError_t CUDARTAPI cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
                                        struct cudaExtent extent,
                                        cudaStream_t stream CLEM_DEFAULT(0));

/* cudaGetSymbolAddress: device address of a device variable.
 *
 * Errors:  cudaErrorInvalidSymbol.
 */
cudaError_t CUDARTAPI cudaGetSymbolAddress(void **devPtr, const void *symbol);

/* cudaGetSymbolSize: size of a device variable in bytes.
 *
 * Errors:  cudaErrorInvalidSymbol.
 */
cudaError_t CUDARTAPI cudaGetSymbolSize(size_t *size, const void *symbol);

/* cudaMemPrefetchAsync: moves managed memory to where location says. */
cudaError_t CUDARTAPI cudaMemPrefetchAsync(const void *devPtr, size_t count,
                                           struct cudaMemLocation location, unsigned int flags,
                                           cudaStream_t stream CLEM_DEFAULT(0));

/* cudaMemPrefetchBatchAsync: moves count ranges of managed memory; locations are assigned to
 * ranges by index, as in cudaMemcpyBatchAsync.
 */
cudaError_t CUDARTAPI cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                                struct cudaMemLocation *prefetchLocs,
                                                size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                                                unsigned long long flags, cudaStream_t stream);

/* cudaMemDiscardBatchAsync: the contents of count ranges of managed memory are needed no more. They
 * stay all the same, so the next one does what cudaMemPrefetchBatchAsync does.
 */
cudaError_t CUDARTAPI cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                               unsigned long long flags, cudaStream_t stream);

cudaError_t CUDARTAPI cudaMemDiscardAndPrefetchBatchAsync(
    void **dptrs, size_t *sizes, size_t count, struct cudaMemLocation *prefetchLocs,
    size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream);

/* cudaMemAdvise: says how a range of managed memory will be used. */
cudaError_t CUDARTAPI cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                                    struct cudaMemLocation location);

/* cudaMemRangeGetAttribute: asks where a range of managed memory is and what was advised. */
cudaError_t CUDARTAPI cudaMemRangeGetAttribute(void *data, size_t dataSize,
                                               enum cudaMemRangeAttribute attribute,
                                               const void *devPtr, size_t count);

/* cudaMemRangeGetAttributes: several attributes at once, each as cudaMemRangeGetAttribute. */
cudaError_t CUDARTAPI cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
                                                enum cudaMemRangeAttribute *attributes,
                                                size_t numAttributes, const void *devPtr,
                                                size_t count);

/* ---- memory management, deprecated ----------------------------------------------------------
 * Copies of count bytes from or to an array, row after row.
 *
 * Source: CUDA Runtime API 13.0, Memory Management [DEPRECATED].
 */

cudaError_t CUDARTAPI cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                        const void *src, size_t count, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset,
                                          size_t hOffset, size_t count, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI
cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                       size_t wOffsetSrc, size_t hOffsetSrc, size_t count,
                       enum cudaMemcpyKind kind CLEM_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t CUDARTAPI cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                             const void *src, size_t count,
                                             enum cudaMemcpyKind kind,
                                             cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset,
                                               size_t hOffset, size_t count,
                                               enum cudaMemcpyKind kind,
                                               cudaStream_t stream CLEM_DEFAULT(0));

/* ---- stream ordered memory allocator --------------------------------------------------------
 * Allocation and release take effect in stream order.
 *
 * Source: CUDA Runtime API 13.0, Stream Ordered Memory Allocator.
 */

cudaError_t CUDARTAPI cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream);
cudaError_t CUDARTAPI cudaFreeAsync(void *devPtr, cudaStream_t hStream);
cudaError_t CUDARTAPI cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep);
cudaError_t CUDARTAPI cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr,
                                              void *value);
cudaError_t CUDARTAPI cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr,
                                              void *value);
cudaError_t CUDARTAPI cudaMemPoolSetAccess(cudaMemPool_t memPool,
                                           const struct cudaMemAccessDesc *descList, size_t count);
cudaError_t CUDARTAPI cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                           struct cudaMemLocation *location);
cudaError_t CUDARTAPI cudaMemPoolCreate(cudaMemPool_t *memPool,
                                        const struct cudaMemPoolProps *poolProps);
cudaError_t CUDARTAPI cudaMemPoolDestroy(cudaMemPool_t memPool);
cudaError_t CUDARTAPI cudaMemGetDefaultMemPool(cudaMemPool_t *memPool,
                                               struct cudaMemLocation *location,
                                               enum cudaMemAllocationType type);
cudaError_t CUDARTAPI cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                        enum cudaMemAllocationType type);
cudaError_t CUDARTAPI cudaMemSetMemPool(struct cudaMemLocation *location,
                                        enum cudaMemAllocationType type, cudaMemPool_t memPool);
cudaError_t CUDARTAPI cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
                                              cudaStream_t stream);
cudaError_t CUDARTAPI
cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool,
                                   enum cudaMemAllocationHandleType handleType, unsigned int flags);
cudaError_t CUDARTAPI cudaMemPoolImportFromShareableHandle(
    cudaMemPool_t *memPool, void *shareableHandle, enum cudaMemAllocationHandleType handleType,
    unsigned int flags);
cudaError_t CUDARTAPI cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData,
                                               void *ptr);
cudaError_t CUDARTAPI cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool,
                                               struct cudaMemPoolPtrExportData *exportData);

/* ---- unified addressing ---------------------------------------------------------------------
 * Source: CUDA Runtime API 13.0, Unified Addressing.
 */

/* cudaPointerGetAttributes: what kind of memory an address belongs to, and its addresses on host
 * and device.
 *
 * Returns: type cudaMemoryTypeUnregistered, with success, for memory that the library does not
 *          know.
 * Errors:  cudaErrorInvalidValue when attributes is NULL.
 */
cudaError_t CUDARTAPI cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                               const void *ptr);

/* ---- peer device memory access --------------------------------------------------------------
 * Devices reach the memory of others through copies.
 *
 * Source: CUDA Runtime API 13.0, Peer Device Memory Access.
 */

cudaError_t CUDARTAPI cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice);
cudaError_t CUDARTAPI cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags);
cudaError_t CUDARTAPI cudaDeviceDisablePeerAccess(int peerDevice);

/* ---- library management ---------------------------------------------------------------------
 * A library is a set of kernels built from one text. OpenCL C is accepted as NUL-terminated
 * text, SPIR-V where the device's driver takes it.
 *
 * Source: CUDA Runtime API 13.0, Library Management.
 */

/* cudaLibraryLoadData: a library from text or code in memory.
 *
 * Shape:   numJitOptions pairs of jitOptions[i] and jitOptionsValues[i], a number option being
 *          the pointer's value; the library options alike.
 * Order:   kernels are built for a device when they are first needed there, unless an option
 *          asks otherwise.
 * Owns:    the caller unloads it with cudaLibraryUnload; code may go when the call returns.
 * Errors:  cudaErrorInvalidKernelImage when the text does not build; cudaErrorInvalidValue. The
 *          compiler's log is in the JIT log buffer and in the error logs.
 */
cudaError_t CUDARTAPI cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                          enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                          unsigned int numJitOptions,
                                          enum cudaLibraryOption *libraryOptions,
                                          void **libraryOptionValues,
                                          unsigned int numLibraryOptions);

/* cudaLibraryLoadFromFile: cudaLibraryLoadData with the content of a file.
 *
 * Errors:  those of cudaLibraryLoadData; cudaErrorFileNotFound.
 */
cudaError_t CUDARTAPI cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName,
                                              enum cudaJitOption *jitOptions,
                                              void **jitOptionsValues, unsigned int numJitOptions,
                                              enum cudaLibraryOption *libraryOptions,
                                              void **libraryOptionValues,
                                              unsigned int numLibraryOptions);

/* cudaLibraryUnload: gives a library back; its kernels are unknown afterwards.
 *
 * Errors:  cudaErrorInvalidResourceHandle.
 */
cudaError_t CUDARTAPI cudaLibraryUnload(cudaLibrary_t library);

/* cudaLibraryGetKernel: the kernel with this name; the library owns it.
 *
 * Errors:  cudaErrorSymbolNotFound; cudaErrorInvalidResourceHandle.
 */
cudaError_t CUDARTAPI cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library,
                                           const char *name);

/* cudaLibraryGetGlobal: address and size of a device variable of the library; either result may
 * be NULL.
 *
 * Errors:  cudaErrorSymbolNotFound.
 */
cudaError_t CUDARTAPI cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library,
                                           const char *name);

/* cudaLibraryGetManaged: address and size of a managed variable of the library; either result
 * may be NULL.
 *
 * Errors:  cudaErrorSymbolNotFound.
 */
cudaError_t CUDARTAPI cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library,
                                            const char *name);

/* cudaLibraryGetUnifiedFunction: no library has one. Errors: cudaErrorInvalidValue. */
cudaError_t CUDARTAPI cudaLibraryGetUnifiedFunction(void **fptr, cudaLibrary_t library,
                                                    const char *symbol);

/* cudaLibraryGetKernelCount: number of kernels in the library. */
cudaError_t CUDARTAPI cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib);

/* cudaLibraryEnumerateKernels: up to numKernels kernels of the library, in the order of its
 * text.
 */
cudaError_t CUDARTAPI cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels,
                                                  cudaLibrary_t lib);

/* cudaKernelSetAttributeForDevice: cudaFuncSetAttribute for one device. */
cudaError_t CUDARTAPI cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                                      enum cudaFuncAttribute attr, int value,
                                                      int device);

/* ---- version management ---------------------------------------------------------------------
 * Versions are 1000 * major + 10 * minor.
 *
 * Source: CUDA Runtime API 13.0, Version Management.
 */

cudaError_t CUDARTAPI cudaDriverGetVersion(int *driverVersion);
cudaError_t CUDARTAPI cudaRuntimeGetVersion(int *runtimeVersion);

/* ---- error log management -------------------------------------------------------------------
 * The compiler's log of a failed build and other messages are kept in a ring of entries; an
 * iterator is a position in it.
 *
 * Source: CUDA Runtime API 13.0, Error Log Management Functions.
 */

/* cudaLogsRegisterCallback: calls callbackFunc for each new message, on the thread that causes
 * it.
 *
 * Owns:    the handle, until cudaLogsUnregisterCallback.
 * Locks:   no lock is held during the call. Outside of callbacks, cudaLogsUnregisterCallback waits for those that other
 *          threads are in.
 */
cudaError_t CUDARTAPI cudaLogsRegisterCallback(cudaLogsCallback_t callbackFunc, void *userData,
                                               cudaLogsCallbackHandle *callback_out);

cudaError_t CUDARTAPI cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback);

/* cudaLogsCurrent: the position behind the newest message. */
cudaError_t CUDARTAPI cudaLogsCurrent(cudaLogIterator *iterator_out, unsigned int flags);

/* cudaLogsDumpToFile: writes the messages since *iterator, or all when iterator is NULL;
 * *iterator moves behind them.
 *
 * Errors:  cudaErrorOperatingSystem when the file cannot be written.
 */
cudaError_t CUDARTAPI cudaLogsDumpToFile(cudaLogIterator *iterator, const char *pathToFile,
                                         unsigned int flags);

/* cudaLogsDumpToMemory: as cudaLogsDumpToFile, into a buffer.
 *
 * Units:   *size is the buffer's bytes, and on return those used, the closing zero not counted.
 */
cudaError_t CUDARTAPI cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size,
                                           unsigned int flags);

/* ---- driver entry point access --------------------------------------------------------------
 * Finds a driver function by its plain name, in the version that cudaVersion (or 13.0) would map
 * the name to.
 *
 * Source: CUDA Runtime API 13.0, Driver Entry Point Access.
 */

cudaError_t CUDARTAPI
cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *driverStatus CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(
    const char *symbol, void **funcPtr, unsigned int cudaVersion, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *driverStatus CLEM_DEFAULT(0));

/* ---- interactions with the driver API -------------------------------------------------------
 * Handles for what a CUDA compiler registered by host address.
 *
 * Source: CUDA Runtime API 13.0, Interactions with the CUDA Driver API.
 */

cudaError_t CUDARTAPI cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr);
cudaError_t CUDARTAPI cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr);

/* ---- texture object management --------------------------------------------------------------
 * Source: CUDA Runtime API 13.0, Texture Object Management.
 */

cudaError_t CUDARTAPI cudaGetChannelDesc(struct cudaChannelFormatDesc *desc,
                                         cudaArray_const_t array);
struct cudaChannelFormatDesc CUDARTAPI cudaCreateChannelDesc(int x, int y, int z, int w,
                                                             enum cudaChannelFormatKind f);
cudaError_t CUDARTAPI cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
                                              const struct cudaResourceDesc *pResDesc,
                                              const struct cudaTextureDesc *pTexDesc,
                                              const struct cudaResourceViewDesc *pResViewDesc);
cudaError_t CUDARTAPI cudaDestroyTextureObject(cudaTextureObject_t texObject);
cudaError_t CUDARTAPI cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                                       cudaTextureObject_t texObject);
cudaError_t CUDARTAPI cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
                                                      cudaTextureObject_t texObject);
cudaError_t CUDARTAPI cudaGetTextureObjectResourceViewDesc(
    struct cudaResourceViewDesc *pResViewDesc, cudaTextureObject_t texObject);

/* ---- surface object management --------------------------------------------------------------
 * Source: CUDA Runtime API 13.0, Surface Object Management.
 */

cudaError_t CUDARTAPI cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
                                              const struct cudaResourceDesc *pResDesc);
cudaError_t CUDARTAPI cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject);
cudaError_t CUDARTAPI cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                                       cudaSurfaceObject_t surfObject);

/* ---- graph management -----------------------------------------------------------------------
 * Arguments and structures are copied when a node is made. Calls that take one graph, or one executable graph, are for
 * one thread at a time. Graphs with conditional nodes can be instantiated once at a time, neither be cloned nor be in
 * another graph.
 *
 * Errors: cudaErrorInvalidValue for what is no live graph, node or executable graph, for a node of another graph or
 *         kind, for a circle of dependencies (when the graph is instantiated); cudaErrorGraphExecUpdateFailure; those
 *         of the call that does the same without a graph.
 * Source: CUDA Runtime API 13.0, Graph Management.
 */

cudaError_t CUDARTAPI cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags);
cudaError_t CUDARTAPI cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t *pDependencies,
                                             size_t numDependencies,
                                             const struct cudaKernelNodeParams *pNodeParams);
cudaError_t CUDARTAPI cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                                   struct cudaKernelNodeParams *pNodeParams);
cudaError_t CUDARTAPI cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                   const struct cudaKernelNodeParams *pNodeParams);
cudaError_t CUDARTAPI cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc);
cudaError_t CUDARTAPI cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode,
                                                      cudaLaunchAttributeID attr,
                                                      cudaLaunchAttributeValue *value_out);
cudaError_t CUDARTAPI cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode,
                                                      cudaLaunchAttributeID attr,
                                                      const cudaLaunchAttributeValue *value);
cudaError_t CUDARTAPI cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t *pDependencies,
                                             size_t numDependencies,
                                             const struct cudaMemcpy3DParms *pCopyParams);
cudaError_t CUDARTAPI cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                     const cudaGraphNode_t *pDependencies,
                                                     size_t numDependencies, const void *symbol,
                                                     const void *src, size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode,
                                                       cudaGraph_t graph,
                                                       const cudaGraphNode_t *pDependencies,
                                                       size_t numDependencies, void *dst,
                                                       const void *symbol, size_t count,
                                                       size_t offset, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                               const cudaGraphNode_t *pDependencies,
                                               size_t numDependencies, void *dst, const void *src,
                                               size_t count, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                                   struct cudaMemcpy3DParms *pNodeParams);
cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                   const struct cudaMemcpy3DParms *pNodeParams);
cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                           const void *src, size_t count,
                                                           size_t offset, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                             const void *symbol, size_t count,
                                                             size_t offset,
                                                             enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst,
                                                     const void *src, size_t count,
                                                     enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t *pDependencies,
                                             size_t numDependencies,
                                             const struct cudaMemsetParams *pMemsetParams);
cudaError_t CUDARTAPI cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                                   struct cudaMemsetParams *pNodeParams);
cudaError_t CUDARTAPI cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                                   const struct cudaMemsetParams *pNodeParams);
cudaError_t CUDARTAPI cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies,
                                           size_t numDependencies,
                                           const struct cudaHostNodeParams *pNodeParams);
cudaError_t CUDARTAPI cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                                 struct cudaHostNodeParams *pNodeParams);
cudaError_t CUDARTAPI cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                                 const struct cudaHostNodeParams *pNodeParams);
cudaError_t CUDARTAPI cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                 const cudaGraphNode_t *pDependencies,
                                                 size_t numDependencies, cudaGraph_t childGraph);
cudaError_t CUDARTAPI cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph);
cudaError_t CUDARTAPI cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                            const cudaGraphNode_t *pDependencies,
                                            size_t numDependencies);
cudaError_t CUDARTAPI cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                  const cudaGraphNode_t *pDependencies,
                                                  size_t numDependencies, cudaEvent_t event);
cudaError_t CUDARTAPI cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node,
                                                       cudaEvent_t *event_out);
cudaError_t CUDARTAPI cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
cudaError_t CUDARTAPI cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                const cudaGraphNode_t *pDependencies,
                                                size_t numDependencies, cudaEvent_t event);
cudaError_t CUDARTAPI cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out);
cudaError_t CUDARTAPI cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
cudaError_t CUDARTAPI cudaGraphAddExternalSemaphoresSignalNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
    size_t numDependencies, const struct cudaExternalSemaphoreSignalNodeParams *nodeParams);
cudaError_t CUDARTAPI cudaGraphExternalSemaphoresSignalNodeGetParams(
    cudaGraphNode_t hNode, struct cudaExternalSemaphoreSignalNodeParams *params_out);
cudaError_t CUDARTAPI cudaGraphExternalSemaphoresSignalNodeSetParams(
    cudaGraphNode_t hNode, const struct cudaExternalSemaphoreSignalNodeParams *nodeParams);
cudaError_t CUDARTAPI cudaGraphAddExternalSemaphoresWaitNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
    size_t numDependencies, const struct cudaExternalSemaphoreWaitNodeParams *nodeParams);
cudaError_t CUDARTAPI cudaGraphExternalSemaphoresWaitNodeGetParams(
    cudaGraphNode_t hNode, struct cudaExternalSemaphoreWaitNodeParams *params_out);
cudaError_t CUDARTAPI cudaGraphExternalSemaphoresWaitNodeSetParams(
    cudaGraphNode_t hNode, const struct cudaExternalSemaphoreWaitNodeParams *nodeParams);
cudaError_t CUDARTAPI cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                               const cudaGraphNode_t *pDependencies,
                                               size_t numDependencies,
                                               struct cudaMemAllocNodeParams *nodeParams);
cudaError_t CUDARTAPI cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                                     struct cudaMemAllocNodeParams *params_out);
cudaError_t CUDARTAPI cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                              const cudaGraphNode_t *pDependencies,
                                              size_t numDependencies, void *dptr);
cudaError_t CUDARTAPI cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out);
cudaError_t CUDARTAPI cudaDeviceGraphMemTrim(int device);
cudaError_t CUDARTAPI cudaDeviceGetGraphMemAttribute(int device,
                                                     enum cudaGraphMemAttributeType attr,
                                                     void *value);
cudaError_t CUDARTAPI cudaDeviceSetGraphMemAttribute(int device,
                                                     enum cudaGraphMemAttributeType attr,
                                                     void *value);
cudaError_t CUDARTAPI cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph);
cudaError_t CUDARTAPI cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode,
                                               cudaGraph_t clonedGraph);
cudaError_t CUDARTAPI cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType);
cudaError_t CUDARTAPI cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                                        size_t *numNodes);
cudaError_t CUDARTAPI cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes,
                                            size_t *pNumRootNodes);
cudaError_t CUDARTAPI cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                        cudaGraphNode_t *to, cudaGraphEdgeData *edgeData,
                                        size_t *numEdges);
cudaError_t CUDARTAPI cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                                   cudaGraphNode_t *pDependencies,
                                                   cudaGraphEdgeData *edgeData,
                                                   size_t *pNumDependencies);
cudaError_t CUDARTAPI cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                     cudaGraphNode_t *pDependentNodes,
                                                     cudaGraphEdgeData *edgeData,
                                                     size_t *pNumDependentNodes);
cudaError_t CUDARTAPI cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to,
                                               const cudaGraphEdgeData *edgeData,
                                               size_t numDependencies);
cudaError_t CUDARTAPI cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                  const cudaGraphNode_t *to,
                                                  const cudaGraphEdgeData *edgeData,
                                                  size_t numDependencies);
cudaError_t CUDARTAPI cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t CUDARTAPI cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                           unsigned long long flags CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                                    unsigned long long flags CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                                     cudaGraphInstantiateParams *instantiateParams);
cudaError_t CUDARTAPI cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags);
cudaError_t CUDARTAPI
cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                 const struct cudaKernelNodeParams *pNodeParams);
cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec,
                                                       cudaGraphNode_t node,
                                                       const struct cudaMemcpy3DParms *pNodeParams);
cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                                               cudaGraphNode_t node,
                                                               const void *symbol, const void *src,
                                                               size_t count, size_t offset,
                                                               enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                                                 cudaGraphNode_t node, void *dst,
                                                                 const void *symbol, size_t count,
                                                                 size_t offset,
                                                                 enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec,
                                                         cudaGraphNode_t node, void *dst,
                                                         const void *src, size_t count,
                                                         enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec,
                                                       cudaGraphNode_t node,
                                                       const struct cudaMemsetParams *pNodeParams);
cudaError_t CUDARTAPI cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec,
                                                     cudaGraphNode_t node,
                                                     const struct cudaHostNodeParams *pNodeParams);
cudaError_t CUDARTAPI cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec,
                                                           cudaGraphNode_t node,
                                                           cudaGraph_t childGraph);
cudaError_t CUDARTAPI cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec,
                                                           cudaGraphNode_t hNode,
                                                           cudaEvent_t event);
cudaError_t CUDARTAPI cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec,
                                                         cudaGraphNode_t hNode, cudaEvent_t event);
cudaError_t CUDARTAPI cudaGraphExecExternalSemaphoresSignalNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
    const struct cudaExternalSemaphoreSignalNodeParams *nodeParams);
cudaError_t CUDARTAPI cudaGraphExecExternalSemaphoresWaitNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
    const struct cudaExternalSemaphoreWaitNodeParams *nodeParams);
cudaError_t CUDARTAPI cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                              unsigned int isEnabled);
cudaError_t CUDARTAPI cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                              unsigned int *isEnabled);
cudaError_t CUDARTAPI cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                          cudaGraphExecUpdateResultInfo *resultInfo);
cudaError_t CUDARTAPI cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream);
cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream);
cudaError_t CUDARTAPI cudaGraphExecDestroy(cudaGraphExec_t graphExec);
cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t graph);
cudaError_t CUDARTAPI cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path,
                                             unsigned int flags);
cudaError_t CUDARTAPI cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr,
                                           cudaHostFn_t destroy, unsigned int initialRefcount,
                                           unsigned int flags);
cudaError_t CUDARTAPI cudaUserObjectRetain(cudaUserObject_t object,
                                           unsigned int count CLEM_DEFAULT(1));
cudaError_t CUDARTAPI cudaUserObjectRelease(cudaUserObject_t object,
                                            unsigned int count CLEM_DEFAULT(1));
cudaError_t CUDARTAPI cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                unsigned int count CLEM_DEFAULT(1),
                                                unsigned int flags CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                 unsigned int count CLEM_DEFAULT(1));
cudaError_t CUDARTAPI cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t *pDependencies,
                                       const cudaGraphEdgeData *dependencyData,
                                       size_t numDependencies,
                                       struct cudaGraphNodeParams *nodeParams);
cudaError_t CUDARTAPI cudaGraphNodeSetParams(cudaGraphNode_t node,
                                             struct cudaGraphNodeParams *nodeParams);
cudaError_t CUDARTAPI cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                                 struct cudaGraphNodeParams *nodeParams);
cudaError_t CUDARTAPI cudaGraphConditionalHandleCreate(
    cudaGraphConditionalHandle *pHandle_out, cudaGraph_t graph,
    unsigned int defaultLaunchValue CLEM_DEFAULT(0), unsigned int flags CLEM_DEFAULT(0));

/* ---- external resource interoperability -----------------------------------------------------
 * On CPUs: memory is a file that can be mapped (opaque file descriptor). A binary semaphore is Linux's eventfd (opaque file
 * descriptor), a timeline a file that can be mapped, whose first 8 bytes are the value. Who imports gives the descriptor away.
 *
 * Errors: cudaErrorInvalidValue, also for files that are something else; cudaErrorOperatingSystem for what is no open file;
 *         cudaErrorInvalidResourceHandle; cudaErrorNotSupported for other types of handles and other devices.
 *
 * Source: CUDA Runtime API 13.0, External Resource Interoperability.
 */

cudaError_t CUDARTAPI cudaImportExternalMemory(
    cudaExternalMemory_t *extMem_out, const struct cudaExternalMemoryHandleDesc *memHandleDesc);
cudaError_t CUDARTAPI
cudaExternalMemoryGetMappedBuffer(void **devPtr, cudaExternalMemory_t extMem,
                                  const struct cudaExternalMemoryBufferDesc *bufferDesc);
cudaError_t CUDARTAPI cudaExternalMemoryGetMappedMipmappedArray(
    cudaMipmappedArray_t *mipmap, cudaExternalMemory_t extMem,
    const struct cudaExternalMemoryMipmappedArrayDesc *mipmapDesc);
cudaError_t CUDARTAPI cudaDestroyExternalMemory(cudaExternalMemory_t extMem);
cudaError_t CUDARTAPI
cudaImportExternalSemaphore(cudaExternalSemaphore_t *extSem_out,
                            const struct cudaExternalSemaphoreHandleDesc *semHandleDesc);
cudaError_t CUDARTAPI
cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
                                  const struct cudaExternalSemaphoreSignalParams *paramsArray,
                                  unsigned int numExtSems, cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI
cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
                                const struct cudaExternalSemaphoreWaitParams *paramsArray,
                                unsigned int numExtSems, cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaDestroyExternalSemaphore(cudaExternalSemaphore_t extSem);

/* ---- graphics interoperability --------------------------------------------------------------
 * Buffers and textures of OpenGL, which cuda_gl_interop.h registers. cudaGraphicsMapResources, cudaGraphicsUnmapResources,
 * in a stream; cudaGraphicsResourceGetMappedPointer (bytes from the buffer's first on),
 * cudaGraphicsSubResourceGetMappedArray (a level of a texture, of one layer or face where it has such),
 * cudaGraphicsResourceGetMappedMipmappedArray (all of it): valid while mapped.
 *
 * Order:   mapping: OpenGL's work that was given before comes before the stream's of afterwards. Unmapping waits for the
 *          stream, and comes before OpenGL's work of afterwards.
 * Errors:  cudaErrorInvalidResourceHandle; cudaErrorAlreadyMapped, cudaErrorNotMapped, for all of them or none;
 *          cudaErrorNotMappedAsPointer, cudaErrorNotMappedAsArray; cudaErrorInvalidGraphicsContext without a current OpenGL
 *          context; cudaErrorMapBufferObjectFailed, cudaErrorUnmapBufferObjectFailed for what the program has mapped itself
 *          or made anew; cudaErrorInvalidValue.
 * Differs: texels are copied through the host, by the calling thread, which must have the OpenGL context. A layer that was
 *          asked for by itself and the whole texture are apart until both are unmapped; the layer counts then.
 * Source:  CUDA Runtime API 13.0, Graphics Interoperability.
 */

cudaError_t CUDARTAPI cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource);
cudaError_t CUDARTAPI cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource,
                                                      unsigned int flags);
cudaError_t CUDARTAPI cudaGraphicsMapResources(int count, cudaGraphicsResource_t *resources,
                                               cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t *resources,
                                                 cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaGraphicsResourceGetMappedPointer(void **devPtr, size_t *size,
                                                           cudaGraphicsResource_t resource);
cudaError_t CUDARTAPI cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array,
                                                            cudaGraphicsResource_t resource,
                                                            unsigned int arrayIndex,
                                                            unsigned int mipLevel);
cudaError_t CUDARTAPI cudaGraphicsResourceGetMappedMipmappedArray(
    cudaMipmappedArray_t *mipmappedArray, cudaGraphicsResource_t resource);

/* ---- private tables -------------------------------------------------------------------------
 * Source: CUDA Runtime API 13.0, none; the function is exported and not described.
 */

cudaError_t CUDARTAPI cudaGetExportTable(const void **ppExportTable,
                                         const cudaUUID_t *pExportTableId);

/* ---- functions that CUDA dropped between 8.0 and 13.0 ----------------------------------------
 * They are here for programs that still call them. A name that lives on has the signature of
 * today; in C++ it takes its old arguments as well.
 */

/* The names of today in place of Thread are Device. */
cudaError_t CUDARTAPI cudaThreadSynchronize(void);
cudaError_t CUDARTAPI cudaThreadExit(void);
cudaError_t CUDARTAPI cudaThreadSetLimit(enum cudaLimit limit, size_t value);
cudaError_t CUDARTAPI cudaThreadGetLimit(size_t *pValue, enum cudaLimit limit);
cudaError_t CUDARTAPI cudaThreadGetCacheConfig(enum cudaFuncCache *pCacheConfig);
cudaError_t CUDARTAPI cudaThreadSetCacheConfig(enum cudaFuncCache cacheConfig);

/* cudaSetDoubleForDevice, cudaSetDoubleForHost: nothing is converted. */
cudaError_t CUDARTAPI cudaSetDoubleForDevice(double *d);
cudaError_t CUDARTAPI cudaSetDoubleForHost(double *d);

/* cudaConfigureCall, cudaSetupArgument, cudaLaunch: a launch in steps of the calling thread.
 *
 * Shape:   each argument lies at its offset in a C struct of all arguments.
 * Errors:  cudaErrorMissingConfiguration for a launch without cudaConfigureCall;
 *          cudaErrorInvalidValue for missing arguments and more than 4096 bytes of them; those of
 *          cudaLaunchKernel.
 */
cudaError_t CUDARTAPI cudaConfigureCall(dim3 gridDim, dim3 blockDim,
                                        size_t sharedMem CLEM_DEFAULT(0),
                                        cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaSetupArgument(const void *arg, size_t size, size_t offset);
cudaError_t CUDARTAPI cudaLaunch(const void *func);

/* Texture and surface references: kernels name what the host binds.
 *
 * Shape:   texref is a variable that was registered (__cudaRegisterTexture), or what
 *          cudaGetTextureReference gave. Its members are read when something is bound.
 * Returns: offset: bytes from the last multiple of textureAlignment to devPtr, which the kernel
 *          has to add; NULL where devPtr is such a multiple.
 * Order:   kernels launched from then on read what is bound.
 * Errors:  cudaErrorInvalidTexture, cudaErrorInvalidSurface for a reference that is none;
 *          cudaErrorInvalidTextureBinding; those of cudaCreateTextureObject.
 */
cudaError_t CUDARTAPI cudaBindTexture(size_t *offset, const struct textureReference *texref,
                                      const void *devPtr, const struct cudaChannelFormatDesc *desc,
                                      size_t size CLEM_DEFAULT(UINT_MAX));
cudaError_t CUDARTAPI cudaBindTexture2D(size_t *offset, const struct textureReference *texref,
                                        const void *devPtr,
                                        const struct cudaChannelFormatDesc *desc, size_t width,
                                        size_t height, size_t pitch);
cudaError_t CUDARTAPI cudaBindTextureToArray(const struct textureReference *texref,
                                             cudaArray_const_t array,
                                             const struct cudaChannelFormatDesc *desc);
cudaError_t CUDARTAPI cudaBindTextureToMipmappedArray(const struct textureReference *texref,
                                                      cudaMipmappedArray_const_t mipmappedArray,
                                                      const struct cudaChannelFormatDesc *desc);
cudaError_t CUDARTAPI cudaUnbindTexture(const struct textureReference *texref);
cudaError_t CUDARTAPI cudaGetTextureAlignmentOffset(size_t *offset,
                                                    const struct textureReference *texref);
cudaError_t CUDARTAPI cudaBindSurfaceToArray(const struct surfaceReference *surfref,
                                             cudaArray_const_t array,
                                             const struct cudaChannelFormatDesc *desc);

/* cudaGetTextureReference, cudaGetSurfaceReference: the reference of a registered variable, or of
 * the name that kernels loaded into the current context give one.
 *
 * Owns:    what a name gives belongs to the module that has it.
 */
cudaError_t CUDARTAPI cudaGetTextureReference(const struct textureReference **texref,
                                              const void *symbol);
cudaError_t CUDARTAPI cudaGetSurfaceReference(const struct surfaceReference **surfref,
                                              const void *symbol);

/* Functions of today by the names that they had in between. */
cudaError_t CUDARTAPI cudaCreateTextureObject_v2(cudaTextureObject_t *pTexObject,
                                                 const struct cudaResourceDesc *pResDesc,
                                                 const struct cudaTextureDesc_v2 *pTexDesc,
                                                 const struct cudaResourceViewDesc *pResViewDesc);
cudaError_t CUDARTAPI cudaGetTextureObjectTextureDesc_v2(struct cudaTextureDesc_v2 *pTexDesc,
                                                         cudaTextureObject_t texObject);
cudaError_t CUDARTAPI cudaMemPrefetchAsync_v2(const void *devPtr, size_t count,
                                              struct cudaMemLocation location, unsigned int flags,
                                              cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemAdvise_v2(const void *devPtr, size_t count,
                                       enum cudaMemoryAdvise advice,
                                       struct cudaMemLocation location);
cudaError_t CUDARTAPI cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int device);
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo_v2(
    cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
    unsigned long long *id_out CLEM_DEFAULT(0), cudaGraph_t *graph_out CLEM_DEFAULT(0),
    const cudaGraphNode_t **dependencies_out CLEM_DEFAULT(0),
    size_t *numDependencies_out CLEM_DEFAULT(0));

/* One cooperative launch on each of numDevices devices, those of the streams, at the same time. By default all wait for what
 * the streams got before, and what they get later waits for all: flags says otherwise. Errors: cudaErrorInvalidValue for
 * launches that differ in more than stream and args, or share a device; those of cudaLaunchCooperativeKernel. */
cudaError_t CUDARTAPI
cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *launchParamsList,
                                       unsigned int numDevices, unsigned int flags CLEM_DEFAULT(0));

/* As those without _v2. */
cudaError_t CUDARTAPI
cudaSignalExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t *extSemArray,
                                     const struct cudaExternalSemaphoreSignalParams *paramsArray,
                                     unsigned int numExtSems, cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI
cudaWaitExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t *extSemArray,
                                   const struct cudaExternalSemaphoreWaitParams *paramsArray,
                                   unsigned int numExtSems, cudaStream_t stream CLEM_DEFAULT(0));

/* These, too; version 12 alone numbered them. */
#define cudaEventElapsedTime_v2                cudaEventElapsedTime
#define cudaGraphAddDependencies_v2            cudaGraphAddDependencies
#define cudaGraphAddNode_v2                    cudaGraphAddNode
#define cudaGraphGetEdges_v2                   cudaGraphGetEdges
#define cudaGraphNodeGetDependencies_v2        cudaGraphNodeGetDependencies
#define cudaGraphNodeGetDependentNodes_v2      cudaGraphNodeGetDependentNodes
#define cudaGraphRemoveDependencies_v2         cudaGraphRemoveDependencies
#define cudaStreamGetCaptureInfo_v3            cudaStreamGetCaptureInfo
#define cudaStreamUpdateCaptureDependencies_v2 cudaStreamUpdateCaptureDependencies

/* ---- per-thread default stream --------------------------------------------------------------
 * Each function does what the one without its ending does, but stream 0 means the calling
 * thread's own default stream. A program compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM calls
 * these by the plain names.
 *
 * Source: CUDA Runtime API 13.0, Stream synchronization behavior.
 */

cudaError_t CUDARTAPI cudaStreamGetPriority_ptsz(cudaStream_t hStream, int *priority);
cudaError_t CUDARTAPI cudaStreamGetFlags_ptsz(cudaStream_t hStream, unsigned int *flags);
cudaError_t CUDARTAPI cudaStreamGetId_ptsz(cudaStream_t hStream, unsigned long long *streamId);
cudaError_t CUDARTAPI cudaStreamGetDevice_ptsz(cudaStream_t hStream, int *device);
cudaError_t CUDARTAPI cudaStreamCopyAttributes_ptsz(cudaStream_t dst, cudaStream_t src);
cudaError_t CUDARTAPI cudaStreamGetAttribute_ptsz(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                                  cudaLaunchAttributeValue *value_out);
cudaError_t CUDARTAPI cudaStreamSetAttribute_ptsz(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                                  const cudaLaunchAttributeValue *value);
cudaError_t CUDARTAPI cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event,
                                               unsigned int flags CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback,
                                                 void *userData, unsigned int flags);
cudaError_t CUDARTAPI cudaStreamSynchronize_ptsz(cudaStream_t stream);
cudaError_t CUDARTAPI cudaStreamQuery_ptsz(cudaStream_t stream);
cudaError_t CUDARTAPI
cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void *devPtr, size_t length CLEM_DEFAULT(0),
                              unsigned int flags CLEM_DEFAULT(cudaMemAttachSingle));
cudaError_t CUDARTAPI cudaStreamBeginCapture_ptsz(cudaStream_t stream,
                                                  enum cudaStreamCaptureMode mode);
cudaError_t CUDARTAPI cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t stream, cudaGraph_t graph,
                                                         const cudaGraphNode_t *dependencies,
                                                         const cudaGraphEdgeData *dependencyData,
                                                         size_t numDependencies,
                                                         enum cudaStreamCaptureMode mode);
cudaError_t CUDARTAPI cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t *pGraph);
cudaError_t CUDARTAPI cudaStreamIsCapturing_ptsz(cudaStream_t stream,
                                                 enum cudaStreamCaptureStatus *pCaptureStatus);
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo_ptsz(
    cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
    unsigned long long *id_out CLEM_DEFAULT(0), cudaGraph_t *graph_out CLEM_DEFAULT(0),
    const cudaGraphNode_t **dependencies_out CLEM_DEFAULT(0),
    const cudaGraphEdgeData **edgeData_out CLEM_DEFAULT(0),
    size_t *numDependencies_out CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies_ptsz(
    cudaStream_t stream, cudaGraphNode_t *dependencies, const cudaGraphEdgeData *dependencyData,
    size_t numDependencies, unsigned int flags CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaEventRecordWithFlags_ptsz(cudaEvent_t event,
                                                    cudaStream_t stream CLEM_DEFAULT(0),
                                                    unsigned int flags CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaSignalExternalSemaphoresAsync_ptsz(
    const cudaExternalSemaphore_t *extSemArray,
    const struct cudaExternalSemaphoreSignalParams *paramsArray, unsigned int numExtSems,
    cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI
cudaWaitExternalSemaphoresAsync_ptsz(const cudaExternalSemaphore_t *extSemArray,
                                     const struct cudaExternalSemaphoreWaitParams *paramsArray,
                                     unsigned int numExtSems, cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaLaunchKernel_ptsz(const void *func, dim3 gridDim, dim3 blockDim,
                                            void **args, size_t sharedMem, cudaStream_t stream);
cudaError_t CUDARTAPI cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func,
                                               void **args);
cudaError_t CUDARTAPI cudaLaunchCooperativeKernel_ptsz(const void *func, dim3 gridDim,
                                                       dim3 blockDim, void **args, size_t sharedMem,
                                                       cudaStream_t stream);
cudaError_t CUDARTAPI cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t fn, void *userData);
cudaError_t CUDARTAPI cudaMemcpy3D_ptds(const struct cudaMemcpy3DParms *p);
cudaError_t CUDARTAPI cudaMemcpy3DPeer_ptds(const struct cudaMemcpy3DPeerParms *p);
cudaError_t CUDARTAPI cudaMemcpy3DAsync_ptsz(const struct cudaMemcpy3DParms *p,
                                             cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpy3DPeerAsync_ptsz(const struct cudaMemcpy3DPeerParms *p,
                                                 cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpy_ptds(void *dst, const void *src, size_t count,
                                      enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpy2D_ptds(void *dst, size_t dpitch, const void *src, size_t spitch,
                                        size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpy2DToArray_ptds(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                               const void *src, size_t spitch, size_t width,
                                               size_t height, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpy2DFromArray_ptds(void *dst, size_t dpitch, cudaArray_const_t src,
                                                 size_t wOffset, size_t hOffset, size_t width,
                                                 size_t height, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpy2DArrayToArray_ptds(
    cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc,
    size_t hOffsetSrc, size_t width, size_t height,
    enum cudaMemcpyKind kind CLEM_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t CUDARTAPI cudaMemcpyToSymbol_ptds(
    const void *symbol, const void *src, size_t count, size_t offset CLEM_DEFAULT(0),
    enum cudaMemcpyKind kind CLEM_DEFAULT(cudaMemcpyHostToDevice));
cudaError_t CUDARTAPI cudaMemcpyFromSymbol_ptds(
    void *dst, const void *symbol, size_t count, size_t offset CLEM_DEFAULT(0),
    enum cudaMemcpyKind kind CLEM_DEFAULT(cudaMemcpyDeviceToHost));
cudaError_t CUDARTAPI cudaMemcpyAsync_ptsz(void *dst, const void *src, size_t count,
                                           enum cudaMemcpyKind kind,
                                           cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpyBatchAsync_ptsz(void *const *dsts, const void *const *srcs,
                                                const size_t *sizes, size_t count,
                                                struct cudaMemcpyAttributes *attrs,
                                                size_t *attrsIdxs, size_t numAttrs,
                                                cudaStream_t stream);
cudaError_t CUDARTAPI cudaMemcpy3DBatchAsync_ptsz(size_t numOps, struct cudaMemcpy3DBatchOp *opList,
                                                  unsigned long long flags, cudaStream_t stream);
cudaError_t CUDARTAPI cudaMemcpy2DAsync_ptsz(void *dst, size_t dpitch, const void *src,
                                             size_t spitch, size_t width, size_t height,
                                             enum cudaMemcpyKind kind,
                                             cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                                    const void *src, size_t spitch, size_t width,
                                                    size_t height, enum cudaMemcpyKind kind,
                                                    cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpy2DFromArrayAsync_ptsz(void *dst, size_t dpitch,
                                                      cudaArray_const_t src, size_t wOffset,
                                                      size_t hOffset, size_t width, size_t height,
                                                      enum cudaMemcpyKind kind,
                                                      cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpyToSymbolAsync_ptsz(const void *symbol, const void *src,
                                                   size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind,
                                                   cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpyFromSymbolAsync_ptsz(void *dst, const void *symbol, size_t count,
                                                     size_t offset, enum cudaMemcpyKind kind,
                                                     cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemset_ptds(void *devPtr, int value, size_t count);
cudaError_t CUDARTAPI cudaMemset2D_ptds(void *devPtr, size_t pitch, int value, size_t width,
                                        size_t height);
cudaError_t CUDARTAPI cudaMemset3D_ptds(struct cudaPitchedPtr pitchedDevPtr, int value,
                                        struct cudaExtent extent);
cudaError_t CUDARTAPI cudaMemsetAsync_ptsz(void *devPtr, int value, size_t count,
                                           cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemset2DAsync_ptsz(void *devPtr, size_t pitch, int value, size_t width,
                                             size_t height, cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemset3DAsync_ptsz(struct cudaPitchedPtr pitchedDevPtr, int value,
                                             struct cudaExtent extent,
                                             cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemPrefetchAsync_ptsz(const void *devPtr, size_t count,
                                                struct cudaMemLocation location, unsigned int flags,
                                                cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemPrefetchBatchAsync_ptsz(void **dptrs, size_t *sizes, size_t count,
                                                     struct cudaMemLocation *prefetchLocs,
                                                     size_t *prefetchLocIdxs,
                                                     size_t numPrefetchLocs,
                                                     unsigned long long flags, cudaStream_t stream);
cudaError_t CUDARTAPI cudaMemDiscardBatchAsync_ptsz(void **dptrs, size_t *sizes, size_t count,
                                                    unsigned long long flags, cudaStream_t stream);
cudaError_t CUDARTAPI cudaMemDiscardAndPrefetchBatchAsync_ptsz(
    void **dptrs, size_t *sizes, size_t count, struct cudaMemLocation *prefetchLocs,
    size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream);
cudaError_t CUDARTAPI cudaMemcpyToArray_ptds(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                             const void *src, size_t count,
                                             enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpyFromArray_ptds(void *dst, cudaArray_const_t src, size_t wOffset,
                                               size_t hOffset, size_t count,
                                               enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpyArrayToArray_ptds(
    cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc,
    size_t hOffsetSrc, size_t count,
    enum cudaMemcpyKind kind CLEM_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t CUDARTAPI cudaMemcpyToArrayAsync_ptsz(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                                  const void *src, size_t count,
                                                  enum cudaMemcpyKind kind,
                                                  cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpyFromArrayAsync_ptsz(void *dst, cudaArray_const_t src,
                                                    size_t wOffset, size_t hOffset, size_t count,
                                                    enum cudaMemcpyKind kind,
                                                    cudaStream_t stream CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaMallocAsync_ptsz(void **devPtr, size_t size, cudaStream_t hStream);
cudaError_t CUDARTAPI cudaFreeAsync_ptsz(void *devPtr, cudaStream_t hStream);
cudaError_t CUDARTAPI cudaMallocFromPoolAsync_ptsz(void **ptr, size_t size, cudaMemPool_t memPool,
                                                   cudaStream_t stream);
cudaError_t CUDARTAPI cudaGraphInstantiateWithParams_ptsz(
    cudaGraphExec_t *pGraphExec, cudaGraph_t graph, cudaGraphInstantiateParams *instantiateParams);
cudaError_t CUDARTAPI cudaGraphUpload_ptsz(cudaGraphExec_t graphExec, cudaStream_t stream);
cudaError_t CUDARTAPI cudaGraphLaunch_ptsz(cudaGraphExec_t graphExec, cudaStream_t stream);
cudaError_t CUDARTAPI
cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr, unsigned long long flags,
                             enum cudaDriverEntryPointQueryResult *driverStatus CLEM_DEFAULT(0));
cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion_ptsz(
    const char *symbol, void **funcPtr, unsigned int cudaVersion, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *driverStatus CLEM_DEFAULT(0));

#pragma GCC visibility pop

#if defined(__cplusplus)
}
#endif

#undef CLEM_DEFAULT

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define cudaStreamGetPriority               cudaStreamGetPriority_ptsz
#define cudaStreamGetFlags                  cudaStreamGetFlags_ptsz
#define cudaStreamGetId                     cudaStreamGetId_ptsz
#define cudaStreamGetDevice                 cudaStreamGetDevice_ptsz
#define cudaStreamCopyAttributes            cudaStreamCopyAttributes_ptsz
#define cudaStreamGetAttribute              cudaStreamGetAttribute_ptsz
#define cudaStreamSetAttribute              cudaStreamSetAttribute_ptsz
#define cudaStreamWaitEvent                 cudaStreamWaitEvent_ptsz
#define cudaStreamAddCallback               cudaStreamAddCallback_ptsz
#define cudaStreamSynchronize               cudaStreamSynchronize_ptsz
#define cudaStreamQuery                     cudaStreamQuery_ptsz
#define cudaStreamAttachMemAsync            cudaStreamAttachMemAsync_ptsz
#define cudaStreamBeginCapture              cudaStreamBeginCapture_ptsz
#define cudaStreamBeginCaptureToGraph       cudaStreamBeginCaptureToGraph_ptsz
#define cudaStreamEndCapture                cudaStreamEndCapture_ptsz
#define cudaStreamIsCapturing               cudaStreamIsCapturing_ptsz
#define cudaStreamGetCaptureInfo            cudaStreamGetCaptureInfo_ptsz
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_ptsz
#define cudaEventRecord                     cudaEventRecord_ptsz
#define cudaEventRecordWithFlags            cudaEventRecordWithFlags_ptsz
#define cudaSignalExternalSemaphoresAsync   cudaSignalExternalSemaphoresAsync_ptsz
#define cudaWaitExternalSemaphoresAsync     cudaWaitExternalSemaphoresAsync_ptsz
#define cudaLaunchKernel                    cudaLaunchKernel_ptsz
#define cudaLaunchKernelExC                 cudaLaunchKernelExC_ptsz
#define cudaLaunchCooperativeKernel         cudaLaunchCooperativeKernel_ptsz
#define cudaLaunchHostFunc                  cudaLaunchHostFunc_ptsz
#define cudaMemcpy3D                        cudaMemcpy3D_ptds
#define cudaMemcpy3DPeer                    cudaMemcpy3DPeer_ptds
#define cudaMemcpy3DAsync                   cudaMemcpy3DAsync_ptsz
#define cudaMemcpy3DPeerAsync               cudaMemcpy3DPeerAsync_ptsz
#define cudaMemcpy                          cudaMemcpy_ptds
#define cudaMemcpy2D                        cudaMemcpy2D_ptds
#define cudaMemcpy2DToArray                 cudaMemcpy2DToArray_ptds
#define cudaMemcpy2DFromArray               cudaMemcpy2DFromArray_ptds
#define cudaMemcpy2DArrayToArray            cudaMemcpy2DArrayToArray_ptds
#define cudaMemcpyToSymbol                  cudaMemcpyToSymbol_ptds
#define cudaMemcpyFromSymbol                cudaMemcpyFromSymbol_ptds
#define cudaMemcpyAsync                     cudaMemcpyAsync_ptsz
#define cudaMemcpyBatchAsync                cudaMemcpyBatchAsync_ptsz
#define cudaMemcpy3DBatchAsync              cudaMemcpy3DBatchAsync_ptsz
#define cudaMemcpy2DAsync                   cudaMemcpy2DAsync_ptsz
#define cudaMemcpy2DToArrayAsync            cudaMemcpy2DToArrayAsync_ptsz
#define cudaMemcpy2DFromArrayAsync          cudaMemcpy2DFromArrayAsync_ptsz
#define cudaMemcpyToSymbolAsync             cudaMemcpyToSymbolAsync_ptsz
#define cudaMemcpyFromSymbolAsync           cudaMemcpyFromSymbolAsync_ptsz
#define cudaMemset                          cudaMemset_ptds
#define cudaMemset2D                        cudaMemset2D_ptds
#define cudaMemset3D                        cudaMemset3D_ptds
#define cudaMemsetAsync                     cudaMemsetAsync_ptsz
#define cudaMemset2DAsync                   cudaMemset2DAsync_ptsz
#define cudaMemset3DAsync                   cudaMemset3DAsync_ptsz
#define cudaMemPrefetchAsync                cudaMemPrefetchAsync_ptsz
#define cudaMemPrefetchBatchAsync           cudaMemPrefetchBatchAsync_ptsz
#define cudaMemDiscardBatchAsync            cudaMemDiscardBatchAsync_ptsz
#define cudaMemDiscardAndPrefetchBatchAsync cudaMemDiscardAndPrefetchBatchAsync_ptsz
#define cudaMemcpyToArray                   cudaMemcpyToArray_ptds
#define cudaMemcpyFromArray                 cudaMemcpyFromArray_ptds
#define cudaMemcpyArrayToArray              cudaMemcpyArrayToArray_ptds
#define cudaMemcpyToArrayAsync              cudaMemcpyToArrayAsync_ptsz
#define cudaMemcpyFromArrayAsync            cudaMemcpyFromArrayAsync_ptsz
#define cudaMallocAsync                     cudaMallocAsync_ptsz
#define cudaFreeAsync                       cudaFreeAsync_ptsz
#define cudaMallocFromPoolAsync             cudaMallocFromPoolAsync_ptsz
#define cudaGraphInstantiateWithParams      cudaGraphInstantiateWithParams_ptsz
#define cudaGraphUpload                     cudaGraphUpload_ptsz
#define cudaGraphLaunch                     cudaGraphLaunch_ptsz
#define cudaGetDriverEntryPoint             cudaGetDriverEntryPoint_ptsz
#define cudaGetDriverEntryPointByVersion    cudaGetDriverEntryPointByVersion_ptsz
#endif

#endif
