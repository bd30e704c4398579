/* The command line.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "bench/runtime.h"

enum { LIST = 256, LIST_DEVICES, CSV, JSON, QUICK, FULL, COMPARE, VERSION };

static const struct option long_options[] = {
    {"list", no_argument, NULL, LIST},        {"list-devices", no_argument, NULL, LIST_DEVICES},
    {"device", required_argument, NULL, 'd'}, {"filter", required_argument, NULL, 'f'},
    {"format", required_argument, NULL, 'F'}, {"output", required_argument, NULL, 'o'},
    {"csv", required_argument, NULL, CSV},    {"json", required_argument, NULL, JSON},
    {"quick", no_argument, NULL, QUICK},      {"full", no_argument, NULL, FULL},
    {"compare", no_argument, NULL, COMPARE},  {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, VERSION},  {NULL, 0, NULL, 0},
};

void options_help(void)
{
    printf(
        "Usage: %s [options]\n"
        "       %s --compare A.json B.json [A2.json B2.json ...]\n"
        "\n"
        "Measures copies, fills, kernels, allocation and calls through the CUDA API on each "
        "device, beside the\n"
        "best raw OpenCL way and plain C on the host where these exist.\n"
        "\n"
        "  --list                 the rows, and what each is\n"
        "  --list-devices         the devices\n"
        "  -d, --device WHICH     a number, part of a name, or all (the default)\n"
        "  -f, --filter PREFIXES  only rows whose names begin so; commas between several\n"
        "  --format FORMAT        text (the default), csv or json\n"
        "  -o, --output FILE      there instead of on standard output\n"
        "  --csv FILE, --json FILE  these as well\n"
        "  --quick, --full        few short samples, or all sizes and longer samples\n"
        "  --compare              medians of the ratios between pairs of JSON files, row by row\n"
        "  --help, --version\n"
        "\n"
        "GB is 10^9 bytes. Exit status: 0, 1 when data was wrong, 2 when there is no device, 64 "
        "for wrong usage.\n",
        runtime_program(), runtime_program());
}

static bool parse_format(struct options *options, const char *name)
{
    static const char *const names[] = {"text", "csv", "json"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            options->format = (enum format)i;
            return true;
        }
    }
    fprintf(stderr, "%s: unknown format: %s\n", runtime_program(), name);
    return false;
}

static bool take(struct options *options, int option)
{
    switch (option) {
    case LIST:
        options->action = ACTION_LIST;
        return true;
    case LIST_DEVICES:
        options->action = ACTION_LIST_DEVICES;
        return true;
    case COMPARE:
        options->action = ACTION_COMPARE;
        return true;
    case VERSION:
        options->action = ACTION_VERSION;
        return true;
    case 'h':
        options->action = ACTION_HELP;
        return true;
    case 'd':
        options->device = optarg;
        return true;
    case 'f':
        options->filter = optarg;
        return true;
    case 'o':
        options->output = optarg;
        return true;
    case CSV:
        options->csv = optarg;
        return true;
    case JSON:
        options->json = optarg;
        return true;
    case QUICK:
        options->mode = MODE_QUICK;
        return true;
    case FULL:
        options->mode = MODE_FULL;
        return true;
    case 'F':
        return parse_format(options, optarg);
    default:
        return false;
    }
}

bool options_parse(struct options *options, int argc, char **argv)
{
    int option;
    *options = (struct options){.mode = MODE_NORMAL, .device = "all"};
    while ((option = getopt_long(argc, argv, "d:f:o:h", long_options, NULL)) != -1)
        if (!take(options, option))
            return false;
    options->files = argv + optind;
    options->file_count = argc - optind;
    if (options->action == ACTION_COMPARE) {
        if (options->file_count >= 2 && options->file_count % 2 == 0)
            return true;
        fprintf(stderr, "%s: --compare takes pairs of JSON files\n", runtime_program());
        return false;
    }
    if (options->file_count == 0)
        return true;
    fprintf(stderr, "%s: unknown argument: %s\n", runtime_program(), options->files[0]);
    return false;
}
