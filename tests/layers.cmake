# Checks the direction of #include lines: facade -> cl -> OpenCL, never back; and which files give commands to the driver.
# Run with -DROOT=<source folder>.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
set(failures 0)

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
forbid(kernels "(include/|cuda|facade/|cl/)" "kernels/ is text for devices")
forbid(facade "CL/" "the facade sees no OpenCL" facade/state/error_map.c)
forbid(facade "cl/(state|address|block|builtin|extension|worker|slab_private)\\.h" "the facade uses cl/'s public headers")
forbid(include "(facade|cl|kernels)/" "public headers stand alone")

# Commands of streams are given to the driver in cl/queue/command.c alone, between their begin and their end. These files enqueue
# on the context's service queue, which no stream knows and whose commands they wait for:
set(enqueues_apart
    cl/block/block_host.c    # pinned memory is mapped once, when it is made, and unmapped when it goes
    cl/context/capability.c    # self-tests of the address strategies, before the context's first queue
    cl/image/image_test.c    # self-test of images, when the first is made
    cl/program/kernel_size.c   # asks the device for the sizes of a kernel's parameters, when it is found
    cl/managed/managed_test.c  # self-test of memory that migrates, before the context's first queue
    cl/block/probe.c         # asks the device for the address of a block, when it is made
    cl/ptx/ptx_binary.c    # self-test of the driver's way with PTX, before it is used
    cl/ptx/ptx_target.c    # self-test of instructions, before the first PTX is translated
    cl/base/steady.h        # holds what they call
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

# What follows a wait of the host is listed in one function.
foreach(source IN LISTS sources)
    file(STRINGS ${ROOT}/${source} lines
        REGEX "^ .*(ocl_staging_look|ocl_ordered_settle|ocl_migration_(let_touch|return)|ocl_runtime_after_wait|following->[a-z_]+)\\(")
    if(lines AND NOT source MATCHES "^cl/(queue/waited|binding/ptx_runtime)\\.c$")
        message(SEND_ERROR "${source}: ${lines}: ocl_waited() does what follows a wait")
    endif()
endforeach()
