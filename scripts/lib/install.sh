# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# The one place that knows what Vacancy needs from the system. Source it, then:
#
#   vacancy_install build           to compile the programs
#   vacancy_install build test      and the tests
#   vacancy_install build test ci   and the checkers that CI runs
#
# Knows Debian 12 and Ubuntu 24.04. Says nothing and calls no package manager when all is there.

# shellcheck disable=SC2034  # read by name below
vacancy_packages_build=(
  g++ cmake ninja-build ccache git
  libeigen3-dev nlohmann-json3-dev libcli11-dev libboost-dev libboost-graph-dev libboost-context-dev
  libzip-dev zlib1g-dev
  pkg-config librsvg2-dev
  qt6-base-dev qt6-svg-dev fonts-noto-core fonts-dejavu-core)
# shellcheck disable=SC2034
vacancy_packages_test=(catch2 xvfb libx11-dev)
# shellcheck disable=SC2034
# The versions are pinned: another clang-format formats differently.
vacancy_packages_ci=(clang-format-14 clang-tidy-14 clang-14 libclang-rt-14-dev lld)

vacancy_say() { printf '%s\n' "$*" >&2; }

vacancy_known_system() {
  local system=''
  # shellcheck source=/dev/null
  [[ -r /etc/os-release ]] && system=$(. /etc/os-release && echo "${ID-} ${VERSION_ID-}")
  [[ $system == "debian 12" || $system == "ubuntu 24.04" ]]
}

# Prints those of its arguments that dpkg does not have installed.
vacancy_missing() {
  local installed package
  # It fails when it does not know one of them; the answer about the others is still right.
  installed=" $(dpkg-query -W -f='${db:Status-Status}=${Package} ' "$@" 2>/dev/null || true) "
  for package in "$@"; do
    [[ "$installed" == *" installed=$package "* ]] || printf '%s\n' "$package"
  done
}

vacancy_install() {
  local group wanted=() missing=()
  for group in "$@"; do
    local -n packages="vacancy_packages_$group"
    wanted+=("${packages[@]}")
  done

  if ! command -v dpkg-query >/dev/null; then
    # Not a Debian. If the tools are there, CMake will name any library that is not.
    command -v g++ >/dev/null && command -v cmake >/dev/null && command -v ninja >/dev/null &&
      return 0
    vacancy_say "The installer knows Debian 12 and Ubuntu 24.04 only. Please install what your" \
      "system calls these Debian packages, then run this again: ${wanted[*]}"
    return 1
  fi

  mapfile -t missing < <(vacancy_missing "${wanted[@]}")
  ((${#missing[@]} == 0)) && return 0

  if ! vacancy_known_system; then
    vacancy_say "The installer knows Debian 12 and Ubuntu 24.04 only. Please install these" \
      "packages, then run this again: ${missing[*]}"
    return 1
  fi
  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      vacancy_say "Packages are missing, and there is no sudo to install them with. As root, run:" \
        "apt-get install ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
  fi

  vacancy_say "Installing ${missing[*]} ..."
  local log
  log=$(mktemp)
  if "${as_root[@]}" apt-get update -qq >"$log" 2>&1 &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    rm -f "$log"
    return 0
  fi
  cat "$log" >&2
  rm -f "$log"
  vacancy_say "Installing failed (see above). Needed: ${missing[*]}"
  return 1
}
