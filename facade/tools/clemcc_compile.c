/* Compiling one source. A .cu file is compiled twice: for the device, to PTX text, and for the host,
 * with that text in the object as its device code.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facade/tools/clemcc.h"
#include "kernels/hash.h"

/* Of a device pass. clang shows some twenty errors at a time, and one of a piece of assembly. */
enum { MOST_TRIES = 64 };

/* The text that goes into objects ends with a NUL, by which the loader knows its end. */
static int end_text(const struct job *job, const char *name)
{
    if (job->is_dry)
        return 0;
    FILE *file = fopen(name, "ae");
    if (!file || fputc(0, file) == EOF) {
        const int status = clemcc_refuse(name, strerror(errno));
        if (file)
            fclose(file);
        return status;
    }
    return fclose(file) ? clemcc_refuse(name, strerror(errno)) : 0;
}

/* clang before 17 knows C++23 by the name that it had before. */
static void add_standard(const struct job *job, struct clang_arguments *command, const char *name)
{
    const size_t length = strlen(name);
    const bool is_old =
        job->compiler.version < 17 && length > 2 && !strcmp(name + length - 2, "23");
    clang_arguments_format(command, "-std=%.*s%s", (int)(is_old ? length - 2 : length), name,
                           is_old ? "2b" : "");
}

static void add_language(const struct job *job, struct clang_arguments *command,
                         const struct input *input)
{
    const char *standard = job->standard ? job->standard : input->is_cuda ? "gnu++17" : NULL;
    clang_arguments_add(command, "-idirafter");
    clang_arguments_add(command, job->refused_dir);
    if (input->is_cuda) {
        clang_arguments_add(command, "-x");
        clang_arguments_add(command, "cuda");
        clang_add_common(command, job->include_dir);
    } else {
        if (input->language) {
            clang_arguments_add(command, "-x");
            clang_arguments_add(command, input->language);
        }
        clang_arguments_add(command, "-isystem");
        clang_arguments_add(command, job->include_dir);
    }
    if (standard && (strstr(standard, "++") == NULL) == input->is_c)
        add_standard(job, command, input->is_cuda ? clang_cuda_standard(standard) : standard);
}

/* What one unit keeps to itself gets a name that no other unit has, the same in both passes. */
static void add_separation(const struct job *job, struct clang_arguments *command,
                           const struct input *input)
{
    if (!job->is_separable)
        return;
    char *path = realpath(input->name, NULL);
    const char *name = path ? path : input->name;
    const uint64_t hash = fnv_add(FNV_START, name, strlen(name));
    free(path);
    clang_arguments_add(command, "-fgpu-rdc");
    /* clang's driver does not hand its own on to the host pass. */
    clang_arguments_add(command, "-fuse-cuid=none");
    clang_arguments_add(command, "-Xclang");
    clang_arguments_format(command, "-cuid=%016" PRIx64, hash);
}

static void tell_of_crash(const struct job *job)
{
    if (job->compiler.version >= 19) {
        fprintf(stderr, "clemcc: clang %u itself failed\n", job->compiler.version);
        return;
    }
    fprintf(
        stderr,
        "clemcc: clang %u itself failed; it does where a __device__ variable begins as an address "
        "plus an "
        "offset, and where a function that is called by its address, as virtual ones are, takes a "
        "structure by value. clang 19 does not: CLEM_CLANG names one\n",
        job->compiler.version);
}

/* Ends `text` where clang begins to tell of its crash, and says what it was at: the first line of its own stack, behind that
 * of its arguments. */
static void cut_crash(char *text)
{
    char *report = strstr(text, "PLEASE submit a bug report");
    if (!report)
        return;
    const char *line = strstr(report, "\n1.\t");
    if (line)
        fprintf(stderr, "clemcc: clang was at %.*s\n", (int)strcspn(line + 4, "\n"), line + 4);
    *report = 0;
}

/* What clang refuses of kernels that launch kernels, in its words, and what there is instead. */
static void tell_of_launches(const char *text)
{
    if (strstr(text, "reference to __global__ function"))
        fprintf(stderr,
                "clemcc: clang has no <<<>>> in kernels: clem_launch(kernel, grid, block, shared, "
                "stream, arguments...) of cuda_device_runtime_api.h launches them\n");
    if (strstr(text, "no matching function for call to 'cudaDeviceSynchronize'"))
        fprintf(stderr, "clemcc: CUDA 12 took cudaDeviceSynchronize() away from kernels: what "
                        "comes behind their "
                        "launches goes to cudaStreamTailLaunch\n");
}

/* Another try of a device pass: with what brings that which it lacked, or with sources that were mended. */
static bool can_try_again(struct job *job, int status, const char *text)
{
    if (status != 0 && !job->missing && (job->missing = clang_brings_missing(text)) != NULL)
        return true;
    return status == 1 && clemcc_rewrite(job, text);
}

/* A device pass, in which clang may crash: its errors are shown, but not how it came to them. is_again: NULL in the last
 * try; gets whether to try again, and nothing is shown then. */
static int run_fallible(struct job *job, struct clang_arguments *command, bool *is_again)
{
    char log[sizeof job->scratch + 16];
    if (clemcc_make_scratch(job)) {
        clang_arguments_free(command);
        return 1;
    }
    snprintf(log, sizeof log, "%s/log", job->scratch);
    if (isatty(STDERR_FILENO))
        clang_arguments_add(command, "-fcolor-diagnostics");
    const int status = clemcc_run_logged(job, command, log);
    char *text = job->is_dry ? NULL : clemcc_read_text(log);
    if (is_again && (*is_again = can_try_again(job, status, text))) {
        free(text);
        return status;
    }
    const bool is_silent = !text || !*text;
    if (text && status > 1)
        cut_crash(text);
    if (text)
        fputs(text, stderr);
    if (text && status == 1)
        tell_of_launches(text);
    if (status && !job->is_dry && is_silent)
        fprintf(stderr, "clemcc: clang %u failed, and could not say why in %s: is the disk full?\n",
                job->compiler.version, job->scratch);
    free(text);
    if (status > 1)
        tell_of_crash(job);
    return status;
}

static struct clang_arguments device_command(const struct job *job, const struct input *input,
                                             const char *output)
{
    struct clang_arguments command = clemcc_clang(job);
    add_language(job, &command, input);
    clang_arguments_append(&command, &job->both);
    clang_add_device(&command, &job->compiler, &job->device);
    add_separation(job, &command, input);
    clemcc_add_overlay(job, &command);
    clang_arguments_add(&command, "-w");
    clang_arguments_add(&command, "-o");
    clang_arguments_add(&command, output);
    clang_arguments_add(&command, input->name);
    if (job->missing)
        clang_add_all(&command, job->missing);
    return command;
}

/* The device pass: PTX text into the file `output`. Warnings are the host pass's to give. */
static int compile_device(struct job *job, const struct input *input, const char *output)
{
    bool is_again = true;
    int status = 0;
    job->missing = NULL;
    for (int tries = 0; is_again; tries++) {
        struct clang_arguments command = device_command(job, input, output);
        is_again = false;
        status = run_fallible(job, &command, tries < MOST_TRIES ? &is_again : NULL);
    }
    return status == 0 && job->is_separable ? clemcc_settle_statics(job, output) : status;
}

/* Rules of dependence are about what is asked for, and lie beside it, also where clang makes something
 * else on the way. product: NULL where it makes what is asked for. */
static void add_rules(const struct job *job, struct clang_arguments *command,
                      const struct input *input, const char *product)
{
    const bool is_program = job->output == OUTPUT_PROGRAM;
    if (!job->writes_rules || (!is_program && !product))
        return;
    const char *target = !is_program ? product : job->output_name ? job->output_name : "a.out";
    const char *slash = strrchr(input->name, '/'), *base = slash ? slash + 1 : input->name;
    const char *beside = is_program && !job->output_name ? base : target;
    if (!job->has_rules_target) {
        clang_arguments_add(command, "-MT");
        clang_arguments_add(command, target);
    }
    if (!job->has_rules_name)
        clang_arguments_format(command, "-MF%.*s.d",
                               (int)(strlen(beside) - strlen(clemcc_suffix(beside))), beside);
}

static bool is_identification(const char *name)
{
    static const char wanted[] = "CMakeCUDACompilerId.cu";
    const size_t length = strlen(name);
    return length >= sizeof wanted - 1 && strcmp(name + length - (sizeof wanted - 1), wanted) == 0;
}

/* The host pass, or the only one of what is no CUDA: `mode` is "-c", "-S", "-E" or NULL for -M.
 * product: what rules of dependence are about, unless it is the output. */
static int compile_host(struct job *job, const struct input *input, const char *image,
                        const char *mode, const char *output, const char *product)
{
    struct clang_arguments command = clemcc_clang(job);
    add_language(job, &command, input);
    if (input->is_cuda) {
        clang_add_host(&command, &job->device, image);
        /* CMake takes the options that it needs here for nvcc's alone. */
        if (is_identification(input->name))
            clang_arguments_add(&command, "-D__NVCC__=1");
        add_separation(job, &command, input);
    }
    clang_arguments_append(&command, &job->both);
    clang_arguments_append(&command, &job->host);
    if (input->is_cuda)
        clemcc_add_overlay(job, &command);
    if (input->is_cuda && job->missing && strcmp(job->missing[0], "-include") == 0)
        clang_add_all(&command, job->missing);
    add_rules(job, &command, input, product);
    if (mode)
        clang_arguments_add(&command, mode);
    if (output) {
        clang_arguments_add(&command, "-o");
        clang_arguments_add(&command, output);
    }
    clang_arguments_add(&command, input->name);
    return clemcc_run(job, &command);
}

/* By way of assembly, in which the call can be told from what only looks like it. */
static int compile_separate_host(struct job *job, const struct input *input, const char *image,
                                 const char *output)
{
    char *assembly = NULL;
    if (asprintf(&assembly, "%s/%zu.s", job->scratch, (size_t)(input - job->inputs)) < 0)
        return clemcc_refuse_memory();
    int status = compile_host(job, input, image, "-S", assembly, output);
    if (status == 0)
        status = clemcc_rename_registration(job, assembly);
    if (status == 0) {
        struct clang_arguments command = clemcc_clang(job);
        clang_arguments_add(&command, "-w");
        clang_arguments_add(&command, "-c");
        clang_arguments_add(&command, assembly);
        clang_arguments_add(&command, "-o");
        clang_arguments_add(&command, output);
        status = clemcc_run(job, &command);
    }
    free(assembly);
    return status;
}

/* The device pass, into a file whose name the caller frees, also after errors. */
static int make_image(struct job *job, const struct input *input, char **image)
{
    if (clemcc_make_scratch(job))
        return 1;
    if (job->is_kept)
        *image = clemcc_named_after(input->name, job->keep_dir, ".ptx");
    else if (asprintf(image, "%s/%zu.ptx", job->scratch, (size_t)(input - job->inputs)) < 0)
        *image = NULL;
    return *image ? compile_device(job, input, *image) : clemcc_refuse_memory();
}

/* The image becomes a container of the PTX and its machine code, in the scratch folder. */
static int precompile_image(struct job *job, const struct input *input, char **image)
{
    char *container = NULL;
    if (asprintf(&container, "%s/%zu.fatbin", job->scratch, (size_t)(input - job->inputs)) < 0)
        return clemcc_refuse_memory();
    const int status = clemcc_wrap_precompiled(job, *image, container);
    free(*image);
    *image = container;
    return status;
}

int clemcc_compile_object(struct job *job, const struct input *input, const char *output)
{
    if (!input->is_cuda)
        return compile_host(job, input, NULL, "-c", output, NULL);
    char *image = NULL;
    int status = make_image(job, input, &image);
    if (status == 0)
        status = job->is_precompiled ? precompile_image(job, input, &image) : end_text(job, image);
    if (status == 0)
        status = job->is_separable ? compile_separate_host(job, input, image, output)
                                   : compile_host(job, input, image, "-c", output, NULL);
    free(image);
    return status;
}

static int make_fatbin(struct job *job, const struct input *input, const char *output)
{
    char *image = NULL;
    int status = make_image(job, input, &image);
    if (status == 0)
        status = job->is_precompiled ? clemcc_wrap_precompiled(job, image, output)
                                     : clemcc_wrap_ptx(job, image, NULL, output);
    free(image);
    return status;
}

/* Without -o to stdout, to be read. */
static int show_opencl(struct job *job, const struct input *input)
{
    char *image = NULL;
    int status = make_image(job, input, &image);
    if (status == 0)
        status = clemcc_write_opencl(job, image, job->output_name);
    free(image);
    return status;
}

static const char *suffix_of_product(enum output output)
{
    switch (output) {
    case OUTPUT_PTX:
        return ".ptx";
    case OUTPUT_CUBIN:
        return ".cubin";
    case OUTPUT_FATBIN:
        return ".fatbin";
    default:
        return ".o";
    }
}

int clemcc_compile_one(struct job *job, const struct input *input)
{
    char *made = job->output_name ? strdup(job->output_name)
                                  : clemcc_named_after(input->name, job->output_dir,
                                                       suffix_of_product(job->output));
    if (!made)
        return clemcc_refuse_memory();
    int status = 0;
    if (job->output == OUTPUT_PREPROCESSED)
        status = compile_host(job, input, NULL, "-E", job->output_name, NULL);
    else if (job->output == OUTPUT_RULES)
        status = compile_host(job, input, NULL, NULL, job->output_name, NULL);
    else if (job->output == OUTPUT_OBJECTS)
        status = clemcc_compile_object(job, input, made);
    else if (input->is_cuda && job->output == OUTPUT_OPENCL)
        status = show_opencl(job, input);
    else if (input->is_cuda)
        status = job->output == OUTPUT_FATBIN ? make_fatbin(job, input, made)
                                              : compile_device(job, input, made);
    free(made);
    return status;
}
