// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/json_document.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/units/error.hpp"

namespace vacancy {

namespace {

/// Follows the parser through the text: the parser reports tokens without their places, so the
/// cursor skips what may stand between two tokens and then the token itself.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") line_start_ = at_ = 3;
  }

  /// Moves to the start of the next value, key or bracket; the parser has accepted the text up to
  /// its end.
  Place start(std::uint32_t origin) {
    while (at_ < text_.size()) {
      if (rest("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest("/*")) {
        const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size());
        while (at_ < end)
          step();
        at_ = std::min(at_ + 2, text_.size());
      } else if (std::string_view(" \t\r\n,:").find(text_[at_]) != std::string_view::npos) {
        step();
      } else {
        break;
      }
    }
    return {origin, line_, static_cast<std::uint32_t>(at_ - line_start_ + 1)};
  }

  void pass(std::size_t bytes) { at_ += bytes; }
  void pass_string() {
    for (++at_; text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
  }
  void pass_number() {
    at_ = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
  }

 private:
  bool rest(std::string_view head) const { return text_.substr(at_, head.size()) == head; }
  void step() {
    if (text_[at_++] == '\n') {
      ++line_;
      line_start_ = at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  std::uint32_t line_ = 1;
};

Place place_of_byte(std::string_view text, std::size_t byte, std::uint32_t origin) {
  const std::string_view before = text.substr(0, byte);
  const auto line = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;
  return {origin, static_cast<std::uint32_t>(line + 1),
          static_cast<std::uint32_t>(before.size() - line_start + 1)};
}

/// The parser's own words without its name, the place, and a token of any length and bytes.
std::string syntax_error(std::string what, const std::string& token) {
  constexpr std::string_view mark = "syntax error ";
  if (const std::size_t start = what.find(mark); start != std::string::npos)
    what.erase(0, start + mark.size());
  const std::string last_read = "; last read: '" + token + "'";
  if (const std::size_t at = what.find(last_read); at != std::string::npos)
    what.replace(at, last_read.size(), "; last read: " + in_quotes(token));
  return what;
}

/// Builds the tree from the parser's events.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(std::string_view text, std::uint32_t origin, Diagnostics& faults,
              const std::string& pointer)
      : text_(text), origin_(origin), faults_(faults), pointer_(pointer), cursor_(text) {}

  JsonNode take_root() { return std::move(root_); }

  bool null() override { return literal(JsonNode::Kind::null, {}, 4); }
  bool boolean(bool value) override {
    return literal(JsonNode::Kind::boolean, value, value ? 4 : 5);
  }
  bool number_integer(std::int64_t value) override {
    return number(JsonNode::Kind::integer, value);
  }
  bool number_unsigned(std::uint64_t value) override {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return number(JsonNode::Kind::integer, value);
    return number(JsonNode::Kind::integer, static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string& written) override {
    if (written.find_first_of(".eE") != std::string::npos)
      return number(JsonNode::Kind::number, value);
    const Place place = cursor_.start(origin_);
    faults_.add(place, value_pointer(),
                in_quotes(written) +
                    " is an integer that does not fit into 64 bits; write a smaller "
                    "one.");
    return number(JsonNode::Kind::integer, JsonNode::Scalar(std::int64_t{0}));
  }
  bool string(std::string& value) override {
    JsonNode node{JsonNode::Kind::text, cursor_.start(origin_), std::move(value), {}, {}};
    cursor_.pass_string();
    return finish(std::move(node));
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }  // never in text

  bool key(std::string& name) override {
    Frame& frame = open_.back();
    frame.key = name;
    frame.key_place = cursor_.start(origin_);
    cursor_.pass_string();
    const auto [earlier, is_new] = frame.seen.emplace(name, frame.key_place);
    frame.repeated = !is_new;
    if (!is_new)
      faults_.add(frame.key_place, value_pointer(),
                  "the key " + in_quotes(name) + " stands twice in this object, first in line " +
                      std::to_string(earlier->second.line) + "; remove one of them.");
    return true;
  }

  bool start_object(std::size_t) override { return open(JsonNode::Kind::object); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(JsonNode::Kind::array); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t byte, const std::string& token,
                   const nlohmann::json::exception& error) override {
    const std::size_t at = std::min(byte > 0 ? byte - 1 : 0, text_.size());
    const Place place = place_of_byte(text_, at, origin_);
    constexpr int number_overflow = 406;
    std::string sentence;
    if (error.id == number_overflow) {
      sentence = "the number " + in_quotes(token) + " is too large for a double.";
    } else {
      sentence = "not valid JSON at column " + std::to_string(place.column) + ": " +
                 syntax_error(error.what(), token) + ".";
      if (at == text_.size()) sentence += " The text ends too early.";
      const std::size_t before = text_.substr(0, at).find_last_not_of(" \t\r\n");
      if (at < text_.size() && (text_[at] == '}' || text_[at] == ']') &&
          before != std::string_view::npos && text_[before] == ',')
        sentence += " Remove the comma before it.";
    }
    faults_.add(place, value_pointer(), std::move(sentence));
    return false;
  }

 private:
  struct Frame {
    JsonNode node;
    std::string pointer;
    std::string key;  // of the member being read
    Place key_place;
    bool repeated = false;
    std::map<std::string, Place> seen;
  };

  /// The pointer of the value that is being read.
  std::string value_pointer() const {
    if (open_.empty()) return pointer_;
    const Frame& frame = open_.back();
    if (frame.node.kind == JsonNode::Kind::array)
      return child_pointer(frame.pointer, frame.node.items.size());
    return frame.seen.empty() ? frame.pointer : child_pointer(frame.pointer, frame.key);
  }

  bool literal(JsonNode::Kind kind, JsonNode::Scalar value, std::size_t bytes) {
    JsonNode node{kind, cursor_.start(origin_), std::move(value), {}, {}};
    cursor_.pass(bytes);
    return finish(std::move(node));
  }
  bool number(JsonNode::Kind kind, JsonNode::Scalar value) {
    JsonNode node{kind, cursor_.start(origin_), std::move(value), {}, {}};
    cursor_.pass_number();
    return finish(std::move(node));
  }
  bool open(JsonNode::Kind kind) {
    const Place place = cursor_.start(origin_);
    cursor_.pass(1);
    if (open_.size() == max_json_depth) {
      faults_.add(place, value_pointer(),
                  "nested deeper than " + std::to_string(max_json_depth) +
                      " levels; no scenario "
                      "needs that.");
      return false;
    }
    std::string pointer = value_pointer();
    open_.push_back({JsonNode{kind, place, {}, {}, {}}, std::move(pointer), {}, {}, false, {}});
    return true;
  }
  bool close() {
    cursor_.start(origin_);
    cursor_.pass(1);
    JsonNode node = std::move(open_.back().node);
    open_.pop_back();
    return finish(std::move(node));
  }
  bool finish(JsonNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return true;
    }
    Frame& frame = open_.back();
    if (frame.node.kind == JsonNode::Kind::array)
      frame.node.items.push_back(std::move(node));
    else if (!frame.repeated)
      frame.node.members.push_back({frame.key, frame.key_place, std::move(node)});
    return true;
  }

  std::string_view text_;
  std::uint32_t origin_;
  Diagnostics& faults_;
  const std::string& pointer_;
  Cursor cursor_;
  std::vector<Frame> open_;
  JsonNode root_;
};

/// The parser takes a NUL byte for the end of the text and lets other control characters pass in
/// comments, so they are refused before it runs.
bool refuse_control_characters(std::string_view text, std::uint32_t origin, Diagnostics& faults,
                               const std::string& pointer) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 || byte == '\t' || byte == '\n' || byte == '\r') continue;
    constexpr char digits[] = "0123456789abcdef";
    faults.add(place_of_byte(text, i, origin), pointer,
               std::string("byte 0x") + digits[byte / 16] + digits[byte % 16] + " at offset " +
                   std::to_string(i) + " is no text; JSON is written in UTF-8.");
    return true;
  }
  return false;
}

}  // namespace

std::string read_text_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found)
    throw UserError(file.string() + ": no such file.");
  if (error) throw UserError(file.string() + ": " + error.message() + ".");
  if (std::filesystem::is_directory(status))
    throw UserError(file.string() + ": is a folder; name a file in it.");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UserError(file.string() + ": cannot be opened; check its permissions.");

  std::string text(max_json_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) throw UserError(file.string() + ": cannot be read.");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

std::optional<JsonNode> parse_json(std::string_view text, std::uint32_t origin, Diagnostics& faults,
                                   const std::string& pointer) {
  const Place top{origin, 1, 1};
  if (text.size() > max_json_bytes) {
    faults.add(top, pointer,
               "larger than " + std::to_string(max_json_bytes >> 20) +
                   " MiB; what is read here is a few lines of JSON.");
    return std::nullopt;
  }
  if (text.empty()) {
    faults.add(top, pointer, "is empty; it should hold a JSON object, {…}.");
    return std::nullopt;
  }
  if (refuse_control_characters(text, origin, faults, pointer)) return std::nullopt;

  TreeBuilder builder(text, origin, faults, pointer);
  constexpr bool to_the_end = true, comments_allowed = true;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder,
                                 nlohmann::json::input_format_t::json, to_the_end,
                                 comments_allowed))
    return std::nullopt;
  return builder.take_root();
}

}  // namespace vacancy
