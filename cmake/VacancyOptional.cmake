# SPDX-License-Identifier: Apache-2.0
# What is not required is found or left out, with a line that says so.
include(CheckLanguage)

check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  message(STATUS "Vacancy: CUDA found; this version has no kernels yet")
else()
  message(STATUS "Vacancy: CUDA left out (no nvcc); nothing in this version needs it")
endif()

find_package(Qt6 6.4 QUIET COMPONENTS Widgets)
if(Qt6_FOUND)
  message(STATUS "Vacancy: Qt ${Qt6_VERSION} found; this version has no desktop program yet")
else()
  message(STATUS "Vacancy: Qt 6 left out (not found); nothing in this version needs it")
endif()
