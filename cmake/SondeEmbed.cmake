# cmake -D OUTPUT=<file.cc> -D HEADER=<include> -D NAMESPACE=<ns> -D FILES=<file>|... -P SondeEmbed.cmake
#
# Writes a source that defines one std::string_view for each file, named after
# it: flame_view.js becomes kFlameViewJs. Bytes come out as they are in the file.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  # sonde_embed(<target> HEADER <include> NAMESPACE <ns> FILES <file>...)
  function(sonde_embed target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;NAMESPACE" "FILES")
    string(REPLACE "::" "_" stem "${arg_NAMESPACE}")
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${stem}.cc)
    list(TRANSFORM arg_FILES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
    string(REPLACE ";" "|" files "${arg_FILES}")
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D HEADER=${arg_HEADER}
              -D NAMESPACE=${arg_NAMESPACE} -D "FILES=${files}"
              -P ${PROJECT_SOURCE_DIR}/cmake/SondeEmbed.cmake
      DEPENDS ${arg_FILES} ${PROJECT_SOURCE_DIR}/cmake/SondeEmbed.cmake
      VERBATIM)
    target_sources(${target} PRIVATE ${output})
  endfunction()
  return()
endif()

set(source "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
string(REPLACE "|" ";" FILES "${FILES}")
foreach(file IN LISTS FILES)
  get_filename_component(stem ${file} NAME)
  string(REGEX REPLACE "[._-]" ";" words ${stem})
  set(name k)
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND name ${first}${rest})
  endforeach()
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  string(APPEND source "static constexpr unsigned char ${name}Bytes[] = {\n${bytes}0};\n"
         "const std::string_view ${name}(reinterpret_cast<const char*>(${name}Bytes), ${size});\n\n")
endforeach()
string(APPEND source "}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${source}")
