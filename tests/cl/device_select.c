/* Tests of cl/device/device_select.c, on devices that exist nowhere.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/device_select.h"

#include "tests/cl/captured.h"

enum { MOST = 8 };

/* Platforms are only compared, so any distinct addresses do. */
static char platforms[MOST];

static struct ocl_device make(int platform, const char *platform_name, const char *name,
                              enum ocl_device_class device_class)
{
    struct ocl_device device = {.platform = (cl_platform_id)(void *)&platforms[platform]};
    device.facts.device_class = device_class;
    snprintf(device.facts.name, sizeof device.facts.name, "%s", name);
    snprintf(device.facts.platform_name, sizeof device.facts.platform_name, "%s", platform_name);
    return device;
}

static void set_pci(struct ocl_device *device, uint32_t bus)
{
    device->facts.has_pci = true;
    device->facts.pci_bus = bus;
}

static void set_uuid(struct ocl_device *device, uint8_t first, uint8_t second)
{
    device->facts.has_uuid = true;
    memset(device->facts.uuid, 0, sizeof device->facts.uuid);
    device->facts.uuid[0] = first;
    device->facts.uuid[1] = second;
}

/* Compares the names with a list of first letters. */
static void check_names(const struct ocl_device *devices, int count, const char *letters)
{
    assert_int_equal(count, (int)strlen(letters));
    for (int i = 0; i < count; i++)
        assert_int_equal(devices[i].facts.name[0], letters[i]);
}

TEST_BODY(device_select_orders_classes_and_keeps_order_within)
{
    struct ocl_device devices[] = {
        make(0, "P", "a", OCL_CLASS_CPU),         make(0, "P", "b", OCL_CLASS_GPU),
        make(1, "Q", "c", OCL_CLASS_ACCELERATOR), make(1, "Q", "d", OCL_CLASS_GPU),
        make(2, "R", "e", OCL_CLASS_CPU),         make(2, "R", "f", OCL_CLASS_ACCELERATOR),
    };
    check_names(devices, ocl_device_select_order(devices, 6), "bdcfae");
    check_names(devices, ocl_device_select_order(devices, 0), "");
}

TEST_BODY(device_select_merges_a_gpu_seen_twice)
{
    struct ocl_device devices[] = {make(0, "P", "a", OCL_CLASS_GPU),
                                   make(1, "Q", "b", OCL_CLASS_GPU),
                                   make(1, "Q", "c", OCL_CLASS_GPU)};
    set_pci(&devices[0], 3);
    set_pci(&devices[1], 3);
    set_pci(&devices[2], 4);
    check_names(devices, ocl_device_select_unique(devices, 3), "ac");

    struct ocl_device by_uuid[] = {make(0, "P", "a", OCL_CLASS_GPU),
                                   make(1, "Q", "b", OCL_CLASS_GPU)};
    set_uuid(&by_uuid[0], 1, 2);
    set_uuid(&by_uuid[1], 1, 2);
    check_names(by_uuid, ocl_device_select_unique(by_uuid, 2), "a");
}

TEST_BODY(device_select_keeps_the_makers_platform)
{
    struct ocl_device devices[] = {make(0, "P", "a", OCL_CLASS_GPU),
                                   make(1, "Q", "b", OCL_CLASS_GPU)};
    set_pci(&devices[0], 3);
    set_pci(&devices[1], 3);
    strcpy(devices[0].facts.vendor, "Maker Inc.");
    strcpy(devices[0].facts.platform_vendor, "Free drivers");
    devices[0].facts.has_usm = true;
    strcpy(devices[1].facts.vendor, "maker inc.");
    strcpy(devices[1].facts.platform_vendor, "Maker Inc.");
    check_names(devices, ocl_device_select_unique(devices, 2), "b");
}

TEST_BODY(device_select_keeps_the_one_with_more_strategies)
{
    struct ocl_device devices[] = {make(0, "P", "a", OCL_CLASS_GPU),
                                   make(1, "Q", "b", OCL_CLASS_GPU)};
    set_pci(&devices[0], 3);
    set_pci(&devices[1], 3);
    devices[0].facts.has_svm_coarse = true;
    devices[1].facts.has_svm_coarse = devices[1].facts.has_bda = true;
    check_names(devices, ocl_device_select_unique(devices, 2), "b");
}

TEST_BODY(device_select_never_merges_what_may_differ)
{
    struct ocl_device devices[] = {
        make(0, "P", "a", OCL_CLASS_GPU),
        make(0, "P", "b", OCL_CLASS_GPU), /* one platform, one address */
        make(1, "Q", "c", OCL_CLASS_CPU),
        make(2, "R", "d", OCL_CLASS_CPU), /* CPUs without addresses */
        make(3, "S", "e", OCL_CLASS_GPU),
        make(4, "T", "f", OCL_CLASS_GPU), /* nothing known of them */
    };
    set_pci(&devices[0], 3);
    set_pci(&devices[1], 3);
    set_uuid(&devices[2], 9, 9);
    set_uuid(&devices[3], 9, 9);
    check_names(devices, ocl_device_select_unique(devices, 6), "abcdef");
}

static const struct ocl_device *three(void)
{
    static struct ocl_device devices[3];
    devices[0] = make(0, "Alpha Platform", "a200 GPU", OCL_CLASS_GPU);
    devices[1] = make(1, "Beta", "b300 GPU", OCL_CLASS_GPU);
    devices[2] = make(1, "Beta", "c CPU", OCL_CLASS_CPU);
    return devices;
}

static void check_choice_of(const char *choice, bool checks_kernels, const char *letters,
                            size_t complaints)
{
    struct ocl_device devices[3];
    char printed[1024];
    memcpy(devices, three(), sizeof devices);
    struct capture capture = capture_begin();
    int count = ocl_device_select_choice(devices, 3, choice, checks_kernels);
    capture_end(&capture, printed, sizeof printed);
    check_names(devices, count, letters);
    assert_int_equal(count_text(printed, "CLEM_DEVICE="), complaints);
}

static void check_choice(const char *choice, const char *letters, size_t complaints)
{
    check_choice_of(choice, false, letters, complaints);
}

TEST_BODY(device_select_choice_by_index_and_name)
{
    check_choice(NULL, "ab", 0); /* CPUs only where there is no GPU, */
    check_choice("all", "abc", 0);
    check_choice("ALL", "abc", 0);
    check_choice("2,all", "cab", 0); /* or where they are asked for */
    check_choice("2", "c", 0);
    check_choice("2,0", "ca", 0);
    check_choice(" 1 , 1 ,1", "b", 0);
    check_choice("gpu", "ab", 0);
    check_choice("BETA", "bc", 0);
    check_choice("cpu,gpu", "cab", 0);
    check_choice("alpha platform", "a", 0);
    check_choice("300", "b", 0); /* no such index, but a name has it */
}

TEST_BODY(device_select_checks_kernels_on_cpus)
{
    struct ocl_device gpus[2];
    check_choice_of(NULL, true, "c", 0);
    check_choice_of("all", true, "abc", 0);
    check_choice_of("0", true, "a", 0);
    memcpy(gpus, three(), sizeof gpus);
    check_names(gpus, ocl_device_select_choice(gpus, 2, NULL, true), "ab"); /* no CPU: all stay */
}

TEST_BODY(device_select_choice_reports_what_matches_nothing)
{
    check_choice("radeon", "", 1);
    check_choice("7", "", 1);
    check_choice("radeon,cpu", "c", 1);
    check_choice(",", "ab", 0);
    check_choice("cpu,", "c", 0);
    check_choice("-1", "", 1);
    check_choice("99999999999999999999", "", 1);
    check_choice("radeon,7", "", 2);
}

static void check_visible(const char *visible, const char *letters)
{
    struct ocl_device devices[3];
    memcpy(devices, three(), sizeof devices);
    set_uuid(&devices[0], 0xab, 0xcd);
    set_uuid(&devices[1], 0xab, 0xef);
    set_uuid(&devices[2], 0x12, 0x34);
    check_names(devices, ocl_device_select_visible(devices, 3, visible), letters);
}

TEST_BODY(device_select_visible_follows_cudas_rules)
{
    check_visible(NULL, "abc");
    check_visible("", "");
    check_visible("2,0", "ca");
    check_visible("1", "b");
    check_visible("0,5,1", "a"); /* ends at the first that is none */
    check_visible("0,-1,1", "a");
    check_visible("-1", "");
    check_visible("1,x", "b");
    check_visible("0,0", "");
    check_visible("0,1,0", "");
    check_visible("GPU-abcd", "a");
    check_visible("gpu-ABEF0000-0000", "b");
    check_visible("GPU-12340000-0000-0000-0000-000000000000,GPU-abc", "ca");
    check_visible("GPU-12340000-0000-0000-0000-0000000000000", ""); /* longer than a UUID */
    check_visible("GPU-ab", "");                                    /* fits two */
    check_visible("GPU-", "");
    check_visible("2,GPU-1234", ""); /* one device twice */
    check_visible("GPU", "");
}
