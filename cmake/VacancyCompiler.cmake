# SPDX-License-Identifier: Apache-2.0
# Language level, warnings, sanitizers and the flags that keep results identical in every build.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(VACANCY_PCH "Precompile the common headers" ON)

find_program(VACANCY_CCACHE ccache)
if(VACANCY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache's manual, "Precompiled headers" and "Compiling in different directories": clones of this
  # tree share what they compile.
  set(VACANCY_CCACHE_COMMAND ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    ${VACANCY_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${VACANCY_CCACHE_COMMAND})
endif()

# A third of the time of the system's linker, for some hundred programs.
find_program(VACANCY_LLD ld.lld)

add_library(vacancy_compiler INTERFACE)
if(VACANCY_LLD)
  target_link_options(vacancy_compiler INTERFACE
    $<$<LINK_LANG_AND_ID:CXX,GNU,Clang>:-fuse-ld=lld>)
endif()
target_compile_features(vacancy_compiler INTERFACE cxx_std_20)
# Same input, same bytes: no fused multiply-add, whatever the target or the optimisation level.
target_compile_options(vacancy_compiler INTERFACE -ffp-contract=off)
target_compile_options(vacancy_compiler INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    # They see overlaps and overflows in the standard library that cannot happen (GCC bug 105651 and its
    # kind), more of them where a system header is precompiled.
    target_compile_options(vacancy_compiler INTERFACE
      -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
  endif()
  if(VACANCY_SANITIZERS)
    # GCC's manual: sanitizers give false positives of this one.
    target_compile_options(vacancy_compiler INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Clang's also means names of an unnamed namespace, of another file where a target's sources are
  # compiled as one.
  target_compile_options(vacancy_compiler INTERFACE -Wno-shadow)
endif()
if(VACANCY_WARNINGS_AS_ERRORS)
  target_compile_options(vacancy_compiler INTERFACE -Werror)
endif()
target_include_directories(vacancy_compiler INTERFACE ${PROJECT_SOURCE_DIR})

option(VACANCY_POINTER_CHECKS "With sanitizer undefined: each pointer's alignment, and whether it is null" ON)
if(VACANCY_SANITIZERS)
  target_compile_options(vacancy_compiler INTERFACE
    -fsanitize=${VACANCY_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # An index beyond a container and the value of an empty optional, which sanitizers may not see.
  target_compile_definitions(vacancy_compiler INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(vacancy_compiler INTERFACE -fsanitize=${VACANCY_SANITIZERS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Sources ask for them by the names that g++ gives them.
    foreach(sanitizer address thread)
      if(VACANCY_SANITIZERS MATCHES ${sanitizer})
        string(TOUPPER __SANITIZE_${sanitizer}__ name)
        target_compile_definitions(vacancy_compiler INTERFACE ${name})
      endif()
    endforeach()
  endif()
  if(VACANCY_SANITIZERS MATCHES undefined)
    if(NOT VACANCY_POINTER_CHECKS)
      # A third of the compiler's time. Who reads through null, the address sanitizer stops too.
      target_compile_options(vacancy_compiler INTERFACE -fno-sanitize=null,alignment)
    endif()
    # A check's description holds pointers. In a program for any address these are three million
    # relocations, done at each of the many starts in the tests. (Qt's -fPIC comes later, and counts.)
    string(APPEND CMAKE_CXX_FLAGS " -fno-pie")
    target_link_options(vacancy_compiler INTERFACE -no-pie)
  endif()
endif()
