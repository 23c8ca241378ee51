cmake_minimum_required(VERSION 3.25)

# cmake -D ROOT=<source tree> -P CheckDocPaths.cmake
#
# Fails on a path of the tree that docs/architecture.md or CONTRIBUTING.md names and that is not there, and
# on a link of any page to a file that is not there.
set(missing 0)
macro(require path page)
  if(NOT EXISTS ${path})
    message(SEND_ERROR "${page} names ${path}, which is not there")
    math(EXPR missing "${missing} + 1")
  endif()
endmacro()

foreach(page docs/architecture.md CONTRIBUTING.md)
  file(READ ${ROOT}/${page} text)
  string(REGEX MATCHALL "`(profile|export|sampler|agentlog|evidence|console|cli|tests|cmake)/[A-Za-z0-9_./-]+`" paths "${text}")
  foreach(path IN LISTS paths)
    string(REPLACE "`" "" path "${path}")
    require(${ROOT}/${path} ${page})
  endforeach()
endforeach()

file(GLOB pages RELATIVE ${ROOT} ${ROOT}/*.md ${ROOT}/docs/*.md ${ROOT}/docs/decisions/*.md ${ROOT}/examples/*/*.md)
foreach(page IN LISTS pages)
  get_filename_component(folder ${ROOT}/${page} DIRECTORY)
  file(READ ${ROOT}/${page} text)
  string(REPLACE ";" "," text "${text}")
  string(REGEX MATCHALL "\\]\\([A-Za-z0-9_./-]+" links "${text}")
  foreach(link IN LISTS links)
    string(SUBSTRING "${link}" 2 -1 link)
    require(${folder}/${link} ${page})
  endforeach()
endforeach()
message(STATUS "${missing} path(s) missing")
