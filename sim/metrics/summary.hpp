// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/metrics/latency.hpp"
#include "sim/pool/eviction_fault.hpp"
#include "sim/pool/slot_move.hpp"
#include "sim/pool/window_figures.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// Wide enough for slots × nanoseconds.
__extension__ using WideCount = unsigned __int128;

/// An exact quotient of integers, turned into a double once, at the end. No value where the
/// denominator is 0.
struct Ratio {
  WideCount numerator = 0, denominator = 0;

  std::optional<double> value() const;
};

/// Mean over virtual time, highest value and last value of a count of slots or blocks.
struct SlotGauge {
  Ratio mean;  // integral over time / length of the run
  std::uint64_t peak = 0, end = 0;
};

/// The same of a share of the held slots; the mean is the ratio of the two time integrals.
struct ShareGauge {
  Ratio mean, peak, end;
};

/// The figures of a run under the keys of contract §3. Integers throughout; what is a quotient is
/// made from them by the functions below.
struct Summary {
  struct Run {
    std::uint64_t seed = 0, events = 0;
    SimTime virtual_time;
  } run;

  struct Reclaim {
    std::uint64_t rounds = 0, skipped_rounds = 0;
    std::uint64_t refused_rounds = 0, postponed_rounds = 0;  // of the skipped ones
    std::uint64_t moving_rounds = 0;                         // of the rounds: survivors moved
    std::uint64_t evicted_set_tokens = 0;                    // over all sets of all tables
    std::uint64_t moved_set_tokens = 0;                      // likewise
    std::uint32_t sets_per_table = 1;
    std::uint64_t vacated_tokens = 0;
    std::int64_t blocks_freed_by_eviction = 0;  // less the next
    std::uint64_t blocks_taken = 0;             // by reclaim, to put survivors there
    std::array<Bytes, std::size(EnumNames<MoveCause>::table)> moved_by;  // by MoveCause
    Bytes moved_by_copy_on_write, moved_between_tiers;
    std::uint32_t block_size = 0;

    Ratio evicted_tokens() const { return {evicted_set_tokens, sets_per_table}; }
    Ratio moved_tokens() const { return {moved_set_tokens, sets_per_table}; }
    Bytes& moved(MoveCause cause) { return moved_by[static_cast<std::size_t>(cause)]; }
    Bytes bytes_moved() const {
      return std::accumulate(moved_by.begin(), moved_by.end(),
                             moved_by_copy_on_write + moved_between_tiers);
    }
    std::optional<double> blocks_freed_per_evicted_token() const;
    /// The headline figure: 1 = all of the promised memory came back.
    std::optional<double> reclaim_efficiency() const;
  } reclaim;

  struct Memory {
    std::uint64_t kv_peak_blocks = 0;
    Bytes kv_peak_bytes;
    std::optional<std::uint64_t> kv_after_round_blocks;  // most blocks held just after a round
    SlotGauge held_slots, live_slots;
    ShareGauge hole_ratio, tail_ratio;
  } memory;

  struct Sharing {
    SlotGauge blocks_shared;  // of blocks: held by two or more tables
    SlotGauge blocks_saved;   // that would be held besides if each table had its own
    std::uint64_t sequences_forked = 0;
    std::uint64_t blocks_copied = 0;  // because a sharer was about to write
  } sharing;

  /// Where device pages are counted.
  struct Pages {
    std::uint32_t blocks_per_page = 0;
    SlotGauge mapped;         // of pages: with a block that is held or cached
    SlotGauge useful_blocks;  // of blocks: held or cached
    Bytes page_bytes;         // of one page

    Bytes mapped_bytes_peak() const { return page_bytes * mapped.peak; }
    Bytes mapped_bytes_end() const { return page_bytes * mapped.end; }
  };
  std::optional<Pages> pages;

  struct Quality {
    std::vector<double> retained_attention_mass;  // one a round, in order
    std::vector<double> attention_output_error;
    std::vector<double> next_token_agreement;

    std::optional<double> mass_mean() const;
    std::optional<double> mass_p10() const;
    std::optional<double> error_mean() const;
    std::optional<double> agreement_mean() const;
  } quality;

  struct Serving {
    std::uint64_t steps = 0, completed = 0, unfinished = 0, rejected = 0;
    std::uint64_t preemptions = 0, recomputed_tokens = 0, scheduled_tokens = 0;
    std::uint64_t swapped_out_blocks = 0, swapped_in_blocks = 0;
    std::uint64_t blocks_allocated = 0, blocks_evicted = 0, evict_calls = 0;
    // Over successful admissions.
    std::uint64_t hit_tokens_first_admission = 0, hit_tokens_readmission = 0, query_tokens = 0;
    std::uint64_t hit_blocks = 0, query_blocks = 0;
    std::uint64_t hit_tokens_host = 0;  // of the hit tokens: only a host tier had them
    std::uint64_t host_blocks_written = 0, host_blocks_evicted = 0;
    // Over all lookups, those included whose admission failed (spec engines V23).
    std::uint64_t lookups = 0, lookup_hit_tokens = 0, lookup_query_tokens = 0;

    std::uint64_t hit_tokens_device() const { return hit_tokens() - hit_tokens_host; }
    std::uint64_t hit_tokens() const { return hit_tokens_first_admission + hit_tokens_readmission; }
    /// Mean over requests of blocks found / blocks, where a replay knows it.
    std::optional<double> request_hit_ratio;

    Ratio hit_ratio_blocks() const { return {hit_blocks, query_blocks}; }
  } serving;

  LatencyFigures latency;  // in nanoseconds
  ThroughputFigures throughput;

  /// Defects that the run was asked for, and what they did (FaultDamage).
  struct Faults {
    struct Damage {
      std::uint64_t events = 0, count = 0;
    };
    FaultSet on;
    std::array<Damage, eviction_faults> damage;

    const Damage& of(EvictionFault fault) const { return damage[static_cast<std::size_t>(fault)]; }
  } faults;

  std::vector<WindowFigures> windows;  // where each window size has a pool of its own
};

/// How the figures of a defect are called: what its events are, and what they count; the latter is
/// empty where an event is all there is.
struct FaultWords {
  EvictionFault fault;
  std::string_view events, count;
};
inline constexpr std::array<FaultWords, eviction_faults> fault_words{
    {{EvictionFault::reclaim_orphan, "rounds", "garbage_tokens"},
     {EvictionFault::offset_overstated, "late_allocations", "tokens_without_block"},
     {EvictionFault::barrier_bypass, "requests_in_steps", "tokens_across_compaction"},
     {EvictionFault::prefill_guard, "rounds", "pinned_tokens_evicted"},
     {EvictionFault::stale_after_preemption, "rounds", "blocks_not_owned"},
     {EvictionFault::silent_off, "rounds_suppressed", ""}}};

/// summary.json: keys of contract §3, then those of TensorRT-LLM's cache where it is that one, then
/// those of defects that are on; two spaces of indent, a
/// newline at the end.
std::string to_json(const Summary& summary);

}  // namespace vacancy
