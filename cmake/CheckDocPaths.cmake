cmake_minimum_required(VERSION 3.25)

# cmake -D ROOT=<source tree> -P CheckDocPaths.cmake
#
# Fails on a path of the tree that docs/architecture.md or CONTRIBUTING.md names and that is not there.
set(missing 0)
foreach(page docs/architecture.md CONTRIBUTING.md)
  file(READ ${ROOT}/${page} text)
  string(REGEX MATCHALL "`(profile|export|sampler|agentlog|evidence|console|cli|tests|cmake)/[A-Za-z0-9_./-]+`" paths "${text}")
  foreach(path IN LISTS paths)
    string(REPLACE "`" "" path "${path}")
    if(NOT EXISTS ${ROOT}/${path})
      message(SEND_ERROR "${page} names ${path}, which is not there")
      math(EXPR missing "${missing} + 1")
    endif()
  endforeach()
endforeach()
message(STATUS "${missing} path(s) missing")
