/* The driver API's events.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include <string.h>

#include "facade/stream/event.h"

/* The flags have the runtime's numbers. */
CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_event_create(phEvent, Flags))
                                  : result;
}

CUresult cuEventDestroy_v2(CUevent hEvent)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_event_destroy(hEvent)) : result;
}

CUresult cuEventDestroy(CUevent hEvent)
{
    return cuEventDestroy_v2(hEvent);
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_event_record(hEvent, hStream, flags))
                                  : result;
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream)
{
    return cuEventRecordWithFlags(hEvent, hStream, CU_EVENT_RECORD_DEFAULT);
}

CUresult cuEventQuery(CUevent hEvent)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_event_query(hEvent)) : result;
}

CUresult cuEventSynchronize(CUevent hEvent)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_event_synchronize(hEvent)) : result;
}

/* Here the events are looked at before the output: the runtime does it the other way round. */
CUresult cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    float milliseconds = 0;
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_event_elapsed(&milliseconds, hStart, hEnd));
    if (result != CUDA_SUCCESS)
        return result;
    if (pMilliseconds == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pMilliseconds = milliseconds;
    return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    return cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd);
}

CUresult cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event)
{
    CUresult result = facade_driver_check();
    cudaIpcEventHandle_t made;
    if (result == CUDA_SUCCESS && pHandle == NULL)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_event_handle(&made, event));
    if (result == CUDA_SUCCESS)
        memcpy(pHandle, &made, sizeof made);
    return result;
}

CUresult cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle)
{
    CUresult result = facade_driver_check();
    cudaIpcEventHandle_t given;
    memcpy(&given, &handle, sizeof given);
    return result == CUDA_SUCCESS ? facade_driver_error(facade_event_open(phEvent, &given))
                                  : result;
}
