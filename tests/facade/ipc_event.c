/* Events of several processes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "tests/facade/processes.h"

#include <cuda.h>

enum { BYTES = 100000, FLAGS = cudaEventInterprocess | cudaEventDisableTiming };

static int tell_support(int other)
{
    int can = 0;
    CHECK_SUCCESS(cudaFree(NULL));
    CHECK_SUCCESS(cudaDeviceGetAttribute(&can, cudaDevAttrIpcEventSupport, 0));
    say(other, &can, sizeof can);
    return 0;
}

static bool events_can_be_shared(void)
{
    int ends[2], can = 0;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const pid_t child = start_process(tell_support, ends[0], ends[1]);
    close(ends[0]);
    assert_int_equal(recv(ends[1], &can, sizeof can, MSG_WAITALL), sizeof can);
    close(ends[1]);
    assert_int_equal(end_of(child), 0);
    return can != 0;
}

#define NEEDS_SHARING()                                                                            \
    if (!events_can_be_shared())                                                                   \
    TEST_SKIP("the device's memory is not the host's, or kernels have no addresses")

static cudaEvent_t make_event_for(int other)
{
    cudaIpcEventHandle_t handle;
    cudaEvent_t event;
    CHECK_SUCCESS(cudaEventCreateWithFlags(&event, FLAGS));
    CHECK_SUCCESS(cudaIpcGetEventHandle(&handle, event));
    say(other, &handle, sizeof handle);
    return event;
}

static cudaEvent_t hear_event(int other)
{
    cudaIpcEventHandle_t handle;
    cudaEvent_t event;
    hear(other, &handle, sizeof handle);
    CHECK_SUCCESS(cudaIpcOpenEventHandle(&event, handle));
    return event;
}

static cudaStream_t make_stream(void)
{
    cudaStream_t stream;
    CHECK_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

/* --- work that waits until it is let go ----------------------------------------------------------- */

static void CUDART_CB hold_on(void *data)
{
    atomic_bool *may_end = data;
    while (!atomic_load(may_end))
        usleep(200);
}

static void hold(cudaStream_t stream, atomic_bool *may_end)
{
    atomic_store(may_end, false);
    CHECK_SUCCESS(cudaLaunchHostFunc(stream, hold_on, may_end));
}

/* --- order across processes ------------------------------------------------------------------------- */

static int write_and_record(int other)
{
    static atomic_bool may_end;
    cudaIpcMemHandle_t handle;
    unsigned char *memory, last = 0;
    const cudaEvent_t event = make_event_for(other);
    const cudaStream_t stream = make_stream();
    CHECK_SUCCESS(cudaMalloc((void **)&memory, BYTES));
    CHECK_SUCCESS(cudaMemset(memory, 1, BYTES));
    CHECK_SUCCESS(cudaDeviceSynchronize());
    CHECK_SUCCESS(cudaIpcGetMemHandle(&handle, memory));
    say(other, &handle, sizeof handle);
    await_turn(other);
    hold(stream, &may_end);
    CHECK_SUCCESS(cudaMemsetAsync(memory, 2, BYTES, stream));
    CHECK_SUCCESS(cudaEventRecord(event, stream));
    CHECK_CALL(cudaErrorNotReady, cudaEventQuery(event));
    give_turn(other);
    await_turn(other); /* the other's stream waits now */
    atomic_store(&may_end, true);
    CHECK_SUCCESS(cudaEventSynchronize(event));
    await_turn(other); /* now the other has recorded */
    CHECK_SUCCESS(cudaStreamWaitEvent(stream, event, 0));
    CHECK_SUCCESS(cudaMemcpyAsync(&last, memory + BYTES - 1, 1, cudaMemcpyDeviceToHost, stream));
    CHECK_SUCCESS(cudaStreamSynchronize(stream));
    CHECK(last == 3);
    CHECK_SUCCESS(cudaEventDestroy(event));
    return 0;
}

static int wait_and_read(int other)
{
    const cudaEvent_t event = hear_event(other);
    const cudaStream_t stream = make_stream(), free_stream = make_stream();
    cudaIpcMemHandle_t handle;
    unsigned char *memory, *seen;
    hear(other, &handle, sizeof handle);
    CHECK_SUCCESS(cudaIpcOpenMemHandle((void **)&memory, handle, 1));
    CHECK_SUCCESS(cudaMallocHost((void **)&seen, BYTES));
    CHECK_SUCCESS(cudaEventQuery(event)); /* never recorded */
    CHECK_SUCCESS(cudaEventSynchronize(event));
    CHECK_SUCCESS(cudaStreamWaitEvent(stream, event, 0));
    CHECK_SUCCESS(cudaStreamSynchronize(stream));
    give_turn(other);
    await_turn(other);
    CHECK_CALL(cudaErrorNotReady, cudaEventQuery(event));
    CHECK_SUCCESS(cudaStreamWaitEvent(stream, event, 0));
    CHECK_SUCCESS(cudaMemcpyAsync(seen, memory, BYTES, cudaMemcpyDeviceToHost, stream));
    CHECK_SUCCESS(cudaMemsetAsync(seen, 0, 0, free_stream));
    CHECK_SUCCESS(cudaStreamSynchronize(free_stream)); /* others do not wait */
    usleep(50000);
    CHECK_CALL(cudaErrorNotReady, cudaStreamQuery(stream));
    CHECK_CALL(cudaErrorNotReady, cudaEventQuery(event));
    give_turn(other);
    CHECK_SUCCESS(cudaStreamSynchronize(stream));
    CHECK_SUCCESS(cudaEventQuery(event));
    for (int i = 0; i < BYTES; i++)
        CHECK(seen[i] == 2);
    CHECK_SUCCESS(cudaMemsetAsync(memory, 3, BYTES, stream));
    CHECK_SUCCESS(cudaEventRecord(event, stream));
    give_turn(other);
    CHECK_SUCCESS(cudaEventSynchronize(event));
    CHECK_SUCCESS(cudaEventDestroy(event));
    return 0;
}

TEST_BODY(ipc_event_orders_streams_of_two_processes)
{
    NEEDS_SHARING();
    run_two(write_and_record, wait_and_read, 0);
}

/* Who waits for a record does not wait for a later one; who asks asks for the last. */
static int record_twice(int other)
{
    static atomic_bool first_may_end, second_may_end;
    const cudaEvent_t event = make_event_for(other);
    const cudaStream_t first = make_stream(), second = make_stream();
    hold(first, &first_may_end);
    CHECK_SUCCESS(cudaEventRecord(event, first));
    give_turn(other);
    await_turn(other);
    hold(second, &second_may_end);
    CHECK_SUCCESS(cudaEventRecord(event, second));
    atomic_store(&first_may_end, true);
    give_turn(other);
    await_turn(other);
    CHECK_CALL(cudaErrorNotReady, cudaEventQuery(event));
    atomic_store(&second_may_end, true);
    await_turn(other);
    return 0;
}

static int wait_for_the_first(int other)
{
    const cudaEvent_t event = hear_event(other);
    const cudaStream_t stream = make_stream();
    await_turn(other);
    CHECK_SUCCESS(cudaStreamWaitEvent(stream, event, 0));
    CHECK_CALL(cudaErrorNotReady, cudaStreamQuery(stream));
    give_turn(other);
    await_turn(other);
    CHECK_SUCCESS(cudaStreamSynchronize(stream));
    CHECK_CALL(cudaErrorNotReady, cudaEventQuery(event));
    give_turn(other);
    CHECK_SUCCESS(cudaEventSynchronize(event));
    give_turn(other);
    return 0;
}

TEST_BODY(ipc_event_waits_are_for_one_record)
{
    NEEDS_SHARING();
    run_two(record_twice, wait_for_the_first, 0);
}

/* More records than the file has words, of which some are under way, by threads of both processes. */
enum { RECORDS = 3000, RECORDERS = 2 };

static void *record_often(void *data)
{
    const cudaEvent_t event = data;
    const cudaStream_t stream = make_stream();
    void *memory;
    CHECK_SUCCESS(cudaMalloc(&memory, BYTES));
    for (int i = 0; i < RECORDS; i++) {
        CHECK_SUCCESS(cudaMemsetAsync(memory, i, 64, stream));
        CHECK_SUCCESS(cudaEventRecord(event, stream));
        if (i % 64 == 0)
            CHECK_SUCCESS(cudaStreamWaitEvent(stream, event, 0));
        if (i % 512 == 0)
            CHECK_SUCCESS(cudaEventSynchronize(event));
    }
    CHECK_SUCCESS(cudaStreamSynchronize(stream));
    return NULL;
}

static void record_in_threads(cudaEvent_t event)
{
    pthread_t threads[RECORDERS];
    for (int i = 0; i < RECORDERS; i++)
        CHECK(pthread_create(&threads[i], NULL, record_often, event) == 0);
    for (int i = 0; i < RECORDERS; i++)
        pthread_join(threads[i], NULL);
    CHECK_SUCCESS(cudaEventSynchronize(event));
}

static int record_often_here(int other)
{
    record_in_threads(make_event_for(other));
    await_turn(other);
    return 0;
}

static int record_often_there(int other)
{
    const cudaEvent_t event = hear_event(other);
    record_in_threads(event);
    give_turn(other);
    CHECK_SUCCESS(cudaEventDestroy(event));
    return 0;
}

TEST_BODY(ipc_event_is_recorded_by_many)
{
    NEEDS_SHARING();
    run_two(record_often_here, record_often_there, 0);
}

/* --- opening ------------------------------------------------------------------------------------------ */

static int misuse_events(int other)
{
    cudaIpcEventHandle_t handle, again;
    cudaEvent_t event, plain, opened = NULL;
    CUevent by_driver = NULL;
    (void)other;
    CHECK_CALL(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, cudaEventInterprocess));
    CHECK_SUCCESS(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    CHECK_SUCCESS(cudaEventCreateWithFlags(&event, FLAGS | cudaEventBlockingSync));
    CHECK_CALL(cudaErrorInvalidValue, cudaIpcGetEventHandle(NULL, event));
    CHECK_CALL(cudaErrorInvalidResourceHandle, cudaIpcGetEventHandle(&handle, NULL));
    CHECK_CALL(cudaErrorInvalidResourceHandle, cudaIpcGetEventHandle(&handle, plain));
    CHECK_SUCCESS(cudaIpcGetEventHandle(&handle, event));
    CHECK_SUCCESS(cuIpcGetEventHandle((CUipcEventHandle *)&again, event));
    CHECK(memcmp(&handle, &again, sizeof handle) == 0);
    CHECK_CALL(cudaErrorInvalidValue, cudaIpcOpenEventHandle(NULL, handle));
    CHECK_CALL(cudaErrorDeviceUninitialized, cudaIpcOpenEventHandle(&opened, handle));
    CHECK_CALL(CUDA_ERROR_INVALID_CONTEXT,
               cuIpcOpenEventHandle(&by_driver, *(CUipcEventHandle *)&handle));
    handle.reserved[40] ^= 1;
    CHECK_CALL(cudaErrorDeviceUninitialized, cudaIpcOpenEventHandle(&opened, handle));
    handle.reserved[20] ^= 1;
    CHECK_CALL(cudaErrorInvalidResourceHandle, cudaIpcOpenEventHandle(&opened, handle));
    float ms;
    CHECK_SUCCESS(cudaEventRecord(event, NULL));
    CHECK_CALL(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, event, event));
    CHECK_SUCCESS(cudaEventDestroy(event));
    return 0;
}

TEST_BODY(ipc_event_handles_that_are_wrong_open_nothing)
{
    NEEDS_SHARING();
    run_one(misuse_events);
}

static int record_and_stay(int other)
{
    static atomic_bool may_end;
    const cudaEvent_t event = make_event_for(other);
    await_turn(other);
    CHECK_CALL(cudaErrorNotReady, cudaEventQuery(event)); /* the other's record */
    usleep(100000);
    CHECK_CALL(cudaErrorNotReady, cudaEventQuery(event));
    give_turn(other);
    CHECK_SUCCESS(cudaEventSynchronize(event));
    hold(NULL, &may_end);
    CHECK_SUCCESS(cudaEventRecord(event, NULL));
    CHECK_SUCCESS(cudaEventDestroy(event)); /* what was recorded goes on */
    give_turn(other);
    usleep(50000);
    atomic_store(&may_end, true);
    await_turn(other);
    return 0;
}

/* A process that opens an event twice and destroys one of the two is there all the same. */
static int open_twice(int other)
{
    static atomic_bool may_end;
    cudaIpcEventHandle_t handle;
    cudaEvent_t first, second, late;
    hear(other, &handle, sizeof handle);
    CHECK_SUCCESS(cudaIpcOpenEventHandle(&first, handle));
    CHECK_SUCCESS(cuIpcOpenEventHandle(&second, *(CUipcEventHandle *)&handle));
    CHECK(first != second);
    hold(NULL, &may_end);
    CHECK_SUCCESS(cudaEventRecord(second, NULL));
    CHECK_CALL(cudaErrorNotReady, cudaEventQuery(first));
    CHECK_CALL(cudaErrorInvalidResourceHandle, cudaIpcGetEventHandle(&handle, first));
    CHECK_SUCCESS(cudaEventDestroy(first));
    give_turn(other);
    await_turn(other);
    atomic_store(&may_end, true);
    await_turn(other);
    CHECK_SUCCESS(cudaEventSynchronize(second));
    CHECK_SUCCESS(cudaEventDestroy(second));
    /* The other lets go of it a moment after what it recorded has ended. */
    for (int i = 0; i < 200 && cudaIpcOpenEventHandle(&late, handle) == cudaSuccess; i++) {
        CHECK_SUCCESS(cudaEventDestroy(late));
        usleep(10000);
    }
    CHECK_CALL(cudaErrorInvalidResourceHandle, cudaIpcOpenEventHandle(&late, handle));
    give_turn(other);
    return 0;
}

TEST_BODY(ipc_event_is_opened_twice)
{
    NEEDS_SHARING();
    run_two(record_and_stay, open_twice, 0);
}

/* --- processes that end --------------------------------------------------------------------------------- */

static int record_and_be_killed(int other)
{
    static atomic_bool may_end;
    const cudaEvent_t event = make_event_for(other), done = make_event_for(other);
    const pid_t self = getpid();
    CHECK_SUCCESS(cudaEventRecord(done, NULL));
    CHECK_SUCCESS(cudaEventSynchronize(done));
    hold(NULL, &may_end);
    CHECK_SUCCESS(cudaEventRecord(event, NULL));
    say(other, &self, sizeof self);
    pause();
    return 0;
}

static void kill_recorder(int other, pid_t recorder)
{
    char end;
    CHECK(kill(recorder, SIGKILL) == 0);
    CHECK(recv(other, &end, 1, 0) == 0);
}

static int outlive_recorder(int other)
{
    const cudaEvent_t event = hear_event(other), done = hear_event(other);
    const cudaStream_t stream = make_stream();
    pid_t recorder;
    hear(other, &recorder, sizeof recorder);
    CHECK_CALL(cudaErrorNotReady, cudaEventQuery(event));
    CHECK_SUCCESS(cudaEventQuery(done));
    kill_recorder(other, recorder);
    CHECK_CALL(cudaErrorLaunchFailure, cudaEventSynchronize(event));
    CHECK_CALL(cudaErrorLaunchFailure, cudaEventQuery(event));
    CHECK_SUCCESS(cudaEventQuery(done));
    CHECK_SUCCESS(cudaEventRecord(event, stream)); /* by this process, which goes on */
    CHECK_SUCCESS(cudaEventSynchronize(event));
    return 0;
}

TEST_BODY(ipc_event_of_a_recorder_that_dies_fails)
{
    NEEDS_SHARING();
    run_two(record_and_be_killed, outlive_recorder, SIGKILL);
}

static int outlive_recorder_in_stream(int other)
{
    const cudaEvent_t event = hear_event(other);
    const cudaStream_t stream = make_stream();
    (void)hear_event(other);
    pid_t recorder;
    hear(other, &recorder, sizeof recorder);
    CHECK_SUCCESS(cudaStreamWaitEvent(stream, event, 0));
    usleep(30000);
    CHECK_CALL(cudaErrorNotReady, cudaStreamQuery(stream));
    kill_recorder(other, recorder);
    CHECK_CALL(cudaErrorLaunchFailure, cudaStreamSynchronize(stream));
    CHECK_SUCCESS(cudaDeviceReset());
    return 0;
}

TEST_BODY(ipc_event_of_a_recorder_that_dies_fails_streams)
{
    NEEDS_SHARING();
    run_two(record_and_be_killed, outlive_recorder_in_stream, SIGKILL);
}

static int reset_while_waiting(int other)
{
    const cudaEvent_t event = hear_event(other);
    (void)hear_event(other);
    pid_t recorder;
    hear(other, &recorder, sizeof recorder);
    CHECK_SUCCESS(cudaStreamWaitEvent(NULL, event, 0));
    CHECK_CALL(cudaErrorNotReady, cudaStreamQuery(NULL));
    CHECK_SUCCESS(cudaDeviceReset());
    kill_recorder(other, recorder);
    return 0;
}

TEST_BODY(ipc_event_waits_end_with_the_context)
{
    NEEDS_SHARING();
    run_two(record_and_be_killed, reset_while_waiting, SIGKILL);
}
