# Makes C of the host of the device header's textures and surfaces, for compilers whose vectors are arrays:
# cmake -D FOLDER=device -D OUTPUT=x.inc -P host_sampling.cmake
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
file(READ ${FOLDER}/clem_sampling.h text)
foreach(type float2 float3 float4 uint4)
    string(REPLACE "(${type})(" "${type}_of(" text "${text}")
endforeach()
string(REPLACE "size_t" "CLEM_INDEX" text "${text}")
set(index 0)
foreach(part x y z w)
    string(REGEX REPLACE "([^a-z_.>](value|size|direction|step|weight|spot|texels\\[[0-3]\\]))\\.${part}([^a-z_])" "\\1[${index}]\\3"
        text "${text}")
    math(EXPR index "${index} + 1")
endforeach()

# Of surfaces, what finds a place; elements are moved by their size.
file(READ ${FOLDER}/clem_surface.h surface)
string(FIND "${surface}" "#define CLEM_DEFINE_SURFACE(" end)
string(SUBSTRING "${surface}" 0 ${end} surface)
string(REPLACE "#include \"clem_texture_facts.h\"" "" text "${text}\n${surface}#endif\n")
file(WRITE ${OUTPUT} "${text}")
