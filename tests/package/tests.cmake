# package.<from>.<on|off>: programs that use sonde from outside are built and run.
set(prefix ${PROJECT_BINARY_DIR}/prefix)
add_test(NAME package.install
  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${prefix})
set_tests_properties(package.install PROPERTIES FIXTURES_SETUP prefix LABELS package)

function(sonde_package_test from variant)
  string(TOUPPER ${variant} flag)
  set(build ${PROJECT_BINARY_DIR}/package/${from}-${variant})
  add_test(NAME package.${from}.${variant}
    COMMAND ${CMAKE_CTEST_COMMAND}
            --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/package ${build}
            --build-generator ${CMAKE_GENERATOR}
            --build-options -DCMAKE_PREFIX_PATH=${prefix}
                            -DCMAKE_BUILD_TYPE=Release
                            -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
                            -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
                            -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}
                            -DSONDE_FROM=${from}
                            -DSONDE_SOURCE_DIR=${PROJECT_SOURCE_DIR}
                            -DSONDE_PROFILING=${flag}
            --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure)
  set_tests_properties(package.${from}.${variant} PROPERTIES LABELS package TIMEOUT 300)
  if(NOT from STREQUAL "subdirectory")
    set_tests_properties(package.${from}.${variant} PROPERTIES FIXTURES_REQUIRED prefix)
  endif()
endfunction()

foreach(from package pkg-config)
  sonde_package_test(${from} off)
  sonde_package_test(${from} on)
endforeach()
sonde_package_test(subdirectory off)

# The Debian packages go in, work and come out without a trace.
add_test(NAME package.debian
  COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR} -D CPACK=${CMAKE_CPACK_COMMAND}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/package/debian.cmake)
set_tests_properties(package.debian PROPERTIES
  LABELS package TIMEOUT 300 SKIP_REGULAR_EXPRESSION "^skipped:")

# A program may be compiled by clang where the library was by gcc.
find_program(SONDE_CLANG clang++)
mark_as_advanced(SONDE_CLANG)
if(SONDE_CLANG)
  set(includes ${SONDE_HOST_HEADERS})
  list(TRANSFORM includes PREPEND -I)
  foreach(enabled 0 1)
    add_test(NAME package.clang.${enabled}
      COMMAND ${SONDE_CLANG} -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only
              -DSONDE_ENABLED=${enabled} ${includes}
              ${CMAKE_CURRENT_SOURCE_DIR}/package/main.cc ${CMAKE_CURRENT_SOURCE_DIR}/package/spawns.cc
              ${CMAKE_CURRENT_SOURCE_DIR}/package/surface.cc)
    set_tests_properties(package.clang.${enabled} PROPERTIES LABELS package)
  endforeach()
endif()

# Each public header compiles alone.
if(CMAKE_VERIFY_INTERFACE_HEADER_SETS)
  add_test(NAME headers COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR}
                                --target all_verify_interface_header_sets)
  set_tests_properties(headers PROPERTIES LABELS package TIMEOUT 600)
endif()
