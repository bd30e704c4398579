/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/ptx/native_lanes.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/host/host_math.h"
#include "kernels/ptx/native/native_flow.h"
#include "tests/ptx/read.h"

/* ---- LLVM ---- */

static struct {
    void *library;
    unsigned major;
} llvm;

unsigned lanes_llvm(void)
{
    /* The first ones are PoCL's most often; any will do. TEST_LLVM names one. */
    const char *one = getenv("TEST_LLVM");
    for (unsigned major = 15; !llvm.library && major <= 22; major = major == 15   ? 14
                                                                    : major == 14 ? 16
                                                                                  : major + 1) {
        char name[32];
        if (one && strtoul(one, NULL, 10) != major)
            continue;
        snprintf(name, sizeof name, major < 18 ? "libLLVM-%u.so.1" : "libLLVM.so.%u.1", major);
        llvm.library = dlopen(name, RTLD_NOW);
        llvm.major = llvm.library ? major : 0;
    }
    return llvm.major;
}

static void *find(const char *name)
{
    void *symbol = dlsym(llvm.library, name);
    if (!symbol)
        fail_msg("LLVM has no %s", name);
    return symbol;
}

/* A function of LLVM as a variable `function` of a type. */
#define LLVM(function, result, ...)                                                                \
    result (*function)(__VA_ARGS__);                                                               \
    do {                                                                                           \
        void *symbol = find(#function);                                                            \
        memcpy(&function, &symbol, sizeof symbol);                                                 \
    } while (0)

static void start_target(void)
{
    static const char *const parts[] = {"TargetInfo", "Target", "TargetMC", "AsmPrinter"};
#if defined __x86_64__
    const char *target = "X86";
#elif defined __aarch64__
    const char *target = "AArch64";
#else
    const char *target = "RISCV";
#endif
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char name[64];
        snprintf(name, sizeof name, "LLVMInitialize%s%s", target, parts[i]);
        void (*begin)(void);
        void *symbol = find(name);
        memcpy(&begin, &symbol, sizeof symbol);
        begin();
    }
}

static void check(void *error)
{
    LLVM(LLVMGetErrorMessage, char *, void *);
    if (error)
        fail_msg("%s", LLVMGetErrorMessage(error));
}

struct symbol {
    void *name;
    uint64_t address;
    uint8_t flags, target_flags;
};

/* What the functions call, as addresses of this process. */
static void define_symbols(void *jit, void *dylib)
{
    LLVM(LLVMOrcLLJITMangleAndIntern, void *, void *, const char *);
    LLVM(LLVMOrcAbsoluteSymbols, void *, struct symbol *, size_t);
    LLVM(LLVMOrcJITDylibDefine, void *, void *, void *);
    size_t count;
    const struct ptx_native_symbol *symbols = ptx_native_symbols(&count);
    struct symbol *made = calloc(count + 3, sizeof *made);
    assert_non_null(made);
    for (size_t i = 0; i < count; i++)
        made[i] = (struct symbol){LLVMOrcLLJITMangleAndIntern(jit, symbols[i].name),
                                  (uint64_t)(uintptr_t)symbols[i].address, 1, 0};
    static const char *const names[] = {"memset", "memcpy", "memmove"};
    for (size_t i = 0; i < 3; i++)
        made[count + i] = (struct symbol){LLVMOrcLLJITMangleAndIntern(jit, names[i]),
                                          (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, names[i]), 1, 0};
    check(LLVMOrcJITDylibDefine(dylib, LLVMOrcAbsoluteSymbols(made, count + 3)));
    free(made);
}

static void *make_jit(void)
{
    LLVM(LLVMOrcJITTargetMachineBuilderDetectHost, void *, void **);
    LLVM(LLVMOrcCreateLLJITBuilder, void *, void);
    LLVM(LLVMOrcLLJITBuilderSetJITTargetMachineBuilder, void, void *, void *);
    LLVM(LLVMOrcCreateLLJIT, void *, void **, void *);
    void *builder = LLVMOrcCreateLLJITBuilder(), *machine, *jit;
    check(LLVMOrcJITTargetMachineBuilderDetectHost(&machine));
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder, machine);
    check(LLVMOrcCreateLLJIT(&jit, builder));
    return jit;
}

static void *parsed(void *context, const char *text)
{
    LLVM(LLVMCreateMemoryBufferWithMemoryRangeCopy, void *, const char *, size_t, const char *);
    LLVM(LLVMParseIRInContext, int, void *, void *, void **, char **);
    void *module, *buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "lanes");
    char *message = NULL;
    if (LLVMParseIRInContext(context, buffer, &module, &message))
        fail_msg("%s", message);
    return module;
}

/* ---- Writing ---- */

enum { MOST_REGISTERS = 32, MOST_FUNCTIONS = 2048 };

struct lanes_text {
    struct ptx_arena arena;
    struct ptx_text declarations, functions;
    struct ptx_native native;
    struct ptx_emitter emitter;
    struct ptx_plan plan;
    struct ptx_native_flow flow;
    struct ptx_native_value registers[4 * MOST_REGISTERS]; /* as of flow.held */
    uint32_t held_in[4 * MOST_REGISTERS];
    size_t count;
    char *ir;
    void *jit;
    lanes_function *found[MOST_FUNCTIONS];
};

struct lanes_text *lanes_begin(void)
{
    struct lanes_text *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->declarations.arena = t->functions.arena = &t->arena;
    t->emitter.arena = &t->arena;
    t->emitter.out = &t->functions;
    t->emitter.plan = &t->plan;
    t->native = (struct ptx_native){.e = &t->emitter,
                                    .declarations = &t->declarations,
                                    .flow = &t->flow,
                                    .llvm_major = (int)llvm.major};
    t->flow.held = t->registers;
    t->flow.held_in = t->held_in;
    return t;
}

static const struct {
    char class, *type;
    unsigned bits;
} classes[] = {{'h', "b16", 16}, {'q', "b16", 16}, {'b', "b16", 16},
               {'r', "b32", 32}, {'Q', "b32", 32}, {'B', "b32", 32},
               {'l', "b64", 64}, {'f', "f32", 32}, {'d', "f64", 64}};

static size_t class_of(char class)
{
    size_t i = 0;
    while (classes[i].class != class)
        i++;
    return i;
}

static const char *pointer_to(struct lanes_text *t, const char *type)
{
    return t->native.llvm_major < 15 ? ptx_format(&t->emitter, "%s*", type) : "ptr";
}

static struct ptx_native_value *held_of(struct lanes_text *t, int32_t index)
{
    return &t->registers[4 * (size_t)index];
}

static int32_t index_of(const struct ptx_function *function, const char *name)
{
    for (size_t i = 0; i < function->register_count; i++)
        if (strcmp(function->registers[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

/* The sources that have a class from their addresses, everything else as 0. */
static void load_registers(struct lanes_text *t, const struct ptx_function *function,
                           const char *words)
{
    static const char *const names[] = {"%a", "%b", "%c"};
    struct ptx_native *n = &t->native;
    for (size_t i = 0; i < function->register_count; i++) {
        const unsigned bits = ptx_native_bits((enum ptx_type)function->registers[i].type);
        t->registers[4 * i] =
            (struct ptx_native_value){ptx_native_constant(n, bits, 0), (uint8_t)bits, n->is_vector};
    }
    for (size_t i = 0; i < 3 && words[1 + i]; i++) {
        const int32_t index = index_of(function, names[i]);
        if (index < 0)
            continue;
        const char *type =
            ptx_native_type(n, ptx_native_integer(classes[class_of(words[1 + i])].bits));
        const char *pointer = pointer_to(t, type);
        const char *at = ptx_native_emit(n, "inttoptr i64 %%%zu to %s", i, pointer);
        held_of(t, index)->text = ptx_native_emit(n, "load %s, %s %s, align 1", type, pointer, at);
    }
}

/* What is written keeps its old value where a guard does not hold. */
static void set_register(struct lanes_text *t, const struct ptx_instruction *in,
                         const struct ptx_operand *to, struct ptx_native_value value)
{
    struct ptx_native *n = &t->native;
    if (to->kind != PTX_OPERAND_REGISTER)
        return;
    struct ptx_native_value *held = held_of(t, to->index);
    if (value.bits < held->bits) {
        const bool is_signed = ptx_type_is_signed((enum ptx_type)in->types[0]);
        value.text = ptx_native_emit(n, "%s %s %s to %s", is_signed ? "sext" : "zext",
                                     ptx_native_type(n, ptx_native_integer(value.bits)), value.text,
                                     ptx_native_type(n, ptx_native_integer(held->bits)));
    }
    assert_true(value.bits <= held->bits && value.is_vector == n->is_vector);
    if (in->guard >= 0) {
        const char *truth = ptx_native_type(n, "i1");
        const char *type = ptx_native_type(n, ptx_native_integer(held->bits));
        const char *guard = held_of(t, in->guard)->text;
        const char *first = in->guard_negated ? held->text : value.text;
        const char *second = in->guard_negated ? value.text : held->text;
        value.text = ptx_native_emit(n, "select %s %s, %s %s, %s %s", truth, guard, type, first,
                                     type, second);
    }
    held->text = value.text;
}

static void write_instruction(struct lanes_text *t, const struct ptx_instruction *in)
{
    struct ptx_native_value results[PTX_NATIVE_RESULTS];
    size_t count = 0, at = 0;
    t->emitter.instruction = in;
    if (!ptx_native_has_operation(in))
        fail_msg("no operation: %s", in->words);
    ptx_native_operation(&t->native, in, results, &count);
    for (uint32_t i = 0; i < ptx_destination_count(in); i++) {
        const struct ptx_operand *to = &in->operands[i];
        const bool is_list = to->kind == PTX_OPERAND_VECTOR;
        for (uint32_t j = 0; j < (is_list ? to->count : 1); j++) {
            assert_true(at < count);
            set_register(t, in, is_list ? &to->list[j] : to, results[at++]);
        }
    }
    assert_int_equal(at, count);
}

/* call (%d), __clem_NAME, (%a ...); */
static void write_call(struct lanes_text *t, const struct ptx_instruction *in)
{
    struct ptx_native_value arguments[3];
    const struct ptx_operand *given = &in->operands[2];
    const struct ptx_function *callee = in->operands[1].function;
    assert_true(ptx_native_has_math(callee) && given->count <= 3);
    for (uint32_t i = 0; i < given->count; i++)
        arguments[i] = ptx_native_read(&t->native, &given->list[i],
                                       callee->parameters[i]->bytes == 8 ? PTX_U64 : PTX_U32);
    set_register(t, in, &in->operands[0].list[0],
                 ptx_native_math(&t->native, callee, arguments, given->count));
}

static struct ptx_module *read_instructions(const char *functions, const char *registers,
                                            const char *instructions, const char *words)
{
    char text[4096];
    size_t used =
        (size_t)snprintf(text, sizeof text,
                         ".version 8.0\n.target sm_90\n.address_size 64\n%s.visible .entry k()\n{\n"
                         ".reg .pred %%p<4>;\n.reg .%s %%d;\n%s\n",
                         functions, classes[class_of(words[0])].type, registers);
    for (size_t i = 0; i < 3 && words[1 + i]; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ".reg .%s %%%c;\n",
                                 classes[class_of(words[1 + i])].type, (int)('a' + i));
    snprintf(text + used, sizeof text - used, "%s\nret;\n}\n", instructions);
    return read_ptx(text);
}

static void write_function(struct lanes_text *t, const struct ptx_function *function,
                           const char *words)
{
    struct ptx_native *n = &t->native;
    t->emitter.function = t->plan.original = t->flow.function = function;
    ptx_text_add(&t->functions, "define void @f%zu(i64 %%0, i64 %%1, i64 %%2, i64 %%3) {\n",
                 t->count);
    n->values = 0;
    n->carry = (struct ptx_native_value){0};
    load_registers(t, function, words);
    for (size_t i = 0; i + 1 < function->instruction_count; i++)
        if (function->instructions[i].opcode == PTX_OPCODE_call)
            write_call(t, &function->instructions[i]);
        else
            write_instruction(t, &function->instructions[i]);
    const char *type = ptx_native_type(n, ptx_native_integer(classes[class_of(words[0])].bits));
    const char *pointer = pointer_to(t, type);
    const char *at = ptx_native_emit(n, "inttoptr i64 %%3 to %s", pointer);
    ptx_native_do(n, "store %s %s, %s %s, align 1", type,
                  held_of(t, index_of(function, "%d"))->text, pointer, at);
    ptx_text_put(&t->functions, "  ret void\n}\n");
}

static size_t add(struct lanes_text *t, const char *functions, const char *registers,
                  const char *instructions, const char *words, bool is_vector)
{
    struct ptx_log log = {0};
    struct ptx_module *module = read_instructions(functions, registers, instructions, words);
    const struct ptx_function *function = ptx_find_function(module, "k");
    assert_true(function->register_count <= MOST_REGISTERS && t->count < MOST_FUNCTIONS);
    t->emitter.module = module;
    t->emitter.log = &log;
    t->native.is_vector = is_vector;
    if (setjmp(t->arena.out_of_memory) != 0)
        fail_msg("no memory");
    write_function(t, function, words);
    if (t->emitter.status != PTX_OK)
        fail_msg("%s: %s", instructions, log.text ? log.text : "");
    ptx_module_free(module);
    return t->count++;
}

size_t lanes_add(struct lanes_text *t, const char *registers, const char *instructions,
                 const char *words, bool is_vector)
{
    return add(t, "", registers, instructions, words, is_vector);
}

size_t lanes_add_math(struct lanes_text *t, const char *name, const char *words, bool is_vector)
{
    char functions[512], call[128];
    size_t used =
        (size_t)snprintf(functions, sizeof functions, ".extern .func (.param .%s r) __clem_%s(",
                         classes[class_of(words[0])].type, name);
    size_t written = (size_t)snprintf(call, sizeof call, "call (%%d), __clem_%s, (", name);
    for (size_t i = 0; words[1 + i]; i++) {
        const char *comma = i ? ", " : "";
        used += (size_t)snprintf(functions + used, sizeof functions - used, "%s.param .%s x%zu",
                                 comma, classes[class_of(words[1 + i])].type, i);
        written += (size_t)snprintf(call + written, sizeof call - written, "%s%%%c", comma,
                                    (int)('a' + i));
    }
    snprintf(functions + used, sizeof functions - used, ");\n");
    snprintf(call + written, sizeof call - written, ");");
    return add(t, functions, "", call, words, is_vector);
}

/* A module of a text, in a context of its own: from LLVM 21 on that is made before what threads share it by. */
static void *module_of(const char *ir)
{
    LLVM(LLVMOrcCreateNewThreadSafeModule, void *, void *, void *);
    if (dlsym(llvm.library, "LLVMOrcThreadSafeContextGetContext")) {
        LLVM(LLVMOrcCreateNewThreadSafeContext, void *, void);
        LLVM(LLVMOrcThreadSafeContextGetContext, void *, void *);
        void *shared = LLVMOrcCreateNewThreadSafeContext();
        return LLVMOrcCreateNewThreadSafeModule(
            parsed(LLVMOrcThreadSafeContextGetContext(shared), ir), shared);
    }
    LLVM(LLVMContextCreate, void *, void);
    LLVM(LLVMOrcCreateNewThreadSafeContextFromLLVMContext, void *, void *);
    void *context = LLVMContextCreate(), *module = parsed(context, ir);
    return LLVMOrcCreateNewThreadSafeModule(
        module, LLVMOrcCreateNewThreadSafeContextFromLLVMContext(context));
}

const char *lanes_ir(const struct lanes_text *t)
{
    return t->functions.data;
}

void lanes_compile(struct lanes_text *t)
{
    LLVM(LLVMOrcLLJITGetMainJITDylib, void *, void *);
    LLVM(LLVMOrcLLJITAddLLVMIRModule, void *, void *, void *, void *);
    LLVM(LLVMOrcLLJITLookup, void *, void *, uint64_t *, const char *);
    const size_t bytes = t->declarations.used + t->functions.used + 1;
    t->ir = malloc(bytes);
    assert_non_null(t->ir);
    snprintf(t->ir, bytes, "%s%s", t->declarations.data ? t->declarations.data : "",
             t->functions.data);
    const char *kept = getenv("LANES_IR");
    FILE *file = kept ? fopen(kept, "w") : NULL;
    if (file) {
        fputs(t->ir, file);
        fclose(file);
    }
    start_target();
    t->jit = make_jit();
    void *dylib = LLVMOrcLLJITGetMainJITDylib(t->jit);
    define_symbols(t->jit, dylib);
    check(LLVMOrcLLJITAddLLVMIRModule(t->jit, dylib, module_of(t->ir)));
    for (size_t i = 0; i < t->count; i++) {
        char name[24];
        uint64_t address;
        snprintf(name, sizeof name, "f%zu", i);
        check(LLVMOrcLLJITLookup(t->jit, &address, name));
        memcpy(&t->found[i], &address, sizeof address);
    }
}

lanes_function *lanes_find(const struct lanes_text *t, size_t number)
{
    return t->found[number];
}

void lanes_end(struct lanes_text *t)
{
    LLVM(LLVMOrcDisposeLLJIT, void *, void *);
    if (t->jit)
        check(LLVMOrcDisposeLLJIT(t->jit));
    free(t->declarations.data);
    free(t->functions.data);
    free(t->ir);
    ptx_arena_free(&t->arena);
    free(t);
}
