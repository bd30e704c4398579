/* The command line.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "bench/runtime.h"

enum {
    LIST = 256,
    LIST_DEVICES,
    SEED_ROWS,
    CSV,
    JSON,
    QUICK,
    NORMAL,
    FULL,
    TABLE,
    SHARE,
    COMPARE,
    VERSION
};

static const struct option long_options[] = {
    {"list", no_argument, NULL, LIST},           {"list-devices", no_argument, NULL, LIST_DEVICES},
    {"seed-rows", no_argument, NULL, SEED_ROWS}, {"device", required_argument, NULL, 'd'},
    {"filter", required_argument, NULL, 'f'},    {"format", required_argument, NULL, 'F'},
    {"output", required_argument, NULL, 'o'},    {"csv", required_argument, NULL, CSV},
    {"json", required_argument, NULL, JSON},     {"share", required_argument, NULL, SHARE},
    {"quick", no_argument, NULL, QUICK},         {"normal", no_argument, NULL, NORMAL},
    {"full", no_argument, NULL, FULL},           {"table", no_argument, NULL, TABLE},
    {"compare", no_argument, NULL, COMPARE},     {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, VERSION},     {NULL, 0, NULL, 0},
};

void options_help(void)
{
    printf(
        "Usage: %s [options]\n"
        "       %s --compare EARLIER.json [options]\n"
        "       %s --compare A.json B.json [A2.json B2.json ...]\n"
        "       %s report A.json|FOLDER [B.json ...] -o REPORT.html\n"
        "\n"
        "Measures copies, fills, kernels, allocation and calls through the CUDA API on each "
        "device, beside the\n"
        "best raw OpenCL way and plain C on the host where these exist.\n"
        "\n"
        "  --list                 the rows, and what each is\n"
        "  --list-devices         the devices\n"
        "  --seed-rows            the 71 promised rows, and the rows and tests that cover each\n"
        "  -d, --device WHICH     a number, part of a name, or all (the default)\n"
        "  -f, --filter PREFIXES  only rows whose names begin so; =NAME is that row alone; commas "
        "between several\n"
        "  --format FORMAT        text (the default), csv or json\n"
        "  -o, --output FILE      there instead of on standard output\n"
        "  --csv FILE, --json FILE  these as well\n"
        "  --share FILE           what a table of devices needs of the run, and nothing private\n"
        "  --quick, --normal, --full  all rows: few short samples; the usual; all sizes and longer "
        "samples. A full\n"
        "                         run keeps what it has in FILE.part; started again, it goes on "
        "there. Without any of\n"
        "                         these: 15 patterns in a minute, or the rows of --filter as "
        "--normal measures them\n"
        "  --table                the text has all results; with --filter it has them anyway\n"
        "  --compare              with one file: its rows again on its devices, and which of them "
        "moved by more\n"
        "                         than their noise; with pairs: medians of the ratios of their "
        "rows\n"
        "  report                 one HTML page with the devices of all files side by side; a "
        "folder is all its\n"
        "                         .json files\n"
        "  --help, --version\n"
        "\n"
        "GB is 10^9 bytes. Exit status: 0, 1 when data was wrong, 2 when there is no device, 3 "
        "when --compare finds\n"
        "slower rows, 64 for wrong usage, which rows and devices that do not exist are, 74 when a "
        "file cannot be read or written; of report also "
        "65 for a file\n"
        "that is no result and 66 for one that is not there.\n",
        runtime_program(), runtime_program(), runtime_program(), runtime_program());
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

static bool take_mode(struct options *options, enum mode mode)
{
    options->mode = mode;
    options->has_mode = true;
    return true;
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
    case SEED_ROWS:
        options->action = ACTION_SEED_ROWS;
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
    case SHARE:
        options->share = optarg;
        return true;
    case QUICK:
        return take_mode(options, MODE_QUICK);
    case NORMAL:
        return take_mode(options, MODE_NORMAL);
    case FULL:
        return take_mode(options, MODE_FULL);
    case TABLE:
        options->wants_tables = true;
        return true;
    case 'F':
        return parse_format(options, optarg);
    default:
        return false;
    }
}

/* The arguments as they were, for whoever wants to repeat the run. */
static void keep_command(struct options *options, int argc, char **argv)
{
    size_t used =
        (size_t)snprintf(options->command, sizeof options->command, "%s", runtime_program());
    for (int i = 1; i < argc && used < sizeof options->command; i++)
        used += (size_t)snprintf(options->command + used, sizeof options->command - used, " %s",
                                 argv[i]);
}

static bool refuse(const char *what, const char *which)
{
    fprintf(stderr, "%s: %s %s\n", runtime_program(), what, which);
    return false;
}

/* One file: this run is compared with it. */
static bool settle_compare(struct options *options)
{
    if (options->file_count == 1) {
        options->action = ACTION_RUN;
        options->earlier = options->files[0];
        return true;
    }
    return (options->file_count >= 2 && options->file_count % 2 == 0) ||
           refuse("--compare takes", "one JSON file or pairs of them");
}

static bool settle(struct options *options)
{
    if (options->action == ACTION_COMPARE)
        return settle_compare(options);
    if (options->action == ACTION_REPORT)
        return (options->file_count > 0 && options->output) ||
               refuse("report takes", "JSON files and -o FILE.html");
    return options->file_count == 0 || refuse("unknown argument:", options->files[0]);
}

bool options_parse(struct options *options, int argc, char **argv)
{
    int option;
    *options = (struct options){.mode = MODE_FIRST, .device = "all"};
    keep_command(options, argc, argv);
    if (argc > 1 && strcmp(argv[1], "report") == 0) {
        options->action = ACTION_REPORT;
        argc--;
        argv++;
    }
    while ((option = getopt_long(argc, argv, "d:f:o:h", long_options, NULL)) != -1)
        if (!take(options, option))
            return false;
    options->files = argv + optind;
    options->file_count = argc - optind;
    if (options->filter && !options->has_mode)
        options->mode = MODE_NORMAL;
    return settle(options);
}
