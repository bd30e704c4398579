/* What programs and kernels are made of, and the forms of calling one. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_H
#define OCL_KERNEL_H

#include "cl/state/state.h"
#include "cl/symbols.h"

/* What the parameters of a texture or surface are. */
enum ocl_part {
    OCL_PART_MEMORY,   /* the texels in device memory */
    OCL_PART_IMAGE,    /* a copy of them as an image */
    OCL_PART_SAMPLER,  /* how the image is read */
    OCL_PART_FACTS,    /* struct clem_texture, clem_image or clem_surface, by value */
    OCL_PART_REFERENCE /* says that the bundle is fed by a name; itself it is given 0 */
};

/* Parameters side by side that one texture or surface object feeds. */
struct ocl_bundle {
    uint32_t first, count; /* parameters */
    uint32_t entry;        /* of void **args, where it has no reference */
    const char *reference; /* name of the reference that feeds it, or NULL; the argument's */
    bool is_surface;
    bool is_plain;       /* an image of the user's own, not declared by the device header */
    uint32_t image_type; /* cl_mem_object_type; 0: it is read from memory */
};

/* What the launch makes an argument of, where neither void **args nor memory has it. */
enum ocl_made {
    OCL_MADE_NOT,
    OCL_MADE_SCRATCH,   /* __local memory: `bytes` for each thread of a thread block */
    OCL_MADE_SHARED,    /* __global memory that stands in for the shared memory of thread blocks */
    OCL_MADE_GRID,      /* numbers of thread blocks and threads, as kernels/ptx/ptx.h says */
    OCL_MADE_DYNAMIC,   /* the launch's local_bytes, as a number */
    OCL_MADE_ZERO,      /* the number 0 */
    OCL_MADE_BANK,      /* the args entries as one struct in memory */
    OCL_MADE_TURNS,     /* struct clem_rota in memory */
    OCL_MADE_GATHERING, /* struct clem_gather in memory */
    OCL_MADE_NATIVE,    /* the address of the launch: native.h */
    OCL_MADE_CHECK,     /* the address of what is checked of the launch: check_launch.h */
    OCL_MADE_NUMBER /* 8 bytes of the args entry, changed where they are the address of pinned memory */
};

/* A parameter as the driver describes it. */
struct ocl_argument {
    enum ocl_parameter_kind kind;
    enum ocl_made made;
    uint32_t entry;             /* of void **args, or what stands in for one: OCL_ENTRY_... */
    uint32_t within;            /* of that entry: the byte that a pointer begins at */
    bool is_constant;           /* OCL_PARAMETER_POINTER into __constant memory */
    bool is_const;              /* OCL_PARAMETER_POINTER that the kernel does not write through */
    bool is_own_type;           /* OCL_PARAMETER_VALUE of a type that only the program knows */
    enum ocl_symbol_kind block; /* OCL_PARAMETER_HIDDEN: of which symbols, where it is of symbols */
    enum ocl_part part;         /* OCL_PARAMETER_TEXTURE: what it is of a bundle */
    uint32_t bundle;            /* OCL_PARAMETER_TEXTURE: which one */
    uint32_t access;            /* of images: the driver's word for read_only or write_only */
    char *name;                 /* of parameters that the device header declared, otherwise NULL */
    char *type; /* the type's name, without qualifiers; "?" when the driver tells none */
    /* 0: not known; of an own type: written when the program is sized. OCL_PARAMETER_LOCAL: what it
     * gets beside the launch's local bytes. */
    size_t bytes, alignment;
};

/* Whether a parameter is a pointer into __global or __constant memory. */
static inline bool ocl_argument_is_pointer(const struct ocl_argument *argument)
{
    return argument->kind == OCL_PARAMETER_POINTER || argument->kind == OCL_PARAMETER_HIDDEN;
}

/* In place of an entry of void **args: OCL_ENTRY_SYMBOLS + kind is the program's block of symbols of
 * that kind. */
#define OCL_ENTRY_SYMBOLS 0xfffffff0u
/* The memory that the kernels of a PTX module share with the host, and all textures. */
#define OCL_ENTRY_RUNTIME 0xfffffff8u
#define OCL_ENTRY_TABLE   0xfffffff9u
/* The conditions of the launch. */
#define OCL_ENTRY_CONDITIONS 0xfffffffau
/* What the launch's threads launch. */
#define OCL_ENTRY_LAUNCHES 0xfffffffbu
/* OCL_ENTRY_BUNDLES + index, below OCL_ENTRY_SYMBOLS, is the memory of what feeds a bundle. */
#define OCL_ENTRY_BUNDLES 0x80000000u

/* How one argument of a cl_kernel gets its value: of what the user gave ... */
enum ocl_slot_kind {
    OCL_SLOT_VALUE,   /* the entry's bytes */
    OCL_SLOT_LOCAL,   /* __local memory of the launch's local bytes */
    OCL_SLOT_ADDRESS, /* a pointer, given to the driver as an address (enum ocl_pass says how) */
    OCL_SLOT_BUFFER,  /* a pointer, given to the driver as a cl_mem */
    OCL_SLOT_NUMBER,  /* a pointer, given to a wrapper as a ulong */
    OCL_SLOT_OFFSET,  /* the bytes a wrapper adds to the OCL_SLOT_BUFFER before it */
    /* ... of the texture or surface that feeds a bundle ... */
    OCL_SLOT_IMAGE,
    OCL_SLOT_SAMPLER,
    OCL_SLOT_FACTS, /* union ocl_texture_facts, or those of an image */
    /* ... and of what translations of PTX take besides (struct ocl_ptx_memory). */
    OCL_SLOT_ZERO,      /* 0: a number that nobody reads, or one that no compiler must know */
    OCL_SLOT_SCRATCH,   /* where the kernel spills a cl_mem, otherwise __local memory */
    OCL_SLOT_SHARED,    /* a cl_mem */
    OCL_SLOT_GRID,      /* the launch's groups and items, as 8 uints */
    OCL_SLOT_DYNAMIC,   /* the launch's local bytes, as a number */
    OCL_SLOT_BANK,      /* a cl_mem */
    OCL_SLOT_TURNS,     /* a cl_mem */
    OCL_SLOT_GATHERING, /* a cl_mem */
    OCL_SLOT_NATIVE,    /* the address of struct ocl_native_launch, as a number */
    OCL_SLOT_CHECK      /* that of struct ocl_check_launch */
};

struct ocl_slot {
    enum ocl_slot_kind kind;
    uint32_t parameter; /* whose value this is */
    uint32_t entry;     /* of void **args, or OCL_ENTRY_SYMBOLS + kind */
    uint32_t within;    /* struct ocl_argument's */
    uint32_t bytes;
    uint32_t offset; /* in ocl_instance.values */
};

/* One way to call a kernel: the user's own, or through a wrapper that clem generated. */
enum ocl_form_kind {
    OCL_FORM_DIRECT,  /* the user's kernel */
    OCL_FORM_NULLS,   /* the same, for launches with NULL pointers; see kernel_enqueue.c */
    OCL_FORM_OFFSETS, /* a wrapper that takes a cl_mem and an offset for each pointer */
    OCL_FORM_NUMBERS, /* a wrapper that takes each pointer as a ulong */
    OCL_FORM_COUNT
};

enum ocl_slot_state { OCL_SLOT_UNSET, OCL_SLOT_SET };

/* A cl_kernel with what its arguments are now. One thread at a time has it. */
struct ocl_instance {
    struct ocl_instance *next;
    struct ocl_form *form;
    cl_kernel cl;          /* NULL where it could not be had: then it is given back for good */
    uint64_t generation;   /* context.memory_generation when blocks were declared last */
    unsigned round;        /* ocl_blocks_hold()'s, while it is taken */
    uint64_t addresses;    /* context.memory_generation when addresses were set last */
    unsigned char *states; /* enum ocl_slot_state per slot */
    unsigned char *values; /* last value per slot, at its offset */
};

struct ocl_form {
    _Atomic int state;  /* enum ocl_lazy_state: lazy.h */
    ocl_status status;  /* why it cannot be had */
    cl_program program; /* of a wrapper: owned; otherwise the user's program, borrowed */
    char *name;         /* of a wrapper: owned; otherwise borrowed */
    struct ocl_slot *slots;
    size_t slot_count;
    size_t value_bytes;
    _Atomic(struct ocl_instance *) spare; /* where one thread launches, it never takes a lock */
    struct ocl_instance *free;            /* the others (program.lock) */
};

struct ocl_kernel {
    struct ocl_program *program;
    const char *name;
    _Atomic uint64_t name_in_trace; /* ocl_profile_kept_name() */
    const char *text_name;          /* of the __kernel in the program's text: mostly the same */
    _Atomic int description;        /* enum ocl_lazy_state of the next three */
    struct ocl_argument *arguments;
    size_t argument_count;
    bool has_pointers;          /* found with the facts: into __global or __constant memory */
    bool has_no_description;    /* the driver tells nothing about its parameters */
    unsigned symbol_kinds;      /* found with the facts: 1 << kind for each hidden parameter */
    struct ocl_bundle *bundles; /* found with the description */
    size_t bundle_count;
    _Atomic(struct ocl_kernel *) by_image; /* the same kernel of program.by_image */
    _Atomic int state; /* enum ocl_lazy_state of the next three and of the direct form's slots */
    struct ocl_kernel_facts facts;
    struct ocl_parameter *parameters;
    char *reason; /* facts.reason, or NULL where that is "" */
    size_t
        declared_local; /* of facts.local_bytes: what the text and the driver take by themselves */
    _Atomic bool is_complained_of; /* stderr has heard why it cannot be launched */
    _Atomic bool refuses_unknown;  /* the driver refused a pointer that is in no allocation */
    struct ocl_ptx_kernel *ptx;    /* ptx_kernel.h; NULL for kernels that are no translation */
    struct ocl_form forms[OCL_FORM_COUNT];
};

/* The kernel that kernels/device/clem_symbols.h writes: it is none of the user's, and tells what
 * symbols there are. */
#define OCL_SYMBOL_TABLE "clem_symbol_table"

struct ocl_program {
    struct ocl_context *context;
    cl_program cl;
    char *text; /* NULL for SPIR-V: no wrapper and no sizing program can be made */
    size_t text_bytes;
    char *options;      /* the user's */
    char *info_options; /* and the one that makes the driver remember parameters */
    bool has_info;      /* cl was built with info_options */
    char *names;
    struct ocl_kernel *kernels;
    size_t kernel_count;
    pthread_mutex_t lock;   /* a leaf: lazy states, lists of instances */
    pthread_cond_t changed; /* with lock: a lazy state left OCL_LAZY_RUNNING */
    _Atomic int described;  /* enum ocl_lazy_state of the next */
    cl_program description; /* where not has_info: a build to ask about parameters, or NULL */
    _Atomic int sized;      /* enum ocl_lazy_state: sizes of types that OpenCL C does not have */
    bool has_device_header; /* the text includes clem's device header */
    bool
        is_builtin; /* clem's own: who launches holds all memory that arguments point into, which may be freed already */
    struct ocl_program *origin;   /* of a variant: the user's program; otherwise NULL */
    _Atomic int by_image_state;   /* enum ocl_lazy_state of the next */
    struct ocl_program *by_image; /* the variant whose textures are images, or NULL */
    /* program_shaped.c: the first variant for one shape of work-groups; of such a variant the next, and its shape
     * (lock of their origin) */
    struct ocl_program *shaped;
    size_t shape[3];
    struct ocl_reference *references; /* what texture references are bound to (lock) */
    struct ocl_ptx *ptx;              /* ptx_kernel.h; NULL where the text is no PTX */
    bool has_symbol_table;       /* the text has clem_symbols.h's kernel, which is not in kernels */
    _Atomic int symbols_state;   /* enum ocl_lazy_state of the next */
    struct ocl_symbols *symbols; /* symbols.c */
};

/* ocl_program_build() of one of clem's own texts. */
ocl_status ocl_program_build_builtin(struct ocl_context *context, const char *text, size_t bytes,
                                     const char *options, struct ocl_program **program, char **log);

/* Releases what a kernel holds, not the kernel itself. */
void ocl_kernel_release(struct ocl_kernel *kernel);

/* A program with nothing in it but its lock. NULL only without memory. */
struct ocl_program *ocl_program_empty(struct ocl_context *context);

/* The user's program of a variant, which has the symbols and the references. */
static inline struct ocl_program *ocl_program_origin(struct ocl_program *program)
{
    return program->origin ? program->origin : program;
}

/* The variant whose textures are images, built at the first request, or NULL where it cannot be
 * had (logged once). Needs: the program is not such a variant itself. */
struct ocl_program *ocl_program_by_image(struct ocl_program *program);

/* Lets go of what references are bound to. Needs: nobody launches. */
void ocl_program_forget_references(struct ocl_program *program);

/* The cl_mem_object_type that a type of OpenCL C stands for; 0 for what no texture can be. */
uint32_t ocl_image_type(const char *type);

/* Finds the bundles among a kernel's arguments, whose kind it changes; kernel_bundle.c.
 * Needs:  the arguments are described. Errors: OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_kernel_find_bundles(struct ocl_kernel *kernel);

/* Finds the arguments of a kernel, but not the sizes of its own types; kernel_info.c. */
ocl_status ocl_kernel_describe(struct ocl_kernel *kernel);

/* Notes in the facts that it can never be launched, and why. The first reason stays. kernel_info.c. */
void ocl_kernel_refuse(struct ocl_kernel *kernel, ocl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fills facts, parameters and reason; kernel_info.c.
 * Errors: what is worth trying again (memory, the driver's). A kernel that can never be launched
 *         is OCL_OK here and says so in its facts. */
ocl_status ocl_kernel_ready(struct ocl_kernel *kernel);

/* Makes the slots of a form: what its cl_kernel's arguments are, in order.
 * Errors: OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_form_plan(const struct ocl_kernel *kernel, enum ocl_form_kind kind,
                         struct ocl_form *form);

void ocl_form_release(struct ocl_kernel *kernel, enum ocl_form_kind kind);

/* An instance of the form, which is made at the first request. Until it is given back, which is after its command
 * was enqueued, no other thread uses it, its cl_kernel may follow addresses into any live block, and no block goes
 * back to the driver that was declared to it.
 * Errors: OCL_E_NOT_SUPPORTED where no wrapper can be made (logged once); OCL_E_OUT_OF_MEMORY; the driver's. */
ocl_status ocl_instance_take(struct ocl_kernel *kernel, enum ocl_form_kind kind,
                             struct ocl_instance **instance);
void ocl_instance_give(struct ocl_kernel *kernel, struct ocl_instance *instance);

/* Replaces the cl_kernel by a fresh one, all of whose arguments are unset. */
ocl_status ocl_instance_renew(struct ocl_context *context, struct ocl_instance *instance);

#endif
