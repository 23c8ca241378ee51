# Every library that is not ours, the room that uses it and what is lost without it.
# The Debian package of each is listed in cmake/install-debian.sh.
include_guard()
include(FindPkgConfig)

if(SONDE_PROFILING OR SONDE_BUILD_PROGRAM)
  find_package(Threads REQUIRED)                  # sampler, console
  find_package(ZLIB REQUIRED)                     # export: gzip
  find_package(tomlplusplus REQUIRED)             # console: sonde.toml
  find_package(Boost 1.81 REQUIRED)               # console: Asio and Beast, header only; evidence: Math
  pkg_check_modules(nghttp2 REQUIRED IMPORTED_TARGET libnghttp2)  # console: HTTP/2
  find_package(OpenSSL)                           # console: sonde::push; agentlog: hashes
  # sampler: without it there is no sonde::heap.
  find_path(GPERFTOOLS_INCLUDE_DIR gperftools/malloc_extension.h)
endif()

if(SONDE_BUILD_PROGRAM)
  find_package(simdjson REQUIRED)                 # formats, agentlog: reading JSON
  find_package(nlohmann_json REQUIRED)            # formats, agentlog, evidence, cli: writing JSON
  find_package(OpenSSL REQUIRED)                  # without it there is no program
  find_package(CLI11 REQUIRED)                    # cli: arguments
  pkg_check_modules(libzstd REQUIRED IMPORTED_TARGET libzstd)   # formats, agentlog: zstd
  pkg_check_modules(liblzma REQUIRED IMPORTED_TARGET liblzma)   # formats: MiniDebugInfo
  pkg_check_modules(libdw REQUIRED IMPORTED_TARGET libdw)       # formats: lines, inlined frames, recorded stacks
  pkg_check_modules(libelf REQUIRED IMPORTED_TARGET libelf)     # formats: ELF files
  pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)           # agentlog, evidence, cli: user patterns
  pkg_check_modules(yamlcpp REQUIRED IMPORTED_TARGET yaml-cpp)  # evidence: rules in YAML
  pkg_check_modules(ncursesw REQUIRED IMPORTED_TARGET ncursesw) # cli: terminal client

  find_library(IBERTY_LIBRARY iberty REQUIRED)    # formats: C++ and Rust names
  find_path(IBERTY_INCLUDE_DIR libiberty/demangle.h REQUIRED)
  add_library(Iberty::Iberty UNKNOWN IMPORTED)
  set_target_properties(Iberty::Iberty PROPERTIES IMPORTED_LOCATION ${IBERTY_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${IBERTY_INCLUDE_DIR};${IBERTY_INCLUDE_DIR}/libiberty")
endif()

if(SONDE_BUILD_TESTS)
  find_package(Protobuf REQUIRED)                 # tests: what pprof is checked against
endif()
