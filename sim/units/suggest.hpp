// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vacancy {

/// Edits that turn one name into the other: insert, delete, replace, swap two neighbours (optimal
/// string alignment, the restricted Damerau-Levenshtein distance). Case does not count, and '-',
/// '_', ' ' are the same letter.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name that `wrong` was most likely meant to be; nothing if none is near (a third of the
/// letters, at least one, may differ), nor begins with it. Ties go to the earlier name.
std::optional<std::string> closest_of(std::string_view wrong,
                                      std::span<const std::string_view> names);

/// The same for any range of things that convert to std::string_view.
template <class Range>
std::optional<std::string> closest(std::string_view wrong, const Range& names) {
  std::vector<std::string_view> views;
  for (const auto& name : names)
    views.emplace_back(name);
  return closest_of(wrong, views);
}

/// " Did you mean \"x\"?" with its leading blank, or nothing: the end of an error sentence.
template <class Range>
std::string did_you_mean(std::string_view wrong, const Range& names) {
  const auto name = closest(wrong, names);
  return name ? " Did you mean \"" + *name + "\"?" : std::string();
}

}  // namespace vacancy
