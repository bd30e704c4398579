# Turns an OpenCL C file into C text: cmake -D SOURCE=x.cl -D OUTPUT=x.cl.inc -P embed.cmake
# SPDX-License-Identifier: Apache-2.0
#
# The array begins with a #line directive, so that build logs name the file, and ends with a NUL
# that is not part of the text. Bytes, because C promises string literals of no more than 4095
# characters.

get_filename_component(file ${SOURCE} NAME)
get_filename_component(name ${SOURCE} NAME_WE)
file(READ ${SOURCE} text HEX)
string(HEX "#line 1 \"${file}\"\n" prefix)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${prefix}${text}00")
string(REPEAT "." 80 row)
string(REGEX REPLACE "(${row})" "\\1\n    " bytes "${bytes}")
file(WRITE ${OUTPUT} "/* The text of ${file}, made by kernels/embed.cmake.
 * SPDX-License-Identifier: Apache-2.0 */
static const unsigned char text_${name}[] = {
    ${bytes}
};
")
