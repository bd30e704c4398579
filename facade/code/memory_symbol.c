/* Variables of device code: their addresses and sizes, copies to and from them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "facade/code/launch_work.h"
#include "facade/code/registration.h"
#include "facade/memory/copy_request.h"
#include "facade/memory/misuse.h"

/* --- which variable is meant ------------------------------------------------------------------ */

enum { NAME_BYTES = 256 };

static bool is_name_byte(char byte, bool is_first)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           (!is_first && byte >= '0' && byte <= '9');
}

/* Copies the C identifier at text, which may be no readable address: the system is asked to read
 * it, page by page, because it tells what cannot be read instead of faulting. */
static bool read_name(const char *text, char name[NAME_BYTES])
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t length = 0;
    while (length < NAME_BYTES) {
        size_t bytes = page - (uintptr_t)(text + length) % page;
        if (bytes > NAME_BYTES - length)
            bytes = NAME_BYTES - length;
        const struct iovec from = {(void *)(uintptr_t)(text + length), bytes};
        const struct iovec to = {name + length, bytes};
        if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)bytes)
            return false;
        for (const size_t end = length + bytes; length < end; length++) {
            if (name[length] == '\0')
                return length > 0;
            if (!is_name_byte(name[length], length == 0))
                return false;
        }
    }
    return false;
}

/* Programs written for CUDA before 5.0 give the name of a variable instead of the variable. */
static cudaError_t find_symbol(const void *symbol, struct ocl_symbol *found)
{
    char name[NAME_BYTES];
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        error = facade_registered_symbol(symbol, found);
    if (error == cudaErrorInvalidSymbol && symbol != NULL && read_name(symbol, name))
        error = facade_registered_name(name, found);
    return error;
}

/* --- copies ----------------------------------------------------------------------------------- */

/* As NVIDIA's runtime has it, only copies that wait are held to the bounds of the variable; others
 * may run into the next one, but not out of the memory that holds all of the module. */
static cudaError_t find_part(const void *symbol, size_t offset, size_t count, bool is_async,
                             struct ocl_symbol *found)
{
    cudaError_t error = find_symbol(symbol, found);
    if (error != cudaSuccess || (offset <= found->bytes && count <= found->bytes - offset))
        return error;
    facade_misuse_variable(found->bytes, offset, count);
    return is_async ? cudaSuccess : cudaErrorInvalidValue;
}

static void *part_of(const struct ocl_symbol *symbol, size_t offset)
{
    return (void *)(uintptr_t)(symbol->address + offset);
}

/* Variables are the device's; host is the kind that has the other end on the host. */
static cudaError_t check_kind(enum cudaMemcpyKind kind, enum cudaMemcpyKind host)
{
    return kind == host || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault
               ? cudaSuccess
               : cudaErrorInvalidMemcpyDirection;
}

cudaError_t facade_symbol_part(const void *symbol, size_t offset, size_t count,
                               enum cudaMemcpyKind kind, enum cudaMemcpyKind host, void **part)
{
    struct ocl_symbol found;
    cudaError_t error = find_part(symbol, offset, count, false, &found);
    if (error == cudaSuccess)
        error = check_kind(kind, host);
    if (error == cudaSuccess)
        *part = part_of(&found, offset);
    return error;
}

static cudaError_t copy_to(const void *symbol, const void *source, size_t count, size_t offset,
                           enum cudaMemcpyKind kind, cudaStream_t stream, bool is_async)
{
    struct ocl_symbol found;
    struct facade_copy_request request;
    if (count == 0)
        return cudaSuccess;
    cudaError_t error = find_part(symbol, offset, count, is_async, &found);
    if (error == cudaSuccess)
        error = check_kind(kind, cudaMemcpyHostToDevice);
    if (error != cudaSuccess)
        return error;
    request = facade_copy_linear(part_of(&found, offset), source, count);
    request.target_base = found.address;
    error = facade_copy_claim(&request, kind);
    return error == cudaSuccess ? facade_copy_submit(&request, stream, is_async) : error;
}

static cudaError_t copy_from(void *target, const void *symbol, size_t count, size_t offset,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool is_async)
{
    struct ocl_symbol found;
    struct facade_copy_request request;
    if (count == 0)
        return cudaSuccess;
    cudaError_t error = find_part(symbol, offset, count, is_async, &found);
    if (error == cudaSuccess)
        error = check_kind(kind, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess)
        return error;
    request = facade_copy_linear(target, part_of(&found, offset), count);
    request.source_base = found.address;
    error = facade_copy_claim(&request, kind);
    return error == cudaSuccess ? facade_copy_submit(&request, stream, is_async) : error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return facade_result(copy_to(symbol, src, count, offset, kind, NULL, false));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return facade_result(copy_to(symbol, src, count, offset, kind, stream, true));
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    return facade_result(copy_from(dst, symbol, count, offset, kind, NULL, false));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return facade_result(copy_from(dst, symbol, count, offset, kind, stream, true));
}

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
    struct ocl_symbol found;
    cudaError_t error = find_symbol(symbol, &found);
    if (error == cudaSuccess && devPtr == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *devPtr = (void *)(uintptr_t)found.address;
    return facade_result(error);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    struct ocl_symbol found;
    cudaError_t error = find_symbol(symbol, &found);
    if (error == cudaSuccess && size == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *size = found.bytes;
    return facade_result(error);
}
