// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sim/serving/cache_manager.hpp"
#include "sim/serving/trtllm/reuse_tree_options.hpp"
#include "sim/serving/trtllm/table_events.hpp"
#include "sim/serving/trtllm/window_use.hpp"

namespace vacancy {

/// TensorRT-LLM's memory manager and capacity scheduler (spec engines T1–T14).
/// A paused request leaves its blocks in the tree, but not before its prompt is computed. Each
/// window size has a pool and a table of its own (TableEvents says how they are named).
class ReuseTreeManager final : public CacheManager {
 public:
  ReuseTreeManager(const ReuseTreeOptions& options, vacancy::Observer& observer);

  void advance(SimTime now) override { cache_.set_time(now); }
  void begin_step() override;
  bool postpones(const Request& request, std::uint32_t known) override;
  std::uint32_t lookup(const Request& request, std::uint32_t known) override;
  bool admit(const Request& request, std::uint32_t known, std::uint32_t count,
             bool others_run) override;
  std::uint32_t taken(const Request& request, std::uint32_t found) const override;
  bool extend(const Request& request, std::uint32_t computed, std::uint32_t count,
              std::uint32_t known) override;
  void produced(const Request& request, std::uint32_t known) override;
  void preempt(const Request& request) override;
  void finish(const Request& request) override;

  HostTraffic take_host_traffic() override;

  std::uint32_t context(const Request& request) const override {
    return running_.at(request.id).computed;
  }
  /// Of all window sizes together, as the engine counts.
  std::uint32_t used_blocks() const override { return use_.held_blocks(); }
  std::uint32_t free_blocks() const override { return use_.free_blocks(); }
  double usage() const override;
  CacheGauges gauges() const override;
  std::vector<SharingNode> sharing() const override { return events_.sharing(); }
  std::vector<WindowFigures> windows() const override { return use_.figures(); }
  const KvCache* cache() const override { return nullptr; }
  KvCache* cache() override { return nullptr; }

  const reuse_tree::ReuseTreeCache& tree() const { return cache_; }

 private:
  struct Running {
    std::uint32_t prompt = 0;  // tokens that were known at its admission
    std::uint32_t final_length = 0;
    std::uint32_t hit = 0;
    std::uint32_t computed = 0;
    bool prefilling = true;
  };
  bool fits(const Request& request, std::uint32_t known);
  /// Whether every window size has room for all that this one and those that run will ever take.
  bool fits_to_completion(const reuse_tree::CapacityRequest& request);
  void release(const Request& request, bool keep, FreeCause cause);

  ReuseTreeOptions options_;
  reuse_tree::Retention retention_;
  vacancy::Observer& observer_;
  TableEvents events_;
  reuse_tree::ReuseTreeCache cache_;
  WindowUse use_;
  std::map<SequenceId, Running> running_;
  std::vector<std::uint64_t> words_;  // scratch
  /// T13: what requests before the next one in this step are about to create.
  std::optional<std::vector<reuse_tree::NewContextBlock>> new_blocks_;
  HostTraffic host_traffic_;  // told by take_host_traffic()
  // Scratch.
  std::vector<std::span<const BlockId>> held_;
  std::vector<std::int64_t> spare_;
};

}  // namespace vacancy
