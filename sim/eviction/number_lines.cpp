// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/number_lines.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

#include "sim/attention/byte_reader.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"

namespace vacancy {
namespace {

constexpr std::size_t most_bytes = 1 << 24;

/// Calls f(word) for each word of a line.
template <class F>
void for_each_word(std::string_view line, F&& f) {
  constexpr std::string_view blanks = " \t\r";
  for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;
       at = line.find_first_not_of(blanks, at)) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    f(line.substr(at, end - at));
    at = end;
  }
}

}  // namespace

std::vector<double> read_number_lines(const std::filesystem::path& written, const NumberLines& of,
                                      const PolicyContext& context, const std::string& place) {
  const auto bytes = read_bytes(
      context.resolve_path ? context.resolve_path(written.string()) : written, most_bytes);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto fail = [&](std::size_t line, const std::string& fault) {
    throw UserError(place + ": line " + std::to_string(line) + " of " + written.string() + " " +
                    fault);
  };
  const std::string remedy = "; give the " + of.number + "s of that model.";
  std::vector<double> numbers;
  std::size_t number = 0, lines = 0;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    ++number;
    const std::size_t before = numbers.size();
    for_each_word(text.substr(begin, end - begin), [&](std::string_view word) {
      double value = 0;
      const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc{} || rest != word.data() + word.size() || !std::isfinite(value))
        fail(number, "has \"" + printable(word) + "\" where a " + of.number +
                         " should be; write a number, such as 0.5.");
      numbers.push_back(value);
    });
    const std::size_t columns = numbers.size() - before;
    if (columns == 0) continue;  // an empty line
    ++lines;
    if (columns != of.columns)
      fail(number, "has " + counted(columns, of.number) + ", but a " + of.line +
                       " of the model has " + format_count(of.columns) + remedy);
  }
  if (lines != of.lines)
    throw UserError(place + ": " + written.string() + " has " + of.number + "s of " +
                    counted(lines, of.line) + ", but the model has " + format_count(of.lines) +
                    remedy);
  return numbers;
}

}  // namespace vacancy
