# Fails unless the Debian packages install into an empty root, work there and leave nothing
# behind when they are removed. dpkg runs without root and without scripts.
cmake_minimum_required(VERSION 3.25)
find_program(DPKG dpkg)
find_program(DPKG_DEB dpkg-deb)
find_program(SHLIBDEPS dpkg-shlibdeps)
if(NOT DPKG OR NOT DPKG_DEB OR NOT SHLIBDEPS)
  message("skipped: dpkg and dpkg-dev are not here")
  return()
endif()

set(out ${BUILD}/package/debian)
file(REMOVE_RECURSE ${out})
file(MAKE_DIRECTORY ${out}/root/var/lib/dpkg/updates ${out}/root/var/lib/dpkg/info)
file(TOUCH ${out}/root/var/lib/dpkg/status ${out}/root/var/lib/dpkg/available)
execute_process(COMMAND ${CPACK} --config ${BUILD}/CPackConfig.cmake -B ${out}
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB packages ${out}/*.deb)
list(LENGTH packages count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "expected sonde and libsonde-dev, found: ${packages}")
endif()
foreach(package IN LISTS packages)
  execute_process(COMMAND ${DPKG_DEB} --field ${package} Depends
                  OUTPUT_VARIABLE depends COMMAND_ERROR_IS_FATAL ANY)
  if(NOT depends MATCHES "zlib1g")
    message(FATAL_ERROR "${package} does not say what it needs: ${depends}")
  endif()
endforeach()

set(dpkg ${DPKG} --root=${out}/root --force-not-root --force-depends --log=${out}/dpkg.log)
execute_process(COMMAND ${dpkg} --install ${packages} OUTPUT_QUIET ERROR_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${out}/root/usr/bin/sonde --version
                OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
foreach(file include/sonde/session.h bin/sonde)
  if(NOT EXISTS ${out}/root/usr/${file})
    message(FATAL_ERROR "/usr/${file} was not installed")
  endif()
endforeach()
execute_process(COMMAND ${dpkg} --purge sonde libsonde-dev OUTPUT_QUIET ERROR_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE left LIST_DIRECTORIES true ${out}/root/usr/*)
if(left)
  message(FATAL_ERROR "the packages left behind: ${left}")
endif()
