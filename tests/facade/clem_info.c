/* Tests of facade/tools/clem_info.c: its options, exit codes and both outputs.
 * SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>
#include <unistd.h>

#include "tests/facade/runtime_support.h"

#ifdef HAS_CJSON
#include <cjson/cJSON.h>
#endif

static char output[1 << 18];

/* Runs the tool; its standard output goes to `output`, or with it its messages. */
static int run_info(const char *before, const char *arguments)
{
    char command[5000];
    snprintf(command, sizeof command, "env %s \"%s\" %s", before, CLEM_INFO, arguments);
    fflush(NULL);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t got = fread(output, 1, sizeof output - 1, pipe);
    output[got] = '\0';
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST_BODY(clem_info_options)
{
    assert_int_equal(run_info("", "--help"), 0);
    assert_non_null(strstr(output, "--json"));
    assert_int_equal(run_info("", "--version"), 0);
    assert_true(strncmp(output, "clem-info ", 10) == 0);
    assert_int_equal(run_info("", "--no-such-option 2>/dev/null"), 64);
    assert_string_equal(output, "");
    assert_int_equal(run_info("", "--json --brief 2>/dev/null"), 64);
    assert_string_equal(output, "");
    assert_int_equal(run_info("", "--brief more 2>/dev/null"), 64);
    assert_int_equal(run_info("CLEM_DEVICE=nosuch", "--brief 2>&1"), 64);
    assert_non_null(strstr(output, "CLEM_DEVICE=nosuch"));
    assert_int_equal(run_info("", "--version 2>&1 >/dev/full"), 74);
    assert_non_null(strstr(output, "clem-info: "));
}

TEST_BODY(clem_info_tells_devices_in_text)
{
    struct cudaDeviceProp p;
    assert_int_equal(run_info("", ""), 0); /* before this process starts its own driver */
    assert_success(cudaGetDeviceProperties(&p, 0));
    assert_non_null(strstr(output, p.name));
    assert_non_null(strstr(output, "Device 0"));
    assert_non_null(strstr(output, "7.5"));
    assert_non_null(strstr(output, "address strategy"));
    assert_non_null(strstr(output, " MiB)"));
    assert_null(strstr(output, "FFFF:"));
}

TEST_BODY(clem_info_tells_devices_in_brief)
{
    struct cudaDeviceProp p;
    assert_int_equal(run_info("", "--brief"), 0);
    assert_success(cudaGetDeviceProperties(&p, 0));
    assert_true(strncmp(output, "0: ", 3) == 0);
    assert_non_null(strstr(output, p.name));
}

TEST_BODY(clem_info_without_a_device)
{
    /* Drivers hide their devices by that variable too, and no device then has the name that CLEM_DEVICE gives. */
    static const char *const nothing = "-u CLEM_DEVICE CUDA_VISIBLE_DEVICES=";
    assert_int_equal(run_info(nothing, "2>/dev/null"), 2);
    assert_string_equal(output, "");
    assert_int_equal(run_info(nothing, "--json 2>&1"), 2);
    assert_non_null(strstr(output, "apt-get install"));
    assert_int_equal(run_info(nothing, "--version"), 0);
}

/* A layer makes the device one whose kernels do not run: all calls succeed, and nothing is computed. */
TEST_BODY(clem_info_tells_why_a_device_cannot_be_opened)
{
    static const char *const reasons[] = {"address strategy                             none\n",
                                          "bda: self-test failed (wrong result)",
                                          "handle: self-test failed (wrong result)"};
    if (!getenv("STUB_IDLE"))
        TEST_SKIP("kernels run");
    assert_int_equal(run_info("-u CLEM_TRACE -u CLEM_ADDRESS", "2>&1"), 1);
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        assert_non_null(strstr(output, reasons[i]));
    assert_null(strstr(output, "launch failure"));
    assert_int_equal(run_info("-u CLEM_TRACE -u CLEM_ADDRESS", "--brief 2>&1"), 1);
    assert_non_null(strstr(output, "strategy none: bda: self-test failed (wrong result); "));
}

#ifdef HAS_CJSON
static double number(const cJSON *device, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(device, name);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

static const char *string(const cJSON *device, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(device, name);
    assert_true(cJSON_IsString(item));
    return item->valuestring;
}

TEST_BODY(clem_info_tells_devices_in_json)
{
    int count = 0;
    setenv("CLEM_DEVICE", "all", 1);
    assert_int_equal(run_info("", "--json"), 0); /* before this process starts its own driver */
    assert_success(cudaGetDeviceCount(&count));
    cJSON *root = cJSON_Parse(output);
    assert_non_null(root);
    assert_string_equal(string(root, "tool"), "clem-info");
    assert_true(number(root, "schema") >= 2);
    assert_null(strstr(output, "FFFF:"));
    const cJSON *devices = cJSON_GetObjectItemCaseSensitive(root, "devices");
    assert_int_equal(cJSON_GetArraySize(devices), count);
    for (int i = 0; i < count; i++) {
        const cJSON *device = cJSON_GetArrayItem(devices, i);
        struct cudaDeviceProp p;
        assert_success(cudaGetDeviceProperties(&p, i));
        assert_string_equal(string(device, "name"), p.name);
        assert_string_equal(string(device, "compute_capability"), "7.5");
        assert_true(string(device, "address_strategy")[0] != '\0' &&
                    string(device, "address_strategy_reason")[0] != '\0');
        assert_true(number(device, "warp_size") == 32);
        assert_true(number(device, "global_memory_bytes") == (double)p.totalGlobalMem);
        assert_true(number(device, "multiprocessors") == p.multiProcessorCount);
        const cJSON *grid = cJSON_GetObjectItemCaseSensitive(device, "grid_dimensions");
        assert_int_equal(cJSON_GetArraySize(grid), 3);
        assert_true(cJSON_GetArrayItem(grid, 1)->valuedouble == p.maxGridSize[1]);
        assert_true(cJSON_IsBool(cJSON_GetObjectItemCaseSensitive(device, "images")));
    }
    cJSON_Delete(root);
}
#else
TEST_BODY(clem_info_tells_devices_in_json)
{
    assert_int_equal(run_info("", "--json 2>&1"), 1);
    assert_non_null(strstr(output, "without libcjson"));
    TEST_SKIP("built without libcjson");
}
#endif
