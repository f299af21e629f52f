// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>

#include "sim/keep_sets/file_forms.hpp"
#include "sim/keep_sets/step_line.hpp"
#include "sim/units/counted.hpp"
#include "sim/workload/trace/line_reader.hpp"

namespace vacancy {

namespace {

constexpr LineLimit step_lines{std::size_t{1} << 26, "record such steps as .npz."};

std::string sets_text(std::size_t layers, std::size_t heads) {
  return counted(layers, "layer") + " and " + counted(heads, "head");
}

/// One line a step.
class LineStepReader final : public KeepSetReader {
 public:
  explicit LineStepReader(const std::filesystem::path& file)
      : KeepSetReader(file.string()), lines_(file, step_lines) {
    if (!load()) lines_.fail_file("is empty; a line for each step is expected.");
    set_axes(line_.layers, line_.heads, line_.model_layers, line_.model_heads, step_place());
  }

  bool next(RecordedStep& step) override {
    if (!first_ && !load()) return false;
    if (ended_)
      fail_step("follows a line without keep, which only the last one may lack; remove one.");
    if (!line_.length) fail_step("lacks length; say how many tokens there are at this step.");
    if (line_.evicts && (line_.layers != axes().layers || line_.heads != axes().heads))
      fail_step("keeps sets of " + sets_text(line_.layers, line_.heads) +
                ", and the first line of " + sets_text(axes().layers, axes().heads) +
                "; give all lines the same form.");
    if (!first_ && (line_.model_layers || line_.model_heads))
      fail_step("says something of the model, which only the first line does; remove it.");
    first_ = false;
    ended_ = !line_.evicts;
    begin(step, static_cast<std::int64_t>(*line_.length), line_.evicts);
    if (line_.evicts) read_keep(step);
    return true;
  }

 private:
  std::string step_place() const override { return name_ + ':' + std::to_string(lines_.number()); }

  bool load() {
    if (!lines_.next()) return false;
    line_ = read_step_line(lines_.line(), step_place());
    return true;
  }

  void read_keep(RecordedStep& step) const {
    read_kept_tokens(lines_.line(), step_place(),
                     [&](std::uint32_t set, std::size_t entry, std::optional<std::int64_t> token) {
                       if (!token)
                         fail_set(set,
                                  "entry " + std::to_string(entry) +
                                      " of its list is no whole number; tokens are positions.");
                       keep(step, set, *token);
                     });
  }

  LineReader lines_;
  StepLine line_;
  bool first_ = true, ended_ = false;
};

}  // namespace

std::unique_ptr<KeepSetReader> open_keep_lines(const std::filesystem::path& file) {
  return std::make_unique<LineStepReader>(file);
}

}  // namespace vacancy
