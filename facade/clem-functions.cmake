# Programs and libraries with CUDA sources, compiled by clemcc. Needs the targets clem::clem and clem::clemcc.
# SPDX-License-Identifier: Apache-2.0

# Replaces the .cu files of a list by objects, made with the include folders, definitions and options (those of the
# property CLEM_OPTIONS) that the target has in the end.
function(clem_compile_cuda target variable)
    set(result)
    foreach(source IN LISTS ARGN)
        if(NOT source MATCHES "\\.cu$")
            list(APPEND result ${source})
            continue()
        endif()
        cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
        string(MD5 hash ${path})
        string(SUBSTRING ${hash} 0 8 hash)
        cmake_path(GET path STEM stem)
        set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.clem/${stem}.${hash}.o)
        set(folders "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
        set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
        add_custom_command(OUTPUT ${object}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${target}.clem
            COMMAND clem::clemcc -c ${path} -o ${object} -MD -MF ${object}.d -MT ${object}
                "$<$<BOOL:$<TARGET_PROPERTY:${target},POSITION_INDEPENDENT_CODE>>:-Xcompiler=-fPIC>"
                "$<$<CONFIG:Debug>:-g>" "$<$<CONFIG:RelWithDebInfo>:-g;-O2>" "$<$<CONFIG:Release,MinSizeRel>:-O2>"
                "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>"
                "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
                "$<TARGET_PROPERTY:${target},CLEM_OPTIONS>"
            DEPENDS ${path} clem::clemcc
            DEPFILE ${object}.d
            COMMENT "Compiling CUDA source ${source}"
            COMMAND_EXPAND_LISTS VERBATIM)
        set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
        list(APPEND result ${object})
    endforeach()
    set(${variable} ${result} PARENT_SCOPE)
endfunction()

# clem_add_executable(name sources... [OPTIONS clemcc's options...])
function(clem_add_executable name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
    clem_compile_cuda(${name} sources ${arg_UNPARSED_ARGUMENTS})
    add_executable(${name} ${sources})
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX CLEM_OPTIONS "${arg_OPTIONS}")
    target_link_libraries(${name} PRIVATE clem::clem)
endfunction()

# clem_add_library(name [STATIC|SHARED] sources... [OPTIONS clemcc's options...])
function(clem_add_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC;SHARED" "" "OPTIONS")
    set(kind STATIC)
    if(arg_SHARED)
        set(kind SHARED)
    endif()
    clem_compile_cuda(${name} sources ${arg_UNPARSED_ARGUMENTS})
    add_library(${name} ${kind} ${sources})
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON
        CLEM_OPTIONS "${arg_OPTIONS}")
    target_link_libraries(${name} PUBLIC clem::clem)
endfunction()
