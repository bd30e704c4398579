/* CLEM_DUMP: what becomes of PTX, as files to read. Private to cl/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_DUMP_H
#define OCL_DUMP_H

#include <stdbool.h>
#include <stddef.h>

struct ptx_module;

/* Both do nothing where CLEM_DUMP names no folder, and never fail: the first file that cannot be written is told on stderr.
 * Names of files end in a number made of what is in them: what is there already is the same. */

/* A module: module.NUMBER.ptx as it was given (NULL: that is not known), and module.NUMBER.read.ptx as it was understood. */
void ocl_dump_module(const struct ptx_module *module, const char *text, size_t bytes);

/* The translation of a kernel, as its compiler gets it: KERNEL.NUMBER and the suffix, "cl" or "ll". */
void ocl_dump_translation(const char *kernel, const char *text, size_t bytes, const char *suffix);

#endif
