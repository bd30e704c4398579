# exports.cmake: fails unless a library exports what the lists of entry points name, and nothing else.
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DNM=<nm> -DLIBRARY=<file> -DENTRIES=<entry_points.def;...> -P exports.cmake

set(listed)
foreach(file IN LISTS ENTRIES)
    file(READ ${file} text)
    # Every row ends with the symbol and its status; a comment names no row, having no such end.
    string(REGEX MATCHALL "[A-Za-z0-9_]+,[ \n]+(supported|later|cannot)\\)" rows "${text}")
    foreach(row IN LISTS rows)
        string(REGEX REPLACE ",.*" "" symbol "${row}")
        list(APPEND listed ${symbol})
    endforeach()
endforeach()

execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY}
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[0-9a-f]+ [A-Z] [^\n]+" lines "${text}")
set(exported)
foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[0-9a-f]+ [A-Z] ([A-Za-z0-9_.]+).*" "\\1" symbol "${line}")
    # A version node is a symbol of its own, with the type A of an absolute value.
    if(NOT line MATCHES "^[0-9a-f]+ A ")
        list(APPEND exported ${symbol})
    endif()
endforeach()

set(missing ${listed})
list(REMOVE_ITEM missing ${exported})
set(unlisted ${exported})
list(REMOVE_ITEM unlisted ${listed})
list(LENGTH listed count)
message("${count} entry points listed\nnot exported: ${missing}\nnot listed: ${unlisted}")
if(count LESS 800 OR missing OR unlisted)
    message(FATAL_ERROR "the library's symbols are not those of the lists")
endif()
