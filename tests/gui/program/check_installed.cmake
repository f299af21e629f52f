# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=<build folder> -P check_installed.cmake
# Installs into a folder of its own and starts the program from there: program, desktop file, icon,
# scenarios and lessons are in their places and found.
cmake_minimum_required(VERSION 3.22)
set(prefix ${BUILD}/installed)
file(REMOVE_RECURSE ${prefix})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${code}:\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
foreach(file
    bin/vacancy
    bin/vacancy-gui
    share/applications/vacancy-gui.desktop
    share/icons/hicolor/scalable/apps/vacancy-gui.svg
    share/vacancy/scenarios/seed/evict_14k_of_16k.json
    share/vacancy/scenarios/lessons/glossary.md
    share/vacancy/scenarios/lessons/02-what-comes-back/lesson.json)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()

# The entry names what is there.
file(STRINGS ${prefix}/share/applications/vacancy-gui.desktop entry)
foreach(line "Exec=vacancy-gui %F" "Icon=vacancy-gui")
  if(NOT line IN_LIST entry)
    message(FATAL_ERROR "vacancy-gui.desktop lacks ${line}")
  endif()
endforeach()
find_program(validate desktop-file-validate)
if(validate)
  run(${validate} ${prefix}/share/applications/vacancy-gui.desktop)
endif()

# From another folder, with a scenario, a lesson and a picture of the icon's kind.
set(ENV{QT_QPA_PLATFORM} offscreen)
set(ENV{XDG_CONFIG_HOME} ${prefix}/home)
set(ENV{XDG_CACHE_HOME} ${prefix}/home)
set(gui ${CMAKE_COMMAND} -E chdir ${prefix} ${prefix}/bin/vacancy-gui)
run(${gui} --export map.png share/vacancy/scenarios/seed/evict_14k_of_16k.json)
run(${gui} --export lesson.png --lesson 2)
run(${gui} --export start.png --view start)
foreach(picture map.png lesson.png start.png)
  if(NOT EXISTS ${prefix}/${picture})
    message(FATAL_ERROR "the installed program wrote no ${picture}")
  endif()
endforeach()

# Its own lessons, not those of the sources: without one of them, it is not there.
file(REMOVE_RECURSE ${prefix}/share/vacancy/scenarios/lessons/05-compaction)
execute_process(COMMAND ${gui} --lesson 5 --export none.png RESULT_VARIABLE code ERROR_VARIABLE output)
if(NOT code EQUAL 2 OR NOT output MATCHES "there are 1, 2, 3, 4\\.")
  message(FATAL_ERROR "vacancy-gui reads lessons that are not installed: ${code} ${output}")
endif()
run(${prefix}/bin/vacancy lesson 2 --seed 7)
execute_process(COMMAND ${prefix}/bin/vacancy lesson 5 RESULT_VARIABLE code ERROR_VARIABLE output)
if(NOT code EQUAL 2)
  message(FATAL_ERROR "vacancy reads lessons that are not installed: ${code} ${output}")
endif()
file(REMOVE_RECURSE ${prefix})
