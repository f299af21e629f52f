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

# The folders of gui/ likewise, above all of sim/ but the command line.
set(VACANCY_GUI_LAYERS
  "model"
  "paint"
  "widgets lessons"
  "app")

# gui/model is tested without a window: of Qt it knows these headers and no others.
set(VACANCY_MODEL_MAY_USE_QT
  QAbstractTableModel QByteArray QFileInfo QMetaObject QObject QSaveFile QSortFilterProxyModel QString
  QStringList QTimer QUndoStack)
# gui/paint paints on any QImage: it knows no widget. Their headers are told by their names.
set(VACANCY_WIDGET_HEADERS
  "^QtWidgets|^Q.*(Widget|Application|Window|Dialog|Button|Layout|View|Box|Label|Slider|Menu|Bar|Tip|Edit|Style|Splitter|Frame|ScrollArea)$")

# vacancy_allowed(layers folder out): the folders that `folder` may use, itself first.
function(vacancy_allowed layers folder out)
  set(below "")
  foreach(layer IN LISTS ${layers})
    separate_arguments(members UNIX_COMMAND "${layer}")
    if(folder IN_LIST members)
      set(${out} ${folder} ${below} PARENT_SCOPE)
      return()
    endif()
    list(APPEND below ${members})
  endforeach()
  set(${out} "" PARENT_SCOPE)
endfunction()

# What gpu_backend/ may use of sim/: types and plans. It runs no simulation. (gpu_backend/verify, which
# follows a run, may use more.)
set(VACANCY_GPU_MAY_USE units registry pool)
