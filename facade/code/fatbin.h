/* Fat binaries: the containers in which CUDA's compilers keep device code for several GPUs.
 * Knows nothing of CUDA's API or of OpenCL; reads nothing behind the bytes that it is given, and in
 * memory nothing behind what a container's header says is there.
 *
 * A wrapper (what compilers register) points to a container. A container is a header and entries
 * side by side; an entry is a header and a payload, which may be compressed.
 * Source: objects and files of nvcc 13.0 and clang 14 to 19.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_FATBIN_H
#define FACADE_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FACADE_FATBIN_MAGIC         0xba55ed50u
#define FACADE_FATBIN_WRAPPER_MAGIC 0x466243b1u

/* What __cudaRegisterFatBinary is given. */
struct facade_fatbin_wrapper {
    uint32_t magic;
    uint32_t version;         /* 2: separately compiled code, to be linked when it is loaded */
    const void *code;         /* a container; from clang it may be PTX text */
    const void *const *parts; /* version 2: containers, up to NULL; or NULL. Else unused. */
};

/* What every device reports where nothing else is asked for: 7.5. */
#define FACADE_FATBIN_REPORTED 75u

/* The last is clem's own: what clemcc --precompile made of the PTX beside it (cl/pack.h). */
enum facade_fatbin_kind {
    FACADE_FATBIN_PTX = 1,
    FACADE_FATBIN_MACHINE_CODE = 2,
    FACADE_FATBIN_PACK = 0x636c
};

struct facade_fatbin_entry {
    unsigned kind;       /* enum facade_fatbin_kind, or another */
    unsigned capability; /* that it is compiled for: 75 is 7.5 */
    bool is_lz4, is_zstd;
    const unsigned char *payload;
    size_t payload_bytes;
    size_t plain_bytes; /* of a compressed payload, when it is unpacked */
};

/* What was found. best: the PTX to use, where ptx_count > 0: of the highest compute capability up
 * to the reported one, or else of the lowest above that. */
struct facade_fatbin_contents {
    unsigned reported; /* as facade_fatbin_read() was told */
    size_t ptx_count, machine_code_count;
    struct facade_fatbin_entry best;
    struct facade_fatbin_entry pack; /* without payload where there is none */
};

/* Bytes of the container that begins at code, by its own header: for code in memory. 0: its header
 * is broken. */
size_t facade_fatbin_bytes(const void *code);

/* Reads the containers that lie side by side in `bytes` bytes, with zeros between and after them, for devices that report
 * that compute capability (75 is 7.5). The contents point into code. False: it is no container, or sizes in it contradict each other. */
bool facade_fatbin_read(const void *code, size_t bytes, unsigned reported,
                        struct facade_fatbin_contents *contents);

/* Bytes of unpacked PTX: a few kilobytes of zstd may hold as much as there is memory. The translator
 * reads no longer texts. */
#define FACADE_FATBIN_MOST_TEXT ((size_t)256 << 20)

/* The text of a PTX entry, unpacked and NUL-terminated, which the caller frees; *bytes excludes the
 * NUL. NULL: the payload is damaged or packed in a way that is not known (*bytes is 0), or there is
 * no memory for it (*bytes is its size). */
char *facade_fatbin_text(const struct facade_fatbin_entry *entry, size_t *bytes);

#endif
