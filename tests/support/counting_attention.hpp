// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "sim/attention/attention.hpp"

namespace vacancy::test {

/// Another attention, and how often each of its softmax rows and each result of its second reading
/// was asked for.
class CountingAttention final : public SequenceAttention {
 public:
  explicit CountingAttention(const SequenceAttention& of) : of_(of) {}

  const AttentionShape& shape() const override { return of_.shape(); }
  void advance(std::uint32_t) override {}
  std::uint32_t length() const override { return of_.length(); }
  void weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
               std::span<float> row) const override {
    ++rows_[{layer, query_head, query}];
    of_.weights(layer, query_head, query, row);
  }
  void keys(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
            std::span<float> out) const override {
    of_.keys(layer, kv_head, first, out);
  }
  void queries(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
               std::span<float> out) const override {
    of_.queries(layer, query_head, first, out);
  }
  void values(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
              std::span<float> out) const override {
    of_.values(layer, kv_head, first, out);
  }
  void reread(std::uint32_t) override {}
  void reread_maxima(std::uint32_t layer, std::uint32_t kv_head,
                     std::span<double> maxima) const override {
    ++maxima_[{layer, kv_head}];
    of_.reread_maxima(layer, kv_head, maxima);
  }

  /// Different softmax rows, and how often the one most asked for was.
  std::size_t rows() const { return rows_.size(); }
  std::uint32_t most_reads() const {
    std::uint32_t most = 0;
    for (const auto& [row, reads] : rows_)
      most = std::max(most, reads);
    for (const auto& [head, reads] : maxima_)
      most = std::max(most, reads);
    return most;
  }

 private:
  const SequenceAttention& of_;
  mutable std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> rows_;
  mutable std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> maxima_;
};

}  // namespace vacancy::test
