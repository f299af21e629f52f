# SPDX-License-Identifier: Apache-2.0
# Sets VACANCY_HAS_CUDA, and CUDA as a language where there is a compiler for it.
include_guard(GLOBAL)
include(CheckLanguage)

set(VACANCY_CUDA AUTO CACHE STRING "Build the kernels with nvcc: AUTO (if there is one), ON or OFF")
set_property(CACHE VACANCY_CUDA PROPERTY STRINGS AUTO ON OFF)

set(VACANCY_HAS_CUDA OFF)
if(VACANCY_CUDA STREQUAL "OFF")
  message(STATUS "Vacancy: CUDA left out (VACANCY_CUDA=OFF); kernels run on the CPU")
elseif(VACANCY_CUDA STREQUAL "AUTO" AND VACANCY_SANITIZERS)
  message(STATUS "Vacancy: CUDA left out (sanitizers look at the CPU); kernels run on the CPU")
else()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    # A100, H100 and H200, B200, and PTX for what comes after.
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 100-real 120)
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    find_package(CUDAToolkit 12 QUIET)
  endif()
  if(CMAKE_CUDA_COMPILER AND CUDAToolkit_FOUND)
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA_EXTENSIONS OFF)
    if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA"
       AND NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      # CMake before 3.26 knows nvcc up to C++17.
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    if(VACANCY_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
      set(CMAKE_CUDA_COMPILER_LAUNCHER ${VACANCY_CCACHE_COMMAND})
    endif()
    set(VACANCY_HAS_CUDA ON)
    message(STATUS "Vacancy: CUDA ${CUDAToolkit_VERSION} found; kernels for "
                   "${CMAKE_CUDA_ARCHITECTURES} and the CPU")
  elseif(VACANCY_CUDA STREQUAL "ON")
    message(FATAL_ERROR "VACANCY_CUDA=ON, but there is no nvcc of version 12 or later; name it with CUDACXX")
  else()
    message(STATUS "Vacancy: CUDA left out (no nvcc, 12 or later); kernels run on the CPU")
  endif()
endif()

# What a C++ compiler needs for kernels, as properties of the sources in this directory. #pragma unroll
# is nvcc's, and so are functions that only some kernels of a file use; launch bounds name constants
# that a CPU has no use for. That conversions in kernels lose nothing is checked by what they compute.
set(VACANCY_KERNEL_OPTIONS
  -Wno-unknown-pragmas -Wno-sign-conversion -Wno-conversion -Wno-unused-function
  -Wno-unused-const-variable)
