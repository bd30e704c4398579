# Fails unless the program that injects faults defines every OpenCL function that the library imports.
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DNM=<nm> -DLIBRARY=<libclem.so> -DPROGRAM=<clem_faults> -P imports.cmake
function(opencl_names file which result)
    execute_process(COMMAND ${NM} -D ${which} ${file} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[TU] cl[A-Z][A-Za-z0-9]+" names "${text}")
    list(TRANSFORM names REPLACE "^. " "")
    set(${result} ${names} PARENT_SCOPE)
endfunction()

opencl_names(${LIBRARY} --undefined-only imported)
opencl_names(${PROGRAM} --defined-only defined)
list(LENGTH imported count)
list(REMOVE_ITEM imported ${defined})
message("${count} functions imported, without a fault: ${imported}")
if(count LESS 50 OR imported)
    message(FATAL_ERROR "the library calls what cannot be made to fail")
endif()
