# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Source it. Stages are announced and timed; all of them run, so that one run shows every fault.

stages_report=()
stages_failed=0

# stage NAME COMMAND...
stage() {
  local name=$1 start=$SECONDS result=ok
  shift
  echo
  echo "=== $name: $*"
  if ! "$@"; then
    result=FAILED
    stages_failed=1
  fi
  stages_report+=("$(printf '%-34s %-6s %5d s' "$name" "$result" $((SECONDS - start)))")
  echo "=== ${stages_report[-1]}"
}

# Exits with 1 if a stage failed.
stages_end() {
  echo
  echo "=== Summary"
  printf '%s\n' "${stages_report[@]}"
  exit "$stages_failed"
}
