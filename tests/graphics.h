/* An OpenGL context for tests, by Mesa's EGL without any display, where that is installed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_GRAPHICS_H
#define TESTS_GRAPHICS_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Values of EGL and OpenGL. Source: Khronos's registries. */
enum {
    EGL_FOR_SURFACELESS = 0x31DD,
    EGL_FOR_OPENGL = 0x30A2,
    EGL_FOR_ES = 0x30A0,
    EGL_CLIENT_VERSION = 0x3098,
    EGL_SURFACES = 0x3033,
    EGL_PBUFFERS = 1,
    EGL_END = 0x3038
};
enum {
    GLV_ARRAY = 0x8892,
    GLV_ARRAY_BOUND = 0x8894,
    GLV_TO_UNPACK = 0x88EC,
    GLV_TO_UNPACK_BOUND = 0x88EF,
    GLV_STATIC = 0x88E4,
    GLV_UNPACK_ALIGN = 0x0CF5,
    GLV_PACK_ALIGN = 0x0D05,
    GLV_UNPACK_ROW = 0x0CF2,
    GLV_2D = 0x0DE1,
    GLV_2D_BOUND = 0x8069,
    GLV_3D = 0x806F,
    GLV_CUBE = 0x8513,
    GLV_FACE = 0x8515,
    GLV_LAYERS = 0x8C1A,
    GLV_RENDER = 0x8D41,
    GLV_FRAME = 0x8D40,
    GLV_COLOR = 0x8CE0,
    GLV_SCISSOR = 0x0C11,
    GLV_RGBA8 = 0x8058,
    GLV_R32F = 0x822E,
    GLV_RGBA16UI = 0x8D76,
    GLV_RGB8 = 0x8051,
    GLV_RED_OF = 0x1903,
    GLV_RGBA_OF = 0x1908,
    GLV_RGBA_WHOLE = 0x8D99,
    GLV_BYTES = 0x1401,
    GLV_SHORTS = 0x1403,
    GLV_FLOATS = 0x1406
};

#define TEST_GL_FUNCTIONS(FUNCTION)                                                                \
    FUNCTION(unsigned, GetError, (void))                                                           \
    FUNCTION(void, GetIntegerv, (unsigned, int *))                                                 \
    FUNCTION(void, PixelStorei, (unsigned, int))                                                   \
    FUNCTION(void, Enable, (unsigned))                                                             \
    FUNCTION(void, Scissor, (int, int, int, int))                                                  \
    FUNCTION(void, GenBuffers, (int, unsigned *))                                                  \
    FUNCTION(void, DeleteBuffers, (int, const unsigned *))                                         \
    FUNCTION(void, BindBuffer, (unsigned, unsigned))                                               \
    FUNCTION(void, BufferData, (unsigned, intptr_t, const void *, unsigned))                       \
    FUNCTION(void, BufferStorage, (unsigned, intptr_t, const void *, unsigned))                    \
    FUNCTION(void, BufferSubData, (unsigned, intptr_t, intptr_t, const void *))                    \
    FUNCTION(void, GetBufferSubData, (unsigned, intptr_t, intptr_t, void *))                       \
    FUNCTION(void *, MapBuffer, (unsigned, unsigned))                                              \
    FUNCTION(unsigned char, UnmapBuffer, (unsigned))                                               \
    FUNCTION(void, GenTextures, (int, unsigned *))                                                 \
    FUNCTION(void, DeleteTextures, (int, const unsigned *))                                        \
    FUNCTION(void, BindTexture, (unsigned, unsigned))                                              \
    FUNCTION(void, TexImage2D,                                                                     \
             (unsigned, int, int, int, int, int, unsigned, unsigned, const void *))                \
    FUNCTION(void, TexImage3D,                                                                     \
             (unsigned, int, int, int, int, int, int, unsigned, unsigned, const void *))           \
    FUNCTION(void, GetTexImage, (unsigned, int, unsigned, unsigned, void *))                       \
    FUNCTION(void, GenRenderbuffers, (int, unsigned *))                                            \
    FUNCTION(void, BindRenderbuffer, (unsigned, unsigned))                                         \
    FUNCTION(void, RenderbufferStorage, (unsigned, unsigned, int, int))                            \
    FUNCTION(void, GenFramebuffers, (int, unsigned *))                                             \
    FUNCTION(void, BindFramebuffer, (unsigned, unsigned))                                          \
    FUNCTION(void, FramebufferRenderbuffer, (unsigned, unsigned, unsigned, unsigned))              \
    FUNCTION(void, ClearColor, (float, float, float, float))                                       \
    FUNCTION(void, Clear, (unsigned))                                                              \
    FUNCTION(void, ReadPixels, (int, int, int, int, unsigned, unsigned, void *))

struct test_gl {
    void *library, *display, *context;
    unsigned (*make_current)(void *, void *, void *, void *);
    unsigned (*destroy)(void *, void *);
#define FUNCTION(result, name, parameters) result(*name) parameters;
    TEST_GL_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

typedef void test_gl_any(void);

static inline void test_gl_set(void *target, void *symbol)
{
    memcpy(target, &symbol, sizeof symbol);
}

/* Makes a context of OpenGL, or of OpenGL ES, current in this thread. False: there is none to be had. */
static inline bool test_gl_begin(struct test_gl *gl, bool is_es)
{
    static const int none[] = {EGL_END}, any[] = {EGL_SURFACES, EGL_PBUFFERS, EGL_END},
                     second[] = {EGL_CLIENT_VERSION, 2, EGL_END};
    test_gl_any *(*find)(const char *);
    void *(*get_display)(unsigned, void *, const intptr_t *);
    unsigned (*initialize)(void *, int *, int *), (*bind_api)(unsigned);
    unsigned (*choose)(void *, const int *, void **, int, int *);
    void *(*create)(void *, void *, void *, const int *);
    void *config = NULL;
    int count = 0;
    memset(gl, 0, sizeof *gl);
    gl->library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (gl->library == NULL)
        return false;
    test_gl_set(&find, dlsym(gl->library, "eglGetProcAddress"));
    test_gl_set(&get_display, dlsym(gl->library, "eglGetPlatformDisplay"));
    test_gl_set(&initialize, dlsym(gl->library, "eglInitialize"));
    test_gl_set(&bind_api, dlsym(gl->library, "eglBindAPI"));
    test_gl_set(&choose, dlsym(gl->library, "eglChooseConfig"));
    test_gl_set(&create, dlsym(gl->library, "eglCreateContext"));
    test_gl_set(&gl->make_current, dlsym(gl->library, "eglMakeCurrent"));
    test_gl_set(&gl->destroy, dlsym(gl->library, "eglDestroyContext"));
    if (find == NULL || get_display == NULL)
        return false;
    gl->display = get_display(EGL_FOR_SURFACELESS, NULL, NULL);
    if (gl->display == NULL || !initialize(gl->display, NULL, NULL) ||
        !bind_api(is_es ? EGL_FOR_ES : EGL_FOR_OPENGL) ||
        !choose(gl->display, any, &config, 1, &count) || count == 0)
        return false;
    gl->context = create(gl->display, config, NULL, is_es ? second : none);
    if (gl->context == NULL || !gl->make_current(gl->display, NULL, NULL, gl->context))
        return false;
#define FUNCTION(result, name, parameters)                                                         \
    {                                                                                              \
        test_gl_any *found = find("gl" #name);                                                     \
        memcpy(&gl->name, &found, sizeof found);                                                   \
    }
    TEST_GL_FUNCTIONS(FUNCTION)
#undef FUNCTION
    return true;
}

/* No context is current any more. */
static inline void test_gl_end(struct test_gl *gl)
{
    if (gl->context != NULL) {
        (void)gl->make_current(gl->display, NULL, NULL, NULL);
        (void)gl->destroy(gl->display, gl->context);
    }
    gl->context = NULL;
}

#endif
