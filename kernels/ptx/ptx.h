/* PTX to OpenCL C: what cl/ asks of the translator. Knows neither OpenCL's API nor CUDA's; keeps no
 * state of its own, so any number of threads may translate at once.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_PTX_H
#define KERNELS_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum ptx_status {
    PTX_OK,
    PTX_E_OUT_OF_MEMORY,
    PTX_E_SYNTAX,        /* the text is no PTX; the log says line and token */
    PTX_E_UNSUPPORTED,   /* the log names kernel, line (of PTX, and of CUDA where that is known) and
                          * instruction, and why it cannot be had */
    PTX_E_NEEDS_ADDRESS, /* only where kernels have no addresses: a pointer that comes from memory */
    PTX_E_TOO_LARGE /* the log names the budget that does not suffice: see kernels/ptx/base/budget.h */
};

/* What went wrong, in one or more lines of words. Starts as {0}; the caller frees text. */
struct ptx_log {
    char *text;
};

/* ---- Modules ---- */

struct ptx_module;

/* Reads PTX of any ISA version up to 9.x for any target. Instructions that no translation exists
 * for are no error here, only where their kernel is translated.
 * Shape:  bytes excludes a terminating NUL, of which none is needed; reading stops at the first.
 * Owns:   the module keeps a copy of what it needs; ptx_module_free() takes NULL.
 * Errors: PTX_E_SYNTAX, PTX_E_TOO_LARGE, PTX_E_OUT_OF_MEMORY. */
enum ptx_status ptx_module_parse(const char *text, size_t bytes, struct ptx_module **module,
                                 struct ptx_log *log);
void ptx_module_free(struct ptx_module *module);

/* One more owner, who frees it as well; returns it. Any number of threads may use a module that nobody changes. */
struct ptx_module *ptx_module_hold(struct ptx_module *module);

/* Writes all of it as it was understood, as PTX that reads as the same module. */
void ptx_print_module(FILE *out, const struct ptx_module *module);

/* Where in the CUDA sources a location of the module is: "k.cu:12", or "f.h:3, inlined at k.cu:12".
 * Shape:  location as checked kernels tell it (library/check.h).
 * Owns:   the caller frees what is returned; NULL where it is not known. */
char *ptx_module_source(const struct ptx_module *module, uint32_t location);

/* Whether a text begins as PTX does: comments and blank lines, then ".version". */
bool ptx_is_ptx(const char *text, size_t bytes);

/* Several texts as one module's, as a linker would make it: what one declares .extern and another
 * defines is one thing; names that are private to a text are kept apart. What nobody defines stays
 * .extern.
 * Shape:  texts end with NUL; names, one for each, are for the log.
 * Owns:   the caller frees *merged (NULL after errors); *bytes excludes its NUL.
 * Errors: PTX_E_SYNTAX when a name is defined twice or a statement has no end; PTX_E_TOO_LARGE,
 *         PTX_E_OUT_OF_MEMORY. */
enum ptx_status ptx_merge(const char *const *texts, const char *const *names, size_t count,
                          char **merged, size_t *bytes, struct ptx_log *log);

/* ---- Kernels of a module ---- */

struct ptx_parameter {
    size_t offset, bytes, alignment; /* bytes; offset: in a C struct of all parameters */
};

/* What is known of an entry without translating it. */
struct ptx_entry {
    const char *name;
    const struct ptx_parameter *parameters;
    size_t parameter_count;
    size_t parameter_bytes; /* of the struct of all parameters */
    size_t shared_bytes;    /* static: .shared variables of the kernel and of what it calls */
    size_t shared_alignment;
    size_t local_bytes;           /* per thread, of the kernel's own .local variables */
    unsigned max_threads[3];      /* .maxntid, or zeros */
    unsigned required_threads[3]; /* .reqntid, or zeros */
    bool uses_printf, uses_malloc, uses_assert; /* it, or what it calls */
    bool uses_workspace; /* likewise: the address of a cooperative launch's workspace */
};

/* In the order of the text. Needs: index < count. Constant, and goes with the module. */
size_t ptx_module_entry_count(const struct ptx_module *module);
const struct ptx_entry *ptx_module_entry(const struct ptx_module *module, size_t index);

/* What it was compiled for: 75 of .target sm_75. */
unsigned ptx_module_target(const struct ptx_module *module);

/* Whether blocks that lie side by side along x may be run as one, as wide as they are together: its threads know of x only
 * blockIdx.x * blockDim.x + threadIdx.x, neither meet nor wait for each other, and read rows and have no loops, for others gain nothing. Without memory
 * it says no. */
bool ptx_module_entry_widens(const struct ptx_module *module, size_t index);

/* What the code of a module knows an entry by, > 0: its address, as kernels that launch kernels have it. */
size_t ptx_module_entry_number(const struct ptx_module *module, size_t index);

/* ---- Variables of a module ---- */

/* Where a module's variables live: three blocks of memory that all its kernels share. */
enum ptx_block {
    PTX_BLOCK_CONSTANT, /* .const */
    PTX_BLOCK_DEVICE,   /* .global */
    PTX_BLOCK_MANAGED,  /* .global .attribute(.managed) */
    PTX_BLOCKS
};

struct ptx_symbol {
    const char *name;
    enum ptx_block block;
    size_t offset, bytes, alignment; /* offset: in the block */
    bool is_visible;                 /* .visible, .weak or .common: the host may ask for it */
};

/* A place in a block whose first value is an address: those of variables are known when the blocks
 * have memory, those of functions are numbers of the module. */
struct ptx_relocation {
    enum ptx_block block;
    size_t offset;
    size_t bytes; /* how many of the address, from byte `first` on, are stored there */
    size_t first;
    bool is_function;
    enum ptx_block target; /* variables: block, and offset in it */
    uint64_t addend;       /* variables: offset in target; functions: their number */
};

size_t ptx_module_symbol_count(const struct ptx_module *module);
const struct ptx_symbol *ptx_module_symbol(const struct ptx_module *module, size_t index);

/* Bytes of a block, 0 where it has no variables, and its first values without relocations. All
 * variables are zero where the text gives no value. */
size_t ptx_module_block_bytes(const struct ptx_module *module, enum ptx_block block);
const unsigned char *ptx_module_block_values(const struct ptx_module *module, enum ptx_block block);

/* Puts variables of .global into the managed block, each at an offset that the caller knows, for
 * hosts that have the memory of such a block already. The block then has block_bytes, however many
 * variables there are.
 * Shape:  names that the module does not have are passed over. A managed variable of the module
 *         that is not among the names is an error.
 *         A module that it was done to before stays as it is.
 * Needs:  nothing of the module was asked or translated before, and nobody else has it, at the first call; the same
 *         places at each.
 * Errors: PTX_E_UNSUPPORTED for such a variable and for other block_bytes than before, PTX_E_OUT_OF_MEMORY. After errors the module is only
 *         good for ptx_module_free(). */
struct ptx_managed_place {
    const char *name;
    size_t offset;
};
enum ptx_status ptx_module_manage(struct ptx_module *module, const struct ptx_managed_place *places,
                                  size_t count, size_t block_bytes);

size_t ptx_module_relocation_count(const struct ptx_module *module);
const struct ptx_relocation *ptx_module_relocation(const struct ptx_module *module, size_t index);

/* Texture and surface references: `.global .texref name`. */
struct ptx_reference {
    const char *name;
    bool is_surface;
};
size_t ptx_module_reference_count(const struct ptx_module *module);
const struct ptx_reference *ptx_module_reference(const struct ptx_module *module, size_t index);

/* ---- Translating ---- */

/* How pointers reach kernels. */
enum ptx_pointers {
    PTX_POINTERS_NUMBERS, /* as ulong; a number can be cast to a pointer and followed */
    PTX_POINTERS_BUFFERS  /* as __global arguments only; none may come from memory */
};

/* What one OpenCL work-item does. */
enum ptx_form {
    PTX_FORM_ITEM,  /* one CUDA thread: work-items and groups as the launch says */
    PTX_FORM_BLOCK, /* a whole CUDA block, thread after thread between its barriers: groups of one
                     * work-item, one for each block; for CPUs, and for what a device cannot do */
    PTX_FORM_WARP, /* likewise, warp after warp: what a warp's lanes do as vectors, for compilers that have
                     * those of 32 elements. Kernels that it cannot have get PTX_FORM_BLOCK */
    PTX_FORM_NATIVE /* no OpenCL C: the text is LLVM IR of functions that run whole CUDA blocks (native/abi.h). Kernels that
                     * it cannot have get what they get without it */
};

/* Facts that kernels have to be tried for. One that nobody has tried yet is given to a translation as the device's being
 * able, or its losing: the translation says whether it depends on it. */
enum ptx_fact {
    PTX_FACT_INT64_ATOMICS = 1,
    PTX_FACT_EXACT_DIVIDE = 2,
    PTX_FACT_THREAD_FENCE = 4,
    PTX_FACT_INDICES = 8, /* loses_... */
    PTX_FACT_LANE_VECTORS = 16,
    PTX_FACT_ALL = 31
};

/* How the threads of a block lie in its warps, as far as a text of PTX_FORM_NATIVE counts on it. */
enum ptx_threads {
    PTX_THREADS_ANY,
    PTX_THREADS_ROWS,    /* one row of whole warps: tid.x goes up by one, tid.y and tid.z are 0 */
    PTX_THREADS_STACKED, /* several rows or layers of them: tid.y and tid.z stay within a warp */
    PTX_THREADS_ROW,     /* one row, whose last warp lacks threads */
    PTX_THREADS_HALVES   /* whole warps of two rows of 16 threads; tid.z is the same for a warp */
};

/* Launches that go through more memory than the processor's caches hold, as can be seen of a kernel. */
enum ptx_vast {
    PTX_VAST_NONE,    /* there is one text for all */
    PTX_VAST_THREADS, /* a word for each thread is more */
    PTX_VAST_MEMORY   /* what a parameter points into is: its threads go far in loops */
};

/* What of a kernel is checked while it runs. */
enum ptx_check {
    PTX_CHECK_MEMORY = 1, /* accesses: where memory is, and whose */
    PTX_CHECK_INIT = 2,   /* what was never written */
    PTX_CHECK_RACE = 4,
    PTX_CHECK_SYNC = 8
};

/* Facts about the device, each probed by value. */
struct ptx_target {
    enum ptx_pointers pointers;
    bool is_cpu;            /* prefer PTX_FORM_BLOCK for kernels with barriers or warp operations */
    bool has_double;        /* cl_khr_fp64 */
    bool has_int64_atomics; /* cl_khr_int64_base_atomics and extended */
    bool has_exact_divide;  /* float's / and sqrt() are correctly rounded, as programs are built */
    bool has_thread_fence;  /* __atomic_thread_fence() and __atomic_signal_fence(): of CPUs, whose
                             * mem_fence() may be nothing, not even to their compiler */
    bool has_lane_vectors;  /* ext_vector_type(32) and what clang has for it: PTX_FORM_WARP */
    bool loses_wraps;       /* indices that wrap around are followed beyond: strided ones, and */
    bool loses_all_wraps;   /* those that grow by one too; needs loses_wraps */
    bool loses_turns;       /* indices that functions make of a loop's turn are of an earlier one */
    enum ptx_threads threads; /* PTX_FORM_NATIVE */
    bool is_vast;             /* PTX_FORM_NATIVE: for launches that are: see enum ptx_vast */
    int llvm_major; /* of the LLVM that takes the text of PTX_FORM_NATIVE; 0: that form is not to be had */
    bool lacks_masks; /* PTX_FORM_NATIVE: no vectors are loaded and stored under masks */
    bool
        has_byte_masks; /* PTX_FORM_NATIVE: vectors of 8 and 16 bits are loaded and stored under masks by the processor */
    bool
        has_wide_vectors; /* PTX_FORM_NATIVE: half a warp's words are one vector of the processor, which gathers them under masks and takes them out of two such */
    bool
        has_few_ways; /* PTX_FORM_NATIVE: rows that loops in step ask for, of so many turns, push each other out of the processor's cache */
    bool has_nvidia_asm;   /* asm() statements are PTX: warps are the hardware's own */
    bool has_images;       /* textures as images where they can be */
    bool shared_is_global; /* shared memory lies in __global memory: PTX_ARGUMENT_SHARED */
    bool
        gathers; /* for cooperative launches of the item form: blocks wait until all are at work, PTX_ARGUMENT_GATHERING */
    size_t max_parameter_bytes; /* of all kernel arguments together */
    size_t max_private_bytes;   /* per work-item, that the device is known to take */
    int force_form;             /* -1, or an enum ptx_form, for tests */
    bool marks_accesses; /* for tests: comments in the text around each access (emit/access.h) */
    unsigned
        checks; /* enum ptx_check, of a CPU whose kernels run in this process and whose pointers are numbers: the form is
                      * PTX_FORM_BLOCK, and each access calls the host (library/check.h) */
};

/* The most shared memory that a block can have: static, and with the dynamic; and the constants of a module.
 * Source: CUDA C++ Programming Guide 13.0, technical specifications, compute capability 7.5. */
enum {
    PTX_STATIC_SHARED_BYTES = 48 * 1024,
    PTX_SHARED_BYTES = 64 * 1024,
    PTX_CONSTANT_BYTES = 64 * 1024
};

/* What an argument of a translated kernel is given, in the order of its parameters. Under PTX_FORM_NATIVE the kernel has no
 * parameters of its own, and what it reads in struct ptx_native_launch is listed: PTX_ARGUMENT_BLOCK for each block of variables,
 * RUNTIME, CONDITIONS and TABLE. */
enum ptx_argument_kind {
    PTX_ARGUMENT_VALUE,   /* element `index` of void **args: its bytes */
    PTX_ARGUMENT_POINTER, /* the device pointer at byte `offset` of element `index`, as a __global
                           * buffer */
    PTX_ARGUMENT_BANK,    /* all parameters as one struct in __constant or __global memory */
    PTX_ARGUMENT_BLOCK,   /* block `index` of the module's variables, a __global pointer */
    PTX_ARGUMENT_SHARED, /* __local bytes: `bytes` static ones, then the launch's dynamic ones. Where
                           * the target says that they are global: PTX_SHARED_BYTES of __global memory
                           * for each block of an enqueued command */
    PTX_ARGUMENT_SCRATCH,    /* __local bytes: `bytes` for each thread of a CUDA block, in FORM_WARP
                           * of whole warps; FORM_BLOCK and FORM_WARP. Built
                           * with -D CLEM_SCRATCH=__global: __global bytes, for each block of an
                           * enqueued command so many, rounded up to a multiple of 128 */
    PTX_ARGUMENT_RUNTIME,    /* __global struct clem_runtime (library/runtime.h) of the module */
    PTX_ARGUMENT_CONDITIONS, /* __global uint *: conditions (library/runtime.h), or NULL */
    PTX_ARGUMENT_LAUNCHES, /* __global struct clem_launches (library/launches.h) for the launch alone, or NULL */
    PTX_ARGUMENT_GRID, /* uint8 by value: gridDim x y z, 1, blockDim x y z, 0; FORM_BLOCK, and where
                           * shared memory is global; the 1 may be more where the kernel joins blocks */
    PTX_ARGUMENT_DYNAMIC, /* uint by value: the launch's dynamic shared bytes */
    PTX_ARGUMENT_TURNS, /* __global struct clem_rota (library/turns.h), with a record for each slot */
    PTX_ARGUMENT_GATHERING, /* __global struct clem_gather (library/gather.h) of the launch */
    PTX_ARGUMENT_ZERO,      /* uint by value: 0, which no compiler knows */
    PTX_ARGUMENT_CHECK, /* ulong by value: address of a struct clem_check_launch (library/check.h) of the launch */
    PTX_ARGUMENT_TEXTURE, /* a bundle of parameters as kernels/device/clem_texture.h and
                             * clem_surface.h declare them, fed by element `index`, or by reference
                             * `name`; `bytes` of them where textures go by memory, one more for a
                             * texture that goes by image (the text has both variants) */
    PTX_ARGUMENT_TABLE    /* __global const struct clem_texture *: all live objects, object id in
                             * row id & 0xfffff; for handles that come from memory. `offset` there
                             * is an address; surfaces say in `width` the bytes of a row */
};

struct ptx_argument {
    enum ptx_argument_kind kind;
    size_t index;
    size_t offset;
    size_t bytes;
    size_t alignment;
    const char *name; /* of a reference; the module's */
    bool is_surface;  /* TEXTURE: declared by clem_surface.h; TABLE: surfaces in it are written */
    /* VALUE, BANK: the C type of the kernel's parameter ("ulong", "__constant uchar *"), for a kernel
     * behind the text that hands it on; TEXTURE: that of its image where textures go by image
     * ("image2d_t"), "" where it goes by memory even then. */
    char type[40];
};

/* The most characters of a name in a translation: drivers name files after kernels, and names of C++
 * are of any length. */
enum { PTX_LONGEST_NAME = 64 };

/* A translated kernel. Owns all it points to except names. */
struct ptx_kernel {
    char *text; /* NUL-terminated OpenCL C 1.2, complete in itself but for `needs_device_header` */
    size_t text_bytes;
    const char
        *name; /* of the __kernel in text: "kernel_" and the entry's, shortened where it is long */
    enum ptx_form form;
    struct ptx_argument *arguments;
    size_t argument_count;
    bool needs_device_header; /* text includes clem_device.h */
    /* FORM_BLOCK: a work-item runs as many blocks as word 3 of the grid says, one after another in x,
     * and needs the scratch bytes of all their threads. */
    bool joins_blocks;
    /* FORM_BLOCK and FORM_WARP: blocks may wait for each other. Work-items, of which there are fewer than 2^16, run all
     * fewer than 2^32 - 2^16 blocks of the launch, in as many slots as the turns say: shared memory and scratch are
     * __global memory for each slot. */
    bool takes_turns;
    /* Launched with zeros for all its arguments, and nothing behind its pointers, it ends at once. */
    size_t local_bytes; /* of local memory for each thread */
    bool ends_when_empty;
    /* FORM_ITEM and others: blocks may wait for each other, and take no turns. */
    bool waits_for_blocks;
    enum ptx_vast
        vast; /* PTX_FORM_NATIVE: which launches another text is for, with is_vast of the target */
    unsigned facts; /* those of enum ptx_fact that text depends on; also after errors */
};

/* Translates one entry and what it calls.
 * Shape:  the same module, index and target give the same text, byte for byte.
 * Owns:   the caller calls ptx_kernel_free(), also after errors; *kernel starts as {0}.
 * Errors: PTX_E_UNSUPPORTED, PTX_E_NEEDS_ADDRESS, PTX_E_TOO_LARGE, PTX_E_OUT_OF_MEMORY. */
enum ptx_status ptx_translate(const struct ptx_module *module, size_t index,
                              const struct ptx_target *target, struct ptx_kernel *kernel,
                              struct ptx_log *log);
void ptx_kernel_free(struct ptx_kernel *kernel);

/* ---- PTX for drivers that take it as it is ---- */

/* Whether the driver's own compiler can run the whole module: no textures or references, no malloc
 * or assert, nothing of managed memory; *why says the first obstacle, for a trace.
 * Source: NVIDIA 580 runs vprintf of such modules (and prints at once), its malloc faults, stores
 * through generic addresses of .const fault, and `.extern .shared` has no memory. */
bool ptx_module_suits_binary(const struct ptx_module *module, const char **why);

/* The module's text with every variable of its blocks taken out and each use replaced by the
 * variable's address, given the blocks' addresses (.const becomes .global). Where the module has
 * `.extern .shared` variables, every entry gets one parameter more, at its end,
 * `.param .u64 .ptr .shared .align 16`, whose value stands for them: it is set as OpenCL sets __local
 * arguments. NULL only without memory; the caller frees it. */
char *ptx_module_place(const struct ptx_module *module, const uint64_t addresses[PTX_BLOCKS],
                       size_t *bytes);

#endif
