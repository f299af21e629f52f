// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "sim/attention/attention.hpp"

namespace vacancy {

/// Computes each sequence of a source once, up to the source's end, for all runs that open it, in
/// any thread; rows of weights, which are larger than all else, when they are first asked for. For
/// sources whose sequences are short and are only read once they have their length: of their
/// queries and rows nothing may depend on later tokens.
class RecordedSource final : public AttentionSource {
 public:
  /// Keeps at most so many sequences, and of their rows so many bytes; the others are opened and
  /// computed anew each time.
  RecordedSource(std::shared_ptr<const AttentionSource> source, std::size_t most_sequences,
                 std::size_t most_row_bytes);

  AttentionShape shape() const override { return source_->shape(); }
  AttentionFeatures features() const override {
    AttentionFeatures features = source_->features();
    features.own_trajectory = false;  // a recording is what everybody reads
    return features;
  }
  double rope_theta() const override { return source_->rope_theta(); }
  std::uint32_t max_length() const override { return source_->max_length(); }
  std::unique_ptr<SequenceAttention> open(SequenceId id) const override;

 private:
  class Recording;
  friend class RecordedSequence;
  /// Null where there are enough already.
  std::shared_ptr<Recording> recording(SequenceId id) const;

  std::shared_ptr<const AttentionSource> source_;
  std::size_t most_sequences_;
  mutable std::atomic<std::size_t> row_bytes_left_;
  mutable std::mutex mutex_;
  mutable std::map<SequenceId, std::shared_ptr<Recording>> recordings_;
};

}  // namespace vacancy
