# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

set(VACANCY_EMBED_PRESETS ${CMAKE_CURRENT_LIST_DIR}/EmbedPresets.cmake)

# vacancy_embed_presets(out HEADER path FUNCTION name [FOLDER folder])
# A rule that compiles the files of presets/, or of another folder, in: the source that it makes, for
# vacancy_library().
function(vacancy_embed_presets out)
  cmake_parse_arguments(ARG "" "HEADER;FUNCTION;FOLDER" "" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER presets)
  endif()
  set(presets ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_FOLDER})
  set(embedded ${CMAKE_CURRENT_BINARY_DIR}/embedded_presets.cpp)
  file(GLOB files CONFIGURE_DEPENDS ${presets}/*.json)
  add_custom_command(
    OUTPUT ${embedded}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${embedded} -DPRESETS=${presets} -DHEADER=${ARG_HEADER}
            -DFUNCTION=${ARG_FUNCTION} -P ${VACANCY_EMBED_PRESETS}
    DEPENDS ${files} ${VACANCY_EMBED_PRESETS}
    COMMENT "Embedding the presets of ${ARG_HEADER}"
    VERBATIM)
  # Alone, so that clang-tidy reads the others of its folder without a build.
  set_source_files_properties(${embedded} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(${out} ${embedded} PARENT_SCOPE)
endfunction()
