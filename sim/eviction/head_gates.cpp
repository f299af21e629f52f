// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/head_gates.hpp"

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

std::vector<double> read_head_gates(const std::filesystem::path& written,
                                    const PolicyContext& context, const std::string& place) {
  const auto bytes = read_bytes(
      context.resolve_path ? context.resolve_path(written.string()) : written, most_bytes);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto fail = [&](std::size_t line, const std::string& fault) {
    throw UserError(place + ": line " + std::to_string(line) + " of " + written.string() + " " +
                    fault);
  };
  std::vector<double> gates;
  std::size_t number = 0, layers = 0;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    ++number;
    const std::size_t before = gates.size();
    for_each_word(text.substr(begin, end - begin), [&](std::string_view word) {
      double gate = 0;
      const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), gate);
      if (error != std::errc{} || rest != word.data() + word.size() || !std::isfinite(gate))
        fail(number, "has \"" + printable(word) +
                         "\" where a gate should be; write one number for each KV head.");
      gates.push_back(gate);
    });
    const std::size_t heads = gates.size() - before;
    if (heads == 0) continue;  // an empty line
    ++layers;
    if (heads != context.kv_heads)
      fail(number, "has " + counted(heads, "gate") + ", but a layer of the model has " +
                       counted(context.kv_heads, "KV head") + "; give the gates of that model.");
  }
  if (layers != context.layers)
    throw UserError(place + ": " + written.string() + " has gates of " + counted(layers, "layer") +
                    ", but the model has " + std::to_string(context.layers) +
                    "; give the gates of that model.");
  return gates;
}

}  // namespace vacancy
