/* clemcc: compiles CUDA programs for clem with clang and no NVIDIA file. Takes nvcc's options.
 *
 * A .cu file is compiled twice: for the device, to PTX text, and for the host, with that text in the
 * object as its device code. Everything else goes to clang as it is.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <libgen.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "facade/clang_flags.h"

extern char **environ;

enum output {
    OUTPUT_PROGRAM,
    OUTPUT_OBJECTS,
    OUTPUT_PTX,
    OUTPUT_PREPROCESSED,
    OUTPUT_RULES,
    OUTPUT_LINKED_CODE /* -dlink */
};

enum language { LANGUAGE_BY_NAME, LANGUAGE_CUDA, LANGUAGE_OTHER };

/* A source, or something for the linker in its place among them. */
struct input {
    const char *name;
    const char *language; /* of -x; NULL: by its name */
    bool is_source, is_cuda;
};

struct job {
    enum output output;
    const char *output_name, *output_dir;
    const char *language; /* of the last -x */
    bool is_verbose, is_dry, is_shared, is_separable;
    bool has_standard, has_rules_name; /* -std, -MF */
    bool has_rules_target;             /* -MT, -MQ */
    bool writes_rules;                 /* -MD, -MMD */
    struct clang_device_options device;
    struct clang_arguments both;   /* to every compilation */
    struct clang_arguments host;   /* to compilations for the host and to the linker */
    struct clang_arguments linker; /* to the linker alone, after the inputs */
    struct input *inputs;
    size_t input_count;
    struct clang_compiler compiler;
    char self[4096];
    char include_dir[4096], library_dir[4096], refused_dir[4096 + 16];
    char scratch[4096]; /* folder for what is thrown away; empty before the first use */
};

static int refuse(const char *what, const char *why)
{
    fprintf(stderr, "clemcc: %s: %s\n", what, why);
    return 1;
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
        return refuse("/proc/self/exe", strerror(errno));
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
        return refuse(folder, "the path is too long");
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
        return refuse("clang", "not found in PATH; clang 14 or newer is needed (CLEM_CLANG names "
                               "one)");
    if (job->compiler.version == 0)
        return refuse(job->compiler.path, "CLEM_CLANG is no clang that runs");
    return refuse(job->compiler.path, "CLEM_CLANG is older than clang 14");
}

/* ---- Running clang ---- */

static void print_command(const struct clang_arguments *command)
{
    fputs("#$ ", stderr);
    for (size_t i = 0; i < command->count; i++) {
        const char *value = command->values[i];
        const bool is_plain = *value && !strpbrk(value, " \t\n\"'\\$`&|;<>()*?#~");
        fprintf(stderr, is_plain ? "%s%s" : "%s'%s'", i ? " " : "", value);
    }
    fputc('\n', stderr);
}

/* Runs a command and frees it. Returns its exit status, or 1. */
static int run_command(const struct job *job, struct clang_arguments *command)
{
    int status = 0;
    if (command->has_failed) {
        status = refuse("memory", "not enough");
    } else {
        if (job->is_verbose || job->is_dry)
            print_command(command);
        pid_t child;
        int error = 0;
        if (!job->is_dry) {
            error = posix_spawnp(&child, command->values[0], NULL, NULL, command->values, environ);
            if (error)
                status = refuse(command->values[0], strerror(error));
            else
                while (waitpid(child, &status, 0) < 0 && errno == EINTR)
                    ;
        }
    }
    clang_arguments_free(command);
    return status == 0 ? 0 : WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 1;
}

/* The beginning of nvcc's verbose output, from which build systems learn folders and targets. */
static void print_variables(const struct job *job)
{
    char *root = strdup(job->include_dir);
    const char *top = root ? dirname(root) : "/", *path = getenv("PATH");
    fprintf(stderr,
            "#$ TOP=%s\n#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n#$ PATH=%s\n"
            "#$ INCLUDES=-I%s\n#$ LIBRARIES=-L%s\n#$ TARGET=-arch compute_75\n",
            top, top, path ? path : "", job->include_dir, job->library_dir);
    free(root);
}

static struct clang_arguments clang_command(const struct job *job)
{
    struct clang_arguments command = {0};
    clang_arguments_add(&command, job->compiler.path);
    return command;
}

/* ---- Files ---- */

static int remove_one(const char *name, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts, (void)kind, (void)place;
    return remove(name);
}

static void remove_scratch(struct job *job)
{
    if (job->scratch[0])
        nftw(job->scratch, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static int make_scratch(struct job *job)
{
    if (job->scratch[0])
        return 0;
    const char *folder = getenv("TMPDIR");
    snprintf(job->scratch, sizeof job->scratch, "%s/clemcc-XXXXXX",
             folder && *folder ? folder : "/tmp");
    if (mkdtemp(job->scratch))
        return 0;
    const int status = refuse(job->scratch, strerror(errno));
    job->scratch[0] = 0;
    return status;
}

static const char *suffix_of(const char *name)
{
    const char *last = strrchr(name, '/');
    const char *dot = strrchr(last ? last : name, '.');
    return dot ? dot : "";
}

/* folder/stem.suffix of a source; folder NULL: the current one. The caller frees it. */
static char *named_after(const char *source, const char *folder, const char *suffix)
{
    const char *last = strrchr(source, '/');
    const char *base = last ? last + 1 : source;
    const size_t stem = strlen(base) - strlen(suffix_of(base));
    char *name = NULL;
    if (asprintf(&name, "%s%s%.*s%s", folder ? folder : "", folder ? "/" : "", (int)stem, base,
                 suffix) < 0)
        return NULL;
    return name;
}

/* The text that goes into objects ends with a NUL, by which the loader knows its end. */
static int end_text(const struct job *job, const char *name)
{
    if (job->is_dry)
        return 0;
    FILE *file = fopen(name, "ae");
    if (!file || fputc(0, file) == EOF) {
        const int status = refuse(name, strerror(errno));
        if (file)
            fclose(file);
        return status;
    }
    return fclose(file) ? refuse(name, strerror(errno)) : 0;
}

/* ---- Compiling ---- */

static void add_language(const struct job *job, struct clang_arguments *command,
                         const struct input *input)
{
    clang_arguments_add(command, "-idirafter");
    clang_arguments_add(command, job->refused_dir);
    if (input->is_cuda) {
        clang_arguments_add(command, "-x");
        clang_arguments_add(command, "cuda");
        clang_add_common(command, job->include_dir);
        if (!job->has_standard)
            clang_arguments_add(command, "-std=gnu++17");
    } else {
        if (input->language) {
            clang_arguments_add(command, "-x");
            clang_arguments_add(command, input->language);
        }
        clang_arguments_add(command, "-isystem");
        clang_arguments_add(command, job->include_dir);
    }
}

/* What one unit keeps to itself gets a name that no other unit has, the same in both passes. */
static void add_separation(const struct job *job, struct clang_arguments *command,
                           const struct input *input)
{
    if (!job->is_separable)
        return;
    char *path = realpath(input->name, NULL);
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (const char *at = path ? path : input->name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
    free(path);
    clang_arguments_add(command, "-fgpu-rdc");
    clang_arguments_format(command, "-cuid=%016" PRIx64, hash);
}

/* The device pass: PTX text into the file `output`. Warnings are the host pass's to give. */
static int compile_device(struct job *job, const struct input *input, const char *output)
{
    struct clang_arguments command = clang_command(job);
    add_language(job, &command, input);
    clang_arguments_append(&command, &job->both);
    clang_add_device(&command, &job->compiler, &job->device);
    add_separation(job, &command, input);
    clang_arguments_add(&command, "-w");
    clang_arguments_add(&command, "-o");
    clang_arguments_add(&command, output);
    clang_arguments_add(&command, input->name);
    const int status = run_command(job, &command);
    if (status > 1 && job->compiler.version < 19)
        fprintf(stderr,
                "clemcc: clang %u itself failed; it does where a __device__ variable begins as an "
                "address plus an offset. clang 19 does not: CLEM_CLANG names one\n",
                job->compiler.version);
    return status;
}

static void add_rules(const struct job *job, struct clang_arguments *command,
                      const struct input *input, const char *product)
{
    if (product && job->writes_rules && !job->has_rules_target) {
        clang_arguments_add(command, "-MT");
        clang_arguments_add(command, product);
    }
    if (product && job->writes_rules && !job->has_rules_name && job->output != OUTPUT_PROGRAM) {
        const size_t stem = strlen(product) - strlen(suffix_of(product));
        clang_arguments_format(command, "-MF%.*s.d", (int)stem, product);
    }
    if (job->output != OUTPUT_PROGRAM || !job->writes_rules || job->has_rules_name)
        return;
    char *name = named_after(job->output_name ? job->output_name : input->name, NULL, ".d");
    if (!name) {
        command->has_failed = true;
        return;
    }
    clang_arguments_add(command, "-MF");
    clang_arguments_add(command, name);
    free(name);
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
    struct clang_arguments command = clang_command(job);
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
    add_rules(job, &command, input, product);
    if (mode)
        clang_arguments_add(&command, mode);
    if (output) {
        clang_arguments_add(&command, "-o");
        clang_arguments_add(&command, output);
    }
    clang_arguments_add(&command, input->name);
    return run_command(job, &command);
}

/* clang has each separately compiled unit call a registering function with the unit's number in its
 * name, which a linker of device code would write. Here they all call the library's, which links the
 * code when it is needed. A number is that of the file's name, which need not be the only one of
 * the name; nothing refers to the symbol that it makes. */
static void name_registration(char *text)
{
    static const struct {
        const char *from, *to; /* to: not longer */
        bool has_number;
    } names[] = {{"__cudaRegisterLinkedBinary__nv_", "__clemRegisterLinkedBinary", true},
                 {".globl\t__fatbinwrap__nv_", ".weak\t__fatbinwrap__nv_", false}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i].from), written = strlen(names[i].to);
        for (char *at = text; (at = strstr(at, names[i].from)); at += written) {
            const char *rest = at + length;
            if (names[i].has_number)
                rest += strspn(rest, "0123456789abcdef");
            memcpy(at, names[i].to, written);
            memmove(at + written, rest, strlen(rest) + 1);
        }
    }
}

static char *read_text(const char *name)
{
    FILE *file = fopen(name, "re");
    char *text = NULL;
    size_t room = 0;
    if (file && getdelim(&text, &room, 0, file) < 0) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

static int rename_registration(const struct job *job, const char *assembly)
{
    if (job->is_dry)
        return 0;
    char *text = read_text(assembly);
    if (text)
        name_registration(text);
    FILE *file = text ? fopen(assembly, "we") : NULL;
    int status = file && fputs(text, file) >= 0 ? 0 : refuse(assembly, strerror(errno));
    if (file && fclose(file))
        status = refuse(assembly, strerror(errno));
    free(text);
    return status;
}

/* By way of assembly, in which the call can be told from what only looks like it. */
static int compile_separate_host(struct job *job, const struct input *input, const char *image,
                                 const char *output)
{
    char *assembly = NULL;
    if (asprintf(&assembly, "%s/%zu.s", job->scratch, (size_t)(input - job->inputs)) < 0)
        return refuse("memory", "not enough");
    int status = compile_host(job, input, image, "-S", assembly, output);
    if (status == 0)
        status = rename_registration(job, assembly);
    if (status == 0) {
        struct clang_arguments command = clang_command(job);
        clang_arguments_add(&command, "-w");
        clang_arguments_add(&command, "-c");
        clang_arguments_add(&command, assembly);
        clang_arguments_add(&command, "-o");
        clang_arguments_add(&command, output);
        status = run_command(job, &command);
    }
    free(assembly);
    return status;
}

static int compile_object(struct job *job, const struct input *input, const char *output)
{
    if (!input->is_cuda)
        return compile_host(job, input, NULL, "-c", output, NULL);
    if (make_scratch(job))
        return 1;
    char *image = NULL;
    if (asprintf(&image, "%s/%zu.ptx", job->scratch, (size_t)(input - job->inputs)) < 0)
        return refuse("memory", "not enough");
    int status = compile_device(job, input, image);
    if (status == 0)
        status = end_text(job, image);
    if (status == 0)
        status = job->is_separable ? compile_separate_host(job, input, image, output)
                                   : compile_host(job, input, image, "-c", output, NULL);
    free(image);
    return status;
}

/* One source into what was asked for. */
static int compile_one(struct job *job, const struct input *input)
{
    const char *suffix = job->output == OUTPUT_PTX ? ".ptx" : ".o";
    char *made = job->output_name ? strdup(job->output_name)
                                  : named_after(input->name, job->output_dir, suffix);
    if (!made)
        return refuse("memory", "not enough");
    int status = 0;
    if (job->output == OUTPUT_PREPROCESSED)
        status = compile_host(job, input, NULL, "-E", job->output_name, NULL);
    else if (job->output == OUTPUT_RULES)
        status = compile_host(job, input, NULL, NULL, job->output_name, NULL);
    else if (job->output == OUTPUT_OBJECTS)
        status = compile_object(job, input, made);
    else if (input->is_cuda)
        status = compile_device(job, input, made);
    free(made);
    return status;
}

/* From these lines CMake learns what it links CUDA by, which is clemcc, and what it adds where
 * it links by the compiler of another language. It takes all that follows -l for a library, and hands on
 * as it is what begins with a dash. */
static void print_linker(const struct job *job)
{
    fprintf(stderr, "ld -L%s -lclem -l-Wl,-rpath,%s\n", job->library_dir, job->library_dir);
    fprintf(stderr, "#$ %s -L%s -lclem\n", job->self, job->library_dir);
}

static int link_program(struct job *job, const struct clang_arguments *objects)
{
    struct clang_arguments command = clang_command(job);
    clang_arguments_add(&command, "--driver-mode=g++");
    clang_arguments_append(&command, &job->host);
    if (job->is_shared)
        clang_arguments_add(&command, "-shared");
    clang_arguments_append(&command, objects);
    clang_arguments_append(&command, &job->linker);
    clang_arguments_format(&command, "-L%s", job->library_dir);
    clang_arguments_format(&command, "-Wl,-rpath,%s", job->library_dir);
    clang_arguments_add(&command, "-lclem");
    clang_arguments_add(&command, "-o");
    clang_arguments_add(&command, job->output_name ? job->output_name : "a.out");
    const int status = run_command(job, &command);
    if (job->is_verbose || job->is_dry)
        print_linker(job);
    return status;
}

/* Device code is linked when the program runs: nothing has to be done, but a file is expected. */
static int make_empty_object(const struct job *job)
{
    struct clang_arguments command = clang_command(job);
    static const char *const words[] = {"-x", "c", "-c", "/dev/null", "-o", NULL};
    clang_arguments_append(&command, &job->host);
    for (size_t i = 0; words[i]; i++)
        clang_arguments_add(&command, words[i]);
    clang_arguments_add(&command, job->output_name ? job->output_name : "a_dlink.o");
    return run_command(job, &command);
}

static int build_program(struct job *job)
{
    struct clang_arguments objects = {0};
    int status = make_scratch(job);
    for (size_t i = 0; i < job->input_count && status == 0; i++) {
        const struct input *input = &job->inputs[i];
        if (!input->is_source) {
            clang_arguments_add(&objects, input->name);
            continue;
        }
        char *object = NULL;
        if (asprintf(&object, "%s/%zu.o", job->scratch, i) < 0) {
            status = refuse("memory", "not enough");
            break;
        }
        status = compile_object(job, input, object);
        clang_arguments_add(&objects, object);
        free(object);
    }
    if (status == 0)
        status = link_program(job, &objects);
    clang_arguments_free(&objects);
    return status;
}

/* ---- Options ---- */

enum action {
    TAKE_IGNORED,   /* means nothing here */
    TAKE_BOTH,      /* to every compilation, as `text` and the value in one word */
    TAKE_BOTH_PAIR, /* the same in two words */
    TAKE_HOST_LIST, /* -Xcompiler a,b */
    TAKE_LINK_LIST, /* -Xlinker a,b */
    TAKE_LINK,      /* to the linker, as `text` and the value in one word */
    TAKE_LIBRARY,
    TAKE_OUTPUT,
    TAKE_OUTPUT_DIR,
    TAKE_LANGUAGE,
    TAKE_OPTIMIZE,
    TAKE_STANDARD,
    TAKE_BOOLEAN, /* sets the bool at `offset` of the job to the value, or to `text` without one */
    TAKE_PRODUCT, /* `offset` is what is made */
    TAKE_RDC,
    TAKE_SEPARATE_OBJECTS, /* -dc */
    TAKE_STREAM,
    TAKE_WARNINGS,
    TAKE_RULES, /* -MD, -MMD */
    TAKE_RULES_NAME,
    TAKE_REFUSED /* `text` says why */
};

enum value {
    VALUE_NONE,   /* -c */
    VALUE_NEXT,   /* -arch sm_75, -arch=sm_75 */
    VALUE_JOINED, /* -Ifolder, -I folder, -I=folder */
    VALUE_EQUALS  /* -fmad=false, or nothing */
};

struct option {
    const char *name, *long_name; /* long_name may be NULL; its value is always VALUE_NEXT's way */
    enum value value;
    enum action action;
    const char *text;
    size_t offset;
};

#define DEVICE(field) offsetof(struct job, device.field)
#define NOT_OF_CLEM   "clem runs PTX; this product has no place in it"

static const struct option options[] = {
    {"-o", "--output-file", VALUE_NEXT, TAKE_OUTPUT, NULL, 0},
    {"-odir", "--output-directory", VALUE_NEXT, TAKE_OUTPUT_DIR, NULL, 0},
    {"-c", "--compile", VALUE_NONE, TAKE_PRODUCT, NULL, OUTPUT_OBJECTS},
    {"-ptx", "--ptx", VALUE_NONE, TAKE_PRODUCT, NULL, OUTPUT_PTX},
    {"-E", "--preprocess", VALUE_NONE, TAKE_PRODUCT, NULL, OUTPUT_PREPROCESSED},
    {"-M", "--generate-dependencies", VALUE_NONE, TAKE_PRODUCT, "-M", OUTPUT_RULES},
    {"-MM", "--generate-nonsystem-dependencies", VALUE_NONE, TAKE_PRODUCT, "-MM", OUTPUT_RULES},
    {"-MD", "--generate-dependencies-with-compile", VALUE_NONE, TAKE_RULES, "-MD", 0},
    {"-MMD", "--generate-nonsystem-dependencies-with-compile", VALUE_NONE, TAKE_RULES, "-MMD", 0},
    {"-MF", "--dependency-output", VALUE_NEXT, TAKE_RULES_NAME, "-MF", 0},
    {"-MT", "--dependency-target-name", VALUE_NEXT, TAKE_RULES_NAME, "-MT", 0},
    {"-MQ", NULL, VALUE_NEXT, TAKE_RULES_NAME, "-MQ", 0},
    {"-MP", "--generate-dependency-targets", VALUE_NONE, TAKE_RULES_NAME, "-MP", 0},
    {"-x", NULL, VALUE_JOINED, TAKE_LANGUAGE, NULL, 0},
    {"-isystem", "--system-include", VALUE_NEXT, TAKE_BOTH_PAIR, "-isystem", 0},
    {"-include", "--pre-include", VALUE_NEXT, TAKE_BOTH_PAIR, "-include", 0},
    {"-I", "--include-path", VALUE_JOINED, TAKE_BOTH, "-I", 0},
    {"-D", "--define-macro", VALUE_JOINED, TAKE_BOTH, "-D", 0},
    {"-U", "--undefine-macro", VALUE_JOINED, TAKE_BOTH, "-U", 0},
    {"-std", "--std", VALUE_NEXT, TAKE_STANDARD, NULL, 0},
    {"-L", "--library-path", VALUE_JOINED, TAKE_LINK, "-L", 0},
    {"-lineinfo", "--generate-line-info", VALUE_NONE, TAKE_IGNORED, NULL, 0},
    {"-l", "--library", VALUE_JOINED, TAKE_LIBRARY, NULL, 0},
    {"-shared", "--shared", VALUE_NONE, TAKE_BOOLEAN, "true", offsetof(struct job, is_shared)},
    {"-g", "--debug", VALUE_NONE, TAKE_HOST_LIST, "-g", 0},
    {"-pg", "--profile", VALUE_NONE, TAKE_HOST_LIST, "-pg", 0},
    {"-G", "--device-debug", VALUE_NONE, TAKE_BOOLEAN, "true", DEVICE(debug)},
    {"-O", "--optimize", VALUE_JOINED, TAKE_OPTIMIZE, NULL, 0},
    {"-Xcompiler", "--compiler-options", VALUE_NEXT, TAKE_HOST_LIST, NULL, 0},
    {"-Xlinker", "--linker-options", VALUE_NEXT, TAKE_LINK_LIST, NULL, 0},
    {"-Werror", "--Werror", VALUE_EQUALS, TAKE_WARNINGS, NULL, 0},
    {"-w", "--disable-warnings", VALUE_NONE, TAKE_BOTH, "-w", 0},
    {"-v", "--verbose", VALUE_NONE, TAKE_BOOLEAN, "true", offsetof(struct job, is_verbose)},
    {"-dryrun", "--dryrun", VALUE_NONE, TAKE_BOOLEAN, "true", offsetof(struct job, is_dry)},
    {"-use_fast_math", "--use_fast_math", VALUE_NONE, TAKE_BOOLEAN, "true", DEVICE(fast_math)},
    {"-ftz", "--ftz", VALUE_NEXT, TAKE_BOOLEAN, NULL, DEVICE(flush_denormals)},
    {"-prec-div", "--prec-div", VALUE_NEXT, TAKE_BOOLEAN, "!", DEVICE(approximate_divide)},
    {"-prec-sqrt", "--prec-sqrt", VALUE_NEXT, TAKE_BOOLEAN, "!", DEVICE(approximate_sqrt)},
    {"-fmad", "--fmad", VALUE_NEXT, TAKE_BOOLEAN, "!", DEVICE(no_fma)},
    {"-dc", "--device-c", VALUE_NONE, TAKE_SEPARATE_OBJECTS, NULL, 0},
    {"-dlink", "--device-link", VALUE_NONE, TAKE_PRODUCT, NULL, OUTPUT_LINKED_CODE},
    {"-rdc", "--relocatable-device-code", VALUE_NEXT, TAKE_RDC, NULL, 0},
    {"-default-stream", "--default-stream", VALUE_NEXT, TAKE_STREAM, NULL, 0},
    /* What only NVIDIA's tools or their machine code need. */
    {"-arch", "--gpu-architecture", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-gencode", "--generate-code", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-code", "--gpu-code", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-Xptxas", "--ptxas-options", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-Xnvlink", "--nvlink-options", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-Xcudafe", "--Xcudafe", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-Xarchive", "--archive-options", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-maxrregcount", "--maxrregcount", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-ccbin", "--compiler-bindir", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-cudart", "--cudart", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-cudadevrt", "--cudadevrt", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-m", "--machine", VALUE_JOINED, TAKE_IGNORED, NULL, 0},
    {"-t", "--threads", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-diag-suppress", "--diag-suppress", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-diag-error", "--diag-error", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-diag-warn", "--diag-warn", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-ftemplate-backtrace-limit", NULL, VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-keep-dir", "--keep-dir", VALUE_NEXT, TAKE_IGNORED, NULL, 0},
    {"-keep", "--keep", VALUE_NONE, TAKE_IGNORED, NULL, 0},
    {"-restrict", "--restrict", VALUE_NONE, TAKE_IGNORED, NULL, 0},
    {"-res-usage", "--resource-usage", VALUE_NONE, TAKE_IGNORED, NULL, 0},
    {"-extra-device-vectorization", "--extra-device-vectorization", VALUE_NONE, TAKE_IGNORED, NULL,
     0},
    {"-expt-relaxed-constexpr", "--expt-relaxed-constexpr", VALUE_NONE, TAKE_IGNORED, NULL, 0},
    {"-expt-extended-lambda", "--expt-extended-lambda", VALUE_NONE, TAKE_IGNORED, NULL, 0},
    {"-extended-lambda", "--extended-lambda", VALUE_NONE, TAKE_IGNORED, NULL, 0},
    {"-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler", VALUE_NONE,
     TAKE_IGNORED, NULL, 0},
    {"-forward-unknown-opts", "--forward-unknown-opts", VALUE_NONE, TAKE_IGNORED, NULL, 0},
    {"-allow-unsupported-compiler", "--allow-unsupported-compiler", VALUE_NONE, TAKE_IGNORED, NULL,
     0},
    {"-no-host-device-initializer-list", "--no-host-device-initializer-list", VALUE_NONE,
     TAKE_IGNORED, NULL, 0},
    {"-Wno-deprecated-gpu-targets", "--Wno-deprecated-gpu-targets", VALUE_NONE, TAKE_IGNORED, NULL,
     0},
    {"-noprof", "--no-compress", VALUE_NONE, TAKE_IGNORED, NULL, 0},
    /* What cannot be had. */
    {"-dw", "--device-w", VALUE_NONE, TAKE_REFUSED, NOT_OF_CLEM, 0},
    {"-cubin", "--cubin", VALUE_NONE, TAKE_REFUSED, NOT_OF_CLEM, 0},
    {"-fatbin", "--fatbin", VALUE_NONE, TAKE_REFUSED, NOT_OF_CLEM, 0},
    {"-optix-ir", "--optix-ir", VALUE_NONE, TAKE_REFUSED, NOT_OF_CLEM, 0},
    {"-lib", "--lib", VALUE_NONE, TAKE_REFUSED, "archives are made by ar", 0},
    {"-dlto", "--dlink-time-opt", VALUE_NONE, TAKE_REFUSED, NOT_OF_CLEM, 0},
};

/* Whether `word` is this option; *value is where its value begins, NULL without one in the word. */
static bool is_option(const struct option *option, const char *word, const char **value)
{
    const char *const names[] = {option->name, option->long_name};
    for (int i = 0; i < 2; i++) {
        const size_t length = names[i] ? strlen(names[i]) : 0;
        if (length == 0 || strncmp(word, names[i], length) != 0)
            continue;
        const char *rest = word + length;
        if (*rest == 0) {
            *value = NULL;
            return true;
        }
        if (option->value == VALUE_NONE)
            continue;
        const bool joins = i == 0 && option->value == VALUE_JOINED;
        if (*rest != '=' && !joins)
            continue;
        *value = *rest == '=' ? rest + 1 : rest;
        return true;
    }
    return false;
}

/* Calls add for each part of a list with commas; a backslash keeps a comma. */
static void add_list(struct clang_arguments *list, const char *values, const char *before)
{
    char *part = malloc(strlen(values) + 1);
    if (!part) {
        list->has_failed = true;
        return;
    }
    for (const char *at = values; *at;) {
        size_t used = 0;
        for (; *at && *at != ','; at++) {
            if (at[0] == '\\' && at[1] == ',')
                at++;
            part[used++] = *at;
        }
        part[used] = 0;
        if (before)
            clang_arguments_add(list, before);
        if (used)
            clang_arguments_add(list, part);
        at += *at == ',';
    }
    free(part);
}

/* Libraries of CUDA's that libclem is, and the run-time compiler, which lies in a folder of its own.
 */
static void take_library(struct job *job, const char *name)
{
    static const char *const ours[] = {"cudart", "cudart_static", "cuda", "cudadevrt", "clem"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(name, ours[i]) == 0)
            return;
    if (strcmp(name, "nvrtc") == 0) {
        clang_arguments_format(&job->linker, "%s/clem/libnvrtc.so.13", job->library_dir);
        clang_arguments_format(&job->linker, "-Wl,-rpath,%s/clem", job->library_dir);
    } else {
        clang_arguments_format(&job->linker, "-l%s", name);
    }
}

static int take_boolean(struct job *job, const struct option *option, const char *value)
{
    const bool is_inverted = option->text && option->text[0] == '!';
    const bool is_true = !value || strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
    *(bool *)((char *)job + option->offset) = is_true != is_inverted;
    return 0;
}

static int take_separable(struct job *job, const char *value)
{
    job->is_separable = strcmp(value, "true") == 0;
    return 0;
}

static int take_stream(struct job *job, const char *value)
{
    if (strcmp(value, "per-thread") != 0)
        return 0;
    clang_arguments_add(&job->both, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    if (job->compiler.version >= 15)
        clang_arguments_add(&job->both, "-fgpu-default-stream=per-thread");
    return 0;
}

static int apply(struct job *job, const struct option *option, const char *value)
{
    switch (option->action) {
    case TAKE_IGNORED:
        break;
    case TAKE_BOTH:
        clang_arguments_format(&job->both, "%s%s", option->text, value ? value : "");
        break;
    case TAKE_BOTH_PAIR:
        clang_arguments_add(&job->both, option->text);
        clang_arguments_add(&job->both, value);
        break;
    case TAKE_HOST_LIST:
        add_list(&job->host, value ? value : option->text, NULL);
        break;
    case TAKE_LINK_LIST:
        add_list(&job->linker, value, "-Xlinker");
        break;
    case TAKE_LINK:
        clang_arguments_format(&job->linker, "%s%s", option->text, value);
        break;
    case TAKE_LIBRARY:
        take_library(job, value);
        break;
    case TAKE_OUTPUT:
        job->output_name = value;
        break;
    case TAKE_OUTPUT_DIR:
        job->output_dir = value;
        break;
    case TAKE_LANGUAGE:
        job->language = value;
        break;
    case TAKE_OPTIMIZE:
        clang_arguments_format(&job->host, "-O%s", value);
        break;
    case TAKE_STANDARD:
        clang_arguments_format(&job->both, "-std=%s", value);
        job->has_standard = true;
        break;
    case TAKE_BOOLEAN:
        return take_boolean(job, option, value);
    case TAKE_PRODUCT:
        job->output = (enum output)option->offset;
        if (option->text)
            clang_arguments_add(&job->host, option->text);
        break;
    case TAKE_SEPARATE_OBJECTS:
        job->output = OUTPUT_OBJECTS;
        job->is_separable = true;
        break;
    case TAKE_RDC:
        return take_separable(job, value);
    case TAKE_STREAM:
        return take_stream(job, value);
    case TAKE_WARNINGS:
        if (!value || strcmp(value, "all-warnings") == 0)
            clang_arguments_add(&job->host, "-Werror");
        break;
    case TAKE_RULES:
        job->writes_rules = true;
        clang_arguments_add(&job->host, option->text);
        break;
    case TAKE_RULES_NAME:
        job->has_rules_name = job->has_rules_name || strcmp(option->text, "-MF") == 0;
        job->has_rules_target = job->has_rules_target || strcmp(option->text, "-MT") == 0 ||
                                strcmp(option->text, "-MQ") == 0;
        clang_arguments_add(&job->host, option->text);
        if (value)
            clang_arguments_add(&job->host, value);
        break;
    case TAKE_REFUSED:
        return refuse(option->name, option->text);
    }
    return 0;
}

/* ---- The command line ---- */

static bool is_cuda_source(const char *name, const char *language)
{
    if (language)
        return strcmp(language, "cu") == 0 || strcmp(language, "cuda") == 0;
    return strcmp(suffix_of(name), ".cu") == 0;
}

static bool is_source(const char *name, const char *language)
{
    static const char *const suffixes[] = {".cu",  ".c",   ".cc", ".cpp", ".cxx", ".C",
                                           ".c++", ".CPP", ".s",  ".S",   ".i",   ".ii"};
    if (language)
        return true;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(suffix_of(name), suffixes[i]) == 0)
            return true;
    return false;
}

static void take_input(struct job *job, const char *name)
{
    struct input *input = &job->inputs[job->input_count++];
    *input = (struct input){.name = name};
    if (job->language && strcmp(job->language, "none") != 0)
        input->language = job->language;
    input->is_cuda = is_cuda_source(name, input->language);
    input->is_source = is_source(name, input->language);
}

/* Options that neither nvcc nor the table knows are clang's. Those of code generation for the host
 * mean nothing to the device pass. */
static void take_unknown(struct job *job, const char *word)
{
    const bool is_of_language = strncmp(word, "-fno-exceptions", 15) == 0 ||
                                strncmp(word, "-fno-rtti", 9) == 0 ||
                                strncmp(word, "-stdlib", 7) == 0;
    const bool is_of_linker = strncmp(word, "-Wl,", 4) == 0 || strcmp(word, "-rdynamic") == 0;
    clang_arguments_add(is_of_linker     ? &job->linker
                        : is_of_language ? &job->both
                                         : &job->host,
                        word);
}

/* -Werror kind, which nvcc also takes as two words. */
static bool is_warning_kind(const char *word)
{
    static const char *const kinds[] = {"all-warnings",
                                        "cross-execution-space-call",
                                        "deprecated-declarations",
                                        "default-stream-launch",
                                        "ext-lambda-captures-this",
                                        "missing-launch-bounds",
                                        "reorder"};
    for (size_t i = 0; word && i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(word, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

static const struct option *find_option(const char *word, const char **value)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (is_option(&options[i], word, value))
            return &options[i];
    return NULL;
}

/* The words of a text, as a shell would take them apart. Returns their number, and the words and what
 * they lie in, which lasts as long as the process; -1 without memory. */
static int split(char *text, char ***words)
{
    size_t count = 0;
    char *out = text;
    *words = malloc((strlen(text) / 2 + 2) * sizeof **words);
    for (char *at = text; *words && *at;) {
        at += strspn(at, " \t\r\n");
        if (!*at)
            break;
        (*words)[count++] = out;
        for (char quote = 0; *at && (quote || !strchr(" \t\r\n", *at)); at++) {
            if (quote ? *at == quote : *at == '"' || *at == '\'')
                quote = quote ? 0 : *at;
            else
                *out++ = *at == '\\' && at[1] && quote != '\'' ? *++at : *at;
        }
        at += *at != 0;
        *out++ = 0;
    }
    return *words ? (int)count : -1;
}

/* Puts the words of option files (-optf FILE, --options-file FILE, @FILE) in the place of their names.
 * Returns the number of all, or -1. */
static int expand(int count, char **words, char ***expanded)
{
    char **made = malloc(((size_t)count + 1) * sizeof *made);
    int used = 0;
    for (int i = 0; made && i < count; i++) {
        const bool is_named =
            strcmp(words[i], "-optf") == 0 || strcmp(words[i], "--options-file") == 0;
        const char *name = is_named && i + 1 < count                       ? words[++i]
                           : strncmp(words[i], "--options-file=", 15) == 0 ? words[i] + 15
                           : words[i][0] == '@'                            ? words[i] + 1
                                                                           : NULL;
        char **inner = &words[i], *text = name ? read_text(name) : NULL;
        if (name && !text && access(name, R_OK))
            return refuse(name, strerror(errno)), -1;
        const int added = text ? split(text, &inner) : name ? 0 : 1;
        char **larger =
            added < 0 ? NULL
                      : realloc(made, ((size_t)(used + added + count - i) + 1) * sizeof *made);
        if (!larger)
            return refuse("memory", "not enough"), -1;
        made = larger;
        memcpy(made + used, inner, (size_t)added * sizeof *made);
        used += added;
    }
    *expanded = made;
    return made ? used : -1;
}

static int take_words(struct job *job, int count, char **words)
{
    for (int i = 1; i < count; i++) {
        const char *value = NULL;
        if (words[i][0] != '-' || words[i][1] == 0) {
            take_input(job, words[i]);
            continue;
        }
        const struct option *option = find_option(words[i], &value);
        if (!option) {
            take_unknown(job, words[i]);
            continue;
        }
        const bool needs_value = option->value == VALUE_NEXT || option->value == VALUE_JOINED;
        if (!value && option->action == TAKE_WARNINGS && is_warning_kind(words[i + 1]))
            value = words[++i];
        if (!value && needs_value && option->action == TAKE_OPTIMIZE &&
            (i + 1 >= count || strlen(words[i + 1]) != 1))
            value = "1";
        if (!value && needs_value) {
            if (i + 1 >= count)
                return refuse(words[i], "needs a value");
            value = words[++i];
        }
        const int status = apply(job, option, value);
        if (status)
            return status;
    }
    return 0;
}

static int check(const struct job *job)
{
    size_t sources = 0;
    for (size_t i = 0; i < job->input_count; i++)
        sources += job->inputs[i].is_source;
    if (job->input_count == 0)
        return refuse("no input files", "clemcc --help says how it is used");
    if (job->output != OUTPUT_PROGRAM && job->output_name && sources > 1)
        return refuse("-o", "names one file, but several are made");
    return 0;
}

static int print_help(void)
{
    puts("usage: clemcc [options] files\n"
         "Compiles CUDA sources (.cu) with clang 14 or newer, links them with clem, and takes .c,\n"
         ".cpp, objects and libraries beside them. Options are nvcc's; what nvcc does not know "
         "goes\n"
         "to clang. CLEM_CLANG names the clang to use.\n"
         "  -o FILE  -c  -dc  -rdc=true  -ptx  -E  -M -MD -MF  -shared  -x cu  -I -D -U -isystem "
         "-include\n"
         "  -L -l  -std=  -O -g -G  -Xcompiler LIST  -Xlinker LIST  -use_fast_math -ftz= -fmad=\n"
         "  -prec-div= -prec-sqrt=  --default-stream  -v  --dryrun  --version\n"
         "  -arch -gencode -Xptxas -maxrregcount and others of machine code are read over: every\n"
         "  program is PTX for compute capability 7.5.");
    return 0;
}

static int print_version(const struct job *job)
{
    printf("clemcc " CLEMCC_VERSION ": a CUDA compiler driver for clem, over clang %u (%s)\n"
           "It takes the place, for build systems that look for these lines, of\n"
           "nvcc: NVIDIA (R) Cuda compiler driver\n"
           "Cuda compilation tools, release 13.0, V13.0.0\n",
           job->compiler.version, job->compiler.path);
    return 0;
}

static int run_job(struct job *job, int count, char **words)
{
    for (int i = 1; i < count; i++)
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0)
            return print_help();
    int status = find_clem(job);
    if (status == 0)
        status = find_compiler(job);
    for (int i = 1; i < count && status == 0; i++)
        if (strcmp(words[i], "--version") == 0 || strcmp(words[i], "-V") == 0)
            return print_version(job);
    if (status == 0)
        status = take_words(job, count, words);
    if (status == 0 && (job->is_verbose || job->is_dry))
        print_variables(job);
    if (status == 0)
        status = check(job);
    if (status == 0 && job->output == OUTPUT_LINKED_CODE)
        return make_empty_object(job);
    if (status || job->output == OUTPUT_PROGRAM)
        return status ? status : build_program(job);
    for (size_t i = 0; i < job->input_count && status == 0; i++)
        if (job->inputs[i].is_source)
            status = compile_one(job, &job->inputs[i]);
    return status;
}

int main(int count, char **words)
{
    static struct job job;
    count = expand(count, words, &words);
    if (count < 0)
        return 1;
    job.inputs = calloc((size_t)count, sizeof *job.inputs);
    const int status = job.inputs ? run_job(&job, count, words) : refuse("memory", "not enough");
    remove_scratch(&job);
    clang_arguments_free(&job.both);
    clang_arguments_free(&job.host);
    clang_arguments_free(&job.linker);
    free(job.inputs);
    return status;
}
