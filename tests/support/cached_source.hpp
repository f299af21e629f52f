// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "sim/attention/attention.hpp"

namespace vacancy::test {

/// Opens every sequence of a source once, so that many runs over the same sequences do not compute
/// them again. Allowed because a sequence is a function of (source, id). One thread.
class CachedSource final : public AttentionSource {
 public:
  explicit CachedSource(std::shared_ptr<const AttentionSource> source)
      : source_(std::move(source)) {}

  AttentionShape shape() const override { return source_->shape(); }
  AttentionFeatures features() const override { return source_->features(); }
  std::uint32_t max_length() const override { return source_->max_length(); }
  std::unique_ptr<SequenceAttention> open(SequenceId id) const override {
    auto& opened = opened_[id];
    if (!opened) opened = source_->open(id);
    return std::make_unique<View>(opened);
  }

 private:
  class View final : public SequenceAttention {
   public:
    explicit View(std::shared_ptr<SequenceAttention> inner) : inner_(std::move(inner)) {}
    const AttentionShape& shape() const override { return inner_->shape(); }
    void advance(std::uint32_t length) override { inner_->advance(length); }
    std::uint32_t length() const override { return inner_->length(); }
    void weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
                 std::span<float> row) const override {
      inner_->weights(layer, query_head, query, row);
    }
    void add_column_sums(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
                         std::uint32_t last, std::span<double> sums) const override {
      inner_->add_column_sums(layer, kv_head, first, last, sums);
    }
    void keys(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
              std::span<float> out) const override {
      inner_->keys(layer, kv_head, first, out);
    }
    void queries(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
                 std::span<float> out) const override {
      inner_->queries(layer, query_head, first, out);
    }
    void values(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
                std::span<float> out) const override {
      inner_->values(layer, kv_head, first, out);
    }

   private:
    std::shared_ptr<SequenceAttention> inner_;
  };

  std::shared_ptr<const AttentionSource> source_;
  mutable std::map<SequenceId, std::shared_ptr<SequenceAttention>> opened_;
};

}  // namespace vacancy::test
