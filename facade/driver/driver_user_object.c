/* The driver API's user objects.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/graph/user_object.h"

_Static_assert((int)CU_USER_OBJECT_NO_DESTRUCTOR_SYNC == (int)cudaUserObjectNoDestructorSync, "");
_Static_assert((int)CU_GRAPH_USER_OBJECT_MOVE == (int)cudaGraphUserObjectMove, "");

CUresult cuUserObjectCreate(CUuserObject *object_out, void *ptr, CUhostFn destroy,
                            unsigned int initialRefcount, unsigned int flags)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_user_object_create(
                                        object_out, ptr, destroy, initialRefcount, flags))
                                  : result;
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_user_object_retain(object, count))
                                  : result;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_user_object_release(object, count))
                                  : result;
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                 unsigned int flags)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_graph_retain_object(graph, object, count, flags))
               : result;
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_graph_release_object(graph, object, count))
               : result;
}
