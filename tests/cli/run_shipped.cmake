# SPDX-License-Identifier: Apache-2.0
# cmake -DVACANCY=<program> -DFILE=<scenario or sweep> -DCODE=<exit code> -DARGUMENTS=<list>
#   [-DOUT=<folder> -DOUTPUTS=<list>] -P run_shipped.cmake
# Validates a file of the project, which must say in a sentence what it is about, and runs it:
# vacancy ARGUMENTS must end with CODE and leave OUTPUTS in the folder OUT.
execute_process(COMMAND ${VACANCY} validate ${FILE}
  OUTPUT_VARIABLE valid ERROR_VARIABLE faults RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "validate: ${code}\n${faults}")
endif()
file(READ ${FILE} text)
if(NOT text MATCHES "\"description\": \"[^\"]+[.?]\"")
  message(FATAL_ERROR "${FILE} has no description that is a sentence")
endif()
if(valid MATCHES "was checked without it")
  message("SKIPPED: ${valid}")
  return()
endif()

execute_process(COMMAND ${VACANCY} ${ARGUMENTS}
  OUTPUT_VARIABLE report ERROR_VARIABLE faults RESULT_VARIABLE code)
if(NOT code EQUAL ${CODE})
  message(FATAL_ERROR "vacancy ${ARGUMENTS}: exit code ${code}, expected ${CODE}\n${faults}")
endif()
foreach(file IN LISTS OUTPUTS)
  if(NOT EXISTS ${OUT}/${file})
    message(FATAL_ERROR "${OUT}/${file} was not written")
  endif()
endforeach()
message("${report}")
