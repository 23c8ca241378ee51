# Runs a program written for gperftools and reads what it wrote, in both formats.
cmake_minimum_required(VERSION 3.25)

foreach(file user.prof user.pb.gz)
  file(REMOVE ${file})
  execute_process(COMMAND ${USER} ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${GOOGLE_PPROF} --text ${USER} user.prof
                OUTPUT_VARIABLE text ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
if(NOT text MATCHES "burn")
  message(FATAL_ERROR "google-pprof does not see the function that was busy:\n${text}")
endif()
file(SIZE user.pb.gz size)
if(size LESS 200)
  message(FATAL_ERROR "user.pb.gz has ${size} bytes")
endif()
