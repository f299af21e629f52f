// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/units/units.hpp"
#include "sim/workload/trace/line_reader.hpp"

namespace vacancy {

/// A line's values in the order of the text. A whole line is checked (RFC 8259) before the first
/// value is read.
class JsonTape {
 public:
  enum class Kind : std::uint8_t {
    object,
    array,
    close,
    key,
    text,
    integer,  // not negative, below 2^64
    number,   // any other, as written
    boolean,
    null
  };
  struct Token {
    Kind kind;
    /// Opening: index of the token behind the closing one. Integer: its value. Texts and numbers:
    /// place in the characters.
    std::uint64_t value = 0;
    std::uint32_t size = 0;  // of a text
  };

  /// Throws UserError at the line if it is no JSON, or nested deeper than 32 levels.
  void parse(const LineReader& lines);

  const Token& operator[](std::size_t i) const { return tokens_[i]; }
  std::string_view text(const Token& token) const {
    return std::string_view(characters_).substr(static_cast<std::size_t>(token.value), token.size);
  }

 private:
  friend class TapeWriter;
  std::vector<Token> tokens_;
  std::string characters_;
};

class JsonScope;

/// Reads a line's values from first to last. What is not of the expected kind is a UserError with
/// file, line and field.
class JsonLine {
 public:
  explicit JsonLine(const LineReader& lines) : lines_(lines) {}

  /// Takes the reader's current line; its value is the next to be read.
  void load();

  std::uint64_t integer(std::uint64_t maximum);
  /// A number in units of 10^power ns, to the nearest nanosecond.
  SimTime time(int power);
  std::string_view text();
  /// A list of integers, appended to `out`.
  template <class T>
  void integers(std::vector<T>& out, std::uint64_t maximum);
  void skip();

  /// Throws UserError at the field that is being read.
  [[noreturn]] void fail(std::string_view sentence) const;

 private:
  friend class JsonScope;
  friend class JsonObject;
  friend class JsonArray;

  const JsonTape::Token& token() const { return tape_[at_]; }
  [[noreturn]] void fail_type(std::string_view expected) const;

  const LineReader& lines_;
  JsonTape tape_;
  std::size_t at_ = 0;
  const JsonScope* innermost_ = nullptr;
};

/// An object or list that is being read; knows its place for messages.
class JsonScope {
 public:
  JsonScope(const JsonScope&) = delete;
  JsonScope& operator=(const JsonScope&) = delete;

 protected:
  explicit JsonScope(JsonLine& line) : line_(line), outer_(line.innermost_) {
    line.innermost_ = this;
  }
  ~JsonScope() { line_.innermost_ = outer_; }

  JsonLine& line_;
  std::string_view key_;                 // of the member being read
  std::optional<std::size_t> position_;  // of the element being read

 private:
  friend class JsonLine;
  const JsonScope* outer_;
};

struct JsonField {
  std::string_view name;
  bool required = true;
};

/// Reads an object's members. Unknown ones are passed over; one that stands twice, and a required
/// one that is missing, is a UserError.
class JsonObject : private JsonScope {
 public:
  /// At most 64 fields.
  JsonObject(JsonLine& line, std::span<const JsonField> fields);

  /// The index of the next known field, whose value is the next to be read; nothing at the end.
  std::optional<std::size_t> next();
  bool has(std::size_t field) const { return (seen_ >> field & 1) != 0; }

 private:
  std::span<const JsonField> fields_;
  std::uint64_t seen_ = 0;
};

/// Reads a list's elements.
class JsonArray : private JsonScope {
 public:
  explicit JsonArray(JsonLine& line);

  /// Whether there is another element, which is the next to be read.
  bool next();

 private:
  std::size_t count_ = 0;
};

}  // namespace vacancy
