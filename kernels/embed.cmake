# Turns an OpenCL C or PTX file into C text: cmake -D SOURCE=x.cl -D OUTPUT=x.cl.inc -P embed.cmake
# SPDX-License-Identifier: Apache-2.0
#
# The array begins with a #line directive, so that build logs name the file, and ends with a NUL
# that is not part of the text. Bytes, because C promises string literals of no more than 4095
# characters. Files of the same folder that it includes stand in place, because programs are given to
# drivers as one text. PTX knows no #line: its text stays what it is.

cmake_minimum_required(VERSION 3.25)
get_filename_component(file ${SOURCE} NAME)
get_filename_component(name ${SOURCE} NAME_WE)
get_filename_component(folder ${SOURCE} DIRECTORY)

# The text of a file with the included ones in it, each at its first mention.
function(expand file result)
    set_property(GLOBAL APPEND PROPERTY expanded_files ${file})
    file(READ ${folder}/${file} rest)
    set(text "#line 1 \"${file}\"\n")
    set(line 1)
    while(rest MATCHES "(^|\n)#include \"([a-z_]+\\.h)\"\n")
        set(included ${CMAKE_MATCH_2})
        set(directive "#include \"${included}\"\n")
        string(FIND "${rest}" "${directive}" at)
        string(LENGTH "${directive}" length)
        string(SUBSTRING "${rest}" 0 ${at} before)
        math(EXPR at "${at} + ${length}")
        string(SUBSTRING "${rest}" ${at} -1 rest)
        string(REGEX MATCHALL "\n" newlines "${before}")
        list(LENGTH newlines count)
        math(EXPR line "${line} + ${count} + 1")
        get_property(known GLOBAL PROPERTY expanded_files)
        set(inner "")
        if(NOT included IN_LIST known)
            expand(${included} inner)
        endif()
        string(APPEND text "${before}${inner}#line ${line} \"${file}\"\n")
    endwhile()
    set(${result} "${text}${rest}" PARENT_SCOPE)
endfunction()

if(file MATCHES "\\.ptx$")
    file(READ ${SOURCE} text)
else()
    expand(${file} text)
endif()
string(HEX "${text}" text)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${text}00")
string(REPEAT "." 80 row)
string(REGEX REPLACE "(${row})" "\\1\n    " bytes "${bytes}")
file(WRITE ${OUTPUT} "/* The text of ${file}, made by kernels/embed.cmake.
 * SPDX-License-Identifier: Apache-2.0 */
static const unsigned char text_${name}[] = {
    ${bytes}
};
")
