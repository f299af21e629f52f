// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "sim/eviction/policy.hpp"
#include "sim/eviction/trigger.hpp"
#include "sim/pool/cache_layout.hpp"
#include "sim/registry/entry.hpp"

namespace vacancy {

/// Where the prompt stands (contract §2).
enum class PromptRule { evictable, pinned_inside, pinned_outside };

template <>
struct EnumNames<PromptRule> {
  static constexpr EnumName<PromptRule> table[] = {{PromptRule::evictable, "evictable"},
                                                   {PromptRule::pinned_inside, "pinned_inside"},
                                                   {PromptRule::pinned_outside, "pinned_outside"}};
};

/// What a policy is made with besides its own parameters.
struct PolicyContext {
  std::uint64_t seed = 0;
  std::uint32_t layers = 0, query_heads = 0, kv_heads = 0, head_dim = 0;
  /// Base of the rotary embedding that the keys carry; 0 = none.
  double rope_theta = 0;
  bool half_rotary = true;                   // how their components pair, see AttentionFeatures
  std::uint32_t block_size = 0, budget = 0;  // of the scenario; 0 = not known
  /// Turns a path of the scenario file into one that can be opened.
  std::function<std::filesystem::path(const std::string&)> resolve_path;
  /// Takes what the user should know and no file says; may be absent.
  std::function<void(std::string)> note;
};

/// A registered policy and the defaults of its method (spec policies §2–4).
struct PolicyEntry {
  EntryInfo info;
  Scope scope = Scope::model;
  PromptRule prompt = PromptRule::evictable;
  TriggerKind trigger = TriggerKind::slack;
  OnceAt once = OnceAt::sequence_end;  // where the trigger `once` fires unless the user says
  /// Options that contradict each other or name an unreadable file throw UserError.
  std::unique_ptr<EvictionPolicy> (*make)(const ParameterValues&, const PolicyContext&) = nullptr;
};

/// All policies, in the order in which `vacancy list policies` shows them.
std::span<const PolicyEntry> policies();
/// The entry of that name, or null.
const PolicyEntry* find_policy(std::string_view name);

}  // namespace vacancy
