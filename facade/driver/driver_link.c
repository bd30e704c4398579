/* The driver API's linker: PTX in, one PTX text out, which the functions that load modules take.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include <stdlib.h>
#include <string.h>

#include "cl/trace.h"
#include "facade/code/code_link.h"
#include "facade/code/fatbin.h"

/* CUlinkState. One thread at a time uses a state, as CUDA asks. */
struct facade_link_state {
    struct facade_link link;
    int *options;  /* a copy */
    void **values; /* the caller's, where lengths of logs are written */
    unsigned count;
    bool gave_log; /* the size that says how large the log may be is the written length now */
    char *text;    /* what cuLinkComplete made; NULL before */
};

/* Needs no current context, only none that is gone. */
static CUresult find_state(CUlinkState handle, struct facade_link_state **state)
{
    CUresult result = facade_stack_top() != NULL ? facade_driver_check() : facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    *state = facade_handle_find(FACADE_LINK, handle);
    return *state != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static void destroy_state(struct facade_link_state *state)
{
    facade_link_clear(&state->link);
    free(state->options);
    free(state->text);
    facade_handle_free(state);
}

static void tell(struct facade_link_state *state, const char *why)
{
    const struct facade_jit jit = {state->options, state->values, state->count};
    ocl_log(true, "%s", why);
    if (!state->gave_log)
        facade_jit_give_log(&jit, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, why);
    state->gave_log = true;
}

CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
                         CUlinkState *stateOut)
{
    const struct facade_jit jit = {(const int *)options, optionValues, numOptions};
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (stateOut == NULL || !facade_jit_is_valid(&jit))
        return CUDA_ERROR_INVALID_VALUE;
    struct facade_link_state *state = facade_handle_new(FACADE_LINK, sizeof *state);
    if (state == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    state->options = calloc((size_t)numOptions + 1, sizeof(int));
    if (state->options == NULL) {
        destroy_state(state);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (unsigned i = 0; i < numOptions; i++)
        state->options[i] = (int)options[i];
    state->values = optionValues;
    state->count = numOptions;
    *stateOut = (CUlinkState)state;
    return CUDA_SUCCESS;
}

/* What a kind of input is when it is none that can be linked. */
static CUresult check_type(struct facade_link_state *state, CUjitInputType type)
{
    switch ((int)type) {
    case CU_JIT_INPUT_PTX:
    case CU_JIT_INPUT_FATBINARY:
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_LIBRARY:
        return CUDA_SUCCESS;
    case CU_JIT_INPUT_CUBIN:
        tell(state, "only PTX can be linked, not machine code for NVIDIA GPUs");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    case CU_JIT_INPUT_NVVM:
        tell(state, "only PTX can be linked, not code for link-time optimisation");
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult add(struct facade_link_state *state, const void *data, size_t bytes,
                    const char *name)
{
    char *log = NULL;
    cudaError_t error = facade_link_add(&state->link, data, bytes, name, &log);
    if (log != NULL)
        tell(state, log);
    free(log);
    return facade_driver_error(error);
}

/* The next container of device code from *offset on, in a copy that is aligned as its fields want: members of archives
 * begin at even bytes. NULL without *offset at the end: no memory. */
static void *next_container(const unsigned char *data, size_t bytes, size_t *offset, size_t *taken)
{
    static const uint32_t magic = FACADE_FATBIN_MAGIC;
    uint64_t header[2]; /* as much as says how long it is */
    for (; *offset + sizeof header <= bytes; *offset += 2) {
        memcpy(header, data + *offset, sizeof header);
        const size_t wanted =
            memcmp(header, &magic, sizeof magic) == 0 ? facade_fatbin_bytes(header) : 0;
        if (wanted == 0 || wanted > bytes - *offset)
            continue;
        void *copy = malloc(wanted);
        if (copy != NULL)
            memcpy(copy, data + *offset, wanted);
        *taken = wanted;
        return copy;
    }
    *offset = bytes;
    return NULL;
}

/* Objects of the host's compiler, and archives of them, hold device code in containers, one for each source. */
static CUresult add_objects(struct facade_link_state *state, const void *data, size_t bytes,
                            const char *name)
{
    CUresult result = CUDA_ERROR_NO_BINARY_FOR_GPU;
    size_t offset = 0, taken = 0;
    for (;;) {
        void *container = next_container(data, bytes, &offset, &taken);
        if (container == NULL && offset < bytes)
            return CUDA_ERROR_OUT_OF_MEMORY;
        if (container == NULL)
            break;
        result = add(state, container, taken, name);
        free(container);
        if (result != CUDA_SUCCESS)
            return result;
        offset += taken;
    }
    if (result != CUDA_SUCCESS)
        tell(state, "there is no device code in PTX in the objects that are to be linked");
    return result;
}

static CUresult add_input(struct facade_link_state *state, CUjitInputType type, const void *data,
                          size_t bytes, const char *name)
{
    const bool is_object = type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY;
    return is_object ? add_objects(state, data, bytes, name) : add(state, data, bytes, name);
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                          const char *name, unsigned int numOptions, CUjit_option *options,
                          void **optionValues)
{
    const struct facade_jit jit = {(const int *)options, optionValues, numOptions};
    struct facade_link_state *found = NULL;
    CUresult result = find_state(state, &found);
    if (result != CUDA_SUCCESS)
        return result;
    if (data == NULL || size == 0 || found->text != NULL || !facade_jit_is_valid(&jit))
        return CUDA_ERROR_INVALID_VALUE;
    result = check_type(found, type);
    return result == CUDA_SUCCESS
               ? add_input(found, type, data, size, name != NULL ? name : "<data>")
               : result;
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
                          unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    const struct facade_jit jit = {(const int *)options, optionValues, numOptions};
    struct facade_link_state *found = NULL;
    char *text = NULL;
    size_t bytes = 0;
    CUresult result = find_state(state, &found);
    if (result != CUDA_SUCCESS)
        return result;
    if (path == NULL || found->text != NULL || !facade_jit_is_valid(&jit))
        return CUDA_ERROR_INVALID_VALUE;
    result = facade_driver_error(facade_code_read_file(path, &text, &bytes));
    if (result == CUDA_SUCCESS)
        result = check_type(found, type);
    if (result == CUDA_SUCCESS)
        result = add_input(found, type, text, bytes, path);
    free(text);
    return result;
}

/* The text is the state's; its closing NUL counts, so that a copy of that many bytes can be loaded
 * as well. */
CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    struct facade_link_state *found = NULL;
    char *log = NULL;
    cudaError_t error = cudaSuccess;
    CUresult result = find_state(state, &found);
    if (result != CUDA_SUCCESS)
        return result;
    if (cubinOut == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (found->text == NULL)
        error = facade_link_complete(&found->link, &found->text, NULL, &log);
    if (log != NULL)
        tell(found, log);
    free(log);
    if (found->text == NULL) /* nothing else is left by a failure */
        return facade_driver_error(error);
    *cubinOut = found->text;
    if (sizeOut != NULL)
        *sizeOut = strlen(found->text) + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    struct facade_link_state *found = NULL;
    CUresult result = find_state(state, &found);
    if (result == CUDA_SUCCESS)
        destroy_state(found);
    return result;
}

/* --- the functions' first versions, which are the same where pointers have 64 bits ------------- */

CUresult cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues,
                      CUlinkState *stateOut)
{
    return cuLinkCreate_v2(numOptions, options, optionValues, stateOut);
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                       const char *name, unsigned int numOptions, CUjit_option *options,
                       void **optionValues)
{
    return cuLinkAddData_v2(state, type, data, size, name, numOptions, options, optionValues);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                       unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    return cuLinkAddFile_v2(state, type, path, numOptions, options, optionValues);
}
