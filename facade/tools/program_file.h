/* What an executable file tells about the CUDA that it needs. Private to facade/tools/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_TOOLS_PROGRAM_FILE_H
#define FACADE_TOOLS_PROGRAM_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct program_facts {
    bool is_elf;             /* of this machine's word size; nothing else is known of other files */
    bool needs_driver;       /* libcuda.so.1 */
    int runtime;             /* of libcudart.so.N that it needs: N; 0: none */
    bool has_static_runtime; /* the runtime's functions are in the file itself */
    bool calls_runtime; /* and code in front of them calls some; false where none can be told */
    bool has_symbols;   /* so that calls can be told */
    bool has_rpath;     /* DT_RPATH, which the loader searches before LD_LIBRARY_PATH */
    size_t with_ptx, without_ptx;             /* containers of device code: whole programs' */
    size_t parts_with_ptx, parts_without_ptx; /* and those that are linked when they are loaded */
};

/* Reads a file. Nothing in it is trusted: what does not add up is as if it were not there. */
void program_file_read(const void *file, size_t bytes, struct program_facts *facts);

#endif
