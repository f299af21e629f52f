// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/keep_sets/file_forms.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

/// Elements of an array in Fortran order, which is put into C order in memory, a bit each.
constexpr std::uint64_t max_reordered = std::uint64_t{1} << 31;

/// What an .npz file says besides; an .npy file says nothing.
struct Besides {
  std::vector<std::int64_t> length;  // one a step, or one for all; empty: all tokens
  std::optional<std::int64_t> end_length;
  std::optional<std::uint64_t> model_layers, model_heads;
};

/// [steps, layers, heads, tokens] of what an array's shape says.
std::array<std::uint64_t, 4> four_axes(const NpyArray& keep) {
  const auto& shape = keep.header().shape;
  switch (shape.size()) {
    case 1:
      return {1, 1, 1, shape[0]};
    case 2:
      return {shape[0], 1, 1, shape[1]};
    case 3:
      return {1, shape[0], shape[1], shape[2]};
    case 4:
      return {shape[0], shape[1], shape[2], shape[3]};
    default:
      keep.fail("has the shape " + shape_text(shape) +
                "; [tokens], [steps, tokens], [layers, heads, tokens] or [steps, layers, heads, "
                "tokens] is expected.");
  }
}

class DenseReader final : public KeepSetReader {
 public:
  DenseReader(std::string name, NpyArray keep, Besides besides, std::optional<NpzFile> arrays)
      : KeepSetReader(std::move(name)),
        arrays_(std::move(arrays)),
        keep_(std::move(keep)),
        besides_(std::move(besides)) {
    const auto [steps, layers, heads, tokens] = four_axes(keep_);
    steps_ = steps;
    if (tokens < 1 || tokens > max_recorded_tokens)
      keep_.fail("has " + counted(tokens, "token") + " on its last axis; 1 to " +
                 format_count(max_recorded_tokens) + " are read.");
    tokens_ = static_cast<std::uint32_t>(tokens);
    set_axes(layers, heads, besides_.model_layers, besides_.model_heads, keep_.place());
    if (besides_.length.empty()) besides_.length.push_back(tokens_);
    if (besides_.length.size() != 1 && besides_.length.size() != steps_)
      keep_.fail("has " + counted(steps_, "step") + ", and length " +
                 counted(besides_.length.size(), "number") +
                 "; give one number for each step, or one for all.");
    announce(besides_.length, besides_.end_length);
    row_.resize(bits::words(tokens_));
    if (keep_.header().fortran_order && keep_.count() > 0) reorder();
  }

  bool next(RecordedStep& step) override {
    if (step_ >= steps_) return grow(step);
    const std::int64_t length = besides_.length[besides_.length.size() == 1 ? 0 : step_];
    ++step_;
    begin(step, length, true);
    if (step.length > tokens_)
      fail_length("says a length of " + std::to_string(length) + ", and keep has " +
                  counted(tokens_, "token") + " on its last axis; correct one of them.");
    for (std::uint32_t set = 0; set < axes().sets(); ++set) {
      read_row(set);
      const std::uint64_t end = row_end(step.length);
      if (end < tokens_) fail_beyond(step, set, end);
      std::copy_n(row_.begin(), bits::words(step.length), step.mask(set).begin());
    }
    if (step_ == steps_ && reordered_.empty()) keep_.finish();
    return true;
  }

 private:
  std::string step_place() const override {
    return keep_.place() + ": step " + std::to_string(step_ - 1);
  }

  std::string length_place() const override {
    if (!arrays_) return step_place();
    if (grown_) return arrays_->place("end_length");
    if (!arrays_->has("length")) return step_place();
    return arrays_->place("length") + ": step " + std::to_string(step_ - 1);
  }

  /// The first token of the row at or beyond `length`; the row's end if there is none.
  std::uint64_t row_end(std::uint32_t length) const {
    std::uint64_t first = tokens_;
    if (bits::count_range(row_, length, tokens_) > 0)
      bits::for_each(row_, length, tokens_,
                     [&](std::size_t token) { first = std::min<std::uint64_t>(first, token); });
    return first;
  }

  bool grow(RecordedStep& step) {
    if (!besides_.end_length || grown_) return false;
    grown_ = true;
    ++step_;
    begin(step, *besides_.end_length, false);
    return true;
  }

  void read_row(std::uint32_t set) {
    if (!reordered_.empty()) {
      std::uint64_t from = ((step_ - 1) * axes().sets() + set) * tokens_;
      for (std::uint32_t token = 0; token < tokens_; ++token, ++from)
        bits::assign(row_, token, bits::test(reordered_, from));
      return;
    }
    const std::uint64_t wrong = keep_.read_flags(row_, tokens_);
    if (wrong < tokens_) fail_token(set, wrong, flag_sentence);
  }

  /// Reads all of an array whose first axis runs fastest.
  void reorder() {
    const std::uint64_t count = keep_.count();
    if (count > max_reordered)
      keep_.fail("is in Fortran order and has " + format_count(count) +
                 " elements, too many to reorder; save numpy.ascontiguousarray of it.");
    const auto shape = four_axes(keep_);
    std::array<std::uint64_t, 4> at{}, stride{};
    for (std::size_t axis = 4, size = 1; axis-- > 0; size *= shape[axis])
      stride[axis] = size;
    reordered_.resize(bits::words(count));
    std::vector<std::uint64_t> flag(1);
    for (std::uint64_t i = 0, place = 0; i < count; ++i) {
      if (keep_.read_flags(flag, 1) != 1) {
        step_ = at[0] + 1;
        fail_token(static_cast<std::uint32_t>(at[1] * shape[2] + at[2]), at[3], flag_sentence);
      }
      if (flag[0] != 0) bits::set(reordered_, place);
      for (std::size_t axis = 0; axis < 4; ++axis) {
        place += stride[axis];
        if (++at[axis] < shape[axis]) break;
        place -= stride[axis] * shape[axis];
        at[axis] = 0;
      }
    }
    keep_.finish();
  }

  static constexpr const char* flag_sentence =
      "is neither 0 nor 1; keep says for each token whether it stays.";

  std::optional<NpzFile> arrays_;  // where the array is read from
  NpyArray keep_;
  Besides besides_;
  std::uint64_t steps_ = 0, step_ = 0;  // step_: read so far
  std::uint32_t tokens_ = 0;
  bool grown_ = false;
  std::vector<std::uint64_t> row_, reordered_;
};

}  // namespace

std::unique_ptr<KeepSetReader> open_dense_npy(const std::filesystem::path& file) {
  const auto stream = std::make_shared<std::ifstream>(file, std::ios::binary);
  const auto input = [stream](std::span<std::byte> out) {
    stream->read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
    return static_cast<std::size_t>(stream->gcount());
  };
  NpyArray keep(input, std::filesystem::file_size(file), file.string());
  return std::make_unique<DenseReader>(file.string(), std::move(keep), Besides{}, std::nullopt);
}

std::unique_ptr<KeepSetReader> open_dense_npz(NpzFile arrays, const std::filesystem::path& file) {
  for (const char* const array : {"layers", "heads", "offsets"})
    if (arrays.has(array))
      arrays.fail(std::string("has keep and ") + array +
                  ", which goes with indices; keep has axes of its own. Leave it out.");
  Besides besides{arrays.has("length") ? arrays.list("length", max_recorded_steps)
                                       : std::vector<std::int64_t>(),
                  arrays.number("end_length"), arrays.count("model_layers"),
                  arrays.count("model_heads")};
  if (arrays.has("length") && besides.length.empty())
    arrays.fail("length.npy is empty; give the tokens at each step.");
  NpyArray keep = arrays.open("keep");
  return std::make_unique<DenseReader>(file.string(), std::move(keep), std::move(besides),
                                       std::move(arrays));
}

}  // namespace vacancy
