// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/units/units.hpp"
#include "sim/workload/trace/line_reader.hpp"

namespace vacancy {

/// Splits a line at its commas (RFC 4180, without line breaks inside quotes). Blanks around a field
/// and the quotes of a quoted one are taken off; doubled quotes inside stay doubled. False if a
/// quote is not closed or not followed by a comma.
bool split_csv(std::string_view line, std::vector<std::string_view>& fields);

/// A table with a header. Columns are found by name, in any order; others are passed over.
class CsvTable {
 public:
  /// Reads the header. Throws UserError if it is missing or names a column twice.
  explicit CsvTable(LineReader& lines);

  std::optional<std::size_t> find(std::string_view name) const;
  /// Throws UserError if there is no such column.
  std::size_t column(std::string_view name) const;

  /// Moves to the next row; false at the end. Throws UserError if it has more or fewer fields than
  /// the header.
  bool next();

  std::string_view text(std::size_t column) const { return fields_[column]; }
  std::uint64_t integer(std::size_t column, std::uint64_t maximum) const;
  /// A number in units of 10^power ns, to the nearest nanosecond.
  SimTime time(std::size_t column, int power) const;

  [[noreturn]] void fail(std::size_t column, std::string_view sentence) const;

 private:
  LineReader& lines_;
  std::vector<std::string> names_;
  std::vector<std::string_view> fields_;
};

}  // namespace vacancy
