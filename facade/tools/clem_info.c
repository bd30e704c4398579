/* clem-info: every device as CUDA sees it, and what OpenCL says about it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clem.h"
#include "cuda_runtime_api.h"
#include "facade/tools/clem_peaks.h"

#ifdef HAS_CJSON
#include <cjson/cJSON.h>
#endif

enum { NAME_COLUMN = 44, EXIT_NO_DEVICE = 2, EXIT_USAGE = 64, EXIT_OUTPUT = 74 };

/* What the names in --json mean; raised when one of them changes its meaning or goes. */
enum { JSON_SCHEMA = 2 };

/* The text of what a device does not have. */
#define NOTHING "none"

/* One place where facts are listed; how they look is the sink's business. */
struct sink {
    void (*text)(struct sink *sink, const char *name, const char *value);
    void (*number)(struct sink *sink, const char *name, double value, const char *unit);
    void (*flag)(struct sink *sink, const char *name, int value);
    void (*triple)(struct sink *sink, const char *name, const int value[3]);
    void *state;
};

/* --- text ------------------------------------------------------------------------------------------------------- */

static void print_text(struct sink *sink, const char *name, const char *value)
{
    (void)sink;
    printf("  %-*s %s\n", NAME_COLUMN, name, value);
}

static void print_number(struct sink *sink, const char *name, double value, const char *unit)
{
    (void)sink;
    printf("  %-*s %.0f%s%s", NAME_COLUMN, name, value, unit[0] != '\0' ? " " : "", unit);
    if (strcmp(unit, "bytes") == 0 && value >= 1048576)
        printf(" (%.*f MiB)", fmod(value, 1048576) != 0, value / 1048576);
    else if (strcmp(unit, "bytes") == 0 && value >= 1024)
        printf(" (%.*f KiB)", fmod(value, 1024) != 0, value / 1024);
    putchar('\n');
}

static void print_flag(struct sink *sink, const char *name, int value)
{
    print_text(sink, name, value != 0 ? "yes" : "no");
}

static void print_triple(struct sink *sink, const char *name, const int value[3])
{
    (void)sink;
    printf("  %-*s %d x %d x %d\n", NAME_COLUMN, name, value[0], value[1], value[2]);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

#ifdef HAS_CJSON
/* "global_memory_bytes" for "global memory" in bytes, "multiprocessors" for "multiprocessors (compute
 * units)". */
static const char *json_name(char out[96], const char *name, const char *unit)
{
    size_t used = 0, shown = strcspn(name, "(");
    while (shown > 0 && name[shown - 1] == ' ')
        shown--;
    for (size_t i = 0; i < shown && used < 60; i++)
        out[used++] = isalnum((unsigned char)name[i]) ? (char)tolower((unsigned char)name[i]) : '_';
    out[used] = '\0';
    if (unit[0] != '\0' && strcmp(unit, "threads") != 0)
        used += (size_t)snprintf(out + used, 96 - used, "_%s", unit);
    for (size_t i = 0; i < used; i++)
        out[i] = (char)tolower((unsigned char)out[i]);
    return out;
}

/* What is not known or not there is null. */
static void add_text(struct sink *sink, const char *name, const char *value)
{
    char key[96];
    if (value[0] == '\0' || strcmp(value, NOTHING) == 0)
        cJSON_AddNullToObject(sink->state, json_name(key, name, ""));
    else
        cJSON_AddStringToObject(sink->state, json_name(key, name, ""), value);
}

static void add_number(struct sink *sink, const char *name, double value, const char *unit)
{
    char key[96];
    cJSON_AddNumberToObject(sink->state, json_name(key, name, unit), value);
}

static void add_flag(struct sink *sink, const char *name, int value)
{
    char key[96];
    cJSON_AddBoolToObject(sink->state, json_name(key, name, ""), value != 0);
}

static void add_triple(struct sink *sink, const char *name, const int value[3])
{
    char key[96];
    cJSON_AddItemToObject(sink->state, json_name(key, name, ""), cJSON_CreateIntArray(value, 3));
}
#endif

/* --- the facts ------------------------------------------------------------------------------------------------------ */

static const char *class_name(int device_class)
{
    static const char *const names[] = {"GPU", "accelerator", "CPU"};
    return device_class >= 0 && device_class < 3 ? names[device_class] : "unknown";
}

/* A device without a PCI address is known to programs by one that no bus has. */
static void tell_pci(struct sink *to, int device)
{
    char pci[32] = "";
    if (cudaDeviceGetPCIBusId(pci, (int)sizeof pci, device) != cudaSuccess ||
        strncmp(pci, "FFFF:", 5) == 0)
        strcpy(pci, NOTHING);
    to->text(to, "PCI address", pci);
}

static void tell_cuda(struct sink *to, const struct cudaDeviceProp *p, int device)
{
    char capability[16];
    int clock = 0;
    cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device);
    snprintf(capability, sizeof capability, "%d.%d", p->major, p->minor);
    to->text(to, "name", p->name);
    to->text(to, "compute capability", capability);
    tell_pci(to, device);
    to->number(to, "global memory", (double)p->totalGlobalMem, "bytes");
    to->number(to, "multiprocessors (compute units)", p->multiProcessorCount, "");
    to->number(to, "clock", clock, "kHz");
    to->number(to, "last-level cache", p->l2CacheSize, "bytes");
    to->number(to, "constant memory", (double)p->totalConstMem, "bytes");
    to->number(to, "shared memory per block", (double)p->sharedMemPerBlock, "bytes");
    to->number(to, "warp size", p->warpSize, "threads");
    to->number(to, "threads per block", p->maxThreadsPerBlock, "");
    to->triple(to, "block dimensions", p->maxThreadsDim);
    to->triple(to, "grid dimensions", p->maxGridSize);
    to->number(to, "pitch", (double)p->memPitch, "bytes");
    to->number(to, "texture alignment", (double)p->textureAlignment, "bytes");
    to->number(to, "1D texture width", p->maxTexture1D, "texels");
    to->flag(to, "concurrent copy and kernel", p->asyncEngineCount > 0);
    to->flag(to, "integrated (shares memory with the host)", p->integrated);
    to->flag(to, "maps host memory", p->canMapHostMemory);
    to->flag(to, "unified addressing", p->unifiedAddressing);
    to->flag(to, "managed memory", p->managedMemory);
    to->flag(to, "memory pools", p->memoryPoolsSupported);
    to->flag(to, "cooperative launch", p->cooperativeLaunch);
    to->flag(to, "ECC", p->ECCEnabled);
}

static void tell_opencl(struct sink *to, const clemDeviceInfo *i)
{
    to->text(to, "kind", class_name(i->deviceClass));
    to->text(to, "OpenCL platform", i->platformName);
    to->text(to, "OpenCL version", i->deviceVersion);
    to->text(to, "OpenCL C version", i->languageVersion);
    to->text(to, "driver", i->driverVersion);
    to->text(to, "vendor", i->vendor);
    to->text(to, "address strategy", clemAddressName(i->address));
    to->text(to, "address strategy reason", i->addressReason);
    to->flag(to, "kernels reach pinned host memory", i->reachesPinnedHostMemory);
    to->flag(to, "images", i->hasImages);
    to->number(to, "image width", (double)i->imageMaxWidth, "texels");
    to->number(to, "image height", (double)i->imageMaxHeight, "texels");
    to->number(to, "image from buffer", (double)i->imageBufferMaxPixels, "texels");
    to->flag(to, "SVM coarse-grained", i->svmCoarse);
    to->flag(to, "SVM fine-grained", i->svmFine);
    to->flag(to, "SVM system", i->svmSystem);
    to->flag(to, "SVM atomics", i->svmAtomics);
    to->flag(to, "unified shared memory", i->hasUsm);
    to->flag(to, "buffer device addresses", i->hasBda);
    to->flag(to, "SPIR-V", i->hasSpirv);
    to->flag(to, "double precision", i->hasDouble);
    to->flag(to, "half precision", i->hasHalf);
    to->number(to, "largest allocation", (double)i->maxAllocationBytes, "bytes");
}

/* A device that cannot be opened is told as far as it is known, with the reason. */
static int tell_device(struct sink *to, int device)
{
    struct cudaDeviceProp properties;
    clemDeviceInfo info;
    cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess)
        tell_cuda(to, &properties, device);
    memset(&info, 0, sizeof info);
    cudaError_t opened = clemGetDeviceInfo(&info, device);
    tell_opencl(to, &info);
    if (opened != cudaSuccess)
        to->text(to, "error", cudaGetErrorString(opened));
    return error != cudaSuccess || opened != cudaSuccess;
}

static int print_devices(int count)
{
    int failures = 0;
    int version = 0;
    struct sink text = {print_text, print_number, print_flag, print_triple, NULL};
    cudaRuntimeGetVersion(&version);
    printf("clem %d.%d.%d, CUDA %d.%d, %d device%s\n", CLEM_VERSION_MAJOR, CLEM_VERSION_MINOR,
           CLEM_VERSION_PATCH, version / 1000, version % 1000 / 10, count, count == 1 ? "" : "s");
    for (int i = 0; i < count; i++) {
        printf("\nDevice %d\n", i);
        failures += tell_device(&text, i);
    }
    return failures;
}

static int print_brief(int count)
{
    int failures = 0;
    for (int i = 0; i < count; i++) {
        struct cudaDeviceProp properties;
        clemDeviceInfo info;
        memset(&info, 0, sizeof info);
        failures += cudaGetDeviceProperties(&properties, i) != cudaSuccess;
        const int is_refused = clemGetDeviceInfo(&info, i) != cudaSuccess;
        failures += is_refused;
        printf("%d: %s (%s), %s, strategy %s%s%s\n", i, properties.name, info.platformName,
               info.deviceVersion, clemAddressName(info.address), is_refused ? ": " : "",
               is_refused ? info.addressReason : "");
    }
    return failures;
}

#ifdef HAS_CJSON
static int print_json(int count)
{
    int failures = 0;
    cJSON *root = cJSON_CreateObject();
    cJSON *devices = cJSON_AddArrayToObject(root, "devices");
    cJSON_AddStringToObject(root, "tool", "clem-info");
    cJSON_AddNumberToObject(root, "schema", JSON_SCHEMA);
    for (int i = 0; i < count; i++) {
        cJSON *device = cJSON_CreateObject();
        struct sink json = {add_text, add_number, add_flag, add_triple, device};
        cJSON_AddItemToArray(devices, device);
        failures += tell_device(&json, i);
    }
    char *text = cJSON_Print(root);
    failures += text == NULL;
    if (text != NULL)
        puts(text);
    free(text);
    cJSON_Delete(root);
    return failures;
}
#else
static int print_json(int count)
{
    (void)count;
    fprintf(stderr, "clem-info was built without libcjson: no --json\n");
    return 1;
}
#endif

static int usage(FILE *to, int code)
{
    fprintf(to,
            "usage: clem-info [--brief | --json | --peaks | --help | --version]\n"
            "Shows every OpenCL device as CUDA sees it: all that is known, one line each\n"
            "(--brief), or as JSON (--json), whose names end in their units; or what large copies "
            "reach\n"
            "on the first device (--peaks): to it, from it and within it, in bytes a second.\n"
            "CLEM_DEVICE chooses devices, by these numbers where it is not set; beside a GPU,\n"
            "programs see CPUs only if it names them or is \"all\".\n"
            "CLEM_ADDRESS forces an address strategy.\n"
            "Exit status: 0, 1 when a device cannot be opened, 2 when there is none, 64 for wrong\n"
            "usage, which a CLEM_DEVICE that no device matches is, 74 when the answer cannot be "
            "written.\n");
    return code;
}

static int no_device(cudaError_t error)
{
    if (clemDeviceChoiceIsUnmet())
        return EXIT_USAGE; /* which has been said */
    fprintf(stderr,
            "clem-info: %s\n"
            "No OpenCL device was found. Install a driver for your GPU, or PoCL for the CPU:\n"
            "    sudo apt-get install pocl-opencl-icd\n",
            cudaGetErrorString(error));
    return EXIT_NO_DEVICE;
}

static int show_devices(int (*show)(int count))
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    return error == cudaSuccess ? show(count) != 0 : no_device(error);
}

static int answer(int argc, char **argv)
{
    enum { BRIEF = 256, JSON, PEAKS, VERSION };
    static const struct option options[] = {
        {"brief", no_argument, NULL, BRIEF}, {"json", no_argument, NULL, JSON},
        {"peaks", no_argument, NULL, PEAKS}, {"version", no_argument, NULL, VERSION},
        {"help", no_argument, NULL, 'h'},    {NULL, 0, NULL, 0}};
    const int option = getopt_long(argc, argv, "h", options, NULL);
    if (option == PEAKS && optind == argc)
        return clem_peaks_print();
    setenv("CLEM_DEVICE", "all", 0); /* those too that programs do not see unasked */
    if (optind < argc && option != '?')
        return usage(stderr, EXIT_USAGE); /* one option, and nothing else */
    switch (option) {
    case -1:
        return show_devices(print_devices);
    case BRIEF:
        return show_devices(print_brief);
    case JSON:
        return show_devices(print_json);
    case 'h':
        return usage(stdout, 0);
    case VERSION:
        printf("clem-info %d.%d.%d\n", CLEM_VERSION_MAJOR, CLEM_VERSION_MINOR, CLEM_VERSION_PATCH);
        return 0;
    default:
        return EXIT_USAGE;
    }
}

int main(int argc, char **argv)
{
    const int status = answer(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    perror("clem-info");
    return EXIT_OUTPUT;
}
