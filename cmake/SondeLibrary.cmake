include_guard()

# The include directories alone: what a build with profiling compiled out links.
add_library(sonde_headers INTERFACE)
add_library(sonde::headers ALIAS sonde_headers)
set_target_properties(sonde_headers PROPERTIES EXPORT_NAME headers)
target_include_directories(sonde_headers INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

add_library(sonde_warnings INTERFACE)
target_compile_options(sonde_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wimplicit-fallthrough)

# sonde_library(<name> FLOOR <n> [HOST] HEADERS <public>... SOURCES <file>... [USES <lib>...] [HIDES <lib>...])
#
# USES appear in the public headers, HIDES do not. A library may use only sonde
# libraries of a lower floor, or of its own folder; anything else stops the
# configure step. HOST libraries are what an application links: they are installed.
function(sonde_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOST" "FLOOR" "HEADERS;SOURCES;USES;HIDES")
  foreach(used IN LISTS arg_USES arg_HIDES)
    if(used MATCHES "^sonde::")
      get_target_property(floor ${used} SONDE_FLOOR)
      get_target_property(folder ${used} SONDE_FOLDER)
      if(floor AND NOT floor LESS arg_FLOOR AND NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
        message(FATAL_ERROR "${name} (floor ${arg_FLOOR}) may not use ${used} (floor ${floor})")
      endif()
    endif()
  endforeach()

  # Headers are needed to compile the library only: who links it need not have them.
  list(TRANSFORM arg_HIDES REPLACE "^(Boost::headers)$" "$<BUILD_INTERFACE:\\1>")

  add_library(sonde_${name} STATIC ${arg_SOURCES})
  add_library(sonde::${name} ALIAS sonde_${name})
  target_sources(sonde_${name} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${CMAKE_CURRENT_SOURCE_DIR}/include FILES ${arg_HEADERS})
  target_include_directories(sonde_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(sonde_${name}
    PUBLIC ${arg_USES} PRIVATE ${arg_HIDES} $<BUILD_INTERFACE:sonde_warnings>)
  target_compile_features(sonde_${name} PUBLIC cxx_std_20)
  set_target_properties(sonde_${name} PROPERTIES
    SONDE_FLOOR ${arg_FLOOR}
    SONDE_FOLDER ${CMAKE_CURRENT_SOURCE_DIR}
    EXPORT_NAME ${name}
    OUTPUT_NAME sonde-${name}
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
  if(arg_HOST)
    set_property(GLOBAL APPEND PROPERTY SONDE_HOST_LIBRARIES sonde_${name})
  endif()
endfunction()
