/* The current context of OpenGL, and its buffer objects.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/graphics/gl.h"

#include <dlfcn.h>
#include <string.h>

/* Source: the registry of OpenGL's values. */
enum {
    NAME_VERSION = 0x1F02,
    ARRAY_BUFFER = 0x8892,
    ARRAY_BUFFER_BINDING = 0x8894,
    COPY_READ_BUFFER = 0x8F36,
    COPY_READ_BUFFER_BINDING = COPY_READ_BUFFER,
    BUFFER_SIZE = 0x8764,
    BUFFER_MAPPED = 0x88BC,
    BUFFER_IMMUTABLE_STORAGE = 0x821F,
    BUFFER_STORAGE_FLAGS = 0x8220,
    MAP_PERSISTENT_BIT = 0x0040,
    DYNAMIC_STORAGE_BIT = 0x0100,
    STREAM_COPY = 0x88E2
};

/* Versions that bring what is asked for. */
enum { WITH_BUFFERS = 15, WITH_COPIES = 31, WITH_WIDE_SIZES = 32, WITH_STORAGE = 44 };

typedef void any_function(void);
typedef any_function *find_function(const char *name);
typedef void *current_function(void);

/* --- The current context --- */

/* Programs link a library, or load it without showing its names to others. */
static void *find_symbol(const char *library, const char *name)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    void *loaded = symbol ? NULL : dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded) {
        symbol = dlsym(loaded, name);
        dlclose(loaded); /* the program has it still */
    }
    return symbol;
}

/* What finds functions, of the interface through which a context is current in this thread; NULL: none is. */
static find_function *find_finder(void)
{
    static const struct {
        const char *library, *current, *finder;
    } interfaces[] = {
        {"libEGL.so.1", "eglGetCurrentContext", "eglGetProcAddress"},
        {"libGLX.so.0", "glXGetCurrentContext", "glXGetProcAddressARB"},
        {"libGL.so.1", "glXGetCurrentContext", "glXGetProcAddressARB"},
        {"libOSMesa.so.8", "OSMesaGetCurrentContext", "OSMesaGetProcAddress"},
    };
    for (size_t i = 0; i < sizeof interfaces / sizeof *interfaces; i++) {
        void *const current = find_symbol(interfaces[i].library, interfaces[i].current);
        void *const finder = find_symbol(interfaces[i].library, interfaces[i].finder);
        current_function *ask;
        find_function *found;
        memcpy(&ask, &current, sizeof ask);
        memcpy(&found, &finder, sizeof found);
        if (ask && found && ask())
            return found;
    }
    return NULL;
}

/* 0 for OpenGL ES, whose versions begin with a name. */
static unsigned read_version(const char *text)
{
    if (!text || text[0] < '0' || text[0] > '9' || text[1] != '.')
        return 0;
    return 10 * (unsigned)(text[0] - '0') + (unsigned)(text[2] - '0');
}

bool gl_find(struct gl *gl)
{
    find_function *finder = find_finder();
    *gl = (struct gl){.version = 0};
    if (!finder)
        return false;
    any_function *found;
#define GL_FUNCTION(result, name, parameters)                                                      \
    found = finder("gl" #name);                                                                    \
    memcpy(&gl->name, &found, sizeof found);
    GL_FUNCTIONS(GL_FUNCTION)
#undef GL_FUNCTION
    if (gl->GetString)
        gl->version = read_version((const char *)gl->GetString(NAME_VERSION));
    return gl->version >= WITH_BUFFERS;
}

/* --- Buffer objects --- */

/* Makes a buffer the one that is bound to a place, and gives back the one that was. */
static gl_name bind(const struct gl *gl, gl_enum place, gl_enum bound, gl_name buffer)
{
    gl_int before = 0;
    gl->GetIntegerv(bound, &before);
    gl->BindBuffer(place, buffer);
    return (gl_name)before;
}

static gl_name bind_array(const struct gl *gl, gl_name buffer)
{
    return bind(gl, ARRAY_BUFFER, ARRAY_BUFFER_BINDING, buffer);
}

/* The bound one's. */
static size_t ask_bytes(const struct gl *gl)
{
    gl_int few = 0;
    int64_t many = 0;
    if (gl->version >= WITH_WIDE_SIZES) {
        gl->GetBufferParameteri64v(ARRAY_BUFFER, BUFFER_SIZE, &many);
        return (size_t)many;
    }
    gl->GetBufferParameteriv(ARRAY_BUFFER, BUFFER_SIZE, &few);
    return (size_t)few;
}

static gl_int ask(const struct gl *gl, gl_enum what)
{
    gl_int value = 0;
    gl->GetBufferParameteriv(ARRAY_BUFFER, what, &value);
    return value;
}

static gl_int storage_flags(const struct gl *gl)
{
    return gl->version >= WITH_STORAGE && ask(gl, BUFFER_IMMUTABLE_STORAGE)
               ? ask(gl, BUFFER_STORAGE_FLAGS)
               : DYNAMIC_STORAGE_BIT;
}

/* Whether the bound one has count bytes that calls may read and write now. */
static bool is_free(const struct gl *gl, size_t count)
{
    return ask_bytes(gl) == count &&
           (!ask(gl, BUFFER_MAPPED) || (storage_flags(gl) & MAP_PERSISTENT_BIT));
}

bool gl_buffer_bytes(const struct gl *gl, gl_name buffer, size_t *bytes)
{
    if (buffer == 0 || !gl->IsBuffer(buffer))
        return false;
    const gl_name before = bind_array(gl, buffer);
    *bytes = ask_bytes(gl);
    gl->BindBuffer(ARRAY_BUFFER, before);
    return true;
}

bool gl_buffer_read(const struct gl *gl, gl_name buffer, void *bytes, size_t count)
{
    if (!gl->IsBuffer(buffer))
        return false;
    const gl_name before = bind_array(gl, buffer);
    const bool works = is_free(gl, count);
    if (works)
        gl->GetBufferSubData(ARRAY_BUFFER, 0, (intptr_t)count, bytes);
    gl->BindBuffer(ARRAY_BUFFER, before);
    return works;
}

/* Into a bound one that OpenGL alone may write: through one that the host may. */
static void write_through(const struct gl *gl, const void *bytes, intptr_t count)
{
    gl_name third = 0;
    gl->GenBuffers(1, &third);
    const gl_name before = bind(gl, COPY_READ_BUFFER, COPY_READ_BUFFER_BINDING, third);
    gl->BufferData(COPY_READ_BUFFER, count, bytes, STREAM_COPY);
    gl->CopyBufferSubData(COPY_READ_BUFFER, ARRAY_BUFFER, 0, 0, count);
    gl->BindBuffer(COPY_READ_BUFFER, before);
    gl->DeleteBuffers(1, &third);
}

bool gl_buffer_write(const struct gl *gl, gl_name buffer, const void *bytes, size_t count)
{
    if (!gl->IsBuffer(buffer))
        return false;
    const gl_name before = bind_array(gl, buffer);
    const bool works = is_free(gl, count);
    if (works && !(storage_flags(gl) & DYNAMIC_STORAGE_BIT) && gl->version >= WITH_COPIES)
        write_through(gl, bytes, (intptr_t)count);
    else if (works)
        gl->BufferSubData(ARRAY_BUFFER, 0, (intptr_t)count, bytes);
    gl->BindBuffer(ARRAY_BUFFER, before);
    return works;
}
