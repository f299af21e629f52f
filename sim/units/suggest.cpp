// SPDX-License-Identifier: Apache-2.0
#include "sim/units/suggest.hpp"

#include <algorithm>
#include <numeric>

namespace vacancy {
namespace {

// Longer input is no misspelt name, and the distance costs the product of the lengths.
constexpr std::size_t longest_name = 100;

char folded(char c) {
  if (c == '-' || c == ' ') return '_';
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Letters and digits alone, in lower case.
std::string core(std::string_view name) {
  std::string text;
  for (const char c : name)
    if (folded(c) != '_' && c != '.' && c != '/') text += folded(c);
  return text;
}

/// The first of the shortest names that begin like `wrong`, if that says enough.
std::optional<std::string> beginning_with(std::string_view wrong,
                                          std::span<const std::string_view> names) {
  constexpr std::size_t telling = 3;
  const std::string beginning = core(wrong);
  std::optional<std::string> best;
  if (beginning.size() < telling) return best;
  for (const std::string_view name : names)
    if (name.size() <= longest_name && core(name).starts_with(beginning) &&
        (!best || name.size() < best->size()))
      best = name;
  return best;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows i-2, i-1 and i of the table d[i][j] = distance of the first i and j letters.
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = folded(a[i - 1]) == folded(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                           folded(a[i - 2]) == folded(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> closest_of(std::string_view wrong,
                                      std::span<const std::string_view> names) {
  if (wrong.empty() || wrong.size() > longest_name) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, wrong.size() / 3) + 1;
  for (const std::string_view name : names) {
    if (name.size() > longest_name) continue;
    const std::size_t distance = edit_distance(wrong, name);
    // Replacing every letter of a short name is no resemblance.
    if (distance < best_distance && distance < name.size()) {
      best = name;
      best_distance = distance;
    }
  }
  return best ? best : beginning_with(wrong, names);
}

}  // namespace vacancy
