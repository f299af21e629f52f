# SPDX-License-Identifier: Apache-2.0
# Forms, sweeps and lessons: their models and their widgets.
foreach(folder forms sweep lessons)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endforeach()
