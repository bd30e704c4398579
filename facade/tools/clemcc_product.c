/* What clemcc makes of objects and of PTX: programs, archives, fat binaries, and units whose device
 * code is linked when the program runs.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facade/code/fatbin.h"
#include "facade/tools/clemcc.h"

/* ---- Separately compiled units ---- */

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

int clemcc_rename_registration(const struct job *job, const char *assembly)
{
    if (job->is_dry)
        return 0;
    char *text = clemcc_read_text(assembly);
    if (text)
        name_registration(text);
    FILE *file = text ? fopen(assembly, "we") : NULL;
    int status = file && fputs(text, file) >= 0 ? 0 : clemcc_refuse(assembly, strerror(errno));
    if (file && fclose(file))
        status = clemcc_refuse(assembly, strerror(errno));
    free(text);
    return status;
}

/* A variable that a unit keeps to itself has a name for the host's sake, NAME__static__NUMBER, if host
 * code uses it. But clang has written kernels before it comes to that code, with NAME. */
struct known_name {
    const char *text;
    size_t own_length, length; /* without and with what was added */
};

struct known_names {
    struct known_name *values;
    size_t count;
};

static const char name_characters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$";

static const struct known_name *find_name(const struct known_names *names, const char *text,
                                          size_t length)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->values[i].own_length == length &&
            strncmp(names->values[i].text, text, length) == 0)
            return &names->values[i];
    return NULL;
}

/* False: no memory. */
static bool collect_names(const char *text, struct known_names *names)
{
    static const char mark[] = "__static__";
    for (const char *at = text; (at = strstr(at, mark)); at++) {
        const char *begin = at;
        while (begin > text && strchr(name_characters, begin[-1]))
            begin--;
        if (find_name(names, begin, (size_t)(at - begin)))
            continue;
        struct known_name *larger =
            realloc(names->values, (names->count + 1) * sizeof *names->values);
        if (!larger)
            return false;
        names->values = larger;
        larger[names->count++] = (struct known_name){.text = begin,
                                                     .own_length = (size_t)(at - begin),
                                                     .length = strspn(begin, name_characters)};
    }
    return true;
}

/* Writes a text with the names that the host knows, or, without a file, says whether it has any. */
static bool write_known(FILE *file, const struct known_names *names, const char *text, size_t bytes)
{
    bool has_known = false;
    for (const char *at = text; at < text + bytes;) {
        const size_t letters = strspn(at, name_characters), length = letters ? letters : 1;
        const struct known_name *known = letters ? find_name(names, at, letters) : NULL;
        if (file)
            fwrite(known ? known->text : at, known ? known->length : length, 1, file);
        has_known = has_known || known;
        at += length;
    }
    return has_known;
}

/* Line by line, without those that declare such a variable as another unit's. */
static int write_settled(const char *name, const struct known_names *names, const char *text)
{
    static const char external[] = ".extern ";
    FILE *file = fopen(name, "we");
    for (const char *line = text; file && *line;) {
        const char *end = strchrnul(line, '\n');
        end += *end == '\n';
        if (strncmp(line, external, sizeof external - 1) != 0 ||
            !write_known(NULL, names, line, (size_t)(end - line)))
            write_known(file, names, line, (size_t)(end - line));
        line = end;
    }
    const bool is_written = file && !ferror(file);
    return file && fclose(file) == 0 && is_written ? 0 : clemcc_refuse(name, strerror(errno));
}

int clemcc_settle_statics(const struct job *job, const char *ptx)
{
    struct known_names names = {NULL, 0};
    int status = 0;
    if (job->is_dry)
        return 0;
    char *text = clemcc_read_text(ptx);
    if (!text)
        status = clemcc_refuse(ptx, strerror(errno));
    else if (!collect_names(text, &names))
        status = clemcc_refuse_memory();
    else if (names.count > 0)
        status = write_settled(ptx, &names, text);
    free(names.values);
    free(text);
    return status;
}

/* Device code is linked when the program runs: nothing has to be done, but a file is expected. */
int clemcc_make_empty_object(const struct job *job)
{
    struct clang_arguments command = clemcc_clang(job);
    static const char *const words[] = {"-x", "c", "-c", "/dev/null", "-o", NULL};
    clang_arguments_append(&command, &job->host);
    for (size_t i = 0; words[i]; i++)
        clang_arguments_add(&command, words[i]);
    clang_arguments_add(&command, job->output_name ? job->output_name : "a_dlink.o");
    return clemcc_run(job, &command);
}

/* ---- Programs and archives ---- */

/* clang's OpenMP is a library of its own, which few machines have. It is looked for by linking nothing with
 * it; what is to be made is then tried all the same. */
int clemcc_check_openmp(struct job *job)
{
    static const char *const words[] = {"-fopenmp", "-w",        "-shared", "-x",
                                        "c",        "/dev/null", "-o",      NULL};
    bool is_asked = false;
    for (size_t i = 0; i < job->host.count; i++)
        is_asked = is_asked || clang_is_choice("-fopenmp|-fopenmp=libomp", job->host.values[i]);
    if (!is_asked || job->is_dry)
        return 0;
    char log[sizeof job->scratch + 16];
    if (clemcc_make_scratch(job))
        return 1;
    snprintf(log, sizeof log, "%s/openmp.log", job->scratch);
    struct clang_arguments command = clemcc_clang(job);
    for (size_t i = 0; words[i]; i++)
        clang_arguments_add(&command, words[i]);
    clang_arguments_format(&command, "%s/openmp.so", job->scratch);
    clang_arguments_append(&command, &job->linker);
    if (clemcc_run_logged(job, &command, log) == 1)
        fprintf(stderr,
                "clemcc: -fopenmp: clang %u does not find libomp, its OpenMP library (Debian and "
                "Ubuntu: apt-get install libomp-%u-dev)\n",
                job->compiler.version, job->compiler.version);
    return 0;
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
    clemcc_ask_archives(job);
    struct clang_arguments command = clemcc_clang(job);
    clang_arguments_add(&command, "--driver-mode=g++");
    clang_arguments_append(&command, &job->host);
    if (job->is_shared)
        clang_arguments_add(&command, "-shared");
    clang_arguments_append(&command, objects);
    clang_arguments_append(&command, &job->linker);
    clang_arguments_format(&command, "-L%s", job->library_dir);
    clemcc_tell_linker(&command, "-rpath");
    clemcc_tell_linker(&command, job->library_dir);
    clang_arguments_add(&command, "-lclem");
    clang_arguments_add(&command, "-o");
    clang_arguments_add(&command, job->output_name ? job->output_name : "a.out");
    const int status = clemcc_run(job, &command);
    if (job->is_verbose || job->is_dry)
        print_linker(job);
    return status;
}

static int collect(const struct job *job, const struct clang_arguments *objects)
{
    struct clang_arguments command = {0};
    clang_arguments_add(&command, job->archiver ? job->archiver : "ar");
    clang_arguments_add(&command, "cr");
    clang_arguments_add(&command, job->output_name ? job->output_name : "a.a");
    clang_arguments_append(&command, objects);
    return clemcc_run(job, &command);
}

static int run_program(struct job *job)
{
    struct clang_arguments command = {0};
    const char *name = job->output_name ? job->output_name : "a.out";
    clang_arguments_format(&command, "%s%s", strchr(name, '/') ? "" : "./", name);
    clang_arguments_append(&command, &job->run_words);
    return clemcc_become(job, &command);
}

/* Objects are named after their sources: archives keep the names, and linkers tell them. */
static char *name_object(const struct job *job, size_t number)
{
    char suffix[32];
    snprintf(suffix, sizeof suffix, ".%zu.o", number);
    return clemcc_named_after(job->inputs[number].name, job->scratch, suffix);
}

static int compile_all(struct job *job, struct clang_arguments *objects)
{
    int status = clemcc_make_scratch(job);
    for (size_t i = 0; i < job->input_count && status == 0; i++) {
        const struct input *input = &job->inputs[i];
        if (!input->is_source) {
            clang_arguments_add(objects, input->name);
            continue;
        }
        char *object = name_object(job, i);
        if (!object)
            return clemcc_refuse_memory();
        status = clemcc_compile_object(job, input, object);
        clang_arguments_add(objects, object);
        free(object);
    }
    return status;
}

int clemcc_build(struct job *job)
{
    struct clang_arguments objects = {0};
    int status = compile_all(job, &objects);
    if (status == 0)
        status =
            job->output == OUTPUT_ARCHIVE ? collect(job, &objects) : link_program(job, &objects);
    if (status == 0 && job->is_run && job->output == OUTPUT_PROGRAM)
        status = run_program(job);
    clang_arguments_free(&objects);
    return status;
}

/* ---- Fat binaries ---- */

static void put_number(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

enum { CONTAINER = 16, ENTRY = 64 };

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

/* The header of an entry, whose offsets fatbin.c names. The payload is padded to eight bytes. */
static void fill_entry(unsigned char entry[ENTRY], unsigned kind, size_t bytes, unsigned capability)
{
    enum { ENTRY_VERSION = 0x101, FLAGS = 0x11 /* 64 bits, Linux */ };
    memset(entry, 0, ENTRY);
    put_number(entry, kind, 2);
    put_number(entry + 2, ENTRY_VERSION, 2);
    put_number(entry + 4, ENTRY, 4);
    put_number(entry + 8, padded(bytes), 8);
    put_number(entry + 28, capability, 4);
    put_number(entry + 40, FLAGS, 8);
}

static bool write_container(FILE *file, size_t content)
{
    enum { VERSION = 1 };
    unsigned char header[CONTAINER] = {0};
    put_number(header, FACADE_FATBIN_MAGIC, 4);
    put_number(header + 4, VERSION, 2);
    put_number(header + 6, CONTAINER, 2);
    put_number(header + 8, content, 8);
    return fwrite(header, sizeof header, 1, file) == 1;
}

static bool write_entry(FILE *file, unsigned kind, const void *payload, size_t bytes,
                        unsigned capability)
{
    static const char zeros[8];
    unsigned char header[ENTRY];
    const size_t padding = padded(bytes) - bytes;
    fill_entry(header, kind, bytes, capability);
    return fwrite(header, sizeof header, 1, file) == 1 && fwrite(payload, bytes, 1, file) == 1 &&
           fwrite(zeros, 1, padding, file) == padding;
}

/* All of a file, which the caller frees; NULL: errno says why. */
static char *read_whole(const char *name, size_t *bytes)
{
    FILE *file = fopen(name, "re");
    char *data = NULL;
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0) {
        rewind(file);
        data = malloc((size_t)size);
    }
    if (data && fread(data, (size_t)size, 1, file) != 1) {
        free(data);
        data = NULL;
    }
    if (file)
        fclose(file);
    *bytes = data ? (size_t)size : 0;
    return data;
}

static bool write_image(FILE *file, const char *text, const char *pack, size_t pack_bytes,
                        unsigned capability)
{
    const size_t bytes = strlen(text) + 1;
    const size_t content = ENTRY + padded(bytes) + (pack ? ENTRY + padded(pack_bytes) : 0);
    return write_container(file, content) &&
           write_entry(file, FACADE_FATBIN_PTX, text, bytes, capability) &&
           (!pack || write_entry(file, FACADE_FATBIN_PACK, pack, pack_bytes, capability));
}

int clemcc_wrap_ptx(const struct job *job, const char *ptx, const char *pack, const char *output)
{
    const unsigned capability =
        job->device.capability ? job->device.capability : clang_capability("native");
    size_t pack_bytes = 0;
    if (job->is_dry)
        return 0;
    char *data = pack ? read_whole(pack, &pack_bytes) : NULL;
    char *text = pack && !data ? NULL : clemcc_read_text(ptx);
    FILE *file = text ? fopen(output, "we") : NULL;
    bool is_written = file && write_image(file, text, data, pack_bytes, capability);
    if (file && fclose(file))
        is_written = false;
    free(text);
    free(data);
    return is_written ? 0 : clemcc_refuse(output, strerror(errno));
}
