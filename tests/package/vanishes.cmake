# Fails unless two programs have the same machine code, libraries and symbols, and none of sonde's.
# With FUNCTION, only its code is compared: where templates are many, what a compiler inlines into
# what depends on the order in which it meets them.
cmake_minimum_required(VERSION 3.25)

foreach(side WITH WITHOUT)
  execute_process(COMMAND ${READELF} --dynamic --wide ${${side}}
                  OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*" needed_${side} "${dynamic}")
  set(what_code --disassemble --section=.text)
  if(FUNCTION)
    set(what_code --disassemble=${FUNCTION} --no-addresses)
  endif()
  execute_process(COMMAND ${OBJDUMP} ${what_code} --no-show-raw-insn ${${side}}
                  OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "${${side}}" "" text_${side} "${text}")  # The name of the file is in the heading.
  if(FUNCTION)  # Where other functions lie is their affair.
    string(REGEX REPLACE "(0x)?[0-9a-f][0-9a-f][0-9a-f][0-9a-f]+" "" text_${side} "${text_${side}}")
  endif()
  execute_process(COMMAND ${NM} --demangle --format=just-symbols ${${side}}
                  OUTPUT_VARIABLE symbols_${side} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
set(compared needed text)
if(NOT FUNCTION)
  list(APPEND compared symbols)
endif()
foreach(what IN LISTS compared)
  if(NOT ${what}_WITH STREQUAL ${what}_WITHOUT)
    message(FATAL_ERROR "the programs differ in ${what}:\n${${what}_WITH}\nagainst\n${${what}_WITHOUT}")
  endif()
endforeach()
if(symbols_WITH MATCHES "sonde")
  message(FATAL_ERROR "a symbol of sonde is left in the program")
endif()
string(LENGTH "${text_WITH}" length)
if(length LESS 1000)
  message(FATAL_ERROR "nothing was compared: the disassembly has ${length} characters")
endif()
