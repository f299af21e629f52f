// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/keep_sets/file_forms.hpp"
#include "sim/units/counted.hpp"

namespace vacancy {

namespace {

/// Lists of kept tokens, one behind the other in `indices`; `offsets` says where each begins. Both
/// are read side by side.
class RaggedReader final : public KeepSetReader {
 public:
  RaggedReader(NpzFile arrays, std::string name)
      : KeepSetReader(std::move(name)),
        arrays_(std::move(arrays)),
        indices_(arrays_.open("indices")),
        offsets_(arrays_.open("offsets")),
        length_(arrays_.list("length", max_recorded_steps)),
        end_length_(arrays_.number("end_length")) {
    for (const NpyArray* const array : {&indices_, &offsets_}) {
      if (array->header().shape.size() != 1)
        array->fail("has the shape " + shape_text(array->header().shape) +
                    "; a list is expected, flatten it.");
      if (array->header().is_bool) array->fail("has bools; whole numbers are expected.");
    }
    const auto layers = arrays_.count("layers"), heads = arrays_.count("heads");
    if (!layers || !heads)
      arrays_.fail(
          "has indices and lacks layers or heads; say how many sets a step has, 1 where one stands "
          "for all.");
    set_axes(*layers, *heads, arrays_.count("model_layers"), arrays_.count("model_heads"), name_);
    const std::uint64_t lists = length_.size() * axes().sets();
    if (offsets_.count() != lists + 1)
      offsets_.fail("has " + counted(offsets_.count(), "number") + "; " +
                    counted(length_.size(), "step") + " of " + std::to_string(*layers) + " × " +
                    std::to_string(*heads) + " sets ask for " + std::to_string(lists + 1) +
                    ", where each list begins and where the last one ends.");
    offsets_.read({&offset_, 1});
    if (offset_ != 0)
      offsets_.fail("begins with " + std::to_string(offset_) +
                    "; the first list begins at 0, correct it.");
    announce(length_, end_length_);
    if (length_.empty()) finish();
  }

  bool next(RecordedStep& step) override {
    if (step_ >= length_.size()) return grow(step);
    begin(step, length_[step_++], true);
    for (std::uint32_t set = 0; set < axes().sets(); ++set)
      read_list(step, set);
    if (step_ == length_.size()) finish();
    return true;
  }

 private:
  std::string step_place() const override {
    return indices_.place() + ": step " + std::to_string(step_ - 1);
  }

  std::string length_place() const override {
    if (step_ > length_.size()) return arrays_.place("end_length");
    return arrays_.place("length") + ": step " + std::to_string(step_ - 1);
  }

  bool grow(RecordedStep& step) {
    if (!end_length_ || step_ > length_.size()) return false;
    ++step_;
    begin(step, *end_length_, false);
    return true;
  }

  void read_list(RecordedStep& step, std::uint32_t set) {
    std::int64_t end = 0;
    offsets_.read({&end, 1});
    if (end < offset_)
      fail_set(set, "its list ends at " + std::to_string(end) + ", before it begins at " +
                        std::to_string(offset_) + "; offsets never fall, correct them.");
    if (static_cast<std::uint64_t>(end) > indices_.count())
      fail_set(set, "its list ends at " + std::to_string(end) + ", and indices has " +
                        counted(indices_.count(), "number") + "; correct offsets.");
    for (; offset_ < end;) {
      const auto now = static_cast<std::size_t>(std::min<std::int64_t>(end - offset_, 1 << 12));
      tokens_.resize(now);
      indices_.read(tokens_);
      for (const std::int64_t token : tokens_)
        keep(step, set, token);
      offset_ += static_cast<std::int64_t>(now);
    }
  }

  void finish() {
    if (static_cast<std::uint64_t>(offset_) != indices_.count())
      offsets_.fail("ends with " + std::to_string(offset_) + ", and indices has " +
                    counted(indices_.count(), "number") + "; the last one says how many.");
    indices_.finish();
    offsets_.finish();
  }

  NpzFile arrays_;
  NpyArray indices_, offsets_;
  std::vector<std::int64_t> length_;
  std::optional<std::int64_t> end_length_;
  std::size_t step_ = 0;     // read so far
  std::int64_t offset_ = 0;  // where the next list begins
  std::vector<std::int64_t> tokens_;
};

}  // namespace

std::unique_ptr<KeepSetReader> open_ragged_npz(NpzFile arrays, const std::filesystem::path& file) {
  return std::make_unique<RaggedReader>(std::move(arrays), file.string());
}

}  // namespace vacancy
