/* The life of a process: a forked child, calls at exit, no platform, unknown options. What ends a
 * process is tried in a program of its own (tests/programs/process.c).
 * SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/facade/helper.h"
#include "tests/facade/runtime_support.h"

/* --- a forked child --------------------------------------------------------------------------- */

/* Runs body in a child and gives its exit code; 0 is good. */
static int in_child(int (*body)(void *), void *data)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(body(data));
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

struct inherited {
    void *memory;
    cudaStream_t stream;
    cudaEvent_t event;
    const void *kernel;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaLogsCallbackHandle listener;
};

static void hear_nothing(void *data, cudaLogLevel level, char *message, size_t length)
{
    (void)data;
    (void)level;
    (void)message;
    (void)length;
}

/* Gives the number of the first call that did not answer as it should. */
static int call_everything(void *data)
{
    struct inherited *i = data;
    void *p = NULL;
    int count = 0, line = 0, value = 0;
    char text[1024];
    size_t bytes = sizeof text;
    cudaLogIterator position = 0;
    cudaLogsCallbackHandle listener = NULL;
    cudaGraph_t graph = NULL;
    cudaGraphNode_t node = NULL;
    cudaGraphExec_t exec = NULL;
    const cudaError_t answers[] = {
        cudaMalloc(&p, 16),
        cudaFree(i->memory),
        cudaFree(NULL),
        cudaMallocHost(&p, 16),
        cudaMemcpy(i->memory, &value, 4, cudaMemcpyHostToDevice),
        cudaMemset(i->memory, 0, 4),
        cudaStreamCreate(&i->stream),
        cudaStreamQuery(i->stream),
        cudaStreamSynchronize(i->stream),
        cudaStreamDestroy(i->stream),
        cudaEventRecord(i->event, NULL),
        cudaEventSynchronize(i->event),
        cudaEventDestroy(i->event),
        launch_1d(i->kernel, 1, 1, NULL, 0, NULL),
        cudaDeviceSynchronize(),
        cudaDeviceReset(),
        cudaSetDevice(0),
        /* What needs no driver has locks too, which a thread of the parent may hold for ever. */
        cudaGraphCreate(&graph, 0),
        cudaGraphAddEmptyNode(&node, i->graph, NULL, 0),
        cudaGraphAddDependencies(i->graph, &i->node, &i->node, NULL, 1),
        cudaGraphClone(&graph, i->graph),
        cudaGraphInstantiate(&exec, i->graph, 0),
        cudaGraphExecUpdate(i->exec, i->graph, NULL),
        cudaGraphLaunch(i->exec, i->stream),
        cudaGraphDestroyNode(i->node),
        cudaGraphExecDestroy(i->exec),
        cudaGraphDestroy(i->graph),
        cudaLogsRegisterCallback(hear_nothing, NULL, &listener),
        cudaLogsUnregisterCallback(i->listener),
        cudaLogsCurrent(&position, 0),
        cudaLogsDumpToMemory(NULL, text, &bytes, 0),
        cudaLogsDumpToFile(NULL, "/dev/null", 0),
    };
    for (size_t k = 0; k < sizeof answers / sizeof answers[0]; k++) {
        if (answers[k] != cudaErrorInitializationError && line == 0)
            line = (int)k + 1;
    }
    if (line == 0 && cudaGetLastError() != cudaErrorInitializationError)
        line = 100;
    if (line == 0 && (cudaGetDeviceCount(&count) != cudaSuccess || count < 1))
        line = 101;
    return line;
}

TEST_BODY(process_forked_child_is_refused)
{
    cudaLibrary_t library = load_text("__kernel void k(__global int *p) { p[0] = 5; }\n");
    struct inherited i = {.kernel = find_kernel(library, "k")};
    int *p = device_ints(1);
    void *args[] = {&p};
    i.memory = p;
    assert_success(cudaStreamCreate(&i.stream));
    assert_success(cudaEventCreate(&i.event));
    assert_success(cudaGraphCreate(&i.graph, 0));
    assert_success(cudaGraphAddEmptyNode(&i.node, i.graph, NULL, 0));
    assert_success(cudaGraphInstantiate(&i.exec, i.graph, 0));
    assert_success(cudaLogsRegisterCallback(hear_nothing, NULL, &i.listener));
    assert_int_equal(in_child(call_everything, &i), 0);
    /* The parent goes on as if nothing had been. */
    assert_success(launch_1d(i.kernel, 1, 1, args, 0, i.stream));
    assert_success(cudaStreamSynchronize(i.stream));
    assert_int_equal(read_device_int(p), 5);
    assert_success(cudaLogsUnregisterCallback(i.listener));
    assert_success(cudaGraphExecDestroy(i.exec));
    assert_success(cudaGraphDestroy(i.graph));
    assert_success(cudaEventDestroy(i.event));
    assert_success(cudaStreamDestroy(i.stream));
    assert_success(cudaFree(p));
    assert_success(cudaLibraryUnload(library));
}

static int use_device(void *data)
{
    int *p = NULL, value = 1, got = 0;
    (void)data;
    if (cudaMalloc((void **)&p, 4) != cudaSuccess ||
        cudaMemcpy(p, &value, 4, cudaMemcpyHostToDevice) != cudaSuccess)
        return 1;
    return cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost) == cudaSuccess && got == 1 ? 0 : 2;
}

/* Before the first call of the parent, a child may do as it likes. */
TEST_BODY(process_forked_before_use_is_free)
{
    assert_int_equal(in_child(use_device, NULL), 0);
    assert_int_equal(in_child(use_device, NULL), 0);
    assert_int_equal(use_device(NULL), 0);
}

/* --- other programs --------------------------------------------------------------------------- */

/* Handlers that were registered before the first call run after the library has ended. */
TEST_BODY(process_calls_at_exit_are_refused)
{
    char output[4096];
    int code = run_helper("", "exit", output, sizeof output);
    if (code != 0)
        print_error("%s\n", output);
    assert_int_equal(code, 0);
    assert_int_equal(count_of(output, "handler ran"), 1);
    assert_int_equal(count_of(output, "destructor ran"), 1);
}

/* What the interrupted call holds nobody lets go of. */
TEST_BODY(process_may_exit_in_a_handler_that_interrupts_a_call)
{
    static const char *const modes[] = {"", "memory", "signals"};
    char output[4096];
    for (int i = 0; i < 3; i++) {
        const int code = run_program("", INTERRUPTED_HELPER, modes[i], output, sizeof output);
        if (code == 77)
            TEST_SKIP("no allocation to interrupt");
        if (code != 7)
            print_error("%s\n", output);
        assert_int_equal(code, 7);
    }
}

/* Work that is still queued when the program returns does not keep it from ending well. */
TEST_BODY(process_may_exit_with_work_queued)
{
    char output[4096];
    int code = run_helper("", "busy", output, sizeof output);
    if (code != 0)
        print_error("%s\n", output);
    assert_int_equal(code, 0);
}

/* Kernels cannot run on a CPU there. */
TEST_BODY(process_may_start_the_driver_in_a_constructor)
{
    char output[4096];
    const int code = run_helper("", "early \"" EARLY_LIBRARY "\"", output, sizeof output);
    if (code != 0)
        print_error("%s\n", output);
    assert_int_equal(code, 0);
}

/* What other threads go on to queue is not waited for. */
TEST_BODY(process_may_exit_while_threads_work)
{
    char output[4096];
    for (int i = 0; i < 5; i++) {
        const int code = run_helper("", "threads", output, sizeof output);
        if (code != 0)
            print_error("%s\n", output);
        assert_int_equal(code, 0);
        assert_int_equal(count_of(output, "still has work"), 0);
    }
}

/* Not for long, and only once, however many contexts there are; one that another thread closes meanwhile does not wait
 * with it. */
TEST_BODY(process_exit_gives_up_on_work_that_never_ends)
{
    char output[4096];
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    int code = run_helper("", "forever", output, sizeof output);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const char *closed = strstr(output, "closed another context");
    const char *gave_up = strstr(output, "still has work after 10 seconds");
    if (code != 0 || gave_up == NULL)
        print_error("%s\n", output);
    assert_int_equal(code, 0);
    if (gave_up == NULL && strstr(output, "not a CPU") != NULL)
        TEST_SKIP("other devices' drivers keep their work to themselves");
    assert_int_equal(count_of(output, "still has work"), 1);
    assert_true(closed != NULL && closed < gave_up);
    assert_in_range(end.tv_sec - begin.tv_sec, 9, 20);
}

/* Drivers that compile in threads of the process do so for as long as they need. */
TEST_BODY(process_may_exit_while_kernels_compile)
{
    char output[4096];
    int code = run_helper("", "compile", output, sizeof output);
    if (code != 0)
        print_error("%s\n", output);
    assert_int_equal(code, 0);
}

TEST_BODY(process_without_a_platform)
{
    static const char *const nothing = "OCL_ICD_VENDORS=/nonexistent/ OCL_ICD_FILENAMES=";
    char output[4096];
    if (run_helper(nothing, "platforms", output, sizeof output) != 0)
        TEST_SKIP("this OpenCL loader finds platforms without OCL_ICD_VENDORS");
    int code = run_helper(nothing, "none", output, sizeof output);
    if (code != 0)
        print_error("%s\n", output);
    assert_int_equal(code, 0);
}

TEST_BODY(process_reports_unknown_options_once)
{
    char output[4096];
    assert_int_equal(
        run_helper("CLEM_ADDRESS=nonsense CLEM_NO_SUCH_THING=1", "use", output, sizeof output), 0);
    assert_int_equal(count_of(output, "CLEM_ADDRESS"), 1);
    assert_int_equal(count_of(output, "nonsense"), 1);
    assert_int_equal(count_of(output, "CLEM_NO_SUCH_THING"), 1);
    assert_int_equal(run_helper("CLEM_TRACE=0", "use", output, sizeof output), 0);
    assert_int_equal(count_of(output, "CLEM_TRACE"), 0);
}

TEST_BODY(process_sees_chosen_devices_only)
{
    char output[4096];
    assert_int_equal(run_helper("CUDA_VISIBLE_DEVICES=0", "use", output, sizeof output), 0);
    assert_int_equal(run_helper("CUDA_VISIBLE_DEVICES=", "none", output, sizeof output), 0);
    assert_int_equal(run_helper("CUDA_VISIBLE_DEVICES=-1", "none", output, sizeof output), 0);
    assert_int_equal(
        run_helper("CLEM_DEVICE=no-device-has-this-name", "none", output, sizeof output), 0);
    assert_int_equal(count_of(output, "no-device-has-this-name"), 1);
}

/* A device whose memory is the host's has no more than this process may take; others have their own. */
TEST_BODY(process_has_no_more_memory_than_its_group)
{
    char output[4096], root[] = "/tmp/clem-group-XXXXXX", command[1024], environment[128];
    assert_non_null(mkdtemp(root));
    snprintf(command, sizeof command,
             "cd %s && mkdir -p proc/self sys/box && echo 0::/box >proc/self/cgroup && "
             "echo '1 2 0:3 / /sys rw - cgroup2 cgroup2 rw' >proc/self/mountinfo && "
             "echo 500000000 >sys/box/memory.max && echo 300000000 >sys/box/memory.current && "
             "echo inactive_file 0 >sys/box/memory.stat",
             root);
    assert_int_equal(system(command), 0);
    snprintf(environment, sizeof environment, "CLEM_HOST_ROOT=%s", root);
    int code = run_helper(environment, "small", output, sizeof output);
    snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
    if (code != 0)
        print_error("%s\n", output);
    if (code == 77)
        TEST_SKIP("the device's memory is its own");
    assert_int_equal(code, 0);
}
