// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/prefix/reuse_tree/memory_split.hpp"
#include "sim/prefix/reuse_tree/reuse_tree_cache.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/serving/request.hpp"

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

template <>
struct EnumNames<reuse_tree::MemoryShare> {
  static constexpr EnumName<reuse_tree::MemoryShare> table[] = {
      {reuse_tree::MemoryShare::equal, "equal"},
      {reuse_tree::MemoryShare::window_bytes, "window_bytes"}};
};

/// The window of layers with full attention: longer than any sequence.
inline constexpr std::uint32_t full_window = 1u << 30;

/// The layers of one window size, and the blocks that they got.
struct WindowPool {
  std::uint32_t window = full_window;  // tokens
  reuse_tree::PoolBlocks blocks;
  Bytes token_bytes;  // of these layers together

  bool operator==(const WindowPool&) const = default;
};

/// T12: what every request asks for its blocks. Without a priority they have the default one,
/// without seconds they keep theirs for ever.
struct RetentionOptions {
  std::optional<std::uint32_t> prompt_priority;
  std::optional<double> prompt_seconds;
  std::optional<std::uint32_t> prompt_tokens;  // of these leading tokens only
  std::optional<std::uint32_t> decode_priority;
  std::optional<double> decode_seconds;
};

reuse_tree::Retention retention_of(const RetentionOptions& options);

/// The choices of TensorRT-LLM's memory manager.
struct ReuseTreeOptions {
  std::uint32_t block_size = 32;
  std::vector<WindowPool> windows;  // ascending
  bool reuse = true;
  CapacityPolicy capacity = CapacityPolicy::guaranteed_no_evict;
  reuse_tree::MemoryShare window_share = reuse_tree::MemoryShare::equal;
  /// T4: free blocks of a lower priority are not worth the way to the host.
  std::uint32_t offload_threshold = 30;
  bool onboarding = true;  // false: the host's memory is not used
  bool partial_reuse = true;
  bool copy_on_partial_reuse = true;  // false: only a free leaf of the tree is reused in part
  RetentionOptions retention = {};

  bool has_host_memory() const;
};

/// Contents are told apart by key.
reuse_tree::CacheOptions cache_options(const ReuseTreeOptions& options);
/// A request's first `tokens` tokens as a prompt. `words` gets the keys of its leading full blocks;
/// the result refers to it.
reuse_tree::NewSequence as_prompt(const Request& request, std::uint32_t tokens,
                                  std::uint32_t block_size, std::vector<std::uint64_t>& words);

}  // namespace vacancy
