/* What kernels in the native form have functions of the host do to textures and surfaces: what they are asked. Private to
 * kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_FETCH_H
#define KERNELS_PTX_HOST_FETCH_H

#include <stddef.h>
#include <stdint.h>

/* A call has a list of numbers, 32 in a row, one for each lane: floats are their bits. What has 64 bits has two rows, as 32
 * numbers of 64 bits. */
#define PTX_FETCH_LANES ((size_t)32)
enum ptx_fetch_row {
    PTX_FETCH_OBJECT, /* 64 bits: address of a struct clem_texture as the table of all objects has them */
    PTX_FETCH_X = PTX_FETCH_OBJECT + 2,
    PTX_FETCH_Y,
    PTX_FETCH_Z,
    PTX_FETCH_LAYER, /* of cubes: which cube */
    PTX_FETCH_LEVEL,
    PTX_FETCH_STEPS = PTX_FETCH_LEVEL,  /* how far x, y and z move across, and then down */
    PTX_FETCH_VALUES = PTX_FETCH_LEVEL, /* of surfaces: what is stored, and what was loaded */
    PTX_FETCH_RESULTS = PTX_FETCH_STEPS + 6,
    PTX_FETCH_ROWS = PTX_FETCH_RESULTS + 4
};

/* Ways to fetch: as the device header's functions for a type in one and two dimensions, and for any texture by how many axes it
 * has, of which cubes have four. */
#define PTX_FETCH_TYPES(FUNCTION)                                                                  \
    FUNCTION(float, 1)                                                                             \
    FUNCTION(float4, 4)                                                                            \
    FUNCTION(int, 1)                                                                               \
    FUNCTION(int4, 4)                                                                              \
    FUNCTION(uint, 1)                                                                              \
    FUNCTION(uint4, 4)
enum ptx_fetch_way {
#define FUNCTION(type, channels) PTX_FETCH_1D_##type, PTX_FETCH_2D_##type,
    PTX_FETCH_TYPES(FUNCTION)
#undef FUNCTION
        PTX_FETCH_SAMPLE_1,
    PTX_FETCH_SAMPLE_2,
    PTX_FETCH_SAMPLE_3,
    PTX_FETCH_SAMPLE_4,
    PTX_FETCH_GATHER, /* PTX_FETCH_LEVEL: the component */
    PTX_FETCH_LINEAR, /* from linear memory: PTX_FETCH_X is a whole number */
    PTX_FETCH_WAYS
};
enum ptx_fetch_level { PTX_FETCH_FINEST, PTX_FETCH_AT_LEVEL, PTX_FETCH_BY_STEPS };

/* What is known when the kernel is written. */
union ptx_fetch {
    struct {
        uint8_t way, level;       /* enum ptx_fetch_way, enum ptx_fetch_level */
        uint8_t has_layer, count; /* channels that are wanted */
    } texture;
    struct {
        uint8_t bytes, count;  /* of an element, and elements */
        uint8_t has_layer : 1; /* z is one */
        uint8_t is_signed : 1; /* REDUCE */
        uint8_t mode : 2;      /* cudaBoundaryMode... */
        uint8_t axes : 2;
        uint8_t operation; /* REDUCE: enum ptx_operation */
    } surface;
    struct {
        uint8_t at;          /* the field's place in struct clem_texture, in words of 4 bytes */
        uint8_t is_of_cubes; /* their faces are counted */
    } query;
    uint32_t word;
};

/* object: what all lanes have in PTX_FETCH_OBJECT, where that is not given; 0: it is. */
void clem_native_fetch(uint32_t what, uint32_t lanes, uint64_t object, uint32_t *list);
void clem_native_load_surface(uint32_t what, uint32_t lanes, uint64_t object, uint32_t *list);
void clem_native_store_surface(uint32_t what, uint32_t lanes, uint64_t object, uint32_t *list);
void clem_native_reduce_surface(uint32_t what, uint32_t lanes, uint64_t object, uint32_t *list);
void clem_native_query(uint32_t what, uint32_t lanes, uint64_t object, uint32_t *list);

#define CLEM_NATIVE_PICTURES(FUNCTION)                                                             \
    FUNCTION(fetch)                                                                                \
    FUNCTION(load_surface)                                                                         \
    FUNCTION(store_surface)                                                                        \
    FUNCTION(reduce_surface)                                                                       \
    FUNCTION(query)

#endif
