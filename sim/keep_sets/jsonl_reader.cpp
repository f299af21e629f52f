// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sim/json/parse.hpp"
#include "sim/keep_sets/file_forms.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"
#include "sim/units/printable.hpp"
#include "sim/units/suggest.hpp"
#include "sim/workload/trace/line_reader.hpp"

namespace vacancy {

namespace {

using nlohmann::json;

constexpr LineLimit step_lines{std::size_t{1} << 26, "record such steps as .npz."};
constexpr std::array<std::string_view, 4> known_keys = {"length", "keep", "model_layers",
                                                        "model_heads"};
constexpr std::int64_t too_large = std::numeric_limits<std::int64_t>::max();

std::string sets_text(std::size_t layers, std::size_t heads) {
  return counted(layers, "layer") + " and " + counted(heads, "head");
}

/// One line a step.
class LineStepReader final : public KeepSetReader {
 public:
  explicit LineStepReader(const std::filesystem::path& file)
      : KeepSetReader(file.string()), lines_(file, step_lines) {
    if (!load()) lines_.fail_file("is empty; a line for each step is expected.");
    const auto [layers, heads] = shape();
    set_axes(layers, heads, count("model_layers"), count("model_heads"), step_place());
  }

  bool next(RecordedStep& step) override {
    if (!first_ && !load()) return false;
    if (ended_)
      fail_step("follows a line without keep, which only the last one may lack; remove one.");
    const auto length = count("length");
    if (!length) fail_step("lacks length; say how many tokens there are at this step.");
    const auto [layers, heads] = shape();
    const bool evicts = line_.contains("keep");
    if (evicts && (layers != axes().layers || heads != axes().heads))
      fail_step("keeps sets of " + sets_text(layers, heads) + ", and the first line of " +
                sets_text(axes().layers, axes().heads) + "; give all lines the same form.");
    if (!first_ && (line_.contains("model_layers") || line_.contains("model_heads")))
      fail_step("says something of the model, which only the first line does; remove it.");
    first_ = false;
    ended_ = !evicts;
    begin(step, static_cast<std::int64_t>(*length), evicts);
    if (evicts) read_keep(step);
    return true;
  }

 private:
  std::string step_place() const override { return name_ + ':' + std::to_string(lines_.number()); }

  bool load() {
    if (!lines_.next()) return false;
    line_ = parse_strict(lines_.line(), step_place());
    if (!line_.is_object()) fail_step("is no object; write {\"length\": 512, \"keep\": [0, 5]}.");
    for (const auto& [key, value] : line_.items())
      if (std::ranges::find(known_keys, std::string_view(key)) == known_keys.end())
        fail_step("has the unknown key \"" + printable(key) + "\"." +
                  did_you_mean(key, known_keys) + " Leave it out.");
    return true;
  }

  std::optional<std::uint64_t> count(const char* key) const {
    const auto member = line_.find(key);
    if (member == line_.end()) return std::nullopt;
    if (!member->is_number_unsigned())
      fail_step(std::string(key) + " is no whole number; correct it.");
    return std::min(member->get<std::uint64_t>(), static_cast<std::uint64_t>(too_large));
  }

  /// Layers and heads of the line's sets; one of each where it has a single list, or none.
  struct Shape {
    std::size_t layers, heads;
  };
  Shape shape() const {
    const auto keep = line_.find("keep");
    if (keep == line_.end()) return {1, 1};
    if (!keep->is_array()) fail_form();
    if (!nested(*keep)) return {1, 1};
    const json& first = keep->front();
    if (!nested(first)) fail_form();
    for (const json& layer : *keep) {
      if (!layer.is_array()) fail_form();
      if (layer.size() != first.size())
        fail_step("layer " + std::to_string(&layer - &first) + " has " +
                  counted(layer.size(), "head") + ", and layer 0 has " +
                  std::to_string(first.size()) + "; give each layer as many.");
      if (std::ranges::any_of(layer, [](const json& head) { return !head.is_array(); }))
        fail_form();
    }
    return {keep->size(), first.size()};
  }
  static bool nested(const json& list) { return !list.empty() && list.front().is_array(); }

  void read_keep(RecordedStep& step) const {
    const json& all = line_["keep"];
    if (!nested(all)) {
      read_list(step, 0, all);
      return;
    }
    std::uint32_t set = 0;
    for (const json& layer : all)
      for (const json& head : layer)
        read_list(step, set++, head);
  }

  void read_list(RecordedStep& step, std::uint32_t set, const json& tokens) const {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].is_number_integer())
        fail_set(set, "entry " + std::to_string(i) +
                          " of its list is no whole number; tokens are positions.");
      const bool huge = tokens[i].is_number_unsigned() &&
                        tokens[i].get<std::uint64_t>() > static_cast<std::uint64_t>(too_large);
      keep(step, set, huge ? too_large : tokens[i].get<std::int64_t>());
    }
  }

  [[noreturn]] void fail_form() const {
    fail_step(
        "keep has another form than expected; write one list of tokens, or a list of layers, each "
        "a list of heads, each a list of tokens.");
  }

  LineReader lines_;
  json line_;
  bool first_ = true, ended_ = false;
};

}  // namespace

std::unique_ptr<KeepSetReader> open_keep_lines(const std::filesystem::path& file) {
  return std::make_unique<LineStepReader>(file);
}

}  // namespace vacancy
