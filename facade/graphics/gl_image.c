/* OpenGL's textures and renderbuffers as bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/graphics/gl.h"

/* Source: the registry of OpenGL's values. */
enum {
    TEXTURE_WIDTH = 0x1000,
    TEXTURE_HEIGHT = 0x1001,
    TEXTURE_INTERNAL_FORMAT = 0x1003,
    TEXTURE_DEPTH = 0x8071,
    TEXTURE_IMMUTABLE_LEVELS = 0x82DF,
    TEXTURE_IMMUTABLE_FORMAT = 0x912F,
    TEXTURE_CUBE_MAP_POSITIVE_X = 0x8515,
    RENDERBUFFER_BINDING = 0x8CA7,
    RENDERBUFFER_WIDTH = 0x8D42,
    RENDERBUFFER_HEIGHT = 0x8D43,
    RENDERBUFFER_INTERNAL_FORMAT = 0x8D44,
    READ_FRAMEBUFFER = 0x8CA8,
    DRAW_FRAMEBUFFER = 0x8CA9,
    DRAW_FRAMEBUFFER_BINDING = 0x8CA6,
    READ_FRAMEBUFFER_BINDING = 0x8CAA,
    COLOR_ATTACHMENT = 0x8CE0,
    COLOR_BUFFER_BIT = 0x4000,
    NEAREST = 0x2600,
    SCISSOR_TEST = 0x0C11,
    FRAMEBUFFER_SRGB = 0x8DB9,
    PIXEL_PACK_BUFFER = 0x88EB,
    PIXEL_UNPACK_BUFFER = 0x88EC,
    PIXEL_PACK_BUFFER_BINDING = 0x88ED,
    PIXEL_UNPACK_BUFFER_BINDING = 0x88EF
};

/* Versions that bring what is asked for. */
enum { WITH_PIXEL_BUFFERS = 21, WITH_FRAMEBUFFERS = 30, WITH_IMMUTABLE_TEXTURES = 43 };

/* --- State that the program has set --- */

/* What is between bytes and texels: swapping, row lengths, what is skipped, alignment, a buffer object. */
struct storing {
    const gl_enum *names;
    gl_enum place, bound;
    gl_int before[8], buffer;
};

enum { STORE_COUNT = 8, STORE_ALIGNMENT = 7 };

static void begin_storing(const struct gl *gl, bool is_read, struct storing *storing)
{
    /* Swap bytes, least bit first, row length, rows, pixels and images skipped, image height, alignment. */
    static const gl_enum pack[STORE_COUNT] = {0x0D00, 0x0D01, 0x0D02, 0x0D03,
                                              0x0D04, 0x806B, 0x806C, 0x0D05};
    static const gl_enum unpack[STORE_COUNT] = {0x0CF0, 0x0CF1, 0x0CF2, 0x0CF3,
                                                0x0CF4, 0x806D, 0x806E, 0x0CF5};
    *storing = (struct storing){.names = is_read ? pack : unpack,
                                .place = is_read ? PIXEL_PACK_BUFFER : PIXEL_UNPACK_BUFFER,
                                .bound = is_read ? PIXEL_PACK_BUFFER_BINDING
                                                 : PIXEL_UNPACK_BUFFER_BINDING};
    for (int i = 0; i < STORE_COUNT; i++) {
        gl->GetIntegerv(storing->names[i], &storing->before[i]);
        gl->PixelStorei(storing->names[i], i == STORE_ALIGNMENT);
    }
    if (gl->version < WITH_PIXEL_BUFFERS)
        return;
    gl->GetIntegerv(storing->bound, &storing->buffer);
    gl->BindBuffer(storing->place, 0);
}

static void end_storing(const struct gl *gl, const struct storing *storing)
{
    for (int i = 0; i < STORE_COUNT; i++)
        gl->PixelStorei(storing->names[i], storing->before[i]);
    if (gl->version >= WITH_PIXEL_BUFFERS)
        gl->BindBuffer(storing->place, (gl_name)storing->buffer);
}

/* Makes a texture the one that is bound to its target, and gives back the one that was. */
static gl_name bind_texture(const struct gl *gl, gl_enum target, gl_name texture)
{
    static const struct {
        gl_enum target, bound;
    } places[] = {{GL_OF_TEXTURE_2D, 0x8069},
                  {GL_OF_TEXTURE_3D, 0x806A},
                  {GL_OF_TEXTURE_RECTANGLE, 0x84F6},
                  {GL_OF_TEXTURE_CUBE_MAP, 0x8514},
                  {GL_OF_TEXTURE_2D_ARRAY, 0x8C1D}};
    gl_int before = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].target == target)
            gl->GetIntegerv(places[i].bound, &before);
    gl->BindTexture(target, texture);
    return (gl_name)before;
}

/* --- What an image is --- */

static bool is_texture_target(gl_enum target)
{
    return target == GL_OF_TEXTURE_2D || target == GL_OF_TEXTURE_3D ||
           target == GL_OF_TEXTURE_RECTANGLE || target == GL_OF_TEXTURE_CUBE_MAP ||
           target == GL_OF_TEXTURE_2D_ARRAY;
}

static size_t halved(size_t size, unsigned level)
{
    return size >> level > 0 ? size >> level : 1;
}

struct gl_extent gl_image_extent(const struct gl_image *image, unsigned level)
{
    return (struct gl_extent){halved(image->width, level), halved(image->height, level),
                              image->target == GL_OF_TEXTURE_3D ? halved(image->depth, level)
                                                                : image->depth};
}

size_t gl_image_level_bytes(const struct gl_image *image, unsigned level)
{
    const struct gl_extent extent = gl_image_extent(image, level);
    const size_t texel = (size_t)image->format->channels * image->format->bits / 8;
    return extent.width * extent.height * extent.depth * texel;
}

size_t gl_image_level_start(const struct gl_image *image, unsigned level)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < level; i++)
        bytes += gl_image_level_bytes(image, i);
    return bytes;
}

/* The target that calls about one image of the bound texture name. */
static gl_enum face_target(gl_enum target, unsigned face)
{
    return target == GL_OF_TEXTURE_CUBE_MAP ? TEXTURE_CUBE_MAP_POSITIVE_X + face : target;
}

static size_t ask_level(const struct gl *gl, gl_enum target, unsigned level, gl_enum what)
{
    gl_int value = 0;
    gl->GetTexLevelParameteriv(target, (gl_int)level, what, &value);
    return value > 0 ? (size_t)value : 0;
}

/* Of the bound texture: whether a level of every face is there, and as large as the first level makes it. */
static bool has_level(const struct gl *gl, const struct gl_image *image, unsigned level)
{
    const struct gl_extent extent = gl_image_extent(image, level);
    const bool is_cube = image->target == GL_OF_TEXTURE_CUBE_MAP;
    for (unsigned face = 0; face < (is_cube ? GL_OF_FACES : 1); face++) {
        const gl_enum target = face_target(image->target, face);
        if (ask_level(gl, target, level, TEXTURE_WIDTH) != extent.width ||
            ask_level(gl, target, level, TEXTURE_HEIGHT) != extent.height ||
            (!is_cube && ask_level(gl, target, level, TEXTURE_DEPTH) != extent.depth) ||
            ask_level(gl, target, level, TEXTURE_INTERNAL_FORMAT) != image->format->internal)
            return false;
    }
    return true;
}

static unsigned most_levels(const struct gl *gl, const struct gl_image *image)
{
    const size_t depth = image->target == GL_OF_TEXTURE_3D ? image->depth : 1;
    size_t longest = image->width > image->height ? image->width : image->height;
    unsigned most = 1;
    gl_int is_immutable = 0, levels = 0;
    if (image->target == GL_OF_TEXTURE_RECTANGLE)
        return 1;
    if (gl->version >= WITH_IMMUTABLE_TEXTURES)
        gl->GetTexParameteriv(image->target, TEXTURE_IMMUTABLE_FORMAT, &is_immutable);
    if (is_immutable)
        gl->GetTexParameteriv(image->target, TEXTURE_IMMUTABLE_LEVELS, &levels);
    for (longest = longest > depth ? longest : depth; longest > 1; longest /= 2)
        most++;
    return is_immutable && (unsigned)levels < most ? (unsigned)levels : most;
}

/* Of the bound texture. */
static bool describe_texture(const struct gl *gl, struct gl_image *image)
{
    const gl_enum target = face_target(image->target, 0);
    image->width = ask_level(gl, target, 0, TEXTURE_WIDTH);
    image->height = ask_level(gl, target, 0, TEXTURE_HEIGHT);
    image->depth = image->target == GL_OF_TEXTURE_CUBE_MAP
                       ? GL_OF_FACES
                       : ask_level(gl, target, 0, TEXTURE_DEPTH);
    image->format = gl_format_find((gl_enum)ask_level(gl, target, 0, TEXTURE_INTERNAL_FORMAT));
    if (!image->format || image->width == 0 || !has_level(gl, image, 0))
        return false;
    const unsigned most = most_levels(gl, image);
    for (image->levels = 1; image->levels < most && has_level(gl, image, image->levels);)
        image->levels++;
    return true;
}

static size_t ask_renderbuffer(const struct gl *gl, gl_enum what)
{
    gl_int value = 0;
    gl->GetRenderbufferParameteriv(GL_OF_RENDERBUFFER, what, &value);
    return value > 0 ? (size_t)value : 0;
}

static bool describe_renderbuffer(const struct gl *gl, struct gl_image *image)
{
    gl_int before = 0;
    gl->GetIntegerv(RENDERBUFFER_BINDING, &before);
    gl->BindRenderbuffer(GL_OF_RENDERBUFFER, image->name);
    image->width = ask_renderbuffer(gl, RENDERBUFFER_WIDTH);
    image->height = ask_renderbuffer(gl, RENDERBUFFER_HEIGHT);
    image->format = gl_format_find((gl_enum)ask_renderbuffer(gl, RENDERBUFFER_INTERNAL_FORMAT));
    image->depth = image->levels = 1;
    gl->BindRenderbuffer(GL_OF_RENDERBUFFER, (gl_name)before);
    return image->format != NULL && image->width > 0;
}

bool gl_image_describe(const struct gl *gl, gl_name name, gl_enum target, struct gl_image *image)
{
    *image = (struct gl_image){.name = name, .target = target};
    if (name == 0)
        return false;
    if (target == GL_OF_RENDERBUFFER)
        return gl->version >= WITH_FRAMEBUFFERS && gl->IsRenderbuffer(name) &&
               describe_renderbuffer(gl, image);
    if (!is_texture_target(target) || !gl->IsTexture(name))
        return false;
    const gl_name before = bind_texture(gl, target, name);
    const bool is_known = describe_texture(gl, image);
    gl->BindTexture(target, before);
    return is_known;
}

static bool is_as_described(const struct gl *gl, const struct gl_image *image)
{
    struct gl_image now;
    return gl_image_describe(gl, image->name, image->target, &now) && now.format == image->format &&
           now.levels >= image->levels && now.width == image->width &&
           now.height == image->height && now.depth == image->depth;
}

/* --- Textures --- */

/* Of the bound texture, one level: the faces of a cube lie one after another. */
static void read_level(const struct gl *gl, const struct gl_image *image, unsigned level,
                       unsigned char *bytes)
{
    const unsigned faces = image->target == GL_OF_TEXTURE_CUBE_MAP ? GL_OF_FACES : 1;
    const size_t face_bytes = gl_image_level_bytes(image, level) / faces;
    for (unsigned face = 0; face < faces; face++)
        gl->GetTexImage(face_target(image->target, face), (gl_int)level, image->format->transfer,
                        image->format->type, bytes + face * face_bytes);
}

static bool has_slices(const struct gl_image *image)
{
    return image->target == GL_OF_TEXTURE_3D || image->target == GL_OF_TEXTURE_2D_ARRAY;
}

static void write_level(const struct gl *gl, const struct gl_image *image, unsigned level,
                        unsigned char *bytes)
{
    const struct gl_extent extent = gl_image_extent(image, level);
    const gl_int width = (gl_int)extent.width, height = (gl_int)extent.height;
    const unsigned faces = image->target == GL_OF_TEXTURE_CUBE_MAP ? GL_OF_FACES : 1;
    const size_t face_bytes = gl_image_level_bytes(image, level) / faces;
    if (has_slices(image)) {
        gl->TexSubImage3D(image->target, (gl_int)level, 0, 0, 0, width, height,
                          (gl_int)extent.depth, image->format->transfer, image->format->type,
                          bytes);
        return;
    }
    for (unsigned face = 0; face < faces; face++)
        gl->TexSubImage2D(face_target(image->target, face), (gl_int)level, 0, 0, width, height,
                          image->format->transfer, image->format->type, bytes + face * face_bytes);
}

/* --- Renderbuffers: through framebuffers of clem's own --- */

struct framebuffers {
    gl_name own[2]; /* to draw to, to read from */
    gl_int before_drawn, before_read;
};

static void begin_framebuffers(const struct gl *gl, struct framebuffers *framebuffers)
{
    gl->GetIntegerv(DRAW_FRAMEBUFFER_BINDING, &framebuffers->before_drawn);
    gl->GetIntegerv(READ_FRAMEBUFFER_BINDING, &framebuffers->before_read);
    gl->GenFramebuffers(2, framebuffers->own);
    gl->BindFramebuffer(DRAW_FRAMEBUFFER, framebuffers->own[0]);
    gl->BindFramebuffer(READ_FRAMEBUFFER, framebuffers->own[1]);
}

static void end_framebuffers(const struct gl *gl, const struct framebuffers *framebuffers)
{
    gl->BindFramebuffer(DRAW_FRAMEBUFFER, (gl_name)framebuffers->before_drawn);
    gl->BindFramebuffer(READ_FRAMEBUFFER, (gl_name)framebuffers->before_read);
    gl->DeleteFramebuffers(2, framebuffers->own);
}

static void read_renderbuffer(const struct gl *gl, const struct gl_image *image, void *bytes)
{
    struct framebuffers framebuffers;
    begin_framebuffers(gl, &framebuffers);
    gl->FramebufferRenderbuffer(READ_FRAMEBUFFER, COLOR_ATTACHMENT, GL_OF_RENDERBUFFER,
                                image->name);
    gl->ReadPixels(0, 0, (gl_int)image->width, (gl_int)image->height, image->format->transfer,
                   image->format->type, bytes);
    end_framebuffers(gl, &framebuffers);
}

/* Copies the read framebuffer to the drawn one, where nothing that the program has set may keep any of it back. */
static void blit(const struct gl *gl, gl_int width, gl_int height)
{
    static const gl_enum switches[] = {SCISSOR_TEST, FRAMEBUFFER_SRGB};
    bool was_on[2];
    for (int i = 0; i < 2; i++) {
        was_on[i] = gl->IsEnabled(switches[i]);
        gl->Disable(switches[i]);
    }
    gl->BlitFramebuffer(0, 0, width, height, 0, 0, width, height, COLOR_BUFFER_BIT, NEAREST);
    for (int i = 0; i < 2; i++)
        if (was_on[i])
            gl->Enable(switches[i]);
}

static void write_renderbuffer(const struct gl *gl, const struct gl_image *image, const void *bytes)
{
    const gl_int width = (gl_int)image->width, height = (gl_int)image->height;
    struct framebuffers framebuffers;
    gl_name texture = 0;
    gl->GenTextures(1, &texture);
    const gl_name before = bind_texture(gl, GL_OF_TEXTURE_2D, texture);
    gl->TexImage2D(GL_OF_TEXTURE_2D, 0, (gl_int)image->format->internal, width, height, 0,
                   image->format->transfer, image->format->type, bytes);
    begin_framebuffers(gl, &framebuffers);
    gl->FramebufferTexture2D(READ_FRAMEBUFFER, COLOR_ATTACHMENT, GL_OF_TEXTURE_2D, texture, 0);
    gl->FramebufferRenderbuffer(DRAW_FRAMEBUFFER, COLOR_ATTACHMENT, GL_OF_RENDERBUFFER,
                                image->name);
    blit(gl, width, height);
    end_framebuffers(gl, &framebuffers);
    gl->BindTexture(GL_OF_TEXTURE_2D, before);
    gl->DeleteTextures(1, &texture);
}

/* --- Both --- */

typedef void level_function(const struct gl *gl, const struct gl_image *image, unsigned level,
                            unsigned char *bytes);

static void each_level(const struct gl *gl, const struct gl_image *image, unsigned char *bytes,
                       level_function *function)
{
    const gl_name before = bind_texture(gl, image->target, image->name);
    for (unsigned level = 0; level < image->levels; level++)
        function(gl, image, level, bytes + gl_image_level_start(image, level));
    gl->BindTexture(image->target, before);
}

bool gl_image_read(const struct gl *gl, const struct gl_image *image, void *bytes)
{
    struct storing storing;
    if (!is_as_described(gl, image))
        return false;
    begin_storing(gl, true, &storing);
    if (image->target == GL_OF_RENDERBUFFER)
        read_renderbuffer(gl, image, bytes);
    else
        each_level(gl, image, bytes, read_level);
    end_storing(gl, &storing);
    return true;
}

bool gl_image_write(const struct gl *gl, const struct gl_image *image, void *bytes)
{
    struct storing storing;
    if (!is_as_described(gl, image))
        return false;
    begin_storing(gl, false, &storing);
    if (image->target == GL_OF_RENDERBUFFER)
        write_renderbuffer(gl, image, bytes);
    else
        each_level(gl, image, bytes, write_level);
    end_storing(gl, &storing);
    return true;
}
