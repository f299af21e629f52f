# SPDX-License-Identifier: Apache-2.0
# The folders of sim/ in layers, lowest first. A folder may use its own layer's libraries only if it
# is itself one of them, and every folder of the layers below.
set(VACANCY_LAYERS
  "units"
  "registry"
  "json zip"
  "model pool attention"
  "device"
  "eviction reclaim workload metrics prefix shared_blocks"
  "serving run_log keep_sets"
  "simulation conformance"
  "scenario"
  "study"
  "sweep"
  "lesson"
  "cli")

# Libraries outside the project that only some folders may include: a pattern of the included path,
# and the folders.
set(VACANCY_RESTRICTED
  "^nlohmann/=json model device serving workload metrics run_log keep_sets conformance scenario sweep lesson cli"
  "^Eigen/=attention run_log"
  "^CLI/=cli"
  "^librsvg/|^cairo=sweep"
  "^Q[A-Z]|^Qt="
  "^cuda|^cub/|^cooperative_groups=")

# vacancy_allowed(folder out): the folders that `folder` may use, itself first.
function(vacancy_allowed folder out)
  set(below "")
  foreach(layer IN LISTS VACANCY_LAYERS)
    separate_arguments(members UNIX_COMMAND "${layer}")
    if(folder IN_LIST members)
      set(${out} ${folder} ${below} PARENT_SCOPE)
      return()
    endif()
    list(APPEND below ${members})
  endforeach()
  set(${out} "" PARENT_SCOPE)
endfunction()
