/* LLVM's C API, as far as it is needed: of the library that PoCL has loaded. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_LLVM_H
#define OCL_LLVM_H

#include <stdbool.h>
#include <stddef.h>

/* LLVM's objects, which only LLVM looks into. */
struct llvm_context;
struct llvm_module;
struct llvm_buffer;
struct llvm_error;
struct llvm_target;
struct llvm_machine;
struct llvm_layout;
struct llvm_options;
struct llvm_diagnosis;

/* The enumerators of LLVM's that are used.
 * Source: llvm-c/TargetMachine.h, llvm-c/Analysis.h, llvm-c/Core.h: the same from LLVM 14 on. */
enum { LLVM_LESS_CODE_OPTIMISATION = 1 };
enum { LLVM_RELOCATABLE_PIC = 2 };
enum { LLVM_DEFAULT_CODE_MODEL = 0 };
enum { LLVM_OBJECT_FILE = 1 };
enum { LLVM_RETURN_STATUS = 2 };
enum { LLVM_DIAGNOSIS_IS_ERROR = 0 };

/* Every function as the rows of llvm.def declare it. */
struct ocl_llvm {
#define FUNCTION(result, name, parameters) result(*name) parameters;
#include "cl/llvm/llvm.def"
#undef FUNCTION
};

/* Those of the LLVM of this number that is loaded, with all targets for the processor registered. NULL, traced once: there is
 * no such library, or it lacks one of them. As long as the process.
 * Threads: any. */
const struct ocl_llvm *ocl_llvm_get(unsigned major);

/* The same of the library of this path, which is loaded for it and told to be quick: for processes in which nobody else uses
 * it. is_long: of the texts to come, for which it is told to be quicker than their code is. The first call decides for all. */
const struct ocl_llvm *ocl_llvm_load(const char *path, bool is_long);

#endif
