// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/options.hpp"

#include "sim/workload/lengths.hpp"

namespace vacancy {

namespace {

std::string fault_names() {
  std::string names;
  for (const auto& entry : EnumNames<EvictionFault>::table)
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

constexpr double most_tokens = 2.0 * max_length_tokens;  // of a sequence

}  // namespace

const OptionTable<GeneralOptions>& general_table() {
  static const auto table = OptionTable<GeneralOptions>()
                                .add("description", &GeneralOptions::description, "", {},
                                     "One sentence about what the scenario shows.")
                                .add("seed", &GeneralOptions::seed, "", {},
                                     "Key of all random draws; the same seed gives the same run.");
  return table;
}

const OptionTable<CacheOptions>& cache_table() {
  static const auto table =
      OptionTable<CacheOptions>()
          .add("block_size", &CacheOptions::block_size, "slots", {1, 4096}, "Slots of a block.")
          .add("table", &CacheOptions::table, "", {},
               "What shares one block table: all layers and heads, the heads of a layer, or "
               "nothing.")
          .add("kv_dtype", &CacheOptions::kv_dtype, "", {},
               "Format of the cached values; by default the model's own.")
          .add(
              "blocks_per_page", &CacheOptions::blocks_per_page, "blocks", {1, 1u << 20},
              "Blocks with consecutive ids that share device pages, which stay mapped while one of "
              "them is held or cached: where each layer's K and V have memory of their own, the "
              "page divided by one block of it, such as 2 MiB / 32 KiB = 64. Null: not counted.");
  return table;
}

const OptionTable<AttentionOptions>& attention_table() {
  static const auto table =
      OptionTable<AttentionOptions>()
          .add("source", &AttentionOptions::source, "", {},
               "Where attention scores come from; a policy that needs scores refuses none.")
          .add("trajectory", &AttentionOptions::trajectory, "", {},
               "Tokens, queries, keys and values come from the uncompressed run (full: what is "
               "evicted changes no later token), or from decoding that goes on over the evicted "
               "cache (own: after a round each query reads only what its layer and KV head still "
               "hold, at the positions where it was stored, and the model writes the tokens that "
               "follow from that; each token's random draw is that of full). Own needs the source "
               "real and sequences in lockstep.");
  return table;
}

const OptionTable<EvictionOptions>& eviction_table() {
  static const auto table =
      OptionTable<EvictionOptions>()
          .add("policy", &EvictionOptions::policy, "", {}, "Which tokens stay.")
          .add("scope", &EvictionOptions::scope, "", {},
               "What shares one keep set; by default the method's own.")
          .add("budget", &EvictionOptions::budget, "tokens", {1, most_tokens},
               "Tokens kept per set just after a round; a policy that evicts by budget requires "
               "it.")
          .add("interval", &EvictionOptions::interval, "tokens", {1, most_tokens},
               "Tokens between rounds, for the triggers interval, aligned and slack.")
          .add("trigger", &EvictionOptions::trigger, "", {},
               "When a round is due: every interval generated tokens, at positions that are "
               "multiples "
               "of interval from budget tokens on (aligned), at budget + interval tokens (slack), "
               "when the pool is nearly full (usage), when it is full "
               "(allocation_failure), or once; by default the method's own.")
          .add("prompt", &EvictionOptions::prompt, "", {},
               "Whether prompt tokens may be evicted, or stay inside or outside the budget; by "
               "default the method's own.")
          .add("count_prompt", &EvictionOptions::count_prompt, "", {},
               "Whether a prompt pinned inside the budget counts in the length that the triggers "
               "slack and aligned look at. Without it rounds come late and cut deep, as in one "
               "mode of TriAttention's reference.")
          .add("round_time", &EvictionOptions::round_time, "seconds", {0, 1e6},
               "What a round of one request takes besides moving survivors: scoring and choosing, "
               "as measured. The engine's next step waits for it.")
          .add("fault", &EvictionOptions::fault, "", {},
               "Reported defects of eviction inside an engine's requests that the run shows, "
               "separated by commas, or none: " +
                   fault_names() + ".");
  return table;
}

const OptionTable<Protection>& protection_table() {
  static const auto table =
      OptionTable<Protection>()
          .add("sinks", &Protection::sinks, "tokens", {0, most_tokens},
               "First tokens of a sequence that always stay, inside the budget.")
          .add("recent", &Protection::recent, "tokens", {0, most_tokens},
               "Last tokens of a sequence that always stay, inside the budget.");
  return table;
}

const OptionTable<UsageOptions>& usage_table() {
  static const auto table = OptionTable<UsageOptions>()
                                .add("arm", &UsageOptions::arm, "share", {0, 1},
                                     "Rounds begin when this share of the blocks is held.")
                                .add("release", &UsageOptions::release, "share", {0, 1},
                                     "Rounds stop when no more than this share is held.");
  return table;
}

const OptionTable<ReclaimOptions>& reclaim_table() {
  static const auto table =
      OptionTable<ReclaimOptions>()
          .add("kind", &ReclaimOptions::kind, "", {}, "What happens to the survivors.")
          .add("aggregate", &ReclaimOptions::aggregate, "", {},
               "How a block's worth follows from its tokens' scores, for whole_block.")
          .add("shared", &ReclaimOptions::shared, "", {},
               "What slide, fill_holes and fullest_blocks do where they would touch blocks that "
               "requests share: compact behind the last of them (suffix), skip the round (refuse), "
               "or copy those first that they would write (unshare). copy_out has its own answer.")
          .add("min_hole_share", &ReclaimOptions::min_hole_share, "share", {0, 1},
               "Survivors move only where holes are at least this share of the slots that a "
               "sequence holds; evicted tokens wait as holes until then, and blocks that became "
               "empty return at once. 0 = in every round.")
          .add("min_blocks", &ReclaimOptions::min_blocks, "blocks", {},
               "Survivors move only where at least so many blocks come back for it. 0 = in every "
               "round.");
  return table;
}

const OptionTable<WorkloadOptions>& workload_table() {
  static const auto table =
      OptionTable<WorkloadOptions>().add("sequences", &WorkloadOptions::sequences, "",
                                         {1, 1'000'000}, "Sequences, all present from the start.");
  return table;
}

const OptionTable<QualityOptions>& quality_table() {
  static const auto table = OptionTable<QualityOptions>().add(
      "queries", &QualityOptions::queries, "queries", {},
      "Following queries over which the retained attention is measured; 0 = not measured.");
  return table;
}

}  // namespace vacancy
