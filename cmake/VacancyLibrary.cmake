# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# vacancy_library(name SOURCES ... [DEPENDS ...] [PRIVATE_DEPENDS ...])
# One static library per folder; a library without sources is header-only.
function(vacancy_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name}
      PUBLIC vacancy_compiler ${ARG_DEPENDS}
      PRIVATE ${ARG_PRIVATE_DEPENDS})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE vacancy_compiler ${ARG_DEPENDS})
  endif()
endfunction()

# vacancy_test(name SOURCES ... [DEPENDS ...] [LABELS ...])
# One Catch2 executable per area. A test that lacks its data prints "SKIPPED: why" and returns.
function(vacancy_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE vacancy_test_support ${ARG_DEPENDS})
  add_test(NAME ${name} COMMAND ${name} --order lex)
  set_tests_properties(${name} PROPERTIES
    SKIP_REGULAR_EXPRESSION "SKIPPED:"
    LABELS "${ARG_LABELS}")
endfunction()
