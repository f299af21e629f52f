// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/eviction/registry.hpp"

namespace vacancy {

/// What a text file of numbers of a model has: so many lines of so many each, and what a line and a
/// number are called, such as "layer" and "gate".
struct NumberLines {
  std::size_t lines = 0, columns = 0;
  std::string line, number;
};

/// Reads the file, line after line: numbers apart by blanks or tabs, empty lines left out. A
/// UserError with `place` if the file is none of that or of another model.
std::vector<double> read_number_lines(const std::filesystem::path& written, const NumberLines& of,
                                      const PolicyContext& context, const std::string& place);

}  // namespace vacancy
