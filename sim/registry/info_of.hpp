// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "sim/registry/entry.hpp"

namespace vacancy {

template <class Made>
concept HasOptions = requires {
  Made::option_table();
};

/// How something is called and what may be set of it: the parameters of its option_table(), if it
/// has one.
template <class Made>
EntryInfo info_of(std::string name, std::string summary, std::string citation = "") {
  EntryInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.citation = std::move(citation);
  if constexpr (HasOptions<Made>) info.parameters = Made::option_table().parameters();
  return info;
}

}  // namespace vacancy
