// SPDX-License-Identifier: Apache-2.0
#include "sim/study/lockstep_run.hpp"

#include "sim/units/counted.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

std::string bytes_of_blocks(std::uint64_t blocks, const CacheConfig& cache) {
  return format_bytes(Bytes(blocks * cache.block_bytes.value()));
}

}  // namespace

LockstepRun::LockstepRun(const Scenario& scenario)
    : simulation_(build_config(scenario), {}),
      metrics_(simulation_.cache().config(), simulation_.cache().pool(), scenario.seed) {
  simulation_.add_observer(metrics_);
}

Summary LockstepRun::summary() const {
  Summary summary = metrics_.summary();
  summary.serving.unfinished = simulation_.unfinished();
  return summary;
}

std::string LockstepRun::stop_reason() const {
  const auto& failure = simulation_.out_of_memory();
  if (!failure) return "";
  const CacheConfig& cache = simulation_.config().cache;
  const auto limit = cache.blocks;
  const std::uint64_t blocks = limit.value_or(0);
  std::string text = "Sequence " + std::to_string(failure->sequence.value()) +
                     " found no slot for token " +
                     format_count(std::uint64_t{failure->position} + 1) + ": ";
  if (!limit)  // 32 bits number the blocks
    return text + "it needs " + counted(failure->blocks_needed, "block") + ", and " +
           format_count(failure->blocks_free) +
           " are left even of an unlimited pool. Take fewer or shorter sequences, larger blocks or "
           "a coarser cache.table.";
  if (failure->blocks_free == 0)
    text +=
        "all " + counted(blocks, "block") + " are held (" + bytes_of_blocks(blocks, cache) + ").";
  else
    text += "it needs " + counted(failure->blocks_needed, "block") + ", and " +
            format_count(failure->blocks_free) + " of " + format_count(blocks) + " are free (" +
            bytes_of_blocks(blocks, cache) + " in all).";
  if (failure->blocks_needed > blocks)  // more than an empty pool has
    return text +
           " A prompt is written whole before anything can be evicted from it. Give the pool more "
           "(cache.memory or cache.blocks), or shorten workload.prompt_tokens.";
  text += " Give the pool more (cache.memory or cache.blocks), or evict ";
  text += simulation_.config().policy->keep_rule() == KeepRule::all
              ? "(eviction.policy and eviction.budget)."
              : "more (eviction.budget) and compact (reclaim.kind=slide).";
  return text;
}

}  // namespace vacancy
