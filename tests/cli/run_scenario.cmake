# SPDX-License-Identifier: Apache-2.0
# Validates and runs one scenario. It must say what it shows, and finish; the one that is about
# running out of memory must end with exit code 1.
execute_process(COMMAND ${VACANCY} validate ${SCENARIO}
  OUTPUT_VARIABLE valid ERROR_VARIABLE faults RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "validate: ${code}\n${faults}")
endif()
file(READ ${SCENARIO} text)
if(NOT text MATCHES "\"description\": \"[^\"]+[.?]\"")
  message(FATAL_ERROR "${SCENARIO} has no description that is a sentence")
endif()
if(valid MATCHES "was checked without it")
  message("SKIPPED: ${valid}")
  return()
endif()

set(changes "")
if(SHORTER)
  set(changes --set ${SHORTER})
endif()
execute_process(COMMAND ${VACANCY} run ${SCENARIO} ${changes} --map
  OUTPUT_VARIABLE report ERROR_VARIABLE faults RESULT_VARIABLE code)
set(expected 0)
if(SCENARIO MATCHES "qwen3_32b_6gib")
  set(expected 1)
endif()
if(NOT code EQUAL ${expected})
  message(FATAL_ERROR "run: exit code ${code}, expected ${expected}\n${faults}")
endif()
message("${report}")
