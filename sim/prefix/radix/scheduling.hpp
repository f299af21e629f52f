// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/prefix/radix/radix_tree.hpp"
#include "sim/units/philox.hpp"

namespace vacancy {

// What SGLang's scheduler decides around the radix cache (spec engines S12, S13), as functions of
// what it looks at. Orders are lists of indices into the arguments.

/// Admission counts at most so many tokens of output still to come; a request may generate more.
inline constexpr std::uint32_t clipped_new_tokens = 4096;

/// S12: whether a waiting request is admitted that has `extend_tokens` of its prompt to compute and
/// up to `new_tokens` to generate. `reserved`: what the running requests may still take, as the
/// scheduler estimates it.
bool admission_fits(std::uint64_t extend_tokens, std::uint32_t new_tokens, std::uint32_t page_size,
                    std::uint64_t free_tokens, std::uint64_t evictable_tokens,
                    std::uint64_t reserved);

struct RunningLengths {
  std::uint32_t input_tokens = 0;   // the prompt
  std::uint32_t output_tokens = 0;  // generated so far
};

/// S13: who is retracted, first to last, when decoding lacks slots: least output first, on ties the
/// longest input, then the later in the batch. The one that remains when all others are gone is not
/// in the list. A retracted request's tokens do not enter the tree: RadixCache::finish without
/// insertion.
std::vector<std::uint32_t> retraction_order(std::span<const RunningLengths> running);

/// The order in which waiting requests are considered (S12).
enum class QueuePolicy {
  lpm,         // longest prefix match first
  dfs_weight,  // depth first, subtrees that more requests wait for first
  fcfs,        // as they came
  lof,         // longest output first
  random
};

inline constexpr std::array<std::string_view, 5> queue_policy_names = {"lpm", "dfs-weight", "fcfs",
                                                                       "lof", "random"};

std::optional<QueuePolicy> queue_policy(std::string_view name);

/// With more waiting requests than this, lpm is too dear and the queue stays as it is.
inline constexpr std::size_t lpm_queue_limit = 128;

/// The policy that holds for a queue of this length.
QueuePolicy effective_queue_policy(QueuePolicy policy, std::size_t queue_length);

/// In-batch prefix caching, lengths in tokens.
struct InBatchThresholds {
  std::uint32_t check = 32;     // requests with more than this in the tree are not looked at
  std::uint32_t postpone = 32;  // as much in common with one before it sends a request to the end
};

struct WaitingPrefix {
  NamespaceId name_space;
  TokenView tokens;                  // what its lookup was given
  std::uint32_t matched_tokens = 0;  // in the tree
};

/// Which requests find little in the tree but much in the prompt of one that waits before them:
/// it is better that the first of them runs alone and the others hit what it computed.
std::vector<bool> in_batch_duplicates(std::span<const WaitingPrefix> waiting,
                                      const InBatchThresholds& thresholds = {});

/// lpm: most matched tokens first, `last` ones at the end; equals stay in the order they came.
std::vector<std::uint32_t> longest_prefix_order(std::span<const std::uint32_t> matched_tokens,
                                                const std::vector<bool>& last);

/// dfs-weight: `nodes` are where the requests' lookups ended. Children that more requests wait for
/// come first, equals in the order in which the tree got them; after all that is below a node come
/// its own requests.
std::vector<std::uint32_t> dfs_weight_order(const RadixTree& tree,
                                            std::span<const RadixNodeId> nodes);

/// lof: `new_tokens` are the requests' limits of output.
std::vector<std::uint32_t> longest_output_order(std::span<const std::uint32_t> new_tokens);

/// random: a permutation that depends on (key, round) alone. The engine's own draws cannot be
/// repeated.
std::vector<std::uint32_t> random_order(std::uint32_t count, PhiloxKey key, std::uint32_t round);

}  // namespace vacancy
