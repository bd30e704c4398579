# Packages, by cpack: deb and rpm of three parts each, and one archive. facade/package/make builds them.
#   libclem0   libclem and the libraries with NVIDIA's names, in a folder of their own (libraries)
#   clem-dev   headers, CMake and pkg-config files (development)
#   clem-tools clemcc, clem-run, clem-info, clem-bench, and the toolkit's shape for build systems (tools)
# SPDX-License-Identifier: Apache-2.0
set(clem_pages clem-info clem-run clemcc)
if(CLEM_BENCH)
    list(APPEND clem_pages clem-bench)
endif()
find_program(CLEM_GZIP gzip)
mark_as_advanced(CLEM_GZIP)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/packed)
add_custom_target(clem-packed)
# Packages want pages and change logs packed, without a date in them.
function(clem_install_packed source name folder component)
    if(CLEM_GZIP)
        add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/packed/${component}/${name}.gz
            COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/packed/${component}
            COMMAND ${CLEM_GZIP} -9 -n -c ${source} > ${PROJECT_BINARY_DIR}/packed/${component}/${name}.gz
            DEPENDS ${source} VERBATIM)
        add_custom_target(clem-packed-${component}-${name} ALL DEPENDS ${PROJECT_BINARY_DIR}/packed/${component}/${name}.gz)
        add_dependencies(clem-packed clem-packed-${component}-${name})
        install(FILES ${PROJECT_BINARY_DIR}/packed/${component}/${name}.gz DESTINATION ${folder} COMPONENT ${component})
    else()
        install(FILES ${source} RENAME ${name} DESTINATION ${folder} COMPONENT ${component})
    endif()
endfunction()

foreach(page IN LISTS clem_pages)
    clem_install_packed(${CMAKE_CURRENT_LIST_DIR}/man/${page}.1 ${page}.1 ${CMAKE_INSTALL_MANDIR}/man1 tools)
endforeach()
install(FILES ${CMAKE_CURRENT_LIST_DIR}/completion.bash RENAME clemcc COMPONENT tools
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
foreach(page clem-info clem-run clem-bench)
    file(CREATE_LINK clemcc ${PROJECT_BINARY_DIR}/packed/${page} SYMBOLIC)
    install(FILES ${PROJECT_BINARY_DIR}/packed/${page} COMPONENT tools
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
endforeach()

# Each part has its licence and its changes; the examples are those that the tests build.
set(clem_package_libraries libclem0)
set(clem_package_development clem-dev)
set(clem_package_tools clem-tools)
foreach(part libraries development tools)
    set(folder ${CMAKE_INSTALL_DATAROOTDIR}/doc/${clem_package_${part}})
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${folder} COMPONENT ${part})
    clem_install_packed(${CMAKE_CURRENT_LIST_DIR}/changelog changelog.Debian ${folder} ${part})
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/lintian/${clem_package_${part}} COMPONENT ${part}
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/tests/consume/example.c ${PROJECT_SOURCE_DIR}/tests/consume/opencl.c
    ${CMAKE_CURRENT_LIST_DIR}/example.cu COMPONENT development
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/clem-dev/examples)

# make uninstall: what the last install wrote, and nothing else.
configure_file(${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake.in uninstall.cmake @ONLY)
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${PROJECT_BINARY_DIR}/uninstall.cmake VERBATIM)

set(CPACK_PACKAGE_NAME clem)
set(CPACK_PACKAGE_VENDOR "clem")
set(CPACK_PACKAGE_CONTACT "clem developers <clem@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "CUDA programs on any OpenCL device")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL libraries development tools)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/facade ${PROJECT_BINARY_DIR}/facade/clem)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME libclem0)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/shlibs
    ${CMAKE_CURRENT_LIST_DIR}/triggers)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_RECOMMENDS "pocl-opencl-icd | opencl-icd")
set(CPACK_DEBIAN_LIBRARIES_DESCRIPTION "CUDA's runtime and driver API over OpenCL. Programs written for CUDA run on
 AMD's, Intel's and NVIDIA's GPUs through their stock OpenCL drivers, and on
 CPUs through PoCL.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME clem-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libclem0 (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "clem-tools")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "Headers, examples, and what CMake and pkg-config need to link programs with
 libclem.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME clem-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libclem0 (= ${PROJECT_VERSION}-1), clem-dev (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "clang, gnuplot-nox")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "clemcc compiles CUDA sources with clang and links them with libclem, clem-run
 runs programs that nvcc built, clem-info shows the devices, and clem-bench
 compares what memory does on them.")

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
# What has NVIDIA's names serves no other package: the loader does not look where it lies.
set(CPACK_RPM_SPEC_MORE_DEFINE "%global __provides_exclude ^lib(cuda|cudart|nvrtc)[.]so.*$")
foreach(part libraries development tools)
    string(TOUPPER ${part} name)
    set(CPACK_RPM_${name}_PACKAGE_SUMMARY "${CPACK_PACKAGE_DESCRIPTION_SUMMARY} (${part})")
    string(REGEX REPLACE "\n +" "\n" CPACK_RPM_${name}_PACKAGE_DESCRIPTION "${CPACK_DEBIAN_${name}_DESCRIPTION}")
endforeach()
# What Debian's tools read is no part of other packages.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/other_formats.cmake)
set(CPACK_RPM_LIBRARIES_PACKAGE_NAME libclem0)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_NAME clem-devel)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_REQUIRES "libclem0 = ${PROJECT_VERSION}")
set(CPACK_RPM_TOOLS_PACKAGE_NAME clem-tools)
set(CPACK_RPM_TOOLS_PACKAGE_REQUIRES "clem-devel = ${PROJECT_VERSION}")
# Folders that belong to the distribution.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}
    ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/cmake ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig
    ${CMAKE_INSTALL_PREFIX}/share/man ${CMAKE_INSTALL_PREFIX}/share/man/man1
    ${CMAKE_INSTALL_PREFIX}/share/bash-completion ${CMAKE_INSTALL_PREFIX}/share/bash-completion/completions)
include(CPack)
