// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/recorded_source.hpp"

#include <algorithm>
#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {

namespace {

/// The first tokens of a recorded sequence. What is read a second time is no part of the recording:
/// that is a sequence of one's own.
class RecordedSequence final : public SequenceAttention {
 public:
  RecordedSequence(std::shared_ptr<const SequenceAttention> whole,
                   std::shared_ptr<const AttentionSource> source, SequenceId id)
      : whole_(std::move(whole)), source_(std::move(source)), id_(id) {}

  const AttentionShape& shape() const override { return whole_->shape(); }
  void advance(std::uint32_t length) override {
    VACANCY_ASSERT(length <= whole_->length(), "no longer than the source");
    length_ = std::max(length_, length);
  }
  std::uint32_t length() const override { return length_; }
  void weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
               std::span<float> row) const override {
    whole_->weights(layer, query_head, query, row);
  }
  void add_column_sums(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
                       std::uint32_t last, std::span<double> sums) const override {
    whole_->add_column_sums(layer, kv_head, first, last, sums);
  }
  void keys(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
            std::span<float> out) const override {
    whole_->keys(layer, kv_head, first, out);
  }
  void queries(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
               std::span<float> out) const override {
    whole_->queries(layer, query_head, first, out);
  }
  void values(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
              std::span<float> out) const override {
    whole_->values(layer, kv_head, first, out);
  }
  void reread(std::uint32_t context) override {
    if (!again_) again_ = source_->open(id_);
    again_->advance(context);
    again_->reread(context);
  }
  void reread_maxima(std::uint32_t layer, std::uint32_t kv_head,
                     std::span<double> maxima) const override {
    again_->reread_maxima(layer, kv_head, maxima);
  }

 private:
  std::shared_ptr<const SequenceAttention> whole_;
  std::shared_ptr<const AttentionSource> source_;
  SequenceId id_;
  std::unique_ptr<SequenceAttention> again_;  // once something was reread
  std::uint32_t length_ = 0;
};

}  // namespace

RecordedSource::RecordedSource(std::shared_ptr<const AttentionSource> source,
                               std::size_t most_sequences)
    : source_(std::move(source)), most_sequences_(most_sequences) {}

std::shared_ptr<RecordedSource::Recording> RecordedSource::recording(SequenceId id) const {
  const std::lock_guard lock(mutex_);
  if (const auto known = recordings_.find(id); known != recordings_.end()) return known->second;
  if (recordings_.size() >= most_sequences_) return nullptr;
  return recordings_.emplace(id, std::make_shared<Recording>()).first->second;
}

std::unique_ptr<SequenceAttention> RecordedSource::open(SequenceId id) const {
  const auto recording = this->recording(id);
  if (!recording) return source_->open(id);
  std::call_once(recording->made, [&] {
    auto sequence = source_->open(id);
    sequence->advance(source_->max_length());
    recording->sequence = std::move(sequence);
  });
  return std::make_unique<RecordedSequence>(recording->sequence, source_, id);
}

}  // namespace vacancy
