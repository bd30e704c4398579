/* cudaTypedefs.h: pointers to the functions of the driver API, as cuGetProcAddress() and cudaGetDriverEntryPoint() give them:
 * PFN_NAME_vVERSION is as of that version of CUDA, PFN_NAME as cuda.h declares it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDATYPEDEFS_H
#define CUDATYPEDEFS_H

#include "cuda.h"

/* Source: CUDA Driver API 13.0, Driver Entry Point Access; since when each exists, as facade/lists/driver_versions.def has it. Some are
 * written out: in C++ their names have overloads. */
typedef __typeof__(&cuArray3DCreate_v2) PFN_cuArray3DCreate_v3020;
#define PFN_cuArray3DCreate PFN_cuArray3DCreate_v3020
typedef __typeof__(&cuArray3DGetDescriptor_v2) PFN_cuArray3DGetDescriptor_v3020;
#define PFN_cuArray3DGetDescriptor PFN_cuArray3DGetDescriptor_v3020
typedef __typeof__(&cuArrayCreate_v2) PFN_cuArrayCreate_v3020;
#define PFN_cuArrayCreate PFN_cuArrayCreate_v3020
typedef __typeof__(&cuArrayDestroy) PFN_cuArrayDestroy_v2000;
#define PFN_cuArrayDestroy PFN_cuArrayDestroy_v2000
typedef __typeof__(&cuArrayGetDescriptor_v2) PFN_cuArrayGetDescriptor_v3020;
#define PFN_cuArrayGetDescriptor PFN_cuArrayGetDescriptor_v3020
typedef __typeof__(&cuArrayGetMemoryRequirements) PFN_cuArrayGetMemoryRequirements_v11060;
#define PFN_cuArrayGetMemoryRequirements PFN_cuArrayGetMemoryRequirements_v11060
typedef __typeof__(&cuArrayGetPlane) PFN_cuArrayGetPlane_v11020;
#define PFN_cuArrayGetPlane PFN_cuArrayGetPlane_v11020
typedef __typeof__(&cuArrayGetSparseProperties) PFN_cuArrayGetSparseProperties_v11010;
#define PFN_cuArrayGetSparseProperties PFN_cuArrayGetSparseProperties_v11010
typedef __typeof__(&cuCheckpointProcessCheckpoint) PFN_cuCheckpointProcessCheckpoint_v12080;
#define PFN_cuCheckpointProcessCheckpoint PFN_cuCheckpointProcessCheckpoint_v12080
typedef __typeof__(&cuCheckpointProcessGetRestoreThreadId)
    PFN_cuCheckpointProcessGetRestoreThreadId_v12080;
#define PFN_cuCheckpointProcessGetRestoreThreadId PFN_cuCheckpointProcessGetRestoreThreadId_v12080
typedef __typeof__(&cuCheckpointProcessGetState) PFN_cuCheckpointProcessGetState_v12080;
#define PFN_cuCheckpointProcessGetState PFN_cuCheckpointProcessGetState_v12080
typedef __typeof__(&cuCheckpointProcessLock) PFN_cuCheckpointProcessLock_v12080;
#define PFN_cuCheckpointProcessLock PFN_cuCheckpointProcessLock_v12080
typedef __typeof__(&cuCheckpointProcessRestore) PFN_cuCheckpointProcessRestore_v12080;
#define PFN_cuCheckpointProcessRestore PFN_cuCheckpointProcessRestore_v12080
typedef __typeof__(&cuCheckpointProcessUnlock) PFN_cuCheckpointProcessUnlock_v12080;
#define PFN_cuCheckpointProcessUnlock PFN_cuCheckpointProcessUnlock_v12080
typedef __typeof__(&cuCoredumpGetAttribute) PFN_cuCoredumpGetAttribute_v12010;
#define PFN_cuCoredumpGetAttribute PFN_cuCoredumpGetAttribute_v12010
typedef __typeof__(&cuCoredumpGetAttributeGlobal) PFN_cuCoredumpGetAttributeGlobal_v12010;
#define PFN_cuCoredumpGetAttributeGlobal PFN_cuCoredumpGetAttributeGlobal_v12010
typedef __typeof__(&cuCoredumpSetAttribute) PFN_cuCoredumpSetAttribute_v12010;
#define PFN_cuCoredumpSetAttribute PFN_cuCoredumpSetAttribute_v12010
typedef __typeof__(&cuCoredumpSetAttributeGlobal) PFN_cuCoredumpSetAttributeGlobal_v12010;
#define PFN_cuCoredumpSetAttributeGlobal PFN_cuCoredumpSetAttributeGlobal_v12010
typedef __typeof__(&cuCtxAttach) PFN_cuCtxAttach_v2000;
#define PFN_cuCtxAttach PFN_cuCtxAttach_v2000
typedef CUresult(CUDAAPI *PFN_cuCtxCreate_v12050)(CUcontext *pctx,
                                                  CUctxCreateParams *ctxCreateParams,
                                                  unsigned int flags, CUdevice dev);
#define PFN_cuCtxCreate PFN_cuCtxCreate_v12050
typedef __typeof__(&cuCtxDestroy_v2) PFN_cuCtxDestroy_v4000;
#define PFN_cuCtxDestroy PFN_cuCtxDestroy_v4000
typedef __typeof__(&cuCtxDetach) PFN_cuCtxDetach_v2000;
#define PFN_cuCtxDetach PFN_cuCtxDetach_v2000
typedef __typeof__(&cuCtxDisablePeerAccess) PFN_cuCtxDisablePeerAccess_v4000;
#define PFN_cuCtxDisablePeerAccess PFN_cuCtxDisablePeerAccess_v4000
typedef __typeof__(&cuCtxEnablePeerAccess) PFN_cuCtxEnablePeerAccess_v4000;
#define PFN_cuCtxEnablePeerAccess PFN_cuCtxEnablePeerAccess_v4000
typedef __typeof__(&cuCtxFromGreenCtx) PFN_cuCtxFromGreenCtx_v12040;
#define PFN_cuCtxFromGreenCtx PFN_cuCtxFromGreenCtx_v12040
typedef __typeof__(&cuCtxGetApiVersion) PFN_cuCtxGetApiVersion_v3020;
#define PFN_cuCtxGetApiVersion PFN_cuCtxGetApiVersion_v3020
typedef __typeof__(&cuCtxGetCacheConfig) PFN_cuCtxGetCacheConfig_v3020;
#define PFN_cuCtxGetCacheConfig PFN_cuCtxGetCacheConfig_v3020
typedef __typeof__(&cuCtxGetCurrent) PFN_cuCtxGetCurrent_v4000;
#define PFN_cuCtxGetCurrent PFN_cuCtxGetCurrent_v4000
typedef __typeof__(&cuCtxGetDevResource) PFN_cuCtxGetDevResource_v12040;
#define PFN_cuCtxGetDevResource PFN_cuCtxGetDevResource_v12040
typedef __typeof__(&cuCtxGetDevice) PFN_cuCtxGetDevice_v2000;
typedef __typeof__(&cuCtxGetDevice_v2) PFN_cuCtxGetDevice_v13000;
#define PFN_cuCtxGetDevice PFN_cuCtxGetDevice_v2000
typedef __typeof__(&cuCtxGetExecAffinity) PFN_cuCtxGetExecAffinity_v11040;
#define PFN_cuCtxGetExecAffinity PFN_cuCtxGetExecAffinity_v11040
typedef __typeof__(&cuCtxGetFlags) PFN_cuCtxGetFlags_v7000;
#define PFN_cuCtxGetFlags PFN_cuCtxGetFlags_v7000
typedef __typeof__(&cuCtxGetId) PFN_cuCtxGetId_v12000;
#define PFN_cuCtxGetId PFN_cuCtxGetId_v12000
typedef __typeof__(&cuCtxGetLimit) PFN_cuCtxGetLimit_v3010;
#define PFN_cuCtxGetLimit PFN_cuCtxGetLimit_v3010
typedef __typeof__(&cuCtxGetSharedMemConfig) PFN_cuCtxGetSharedMemConfig_v4020;
#define PFN_cuCtxGetSharedMemConfig PFN_cuCtxGetSharedMemConfig_v4020
typedef __typeof__(&cuCtxGetStreamPriorityRange) PFN_cuCtxGetStreamPriorityRange_v5050;
#define PFN_cuCtxGetStreamPriorityRange PFN_cuCtxGetStreamPriorityRange_v5050
typedef __typeof__(&cuCtxPopCurrent_v2) PFN_cuCtxPopCurrent_v4000;
#define PFN_cuCtxPopCurrent PFN_cuCtxPopCurrent_v4000
typedef __typeof__(&cuCtxPushCurrent_v2) PFN_cuCtxPushCurrent_v4000;
#define PFN_cuCtxPushCurrent PFN_cuCtxPushCurrent_v4000
typedef __typeof__(&cuCtxRecordEvent) PFN_cuCtxRecordEvent_v12050;
#define PFN_cuCtxRecordEvent PFN_cuCtxRecordEvent_v12050
typedef __typeof__(&cuCtxResetPersistingL2Cache) PFN_cuCtxResetPersistingL2Cache_v11000;
#define PFN_cuCtxResetPersistingL2Cache PFN_cuCtxResetPersistingL2Cache_v11000
typedef __typeof__(&cuCtxSetCacheConfig) PFN_cuCtxSetCacheConfig_v3020;
#define PFN_cuCtxSetCacheConfig PFN_cuCtxSetCacheConfig_v3020
typedef __typeof__(&cuCtxSetCurrent) PFN_cuCtxSetCurrent_v4000;
#define PFN_cuCtxSetCurrent PFN_cuCtxSetCurrent_v4000
typedef __typeof__(&cuCtxSetFlags) PFN_cuCtxSetFlags_v12010;
#define PFN_cuCtxSetFlags PFN_cuCtxSetFlags_v12010
typedef __typeof__(&cuCtxSetLimit) PFN_cuCtxSetLimit_v3010;
#define PFN_cuCtxSetLimit PFN_cuCtxSetLimit_v3010
typedef __typeof__(&cuCtxSetSharedMemConfig) PFN_cuCtxSetSharedMemConfig_v4020;
#define PFN_cuCtxSetSharedMemConfig PFN_cuCtxSetSharedMemConfig_v4020
typedef __typeof__(&cuCtxSynchronize) PFN_cuCtxSynchronize_v2000;
typedef __typeof__(&cuCtxSynchronize_v2) PFN_cuCtxSynchronize_v13000;
#define PFN_cuCtxSynchronize PFN_cuCtxSynchronize_v2000
typedef __typeof__(&cuCtxWaitEvent) PFN_cuCtxWaitEvent_v12050;
#define PFN_cuCtxWaitEvent PFN_cuCtxWaitEvent_v12050
typedef __typeof__(&cuDestroyExternalMemory) PFN_cuDestroyExternalMemory_v10000;
#define PFN_cuDestroyExternalMemory PFN_cuDestroyExternalMemory_v10000
typedef __typeof__(&cuDestroyExternalSemaphore) PFN_cuDestroyExternalSemaphore_v10000;
#define PFN_cuDestroyExternalSemaphore PFN_cuDestroyExternalSemaphore_v10000
typedef __typeof__(&cuDevResourceGenerateDesc) PFN_cuDevResourceGenerateDesc_v12040;
#define PFN_cuDevResourceGenerateDesc PFN_cuDevResourceGenerateDesc_v12040
typedef __typeof__(&cuDevSmResourceSplitByCount) PFN_cuDevSmResourceSplitByCount_v12040;
#define PFN_cuDevSmResourceSplitByCount PFN_cuDevSmResourceSplitByCount_v12040
typedef __typeof__(&cuDeviceCanAccessPeer) PFN_cuDeviceCanAccessPeer_v4000;
#define PFN_cuDeviceCanAccessPeer PFN_cuDeviceCanAccessPeer_v4000
typedef __typeof__(&cuDeviceComputeCapability) PFN_cuDeviceComputeCapability_v2000;
#define PFN_cuDeviceComputeCapability PFN_cuDeviceComputeCapability_v2000
typedef __typeof__(&cuDeviceGet) PFN_cuDeviceGet_v2000;
#define PFN_cuDeviceGet PFN_cuDeviceGet_v2000
typedef __typeof__(&cuDeviceGetAttribute) PFN_cuDeviceGetAttribute_v2000;
#define PFN_cuDeviceGetAttribute PFN_cuDeviceGetAttribute_v2000
typedef __typeof__(&cuDeviceGetByPCIBusId) PFN_cuDeviceGetByPCIBusId_v4010;
#define PFN_cuDeviceGetByPCIBusId PFN_cuDeviceGetByPCIBusId_v4010
typedef __typeof__(&cuDeviceGetCount) PFN_cuDeviceGetCount_v2000;
#define PFN_cuDeviceGetCount PFN_cuDeviceGetCount_v2000
typedef __typeof__(&cuDeviceGetDefaultMemPool) PFN_cuDeviceGetDefaultMemPool_v11020;
#define PFN_cuDeviceGetDefaultMemPool PFN_cuDeviceGetDefaultMemPool_v11020
typedef __typeof__(&cuDeviceGetDevResource) PFN_cuDeviceGetDevResource_v12040;
#define PFN_cuDeviceGetDevResource PFN_cuDeviceGetDevResource_v12040
typedef __typeof__(&cuDeviceGetExecAffinitySupport) PFN_cuDeviceGetExecAffinitySupport_v11040;
#define PFN_cuDeviceGetExecAffinitySupport PFN_cuDeviceGetExecAffinitySupport_v11040
typedef __typeof__(&cuDeviceGetGraphMemAttribute) PFN_cuDeviceGetGraphMemAttribute_v11040;
#define PFN_cuDeviceGetGraphMemAttribute PFN_cuDeviceGetGraphMemAttribute_v11040
typedef __typeof__(&cuDeviceGetHostAtomicCapabilities) PFN_cuDeviceGetHostAtomicCapabilities_v13000;
#define PFN_cuDeviceGetHostAtomicCapabilities PFN_cuDeviceGetHostAtomicCapabilities_v13000
typedef __typeof__(&cuDeviceGetLuid) PFN_cuDeviceGetLuid_v10000;
#define PFN_cuDeviceGetLuid PFN_cuDeviceGetLuid_v10000
typedef __typeof__(&cuDeviceGetMemPool) PFN_cuDeviceGetMemPool_v11020;
#define PFN_cuDeviceGetMemPool PFN_cuDeviceGetMemPool_v11020
typedef __typeof__(&cuDeviceGetName) PFN_cuDeviceGetName_v2000;
#define PFN_cuDeviceGetName PFN_cuDeviceGetName_v2000
typedef __typeof__(&cuDeviceGetNvSciSyncAttributes) PFN_cuDeviceGetNvSciSyncAttributes_v10020;
#define PFN_cuDeviceGetNvSciSyncAttributes PFN_cuDeviceGetNvSciSyncAttributes_v10020
typedef __typeof__(&cuDeviceGetP2PAtomicCapabilities) PFN_cuDeviceGetP2PAtomicCapabilities_v13000;
#define PFN_cuDeviceGetP2PAtomicCapabilities PFN_cuDeviceGetP2PAtomicCapabilities_v13000
typedef __typeof__(&cuDeviceGetP2PAttribute) PFN_cuDeviceGetP2PAttribute_v8000;
#define PFN_cuDeviceGetP2PAttribute PFN_cuDeviceGetP2PAttribute_v8000
typedef __typeof__(&cuDeviceGetPCIBusId) PFN_cuDeviceGetPCIBusId_v4010;
#define PFN_cuDeviceGetPCIBusId PFN_cuDeviceGetPCIBusId_v4010
typedef __typeof__(&cuDeviceGetProperties) PFN_cuDeviceGetProperties_v2000;
#define PFN_cuDeviceGetProperties PFN_cuDeviceGetProperties_v2000
typedef __typeof__(&cuDeviceGetTexture1DLinearMaxWidth)
    PFN_cuDeviceGetTexture1DLinearMaxWidth_v11010;
#define PFN_cuDeviceGetTexture1DLinearMaxWidth PFN_cuDeviceGetTexture1DLinearMaxWidth_v11010
typedef __typeof__(&cuDeviceGetUuid_v2) PFN_cuDeviceGetUuid_v11040;
#define PFN_cuDeviceGetUuid PFN_cuDeviceGetUuid_v11040
typedef __typeof__(&cuDeviceGraphMemTrim) PFN_cuDeviceGraphMemTrim_v11040;
#define PFN_cuDeviceGraphMemTrim PFN_cuDeviceGraphMemTrim_v11040
typedef __typeof__(&cuDevicePrimaryCtxGetState) PFN_cuDevicePrimaryCtxGetState_v7000;
#define PFN_cuDevicePrimaryCtxGetState PFN_cuDevicePrimaryCtxGetState_v7000
typedef __typeof__(&cuDevicePrimaryCtxRelease_v2) PFN_cuDevicePrimaryCtxRelease_v11000;
#define PFN_cuDevicePrimaryCtxRelease PFN_cuDevicePrimaryCtxRelease_v11000
typedef __typeof__(&cuDevicePrimaryCtxReset_v2) PFN_cuDevicePrimaryCtxReset_v11000;
#define PFN_cuDevicePrimaryCtxReset PFN_cuDevicePrimaryCtxReset_v11000
typedef __typeof__(&cuDevicePrimaryCtxRetain) PFN_cuDevicePrimaryCtxRetain_v7000;
#define PFN_cuDevicePrimaryCtxRetain PFN_cuDevicePrimaryCtxRetain_v7000
typedef __typeof__(&cuDevicePrimaryCtxSetFlags_v2) PFN_cuDevicePrimaryCtxSetFlags_v11000;
#define PFN_cuDevicePrimaryCtxSetFlags PFN_cuDevicePrimaryCtxSetFlags_v11000
typedef __typeof__(&cuDeviceRegisterAsyncNotification) PFN_cuDeviceRegisterAsyncNotification_v12040;
#define PFN_cuDeviceRegisterAsyncNotification PFN_cuDeviceRegisterAsyncNotification_v12040
typedef __typeof__(&cuDeviceSetGraphMemAttribute) PFN_cuDeviceSetGraphMemAttribute_v11040;
#define PFN_cuDeviceSetGraphMemAttribute PFN_cuDeviceSetGraphMemAttribute_v11040
typedef __typeof__(&cuDeviceSetMemPool) PFN_cuDeviceSetMemPool_v11020;
#define PFN_cuDeviceSetMemPool PFN_cuDeviceSetMemPool_v11020
typedef __typeof__(&cuDeviceTotalMem_v2) PFN_cuDeviceTotalMem_v3020;
#define PFN_cuDeviceTotalMem PFN_cuDeviceTotalMem_v3020
typedef __typeof__(&cuDeviceUnregisterAsyncNotification)
    PFN_cuDeviceUnregisterAsyncNotification_v12040;
#define PFN_cuDeviceUnregisterAsyncNotification PFN_cuDeviceUnregisterAsyncNotification_v12040
typedef __typeof__(&cuDriverGetVersion) PFN_cuDriverGetVersion_v2020;
#define PFN_cuDriverGetVersion PFN_cuDriverGetVersion_v2020
typedef __typeof__(&cuEventCreate) PFN_cuEventCreate_v2000;
#define PFN_cuEventCreate PFN_cuEventCreate_v2000
typedef __typeof__(&cuEventDestroy_v2) PFN_cuEventDestroy_v4000;
#define PFN_cuEventDestroy PFN_cuEventDestroy_v4000
typedef __typeof__(&cuEventElapsedTime_v2) PFN_cuEventElapsedTime_v12080;
#define PFN_cuEventElapsedTime PFN_cuEventElapsedTime_v12080
typedef __typeof__(&cuEventQuery) PFN_cuEventQuery_v2000;
#define PFN_cuEventQuery PFN_cuEventQuery_v2000
typedef __typeof__(&cuEventRecord) PFN_cuEventRecord_v2000;
#define PFN_cuEventRecord PFN_cuEventRecord_v2000
typedef __typeof__(&cuEventRecordWithFlags) PFN_cuEventRecordWithFlags_v11010;
#define PFN_cuEventRecordWithFlags PFN_cuEventRecordWithFlags_v11010
typedef __typeof__(&cuEventSynchronize) PFN_cuEventSynchronize_v2000;
#define PFN_cuEventSynchronize PFN_cuEventSynchronize_v2000
typedef __typeof__(&cuExternalMemoryGetMappedBuffer) PFN_cuExternalMemoryGetMappedBuffer_v10000;
#define PFN_cuExternalMemoryGetMappedBuffer PFN_cuExternalMemoryGetMappedBuffer_v10000
typedef __typeof__(&cuExternalMemoryGetMappedMipmappedArray)
    PFN_cuExternalMemoryGetMappedMipmappedArray_v10000;
#define PFN_cuExternalMemoryGetMappedMipmappedArray                                                \
    PFN_cuExternalMemoryGetMappedMipmappedArray_v10000
typedef __typeof__(&cuFlushGPUDirectRDMAWrites) PFN_cuFlushGPUDirectRDMAWrites_v11030;
#define PFN_cuFlushGPUDirectRDMAWrites PFN_cuFlushGPUDirectRDMAWrites_v11030
typedef __typeof__(&cuFuncGetAttribute) PFN_cuFuncGetAttribute_v2020;
#define PFN_cuFuncGetAttribute PFN_cuFuncGetAttribute_v2020
typedef __typeof__(&cuFuncGetModule) PFN_cuFuncGetModule_v11000;
#define PFN_cuFuncGetModule PFN_cuFuncGetModule_v11000
typedef __typeof__(&cuFuncGetName) PFN_cuFuncGetName_v12030;
#define PFN_cuFuncGetName PFN_cuFuncGetName_v12030
typedef __typeof__(&cuFuncGetParamInfo) PFN_cuFuncGetParamInfo_v12040;
#define PFN_cuFuncGetParamInfo PFN_cuFuncGetParamInfo_v12040
typedef __typeof__(&cuFuncIsLoaded) PFN_cuFuncIsLoaded_v12040;
#define PFN_cuFuncIsLoaded PFN_cuFuncIsLoaded_v12040
typedef __typeof__(&cuFuncLoad) PFN_cuFuncLoad_v12040;
#define PFN_cuFuncLoad PFN_cuFuncLoad_v12040
typedef __typeof__(&cuFuncSetAttribute) PFN_cuFuncSetAttribute_v9000;
#define PFN_cuFuncSetAttribute PFN_cuFuncSetAttribute_v9000
typedef __typeof__(&cuFuncSetBlockShape) PFN_cuFuncSetBlockShape_v2000;
#define PFN_cuFuncSetBlockShape PFN_cuFuncSetBlockShape_v2000
typedef __typeof__(&cuFuncSetCacheConfig) PFN_cuFuncSetCacheConfig_v3000;
#define PFN_cuFuncSetCacheConfig PFN_cuFuncSetCacheConfig_v3000
typedef __typeof__(&cuFuncSetSharedMemConfig) PFN_cuFuncSetSharedMemConfig_v4020;
#define PFN_cuFuncSetSharedMemConfig PFN_cuFuncSetSharedMemConfig_v4020
typedef __typeof__(&cuFuncSetSharedSize) PFN_cuFuncSetSharedSize_v2000;
#define PFN_cuFuncSetSharedSize PFN_cuFuncSetSharedSize_v2000
typedef __typeof__(&cuGetErrorName) PFN_cuGetErrorName_v6000;
#define PFN_cuGetErrorName PFN_cuGetErrorName_v6000
typedef __typeof__(&cuGetErrorString) PFN_cuGetErrorString_v6000;
#define PFN_cuGetErrorString PFN_cuGetErrorString_v6000
typedef __typeof__(&cuGetExportTable) PFN_cuGetExportTable_v3000;
#define PFN_cuGetExportTable PFN_cuGetExportTable_v3000
typedef __typeof__(&cuGetProcAddress_v2) PFN_cuGetProcAddress_v12000;
#define PFN_cuGetProcAddress PFN_cuGetProcAddress_v12000
typedef __typeof__(&cuGraphAddBatchMemOpNode) PFN_cuGraphAddBatchMemOpNode_v11070;
#define PFN_cuGraphAddBatchMemOpNode PFN_cuGraphAddBatchMemOpNode_v11070
typedef __typeof__(&cuGraphAddChildGraphNode) PFN_cuGraphAddChildGraphNode_v10000;
#define PFN_cuGraphAddChildGraphNode PFN_cuGraphAddChildGraphNode_v10000
typedef CUresult(CUDAAPI *PFN_cuGraphAddDependencies_v12030)(CUgraph hGraph,
                                                             const CUgraphNode *from,
                                                             const CUgraphNode *to,
                                                             const CUgraphEdgeData *edgeData,
                                                             size_t numDependencies);
#define PFN_cuGraphAddDependencies PFN_cuGraphAddDependencies_v12030
typedef __typeof__(&cuGraphAddEmptyNode) PFN_cuGraphAddEmptyNode_v10000;
#define PFN_cuGraphAddEmptyNode PFN_cuGraphAddEmptyNode_v10000
typedef __typeof__(&cuGraphAddEventRecordNode) PFN_cuGraphAddEventRecordNode_v11010;
#define PFN_cuGraphAddEventRecordNode PFN_cuGraphAddEventRecordNode_v11010
typedef __typeof__(&cuGraphAddEventWaitNode) PFN_cuGraphAddEventWaitNode_v11010;
#define PFN_cuGraphAddEventWaitNode PFN_cuGraphAddEventWaitNode_v11010
typedef __typeof__(&cuGraphAddExternalSemaphoresSignalNode)
    PFN_cuGraphAddExternalSemaphoresSignalNode_v11020;
#define PFN_cuGraphAddExternalSemaphoresSignalNode PFN_cuGraphAddExternalSemaphoresSignalNode_v11020
typedef __typeof__(&cuGraphAddExternalSemaphoresWaitNode)
    PFN_cuGraphAddExternalSemaphoresWaitNode_v11020;
#define PFN_cuGraphAddExternalSemaphoresWaitNode PFN_cuGraphAddExternalSemaphoresWaitNode_v11020
typedef __typeof__(&cuGraphAddHostNode) PFN_cuGraphAddHostNode_v10000;
#define PFN_cuGraphAddHostNode PFN_cuGraphAddHostNode_v10000
typedef __typeof__(&cuGraphAddKernelNode_v2) PFN_cuGraphAddKernelNode_v12000;
#define PFN_cuGraphAddKernelNode PFN_cuGraphAddKernelNode_v12000
typedef __typeof__(&cuGraphAddMemAllocNode) PFN_cuGraphAddMemAllocNode_v11040;
#define PFN_cuGraphAddMemAllocNode PFN_cuGraphAddMemAllocNode_v11040
typedef __typeof__(&cuGraphAddMemFreeNode) PFN_cuGraphAddMemFreeNode_v11040;
#define PFN_cuGraphAddMemFreeNode PFN_cuGraphAddMemFreeNode_v11040
typedef __typeof__(&cuGraphAddMemcpyNode) PFN_cuGraphAddMemcpyNode_v10000;
#define PFN_cuGraphAddMemcpyNode PFN_cuGraphAddMemcpyNode_v10000
typedef __typeof__(&cuGraphAddMemsetNode) PFN_cuGraphAddMemsetNode_v10000;
#define PFN_cuGraphAddMemsetNode PFN_cuGraphAddMemsetNode_v10000
typedef CUresult(CUDAAPI *PFN_cuGraphAddNode_v12030)(CUgraphNode *phGraphNode, CUgraph hGraph,
                                                     const CUgraphNode *dependencies,
                                                     const CUgraphEdgeData *dependencyData,
                                                     size_t numDependencies,
                                                     CUgraphNodeParams *nodeParams);
#define PFN_cuGraphAddNode PFN_cuGraphAddNode_v12030
typedef __typeof__(&cuGraphBatchMemOpNodeGetParams) PFN_cuGraphBatchMemOpNodeGetParams_v11070;
#define PFN_cuGraphBatchMemOpNodeGetParams PFN_cuGraphBatchMemOpNodeGetParams_v11070
typedef __typeof__(&cuGraphBatchMemOpNodeSetParams) PFN_cuGraphBatchMemOpNodeSetParams_v11070;
#define PFN_cuGraphBatchMemOpNodeSetParams PFN_cuGraphBatchMemOpNodeSetParams_v11070
typedef __typeof__(&cuGraphChildGraphNodeGetGraph) PFN_cuGraphChildGraphNodeGetGraph_v10000;
#define PFN_cuGraphChildGraphNodeGetGraph PFN_cuGraphChildGraphNodeGetGraph_v10000
typedef __typeof__(&cuGraphClone) PFN_cuGraphClone_v10000;
#define PFN_cuGraphClone PFN_cuGraphClone_v10000
typedef __typeof__(&cuGraphConditionalHandleCreate) PFN_cuGraphConditionalHandleCreate_v12030;
#define PFN_cuGraphConditionalHandleCreate PFN_cuGraphConditionalHandleCreate_v12030
typedef __typeof__(&cuGraphCreate) PFN_cuGraphCreate_v10000;
#define PFN_cuGraphCreate PFN_cuGraphCreate_v10000
typedef __typeof__(&cuGraphDebugDotPrint) PFN_cuGraphDebugDotPrint_v11030;
#define PFN_cuGraphDebugDotPrint PFN_cuGraphDebugDotPrint_v11030
typedef __typeof__(&cuGraphDestroy) PFN_cuGraphDestroy_v10000;
#define PFN_cuGraphDestroy PFN_cuGraphDestroy_v10000
typedef __typeof__(&cuGraphDestroyNode) PFN_cuGraphDestroyNode_v10000;
#define PFN_cuGraphDestroyNode PFN_cuGraphDestroyNode_v10000
typedef __typeof__(&cuGraphEventRecordNodeGetEvent) PFN_cuGraphEventRecordNodeGetEvent_v11010;
#define PFN_cuGraphEventRecordNodeGetEvent PFN_cuGraphEventRecordNodeGetEvent_v11010
typedef __typeof__(&cuGraphEventRecordNodeSetEvent) PFN_cuGraphEventRecordNodeSetEvent_v11010;
#define PFN_cuGraphEventRecordNodeSetEvent PFN_cuGraphEventRecordNodeSetEvent_v11010
typedef __typeof__(&cuGraphEventWaitNodeGetEvent) PFN_cuGraphEventWaitNodeGetEvent_v11010;
#define PFN_cuGraphEventWaitNodeGetEvent PFN_cuGraphEventWaitNodeGetEvent_v11010
typedef __typeof__(&cuGraphEventWaitNodeSetEvent) PFN_cuGraphEventWaitNodeSetEvent_v11010;
#define PFN_cuGraphEventWaitNodeSetEvent PFN_cuGraphEventWaitNodeSetEvent_v11010
typedef __typeof__(&cuGraphExecBatchMemOpNodeSetParams)
    PFN_cuGraphExecBatchMemOpNodeSetParams_v11070;
#define PFN_cuGraphExecBatchMemOpNodeSetParams PFN_cuGraphExecBatchMemOpNodeSetParams_v11070
typedef __typeof__(&cuGraphExecChildGraphNodeSetParams)
    PFN_cuGraphExecChildGraphNodeSetParams_v11010;
#define PFN_cuGraphExecChildGraphNodeSetParams PFN_cuGraphExecChildGraphNodeSetParams_v11010
typedef __typeof__(&cuGraphExecDestroy) PFN_cuGraphExecDestroy_v10000;
#define PFN_cuGraphExecDestroy PFN_cuGraphExecDestroy_v10000
typedef __typeof__(&cuGraphExecEventRecordNodeSetEvent)
    PFN_cuGraphExecEventRecordNodeSetEvent_v11010;
#define PFN_cuGraphExecEventRecordNodeSetEvent PFN_cuGraphExecEventRecordNodeSetEvent_v11010
typedef __typeof__(&cuGraphExecEventWaitNodeSetEvent) PFN_cuGraphExecEventWaitNodeSetEvent_v11010;
#define PFN_cuGraphExecEventWaitNodeSetEvent PFN_cuGraphExecEventWaitNodeSetEvent_v11010
typedef __typeof__(&cuGraphExecExternalSemaphoresSignalNodeSetParams)
    PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams_v11020;
#define PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams                                       \
    PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams_v11020
typedef __typeof__(&cuGraphExecExternalSemaphoresWaitNodeSetParams)
    PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams_v11020;
#define PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams                                         \
    PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams_v11020
typedef __typeof__(&cuGraphExecGetFlags) PFN_cuGraphExecGetFlags_v12000;
#define PFN_cuGraphExecGetFlags PFN_cuGraphExecGetFlags_v12000
typedef __typeof__(&cuGraphExecHostNodeSetParams) PFN_cuGraphExecHostNodeSetParams_v10020;
#define PFN_cuGraphExecHostNodeSetParams PFN_cuGraphExecHostNodeSetParams_v10020
typedef __typeof__(&cuGraphExecKernelNodeSetParams_v2) PFN_cuGraphExecKernelNodeSetParams_v12000;
#define PFN_cuGraphExecKernelNodeSetParams PFN_cuGraphExecKernelNodeSetParams_v12000
typedef __typeof__(&cuGraphExecMemcpyNodeSetParams) PFN_cuGraphExecMemcpyNodeSetParams_v10020;
#define PFN_cuGraphExecMemcpyNodeSetParams PFN_cuGraphExecMemcpyNodeSetParams_v10020
typedef __typeof__(&cuGraphExecMemsetNodeSetParams) PFN_cuGraphExecMemsetNodeSetParams_v10020;
#define PFN_cuGraphExecMemsetNodeSetParams PFN_cuGraphExecMemsetNodeSetParams_v10020
typedef __typeof__(&cuGraphExecNodeSetParams) PFN_cuGraphExecNodeSetParams_v12020;
#define PFN_cuGraphExecNodeSetParams PFN_cuGraphExecNodeSetParams_v12020
typedef CUresult(CUDAAPI *PFN_cuGraphExecUpdate_v12000)(CUgraphExec hGraphExec, CUgraph hGraph,
                                                        CUgraphExecUpdateResultInfo *resultInfo);
#define PFN_cuGraphExecUpdate PFN_cuGraphExecUpdate_v12000
typedef __typeof__(&cuGraphExternalSemaphoresSignalNodeGetParams)
    PFN_cuGraphExternalSemaphoresSignalNodeGetParams_v11020;
#define PFN_cuGraphExternalSemaphoresSignalNodeGetParams                                           \
    PFN_cuGraphExternalSemaphoresSignalNodeGetParams_v11020
typedef __typeof__(&cuGraphExternalSemaphoresSignalNodeSetParams)
    PFN_cuGraphExternalSemaphoresSignalNodeSetParams_v11020;
#define PFN_cuGraphExternalSemaphoresSignalNodeSetParams                                           \
    PFN_cuGraphExternalSemaphoresSignalNodeSetParams_v11020
typedef __typeof__(&cuGraphExternalSemaphoresWaitNodeGetParams)
    PFN_cuGraphExternalSemaphoresWaitNodeGetParams_v11020;
#define PFN_cuGraphExternalSemaphoresWaitNodeGetParams                                             \
    PFN_cuGraphExternalSemaphoresWaitNodeGetParams_v11020
typedef __typeof__(&cuGraphExternalSemaphoresWaitNodeSetParams)
    PFN_cuGraphExternalSemaphoresWaitNodeSetParams_v11020;
#define PFN_cuGraphExternalSemaphoresWaitNodeSetParams                                             \
    PFN_cuGraphExternalSemaphoresWaitNodeSetParams_v11020
typedef CUresult(CUDAAPI *PFN_cuGraphGetEdges_v12030)(CUgraph hGraph, CUgraphNode *from,
                                                      CUgraphNode *to, CUgraphEdgeData *edgeData,
                                                      size_t *numEdges);
#define PFN_cuGraphGetEdges PFN_cuGraphGetEdges_v12030
typedef __typeof__(&cuGraphGetNodes) PFN_cuGraphGetNodes_v10000;
#define PFN_cuGraphGetNodes PFN_cuGraphGetNodes_v10000
typedef __typeof__(&cuGraphGetRootNodes) PFN_cuGraphGetRootNodes_v10000;
#define PFN_cuGraphGetRootNodes PFN_cuGraphGetRootNodes_v10000
typedef __typeof__(&cuGraphHostNodeGetParams) PFN_cuGraphHostNodeGetParams_v10000;
#define PFN_cuGraphHostNodeGetParams PFN_cuGraphHostNodeGetParams_v10000
typedef __typeof__(&cuGraphHostNodeSetParams) PFN_cuGraphHostNodeSetParams_v10000;
#define PFN_cuGraphHostNodeSetParams PFN_cuGraphHostNodeSetParams_v10000
typedef CUresult(CUDAAPI *PFN_cuGraphInstantiateWithFlags_v11040)(CUgraphExec *phGraphExec,
                                                                  CUgraph hGraph,
                                                                  unsigned long long flags);
#define PFN_cuGraphInstantiateWithFlags PFN_cuGraphInstantiateWithFlags_v11040
typedef __typeof__(&cuGraphInstantiateWithParams) PFN_cuGraphInstantiateWithParams_v12000;
#define PFN_cuGraphInstantiateWithParams PFN_cuGraphInstantiateWithParams_v12000
typedef __typeof__(&cuGraphKernelNodeCopyAttributes) PFN_cuGraphKernelNodeCopyAttributes_v11000;
#define PFN_cuGraphKernelNodeCopyAttributes PFN_cuGraphKernelNodeCopyAttributes_v11000
typedef __typeof__(&cuGraphKernelNodeGetAttribute) PFN_cuGraphKernelNodeGetAttribute_v11000;
#define PFN_cuGraphKernelNodeGetAttribute PFN_cuGraphKernelNodeGetAttribute_v11000
typedef __typeof__(&cuGraphKernelNodeGetParams_v2) PFN_cuGraphKernelNodeGetParams_v12000;
#define PFN_cuGraphKernelNodeGetParams PFN_cuGraphKernelNodeGetParams_v12000
typedef __typeof__(&cuGraphKernelNodeSetAttribute) PFN_cuGraphKernelNodeSetAttribute_v11000;
#define PFN_cuGraphKernelNodeSetAttribute PFN_cuGraphKernelNodeSetAttribute_v11000
typedef __typeof__(&cuGraphKernelNodeSetParams_v2) PFN_cuGraphKernelNodeSetParams_v12000;
#define PFN_cuGraphKernelNodeSetParams PFN_cuGraphKernelNodeSetParams_v12000
typedef __typeof__(&cuGraphLaunch) PFN_cuGraphLaunch_v10000;
#define PFN_cuGraphLaunch PFN_cuGraphLaunch_v10000
typedef __typeof__(&cuGraphMemAllocNodeGetParams) PFN_cuGraphMemAllocNodeGetParams_v11040;
#define PFN_cuGraphMemAllocNodeGetParams PFN_cuGraphMemAllocNodeGetParams_v11040
typedef __typeof__(&cuGraphMemFreeNodeGetParams) PFN_cuGraphMemFreeNodeGetParams_v11040;
#define PFN_cuGraphMemFreeNodeGetParams PFN_cuGraphMemFreeNodeGetParams_v11040
typedef __typeof__(&cuGraphMemcpyNodeGetParams) PFN_cuGraphMemcpyNodeGetParams_v10000;
#define PFN_cuGraphMemcpyNodeGetParams PFN_cuGraphMemcpyNodeGetParams_v10000
typedef __typeof__(&cuGraphMemcpyNodeSetParams) PFN_cuGraphMemcpyNodeSetParams_v10000;
#define PFN_cuGraphMemcpyNodeSetParams PFN_cuGraphMemcpyNodeSetParams_v10000
typedef __typeof__(&cuGraphMemsetNodeGetParams) PFN_cuGraphMemsetNodeGetParams_v10000;
#define PFN_cuGraphMemsetNodeGetParams PFN_cuGraphMemsetNodeGetParams_v10000
typedef __typeof__(&cuGraphMemsetNodeSetParams) PFN_cuGraphMemsetNodeSetParams_v10000;
#define PFN_cuGraphMemsetNodeSetParams PFN_cuGraphMemsetNodeSetParams_v10000
typedef __typeof__(&cuGraphNodeFindInClone) PFN_cuGraphNodeFindInClone_v10000;
#define PFN_cuGraphNodeFindInClone PFN_cuGraphNodeFindInClone_v10000
typedef CUresult(CUDAAPI *PFN_cuGraphNodeGetDependencies_v12030)(CUgraphNode hNode,
                                                                 CUgraphNode *dependencies,
                                                                 CUgraphEdgeData *edgeData,
                                                                 size_t *numDependencies);
#define PFN_cuGraphNodeGetDependencies PFN_cuGraphNodeGetDependencies_v12030
typedef CUresult(CUDAAPI *PFN_cuGraphNodeGetDependentNodes_v12030)(CUgraphNode hNode,
                                                                   CUgraphNode *dependentNodes,
                                                                   CUgraphEdgeData *edgeData,
                                                                   size_t *numDependentNodes);
#define PFN_cuGraphNodeGetDependentNodes PFN_cuGraphNodeGetDependentNodes_v12030
typedef __typeof__(&cuGraphNodeGetEnabled) PFN_cuGraphNodeGetEnabled_v11060;
#define PFN_cuGraphNodeGetEnabled PFN_cuGraphNodeGetEnabled_v11060
typedef __typeof__(&cuGraphNodeGetType) PFN_cuGraphNodeGetType_v10000;
#define PFN_cuGraphNodeGetType PFN_cuGraphNodeGetType_v10000
typedef __typeof__(&cuGraphNodeSetEnabled) PFN_cuGraphNodeSetEnabled_v11060;
#define PFN_cuGraphNodeSetEnabled PFN_cuGraphNodeSetEnabled_v11060
typedef __typeof__(&cuGraphNodeSetParams) PFN_cuGraphNodeSetParams_v12020;
#define PFN_cuGraphNodeSetParams PFN_cuGraphNodeSetParams_v12020
typedef __typeof__(&cuGraphReleaseUserObject) PFN_cuGraphReleaseUserObject_v11030;
#define PFN_cuGraphReleaseUserObject PFN_cuGraphReleaseUserObject_v11030
typedef CUresult(CUDAAPI *PFN_cuGraphRemoveDependencies_v12030)(CUgraph hGraph,
                                                                const CUgraphNode *from,
                                                                const CUgraphNode *to,
                                                                const CUgraphEdgeData *edgeData,
                                                                size_t numDependencies);
#define PFN_cuGraphRemoveDependencies PFN_cuGraphRemoveDependencies_v12030
typedef __typeof__(&cuGraphRetainUserObject) PFN_cuGraphRetainUserObject_v11030;
#define PFN_cuGraphRetainUserObject PFN_cuGraphRetainUserObject_v11030
typedef __typeof__(&cuGraphUpload) PFN_cuGraphUpload_v11010;
#define PFN_cuGraphUpload PFN_cuGraphUpload_v11010
typedef __typeof__(&cuGraphicsMapResources) PFN_cuGraphicsMapResources_v3000;
#define PFN_cuGraphicsMapResources PFN_cuGraphicsMapResources_v3000
typedef __typeof__(&cuGraphicsResourceGetMappedMipmappedArray)
    PFN_cuGraphicsResourceGetMappedMipmappedArray_v5000;
#define PFN_cuGraphicsResourceGetMappedMipmappedArray                                              \
    PFN_cuGraphicsResourceGetMappedMipmappedArray_v5000
typedef __typeof__(&cuGraphicsResourceGetMappedPointer_v2)
    PFN_cuGraphicsResourceGetMappedPointer_v3020;
#define PFN_cuGraphicsResourceGetMappedPointer PFN_cuGraphicsResourceGetMappedPointer_v3020
typedef __typeof__(&cuGraphicsResourceSetMapFlags_v2) PFN_cuGraphicsResourceSetMapFlags_v6050;
#define PFN_cuGraphicsResourceSetMapFlags PFN_cuGraphicsResourceSetMapFlags_v6050
typedef __typeof__(&cuGraphicsSubResourceGetMappedArray)
    PFN_cuGraphicsSubResourceGetMappedArray_v3000;
#define PFN_cuGraphicsSubResourceGetMappedArray PFN_cuGraphicsSubResourceGetMappedArray_v3000
typedef __typeof__(&cuGraphicsUnmapResources) PFN_cuGraphicsUnmapResources_v3000;
#define PFN_cuGraphicsUnmapResources PFN_cuGraphicsUnmapResources_v3000
typedef __typeof__(&cuGraphicsUnregisterResource) PFN_cuGraphicsUnregisterResource_v3000;
#define PFN_cuGraphicsUnregisterResource PFN_cuGraphicsUnregisterResource_v3000
typedef __typeof__(&cuGreenCtxCreate) PFN_cuGreenCtxCreate_v12040;
#define PFN_cuGreenCtxCreate PFN_cuGreenCtxCreate_v12040
typedef __typeof__(&cuGreenCtxDestroy) PFN_cuGreenCtxDestroy_v12040;
#define PFN_cuGreenCtxDestroy PFN_cuGreenCtxDestroy_v12040
typedef __typeof__(&cuGreenCtxGetDevResource) PFN_cuGreenCtxGetDevResource_v12040;
#define PFN_cuGreenCtxGetDevResource PFN_cuGreenCtxGetDevResource_v12040
typedef __typeof__(&cuGreenCtxGetId) PFN_cuGreenCtxGetId_v12090;
#define PFN_cuGreenCtxGetId PFN_cuGreenCtxGetId_v12090
typedef __typeof__(&cuGreenCtxRecordEvent) PFN_cuGreenCtxRecordEvent_v12040;
#define PFN_cuGreenCtxRecordEvent PFN_cuGreenCtxRecordEvent_v12040
typedef __typeof__(&cuGreenCtxStreamCreate) PFN_cuGreenCtxStreamCreate_v12050;
#define PFN_cuGreenCtxStreamCreate PFN_cuGreenCtxStreamCreate_v12050
typedef __typeof__(&cuGreenCtxWaitEvent) PFN_cuGreenCtxWaitEvent_v12040;
#define PFN_cuGreenCtxWaitEvent PFN_cuGreenCtxWaitEvent_v12040
typedef __typeof__(&cuImportExternalMemory) PFN_cuImportExternalMemory_v10000;
#define PFN_cuImportExternalMemory PFN_cuImportExternalMemory_v10000
typedef __typeof__(&cuImportExternalSemaphore) PFN_cuImportExternalSemaphore_v10000;
#define PFN_cuImportExternalSemaphore PFN_cuImportExternalSemaphore_v10000
typedef __typeof__(&cuInit) PFN_cuInit_v2000;
#define PFN_cuInit PFN_cuInit_v2000
typedef __typeof__(&cuIpcCloseMemHandle) PFN_cuIpcCloseMemHandle_v4010;
#define PFN_cuIpcCloseMemHandle PFN_cuIpcCloseMemHandle_v4010
typedef __typeof__(&cuIpcGetEventHandle) PFN_cuIpcGetEventHandle_v4010;
#define PFN_cuIpcGetEventHandle PFN_cuIpcGetEventHandle_v4010
typedef __typeof__(&cuIpcGetMemHandle) PFN_cuIpcGetMemHandle_v4010;
#define PFN_cuIpcGetMemHandle PFN_cuIpcGetMemHandle_v4010
typedef __typeof__(&cuIpcOpenEventHandle) PFN_cuIpcOpenEventHandle_v4010;
#define PFN_cuIpcOpenEventHandle PFN_cuIpcOpenEventHandle_v4010
typedef __typeof__(&cuIpcOpenMemHandle_v2) PFN_cuIpcOpenMemHandle_v11000;
#define PFN_cuIpcOpenMemHandle PFN_cuIpcOpenMemHandle_v11000
typedef __typeof__(&cuKernelGetAttribute) PFN_cuKernelGetAttribute_v12000;
#define PFN_cuKernelGetAttribute PFN_cuKernelGetAttribute_v12000
typedef __typeof__(&cuKernelGetFunction) PFN_cuKernelGetFunction_v12000;
#define PFN_cuKernelGetFunction PFN_cuKernelGetFunction_v12000
typedef __typeof__(&cuKernelGetLibrary) PFN_cuKernelGetLibrary_v12050;
#define PFN_cuKernelGetLibrary PFN_cuKernelGetLibrary_v12050
typedef __typeof__(&cuKernelGetName) PFN_cuKernelGetName_v12030;
#define PFN_cuKernelGetName PFN_cuKernelGetName_v12030
typedef __typeof__(&cuKernelGetParamInfo) PFN_cuKernelGetParamInfo_v12040;
#define PFN_cuKernelGetParamInfo PFN_cuKernelGetParamInfo_v12040
typedef __typeof__(&cuKernelSetAttribute) PFN_cuKernelSetAttribute_v12000;
#define PFN_cuKernelSetAttribute PFN_cuKernelSetAttribute_v12000
typedef __typeof__(&cuKernelSetCacheConfig) PFN_cuKernelSetCacheConfig_v12000;
#define PFN_cuKernelSetCacheConfig PFN_cuKernelSetCacheConfig_v12000
typedef __typeof__(&cuLaunch) PFN_cuLaunch_v2000;
#define PFN_cuLaunch PFN_cuLaunch_v2000
typedef __typeof__(&cuLaunchCooperativeKernel) PFN_cuLaunchCooperativeKernel_v9000;
#define PFN_cuLaunchCooperativeKernel PFN_cuLaunchCooperativeKernel_v9000
typedef __typeof__(&cuLaunchCooperativeKernelMultiDevice)
    PFN_cuLaunchCooperativeKernelMultiDevice_v9000;
#define PFN_cuLaunchCooperativeKernelMultiDevice PFN_cuLaunchCooperativeKernelMultiDevice_v9000
typedef __typeof__(&cuLaunchGrid) PFN_cuLaunchGrid_v2000;
#define PFN_cuLaunchGrid PFN_cuLaunchGrid_v2000
typedef __typeof__(&cuLaunchGridAsync) PFN_cuLaunchGridAsync_v2000;
#define PFN_cuLaunchGridAsync PFN_cuLaunchGridAsync_v2000
typedef __typeof__(&cuLaunchHostFunc) PFN_cuLaunchHostFunc_v10000;
#define PFN_cuLaunchHostFunc PFN_cuLaunchHostFunc_v10000
typedef __typeof__(&cuLaunchKernel) PFN_cuLaunchKernel_v4000;
#define PFN_cuLaunchKernel PFN_cuLaunchKernel_v4000
typedef __typeof__(&cuLaunchKernelEx) PFN_cuLaunchKernelEx_v11060;
#define PFN_cuLaunchKernelEx PFN_cuLaunchKernelEx_v11060
typedef __typeof__(&cuLibraryEnumerateKernels) PFN_cuLibraryEnumerateKernels_v12040;
#define PFN_cuLibraryEnumerateKernels PFN_cuLibraryEnumerateKernels_v12040
typedef __typeof__(&cuLibraryGetGlobal) PFN_cuLibraryGetGlobal_v12000;
#define PFN_cuLibraryGetGlobal PFN_cuLibraryGetGlobal_v12000
typedef __typeof__(&cuLibraryGetKernel) PFN_cuLibraryGetKernel_v12000;
#define PFN_cuLibraryGetKernel PFN_cuLibraryGetKernel_v12000
typedef __typeof__(&cuLibraryGetKernelCount) PFN_cuLibraryGetKernelCount_v12040;
#define PFN_cuLibraryGetKernelCount PFN_cuLibraryGetKernelCount_v12040
typedef __typeof__(&cuLibraryGetManaged) PFN_cuLibraryGetManaged_v12000;
#define PFN_cuLibraryGetManaged PFN_cuLibraryGetManaged_v12000
typedef __typeof__(&cuLibraryGetModule) PFN_cuLibraryGetModule_v12000;
#define PFN_cuLibraryGetModule PFN_cuLibraryGetModule_v12000
typedef __typeof__(&cuLibraryGetUnifiedFunction) PFN_cuLibraryGetUnifiedFunction_v12000;
#define PFN_cuLibraryGetUnifiedFunction PFN_cuLibraryGetUnifiedFunction_v12000
typedef __typeof__(&cuLibraryLoadData) PFN_cuLibraryLoadData_v12000;
#define PFN_cuLibraryLoadData PFN_cuLibraryLoadData_v12000
typedef __typeof__(&cuLibraryLoadFromFile) PFN_cuLibraryLoadFromFile_v12000;
#define PFN_cuLibraryLoadFromFile PFN_cuLibraryLoadFromFile_v12000
typedef __typeof__(&cuLibraryUnload) PFN_cuLibraryUnload_v12000;
#define PFN_cuLibraryUnload PFN_cuLibraryUnload_v12000
typedef __typeof__(&cuLinkAddData_v2) PFN_cuLinkAddData_v6050;
#define PFN_cuLinkAddData PFN_cuLinkAddData_v6050
typedef __typeof__(&cuLinkAddFile_v2) PFN_cuLinkAddFile_v6050;
#define PFN_cuLinkAddFile PFN_cuLinkAddFile_v6050
typedef __typeof__(&cuLinkComplete) PFN_cuLinkComplete_v5050;
#define PFN_cuLinkComplete PFN_cuLinkComplete_v5050
typedef __typeof__(&cuLinkCreate_v2) PFN_cuLinkCreate_v6050;
#define PFN_cuLinkCreate PFN_cuLinkCreate_v6050
typedef __typeof__(&cuLinkDestroy) PFN_cuLinkDestroy_v5050;
#define PFN_cuLinkDestroy PFN_cuLinkDestroy_v5050
typedef __typeof__(&cuLogsCurrent) PFN_cuLogsCurrent_v12090;
#define PFN_cuLogsCurrent PFN_cuLogsCurrent_v12090
typedef __typeof__(&cuLogsDumpToFile) PFN_cuLogsDumpToFile_v12090;
#define PFN_cuLogsDumpToFile PFN_cuLogsDumpToFile_v12090
typedef __typeof__(&cuLogsDumpToMemory) PFN_cuLogsDumpToMemory_v12090;
#define PFN_cuLogsDumpToMemory PFN_cuLogsDumpToMemory_v12090
typedef __typeof__(&cuLogsRegisterCallback) PFN_cuLogsRegisterCallback_v12090;
#define PFN_cuLogsRegisterCallback PFN_cuLogsRegisterCallback_v12090
typedef __typeof__(&cuLogsUnregisterCallback) PFN_cuLogsUnregisterCallback_v12090;
#define PFN_cuLogsUnregisterCallback PFN_cuLogsUnregisterCallback_v12090
typedef __typeof__(&cuMemAddressFree) PFN_cuMemAddressFree_v10020;
#define PFN_cuMemAddressFree PFN_cuMemAddressFree_v10020
typedef __typeof__(&cuMemAddressReserve) PFN_cuMemAddressReserve_v10020;
#define PFN_cuMemAddressReserve PFN_cuMemAddressReserve_v10020
typedef CUresult(CUDAAPI *PFN_cuMemAdvise_v12020)(CUdeviceptr devPtr, size_t count,
                                                  CUmem_advise advice, CUmemLocation location);
#define PFN_cuMemAdvise PFN_cuMemAdvise_v12020
typedef __typeof__(&cuMemAlloc_v2) PFN_cuMemAlloc_v3020;
#define PFN_cuMemAlloc PFN_cuMemAlloc_v3020
typedef __typeof__(&cuMemAllocAsync) PFN_cuMemAllocAsync_v11020;
#define PFN_cuMemAllocAsync PFN_cuMemAllocAsync_v11020
typedef __typeof__(&cuMemAllocFromPoolAsync) PFN_cuMemAllocFromPoolAsync_v11020;
#define PFN_cuMemAllocFromPoolAsync PFN_cuMemAllocFromPoolAsync_v11020
typedef __typeof__(&cuMemAllocHost_v2) PFN_cuMemAllocHost_v3020;
#define PFN_cuMemAllocHost PFN_cuMemAllocHost_v3020
typedef __typeof__(&cuMemAllocManaged) PFN_cuMemAllocManaged_v6000;
#define PFN_cuMemAllocManaged PFN_cuMemAllocManaged_v6000
typedef __typeof__(&cuMemAllocPitch_v2) PFN_cuMemAllocPitch_v3020;
#define PFN_cuMemAllocPitch PFN_cuMemAllocPitch_v3020
typedef __typeof__(&cuMemBatchDecompressAsync) PFN_cuMemBatchDecompressAsync_v12060;
#define PFN_cuMemBatchDecompressAsync PFN_cuMemBatchDecompressAsync_v12060
typedef __typeof__(&cuMemCreate) PFN_cuMemCreate_v10020;
#define PFN_cuMemCreate PFN_cuMemCreate_v10020
typedef __typeof__(&cuMemDiscardAndPrefetchBatchAsync) PFN_cuMemDiscardAndPrefetchBatchAsync_v13000;
#define PFN_cuMemDiscardAndPrefetchBatchAsync PFN_cuMemDiscardAndPrefetchBatchAsync_v13000
typedef __typeof__(&cuMemDiscardBatchAsync) PFN_cuMemDiscardBatchAsync_v13000;
#define PFN_cuMemDiscardBatchAsync PFN_cuMemDiscardBatchAsync_v13000
typedef __typeof__(&cuMemExportToShareableHandle) PFN_cuMemExportToShareableHandle_v10020;
#define PFN_cuMemExportToShareableHandle PFN_cuMemExportToShareableHandle_v10020
typedef __typeof__(&cuMemFree_v2) PFN_cuMemFree_v3020;
#define PFN_cuMemFree PFN_cuMemFree_v3020
typedef __typeof__(&cuMemFreeAsync) PFN_cuMemFreeAsync_v11020;
#define PFN_cuMemFreeAsync PFN_cuMemFreeAsync_v11020
typedef __typeof__(&cuMemFreeHost) PFN_cuMemFreeHost_v2000;
#define PFN_cuMemFreeHost PFN_cuMemFreeHost_v2000
typedef __typeof__(&cuMemGetAccess) PFN_cuMemGetAccess_v10020;
#define PFN_cuMemGetAccess PFN_cuMemGetAccess_v10020
typedef __typeof__(&cuMemGetAddressRange_v2) PFN_cuMemGetAddressRange_v3020;
#define PFN_cuMemGetAddressRange PFN_cuMemGetAddressRange_v3020
typedef __typeof__(&cuMemGetAllocationGranularity) PFN_cuMemGetAllocationGranularity_v10020;
#define PFN_cuMemGetAllocationGranularity PFN_cuMemGetAllocationGranularity_v10020
typedef __typeof__(&cuMemGetAllocationPropertiesFromHandle)
    PFN_cuMemGetAllocationPropertiesFromHandle_v10020;
#define PFN_cuMemGetAllocationPropertiesFromHandle PFN_cuMemGetAllocationPropertiesFromHandle_v10020
typedef __typeof__(&cuMemGetDefaultMemPool) PFN_cuMemGetDefaultMemPool_v13000;
#define PFN_cuMemGetDefaultMemPool PFN_cuMemGetDefaultMemPool_v13000
typedef __typeof__(&cuMemGetHandleForAddressRange) PFN_cuMemGetHandleForAddressRange_v11070;
#define PFN_cuMemGetHandleForAddressRange PFN_cuMemGetHandleForAddressRange_v11070
typedef __typeof__(&cuMemGetInfo_v2) PFN_cuMemGetInfo_v3020;
#define PFN_cuMemGetInfo PFN_cuMemGetInfo_v3020
typedef __typeof__(&cuMemGetMemPool) PFN_cuMemGetMemPool_v13000;
#define PFN_cuMemGetMemPool PFN_cuMemGetMemPool_v13000
typedef __typeof__(&cuMemHostAlloc) PFN_cuMemHostAlloc_v2020;
#define PFN_cuMemHostAlloc PFN_cuMemHostAlloc_v2020
typedef __typeof__(&cuMemHostGetDevicePointer_v2) PFN_cuMemHostGetDevicePointer_v3020;
#define PFN_cuMemHostGetDevicePointer PFN_cuMemHostGetDevicePointer_v3020
typedef __typeof__(&cuMemHostGetFlags) PFN_cuMemHostGetFlags_v2030;
#define PFN_cuMemHostGetFlags PFN_cuMemHostGetFlags_v2030
typedef __typeof__(&cuMemHostRegister_v2) PFN_cuMemHostRegister_v6050;
#define PFN_cuMemHostRegister PFN_cuMemHostRegister_v6050
typedef __typeof__(&cuMemHostUnregister) PFN_cuMemHostUnregister_v4000;
#define PFN_cuMemHostUnregister PFN_cuMemHostUnregister_v4000
typedef __typeof__(&cuMemImportFromShareableHandle) PFN_cuMemImportFromShareableHandle_v10020;
#define PFN_cuMemImportFromShareableHandle PFN_cuMemImportFromShareableHandle_v10020
typedef __typeof__(&cuMemMap) PFN_cuMemMap_v10020;
#define PFN_cuMemMap PFN_cuMemMap_v10020
typedef __typeof__(&cuMemMapArrayAsync) PFN_cuMemMapArrayAsync_v11010;
#define PFN_cuMemMapArrayAsync PFN_cuMemMapArrayAsync_v11010
typedef __typeof__(&cuMemPoolCreate) PFN_cuMemPoolCreate_v11020;
#define PFN_cuMemPoolCreate PFN_cuMemPoolCreate_v11020
typedef __typeof__(&cuMemPoolDestroy) PFN_cuMemPoolDestroy_v11020;
#define PFN_cuMemPoolDestroy PFN_cuMemPoolDestroy_v11020
typedef __typeof__(&cuMemPoolExportPointer) PFN_cuMemPoolExportPointer_v11020;
#define PFN_cuMemPoolExportPointer PFN_cuMemPoolExportPointer_v11020
typedef __typeof__(&cuMemPoolExportToShareableHandle) PFN_cuMemPoolExportToShareableHandle_v11020;
#define PFN_cuMemPoolExportToShareableHandle PFN_cuMemPoolExportToShareableHandle_v11020
typedef __typeof__(&cuMemPoolGetAccess) PFN_cuMemPoolGetAccess_v11020;
#define PFN_cuMemPoolGetAccess PFN_cuMemPoolGetAccess_v11020
typedef __typeof__(&cuMemPoolGetAttribute) PFN_cuMemPoolGetAttribute_v11020;
#define PFN_cuMemPoolGetAttribute PFN_cuMemPoolGetAttribute_v11020
typedef __typeof__(&cuMemPoolImportFromShareableHandle)
    PFN_cuMemPoolImportFromShareableHandle_v11020;
#define PFN_cuMemPoolImportFromShareableHandle PFN_cuMemPoolImportFromShareableHandle_v11020
typedef __typeof__(&cuMemPoolImportPointer) PFN_cuMemPoolImportPointer_v11020;
#define PFN_cuMemPoolImportPointer PFN_cuMemPoolImportPointer_v11020
typedef __typeof__(&cuMemPoolSetAccess) PFN_cuMemPoolSetAccess_v11020;
#define PFN_cuMemPoolSetAccess PFN_cuMemPoolSetAccess_v11020
typedef __typeof__(&cuMemPoolSetAttribute) PFN_cuMemPoolSetAttribute_v11020;
#define PFN_cuMemPoolSetAttribute PFN_cuMemPoolSetAttribute_v11020
typedef __typeof__(&cuMemPoolTrimTo) PFN_cuMemPoolTrimTo_v11020;
#define PFN_cuMemPoolTrimTo PFN_cuMemPoolTrimTo_v11020
typedef CUresult(CUDAAPI *PFN_cuMemPrefetchAsync_v12020)(CUdeviceptr devPtr, size_t count,
                                                         CUmemLocation location, unsigned int flags,
                                                         CUstream hStream);
#define PFN_cuMemPrefetchAsync PFN_cuMemPrefetchAsync_v12020
typedef __typeof__(&cuMemPrefetchBatchAsync) PFN_cuMemPrefetchBatchAsync_v13000;
#define PFN_cuMemPrefetchBatchAsync PFN_cuMemPrefetchBatchAsync_v13000
typedef __typeof__(&cuMemRangeGetAttribute) PFN_cuMemRangeGetAttribute_v8000;
#define PFN_cuMemRangeGetAttribute PFN_cuMemRangeGetAttribute_v8000
typedef __typeof__(&cuMemRangeGetAttributes) PFN_cuMemRangeGetAttributes_v8000;
#define PFN_cuMemRangeGetAttributes PFN_cuMemRangeGetAttributes_v8000
typedef __typeof__(&cuMemRelease) PFN_cuMemRelease_v10020;
#define PFN_cuMemRelease PFN_cuMemRelease_v10020
typedef __typeof__(&cuMemRetainAllocationHandle) PFN_cuMemRetainAllocationHandle_v11000;
#define PFN_cuMemRetainAllocationHandle PFN_cuMemRetainAllocationHandle_v11000
typedef __typeof__(&cuMemSetAccess) PFN_cuMemSetAccess_v10020;
#define PFN_cuMemSetAccess PFN_cuMemSetAccess_v10020
typedef __typeof__(&cuMemSetMemPool) PFN_cuMemSetMemPool_v13000;
#define PFN_cuMemSetMemPool PFN_cuMemSetMemPool_v13000
typedef __typeof__(&cuMemUnmap) PFN_cuMemUnmap_v10020;
#define PFN_cuMemUnmap PFN_cuMemUnmap_v10020
typedef __typeof__(&cuMemcpy) PFN_cuMemcpy_v4000;
#define PFN_cuMemcpy PFN_cuMemcpy_v4000
typedef __typeof__(&cuMemcpy2D_v2) PFN_cuMemcpy2D_v3020;
#define PFN_cuMemcpy2D PFN_cuMemcpy2D_v3020
typedef __typeof__(&cuMemcpy2DAsync_v2) PFN_cuMemcpy2DAsync_v3020;
#define PFN_cuMemcpy2DAsync PFN_cuMemcpy2DAsync_v3020
typedef __typeof__(&cuMemcpy2DUnaligned_v2) PFN_cuMemcpy2DUnaligned_v3020;
#define PFN_cuMemcpy2DUnaligned PFN_cuMemcpy2DUnaligned_v3020
typedef __typeof__(&cuMemcpy3D_v2) PFN_cuMemcpy3D_v3020;
#define PFN_cuMemcpy3D PFN_cuMemcpy3D_v3020
typedef __typeof__(&cuMemcpy3DAsync_v2) PFN_cuMemcpy3DAsync_v3020;
#define PFN_cuMemcpy3DAsync PFN_cuMemcpy3DAsync_v3020
typedef __typeof__(&cuMemcpy3DBatchAsync_v2) PFN_cuMemcpy3DBatchAsync_v13000;
#define PFN_cuMemcpy3DBatchAsync PFN_cuMemcpy3DBatchAsync_v13000
typedef __typeof__(&cuMemcpy3DPeer) PFN_cuMemcpy3DPeer_v4000;
#define PFN_cuMemcpy3DPeer PFN_cuMemcpy3DPeer_v4000
typedef __typeof__(&cuMemcpy3DPeerAsync) PFN_cuMemcpy3DPeerAsync_v4000;
#define PFN_cuMemcpy3DPeerAsync PFN_cuMemcpy3DPeerAsync_v4000
typedef __typeof__(&cuMemcpyAsync) PFN_cuMemcpyAsync_v4000;
#define PFN_cuMemcpyAsync PFN_cuMemcpyAsync_v4000
typedef __typeof__(&cuMemcpyAtoA_v2) PFN_cuMemcpyAtoA_v3020;
#define PFN_cuMemcpyAtoA PFN_cuMemcpyAtoA_v3020
typedef __typeof__(&cuMemcpyAtoD_v2) PFN_cuMemcpyAtoD_v3020;
#define PFN_cuMemcpyAtoD PFN_cuMemcpyAtoD_v3020
typedef __typeof__(&cuMemcpyAtoH_v2) PFN_cuMemcpyAtoH_v3020;
#define PFN_cuMemcpyAtoH PFN_cuMemcpyAtoH_v3020
typedef __typeof__(&cuMemcpyAtoHAsync_v2) PFN_cuMemcpyAtoHAsync_v3020;
#define PFN_cuMemcpyAtoHAsync PFN_cuMemcpyAtoHAsync_v3020
typedef __typeof__(&cuMemcpyBatchAsync_v2) PFN_cuMemcpyBatchAsync_v13000;
#define PFN_cuMemcpyBatchAsync PFN_cuMemcpyBatchAsync_v13000
typedef __typeof__(&cuMemcpyDtoA_v2) PFN_cuMemcpyDtoA_v3020;
#define PFN_cuMemcpyDtoA PFN_cuMemcpyDtoA_v3020
typedef __typeof__(&cuMemcpyDtoD_v2) PFN_cuMemcpyDtoD_v3020;
#define PFN_cuMemcpyDtoD PFN_cuMemcpyDtoD_v3020
typedef __typeof__(&cuMemcpyDtoDAsync_v2) PFN_cuMemcpyDtoDAsync_v3020;
#define PFN_cuMemcpyDtoDAsync PFN_cuMemcpyDtoDAsync_v3020
typedef __typeof__(&cuMemcpyDtoH_v2) PFN_cuMemcpyDtoH_v3020;
#define PFN_cuMemcpyDtoH PFN_cuMemcpyDtoH_v3020
typedef __typeof__(&cuMemcpyDtoHAsync_v2) PFN_cuMemcpyDtoHAsync_v3020;
#define PFN_cuMemcpyDtoHAsync PFN_cuMemcpyDtoHAsync_v3020
typedef __typeof__(&cuMemcpyHtoA_v2) PFN_cuMemcpyHtoA_v3020;
#define PFN_cuMemcpyHtoA PFN_cuMemcpyHtoA_v3020
typedef __typeof__(&cuMemcpyHtoAAsync_v2) PFN_cuMemcpyHtoAAsync_v3020;
#define PFN_cuMemcpyHtoAAsync PFN_cuMemcpyHtoAAsync_v3020
typedef __typeof__(&cuMemcpyHtoD_v2) PFN_cuMemcpyHtoD_v3020;
#define PFN_cuMemcpyHtoD PFN_cuMemcpyHtoD_v3020
typedef __typeof__(&cuMemcpyHtoDAsync_v2) PFN_cuMemcpyHtoDAsync_v3020;
#define PFN_cuMemcpyHtoDAsync PFN_cuMemcpyHtoDAsync_v3020
typedef __typeof__(&cuMemcpyPeer) PFN_cuMemcpyPeer_v4000;
#define PFN_cuMemcpyPeer PFN_cuMemcpyPeer_v4000
typedef __typeof__(&cuMemcpyPeerAsync) PFN_cuMemcpyPeerAsync_v4000;
#define PFN_cuMemcpyPeerAsync PFN_cuMemcpyPeerAsync_v4000
typedef __typeof__(&cuMemsetD16_v2) PFN_cuMemsetD16_v3020;
#define PFN_cuMemsetD16 PFN_cuMemsetD16_v3020
typedef __typeof__(&cuMemsetD16Async) PFN_cuMemsetD16Async_v3020;
#define PFN_cuMemsetD16Async PFN_cuMemsetD16Async_v3020
typedef __typeof__(&cuMemsetD2D16_v2) PFN_cuMemsetD2D16_v3020;
#define PFN_cuMemsetD2D16 PFN_cuMemsetD2D16_v3020
typedef __typeof__(&cuMemsetD2D16Async) PFN_cuMemsetD2D16Async_v3020;
#define PFN_cuMemsetD2D16Async PFN_cuMemsetD2D16Async_v3020
typedef __typeof__(&cuMemsetD2D32_v2) PFN_cuMemsetD2D32_v3020;
#define PFN_cuMemsetD2D32 PFN_cuMemsetD2D32_v3020
typedef __typeof__(&cuMemsetD2D32Async) PFN_cuMemsetD2D32Async_v3020;
#define PFN_cuMemsetD2D32Async PFN_cuMemsetD2D32Async_v3020
typedef __typeof__(&cuMemsetD2D8_v2) PFN_cuMemsetD2D8_v3020;
#define PFN_cuMemsetD2D8 PFN_cuMemsetD2D8_v3020
typedef __typeof__(&cuMemsetD2D8Async) PFN_cuMemsetD2D8Async_v3020;
#define PFN_cuMemsetD2D8Async PFN_cuMemsetD2D8Async_v3020
typedef __typeof__(&cuMemsetD32_v2) PFN_cuMemsetD32_v3020;
#define PFN_cuMemsetD32 PFN_cuMemsetD32_v3020
typedef __typeof__(&cuMemsetD32Async) PFN_cuMemsetD32Async_v3020;
#define PFN_cuMemsetD32Async PFN_cuMemsetD32Async_v3020
typedef __typeof__(&cuMemsetD8_v2) PFN_cuMemsetD8_v3020;
#define PFN_cuMemsetD8 PFN_cuMemsetD8_v3020
typedef __typeof__(&cuMemsetD8Async) PFN_cuMemsetD8Async_v3020;
#define PFN_cuMemsetD8Async PFN_cuMemsetD8Async_v3020
typedef __typeof__(&cuMipmappedArrayCreate) PFN_cuMipmappedArrayCreate_v5000;
#define PFN_cuMipmappedArrayCreate PFN_cuMipmappedArrayCreate_v5000
typedef __typeof__(&cuMipmappedArrayDestroy) PFN_cuMipmappedArrayDestroy_v5000;
#define PFN_cuMipmappedArrayDestroy PFN_cuMipmappedArrayDestroy_v5000
typedef __typeof__(&cuMipmappedArrayGetLevel) PFN_cuMipmappedArrayGetLevel_v5000;
#define PFN_cuMipmappedArrayGetLevel PFN_cuMipmappedArrayGetLevel_v5000
typedef __typeof__(&cuMipmappedArrayGetMemoryRequirements)
    PFN_cuMipmappedArrayGetMemoryRequirements_v11060;
#define PFN_cuMipmappedArrayGetMemoryRequirements PFN_cuMipmappedArrayGetMemoryRequirements_v11060
typedef __typeof__(&cuMipmappedArrayGetSparseProperties)
    PFN_cuMipmappedArrayGetSparseProperties_v11010;
#define PFN_cuMipmappedArrayGetSparseProperties PFN_cuMipmappedArrayGetSparseProperties_v11010
typedef __typeof__(&cuModuleEnumerateFunctions) PFN_cuModuleEnumerateFunctions_v12040;
#define PFN_cuModuleEnumerateFunctions PFN_cuModuleEnumerateFunctions_v12040
typedef __typeof__(&cuModuleGetFunction) PFN_cuModuleGetFunction_v2000;
#define PFN_cuModuleGetFunction PFN_cuModuleGetFunction_v2000
typedef __typeof__(&cuModuleGetFunctionCount) PFN_cuModuleGetFunctionCount_v12040;
#define PFN_cuModuleGetFunctionCount PFN_cuModuleGetFunctionCount_v12040
typedef __typeof__(&cuModuleGetGlobal_v2) PFN_cuModuleGetGlobal_v3020;
#define PFN_cuModuleGetGlobal PFN_cuModuleGetGlobal_v3020
typedef __typeof__(&cuModuleGetLoadingMode) PFN_cuModuleGetLoadingMode_v11070;
#define PFN_cuModuleGetLoadingMode PFN_cuModuleGetLoadingMode_v11070
typedef __typeof__(&cuModuleGetSurfRef) PFN_cuModuleGetSurfRef_v3000;
#define PFN_cuModuleGetSurfRef PFN_cuModuleGetSurfRef_v3000
typedef __typeof__(&cuModuleGetTexRef) PFN_cuModuleGetTexRef_v2000;
#define PFN_cuModuleGetTexRef PFN_cuModuleGetTexRef_v2000
typedef __typeof__(&cuModuleLoad) PFN_cuModuleLoad_v2000;
#define PFN_cuModuleLoad PFN_cuModuleLoad_v2000
typedef __typeof__(&cuModuleLoadData) PFN_cuModuleLoadData_v2000;
#define PFN_cuModuleLoadData PFN_cuModuleLoadData_v2000
typedef __typeof__(&cuModuleLoadDataEx) PFN_cuModuleLoadDataEx_v2010;
#define PFN_cuModuleLoadDataEx PFN_cuModuleLoadDataEx_v2010
typedef __typeof__(&cuModuleLoadFatBinary) PFN_cuModuleLoadFatBinary_v2000;
#define PFN_cuModuleLoadFatBinary PFN_cuModuleLoadFatBinary_v2000
typedef __typeof__(&cuModuleUnload) PFN_cuModuleUnload_v2000;
#define PFN_cuModuleUnload PFN_cuModuleUnload_v2000
typedef __typeof__(&cuMulticastAddDevice) PFN_cuMulticastAddDevice_v12010;
#define PFN_cuMulticastAddDevice PFN_cuMulticastAddDevice_v12010
typedef __typeof__(&cuMulticastBindAddr) PFN_cuMulticastBindAddr_v12010;
#define PFN_cuMulticastBindAddr PFN_cuMulticastBindAddr_v12010
typedef __typeof__(&cuMulticastBindMem) PFN_cuMulticastBindMem_v12010;
#define PFN_cuMulticastBindMem PFN_cuMulticastBindMem_v12010
typedef __typeof__(&cuMulticastCreate) PFN_cuMulticastCreate_v12010;
#define PFN_cuMulticastCreate PFN_cuMulticastCreate_v12010
typedef __typeof__(&cuMulticastGetGranularity) PFN_cuMulticastGetGranularity_v12010;
#define PFN_cuMulticastGetGranularity PFN_cuMulticastGetGranularity_v12010
typedef __typeof__(&cuMulticastUnbind) PFN_cuMulticastUnbind_v12010;
#define PFN_cuMulticastUnbind PFN_cuMulticastUnbind_v12010
typedef __typeof__(&cuOccupancyAvailableDynamicSMemPerBlock)
    PFN_cuOccupancyAvailableDynamicSMemPerBlock_v10020;
#define PFN_cuOccupancyAvailableDynamicSMemPerBlock                                                \
    PFN_cuOccupancyAvailableDynamicSMemPerBlock_v10020
typedef __typeof__(&cuOccupancyMaxActiveBlocksPerMultiprocessor)
    PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050;
#define PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor                                            \
    PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050
typedef __typeof__(&cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
    PFN_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000;
#define PFN_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags                                   \
    PFN_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000
typedef __typeof__(&cuOccupancyMaxActiveClusters) PFN_cuOccupancyMaxActiveClusters_v11070;
#define PFN_cuOccupancyMaxActiveClusters PFN_cuOccupancyMaxActiveClusters_v11070
typedef __typeof__(&cuOccupancyMaxPotentialBlockSize) PFN_cuOccupancyMaxPotentialBlockSize_v6050;
#define PFN_cuOccupancyMaxPotentialBlockSize PFN_cuOccupancyMaxPotentialBlockSize_v6050
typedef __typeof__(&cuOccupancyMaxPotentialBlockSizeWithFlags)
    PFN_cuOccupancyMaxPotentialBlockSizeWithFlags_v7000;
#define PFN_cuOccupancyMaxPotentialBlockSizeWithFlags                                              \
    PFN_cuOccupancyMaxPotentialBlockSizeWithFlags_v7000
typedef __typeof__(&cuOccupancyMaxPotentialClusterSize)
    PFN_cuOccupancyMaxPotentialClusterSize_v11070;
#define PFN_cuOccupancyMaxPotentialClusterSize PFN_cuOccupancyMaxPotentialClusterSize_v11070
typedef __typeof__(&cuParamSetSize) PFN_cuParamSetSize_v2000;
#define PFN_cuParamSetSize PFN_cuParamSetSize_v2000
typedef __typeof__(&cuParamSetTexRef) PFN_cuParamSetTexRef_v2000;
#define PFN_cuParamSetTexRef PFN_cuParamSetTexRef_v2000
typedef __typeof__(&cuParamSetf) PFN_cuParamSetf_v2000;
#define PFN_cuParamSetf PFN_cuParamSetf_v2000
typedef __typeof__(&cuParamSeti) PFN_cuParamSeti_v2000;
#define PFN_cuParamSeti PFN_cuParamSeti_v2000
typedef __typeof__(&cuParamSetv) PFN_cuParamSetv_v2000;
#define PFN_cuParamSetv PFN_cuParamSetv_v2000
typedef __typeof__(&cuPointerGetAttribute) PFN_cuPointerGetAttribute_v4000;
#define PFN_cuPointerGetAttribute PFN_cuPointerGetAttribute_v4000
typedef __typeof__(&cuPointerGetAttributes) PFN_cuPointerGetAttributes_v7000;
#define PFN_cuPointerGetAttributes PFN_cuPointerGetAttributes_v7000
typedef __typeof__(&cuPointerSetAttribute) PFN_cuPointerSetAttribute_v6000;
#define PFN_cuPointerSetAttribute PFN_cuPointerSetAttribute_v6000
typedef __typeof__(&cuSignalExternalSemaphoresAsync) PFN_cuSignalExternalSemaphoresAsync_v10000;
#define PFN_cuSignalExternalSemaphoresAsync PFN_cuSignalExternalSemaphoresAsync_v10000
typedef __typeof__(&cuStreamAddCallback) PFN_cuStreamAddCallback_v5000;
#define PFN_cuStreamAddCallback PFN_cuStreamAddCallback_v5000
typedef __typeof__(&cuStreamAttachMemAsync) PFN_cuStreamAttachMemAsync_v6000;
#define PFN_cuStreamAttachMemAsync PFN_cuStreamAttachMemAsync_v6000
typedef __typeof__(&cuStreamBatchMemOp_v2) PFN_cuStreamBatchMemOp_v11070;
#define PFN_cuStreamBatchMemOp PFN_cuStreamBatchMemOp_v11070
typedef __typeof__(&cuStreamBeginCapture_v2) PFN_cuStreamBeginCapture_v10010;
#define PFN_cuStreamBeginCapture PFN_cuStreamBeginCapture_v10010
typedef __typeof__(&cuStreamBeginCaptureToGraph) PFN_cuStreamBeginCaptureToGraph_v12030;
#define PFN_cuStreamBeginCaptureToGraph PFN_cuStreamBeginCaptureToGraph_v12030
typedef __typeof__(&cuStreamCopyAttributes) PFN_cuStreamCopyAttributes_v11000;
#define PFN_cuStreamCopyAttributes PFN_cuStreamCopyAttributes_v11000
typedef __typeof__(&cuStreamCreate) PFN_cuStreamCreate_v2000;
#define PFN_cuStreamCreate PFN_cuStreamCreate_v2000
typedef __typeof__(&cuStreamCreateWithPriority) PFN_cuStreamCreateWithPriority_v5050;
#define PFN_cuStreamCreateWithPriority PFN_cuStreamCreateWithPriority_v5050
typedef __typeof__(&cuStreamDestroy_v2) PFN_cuStreamDestroy_v4000;
#define PFN_cuStreamDestroy PFN_cuStreamDestroy_v4000
typedef __typeof__(&cuStreamEndCapture) PFN_cuStreamEndCapture_v10000;
#define PFN_cuStreamEndCapture PFN_cuStreamEndCapture_v10000
typedef __typeof__(&cuStreamGetAttribute) PFN_cuStreamGetAttribute_v11000;
#define PFN_cuStreamGetAttribute PFN_cuStreamGetAttribute_v11000
typedef CUresult(CUDAAPI *PFN_cuStreamGetCaptureInfo_v12030)(
    CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
    CUgraph *graph_out, const CUgraphNode **dependencies_out, const CUgraphEdgeData **edgeData_out,
    size_t *numDependencies_out);
#define PFN_cuStreamGetCaptureInfo PFN_cuStreamGetCaptureInfo_v12030
typedef __typeof__(&cuStreamGetCtx) PFN_cuStreamGetCtx_v9020;
typedef __typeof__(&cuStreamGetCtx_v2) PFN_cuStreamGetCtx_v12050;
#define PFN_cuStreamGetCtx PFN_cuStreamGetCtx_v9020
typedef __typeof__(&cuStreamGetDevice) PFN_cuStreamGetDevice_v12080;
#define PFN_cuStreamGetDevice PFN_cuStreamGetDevice_v12080
typedef __typeof__(&cuStreamGetFlags) PFN_cuStreamGetFlags_v5050;
#define PFN_cuStreamGetFlags PFN_cuStreamGetFlags_v5050
typedef __typeof__(&cuStreamGetGreenCtx) PFN_cuStreamGetGreenCtx_v12040;
#define PFN_cuStreamGetGreenCtx PFN_cuStreamGetGreenCtx_v12040
typedef __typeof__(&cuStreamGetId) PFN_cuStreamGetId_v12000;
#define PFN_cuStreamGetId PFN_cuStreamGetId_v12000
typedef __typeof__(&cuStreamGetPriority) PFN_cuStreamGetPriority_v5050;
#define PFN_cuStreamGetPriority PFN_cuStreamGetPriority_v5050
typedef __typeof__(&cuStreamIsCapturing) PFN_cuStreamIsCapturing_v10000;
#define PFN_cuStreamIsCapturing PFN_cuStreamIsCapturing_v10000
typedef __typeof__(&cuStreamQuery) PFN_cuStreamQuery_v2000;
#define PFN_cuStreamQuery PFN_cuStreamQuery_v2000
typedef __typeof__(&cuStreamSetAttribute) PFN_cuStreamSetAttribute_v11000;
#define PFN_cuStreamSetAttribute PFN_cuStreamSetAttribute_v11000
typedef __typeof__(&cuStreamSynchronize) PFN_cuStreamSynchronize_v2000;
#define PFN_cuStreamSynchronize PFN_cuStreamSynchronize_v2000
typedef CUresult(CUDAAPI *PFN_cuStreamUpdateCaptureDependencies_v12030)(
    CUstream hStream, CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData,
    size_t numDependencies, unsigned int flags);
#define PFN_cuStreamUpdateCaptureDependencies PFN_cuStreamUpdateCaptureDependencies_v12030
typedef __typeof__(&cuStreamWaitEvent) PFN_cuStreamWaitEvent_v3020;
#define PFN_cuStreamWaitEvent PFN_cuStreamWaitEvent_v3020
typedef __typeof__(&cuStreamWaitValue32_v2) PFN_cuStreamWaitValue32_v11070;
#define PFN_cuStreamWaitValue32 PFN_cuStreamWaitValue32_v11070
typedef __typeof__(&cuStreamWaitValue64_v2) PFN_cuStreamWaitValue64_v11070;
#define PFN_cuStreamWaitValue64 PFN_cuStreamWaitValue64_v11070
typedef __typeof__(&cuStreamWriteValue32_v2) PFN_cuStreamWriteValue32_v11070;
#define PFN_cuStreamWriteValue32 PFN_cuStreamWriteValue32_v11070
typedef __typeof__(&cuStreamWriteValue64_v2) PFN_cuStreamWriteValue64_v11070;
#define PFN_cuStreamWriteValue64 PFN_cuStreamWriteValue64_v11070
typedef __typeof__(&cuSurfObjectCreate) PFN_cuSurfObjectCreate_v5000;
#define PFN_cuSurfObjectCreate PFN_cuSurfObjectCreate_v5000
typedef __typeof__(&cuSurfObjectDestroy) PFN_cuSurfObjectDestroy_v5000;
#define PFN_cuSurfObjectDestroy PFN_cuSurfObjectDestroy_v5000
typedef __typeof__(&cuSurfObjectGetResourceDesc) PFN_cuSurfObjectGetResourceDesc_v5000;
#define PFN_cuSurfObjectGetResourceDesc PFN_cuSurfObjectGetResourceDesc_v5000
typedef __typeof__(&cuSurfRefGetArray) PFN_cuSurfRefGetArray_v3000;
#define PFN_cuSurfRefGetArray PFN_cuSurfRefGetArray_v3000
typedef __typeof__(&cuSurfRefSetArray) PFN_cuSurfRefSetArray_v3000;
#define PFN_cuSurfRefSetArray PFN_cuSurfRefSetArray_v3000
typedef __typeof__(&cuTensorMapEncodeIm2col) PFN_cuTensorMapEncodeIm2col_v12000;
#define PFN_cuTensorMapEncodeIm2col PFN_cuTensorMapEncodeIm2col_v12000
typedef __typeof__(&cuTensorMapEncodeIm2colWide) PFN_cuTensorMapEncodeIm2colWide_v12080;
#define PFN_cuTensorMapEncodeIm2colWide PFN_cuTensorMapEncodeIm2colWide_v12080
typedef __typeof__(&cuTensorMapEncodeTiled) PFN_cuTensorMapEncodeTiled_v12000;
#define PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000
typedef __typeof__(&cuTensorMapReplaceAddress) PFN_cuTensorMapReplaceAddress_v12000;
#define PFN_cuTensorMapReplaceAddress PFN_cuTensorMapReplaceAddress_v12000
typedef __typeof__(&cuTexObjectCreate) PFN_cuTexObjectCreate_v5000;
#define PFN_cuTexObjectCreate PFN_cuTexObjectCreate_v5000
typedef __typeof__(&cuTexObjectDestroy) PFN_cuTexObjectDestroy_v5000;
#define PFN_cuTexObjectDestroy PFN_cuTexObjectDestroy_v5000
typedef __typeof__(&cuTexObjectGetResourceDesc) PFN_cuTexObjectGetResourceDesc_v5000;
#define PFN_cuTexObjectGetResourceDesc PFN_cuTexObjectGetResourceDesc_v5000
typedef __typeof__(&cuTexObjectGetResourceViewDesc) PFN_cuTexObjectGetResourceViewDesc_v5000;
#define PFN_cuTexObjectGetResourceViewDesc PFN_cuTexObjectGetResourceViewDesc_v5000
typedef __typeof__(&cuTexObjectGetTextureDesc) PFN_cuTexObjectGetTextureDesc_v5000;
#define PFN_cuTexObjectGetTextureDesc PFN_cuTexObjectGetTextureDesc_v5000
typedef __typeof__(&cuTexRefCreate) PFN_cuTexRefCreate_v2000;
#define PFN_cuTexRefCreate PFN_cuTexRefCreate_v2000
typedef __typeof__(&cuTexRefDestroy) PFN_cuTexRefDestroy_v2000;
#define PFN_cuTexRefDestroy PFN_cuTexRefDestroy_v2000
typedef __typeof__(&cuTexRefGetAddress_v2) PFN_cuTexRefGetAddress_v3020;
#define PFN_cuTexRefGetAddress PFN_cuTexRefGetAddress_v3020
typedef __typeof__(&cuTexRefGetAddressMode) PFN_cuTexRefGetAddressMode_v2000;
#define PFN_cuTexRefGetAddressMode PFN_cuTexRefGetAddressMode_v2000
typedef __typeof__(&cuTexRefGetArray) PFN_cuTexRefGetArray_v2000;
#define PFN_cuTexRefGetArray PFN_cuTexRefGetArray_v2000
typedef __typeof__(&cuTexRefGetBorderColor) PFN_cuTexRefGetBorderColor_v8000;
#define PFN_cuTexRefGetBorderColor PFN_cuTexRefGetBorderColor_v8000
typedef __typeof__(&cuTexRefGetFilterMode) PFN_cuTexRefGetFilterMode_v2000;
#define PFN_cuTexRefGetFilterMode PFN_cuTexRefGetFilterMode_v2000
typedef __typeof__(&cuTexRefGetFlags) PFN_cuTexRefGetFlags_v2000;
#define PFN_cuTexRefGetFlags PFN_cuTexRefGetFlags_v2000
typedef __typeof__(&cuTexRefGetFormat) PFN_cuTexRefGetFormat_v2000;
#define PFN_cuTexRefGetFormat PFN_cuTexRefGetFormat_v2000
typedef __typeof__(&cuTexRefGetMaxAnisotropy) PFN_cuTexRefGetMaxAnisotropy_v5000;
#define PFN_cuTexRefGetMaxAnisotropy PFN_cuTexRefGetMaxAnisotropy_v5000
typedef __typeof__(&cuTexRefGetMipmapFilterMode) PFN_cuTexRefGetMipmapFilterMode_v5000;
#define PFN_cuTexRefGetMipmapFilterMode PFN_cuTexRefGetMipmapFilterMode_v5000
typedef __typeof__(&cuTexRefGetMipmapLevelBias) PFN_cuTexRefGetMipmapLevelBias_v5000;
#define PFN_cuTexRefGetMipmapLevelBias PFN_cuTexRefGetMipmapLevelBias_v5000
typedef __typeof__(&cuTexRefGetMipmapLevelClamp) PFN_cuTexRefGetMipmapLevelClamp_v5000;
#define PFN_cuTexRefGetMipmapLevelClamp PFN_cuTexRefGetMipmapLevelClamp_v5000
typedef __typeof__(&cuTexRefGetMipmappedArray) PFN_cuTexRefGetMipmappedArray_v5000;
#define PFN_cuTexRefGetMipmappedArray PFN_cuTexRefGetMipmappedArray_v5000
typedef __typeof__(&cuTexRefSetAddress_v2) PFN_cuTexRefSetAddress_v3020;
#define PFN_cuTexRefSetAddress PFN_cuTexRefSetAddress_v3020
typedef __typeof__(&cuTexRefSetAddress2D_v3) PFN_cuTexRefSetAddress2D_v4010;
#define PFN_cuTexRefSetAddress2D PFN_cuTexRefSetAddress2D_v4010
typedef __typeof__(&cuTexRefSetAddressMode) PFN_cuTexRefSetAddressMode_v2000;
#define PFN_cuTexRefSetAddressMode PFN_cuTexRefSetAddressMode_v2000
typedef __typeof__(&cuTexRefSetArray) PFN_cuTexRefSetArray_v2000;
#define PFN_cuTexRefSetArray PFN_cuTexRefSetArray_v2000
typedef __typeof__(&cuTexRefSetBorderColor) PFN_cuTexRefSetBorderColor_v8000;
#define PFN_cuTexRefSetBorderColor PFN_cuTexRefSetBorderColor_v8000
typedef __typeof__(&cuTexRefSetFilterMode) PFN_cuTexRefSetFilterMode_v2000;
#define PFN_cuTexRefSetFilterMode PFN_cuTexRefSetFilterMode_v2000
typedef __typeof__(&cuTexRefSetFlags) PFN_cuTexRefSetFlags_v2000;
#define PFN_cuTexRefSetFlags PFN_cuTexRefSetFlags_v2000
typedef __typeof__(&cuTexRefSetFormat) PFN_cuTexRefSetFormat_v2000;
#define PFN_cuTexRefSetFormat PFN_cuTexRefSetFormat_v2000
typedef __typeof__(&cuTexRefSetMaxAnisotropy) PFN_cuTexRefSetMaxAnisotropy_v5000;
#define PFN_cuTexRefSetMaxAnisotropy PFN_cuTexRefSetMaxAnisotropy_v5000
typedef __typeof__(&cuTexRefSetMipmapFilterMode) PFN_cuTexRefSetMipmapFilterMode_v5000;
#define PFN_cuTexRefSetMipmapFilterMode PFN_cuTexRefSetMipmapFilterMode_v5000
typedef __typeof__(&cuTexRefSetMipmapLevelBias) PFN_cuTexRefSetMipmapLevelBias_v5000;
#define PFN_cuTexRefSetMipmapLevelBias PFN_cuTexRefSetMipmapLevelBias_v5000
typedef __typeof__(&cuTexRefSetMipmapLevelClamp) PFN_cuTexRefSetMipmapLevelClamp_v5000;
#define PFN_cuTexRefSetMipmapLevelClamp PFN_cuTexRefSetMipmapLevelClamp_v5000
typedef __typeof__(&cuTexRefSetMipmappedArray) PFN_cuTexRefSetMipmappedArray_v5000;
#define PFN_cuTexRefSetMipmappedArray PFN_cuTexRefSetMipmappedArray_v5000
typedef __typeof__(&cuThreadExchangeStreamCaptureMode) PFN_cuThreadExchangeStreamCaptureMode_v10010;
#define PFN_cuThreadExchangeStreamCaptureMode PFN_cuThreadExchangeStreamCaptureMode_v10010
typedef __typeof__(&cuUserObjectCreate) PFN_cuUserObjectCreate_v11030;
#define PFN_cuUserObjectCreate PFN_cuUserObjectCreate_v11030
typedef __typeof__(&cuUserObjectRelease) PFN_cuUserObjectRelease_v11030;
#define PFN_cuUserObjectRelease PFN_cuUserObjectRelease_v11030
typedef __typeof__(&cuUserObjectRetain) PFN_cuUserObjectRetain_v11030;
#define PFN_cuUserObjectRetain PFN_cuUserObjectRetain_v11030
typedef __typeof__(&cuWaitExternalSemaphoresAsync) PFN_cuWaitExternalSemaphoresAsync_v10000;
#define PFN_cuWaitExternalSemaphoresAsync PFN_cuWaitExternalSemaphoresAsync_v10000

#endif
