// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "sim/scenario/named_object.hpp"
#include "sim/scenario/options.hpp"
#include "sim/scenario/path_resolver.hpp"
#include "sim/scenario/resolver.hpp"
#include "sim/scenario/serving_options.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

constexpr std::uint64_t most_slots = std::uint64_t{1} << 30;  // of a pool that is not vLLM's

SimTime from_seconds(double seconds) {
  return SimTime(static_cast<std::int64_t>(std::llround(seconds * 1e9)));
}

}  // namespace

std::optional<EngineProfile> Resolver::resolve_profile() {
  const bool is_inline = scenario_.values.contains("engine.profile");
  const std::string name = is_inline ? "" : std::get<std::string>(section("engine").at("profile"));
  scenario_.engine_json =
      is_inline ? to_json(*find_node(root_, "/engine/profile")) : nlohmann::ordered_json(name);
  if (name == "none") return std::nullopt;
  if (is_inline || data_present("engine.profile", name)) return named_engine(root_, name, faults_);
  engine_absent_ = true;
  return EngineProfile{};
}

void Resolver::choose_scheduler() {
  if (!faults_.clean("/engine/profile") || !faults_.clean("/serving/scheduler")) return;
  const auto serving = serving_table().read(section("serving"));
  const std::optional<EngineProfile> profile = resolve_profile();
  if (!profile && scenario_.engine_json != "none") return;
  const SchedulerKind kind = serving.scheduler.value_or(profile ? SchedulerKind::continuous_batching
                                                                : SchedulerKind::lockstep);
  section("serving")["scheduler"] = std::string(enum_name(kind));
  if (kind == SchedulerKind::lockstep) {
    lockstep_ = !profile;
    if (profile)
      fault("/engine/profile",
            "the scheduler lockstep has no engine. Set serving.scheduler to continuous_batching or "
            "active_window, or engine.profile to none.");
    return;
  }
  if (kind == SchedulerKind::block_replay) {
    if (profile)
      fault("/engine/profile",
            "block_replay runs without an engine. Use none, or another serving.scheduler.");
  } else if (!profile) {
    fault("/serving/scheduler", std::string(enum_name(kind)) +
                                    " runs an engine; name its version in engine.profile (vacancy "
                                    "list engines).");
    return;
  }
  scenario_.serving.emplace();
  scenario_.serving->scheduler = kind;
  if (profile) scenario_.serving->config.engine = *profile;
}

void Resolver::resolve_serving() {
  const auto serving = serving_table().read(section("serving"));
  resolve_admission_policy(serving.policy);
  if (!scenario_.serving || engine_absent_) return;
  ServingScenario& target = *scenario_.serving;
  ServingConfig& config = target.config;
  config.block_bytes = scenario_.cache.block_bytes;
  config.scheduler = config.engine.scheduler;
  config.scheduler.max_num_batched_tokens = serving.max_num_batched_tokens;
  config.scheduler.max_num_seqs = serving.max_num_seqs;
  config.scheduler.chunked_prefill = serving.chunked_prefill;
  if (serving.policy == AdmissionPolicy::priority)
    config.scheduler.policy = SchedulingPolicy::priority;
  config.scheduler.requeue = serving.requeue.value_or(config.scheduler.requeue);
  if (serving.victim) config.scheduler.victim = serving.victim;
  config.scheduler.preemption = serving.preemption;
  config.scheduler.swap_blocks =
      serving.swap_blocks.value_or(scenario_.cache.blocks.value_or(SchedulerOptions{}.swap_blocks));
  config.scheduler.pass_keeps_place = serving.pass_keeps_place;
  config.scheduler.admit_after_preemption = serving.admit_after_preemption;
  config.scheduler.keep_in_flight_token = serving.keep_in_flight_token;
  config.scheduler.run_past_end = serving.run_past_end;
  if (serving.max_virtual_time) config.caps.virtual_time = from_seconds(*serving.max_virtual_time);
  config.caps.fruitless_preemptions = serving.max_fruitless_preemptions;
  target.window = serving.window;

  resolve_prefix(target);
  resolve_pins(target);
  if (target.scheduler != SchedulerKind::block_replay) {
    resolve_engine(config.engine);
    resolve_host_tier(config.engine, engine_table().read(section("engine")));
  }
  resolve_requests(target);
  resolve_time(config);
  refuse_unused(target, serving);
  if (serving.preemption == Preemption::swap) check_swap(target);
  if (serving.cold_start) config.cold_start = from_seconds(*serving.cold_start);
  if (scenario_.cache.layout.table_kind() != TableKind::shared)
    fault("/cache/table", "engines have one table for all layers and heads. Use shared.");
  if (scenario_.policy == "full") return;
  config.round_time = from_seconds(eviction_table().read(section("eviction")).round_time);
  if (target.scheduler != SchedulerKind::continuous_batching)
    fault("/eviction/policy",
          "requests are evicted from while they are scheduled. Use full, or "
          "serving.scheduler=continuous_batching.");
  else if (!config.engine.hash_chain)
    fault("/eviction/policy", "eviction inside requests needs the block tables of vLLM; " +
                                  config.engine.name +
                                  " has others. Use full, or a profile of vLLM.");
  else if (has_windows())
    fault("/eviction/policy", "requests are evicted from where all layers share a table; " +
                                  scenario_.model.name +
                                  " has others for its sliding layers. Use full, or set "
                                  "engine.hybrid_groups to false.");
  target.evicts = true;
}

void Resolver::resolve_admission_policy(AdmissionPolicy policy) {
  const std::string name(enum_name(policy));
  const auto order = queue_policy(name);
  if (!order || order == QueuePolicy::fcfs || engine_absent_ || !faults_.clean("/engine/profile") ||
      !faults_.clean("/serving/scheduler"))
    return;
  const auto refuse = [&](const std::string& remedy) {
    fault("/serving/policy", name + " is one of SGLang's orders of the queue. " + remedy);
  };
  if (!scenario_.serving || !scenario_.serving->config.engine.radix) {
    refuse("Use fcfs or priority, or set engine.profile to a profile of SGLang.");
  } else if (scenario_.serving->scheduler != SchedulerKind::continuous_batching) {
    refuse("Use fcfs, or serving.scheduler=continuous_batching: nothing else has a queue.");
  } else {
    RadixOptions& radix = *scenario_.serving->config.engine.radix;
    radix.queue_policy = *order;
    radix.queue_key = philox_key(scenario_.seed);  // nothing else in SGLang draws from it
  }
}

void Resolver::check_swap(const ServingScenario& target) {
  const EngineProfile& engine = target.config.engine;
  const auto refuse = [&](const std::string& reason) {
    fault("/serving/preemption", reason + " Use recompute.");
  };
  if (target.scheduler != SchedulerKind::continuous_batching)
    refuse("only continuous_batching preempts.");
  else if (!engine.hash_chain)
    refuse("swapping is available with the block tables of vLLM; " + engine.name + " has others.");
  else if (has_windows())
    refuse("swapping is available where all layers share a table (engine.hybrid_groups false).");
  else if (engine.steps_in_flight > 1)
    refuse("swapping is available with one step in flight (engine.steps_in_flight).");
  else if (scenario_.policy != "full")
    refuse("a request that was evicted from cannot be swapped out.");
}

void Resolver::resolve_faults() {
  const FaultSet& faults = scenario_.eviction.faults;
  if (!faults.any() || engine_absent_ || !faults_.clean("/eviction") ||
      !faults_.clean("/engine/profile") || !faults_.clean("/serving/scheduler"))
    return;
  // What was reported is of compaction in place, with prefix caching off.
  if (!scenario_.serving || !scenario_.serving->evicts) {
    fault("/eviction/fault",
          "these are defects of eviction inside the requests of an engine. Use none, or set "
          "engine.profile to a profile of vLLM, and eviction.policy.");
  } else if (scenario_.reclaimer != "slide") {
    fault("/eviction/fault",
          "these are defects of compaction in place. Set reclaim.kind to slide.");
  } else if (scenario_.serving->config.engine.hash_chain->prefix_caching) {
    fault("/eviction/fault",
          "what had these defects ran without prefix caching. Set prefix.index to none.");
  } else if (faults.has(EvictionFault::offset_overstated)) {
    EngineProfile& engine = scenario_.serving->config.engine;
    // One token, and one more for each step that is composed ahead.
    engine.hash_chain->allocation_lag = engine.steps_in_flight;
  }
}

void Resolver::resolve_engine(EngineProfile& engine) {
  const auto choices = engine_table().read(section("engine"));
  if (choices.capacity_policy && !engine.reuse_tree)
    fault("/engine/capacity_policy",
          engine.name + " has no such rule; it is one of TensorRT-LLM's. Remove it.");
  if (!engine.reuse_tree) refuse_reuse_tree_keys(engine.name);
  if (choices.max_sequence_tokens) engine.max_sequence_tokens = choices.max_sequence_tokens;
  if (choices.max_sequence_tokens &&
      scenario_.serving->scheduler != SchedulerKind::continuous_batching)
    fault("/engine/max_sequence_tokens",
          "only continuous_batching refuses requests by their length. Remove it.");
  if (engine.hash_chain) {
    HashChainOptions& options = *engine.hash_chain;
    options.block_size = scenario_.cache.block_size;
    options.layout = scenario_.cache.layout;
    options.groups = cache_groups();
    options.blocks = scenario_.cache.blocks;
    options.blocks_per_page = scenario_.cache.blocks_per_page;
    options.max_in_flight_tokens = scenario_.serving->config.scheduler.max_num_batched_tokens;
    options.full_sequence_gate = choices.full_sequence_gate.value_or(options.full_sequence_gate);
    options.reserve_output = choices.reserve_output.value_or(options.reserve_output);
    options.watermark_blocks = choices.watermark_blocks.value_or(options.watermark_blocks);
    options.free_order = choices.free_order.value_or(options.free_order);
    options.prefix_caching &= scenario_.serving->prefix.index != PrefixIndex::none;
    options.lookup_after_preemption =
        choices.lookup_after_preemption.value_or(options.lookup_after_preemption);
    engine.steps_in_flight = choices.steps_in_flight.value_or(engine.steps_in_flight);
    return;
  }
  refuse_vllm_rules(engine.name, choices);
  const std::uint32_t blocks = scenario_.cache.blocks.value_or(0);
  if (blocks == 0 && faults_.clean("/cache") && faults_.clean("/model"))
    fault("/cache/blocks", engine.name + " has a pool of a given size; set cache.blocks.");
  if (std::uint64_t{blocks} * scenario_.cache.block_size > most_slots)
    fault("/cache/blocks",
          engine.name + " is simulated with at most 2^30 slots. Set fewer blocks.");
  if (engine.contiguous) {
    engine.contiguous->block_size = scenario_.cache.block_size;
    engine.contiguous->blocks = blocks;
    if (scenario_.serving->scheduler != SchedulerKind::continuous_batching)
      fault("/serving/scheduler", engine.name + " is scheduled by continuous_batching only.");
    return;
  }
  // These engines cut prompts at the ends of blocks.
  SchedulerOptions& scheduler = scenario_.serving->config.scheduler;
  scheduler.chunk_unit = scenario_.cache.block_size;
  if (scheduler.chunked_prefill && scheduler.max_num_batched_tokens < scheduler.chunk_unit)
    fault("/serving/max_num_batched_tokens",
          engine.name + " cuts prompts at the ends of blocks, and a step of " +
              counted(scheduler.max_num_batched_tokens, "token") +
              " takes no block. Set at least cache.block_size, which is " +
              format_count(scheduler.chunk_unit) + ".");
  if (engine.radix) {
    engine.radix->cache.page_size = scenario_.cache.block_size;
    engine.radix->pages = blocks;
  } else {
    engine.reuse_tree->capacity = choices.capacity_policy.value_or(engine.reuse_tree->capacity);
    resolve_reuse_tree(engine);
  }
}

void Resolver::refuse_vllm_rules(const std::string& engine, const EngineOptions& choices) {
  for (const auto& [key, set] :
       {std::pair("full_sequence_gate", choices.full_sequence_gate.has_value()),
        std::pair("reserve_output", choices.reserve_output.has_value()),
        std::pair("watermark_blocks", choices.watermark_blocks.has_value()),
        std::pair("free_order", choices.free_order.has_value()),
        std::pair("hybrid_groups", choices.hybrid_groups.has_value()),
        std::pair("steps_in_flight", choices.steps_in_flight.has_value()),
        std::pair("lookup_after_preemption", choices.lookup_after_preemption.has_value())})
    if (set)
      fault(std::string("/engine/") + key,
            engine + " has no such rule; it is one of vLLM's. Remove it.");
}

}  // namespace vacancy
