# Makes functions of C of the arithmetic library, static and named clem_native_: cmake -D FOLDER=library -D OUTPUT=x.inc
# -P host_library.cmake
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
set(made "")
foreach(name integer float half convert video)
    file(READ ${FOLDER}/${name}.cl text)
    string(REPLACE "clem_" "clem_native_" text "${text}")
    string(REGEX REPLACE "\n([a-z]+ clem_native_[a-z0-9_]+\\()" "\nstatic \\1" text "${text}")
    string(APPEND made "${text}")
endforeach()
file(WRITE ${OUTPUT} "${made}")
