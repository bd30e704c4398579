# Programs and libraries with CUDA sources, compiled by clemcc. Needs the targets clem::clem and clem::clemcc.
# SPDX-License-Identifier: Apache-2.0

# OpenMP of clang's, which compiles CUDA sources, is another library than GCC's. Linked where a source uses it.
file(GLOB clem_openmp_folders /usr/lib/llvm-*/lib)
list(SORT clem_openmp_folders COMPARE NATURAL ORDER DESCENDING)
find_library(CLEM_OPENMP_LIBRARY omp PATHS ${clem_openmp_folders})
mark_as_advanced(CLEM_OPENMP_LIBRARY)

# To CMake the .cu files of a target are C++, with all that the target says of C++: options, standard, definitions, folders,
# what it is linked with. clemcc stands before the compiler and compiles them itself.
function(clem_compile_cuda name sources options)
    foreach(source IN LISTS sources)
        if(source MATCHES "\\.cu$")
            set_source_files_properties(${source} PROPERTIES LANGUAGE CXX SKIP_PRECOMPILE_HEADERS ON
                SKIP_UNITY_BUILD_INCLUSION ON CXX_SCAN_FOR_MODULES OFF)
        endif()
    endforeach()
    set(launcher "$<TARGET_FILE:clem::clemcc>" --launch ${options} -- ${CMAKE_CXX_COMPILER_LAUNCHER})
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX CXX_COMPILER_LAUNCHER "${launcher}")
    get_target_property(is_imported clem::clemcc IMPORTED)
    if(NOT is_imported)
        add_dependencies(${name} clem::clemcc)
    endif()
    if(CLEM_OPENMP_LIBRARY)
        target_link_libraries(${name} PRIVATE "-Wl,--push-state,--as-needed,${CLEM_OPENMP_LIBRARY},--pop-state")
    endif()
endfunction()

# A project may be of C alone until here; a language is enabled where the caller is, and not in a function.
macro(clem_enable_cxx)
    if(NOT CMAKE_CXX_COMPILER_LOADED)
        enable_language(CXX)
    endif()
endmacro()

# clem_add_executable(name sources... [OPTIONS clemcc's options...])
macro(clem_add_executable)
    clem_enable_cxx()
    clem_make_executable(${ARGV})
endmacro()

function(clem_make_executable name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
    add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
    clem_compile_cuda(${name} "${arg_UNPARSED_ARGUMENTS}" "${arg_OPTIONS}")
    target_link_libraries(${name} PRIVATE clem::clem)
endfunction()

# clem_add_library(name [STATIC|SHARED] sources... [OPTIONS clemcc's options...])
macro(clem_add_library)
    clem_enable_cxx()
    clem_make_library(${ARGV})
endmacro()

function(clem_make_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC;SHARED" "" "OPTIONS")
    set(kind STATIC)
    if(arg_SHARED)
        set(kind SHARED)
    endif()
    add_library(${name} ${kind} ${arg_UNPARSED_ARGUMENTS})
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    clem_compile_cuda(${name} "${arg_UNPARSED_ARGUMENTS}" "${arg_OPTIONS}")
    target_link_libraries(${name} PUBLIC clem::clem)
endfunction()
