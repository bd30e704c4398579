/* Work that the host may do in place of a command keeps its place among the streams' commands, and does not hold up the
 * caller: from and to every kind of memory, of the stream's device and of another.
 * SPDX-License-Identifier: Apache-2.0 */
#include <clem.h>

#include "tests/facade/runtime_support.h"

/* --- what is copied --------------------------------------------------------------------------- */

enum place { PAGEABLE, PINNED, MANAGED, DEVICE, FAR_PINNED, FAR_MANAGED, FAR_DEVICE, PLACES };

enum { WIDTH = 301, ROWS = 223, PITCH = 352, BYTES = PITCH * ROWS };

enum form { LINEAR, RECTANGLE, FORMS };

/* On a machine with one device the places far away are left out. */
static int device_count(void)
{
    int count = 0;
    assert_success(cudaGetDeviceCount(&count));
    return count;
}

static enum place place_count(void)
{
    return device_count() > 1 ? PLACES : FAR_PINNED;
}

static bool is_pinned(enum place place)
{
    return place == PINNED || place == FAR_PINNED;
}

/* NULL: the device has no such memory. */
static unsigned char *make(enum place place)
{
    unsigned char *made = NULL;
    assert_success(cudaSetDevice(place >= FAR_PINNED));
    switch (place) {
    case PAGEABLE:
        made = malloc(BYTES);
        break;
    case PINNED:
    case FAR_PINNED:
        assert_success(cudaHostAlloc((void **)&made, BYTES, cudaHostAllocPortable));
        break;
    case MANAGED:
    case FAR_MANAGED:
        if (cudaMallocManaged((void **)&made, BYTES, cudaMemAttachGlobal) != cudaSuccess)
            made = NULL;
        (void)cudaGetLastError();
        break;
    default:
        assert_success(cudaMalloc((void **)&made, BYTES));
    }
    if (made != NULL && place == PAGEABLE)
        memset(made, 0, BYTES);
    else if (made != NULL)
        assert_success(cudaMemset(made, 0, BYTES));
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaSetDevice(0));
    return made;
}

static void end(enum place place, unsigned char *made)
{
    if (place == PAGEABLE)
        free(made);
    else if (is_pinned(place))
        assert_success(cudaFreeHost(made));
    else
        assert_success(cudaFree(made));
}

static void fill_with_twos(void *memory)
{
    memset(memory, 2, BYTES);
}

/* Pageable memory may be read as soon as the copy is asked for: a source has its ones at once. */
static void fill(enum place place, unsigned char *memory, int value, cudaStream_t stream)
{
    if (place != PAGEABLE)
        assert_success(cudaMemsetAsync(memory, value, BYTES, stream));
    else if (value == 1)
        memset(memory, 1, BYTES);
    else
        assert_success(cudaLaunchHostFunc(stream, fill_with_twos, memory));
}

static void copy(enum form form, unsigned char *target, const unsigned char *source,
                 cudaStream_t stream)
{
    if (form == LINEAR)
        assert_success(cudaMemcpyAsync(target, source, BYTES, cudaMemcpyDefault, stream));
    else
        assert_success(cudaMemcpy2DAsync(target, PITCH, source, PITCH, WIDTH, ROWS,
                                         cudaMemcpyDefault, stream));
}

/* All that the form copies holds value, and what it leaves out holds other. */
static void check(enum form form, const unsigned char *memory, int value, int other)
{
    static unsigned char found[BYTES];
    assert_success(cudaMemcpy(found, memory, BYTES, cudaMemcpyDefault));
    for (size_t i = 0; i < BYTES; i++)
        if (found[i] != (form == LINEAR || i % PITCH < WIDTH ? value : other))
            fail_msg("byte %zu holds %d", i, found[i]);
}

/* --- gates that somebody opens ---------------------------------------------------------------- */

/* A wrong library has the time to go ahead; a right one waits however long it takes. */
static void *open_later(void *gate)
{
    for (int i = 0; i < 3; i++)
        pause_briefly();
    gate_open(gate);
    return NULL;
}

static void let_go(struct patience *patience, const char *what, int from, int to)
{
    if (!patience_end(patience))
        fail_msg("%s, from place %d to place %d: the call waited", what, from, to);
}

/* --- the order -------------------------------------------------------------------------------- */

/* first: gate, source = 1, target = 2. second: target = source. */
static void check_order(enum place from, enum place to, enum form form, cudaStream_t first,
                        cudaStream_t second)
{
    struct gate gate = GATE_INITIALIZER;
    pthread_t opener;
    unsigned char *source = make(from), *target = make(to);
    if (source != NULL && target != NULL) {
        gate_hold(&gate, first);
        fill(from, source, 1, first);
        fill(to, target, 2, first);
        assert_int_equal(pthread_create(&opener, NULL, open_later, &gate), 0);
        copy(form, target, source, second);
        assert_success(cudaStreamSynchronize(second));
        pthread_join(opener, NULL);
        check(form, target, 1, 2);
    }
    end(from, source);
    end(to, target);
}

static void check_all_orders(cudaStream_t first, cudaStream_t second)
{
    for (enum place from = 0; from < place_count(); from++)
        for (enum place to = 0; to < place_count(); to++)
            for (enum form form = 0; form < FORMS; form++)
                check_order(from, to, form, first, second);
}

static cudaStream_t new_stream(unsigned flags)
{
    cudaStream_t stream = NULL;
    assert_success(cudaStreamCreateWithFlags(&stream, flags));
    return stream;
}

TEST_BODY(order_by_host_behind_the_legacy_stream)
{
    cudaStream_t stream = new_stream(cudaStreamDefault);
    check_all_orders(cudaStreamLegacy, stream);
    assert_success(cudaStreamDestroy(stream));
}

TEST_BODY(order_by_host_of_per_thread_streams)
{
    check_all_orders(cudaStreamLegacy, cudaStreamPerThread);
}

TEST_BODY(order_by_host_of_the_legacy_stream)
{
    cudaStream_t stream = new_stream(cudaStreamDefault);
    check_all_orders(stream, cudaStreamLegacy);
    assert_success(cudaStreamDestroy(stream));
}

TEST_BODY(order_by_host_behind_an_event)
{
    cudaStream_t streams[2] = {new_stream(cudaStreamNonBlocking),
                               new_stream(cudaStreamNonBlocking)};
    cudaEvent_t event = NULL;
    assert_success(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (enum place from = 0; from < place_count(); from++)
        for (enum place to = 0; to < place_count(); to++) {
            struct gate gate = GATE_INITIALIZER;
            pthread_t opener;
            unsigned char *source = make(from), *target = make(to);
            if (source != NULL && target != NULL) {
                gate_hold(&gate, streams[0]);
                fill(from, source, 1, streams[0]);
                fill(to, target, 2, streams[0]);
                assert_success(cudaEventRecord(event, streams[0]));
                assert_success(cudaStreamWaitEvent(streams[1], event, 0));
                assert_int_equal(pthread_create(&opener, NULL, open_later, &gate), 0);
                copy(LINEAR, target, source, streams[1]);
                assert_success(cudaStreamSynchronize(streams[1]));
                pthread_join(opener, NULL);
                check(LINEAR, target, 1, 2);
            }
            end(from, source);
            end(to, target);
        }
    assert_success(cudaEventDestroy(event));
    assert_success(cudaStreamDestroy(streams[0]));
    assert_success(cudaStreamDestroy(streams[1]));
}

/* legacy: gate, source = 1, target = source. per thread: source = 2, which waits. */
TEST_BODY(order_by_host_of_fills_that_wait)
{
    for (enum place from = PINNED; from < place_count(); from++) {
        struct gate gate = GATE_INITIALIZER;
        pthread_t opener;
        unsigned char *source = make(from), *target = make(DEVICE);
        if (source != NULL) {
            gate_hold(&gate, cudaStreamLegacy);
            fill(from, source, 1, cudaStreamLegacy);
            copy(LINEAR, target, source, cudaStreamLegacy);
            assert_int_equal(pthread_create(&opener, NULL, open_later, &gate), 0);
            assert_success(cudaMemset_ptds(source, 2, BYTES));
            assert_success(cudaStreamSynchronize(cudaStreamPerThread));
            pthread_join(opener, NULL);
            check(LINEAR, source, 2, 2);
            check(LINEAR, target, 1, 1);
        }
        end(from, source);
        end(DEVICE, target);
    }
}

/* --- the caller goes on ----------------------------------------------------------------------- */

static void check_goes_on(enum place from, enum place to, enum form form, cudaStream_t stream)
{
    struct patience patience = PATIENCE_INITIALIZER;
    unsigned char *source = make(from), *target = make(to);
    if (source != NULL && target != NULL) {
        patience_hold(&patience, stream);
        fill(from, source, 1, stream);
        fill(to, target, 2, stream);
        copy(form, target, source, stream);
        fill(from, source, 2, stream);
        let_go(&patience, form == LINEAR ? "linear" : "rectangle", (int)from, (int)to);
        assert_success(cudaStreamSynchronize(stream));
        check(form, target, 1, 2);
        check(LINEAR, source, 2, 2);
    }
    end(from, source);
    end(to, target);
}

/* Between two pieces of host memory CUDA waits. */
TEST_BODY(order_by_host_holds_up_no_caller)
{
    cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    for (enum place from = PINNED; from < place_count(); from++)
        for (enum place to = PINNED; to < place_count(); to++)
            for (enum form form = 0; form < FORMS; form++)
                if (!is_pinned(from) || !is_pinned(to))
                    check_goes_on(from, to, form, stream);
    assert_success(cudaStreamDestroy(stream));
}

/* Within a device CUDA does not wait, whatever the form. */
TEST_BODY(order_by_host_waits_for_no_array)
{
    enum { SIDE = 64, ARRAY_BYTES = SIDE * SIDE };
    struct patience patience = PATIENCE_INITIALIZER;
    const struct cudaChannelFormatDesc texel = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
    cudaArray_t array = NULL;
    unsigned char *memory = NULL, found[ARRAY_BYTES];
    assert_success(cudaMallocArray(&array, &texel, SIDE, SIDE, 0));
    assert_success(cudaMalloc((void **)&memory, ARRAY_BYTES));
    patience_hold(&patience, cudaStreamLegacy);
    assert_success(cudaMemsetAsync(memory, 7, ARRAY_BYTES, cudaStreamLegacy));
    assert_success(cudaMemcpy2DToArray(array, 0, 0, memory, SIDE, SIDE, SIDE, cudaMemcpyDefault));
    assert_success(cudaMemsetAsync(memory, 8, ARRAY_BYTES, cudaStreamLegacy));
    assert_success(cudaMemcpy2DFromArray(memory, SIDE, array, 0, 0, SIDE, SIDE, cudaMemcpyDefault));
    assert_true(patience_end(&patience));
    assert_success(cudaMemcpy(found, memory, ARRAY_BYTES, cudaMemcpyDefault));
    for (int i = 0; i < ARRAY_BYTES; i++)
        assert_int_equal(found[i], 7);
    assert_success(cudaFree(memory));
    assert_success(cudaFreeArray(array));
}

/* What one stream does is over while another's host function goes on. */
TEST_BODY(order_by_host_shares_no_thread_with_host_functions)
{
    cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    cudaStream_t held = new_stream(cudaStreamNonBlocking);
    for (enum place from = PINNED; from < place_count(); from++)
        for (enum place to = PINNED; to < place_count(); to++) {
            struct patience patience = PATIENCE_INITIALIZER;
            unsigned char *source = make(from), *target = make(to);
            if (source != NULL && target != NULL) {
                patience_hold(&patience, held);
                fill(from, source, 1, stream);
                fill(to, target, 2, stream);
                copy(LINEAR, target, source, stream);
                assert_success(cudaStreamSynchronize(stream));
                let_go(&patience, "another stream", (int)from, (int)to);
                assert_success(cudaStreamSynchronize(held));
                check(LINEAR, target, 1, 2);
            }
            end(from, source);
            end(to, target);
        }
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaStreamDestroy(held));
}

/* A copy whose turn comes while the host waits to touch memory whose pages move. */
TEST_BODY(order_by_host_lets_the_host_touch)
{
    struct gate gate = GATE_INITIALIZER;
    pthread_t opener;
    cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    const enum place to = place_count() - 1;
    unsigned char *source = make(MANAGED), *target = make(to), *touched = make(MANAGED);
    if (source != NULL && touched != NULL) {
        gate_hold(&gate, stream);
        fill(MANAGED, source, 1, stream);
        copy(RECTANGLE, target, source, stream);
        fill(MANAGED, touched, 2, stream);
        assert_int_equal(pthread_create(&opener, NULL, open_later, &gate), 0);
        ((volatile unsigned char *)touched)[BYTES / 2] = 3;
        pthread_join(opener, NULL);
        assert_success(cudaStreamSynchronize(stream));
        check(RECTANGLE, target, 1, 0);
    }
    end(MANAGED, source);
    end(MANAGED, touched);
    end(to, target);
    assert_success(cudaStreamDestroy(stream));
}

/* --- pinned memory on the way ----------------------------------------------------------------- */

enum { LARGE = 2 * 1024 * 1024, SENT = 3 };

/* Copies of pageable memory, by a thread that has to wait where there is not enough pinned memory for them. */
struct sending {
    unsigned char *source, *target;
    cudaStream_t stream;
    pthread_t thread;
};

static void *send_all(void *data)
{
    const struct sending *sending = data;
    for (int i = 0; i < SENT; i++)
        assert_success(cudaMemcpyAsync(sending->target, sending->source, LARGE, cudaMemcpyDefault,
                                       sending->stream));
    return NULL;
}

static void begin_sending(struct sending *sending, cudaStream_t stream)
{
    sending->stream = stream;
    sending->source = malloc(LARGE);
    assert_success(cudaMalloc((void **)&sending->target, LARGE));
    memset(sending->source, 5, LARGE);
    assert_int_equal(pthread_create(&sending->thread, NULL, send_all, sending), 0);
    for (int i = 0; i < 50; i++)
        pause_briefly();
}

static void end_sending(struct sending *sending)
{
    pthread_join(sending->thread, NULL);
    assert_success(cudaStreamSynchronize(sending->stream));
    assert_success(cudaFree(sending->target));
    free(sending->source);
}

static void check_large(const unsigned char *target, int value)
{
    unsigned char *found = malloc(LARGE);
    assert_success(cudaMemcpy(found, target, LARGE, cudaMemcpyDefault));
    for (size_t i = 0; i < LARGE; i++)
        assert_int_equal(found[i], value);
    free(found);
}

/* A stream that is held up has all the pinned memory there is for copies; another's go on. */
TEST_BODY(order_by_host_leaves_others_memory_to_send_through)
{
    struct patience patience = PATIENCE_INITIALIZER;
    struct sending sending;
    cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    cudaStream_t held = new_stream(cudaStreamNonBlocking);
    unsigned char *source = malloc(LARGE), *target = NULL;
    memset(source, 6, LARGE);
    assert_success(cudaMalloc((void **)&target, LARGE));
    patience_hold(&patience, held);
    begin_sending(&sending, held);
    assert_success(cudaMemcpyAsync(target, source, LARGE, cudaMemcpyDefault, stream));
    assert_success(cudaStreamSynchronize(stream));
    assert_success(cudaMemcpyAsync(source, target, LARGE, cudaMemcpyDefault, stream));
    assert_true(patience_end(&patience));
    end_sending(&sending);
    check_large(target, 6);
    assert_success(cudaFree(target));
    free(source);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaStreamDestroy(held));
}

/* So does one whose turn comes before those that have it. */
TEST_BODY(order_by_host_has_memory_when_its_turn_comes)
{
    struct patience patience = PATIENCE_INITIALIZER;
    struct sending sending;
    cudaStream_t stream = new_stream(cudaStreamDefault);
    unsigned char *source = malloc(LARGE), *target = NULL;
    struct cudaMemcpyAttributes late = {.srcAccessOrder = cudaMemcpySrcAccessOrderStream};
    size_t bytes = LARGE, first = 0;
    memset(source, 7, LARGE);
    assert_success(cudaMalloc((void **)&target, LARGE));
    patience_hold(&patience, stream);
    assert_success(cudaMemcpyBatchAsync((void *const[]){target}, (const void *const[]){source},
                                        &bytes, 1, &late, &first, 1, stream));
    begin_sending(&sending, cudaStreamLegacy);
    memset(source, 8, LARGE);
    assert_true(patience_end(&patience));
    for (int i = 0; i < 20000 && cudaStreamQuery(stream) == cudaErrorNotReady; i++)
        pause_briefly();
    assert_success(cudaStreamQuery(stream));
    end_sending(&sending);
    check_large(target, 8);
    assert_success(cudaFree(target));
    free(source);
    assert_success(cudaStreamDestroy(stream));
}

/* --- what a wait is for ----------------------------------------------------------------------- */

/* A kernel that goes on until the host says so. */
struct spinning {
    volatile int *flag; /* mapped */
    void *on_device;
    cudaLibrary_t library;
    cudaKernel_t kernel;
};

static void load_spinning(struct spinning *spinning)
{
    static const char code[] = "kernel void spin(global volatile int *f) { while (*f == 0); }";
    spinning->library = load_text(code);
    assert_success(cudaLibraryGetKernel(&spinning->kernel, spinning->library, "spin"));
    assert_success(cudaHostAlloc((void **)&spinning->flag, sizeof(int), cudaHostAllocMapped));
    assert_success(cudaHostGetDevicePointer(&spinning->on_device, (void *)spinning->flag, 0));
}

static void spin(const struct spinning *spinning, cudaStream_t stream)
{
    void *arguments[] = {(void *)&spinning->on_device};
    *spinning->flag = 0;
    assert_success(cudaLaunchKernel((const void *)spinning->kernel, (dim3){1, 1, 1},
                                    (dim3){1, 1, 1}, arguments, 0, stream));
}

static void unload_spinning(struct spinning *spinning)
{
    assert_success(cudaFreeHost((void *)spinning->flag));
    assert_success(cudaLibraryUnload(spinning->library));
}

/* A thread that waits for the stream, or for the device, and a function behind what it waits for that waits for it. */
struct waiting {
    cudaStream_t stream; /* 0: the device */
    struct patience patience;
};

static void *wait_and_open(void *data)
{
    struct waiting *waiting = data;
    if (waiting->stream != NULL)
        assert_success(cudaStreamSynchronize(waiting->stream));
    else
        assert_success(cudaDeviceSynchronize());
    assert_true(patience_end(&waiting->patience));
    return NULL;
}

static void check_wait(const struct spinning *spinning, cudaStream_t stream, bool of_stream)
{
    struct waiting waiting = {of_stream ? stream : NULL, PATIENCE_INITIALIZER};
    pthread_t thread;
    spin(spinning, stream);
    assert_int_equal(pthread_create(&thread, NULL, wait_and_open, &waiting), 0);
    for (int i = 0; i < 100; i++) /* it waits by now */
        pause_briefly();
    patience_hold(&waiting.patience, stream);
    *spinning->flag = 1;
    pthread_join(thread, NULL);
    assert_success(cudaStreamSynchronize(stream));
}

/* Waits are for what came before them: a function behind that may wait for who waits. */
TEST_BODY(order_by_host_behind_a_wait)
{
    struct spinning spinning;
    cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    load_spinning(&spinning);
    spin(&spinning, stream); /* compiled for what follows */
    *spinning.flag = 1;
    assert_success(cudaStreamSynchronize(stream));
    check_wait(&spinning, stream, true);
    check_wait(&spinning, stream, false);
    unload_spinning(&spinning);
    assert_success(cudaStreamDestroy(stream));
}

/* A kernel that the caller ends has all the pinned memory there is for copies behind it; another stream's go on. */
TEST_BODY(order_by_host_sends_beside_a_kernel)
{
    clemDeviceInfo info;
    struct spinning spinning;
    struct sending sending;
    assert_success(clemGetDeviceInfo(&info, 0));
    if (info.deviceClass != 2)
        TEST_SKIP("a GPU's driver may pin no memory while a kernel runs");
    cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    cudaStream_t held = new_stream(cudaStreamNonBlocking);
    unsigned char *source = malloc(LARGE), *target = NULL;
    memset(source, 6, LARGE);
    assert_success(cudaMalloc((void **)&target, LARGE));
    load_spinning(&spinning);
    spin(&spinning, held);
    begin_sending(&sending, held);
    assert_success(cudaMemcpyAsync(target, source, LARGE, cudaMemcpyDefault, stream));
    *spinning.flag = 1;
    assert_success(cudaStreamSynchronize(stream));
    end_sending(&sending);
    check_large(target, 6);
    unload_spinning(&spinning);
    assert_success(cudaFree(target));
    free(source);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaStreamDestroy(held));
}
