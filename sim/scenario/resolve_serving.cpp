// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "sim/device/scheduled_work.hpp"
#include "sim/device/step_time_model.hpp"
#include "sim/device/transfers.hpp"
#include "sim/model/weights.hpp"
#include "sim/scenario/named_object.hpp"
#include "sim/scenario/path_resolver.hpp"
#include "sim/scenario/resolver.hpp"
#include "sim/scenario/serving_options.hpp"
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
  if (target.scheduler != SchedulerKind::block_replay) {
    resolve_engine(config.engine);
    resolve_host_tier(config.engine, engine_table().read(section("engine")));
  }
  resolve_requests(target);
  resolve_time(config);
  if (serving.preemption == Preemption::swap) check_swap(target);
  if (serving.cold_start) config.cold_start = from_seconds(*serving.cold_start);
  if (scenario_.cache.layout.table_kind() != TableKind::shared)
    fault("/cache/table", "engines have one table for all layers and heads. Use shared.");
  if (scenario_.policy == "full") return;
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
  if (blocks == 0 && faults_.clean("/cache"))
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
              format_count(scheduler.max_num_batched_tokens) +
              " tokens takes no block. Set at least cache.block_size, which is " +
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

void Resolver::resolve_prefix(ServingScenario& target) {
  target.prefix = prefix_table().read(section("prefix"));
  const PrefixOptions& prefix = target.prefix;
  EngineProfile& engine = target.config.engine;
  const std::string name(enum_name(prefix.index.value_or(PrefixIndex::none)));
  if (target.scheduler == SchedulerKind::block_replay) {
    if (prefix.index && prefix.index != PrefixIndex::none)
      fault("/prefix/index", name + " belongs to an engine; block_replay has none. Remove it.");
    target.replacement = section("prefix." + prefix.replacement);
    return;
  }
  if (prefix.tenant_quota_blocks > 0) resolve_quota(target);
  if (engine.contiguous) {
    if (prefix.index.value_or(PrefixIndex::none) != PrefixIndex::none)
      fault("/prefix/index", engine.name + " finds no blocks of earlier requests. Use none.");
    return;
  }
  const PrefixIndex own = engine.radix        ? PrefixIndex::radix_tree
                          : engine.reuse_tree ? PrefixIndex::reuse_tree
                                              : PrefixIndex::hash_chain;
  const bool may_lack = !engine.radix;
  if (prefix.index && prefix.index != own && !(may_lack && prefix.index == PrefixIndex::none))
    fault("/prefix/index",
          engine.name + " has " + std::string(enum_name(own)) + (may_lack ? " or none." : "."));
  if (engine.radix) {
    if (const auto policy = radix_policy(prefix.replacement))
      engine.radix->cache.policy = *policy;
    else
      fault("/prefix/replacement", engine.name + " has no " + prefix.replacement +
                                       "; it has lru, lfu, fifo, slru, priority, mru and filo.");
  } else if (prefix.replacement != "lru") {
    resolve_replacement(target);
  }
}

void Resolver::resolve_replacement(ServingScenario& target) {
  if (!faults_.clean("/prefix")) return;
  EngineProfile& engine = target.config.engine;
  const std::string& name = target.prefix.replacement;
  const auto refuse = [&](const std::string& reason) { fault("/prefix/replacement", reason); };
  if (!engine.hash_chain || target.scheduler != SchedulerKind::continuous_batching) {
    refuse(engine.name +
           " reuses its free queue in the order of freeing (lru). Other policies are for a profile "
           "of vLLM under serving.scheduler=continuous_batching, and for block_replay.");
    return;
  }
  const ReplacementEntry* entry = find_replacement(name);
  if (entry->needs_next_use) {
    refuse(name +
           " needs to know all uses to come, and in an engine the run itself decides about them: "
           "when requests are admitted and preempted. Use another, or "
           "serving.scheduler=block_replay.");
    return;
  }
  engine.hash_chain->replacement = entry;
  engine.hash_chain->replacement_parameters = section("prefix." + name);
  check_chosen_order(target, "replacement", "lru");
}

void Resolver::resolve_quota(ServingScenario& target) {
  EngineProfile& engine = target.config.engine;
  if (!engine.hash_chain) {
    fault("/prefix/tenant_quota_blocks",
          engine.name +
              " knows no quotas; they are for a profile of vLLM and for block_replay. "
              "Set it to 0.");
    return;
  }
  engine.hash_chain->tenant_quota_blocks = target.prefix.tenant_quota_blocks;
  check_chosen_order(target, "tenant_quota_blocks", "0");
}

void Resolver::check_chosen_order(const ServingScenario& target, const std::string& key,
                                  const std::string& none) {
  const std::string remedy = "prefix." + key + " to " + none + ".";
  if (target.prefix.index == PrefixIndex::none)
    fault("/prefix/" + key, "nothing is cached without an index. Set it to " + none +
                                ", or prefix.index to hash_chain.");
  if (!scenario_.cache.blocks && faults_.clean("/cache"))
    fault("/cache/blocks",
          "prefix." + key + " is about the blocks of a pool of given size. Set cache.blocks, or " +
              remedy);
  if (engine_table().read(section("engine")).free_order)
    fault("/engine/free_order", "with prefix." + key +
                                    " blocks without contents go first, whatever is set here. "
                                    "Remove it, or set " +
                                    remedy);
}

void Resolver::resolve_requests(ServingScenario& target) {
  const auto requests = request_table().read(section("workload"));
  target.config.arrivals = requests.arrivals;
  target.config.concurrency = requests.concurrency;
  const bool drawn =
      requests.arrivals == ArrivalRule::poisson || requests.arrivals == ArrivalRule::gamma;
  if (drawn && !requests.rate)
    fault("/workload/rate", "is missing: " + std::string(enum_name(requests.arrivals)) +
                                " arrivals need a mean number a second, such as 2.5.");
  if (!drawn && requests.rate)
    fault("/workload/rate",
          "only poisson and gamma arrivals are drawn at it. Set workload.arrivals to one of them, "
          "or remove it; a made workload has a rate of its own, such as workload.multi_turn.rate.");
  if (requests.arrivals != ArrivalRule::gamma && requests.burstiness != RequestOptions{}.burstiness)
    fault("/workload/burstiness", "belongs to gamma arrivals. Set workload.arrivals to gamma.");
  if (requests.arrivals != ArrivalRule::closed_loop && requests.concurrency)
    fault("/workload/concurrency",
          "belongs to closed_loop arrivals. Set workload.arrivals to closed_loop.");
  if (drawn) {
    target.drawn_rate = requests.rate;
    target.burstiness = requests.arrivals == ArrivalRule::gamma ? requests.burstiness : 1;
  }
  target.samples = requests.samples;
  if (target.samples > 1 && target.scheduler != SchedulerKind::continuous_batching)
    fault("/workload/samples", "only continuous_batching samples in parallel. Use 1.");
  if (requests.source == "trace") {
    resolve_trace(target);
    return;
  }
  target.made = find_synthetic_workload(requests.source);
  target.made_parameters = section("workload." + requests.source);
  const std::string pointer = "/workload/" + requests.source;
  if (!faults_.clean(pointer) || !faults_.clean("/cache")) return;
  attempt(pointer, [&] {
    auto made = target.made->make(target.made_parameters, scenario_.seed);
    if (target.scheduler != SchedulerKind::block_replay)
      RequestSource(std::move(made), scenario_.cache.block_size);
  });
}

void Resolver::resolve_trace(ServingScenario& target) {
  const auto trace = trace_table().read(section("workload.trace"));
  if (!trace.path) {
    fault("/workload/trace",
          "an engine serves the requests of a trace, or made ones. Set workload.trace.path, or "
          "workload.source to one of vacancy list synthetic.");
    return;
  }
  if (trace.format != "detect") target.trace_options.format = trace.format;
  target.trace_options.limit = trace.limit;
  target.trace_options.block_size = trace.block_size;
  target.trace_options.nested_time = trace.nested_time;
  if (!data_present("workload.trace.path", trace.path->string())) return;
  target.trace = located_path(trace.path->string());
  if (trace.measured_run) {
    if (!data_present("workload.trace.measured_run", trace.measured_run->string())) return;
    target.measured_run = located_path(trace.measured_run->string());
    target.measured_arrival = trace.measured_arrival;
  }
  if (!faults_.clean("/workload/trace") || !faults_.clean("/cache")) return;
  // A file of the wrong kind, or with blocks that the engine's do not fit, is the scenario's fault.
  attempt("/workload/trace", [&] {
    if (target.scheduler == SchedulerKind::block_replay)
      open_trace(target.trace, target.trace_options);
    else
      RequestSource(open_trace(target.trace, target.trace_options), scenario_.cache.block_size);
  });
}

void Resolver::resolve_time(ServingConfig& config) {
  if (!scenario_.device || !faults_.clean("/device") || !faults_.clean("/model")) return;
  attempt("/device", [&] {
    const Device& device = *scenario_.device;
    // Policies that see the weights of every query keep the engine from fused attention.
    const bool eager = scenario_.eviction_policy && scenario_.eviction_policy->needs().accumulated;
    config.step_time = [model = StepTimeModel(device, scenario_.model),
                        window = scenario_.model.window, eager](const Step& step) {
      const StepWork work = step_work(step.scheduled, window);
      return model.step(work) + (eager ? model.eager_attention(work) : SimTime());
    };
    config.copy_time = [device](Bytes moved) { return copy_time(device, moved, 1); };
    const bool host_tier =
        (config.engine.hash_chain && config.engine.hash_chain->host_blocks > 0) ||
        (config.engine.radix && config.engine.radix->cache.host.pages > 0) ||
        (config.engine.reuse_tree && config.engine.reuse_tree->has_host_memory());
    if (host_tier || config.scheduler.preemption == Preemption::swap) {
      link_time(device, Bytes(0));  // the device has a link
      config.link_time = [device](Bytes bytes) { return link_time(device, bytes); };
    }
    if (device.step_time) config.cold_start = device.step_time->cold_start;
    note_device_memory(device);
  });
}

void Resolver::note_device_memory(const Device& device) {
  if (!device.memory || !scenario_.cache.blocks || !scenario_.model.layer_parameters) return;
  const Bytes weights = model_work(scenario_.model).weights;
  const Bytes pool = scenario_.cache.block_bytes * *scenario_.cache.blocks;
  if (weights + pool <= *device.memory) return;
  scenario_.notes.push_back(
      "The weights of " + scenario_.model.name + " (" + format_bytes(weights) + ") and the pool (" +
      format_bytes(pool) + ") exceed the memory of one " + device.name + " (" +
      format_bytes(*device.memory) + "); times are those of one all the same.");
}

}  // namespace vacancy
