// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace vacancy {

/// Columns of text: the first flush left, the others flush right; for figures.
class FigureTable {
 public:
  explicit FigureTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.size() == 1; }
  std::size_t width() const;
  void print(std::ostream& out) const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<std::vector<std::string>> rows_;
};

/// A name and what it is, one entry a paragraph: names flush left in one column, text wrapped in
/// the rest of the line.
class NameTable {
 public:
  void add(std::string name, std::string text) {
    rows_.push_back({std::move(name), std::move(text)});
  }
  void print(std::ostream& out, std::size_t columns, std::size_t indent = 0) const;

 private:
  struct Row {
    std::string name, text;
  };
  std::vector<Row> rows_;
};

}  // namespace vacancy
