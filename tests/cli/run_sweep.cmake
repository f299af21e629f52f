# SPDX-License-Identifier: Apache-2.0
# Validates a sweep and runs its first points. It must say what it asks.
execute_process(COMMAND ${VACANCY} validate ${SWEEP}
  OUTPUT_VARIABLE valid ERROR_VARIABLE faults RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "validate: ${code}\n${faults}")
endif()
file(READ ${SWEEP} text)
if(NOT text MATCHES "\"description\": \"[^\"]+[.?]\"")
  message(FATAL_ERROR "${SWEEP} has no description that is a sentence")
endif()
if(valid MATCHES "was checked without it")
  message("SKIPPED: ${valid}")
  return()
endif()

execute_process(COMMAND ${VACANCY} sweep ${SWEEP} -o ${OUT} --fresh --limit ${POINTS}
  OUTPUT_VARIABLE report ERROR_VARIABLE faults RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "sweep: exit code ${code}, expected 0\n${faults}")
endif()
foreach(file results.csv results.json results.md plot_1.svg points.jsonl timing.csv)
  if(NOT EXISTS ${OUT}/${file})
    message(FATAL_ERROR "${OUT}/${file} was not written")
  endif()
endforeach()
message("${report}")
