# What `cmake --install` puts in place: the program, the libraries an
# application links, their headers, the CMake package and pkg-config files.
# `cpack` makes Debian packages of it: sonde is the program, libsonde-dev the rest.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sonde)

if(TARGET sonde_program)
  install(TARGETS sonde_program RUNTIME COMPONENT sonde)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
          DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT sonde)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT sonde)
  install(FILES ${PROJECT_BINARY_DIR}/completion/sonde.bash COMPONENT sonde RENAME sonde
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_BINARY_DIR}/completion/_sonde COMPONENT sonde
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${PROJECT_BINARY_DIR}/completion/sonde.fish COMPONENT sonde
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# Two export sets: an application that has profiling off needs no dependency of ours.
get_property(libraries GLOBAL PROPERTY SONDE_HOST_LIBRARIES)
if(libraries)
  install(TARGETS ${libraries} EXPORT sonde-targets ARCHIVE FILE_SET HEADERS)
  install(EXPORT sonde-targets NAMESPACE sonde:: DESTINATION ${package_dir})
else()
  install(DIRECTORY ${SONDE_HOST_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
if(TARGET sonde_gperftools)
  install(TARGETS sonde_gperftools LIBRARY)
endif()
install(TARGETS sonde_headers EXPORT sonde-headers)
install(EXPORT sonde-headers NAMESPACE sonde:: DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sonde-config.cmake.in sonde-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(sonde-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sonde-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/sonde-config-version.cmake
        DESTINATION ${package_dir})

# Relative, so that the files stay right wherever the tree is installed or moved.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(pc_files sonde sonde-off sonde-asio-tracking)
foreach(part heap push)
  if(TARGET sonde_${part})
    list(APPEND pc_files sonde-${part})
  endif()
endforeach()
foreach(pc IN LISTS pc_files)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${pc}.pc.in ${pc}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${pc}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sonde)
set(CPACK_PACKAGE_VENDOR "The sonde authors")
set(CPACK_PACKAGE_CONTACT "The sonde authors <sonde@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL sonde dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_SONDE_PACKAGE_NAME sonde)
set(CPACK_DEBIAN_SONDE_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_SONDE_PACKAGE_SHLIBDEPS ON)
# What the program loads when it needs it, and so is no part of what it links.
set(CPACK_DEBIAN_SONDE_PACKAGE_DEPENDS "libssl3 | libssl3t64")
set(CPACK_DEBIAN_SONDE_PACKAGE_SUGGESTS "linux-perf, llvm")
set(CPACK_COMPONENT_SONDE_DESCRIPTION
    "Profiles, flame graphs and evidence from running programs, recordings and agent logs")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libsonde-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libc6-dev, libnghttp2-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libboost-dev, libgoogle-perftools-dev, libssl-dev, libunwind8")
set(CPACK_COMPONENT_DEV_DESCRIPTION
    "Libraries and headers that put the profiler into a program")
include(CPack)
