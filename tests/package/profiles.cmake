# Fails unless the program writes snapshots and a catalog that lists them.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE session)
execute_process(COMMAND ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB snapshots RELATIVE ${CMAKE_CURRENT_BINARY_DIR}/session/profiling
     session/profiling/daemon-profile-*.pb.gz)
list(LENGTH snapshots count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "expected the snapshot asked for and the last one, found: ${snapshots}")
endif()
file(READ session/profiling/catalog.json catalog)
foreach(snapshot IN LISTS snapshots)
  if(NOT catalog MATCHES "\"${snapshot}\"")
    message(FATAL_ERROR "catalog.json does not list ${snapshot}")
  endif()
endforeach()
