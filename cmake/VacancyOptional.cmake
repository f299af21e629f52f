# SPDX-License-Identifier: Apache-2.0
# What is not required is found or left out, with a line that says so.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(VACANCY_RSVG QUIET IMPORTED_TARGET librsvg-2.0>=2.52 cairo)
endif()
if(VACANCY_RSVG_FOUND)
  set(VACANCY_RSVG ON)
  # It asks for -pthread, which the C library does without and precompiled headers are not made with.
  set_target_properties(PkgConfig::VACANCY_RSVG PROPERTIES INTERFACE_COMPILE_OPTIONS "")
  message(STATUS "Vacancy: librsvg ${VACANCY_RSVG_librsvg-2.0_VERSION} found; plots of sweeps as SVG and PNG")
else()
  set(VACANCY_RSVG OFF)
  message(STATUS "Vacancy: librsvg left out (not found); plots of sweeps as SVG only")
endif()

find_package(Qt6 6.4 QUIET COMPONENTS Widgets Svg)
if(Qt6_FOUND)
  set(VACANCY_GUI ON)
  message(STATUS "Vacancy: Qt ${Qt6_VERSION} found; the desktop program vacancy-gui")
else()
  set(VACANCY_GUI OFF)
  message(STATUS "Vacancy: Qt 6 left out (not found); no desktop program")
endif()
