/* Virtual memory management: addresses apart from the memory behind them. For CPU devices, whose kernels use the pages of
 * this process: a reservation is a range of addresses, physical memory is a part of a memory file, and a mapping
 * puts one at the other.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_VIRTUAL_H
#define OCL_VIRTUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/context.h"
#include "cl/status.h"

/* Addresses and sizes are multiples of it: NVIDIA's value, which programs may have written down. */
#define OCL_VIRTUAL_GRAIN ((size_t)2 << 20)

enum { OCL_VIRTUAL_DEVICES = 64 }; /* access can be given to so many */

/* What may be done with mapped memory; the second has all of the first. */
enum ocl_access { OCL_ACCESS_NONE = 0, OCL_ACCESS_READ = 1, OCL_ACCESS_WRITE = 3 };

/* Whether the device can do it: what a context found out by trying, at the first question, and what is to be expected of
 * one that is still to be opened. Everything below needs such a device. */
bool ocl_virtual_is_supported(struct ocl_context *context);
bool ocl_virtual_is_expected(int device);

/* ---- Addresses ---- */

/* Reserves addresses, which cost nothing: at wanted, if they are free there, or else anywhere.
 * Units:  bytes and alignment in bytes; alignment and wanted may be 0.
 * Errors: OCL_E_INVALID_VALUE: bytes are 0 or no multiple of the grain, or alignment is no power of two;
 *         OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_virtual_reserve(size_t bytes, size_t alignment, uint64_t wanted, uint64_t *address);

/* Errors: OCL_E_INVALID_VALUE: that is no reservation, or something is mapped in it. */
ocl_status ocl_virtual_free(uint64_t address, size_t bytes);

/* Whether address lies in a reservation. */
bool ocl_virtual_is_reserved(uint64_t address);

/* ---- Memory ---- */

struct ocl_physical;
struct ocl_allocation;

/* Zeroed memory for a device, with one reference for the caller.
 * Needs:  bytes are a multiple of the grain. flags: the caller's own. is_shared: it can be exported.
 * Errors: OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_physical_create(int device, size_t bytes, bool is_shared, unsigned flags,
                               struct ocl_physical **physical);

/* A file descriptor for the memory, which the caller closes; and memory from such a descriptor, be it another process's,
 * which stays the caller's.
 * Errors: OCL_E_NOT_SUPPORTED: not made for it; OCL_E_FILE: no such descriptor; OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_physical_export(const struct ocl_physical *physical, int *file);
ocl_status ocl_physical_import(int device, int file, unsigned flags,
                               struct ocl_physical **physical);

void ocl_physical_retain(struct ocl_physical *physical);
void ocl_physical_release(struct ocl_physical *physical); /* safe on NULL */
size_t ocl_physical_bytes(const struct ocl_physical *physical);
int ocl_physical_device(const struct ocl_physical *physical);
unsigned ocl_physical_flags(const struct ocl_physical *physical);

/* The handle of the caller's that stands for the memory; at first NULL. Needs: a lock of the caller's. */
void *ocl_physical_handle(const struct ocl_physical *physical);
void ocl_physical_set_handle(struct ocl_physical *physical, void *handle);

/* Bytes of a device that live memory made for it has. */
uint64_t ocl_physical_taken(int device);

/* ---- Mappings ---- */

/* Puts all of the memory at address, without access. Until it is unmapped the registry knows it as device memory of the
 * context, or of another one of its device when that closes.
 * Needs:  context is of the memory's device, and can do it.
 * Errors: OCL_E_INVALID_VALUE: not a multiple of the grain, not all reserved, or something is mapped there;
 *         OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_virtual_map(struct ocl_context *context, struct ocl_physical *physical,
                           uint64_t address);

/* Takes away what is mapped in a range of a reservation; nothing need be.
 * Order:  waits for all work of all contexts, and for calls that use it.
 * Errors: OCL_E_INVALID_VALUE: not all reserved, or a mapping lies in it in part. */
ocl_status ocl_virtual_unmap(uint64_t address, size_t bytes);

/* What one device may do. */
struct ocl_virtual_access {
    int device;
    enum ocl_access access;
};

/* Sets what devices may do with a range of whole mappings. All devices here use the process's own pages, so each can
 * do what any may.
 * Order:  where access is taken away, as ocl_virtual_unmap().
 * Errors: OCL_E_INVALID_VALUE: the range is not all mapped, or ends within a mapping; OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_virtual_set_access(uint64_t address, size_t bytes,
                                  const struct ocl_virtual_access *list, size_t count);

/* What a device may do at address. Errors: OCL_E_INVALID_VALUE: nothing is mapped there. */
ocl_status ocl_virtual_access(uint64_t address, int device, enum ocl_access *access);

/* Mappings that a call uses, and that stay until it lets them go. */
struct ocl_virtual_hold {
    struct ocl_allocation *few[4], **more;
    size_t count;
};

/* Holds all of a range, if it is all mapped and some device may do this with it; otherwise, or without memory for the
 * list, nothing, and false. What a call gives to queues meanwhile needs no hold any more. let_go: safe on an empty hold. */
bool ocl_virtual_hold(uint64_t address, size_t bytes, enum ocl_access access,
                      struct ocl_virtual_hold *hold);
void ocl_virtual_let_go(struct ocl_virtual_hold *hold);

/* Whether it could be held. */
bool ocl_virtual_allows(uint64_t address, size_t bytes, enum ocl_access access);

/* The memory mapped at address, with a reference for the caller, or NULL. */
struct ocl_physical *ocl_virtual_memory_at(uint64_t address);

#endif
