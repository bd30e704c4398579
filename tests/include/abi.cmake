# abi.cmake: fails where a library has lost a symbol, or its soname, that programs may have been linked with, and where it has
# a new one that abi.txt does not list yet.
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DREADELF=<readelf> -DLIBRARIES=<file,...> -DNAMES=<file,...> [-DWRITE=ON] -P abi.cmake
#
# WRITE adds what is new to abi.txt. What is gone stays there, so that it fails: it may be taken away by hand only together
# with the number in the soname. NAMES are libraries that programs are linked with in place of the others: all that they
# promise is there.
string(REPLACE "," ";" LIBRARIES "${LIBRARIES}")
string(REPLACE "," ";" NAMES "${NAMES}")
set(list_file ${CMAKE_CURRENT_LIST_DIR}/abi.txt)

# soname_of(variable library)
function(soname_of variable library)
    execute_process(COMMAND ${READELF} -d ${library} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    if(NOT text MATCHES "\\(SONAME\\)[^[]*\\[([^]]+)\\]")
        message(FATAL_ERROR "${library} has no soname")
    endif()
    set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

# symbols_of(variable library): those that it defines for others, "name@@version" where they have a version.
function(symbols_of variable library)
    execute_process(COMMAND ${READELF} --wide --dyn-syms ${library} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "(GLOBAL|WEAK|UNIQUE) +DEFAULT +([0-9]+|ABS) +[^ \n]+" rows "${text}")
    list(TRANSFORM rows REPLACE ".* " "")
    list(SORT rows)
    set(${variable} ${rows} PARENT_SCOPE)
endfunction()

set(lines)
set(defined)
foreach(library IN LISTS LIBRARIES)
    soname_of(soname ${library})
    symbols_of(symbols ${library})
    list(APPEND defined ${symbols})
    list(APPEND lines "${soname}")
    list(TRANSFORM symbols PREPEND "${soname} ")
    list(APPEND lines ${symbols})
endforeach()

set(listed)
if(EXISTS ${list_file})
    file(STRINGS ${list_file} listed REGEX "^[^#]")
endif()
set(gone ${listed})
list(REMOVE_ITEM gone ${lines})
set(new ${lines})
list(REMOVE_ITEM new ${listed})
list(LENGTH lines count)

set(promised)
foreach(library IN LISTS NAMES)
    symbols_of(symbols ${library})
    list(APPEND promised ${symbols})
endforeach()
list(LENGTH promised promises)
list(TRANSFORM defined REPLACE "@.*" "")
list(TRANSFORM promised REPLACE "@.*" "")
list(REMOVE_ITEM promised ${defined})

if(WRITE AND new)
    set(all ${listed} ${new})
    list(SORT all)
    list(JOIN all "\n" text)
    file(WRITE ${list_file}
        "# Sonames, and the symbols that programs may have been linked with: soname symbol[@@version]. tests/include/abi.cmake\n"
        "# keeps it; SPDX-License-Identifier: Apache-2.0\n${text}\n")
    set(new)
endif()
list(JOIN gone "\n  " gone_text)
list(JOIN new "\n  " new_text)
message("${count} sonames and symbols, ${promises} promised\ngone: ${gone_text}\nnew: ${new_text}\npromised and not there: ${promised}")
if(gone OR promised)
    message(FATAL_ERROR "programs that were linked with these libraries would no longer find all that they need")
elseif(new)
    message(FATAL_ERROR "the build's target abi adds them to tests/include/abi.txt")
elseif(count LESS 1000)
    message(FATAL_ERROR "so few symbols are not all")
endif()
