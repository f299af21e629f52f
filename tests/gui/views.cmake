# SPDX-License-Identifier: Apache-2.0
# Tests of what is painted and of windows, without a screen.
find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets Test)

add_library(vacancy_gui_test_main OBJECT support/main.cpp)
target_link_libraries(vacancy_gui_test_main PUBLIC vacancy_compiler Qt6::Widgets)
vacancy_optimise_not(vacancy_gui_test_main)

# vacancy_view_test(name SOURCES ... [DEPENDS ...]): a test with a QApplication around it.
function(vacancy_view_test name)
  vacancy_gui_test(${name} ${ARGN} LABELS fast)
  target_link_libraries(${name} PRIVATE vacancy_gui_test_main Qt6::Test)
endfunction()

foreach(folder paint widgets app)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endforeach()
