// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/trace/csv_table.hpp"

#include <algorithm>
#include <charconv>

#include "sim/workload/trace/decimal.hpp"
#include "sim/workload/trace/field_text.hpp"

namespace vacancy {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The index behind the closing quote of a text that begins with one; npos if there is none.
std::size_t quote_end(std::string_view text) {
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] != '"') continue;
    if (at + 1 == text.size() || text[at + 1] != '"') return at + 1;
    ++at;
  }
  return std::string_view::npos;
}

}  // namespace

bool split_csv(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    std::size_t comma = 0;
    if (line.starts_with('"')) {
      const std::size_t end = quote_end(line);
      if (end == std::string_view::npos) return false;
      comma = std::min(line.find(',', end), line.size());
      if (!trimmed(line.substr(end, comma - end)).empty()) return false;
      fields.push_back(line.substr(1, end - 2));
    } else {
      comma = std::min(line.find(','), line.size());
      fields.push_back(trimmed(line.substr(0, comma)));
    }
    if (comma == line.size()) return true;
    line.remove_prefix(comma + 1);
  }
}

CsvTable::CsvTable(LineReader& lines) : lines_(lines) {
  if (!lines_.next()) lines_.fail_file("is empty; a header and one line a request are expected.");
  if (!split_csv(lines_.line(), fields_)) lines_.fail({}, "the quotes of the header do not match.");
  for (const std::string_view name : fields_) {
    if (!name.empty() && find(name))
      lines_.fail({},
                  "the header names the column " + quoted_excerpt(name) + " twice; rename one.");
    names_.emplace_back(name);
  }
}

std::optional<std::size_t> CsvTable::find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

std::size_t CsvTable::column(std::string_view name) const {
  if (const auto found = find(name)) return *found;
  lines_.fail(name, "the header does not name this column; add it, or name another format.");
}

bool CsvTable::next() {
  if (!lines_.next()) return false;
  if (!split_csv(lines_.line(), fields_))
    lines_.fail({}, "the quotes of the row do not match; correct or remove the line.");
  if (fields_.size() != names_.size())
    lines_.fail({}, "has " + std::to_string(fields_.size()) + " fields, but the header names " +
                        std::to_string(names_.size()) + "; correct or remove the line.");
  return true;
}

std::uint64_t CsvTable::integer(std::size_t column, std::uint64_t maximum) const {
  const std::string_view text = fields_[column];
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end || value > maximum)
    fail(column, unexpected(integer_expectation(maximum), quoted_excerpt(text)));
  return value;
}

SimTime CsvTable::time(std::size_t column, int power) const {
  const ScaledDecimal scaled = scaled_decimal(fields_[column], power);
  if (scaled.fault != DecimalFault::none)
    fail(column, unexpected(time_expectation(power), quoted_excerpt(fields_[column])));
  return SimTime(scaled.value);
}

void CsvTable::fail(std::size_t column, std::string_view sentence) const {
  lines_.fail(names_[column], sentence);
}

}  // namespace vacancy
