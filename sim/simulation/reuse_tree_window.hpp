// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sim/prefix/reuse_tree/reuse_tree_cache.hpp"
#include "sim/serving/request_source.hpp"
#include "sim/serving/trtllm/window_use.hpp"
#include "sim/simulation/replay.hpp"

namespace vacancy {

/// Protocol B (spec engines §6) on TensorRT-LLM's reuse tree: a request gets blocks for prompt and
/// all of its output but the last token at once; when they lack, or more than `window` are active,
/// the oldest finishes.
class ReuseTreeWindow final : public Replay {
 public:
  ReuseTreeWindow(const ReuseTreeOptions& options, std::uint32_t window,
                  std::unique_ptr<RequestSource> requests);

  bool serve() override;
  std::uint64_t requests() const override { return requests_; }
  Summary summary() const override;

  const reuse_tree::ReuseTreeCache& cache() const { return cache_; }

 private:
  /// Counts the contents that were given up for new ones. A leaf that a request takes in part is
  /// not among them.
  class Evictions final : public reuse_tree::Observer {
   public:
    void on_event(std::uint32_t window, const reuse_tree::Event& event) override;
    std::uint64_t blocks = 0;

   private:
    std::uint64_t removed_ = 0;  // since the last block was taken
  };

  void finish_oldest();

  ReuseTreeOptions options_;
  Evictions evictions_;
  reuse_tree::ReuseTreeCache cache_;
  WindowUse use_;
  std::uint32_t window_;
  std::unique_ptr<RequestSource> source_;
  std::deque<SequenceId> active_;
  std::vector<std::uint64_t> words_;  // scratch
  std::uint64_t requests_ = 0, rejected_ = 0, completed_ = 0;
  std::uint64_t hit_tokens_ = 0, query_tokens_ = 0, hit_blocks_ = 0, query_blocks_ = 0;
};

}  // namespace vacancy
