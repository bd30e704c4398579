# Before cpack packs what it has staged: in formats other than Debian's, what is for Debian's tools goes, and changelogs have the
# name that others give them.
# SPDX-License-Identifier: Apache-2.0
cmake_policy(SET CMP0009 NEW)
if(NOT CPACK_TEMPORARY_DIRECTORY MATCHES "/DEB/")
    file(GLOB_RECURSE changelogs ${CPACK_TEMPORARY_DIRECTORY}/changelog.Debian*)
    foreach(changelog IN LISTS changelogs)
        string(REPLACE changelog.Debian changelog renamed ${changelog})
        file(RENAME ${changelog} ${renamed})
    endforeach()
    file(GLOB_RECURSE folders LIST_DIRECTORIES YES ${CPACK_TEMPORARY_DIRECTORY}/*)
    list(FILTER folders INCLUDE REGEX "/share/lintian$")
    foreach(folder IN LISTS folders)
        file(REMOVE_RECURSE ${folder})
    endforeach()
endif()
