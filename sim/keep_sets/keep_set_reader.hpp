// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/keep_sets/keep_set_axes.hpp"
#include "sim/keep_sets/replay_memory.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy {

/// Tokens of a sequence that a file may claim, its steps where their lengths are a list, and
/// (layer, KV head, token) triples of its model: memory is taken for them.
inline constexpr std::uint32_t max_recorded_tokens = 1u << 24;
inline constexpr std::uint32_t max_recorded_steps = 1u << 24;
inline constexpr std::uint64_t max_recorded_slots = std::uint64_t{1} << 28;
/// Layers and KV heads of a model.
inline constexpr std::uint32_t max_recorded_axis = 4096;

/// A moment of a recorded sequence: it has `length` tokens, evicted ones included, and, unless it
/// only grew, each set keeps some of them.
struct RecordedStep {
  std::uint32_t length = 0;
  bool evicts = false;
  std::vector<std::uint64_t> kept;  // masks over positions, one set behind the other

  std::span<std::uint64_t> mask(std::size_t set) {
    return std::span(kept).subspan(set * bits::words(length), bits::words(length));
  }
  std::span<const std::uint64_t> mask(std::size_t set) const {
    return std::span(kept).subspan(set * bits::words(length), bits::words(length));
  }
};

/// Reads recorded keep sets step by step (docs/formats/keep_sets.md). Knows the form of the file;
/// what steps mean to one another is KeepHistory's to check. Faults are UserErrors with their
/// place.
class KeepSetReader {
 public:
  virtual ~KeepSetReader() = default;

  const KeepSetAxes& axes() const { return axes_; }
  /// What the file does not say of its model; throws UserError where it says something else.
  void set_model(std::uint32_t layers, std::uint32_t heads, const std::string& model);
  /// From now on a length that needs more memory is refused before any of it is taken; at once
  /// where the file says beforehand how long the sequence becomes.
  void set_limit(MemoryLimit limit);
  /// False at the end.
  virtual bool next(RecordedStep& step) = 0;

  /// Throws UserError about the step that was read last, its length, or a set or a token in it.
  [[noreturn]] void fail_step(const std::string& sentence) const;
  [[noreturn]] void fail_length(const std::string& sentence) const;
  [[noreturn]] void fail_set(std::uint32_t set, const std::string& sentence) const;
  [[noreturn]] void fail_token(std::uint32_t set, std::uint64_t token,
                               const std::string& sentence) const;

 protected:
  explicit KeepSetReader(std::string name) : name_(std::move(name)) {}
  /// "my.npz: keep.npy: step 3", "my.jsonl:4"
  virtual std::string step_place() const = 0;
  /// Where the step's length stands: "my.npz: length.npy: step 3".
  virtual std::string length_place() const { return step_place(); }
  /// The lengths of an .npz file, of which one may stand for all steps; without an array, none.
  void announce(std::span<const std::int64_t> lengths, std::optional<std::int64_t> end_length);
  /// Counts of the model as the file says them; nothing where it is silent.
  void set_axes(std::uint64_t layers, std::uint64_t heads,
                std::optional<std::uint64_t> model_layers, std::optional<std::uint64_t> model_heads,
                const std::string& place);
  /// Makes room for a step of so many tokens, none of them kept yet.
  void begin(RecordedStep& step, std::int64_t length, bool evicts) const;
  /// A list of kept tokens names this one.
  void keep(RecordedStep& step, std::uint32_t set, std::int64_t token) const;
  [[noreturn]] void fail_beyond(const RecordedStep& step, std::uint32_t set,
                                std::uint64_t token) const;

  std::string name_;

 private:
  /// What more than the limit would be needed for.
  std::optional<std::string> excess(std::uint32_t tokens) const;

  KeepSetAxes axes_;
  std::optional<MemoryLimit> limit_;
  std::uint32_t announced_ = 0;                      // tokens
  bool layers_known_ = false, heads_known_ = false;  // of the model
};

}  // namespace vacancy
