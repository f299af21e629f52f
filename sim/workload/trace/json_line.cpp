// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/trace/json_line.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/units/error.hpp"
#include "sim/workload/trace/decimal.hpp"
#include "sim/workload/trace/field_text.hpp"

namespace vacancy {

namespace {

constexpr std::size_t max_depth = 32;

std::string_view name_of(JsonTape::Kind kind) {
  switch (kind) {
    case JsonTape::Kind::object:
      return "an object";
    case JsonTape::Kind::array:
      return "a list";
    case JsonTape::Kind::boolean:
      return "a boolean";
    case JsonTape::Kind::null:
      return "null";
    default:
      return "";
  }
}

}  // namespace

/// Writes the parser's events to the tape.
class TapeWriter final : public nlohmann::json_sax<nlohmann::json> {
 public:
  using Kind = JsonTape::Kind;

  TapeWriter(JsonTape& tape, const LineReader& lines) : tape_(tape), lines_(lines) {
    tape.tokens_.clear();
    tape.characters_.clear();
  }

  bool null() override { return add({Kind::null}); }
  bool boolean(bool) override { return add({Kind::boolean}); }
  bool number_integer(std::int64_t value) override {  // negative, or -0
    return value == 0 ? add({Kind::integer}) : add_text(Kind::number, std::to_string(value));
  }
  bool number_unsigned(std::uint64_t value) override { return add({Kind::integer, value}); }
  bool number_float(double, const std::string& written) override {
    add_text(Kind::number, written);
    // The parser spells the point as the locale does.
    for (std::size_t i = tape_.characters_.size() - written.size(); i < tape_.characters_.size();
         ++i)
      if (std::string_view("+-0123456789eE").find(tape_.characters_[i]) == std::string_view::npos)
        tape_.characters_[i] = '.';
    return true;
  }
  bool string(std::string& value) override { return add_text(Kind::text, value); }
  bool binary(nlohmann::json::binary_t&) override { return false; }  // never in text
  bool key(std::string& name) override { return add_text(Kind::key, name); }

  bool start_object(std::size_t) override { return open(Kind::object); }
  bool start_array(std::size_t) override { return open(Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t byte, const std::string& token,
                   const nlohmann::json::exception& error) override {
    constexpr int number_overflow = 406;
    if (error.id == number_overflow)
      lines_.fail({}, "the number " + quoted_excerpt(token) + " is too large; no trace needs it.");
    const std::size_t column = std::max<std::size_t>(byte, 1);
    lines_.fail({}, column > lines_.line().size()
                        ? "the JSON text ends too early; the line is cut off."
                        : "is no valid JSON from column " + std::to_string(column) +
                              " on; correct or remove the line.");
  }

 private:
  bool add(JsonTape::Token token) {
    tape_.tokens_.push_back(token);
    return true;
  }
  bool add_text(Kind kind, std::string_view text) {
    const std::uint64_t at = tape_.characters_.size();
    tape_.characters_ += text;
    return add({kind, at, static_cast<std::uint32_t>(text.size())});
  }
  bool open(Kind kind) {
    if (open_.size() == max_depth)
      lines_.fail({}, "is nested deeper than " + std::to_string(max_depth) +
                          " levels; no trace needs that.");
    open_.push_back(tape_.tokens_.size());
    return add({kind});
  }
  bool close() {
    add({Kind::close});
    tape_.tokens_[open_.back()].value = tape_.tokens_.size();
    open_.pop_back();
    return true;
  }

  JsonTape& tape_;
  const LineReader& lines_;
  std::vector<std::size_t> open_;
};

void JsonTape::parse(const LineReader& lines) {
  TapeWriter writer(*this, lines);
  nlohmann::json::sax_parse(lines.line(), &writer);
}

void JsonLine::load() {
  tape_.parse(lines_);
  at_ = 0;
}

std::uint64_t JsonLine::integer(std::uint64_t maximum) {
  if (token().kind != JsonTape::Kind::integer || token().value > maximum)
    fail_type(integer_expectation(maximum));
  return tape_[at_++].value;
}

SimTime JsonLine::time(int power) {
  ScaledDecimal scaled;
  if (token().kind == JsonTape::Kind::integer)
    scaled = scaled_decimal(std::to_string(token().value), power);
  else if (token().kind == JsonTape::Kind::number)
    scaled = scaled_decimal(tape_.text(token()), power);
  else
    scaled.fault = DecimalFault::malformed;
  if (scaled.fault != DecimalFault::none) fail_type(time_expectation(power));
  ++at_;
  return SimTime(scaled.value);
}

std::string_view JsonLine::text() {
  if (token().kind != JsonTape::Kind::text) fail_type("a text");
  return tape_.text(tape_[at_++]);
}

template <class T>
void JsonLine::integers(std::vector<T>& out, std::uint64_t maximum) {
  JsonArray list(*this);
  while (list.next())
    out.push_back(static_cast<T>(integer(maximum)));
}
template void JsonLine::integers(std::vector<std::uint32_t>&, std::uint64_t);
template void JsonLine::integers(std::vector<std::uint64_t>&, std::uint64_t);

void JsonLine::skip() {
  const bool opens =
      token().kind == JsonTape::Kind::object || token().kind == JsonTape::Kind::array;
  at_ = opens ? static_cast<std::size_t>(token().value) : at_ + 1;
}

void JsonLine::fail(std::string_view sentence) const {
  std::vector<const JsonScope*> scopes;
  for (const JsonScope* scope = innermost_; scope != nullptr; scope = scope->outer_)
    scopes.push_back(scope);
  std::string path;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if ((*scope)->position_)
      path.append("[").append(std::to_string(*(*scope)->position_)).append("]");
    else if (!(*scope)->key_.empty())
      path.append(path.empty() ? "" : ".").append((*scope)->key_);
  }
  lines_.fail(path, sentence);
}

void JsonLine::fail_type(std::string_view expected) const {
  std::string found(name_of(token().kind));
  if (token().kind == JsonTape::Kind::text)
    found = "the text " + quoted_excerpt(tape_.text(token()));
  if (token().kind == JsonTape::Kind::number) found = tape_.text(token()).substr(0, 40);
  if (token().kind == JsonTape::Kind::integer) found = std::to_string(token().value);
  fail(unexpected(expected, found));
}

JsonObject::JsonObject(JsonLine& line, std::span<const JsonField> fields)
    : JsonScope(line), fields_(fields) {
  if (line.token().kind != JsonTape::Kind::object) line.fail_type("an object");
  ++line.at_;
}

std::optional<std::size_t> JsonObject::next() {
  for (;;) {
    const JsonTape::Token& token = line_.token();
    if (token.kind == JsonTape::Kind::close) break;
    const std::string_view name = line_.tape_.text(token);
    ++line_.at_;
    const auto field = std::find_if(fields_.begin(), fields_.end(),
                                    [&](const JsonField& f) { return f.name == name; });
    if (field == fields_.end()) {
      line_.skip();
      continue;
    }
    const auto index = static_cast<std::size_t>(field - fields_.begin());
    key_ = field->name;
    if (has(index)) line_.fail("stands twice in one object; remove one of them.");
    seen_ |= std::uint64_t{1} << index;
    return index;
  }
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    key_ = fields_[i].name;
    if (fields_[i].required && !has(i)) line_.fail("is missing; add it or remove the line.");
  }
  key_ = {};
  ++line_.at_;
  return std::nullopt;
}

JsonArray::JsonArray(JsonLine& line) : JsonScope(line) {
  if (line.token().kind != JsonTape::Kind::array) line.fail_type("a list");
  ++line.at_;
}

bool JsonArray::next() {
  if (line_.token().kind == JsonTape::Kind::close) {
    ++line_.at_;
    return false;
  }
  position_ = count_++;
  return true;
}

}  // namespace vacancy
