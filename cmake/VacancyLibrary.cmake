# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# vacancy_precompile(name HEADERS ... [DEPENDS ...])
# Precompiles headers for other targets, which take them by vacancy_use_precompiled.
function(vacancy_precompile name)
  cmake_parse_arguments(ARG "" "" "HEADERS;DEPENDS" ${ARGN})
  if(VACANCY_PCH)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "")
    add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    target_link_libraries(${name} PRIVATE vacancy_compiler ${ARG_DEPENDS})
    target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
    # For ccache, which hashes the preprocessed text.
    target_compile_options(${name} PRIVATE -fpch-preprocess)
  endif()
endfunction()

function(vacancy_use_precompiled name precompiled)
  if(TARGET ${precompiled})
    target_precompile_headers(${name} REUSE_FROM ${precompiled})
    target_compile_options(${name} PRIVATE -fpch-preprocess)
  endif()
endfunction()

# For tests, which wait for what they test: they compile in a third of the time of -O3.
function(vacancy_optimise_not)
  foreach(name IN LISTS ARGN)
    if(TARGET ${name})
      target_compile_options(${name} PRIVATE -O0)
    endif()
  endforeach()
endfunction()

# For code on no hot path (scenarios, the command line, windows): it compiles in half the time.
function(vacancy_optimise_little)
  foreach(name IN LISTS ARGN)
    if(VACANCY_SANITIZERS)
      vacancy_optimise_not(${name})
    elseif(TARGET ${name})
      target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
  endforeach()
endfunction()

# Sources that give things of their own a name that others of their target use too: a unity build
# (CMAKE_UNITY_BUILD, in the sanitizers' presets) compiles them alone.
function(vacancy_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# vacancy_library(name [HOT | COLD] SOURCES ... [DEPENDS ...] [PRIVATE_DEPENDS ...])
# One static library per folder; a library without sources is header-only. COLD: on no hot path. HOT:
# where tests spend their time, so that it pays to optimise it in a sanitized build, too.
function(vacancy_library name)
  cmake_parse_arguments(ARG "HOT;COLD" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name}
      PUBLIC vacancy_compiler ${ARG_DEPENDS}
      PRIVATE ${ARG_PRIVATE_DEPENDS})
    if(ARG_COLD OR (VACANCY_SANITIZERS AND NOT ARG_HOT))
      vacancy_optimise_little(${name})
      vacancy_use_precompiled(${name} vacancy_cold_precompiled)
    else()
      vacancy_use_precompiled(${name} vacancy_precompiled)
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE vacancy_compiler ${ARG_DEPENDS})
  endif()
endfunction()

# vacancy_test(name [HOT] SOURCES ... [DEPENDS ...] [LABELS ...] [PRECOMPILED target])
# One Catch2 executable per area. HOT: it works longer than what it tests, so that it pays to optimise it.
# PRECOMPILED: other headers than vacancy_test_precompiled's.
# A case that lacks its data calls test::skip and returns. Without VACANCY_SLOW_TESTS the tests
# labelled slow are not built, and cases tagged [slow] are not run.
function(vacancy_test name)
  cmake_parse_arguments(ARG "HOT" "PRECOMPILED" "SOURCES;DEPENDS;LABELS" ${ARGN})
  if("slow" IN_LIST ARG_LABELS AND NOT VACANCY_SLOW_TESTS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE vacancy_test_support ${ARG_DEPENDS})
  if(ARG_HOT)
    set(precompiled vacancy_cold_precompiled)
    vacancy_optimise_little(${name})
  else()
    set(precompiled vacancy_test_precompiled)
    vacancy_optimise_not(${name})
  endif()
  if(ARG_PRECOMPILED)
    set(precompiled ${ARG_PRECOMPILED})
  endif()
  vacancy_use_precompiled(${name} ${precompiled})
  set(cases "")
  if(NOT VACANCY_SLOW_TESTS)
    # Catch 2 runs hidden cases too where it is told only what to leave out.
    set(cases "~[slow]~[.]")
  endif()
  add_test(NAME ${name} COMMAND ${name} --order lex ${cases})
  set_tests_properties(${name} PROPERTIES
    SKIP_RETURN_CODE 77
    LABELS "${ARG_LABELS}")
endfunction()
