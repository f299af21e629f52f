// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/attention_memory.hpp"

#include <algorithm>

#include "sim/eviction/selection.hpp"
#include "sim/units/error.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

void check_memory_options(const std::string& place, const MemoryOptions& options) {
  const MemoryOptions unset;
  const auto refuse = [&](const char* key, const std::string& name) {
    throw UserError(place + "." + key + " belongs to memory " + name + ", and this one is " +
                    std::string(enum_name(options.memory)) + ". Set " + place + ".memory to " +
                    name + ", or remove it.");
  };
  if (options.half_life != unset.half_life && options.memory != MemoryKind::ema)
    refuse("half_life", "ema");
  if (options.memory_window != unset.memory_window && options.memory != MemoryKind::window &&
      options.memory != MemoryKind::future)
    refuse("memory_window", "window");
}

AttentionMemory::AttentionMemory(const AttentionShape& shape, const MemoryOptions& options)
    : options_(options),
      decay_(portable_pow(0.5, 1 / options.half_life)),
      kv_heads_(shape.kv_heads),
      sums_(std::size_t{shape.layers} * shape.kv_heads) {}

void AttentionMemory::advance(const SequenceAttention& attention, std::uint32_t length) {
  if (length <= length_) return;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const auto layer = static_cast<std::uint32_t>(i) / kv_heads_;
    const auto head = static_cast<std::uint32_t>(i) % kv_heads_;
    std::vector<double>& sums = sums_[i];
    sums.resize(length, 0.0);
    switch (options_.memory) {
      case MemoryKind::sum:
      case MemoryKind::per_age:
        attention.add_column_sums(layer, head, length_, length, sums);
        break;
      case MemoryKind::ema:
        add_decayed(attention, layer, head, length, sums);
        break;
      case MemoryKind::window:
        std::fill(sums.begin(), sums.end(), 0.0);
        attention.add_column_sums(layer, head, length - std::min(length, options_.memory_window),
                                  length, sums);
        break;
      case MemoryKind::future:
        add_future(attention, layer, head, length, sums);
        break;
    }
  }
  length_ = length;
}

/// s <- s * 2^(-1 / half_life) + a, query by query.
void AttentionMemory::add_decayed(const SequenceAttention& attention, std::uint32_t layer,
                                  std::uint32_t kv_head, std::uint32_t last,
                                  std::span<double> sums) {
  const std::uint32_t group = attention.shape().group();
  for (std::uint32_t query = length_; query < last; ++query) {
    for (std::size_t j = 0; j < query; ++j)
      sums[j] *= decay_;
    row_.resize(std::size_t{query} + 1);
    for (std::uint32_t member = 0; member < group; ++member) {
      attention.weights(layer, kv_head * group + member, query, row_);
      for (std::size_t j = 0; j < row_.size(); ++j)
        sums[j] += double{row_[j]};
    }
  }
}

void AttentionMemory::add_future(const SequenceAttention& attention, std::uint32_t layer,
                                 std::uint32_t kv_head, std::uint32_t length,
                                 std::vector<double>& sums) {
  const std::uint32_t first = known_ > length ? length : length - 1;
  const std::uint32_t last = std::min(std::max(known_, length), first + options_.memory_window);
  sums.assign(last, 0.0);
  attention.add_column_sums(layer, kv_head, first, last, sums);
  sums.resize(length);
}

void AttentionMemory::add_scores(std::uint32_t layer, std::uint32_t kv_head,
                                 std::span<const std::uint32_t> tokens,
                                 std::span<double> scores) const {
  const std::span<const double> sums = sums_[layer * kv_heads_ + kv_head];
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::uint32_t token = tokens[i];
    scores[i] +=
        options_.memory == MemoryKind::per_age ? sums[token] / (length_ - token) : sums[token];
  }
}

PolicyNeeds attention_memory_needs(const MemoryOptions& options) {
  PolicyNeeds needs;
  needs.features.weights = true;
  needs.every_row = true;
  if (options.memory == MemoryKind::future) needs.queries_ahead = options.memory_window;
  return needs;
}

void score_by_attention_memory(const EvictionRound& round, std::span<double> scores) {
  const auto& memory = static_cast<const AttentionMemory&>(*round.state);
  sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
    memory.add_scores(layer, head, round.live, sums);
  });
}

}  // namespace vacancy
