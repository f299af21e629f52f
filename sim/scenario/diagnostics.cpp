// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/diagnostics.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "sim/units/error.hpp"

namespace vacancy {

namespace {

// A message shows so many faults, and so much of a text; a file of garbage would flood the
// terminal.
constexpr std::size_t shown_faults = 50;
constexpr std::size_t shown_bytes = 60;

/// Control characters escaped, broken UTF-8 replaced, long text cut; quotes are left alone.
std::string printable(std::string_view text) {
  const bool cut = text.size() > shown_bytes;
  const std::string quotes = nlohmann::json(std::string(text.substr(0, shown_bytes)))
                                 .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string inner;
  for (std::size_t i = 1; i + 1 < quotes.size(); ++i)
    if (quotes[i] != '\\' || quotes[i + 1] != '"') inner += quotes[i];
  return inner + (cut ? "…" : "");
}

}  // namespace

std::string in_quotes(std::string_view text) {
  return '"' + printable(text) + '"';
}

std::uint32_t Diagnostics::add_origin(Origin origin) {
  origins_.push_back(std::move(origin));
  return static_cast<std::uint32_t>(origins_.size() - 1);
}

std::uint32_t Diagnostics::add_override(const std::string& text) {
  return add_origin({"--set " + printable(text), ".", "", false});
}

std::uint32_t Diagnostics::add_option(const std::string& option, const std::string& value) {
  return add_origin({option + ' ' + printable(value), ".", "", false, false});
}

void Diagnostics::add(Place place, std::string_view pointer, std::string sentence) {
  faults_.push_back({place, std::string(pointer), std::move(sentence)});
}

bool Diagnostics::clean(std::string_view pointer) const {
  const auto around = [](std::string_view outer, std::string_view inner) {
    return inner.substr(0, outer.size()) == outer &&
           (inner.size() == outer.size() || inner[outer.size()] == '/');
  };
  return std::none_of(faults_.begin(), faults_.end(), [&](const Fault& fault) {
    return around(fault.pointer, pointer) || around(pointer, fault.pointer);
  });
}

std::string Diagnostics::head(Place place, std::string_view pointer) const {
  const Origin& origin = origins_[place.origin];
  if (!origin.has_lines && (!origin.has_pointers || pointer.empty())) return origin.name;
  const std::string line = origin.has_lines ? ':' + std::to_string(place.line) : "";
  const std::string whole = origin.around + std::string(pointer);
  return origin.name + line + ": " + (whole.empty() ? "/" : printable(whole));
}

std::vector<Diagnostics::Fault> Diagnostics::in_order() const {
  auto sorted = faults_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.place.origin, a.place.line, a.place.column) <
           std::tie(b.place.origin, b.place.line, b.place.column);
  });
  return sorted;
}

void Diagnostics::throw_if_any() const {
  if (faults_.empty()) return;
  const auto sorted = in_order();
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), shown_faults); ++i) {
    if (i > 0) text += '\n';
    text += head(sorted[i].place, sorted[i].pointer) + ": " + sorted[i].sentence;
  }
  if (sorted.size() > shown_faults)
    text += "\n… and " + std::to_string(sorted.size() - shown_faults) + " more.";
  throw UserError(text);
}

}  // namespace vacancy
