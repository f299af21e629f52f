// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vacancy {

/// Arithmetic over named values: + - * / ^ (powers bind tightest and from the right), brackets,
/// decimal numbers, names of letters, digits and underscores.
class Expression {
 public:
  /// Throws UserError with a sentence about what is wrong where.
  explicit Expression(std::string_view text);

  const std::string& text() const { return text_; }
  /// Each once, in the order in which they come.
  const std::vector<std::string>& names() const { return names_; }
  double value(const std::function<double(const std::string&)>& value_of) const;
  /// The text with each name replaced: "e^B" -> "0.875^16".
  std::string substituted(const std::function<std::string(const std::string&)>& text_of) const;

 private:
  enum class Kind { number, name, plus, minus, times, over, power, negative };
  struct Node {
    Kind kind = Kind::number;
    double number = 0;
    std::string name;
    std::unique_ptr<Node> left, right;
  };
  class Parser;

  static double value_of_node(const Node& node,
                              const std::function<double(const std::string&)>& value_of);

  std::string text_;
  std::vector<std::string> names_;
  std::shared_ptr<const Node> root_;
};

}  // namespace vacancy
