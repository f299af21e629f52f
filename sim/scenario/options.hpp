// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/attention/trajectory.hpp"
#include "sim/eviction/evictor_options.hpp"
#include "sim/model/kv_dtype.hpp"
#include "sim/pool/cache_layout.hpp"
#include "sim/reclaim/rules.hpp"
#include "sim/registry/parameter.hpp"

namespace vacancy {

// The sections of a scenario that are plain tables. A member without a value stands for "by the
// method" or "by the model"; the scenario resolves it.

struct GeneralOptions {
  std::string description;
  std::uint64_t seed = 0;
};

struct CacheOptions {
  std::uint32_t block_size = 16;
  TableKind table = TableKind::shared;
  std::optional<KvDtype> kv_dtype;
  std::optional<std::uint32_t> blocks_per_page;
};

struct AttentionOptions {
  std::string source = "none";
  Trajectory trajectory = Trajectory::full;
};

struct EvictionOptions {
  std::string policy = "full";
  std::optional<Scope> scope;
  std::optional<std::uint32_t> budget;
  std::uint32_t interval = 128;
  std::optional<TriggerKind> trigger;
  std::optional<PromptRule> prompt;
  bool count_prompt = true;
  double round_time = 0;  // seconds
  std::string fault = "none";
};

struct UsageOptions {
  double arm = EvictorOptions{}.usage_arm, release = EvictorOptions{}.usage_release;
};

struct ReclaimOptions {
  std::string kind = "none";
  BlockAggregate aggregate = BlockAggregate::sum;
  SharedBlocks shared = SharedBlocks::suffix;
  double min_hole_share = 0;
  std::uint32_t min_blocks = 0;
};

struct WorkloadOptions {
  std::uint32_t sequences = 1;
};

struct QualityOptions {
  std::uint32_t queries = 32;
};

const OptionTable<GeneralOptions>& general_table();
const OptionTable<CacheOptions>& cache_table();
const OptionTable<AttentionOptions>& attention_table();
const OptionTable<EvictionOptions>& eviction_table();
const OptionTable<Protection>& protection_table();
const OptionTable<UsageOptions>& usage_table();
const OptionTable<ReclaimOptions>& reclaim_table();
const OptionTable<WorkloadOptions>& workload_table();
const OptionTable<QualityOptions>& quality_table();

}  // namespace vacancy
