/* The driver API's logs, which are the runtime's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"
#include "facade/state/log.h"

/* The two types of callbacks differ by the names of what they get. */
CUresult cuLogsRegisterCallback(CUlogsCallback callbackFunc, void *userData,
                                CUlogsCallbackHandle *callback_out)
{
    return facade_driver_error(facade_log_add_callback(
        (cudaLogsCallback_t)(void (*)(void))callbackFunc, userData, (void **)callback_out));
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle callback)
{
    return facade_driver_error(facade_log_remove_callback(callback));
}

CUresult cuLogsCurrent(CUlogIterator *iterator_out, unsigned int flags)
{
    (void)flags; /* NVIDIA's driver takes any */
    return facade_driver_error(facade_log_position(iterator_out));
}

CUresult cuLogsDumpToFile(CUlogIterator *iterator, const char *pathToFile, unsigned int flags)
{
    return facade_driver_error(facade_log_to_file(iterator, pathToFile, flags));
}

CUresult cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size, unsigned int flags)
{
    return facade_driver_error(facade_log_to_memory(iterator, buffer, size, flags));
}
