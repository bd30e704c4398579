/* From LLVM IR to an object file in memory, each in an LLVM context of its own.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/llvm/compile.h"

#include <stdlib.h>
#include <string.h>

#include "cl/llvm/llvm.h"
#include "cl/trace.h"

struct compilation {
    const struct ocl_llvm *llvm;
    const struct ocl_aim *aim;
    size_t bytes; /* of the text */
    struct llvm_context *context;
    struct llvm_module *module;
    struct llvm_machine *machine;
    char *why; /* the first words of an error, malloc()ed */
};

/* The first reason stays. */
static void note(struct compilation *c, const char *words)
{
    if (!c->why)
        c->why = strdup(words ? words : "no reason is told");
}

/* Words of LLVM's. */
static void note_message(struct compilation *c, char *words)
{
    note(c, words);
    if (words)
        c->llvm->DisposeMessage(words);
}

/* Without a listener, LLVM prints, and ends the process over errors. */
static void listen(struct llvm_diagnosis *diagnosis, void *compilation)
{
    struct compilation *c = compilation;
    char *words = c->llvm->GetDiagInfoDescription(diagnosis);
    if (c->llvm->GetDiagInfoSeverity(diagnosis) == LLVM_DIAGNOSIS_IS_ERROR)
        note(c, words);
    if (words)
        c->llvm->DisposeMessage(words);
}

static bool parse(struct compilation *c, const char *text, size_t bytes)
{
    char *words = NULL;
    struct llvm_buffer *buffer =
        c->llvm->CreateMemoryBufferWithMemoryRange(text, bytes, "kernel", 1);
    if (!buffer)
        return false;
    /* The buffer is the reader's from now on. */
    const bool is_read = c->llvm->ParseIRInContext(c->context, buffer, &c->module, &words) == 0;
    if (!is_read) {
        c->module = NULL;
        note_message(c, words);
    }
    return is_read;
}

static struct llvm_machine *make_machine(struct compilation *c, const char *triple)
{
    struct llvm_target *target = NULL;
    char *words = NULL;
    if (c->llvm->GetTargetFromTriple(triple, &target, &words) != 0) {
        note_message(c, words);
        return NULL;
    }
    char *processor = c->llvm->GetHostCPUName(), *features = c->llvm->GetHostCPUFeatures();
    const char *first = c->aim->processor ? c->aim->processor : processor;
    const char *second = c->aim->features ? c->aim->features : features;
    struct llvm_machine *made =
        first && second
            ? c->llvm->CreateTargetMachine(target, triple, first, second,
                                           LLVM_LESS_CODE_OPTIMISATION, LLVM_RELOCATABLE_PIC,
                                           LLVM_DEFAULT_CODE_MODEL)
            : NULL;
    if (processor)
        c->llvm->DisposeMessage(processor);
    if (features)
        c->llvm->DisposeMessage(features);
    return made;
}

static bool take_machine(struct compilation *c)
{
    char *own = c->llvm->GetDefaultTargetTriple();
    const char *triple = c->aim->triple ? c->aim->triple : own;
    if (!triple)
        return false;
    c->machine = make_machine(c, triple);
    struct llvm_layout *layout = c->machine ? c->llvm->CreateTargetDataLayout(c->machine) : NULL;
    if (layout) {
        c->llvm->SetTarget(c->module, triple);
        c->llvm->SetModuleDataLayout(c->module, layout);
        c->llvm->DisposeTargetData(layout);
    }
    if (own)
        c->llvm->DisposeMessage(own);
    return layout != NULL;
}

static bool is_sound(struct compilation *c)
{
    char *words = NULL;
    const bool is = c->llvm->VerifyModule(c->module, LLVM_RETURN_STATUS, &words) == 0;
    if (!is)
        note(c, words);
    if (words)
        c->llvm->DisposeMessage(words);
    return is;
}

/* A warp whose lanes all go on is known to be whole behind the comparison that says so: threaded jumps spare it what looks for lanes
 * at each node. The pass takes time by the square of the text: measured with LLVM 15, milliseconds with and without, 5 more
 * and 17 less for code of 84 KB, and 24,000 more for 4 MB. What all turns of a loop compute alike, such as all blocks of a sweep, is
 * then computed before it. What has become of it by then is gone through once more, since threaded jumps leave values that only other
 * ways wanted: measured, a tenth less time for sums of short arrays.
 *
 * LLVM from 18 on ends the process where instcombine leaves something to do, unless the text says that it may; earlier ones
 * refuse such a text, before any pass runs.
 * Source: LLVM 18, lib/Passes/PassBuilder.cpp, parseInstCombineOptions(). */
static char *run_passes(const struct compilation *c, struct llvm_options *options)
{
    enum { MOST_THREADED = 128 << 10, WAYS = 2 };
    static const char *const all[][WAYS] = {
        {OCL_NATIVE_PASSES_OF_LONG("instcombine<no-verify-fixpoint>"),
         OCL_NATIVE_PASSES_OF_LONG("instcombine")},
        {OCL_NATIVE_PASSES_WITH("instcombine<no-verify-fixpoint>"), OCL_NATIVE_PASSES}};
    const char *const *const texts = all[c->bytes <= MOST_THREADED];
    char *words = NULL;
    for (size_t i = 0; i < WAYS && (i == 0 || words); i++) {
        if (words)
            c->llvm->DisposeErrorMessage(words);
        struct llvm_error *error = c->llvm->RunPasses(c->module, texts[i], c->machine, options);
        words = error ? c->llvm->GetErrorMessage(error) : NULL; /* and the error goes */
    }
    return words;
}

/* An LLVM whose passes have other names compiles without them: that is slower code, but right. */
static bool optimise(struct compilation *c)
{
    struct llvm_options *options = c->llvm->CreatePassBuilderOptions();
    if (!options)
        return false;
    char *words = run_passes(c, options);
    c->llvm->DisposePassBuilderOptions(options);
    if (words) {
        ocl_trace("LLVM does not optimise kernels: %s", words);
        c->llvm->DisposeErrorMessage(words);
    }
    return true;
}

static bool write_object(struct compilation *c, struct ocl_object *object)
{
    struct llvm_buffer *buffer = NULL;
    char *words = NULL;
    if (c->llvm->TargetMachineEmitToMemoryBuffer(c->machine, c->module, LLVM_OBJECT_FILE, &words,
                                                 &buffer) != 0) {
        note_message(c, words);
        return false;
    }
    object->bytes = c->llvm->GetBufferSize(buffer);
    object->data = malloc(object->bytes + 1);
    if (object->data)
        memcpy(object->data, c->llvm->GetBufferStart(buffer), object->bytes);
    c->llvm->DisposeMemoryBuffer(buffer);
    return object->data != NULL;
}

static bool compile(struct compilation *c, const char *text, size_t bytes,
                    struct ocl_object *object)
{
    c->context = c->llvm->ContextCreate();
    if (!c->context)
        return false;
    c->llvm->ContextSetDiagnosticHandler(c->context, listen, c);
    return parse(c, text, bytes) && take_machine(c) && is_sound(c) && optimise(c) &&
           write_object(c, object) && !c->why;
}

bool ocl_llvm_compile(const struct ocl_llvm *llvm, const struct ocl_aim *aim, const char *text,
                      size_t bytes, struct ocl_object *object, char **why)
{
    struct compilation c = {.llvm = llvm, .aim = aim, .bytes = bytes};
    *object = (struct ocl_object){0};
    const bool is_done = compile(&c, text, bytes, object);
    if (!is_done) {
        free(object->data);
        *object = (struct ocl_object){0};
    }
    if (c.machine)
        c.llvm->DisposeTargetMachine(c.machine);
    if (c.module)
        c.llvm->DisposeModule(c.module);
    if (c.context)
        c.llvm->ContextDispose(c.context);
    *why = c.why;
    return is_done;
}
