# Checks the direction of #include lines: facade -> cl -> OpenCL, never back; within each folder from room to room as rooms.txt
# allows; and which files give commands to the driver. Run with -DROOT=<source folder>.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)

# forbid(folder pattern reason [files that may]): no line of folder's C files may include what matches pattern.
function(forbid folder pattern reason)
    file(GLOB_RECURSE sources ${ROOT}/${folder}/*.c ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.def ${ROOT}/${folder}/*.cl)
    list(LENGTH sources count)
    if(count EQUAL 0)
        message(FATAL_ERROR "no sources in ${folder}")
    endif()
    foreach(source IN LISTS sources)
        file(RELATIVE_PATH name ${ROOT} ${source})
        if(name IN_LIST ARGN)
            continue()
        endif()
        file(STRINGS ${source} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]${pattern}")
        foreach(line IN LISTS lines)
            message(SEND_ERROR "${name}: ${line}: ${reason}")
        endforeach()
    endforeach()
endfunction()

forbid(cl "(include/|cuda|driver_types|vector_types|clem\\.h)" "cl/ knows nothing of CUDA")
forbid(cl "facade/" "cl/ does not look up at the facade")
forbid(cl "kernels/ptx/.*/" "cl/ uses kernels/ptx/ptx.h" cl/check/check_launch.h cl/race/race_state.h cl/binding/ptx_runtime.c cl/binding/ptx_launch.c cl/binding/ptx_launches.c cl/native/native.h cl/native/native_private.h cl/native/symbol.c) # and the memory that library/ shares with it
forbid(kernels "(include/|cuda|facade/|cl/)" "kernels/ is text for devices")
forbid(facade "CL/" "the facade sees no OpenCL" facade/state/error_map.c)
forbid(facade "cl/.*/" "the facade uses cl/'s own headers, and those of none of its rooms")
forbid(facade "kernels/ptx/.*/" "the facade uses kernels/ptx/ptx.h")
forbid(include "(facade|cl|kernels)/" "public headers stand alone")
forbid(bench "(facade|cl/.*)/" "the benchmark uses what programs have")

# The rooms: who stands where, and that every folder of sources is one.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/rooms.txt rows REGEX "^[a-z]")
foreach(row IN LISTS rows)
    string(REGEX REPLACE ":.*" "" folder "${row}")
    string(REGEX REPLACE "^[^:]*: *" "" names "${row}")
    string(REPLACE " " ";" rooms_of_${folder} "${names}")
    list(APPEND folders ${folder})
    foreach(room IN LISTS rooms_of_${folder})
        file(GLOB found ${ROOT}/${folder}/${room}/*.[ch] ${ROOT}/${folder}/${room}/*.def)
        if(NOT found)
            message(SEND_ERROR "${folder}/${room}/ of rooms.txt has no files")
        endif()
    endforeach()
endforeach()

# split(file folder room out_rank): which folder of rooms.txt a file is below, its room there, and how high that stands. No
# room, 1000: it is in none.
function(split file out_folder out_room out_rank)
    set(${out_folder} "" PARENT_SCOPE)
    foreach(folder IN LISTS folders)
        if(file MATCHES "^${folder}/")
            set(room "")
            set(rank 1000)
            if(file MATCHES "^${folder}/([a-z]+)/")
                set(room ${CMAKE_MATCH_1})
                list(FIND rooms_of_${folder} ${room} rank)
            endif()
            set(${out_folder} ${folder} PARENT_SCOPE)
            set(${out_room} "${room}" PARENT_SCOPE)
            set(${out_rank} ${rank} PARENT_SCOPE)
            return()
        endif()
    endforeach()
endfunction()

# Where a header says that it is private to one room.
set(private_headers "")
foreach(folder IN LISTS folders)
    file(GLOB_RECURSE headers RELATIVE ${ROOT} ${ROOT}/${folder}/*.h)
    foreach(header IN LISTS headers)
        file(READ ${ROOT}/${header} head LIMIT 1500)
        if(head MATCHES "Private[ \n*]+to[ \n*]+(${folder}/[a-z]+/)\\.")
            list(APPEND private_headers ${header})
            set(home_of_${header} ${CMAKE_MATCH_1})
        endif()
    endforeach()
endforeach()
list(LENGTH private_headers count)
if(count LESS 20)
    message(SEND_ERROR "only ${count} headers say that they are private to a room")
endif()

foreach(folder IN LISTS folders)
    file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/${folder}/*.c ${ROOT}/${folder}/*.h)
    foreach(source IN LISTS sources)
        split(${source} own_folder own_room own_rank)
        if(own_rank LESS 0)
            message(SEND_ERROR "${source} stands in a folder that rooms.txt does not have")
        endif()
        file(STRINGS ${ROOT}/${source} lines REGEX "^[ \t]*#[ \t]*include[ \t]*\"")
        foreach(line IN LISTS lines)
            string(REGEX REPLACE "^[^\"]*\"([^\"]*)\".*" "\\1" header "${line}")
            if(header IN_LIST private_headers AND NOT source MATCHES "^${home_of_${header}}")
                message(SEND_ERROR "${source}: ${line}: that is private to ${home_of_${header}}")
            endif()
            split(${header} other_folder other_room other_rank)
            # Headers that stand in no room are for all.
            if(other_folder STREQUAL own_folder AND other_room AND other_rank GREATER own_rank)
                message(SEND_ERROR "${source}: ${line}: ${own_room}/ stands below ${other_room}/")
            endif()
        endforeach()
    endforeach()
endforeach()

# Commands of streams are given to the driver in cl/queue/command.c alone, between their begin and their end. These files
# enqueue on the context's service queue, which no stream knows and whose commands they wait for:
set(enqueues_apart
    cl/apart/clem_compile.c   # another program
    cl/base/opencl.h          # names them all
    cl/base/steady.h          # holds what they call
    cl/binding/ptx_launch.c   # reads what came of a launch of clem's own, which has ended
    cl/block/block_host.c     # pinned memory is mapped once, when it is made, and unmapped when it goes
    cl/block/probe.c          # asks the device for the address of a block, when it is made
    cl/device/emulated.c      # self-test of doubles, of no queue of users
    cl/device/large.c         # self-test of large allocations, of no queue of users
    cl/device/work_group.c    # self-test of large work-groups, of no queue of users
    cl/context/capability.c   # self-tests of the address strategies, before the context's first queue
    cl/image/image_test.c     # self-test of images, when the first is made
    cl/managed/managed_test.c # self-test of memory that migrates, before the context's first queue
    cl/virtual/virtual_test.c # self-test of virtual memory, of no queue of users
    cl/program/kernel_size.c  # asks the device for the sizes of a kernel's parameters, when it is found
    cl/ptx/ptx_binary.c       # self-test of the driver's way with PTX, before it is used
    cl/ptx/ptx_target.c       # self-test of instructions, before the first PTX is translated
    cl/symbol/symbol_table.c) # reads addresses and values of a module's variables, when it is loaded
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/cl/*.c ${ROOT}/cl/*.h ${ROOT}/facade/*.c ${ROOT}/facade/*.h)
foreach(source IN LISTS sources)
    # A name with an empty list of arguments is meant for who reads comments.
    file(STRINGS ${ROOT}/${source} lines
        REGEX "(clEnqueue[A-Za-z0-9]+|ocl_steady_range|ocl_steady_read|enqueue_usm_[a-z]+)\\(([^)]|$)")
    if(lines AND source IN_LIST enqueues_apart)
        list(REMOVE_ITEM enqueues_apart ${source})
    elseif(lines AND NOT source STREQUAL "cl/queue/command.c")
        message(SEND_ERROR "${source} enqueues, which is for cl/queue/command.c: ${lines}")
    endif()
endforeach()
if(enqueues_apart)
    message(SEND_ERROR "no longer enqueues by itself: ${enqueues_apart}")
endif()

# Pointers into a kernel's memory are written in emit/access.c alone, and so is all that follows them.
file(GLOB sources RELATIVE ${ROOT} ${ROOT}/kernels/ptx/emit/*.c ${ROOT}/kernels/ptx/block/*.c ${ROOT}/kernels/ptx/*.c)
set(has_pointers "")
foreach(source IN LISTS sources)
    file(READ ${ROOT}/${source} text)
    string(REGEX REPLACE "[^\n]*#[ \t]*include[^\n]*" "" text "${text}")
    string(REPLACE ";" "" text "${text}")
    string(REGEX MATCHALL "\"([^\"\\\\\n]|\\\\.)*\"" literals "${text}")
    list(FILTER literals INCLUDE REGEX
        "\\*\\(|\\*%s =|\\)\\[|->|clem_generic_(load|store)\\(|clem_copy_async|clem_shared \\+|__(local|constant) %s|atomic_[a-z]+\\(")
    if(literals AND source STREQUAL "kernels/ptx/emit/access.c")
        set(has_pointers ${source})
    elseif(literals)
        message(SEND_ERROR "${source} writes an access, which is for kernels/ptx/emit/access.c: ${literals}")
    endif()
endforeach()
if(NOT has_pointers)
    message(SEND_ERROR "kernels/ptx/emit/access.c writes no access")
endif()

# Calls of the driver go through cl/base/opencl.h, which keeps cancellation away, and tests/stub/cancelling.c knows them all.
file(READ ${ROOT}/cl/base/opencl.h text)
string(REGEX MATCHALL "#define cl[A-Za-z]+" steady_calls "${text}")
list(TRANSFORM steady_calls REPLACE "#define " "")
file(READ ${ROOT}/tests/stub/calls.def stub_calls)
foreach(source IN LISTS sources)
    file(READ ${ROOT}/${source} text)
    string(REGEX MATCHALL "cl[A-Z][A-Za-z]+\\(" calls "${text}")
    list(REMOVE_DUPLICATES calls)
    foreach(call IN LISTS calls)
        string(REPLACE "(" "" call ${call})
        if(NOT call MATCHES "(INTEL|EXT|KHR|NV)$" AND
           (NOT call IN_LIST steady_calls OR NOT stub_calls MATCHES "[ ,]${call}[ ,(]"))
            message(SEND_ERROR "${source}: ${call} has no row in cl/base/opencl.h or tests/stub/calls.def")
        endif()
    endforeach()
endforeach()

# What follows a wait of the host is listed in one function.
foreach(source IN LISTS sources)
    file(STRINGS ${ROOT}/${source} lines
        REGEX "^ .*(ocl_staging_look|ocl_ordered_settle|ocl_migration_(let_touch|return)|ocl_runtime_after_wait|following->[a-z_]+)\\(")
    if(lines AND NOT source MATCHES "^cl/(queue/waited|binding/ptx_runtime)\\.c$")
        message(SEND_ERROR "${source}: ${lines}: ocl_waited() does what follows a wait")
    endif()
endforeach()
