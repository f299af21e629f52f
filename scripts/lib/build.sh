# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Source it in the project's root:
#   vacancy_configure PRESET [-DNAME=VALUE ...]
#   vacancy_build PRESET [TARGET ...]

# Its output matters only when it fails.
vacancy_configure() {
  local preset=$1 log
  shift
  log=$(mktemp)
  if ! cmake --preset "$preset" "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  # What was found or left out.
  sed -n 's/^-- Vacancy: //p' "$log"
  rm -f "$log"
}

vacancy_build() {
  local preset=$1
  shift
  local targets=()
  (($# > 0)) && targets=(--target "$@")
  cmake --build --preset "$preset" --parallel "$(nproc)" "${targets[@]}"
}
