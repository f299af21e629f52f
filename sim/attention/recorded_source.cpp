// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/recorded_source.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/units/error.hpp"

namespace vacancy {

/// A sequence up to its source's end, and rows of weights that were asked for.
class RecordedSource::Recording {
 public:
  void make(const RecordedSource& source, SequenceId id) {
    std::call_once(made_, [&] {
      sequence_ = source.source_->open(id);
      sequence_->advance(source.source_->max_length());
      const AttentionShape& shape = sequence_->shape();
      parts_of_head_ = (sequence_->length() + queries_of_part - 1) / queries_of_part;
      parts_ = std::vector<Part>(std::size_t{shape.layers} * shape.query_heads * parts_of_head_);
    });
  }
  const SequenceAttention& sequence() const { return *sequence_; }

  void weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
               std::span<float> row, std::atomic<std::size_t>& bytes_left) {
    const std::uint32_t first = query / queries_of_part * queries_of_part;
    Part& part =
        parts_[(std::size_t{layer} * sequence_->shape().query_heads + query_head) * parts_of_head_ +
               query / queries_of_part];
    std::call_once(part.made, [&] {
      const std::uint32_t last = std::min(first + queries_of_part, sequence_->length());
      const std::size_t size = row_begin(last) - row_begin(first), bytes = size * sizeof(float);
      std::size_t left = bytes_left;
      while (left >= bytes && !bytes_left.compare_exchange_weak(left, left - bytes)) {
      }
      if (left < bytes) return;
      part.rows.resize(size);
      for (std::uint32_t i = first; i < last; ++i)
        sequence_->weights(
            layer, query_head, i,
            std::span(part.rows).subspan(row_begin(i) - row_begin(first), std::size_t{i} + 1));
    });
    if (part.rows.empty())
      sequence_->weights(layer, query_head, query, row);
    else
      std::copy_n(part.rows.data() + (row_begin(query) - row_begin(first)), row.size(),
                  row.begin());
  }

 private:
  /// Few policies read all rows, and many only the last ones.
  static constexpr std::uint32_t queries_of_part = 64;
  struct Part {
    std::once_flag made;
    std::vector<float> rows;  // row behind row; empty where they are not kept
  };
  /// Weights before those of a query: its own row has query + 1.
  static std::size_t row_begin(std::size_t query) { return query * (query + 1) / 2; }

  std::once_flag made_;
  std::unique_ptr<SequenceAttention> sequence_;
  std::uint32_t parts_of_head_ = 0;
  std::vector<Part> parts_;
};

/// The first tokens of a recorded sequence. What is read a second time is no part of the recording:
/// that is a sequence of one's own.
class RecordedSequence final : public SequenceAttention {
 public:
  RecordedSequence(std::shared_ptr<RecordedSource::Recording> recording,
                   const RecordedSource& source, SequenceId id)
      : recording_(std::move(recording)),
        whole_(recording_->sequence()),
        source_(source.source_),
        row_bytes_left_(source.row_bytes_left_),
        id_(id) {}

  const AttentionShape& shape() const override { return whole_.shape(); }
  void advance(std::uint32_t length) override {
    VACANCY_ASSERT(length <= whole_.length(), "no longer than the source");
    length_ = std::max(length_, length);
  }
  std::uint32_t length() const override { return length_; }
  void weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
               std::span<float> row) const override {
    recording_->weights(layer, query_head, query, row, row_bytes_left_);
  }
  void keys(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
            std::span<float> out) const override {
    whole_.keys(layer, kv_head, first, out);
  }
  void queries(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
               std::span<float> out) const override {
    whole_.queries(layer, query_head, first, out);
  }
  void values(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
              std::span<float> out) const override {
    whole_.values(layer, kv_head, first, out);
  }
  void output_norms(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
                    std::span<double> norms) const override {
    whole_.output_norms(layer, query_head, first, norms);
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
  std::shared_ptr<RecordedSource::Recording> recording_;
  const SequenceAttention& whole_;
  std::shared_ptr<const AttentionSource> source_;
  std::atomic<std::size_t>& row_bytes_left_;
  SequenceId id_;
  std::unique_ptr<SequenceAttention> again_;  // once something was reread
  std::uint32_t length_ = 0;
};

RecordedSource::RecordedSource(std::shared_ptr<const AttentionSource> source,
                               std::size_t most_sequences, std::size_t most_row_bytes)
    : source_(std::move(source)),
      most_sequences_(most_sequences),
      row_bytes_left_(most_row_bytes) {}

std::shared_ptr<RecordedSource::Recording> RecordedSource::recording(SequenceId id) const {
  const std::lock_guard lock(mutex_);
  if (const auto known = recordings_.find(id); known != recordings_.end()) return known->second;
  if (recordings_.size() >= most_sequences_) return nullptr;
  return recordings_.emplace(id, std::make_shared<Recording>()).first->second;
}

std::unique_ptr<SequenceAttention> RecordedSource::open(SequenceId id) const {
  const auto recording = this->recording(id);
  if (!recording) return source_->open(id);
  recording->make(*this, id);
  return std::make_unique<RecordedSequence>(recording, *this, id);
}

}  // namespace vacancy
