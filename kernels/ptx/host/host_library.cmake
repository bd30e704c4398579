# Makes functions of C of the arithmetic and the math library, static and named clem_native_, and a list of those of math.cl,
# FUNCTION(name) each: cmake -D FOLDER=library -D OUTPUT=x.inc -D LIST=x.def -P host_library.cmake
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
set(made "")
foreach(name integer float half convert video math)
    file(READ ${FOLDER}/${name}.cl text)
    string(REPLACE "clem_" "clem_native_" text "${text}")
    string(REPLACE "(double2)(" "double2_of(" text "${text}")
    string(REGEX REPLACE "\n((struct clem_native_[a-z]+|[a-z0-9]+) clem_native_[a-z0-9_]+\\()" "\nstatic \\1" text "${text}")
    string(APPEND made "${text}")
endforeach()
set(math "${text}")
file(READ ${FOLDER}/far.cl text)
string(REPLACE "clem_" "clem_native_" text "${text}")
string(REGEX REPLACE "\nfloat clem" "\nstatic float clem" text "${text}")
file(WRITE ${OUTPUT} "${made}${text}")

# Functions that take pointers are for itself.
string(REGEX MATCHALL "\nstatic [a-z]+ clem_native_[a-z0-9_]+\\([a-z0-9_ ,]*\\)\n" lines "${math}")
set(list "")
foreach(line IN LISTS lines)
    string(REGEX REPLACE ".*clem_native_([a-z0-9_]+)\\(.*" "FUNCTION(\\1)\n" row "${line}")
    string(APPEND list "${row}")
endforeach()
file(WRITE ${LIST} "${list}")
