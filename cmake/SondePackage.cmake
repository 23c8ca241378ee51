# What `cmake --install` puts in place: the program, the libraries an
# application links, their headers, the CMake package and two pkg-config files.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sonde)

if(TARGET sonde_program)
  install(TARGETS sonde_program RUNTIME COMPONENT sonde)
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
foreach(pc sonde sonde-off)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${pc}.pc.in ${pc}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${pc}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
