/* clemcc: compiles CUDA programs for clem with clang and no NVIDIA file. Takes nvcc's options.
 *
 * A .cu file is compiled twice: for the device, to PTX text, and for the host, with that text in the
 * object as its device code. Everything else goes to clang as it is.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/tools/clemcc.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int clemcc_refuse(const char *what, const char *why)
{
    fprintf(stderr, "clemcc: %s: %s\n", what, why);
    return 1;
}

int clemcc_refuse_memory(void)
{
    return clemcc_refuse("memory", "not enough");
}

/* ---- Where clem is ---- */

/* Beside clemcc in a build tree lies clemcc.paths: the folders of the headers, of the libraries and of
 * the headers that clem refuses. */
static bool read_paths(struct job *job, const char *folder)
{
    char name[4096 + 32];
    snprintf(name, sizeof name, "%s/clemcc.paths", folder);
    FILE *file = fopen(name, "re");
    if (!file)
        return false;
    const bool is_whole = fgets(job->include_dir, sizeof job->include_dir, file) &&
                          fgets(job->library_dir, sizeof job->library_dir, file) &&
                          fgets(job->refused_dir, sizeof job->refused_dir, file);
    fclose(file);
    job->include_dir[strcspn(job->include_dir, "\n")] = 0;
    job->library_dir[strcspn(job->library_dir, "\n")] = 0;
    job->refused_dir[strcspn(job->refused_dir, "\n")] = 0;
    return is_whole;
}

static int find_clem(struct job *job)
{
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return clemcc_refuse("/proc/self/exe", strerror(errno));
    self[length] = 0;
    strcpy(job->self, self);
    const char *folder = dirname(self);
    if (read_paths(job, folder))
        return 0;
    const int include =
        snprintf(job->include_dir, sizeof job->include_dir, "%s/%s", folder, CLEMCC_TO_INCLUDE);
    const int library =
        snprintf(job->library_dir, sizeof job->library_dir, "%s/%s", folder, CLEMCC_TO_LIBRARY);
    if (include >= (int)sizeof job->include_dir || library >= (int)sizeof job->library_dir)
        return clemcc_refuse(folder, "the path is too long");
    snprintf(job->refused_dir, sizeof job->refused_dir, "%s/refused", job->include_dir);
    char *real = realpath(job->library_dir, NULL);
    if (real && strlen(real) < sizeof job->library_dir)
        strcpy(job->library_dir, real);
    free(real);
    return 0;
}

static int find_compiler(struct job *job)
{
    if (clang_find(&job->compiler))
        return 0;
    if (!job->compiler.path[0])
        return clemcc_refuse("clang",
                             "not found in PATH; clang 14 or newer is needed (CLEM_CLANG names "
                             "one)");
    if (job->compiler.version == 0)
        return clemcc_refuse(job->compiler.path, "CLEM_CLANG is no clang that runs");
    return clemcc_refuse(job->compiler.path, "CLEM_CLANG is older than clang 14");
}

/* The beginning of nvcc's verbose output, from which build systems learn folders and targets. */
static void print_variables(const struct job *job)
{
    char top[sizeof job->library_dir + 32];
    snprintf(top, sizeof top, "%s/clem/toolkit", job->library_dir);
    if (access(top, F_OK)) /* in a build tree */
        snprintf(top, sizeof top, "%s/..", job->include_dir);
    const char *path = secure_getenv("PATH");
    fprintf(stderr,
            "#$ TOP=%s\n#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n#$ PATH=%s\n"
            "#$ INCLUDES=-I%s\n#$ LIBRARIES=-L%s\n#$ TARGET=-arch compute_75\n",
            top, top, path ? path : "", job->include_dir, job->library_dir);
}

/* ---- The job ---- */

/* What is made would be written over the file before, or while, that is read. An archive may be added to. */
static bool is_overwritten(const struct job *job, const struct input *input)
{
    struct stat made, read;
    return job->output_name && (job->output != OUTPUT_ARCHIVE || input->is_source) &&
           stat(job->output_name, &made) == 0 && stat(input->name, &read) == 0 &&
           S_ISREG(made.st_mode) && made.st_dev == read.st_dev && made.st_ino == read.st_ino;
}

static int check(const struct job *job)
{
    const bool is_linked = job->output == OUTPUT_PROGRAM || job->output == OUTPUT_ARCHIVE ||
                           job->output == OUTPUT_LINKED_CODE;
    size_t sources = 0;
    for (size_t i = 0; i < job->input_count; i++) {
        const struct input *input = &job->inputs[i];
        if (!is_linked && !input->is_source)
            return clemcc_refuse(input->name, "no source by its name; -x says what it is");
        if (is_overwritten(job, input))
            return clemcc_refuse(input->name, "-o names it too, and would overwrite it");
        sources += input->is_source;
    }
    if (job->is_precompiled && job->is_separable)
        return clemcc_refuse("--precompile", "what -rdc=true compiles is linked when it runs");
    if (job->input_count == 0)
        return clemcc_refuse("no input files", "clemcc --help says how it is used");
    if (!is_linked && job->output_name && sources > 1)
        return clemcc_refuse("-o", "names one file, but several are made");
    return 0;
}

static int print_help(void)
{
    puts("usage: clemcc [options] files\n"
         "Compiles CUDA sources (.cu) with clang 14 or newer, links them with clem, and takes .c,\n"
         ".cpp, objects and libraries beside them. Options are nvcc's, long and short; others go "
         "to\n"
         "clang. CLEM_CLANG names the clang to use.\n"
         "  what is made   -o FILE -odir FOLDER -c -dc -rdc=true -dlink -lib -shared -ptx -fatbin "
         "-E\n"
         "                 -opencl (what kernels become for a CPU, on stdout)\n"
         "                 -precompile (machine code for this CPU as well; with programs, -c, "
         "-fatbin)\n"
         "                 -M -MM -MD -MMD -MF -MT -MP  -run -run-args LIST  -keep -keep-dir "
         "FOLDER\n"
         "  sources        -x cu|c|c++  -std=  -I -isystem -include -D -U  -default-stream\n"
         "  host           -O -g -pg -w -Werror  -Xcompiler LIST  -Xlinker LIST  -L -l\n"
         "  kernels        -G -lineinfo -use_fast_math -ftz= -fmad= -prec-div= -prec-sqrt=\n"
         "  clemcc         -v -dryrun -h -V  @FILE -optf FILE\n"
         "                 -arch -gencode: __CUDA_ARCH__; of several the one that devices take\n"
         "Read over: -code, -Xptxas, -maxrregcount and others of machine code, since every program "
         "is\n"
         "PTX; -cudart, since the runtime is\n"
         "clem's; -ccbin, since clang compiles for the host; -diag-*, numbers of warnings that "
         "clang\n"
         "has not; -t, -time. Refused: -optix-ir, -ltoir, -cuda, -sanitize.");
    return 0;
}

static int print_version(const struct job *job)
{
    const char *name = job->compiler.version ? job->compiler.path : "none that it found";
    printf("clemcc " CLEMCC_VERSION ": a CUDA compiler driver for clem, over clang %u (%s)\n"
           "It takes the place, for build systems that look for these lines, of\n"
           "nvcc: NVIDIA (R) Cuda compiler driver\n"
           "Cuda compilation tools, release 13.0, V13.0.0\n",
           job->compiler.version, name);
    fflush(stdout);
    return 0;
}

static bool has_word(const struct clang_arguments *words, const char *name, const char *long_name)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->values[i], name) == 0 || strcmp(words->values[i], long_name) == 0)
            return true;
    return false;
}

static int make(struct job *job)
{
    int status = 0;
    if (job->output == OUTPUT_LINKED_CODE)
        return clemcc_make_empty_object(job);
    if (job->output == OUTPUT_PROGRAM || job->output == OUTPUT_OBJECTS)
        status = clemcc_check_openmp(job);
    if (status)
        return status;
    if (job->output == OUTPUT_PROGRAM || job->output == OUTPUT_ARCHIVE)
        return clemcc_build(job);
    for (size_t i = 0; i < job->input_count && status == 0; i++)
        status = clemcc_compile_one(job, &job->inputs[i]);
    return status;
}

static int run_job(struct job *job, const struct clang_arguments *words)
{
    if (has_word(words, "-h", "--help"))
        return print_help();
    if (has_word(words, "-arch-ls", "--list-gpu-arch"))
        return puts("compute_75") < 0;
    if (has_word(words, "-code-ls", "--list-gpu-code"))
        return puts("sm_75") < 0;
    int status = find_clem(job);
    if (status == 0 && has_word(words, "-V", "--version")) {
        const bool is_found = clang_find(&job->compiler);
        status = print_version(job);
        return is_found ? status : find_compiler(job);
    }
    if (status == 0)
        status = clemcc_take_words(job, words->count, words->values);
    /* Build systems ask for these, and for the version, also where nothing can be compiled. */
    if (status == 0 && (job->is_verbose || job->is_dry))
        print_variables(job);
    if (status == 0)
        status = find_compiler(job);
    if (status == 0)
        status = check(job);
    return status ? status : make(job);
}

int main(int count, char **words)
{
    static struct job job;
    struct clang_arguments expanded = {0};
    clemcc_watch_signals();
    int status = clemcc_expand(count, words, &expanded);
    if (status == 0 && expanded.count > 0 && strcmp(expanded.values[0], "--launch") == 0)
        status = clemcc_launch(&expanded);
    if (status == 0 && expanded.count > 0 && strcmp(expanded.values[0], "--precompile-into") == 0) {
        status = clemcc_precompile_words(&expanded);
        clang_arguments_free(&expanded);
        return status;
    }
    job.inputs = calloc(expanded.count + 1, sizeof *job.inputs);
    if (status == 0)
        status = job.inputs ? run_job(&job, &expanded) : clemcc_refuse_memory();
    clemcc_remove_scratch(&job);
    clang_arguments_free(&job.both);
    clang_arguments_free(&job.host);
    clang_arguments_free(&job.linker);
    clang_arguments_free(&job.run_words);
    clang_arguments_free(&job.rewritten);
    clang_arguments_free(&expanded);
    free(job.inputs);
    clemcc_heed_signals();
    return status;
}
