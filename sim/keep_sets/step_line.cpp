// SPDX-License-Identifier: Apache-2.0
#include "sim/keep_sets/step_line.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/json/parse.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"
#include "sim/units/printable.hpp"
#include "sim/units/suggest.hpp"

namespace vacancy {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> known_keys = {"length", "keep", "model_layers",
                                                        "model_heads"};

class LineEvents final : public nlohmann::json_sax<json> {
 public:
  LineEvents(const std::string& place, const TokenSink* sink) : place_(place), sink_(sink) {}

  const StepLine& line() const { return line_; }

  bool null() override { return scalar({}); }
  bool boolean(bool) override { return scalar({}); }
  bool number_float(double, const std::string&) override { return scalar({}); }
  bool string(std::string&) override { return scalar({}); }
  bool binary(json::binary_t&) override { return scalar({}); }
  bool number_integer(std::int64_t value) override { return scalar(value); }
  bool number_unsigned(std::uint64_t value) override {
    constexpr std::uint64_t highest = std::numeric_limits<std::int64_t>::max();
    return scalar(static_cast<std::int64_t>(std::min(value, highest)));
  }

  bool start_object(std::size_t) override {
    if (open_) fail_value();
    return open_ = true;
  }
  bool end_object() override { return true; }

  bool key(std::string& name) override {
    const auto known = std::ranges::find(known_keys, std::string_view(name));
    if (known == known_keys.end())
      fail("has the unknown key \"" + printable(name) + "\"." + did_you_mean(name, known_keys) +
           " Leave it out.");
    bool& seen = seen_[static_cast<std::size_t>(known - known_keys.begin())];
    if (seen) fail("has the key \"" + name + "\" twice; remove one.");
    seen = true;
    key_ = *known;
    return true;
  }

  bool start_array(std::size_t) override {
    if (!open_ || key_ != "keep") fail_value();
    // The first entry of keep decides whether it is one list or a list of layers.
    if (depth_ == 1 && list_depth_ == 0) list_depth_ = 3;
    if (++depth_ > std::max(list_depth_, 1)) fail_form();
    if (depth_ == 1) line_.evicts = true;
    if (depth_ == 2) heads_ = 0;
    entry_ = 0;
    return true;
  }

  bool end_array() override {
    if (depth_ == 2) end_layer();
    if (depth_ == 3) {
      ++heads_;
      ++set_;
    }
    --depth_;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    fail_not_json(error, place_);
  }

 private:
  bool scalar(std::optional<std::int64_t> value) {
    if (!open_) fail_value();
    if (depth_ > 0) {
      if (depth_ == 1 && list_depth_ == 0) list_depth_ = 1;
      if (depth_ != list_depth_) fail_form();
      if (sink_) (*sink_)(set_, entry_, value);
      ++entry_;
      return true;
    }
    if (key_ == "keep" || !value || *value < 0) fail_value();
    (key_ == "length"         ? line_.length
     : key_ == "model_layers" ? line_.model_layers
                              : line_.model_heads) = static_cast<std::uint64_t>(*value);
    return true;
  }

  void end_layer() {
    if (layers_ == 0) {
      if (heads_ == 0) fail_form();
      line_.heads = heads_;
    }
    if (heads_ != line_.heads)
      fail("layer " + std::to_string(layers_) + " has " + counted(heads_, "head") +
           ", and layer 0 has " + std::to_string(line_.heads) + "; give each layer as many.");
    line_.layers = ++layers_;
  }

  [[noreturn]] void fail(const std::string& sentence) const {
    throw UserError(place_ + ": " + sentence);
  }
  [[noreturn]] void fail_form() const {
    fail(
        "keep has another form than expected; write one list of tokens, or a list of layers, each "
        "a list of heads, each a list of tokens.");
  }
  /// About a value that its place does not take.
  [[noreturn]] void fail_value() const {
    if (!open_) fail("is no object; write {\"length\": 512, \"keep\": [0, 5]}.");
    if (key_ == "keep") fail_form();
    fail(std::string(key_) + " is no whole number; correct it.");
  }

  const std::string& place_;
  const TokenSink* sink_;
  StepLine line_;
  std::array<bool, known_keys.size()> seen_{};
  bool open_ = false;                   // the object
  std::string_view key_;                // of the value that is read
  int depth_ = 0;                       // arrays that are open
  int list_depth_ = 0;                  // of tokens; 0 until the first entry of keep
  std::size_t layers_ = 0, heads_ = 0;  // that are over; heads of the layer that is open
  std::uint32_t set_ = 0;
  std::size_t entry_ = 0;
};

}  // namespace

StepLine read_step_line(std::string_view text, const std::string& place) {
  LineEvents events(place, nullptr);
  json::sax_parse(text, &events);
  return events.line();
}

void read_kept_tokens(std::string_view text, const std::string& place, const TokenSink& sink) {
  LineEvents events(place, &sink);
  json::sax_parse(text, &events);
}

}  // namespace vacancy
