/* The program's OpenGL: the context that is current in the calling thread, its buffers and its textures, as bytes. Nothing of
 * OpenGL is linked or included; its functions are found in the libraries that the program has loaded.
 * No call leaves any state of the program's changed, or an error for its glGetError().
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_GRAPHICS_GL_H
#define FACADE_GRAPHICS_GL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* OpenGL's GLenum, GLuint and GLint. Source: the OpenGL 4.6 specification, section 2.2. */
typedef uint32_t gl_enum;
typedef uint32_t gl_name;
typedef int32_t gl_int;

/* Values that callers meet. Source: as above, and the registry of OpenGL's values. */
enum {
    GL_OF_TEXTURE_2D = 0x0DE1,
    GL_OF_TEXTURE_3D = 0x806F,
    GL_OF_TEXTURE_RECTANGLE = 0x84F5,
    GL_OF_TEXTURE_CUBE_MAP = 0x8513,
    GL_OF_TEXTURE_2D_ARRAY = 0x8C1A,
    GL_OF_RENDERBUFFER = 0x8D41
};

enum { GL_OF_FACES = 6, GL_OF_LEVELS = 32 };

/* OpenGL's functions, GL_FUNCTION(result, name, parameters); what older versions lack is NULL. */
#define GL_FUNCTIONS(GL_FUNCTION)                                                                  \
    GL_FUNCTION(const unsigned char *, GetString, (gl_enum))                                       \
    GL_FUNCTION(void, GetIntegerv, (gl_enum, gl_int *))                                            \
    GL_FUNCTION(unsigned char, IsEnabled, (gl_enum))                                               \
    GL_FUNCTION(void, Enable, (gl_enum))                                                           \
    GL_FUNCTION(void, Disable, (gl_enum))                                                          \
    GL_FUNCTION(void, PixelStorei, (gl_enum, gl_int))                                              \
    GL_FUNCTION(unsigned char, IsBuffer, (gl_name))                                                \
    GL_FUNCTION(void, BindBuffer, (gl_enum, gl_name))                                              \
    GL_FUNCTION(void, GenBuffers, (gl_int, gl_name *))                                             \
    GL_FUNCTION(void, DeleteBuffers, (gl_int, const gl_name *))                                    \
    GL_FUNCTION(void, BufferData, (gl_enum, intptr_t, const void *, gl_enum))                      \
    GL_FUNCTION(void, BufferSubData, (gl_enum, intptr_t, intptr_t, const void *))                  \
    GL_FUNCTION(void, GetBufferSubData, (gl_enum, intptr_t, intptr_t, void *))                     \
    GL_FUNCTION(void, GetBufferParameteriv, (gl_enum, gl_enum, gl_int *))                          \
    GL_FUNCTION(void, GetBufferParameteri64v, (gl_enum, gl_enum, int64_t *))                       \
    GL_FUNCTION(void, CopyBufferSubData, (gl_enum, gl_enum, intptr_t, intptr_t, intptr_t))         \
    GL_FUNCTION(unsigned char, IsTexture, (gl_name))                                               \
    GL_FUNCTION(void, BindTexture, (gl_enum, gl_name))                                             \
    GL_FUNCTION(void, GenTextures, (gl_int, gl_name *))                                            \
    GL_FUNCTION(void, DeleteTextures, (gl_int, const gl_name *))                                   \
    GL_FUNCTION(void, GetTexParameteriv, (gl_enum, gl_enum, gl_int *))                             \
    GL_FUNCTION(void, GetTexLevelParameteriv, (gl_enum, gl_int, gl_enum, gl_int *))                \
    GL_FUNCTION(void, GetTexImage, (gl_enum, gl_int, gl_enum, gl_enum, void *))                    \
    GL_FUNCTION(void, TexImage2D,                                                                  \
                (gl_enum, gl_int, gl_int, gl_int, gl_int, gl_int, gl_enum, gl_enum, const void *)) \
    GL_FUNCTION(void, TexSubImage2D,                                                               \
                (gl_enum, gl_int, gl_int, gl_int, gl_int, gl_int, gl_enum, gl_enum, const void *)) \
    GL_FUNCTION(void, TexSubImage3D,                                                               \
                (gl_enum, gl_int, gl_int, gl_int, gl_int, gl_int, gl_int, gl_int, gl_enum,         \
                 gl_enum, const void *))                                                           \
    GL_FUNCTION(unsigned char, IsRenderbuffer, (gl_name))                                          \
    GL_FUNCTION(void, BindRenderbuffer, (gl_enum, gl_name))                                        \
    GL_FUNCTION(void, GetRenderbufferParameteriv, (gl_enum, gl_enum, gl_int *))                    \
    GL_FUNCTION(void, GenFramebuffers, (gl_int, gl_name *))                                        \
    GL_FUNCTION(void, DeleteFramebuffers, (gl_int, const gl_name *))                               \
    GL_FUNCTION(void, BindFramebuffer, (gl_enum, gl_name))                                         \
    GL_FUNCTION(void, FramebufferRenderbuffer, (gl_enum, gl_enum, gl_enum, gl_name))               \
    GL_FUNCTION(void, FramebufferTexture2D, (gl_enum, gl_enum, gl_enum, gl_name, gl_int))          \
    GL_FUNCTION(void, ReadPixels, (gl_int, gl_int, gl_int, gl_int, gl_enum, gl_enum, void *))      \
    GL_FUNCTION(                                                                                   \
        void, BlitFramebuffer,                                                                     \
        (gl_int, gl_int, gl_int, gl_int, gl_int, gl_int, gl_int, gl_int, gl_enum, gl_enum))

/* The functions of the current context. */
struct gl {
    unsigned version; /* 45 for 4.5 */
#define GL_FUNCTION(result, name, parameters) result(*name) parameters;
    GL_FUNCTIONS(GL_FUNCTION)
#undef GL_FUNCTION
};

/* False: no context of OpenGL is current in this thread, or one that is older than 1.5 or OpenGL ES, which gives no texture
 * back. */
bool gl_find(struct gl *gl);

/* --- Buffer objects --- */

/* False: no such buffer. */
bool gl_buffer_bytes(const struct gl *gl, gl_name buffer, size_t *bytes);

/* The first bytes of the buffer, after all that OpenGL was told before; and the other way.
 * False: no such buffer, one that the program has mapped, or one that has other than this many bytes. */
bool gl_buffer_read(const struct gl *gl, gl_name buffer, void *bytes, size_t count);
bool gl_buffer_write(const struct gl *gl, gl_name buffer, const void *bytes, size_t count);

/* --- Textures and renderbuffers --- */

/* What a texel is, in OpenGL's words and in CUDA's. */
struct gl_format {
    gl_enum internal;       /* as the program asked for it */
    gl_enum transfer, type; /* what brings it as bytes without changing any */
    unsigned char channels, bits;
    char kind; /* 'u', 's' or 'f', as enum cudaChannelFormatKind has them */
};

/* NULL for formats that CUDA knows nothing like. */
const struct gl_format *gl_format_find(gl_enum internal);

struct gl_image {
    gl_name name;
    gl_enum target;
    const struct gl_format *format;
    unsigned levels;
    size_t width, height,
        depth; /* of level 0; depth: slices or layers, 6 for a cube, 1 otherwise */
};

/* False: no such object, one without texels, or of a format or target that CUDA knows nothing like. */
bool gl_image_describe(const struct gl *gl, gl_name name, gl_enum target, struct gl_image *image);

/* Extent of one level, and the bytes of one and of those before it. Depth as in level 0, but for GL_OF_TEXTURE_3D. */
struct gl_extent {
    size_t width, height, depth;
};
struct gl_extent gl_image_extent(const struct gl_image *image, unsigned level);
size_t gl_image_level_bytes(const struct gl_image *image, unsigned level);
size_t gl_image_level_start(const struct gl_image *image, unsigned level);

/* All levels one after another, each without gaps: texels, rows, slices or layers. After all that OpenGL was told before.
 * False: it is not any more what it was when it was described. */
bool gl_image_read(const struct gl *gl, const struct gl_image *image, void *bytes);
bool gl_image_write(const struct gl *gl, const struct gl_image *image, void *bytes);

#endif
