// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/prefix/reuse_tree/reuse_tree_cache.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/serving/cache_manager.hpp"

namespace vacancy {

/// T13: what an admission asks for.
enum class CapacityPolicy {
  guaranteed_no_evict,  // room for the whole output of it and of all that run
  max_utilization,      // room for its prompt; requests pause when blocks run out
  static_batch          // the first, and that nothing decodes
};

template <>
struct EnumNames<CapacityPolicy> {
  static constexpr EnumName<CapacityPolicy> table[] = {
      {CapacityPolicy::guaranteed_no_evict, "guaranteed_no_evict"},
      {CapacityPolicy::max_utilization, "max_utilization"},
      {CapacityPolicy::static_batch, "static_batch"}};
};

/// The choices of TensorRT-LLM's memory manager.
struct ReuseTreeOptions {
  std::uint32_t block_size = 32;
  std::uint32_t blocks = 0;
  bool reuse = true;
  CapacityPolicy capacity = CapacityPolicy::guaranteed_no_evict;
};

/// One window size, as long as any sequence; contents are told apart by key.
reuse_tree::CacheOptions cache_options(const ReuseTreeOptions& options);
/// A request's first `tokens` tokens as a prompt. `words` gets the keys of its leading full blocks;
/// the result refers to it.
reuse_tree::NewSequence as_prompt(const Request& request, std::uint32_t tokens,
                                  std::uint32_t block_size, std::vector<std::uint64_t>& words);

/// TensorRT-LLM's memory manager and capacity scheduler (spec engines T1–T14) without host memory
/// and sliding windows. A paused request leaves its blocks in the tree, but not before its prompt
/// is computed.
class ReuseTreeManager final : public CacheManager, private reuse_tree::Observer {
 public:
  ReuseTreeManager(const ReuseTreeOptions& options, vacancy::Observer& observer);

  void begin_step() override;
  bool postpones(const Request& request, std::uint32_t known) override;
  std::uint32_t lookup(const Request& request, std::uint32_t known) override;
  bool admit(const Request& request, std::uint32_t known, std::uint32_t count,
             bool others_run) override;
  bool extend(const Request& request, std::uint32_t computed, std::uint32_t count,
              std::uint32_t known) override;
  void produced(const Request& request, std::uint32_t known) override;
  void preempt(const Request& request) override;
  void finish(const Request& request) override;

  std::uint32_t context(const Request& request) const override {
    return running_.at(request.id).computed;
  }
  std::uint32_t used_blocks() const override { return options_.blocks - free_blocks(); }
  std::uint32_t free_blocks() const override { return window().free_blocks(); }
  double usage() const override;
  CacheGauges gauges() const override;
  /// A node for each block, siblings by block id.
  std::vector<SharingNode> sharing() const override;
  const KvCache* cache() const override { return nullptr; }
  KvCache* cache() override { return nullptr; }

  const reuse_tree::ReuseTreeCache& tree() const { return cache_; }

 private:
  struct Running {
    std::uint32_t prompt = 0;  // tokens that were known at its admission
    std::uint32_t final_length = 0;
    std::uint32_t computed = 0;
    bool prefilling = true;
  };
  void on_event(std::uint32_t window, const reuse_tree::Event& event) override;
  const reuse_tree::WindowBlockManager& window() const { return cache_.windows().front(); }
  bool fits(const Request& request, std::uint32_t known) const;
  /// Blocks that the running requests will still take.
  std::uint64_t reserved() const;
  void tell_adopted(SequenceId id);
  void release(const Request& request, bool keep, FreeCause cause);

  ReuseTreeOptions options_;
  vacancy::Observer& observer_;
  reuse_tree::ReuseTreeCache cache_;
  std::map<SequenceId, Running> running_;
  std::vector<std::uint64_t> words_;  // scratch
  /// T13: what requests before the next one in this step are about to create.
  std::optional<std::vector<reuse_tree::NewContextBlock>> new_blocks_;
  std::uint64_t peak_blocks_ = 0;
  std::vector<std::uint64_t> hits_;  // by block: admissions that found it whole
  // Scratch of events.
  std::vector<BlockId> removed_, adopted_, let_go_;
  std::vector<std::uint32_t> entries_;
  std::uint32_t freed_ = 0;
};

}  // namespace vacancy
