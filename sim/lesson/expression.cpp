// SPDX-License-Identifier: Apache-2.0
#include "sim/lesson/expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "sim/scenario/diagnostics.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr std::size_t deepest_nesting = 50;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// From `at`, letters, digits and underscores.
std::size_t end_of_name(std::string_view text, std::size_t at) {
  while (at < text.size() && (is_letter(text[at]) || is_digit(text[at])))
    ++at;
  return at;
}

}  // namespace

/// Recursive descent, one function for each strength of binding.
class Expression::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::unique_ptr<Node> parse() {
    auto root = sum();
    if (at_ < text_.size()) fail("expected an operator");
    return root;
  }
  std::vector<std::string> take_names() { return std::move(names_); }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(what + " at character " + std::to_string(at_ + 1) + " of " + in_quotes(text_) +
                    ".");
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ')
      ++at_;
  }
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    skip();
    return true;
  }
  static std::unique_ptr<Node> join(Kind kind, std::unique_ptr<Node> left,
                                    std::unique_ptr<Node> right) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->left = std::move(left);
    node->right = std::move(right);
    return node;
  }

  std::unique_ptr<Node> sum() {
    skip();
    if (++depth_ > deepest_nesting) fail("brackets within brackets go too deep");
    auto node = product();
    for (;;) {
      if (take('+'))
        node = join(Kind::plus, std::move(node), product());
      else if (take('-'))
        node = join(Kind::minus, std::move(node), product());
      else
        break;
    }
    --depth_;
    return node;
  }
  std::unique_ptr<Node> product() {
    auto node = power();
    for (;;) {
      if (take('*'))
        node = join(Kind::times, std::move(node), power());
      else if (take('/'))
        node = join(Kind::over, std::move(node), power());
      else
        return node;
    }
  }
  std::unique_ptr<Node> power() {
    if (++depth_ > deepest_nesting) fail("powers of powers go too deep");
    auto node = atom();
    if (take('^')) node = join(Kind::power, std::move(node), power());
    --depth_;
    return node;
  }
  std::unique_ptr<Node> atom() {
    if (take('(')) {
      auto node = sum();
      if (!take(')')) fail("expected a closing bracket");
      return node;
    }
    if (take('-')) return join(Kind::negative, power(), nullptr);
    auto node = std::make_unique<Node>();
    const std::size_t start = at_;
    if (at_ < text_.size() && is_letter(text_[at_])) {
      at_ = end_of_name(text_, at_);
      node->kind = Kind::name;
      node->name = text_.substr(start, at_ - start);
      if (std::find(names_.begin(), names_.end(), node->name) == names_.end())
        names_.push_back(node->name);
    } else {
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(),
                                                node->number, std::chars_format::fixed);
      if (error != std::errc()) fail("expected a number, a name or a bracket");
      at_ = static_cast<std::size_t>(end - text_.data());
    }
    skip();
    return node;
  }

  std::string_view text_;
  std::size_t at_ = 0, depth_ = 0;
  std::vector<std::string> names_;
};

Expression::Expression(std::string_view text) : text_(text) {
  Parser parser(text);
  root_ = parser.parse();
  names_ = parser.take_names();
}

double Expression::value_of_node(const Node& node,
                                 const std::function<double(const std::string&)>& value_of) {
  const auto left = [&] { return value_of_node(*node.left, value_of); };
  const auto right = [&] { return value_of_node(*node.right, value_of); };
  switch (node.kind) {
    case Kind::number:
      return node.number;
    case Kind::name:
      return value_of(node.name);
    case Kind::plus:
      return left() + right();
    case Kind::minus:
      return left() - right();
    case Kind::times:
      return left() * right();
    case Kind::over:
      return left() / right();
    case Kind::power:
      return std::pow(left(), right());
    case Kind::negative:
      return -left();
  }
  return 0;
}

double Expression::value(const std::function<double(const std::string&)>& value_of) const {
  return value_of_node(*root_, value_of);
}

std::string Expression::substituted(
    const std::function<std::string(const std::string&)>& text_of) const {
  std::string result;
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t end = end_of_name(text_, at);
    const std::string word = text_.substr(at, end - at);
    if (word.empty())
      result += text_[at++];
    else
      result += is_letter(word.front()) ? text_of(word) : word;
    at = std::max(at, end);
  }
  return result;
}

}  // namespace vacancy
