/* Operations of both APIs: user objects, by themselves and kept by graphs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

static void end_object(void *data)
{
    (void)data;
}

static int launch_kept(cudaGraph_t graph, cudaUserObject_t object)
{
    cudaGraphExec_t exec = NULL;
    int error = 0;
    TRY(cudaGraphRetainUserObject, graph, object, 2, 0);
    TRY(cudaGraphReleaseUserObject, graph, object, 1);
    TRY(cudaGraphInstantiate, &exec, graph, 0);
    TRY(cudaGraphLaunch, exec, NULL);
    if (exec != NULL)
        END(cudaGraphExecDestroy, exec);
    TRY(cudaStreamSynchronize, NULL);
    return error;
}

int operation_user_objects(void)
{
    cudaGraph_t graph = NULL;
    cudaUserObject_t object = NULL;
    int error = 0;
    TRY(cudaUserObjectCreate, &object, NULL, end_object, 1, cudaUserObjectNoDestructorSync);
    if (object == NULL)
        return error;
    TRY(cudaUserObjectRetain, object, 1);
    TRY(cudaUserObjectRelease, object, 1);
    TRY(cudaGraphCreate, &graph, 0);
    if (error == 0)
        error = launch_kept(graph, object);
    if (graph != NULL)
        END(cudaGraphDestroy, graph);
    END(cudaUserObjectRelease, object, 1);
    return error;
}

int operation_driver_user_objects(void)
{
    CUgraph graph = NULL;
    CUuserObject object = NULL;
    CUcontext context = NULL;
    int error = 0;
    TRY(cuInit, 0);
    TRY(cuDevicePrimaryCtxRetain, &context, 0);
    if (error != 0)
        return error;
    TRY(cuCtxSetCurrent, context);
    TRY(cuUserObjectCreate, &object, NULL, end_object, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
    TRY(cuUserObjectRetain, object, 1);
    TRY(cuGraphCreate, &graph, 0);
    TRY(cuGraphRetainUserObject, graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE);
    TRY(cuGraphReleaseUserObject, graph, object, 1);
    if (graph != NULL)
        END(cuGraphDestroy, graph);
    if (object != NULL)
        END(cuUserObjectRelease, object, 2);
    END(cuDevicePrimaryCtxRelease_v2, 0);
    return error;
}
