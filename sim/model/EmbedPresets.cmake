# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=<file.cpp> -DPRESETS=<folder> -P EmbedPresets.cmake
# Writes a source file that holds every *.json of the folder as a string.
file(GLOB files ${PRESETS}/*.json)
list(SORT files)

set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WLE)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"json(${text})json\"},\n")
endforeach()

file(WRITE ${OUTPUT} "// Generated from sim/model/presets/ by EmbedPresets.cmake.
#include \"sim/model/embedded_presets.hpp\"

namespace vacancy {
namespace {

constexpr EmbeddedPreset presets[] = {
${entries}};

}  // namespace

std::span<const EmbeddedPreset> embedded_presets() {
  return presets;
}

}  // namespace vacancy
")
