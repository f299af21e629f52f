// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/scenario.hpp"

#include "sim/run_log/replayed_arrivals.hpp"
#include "sim/scenario/schema.hpp"
#include "sim/scenario/value_reader.hpp"
#include "sim/simulation/block_replay.hpp"
#include "sim/simulation/hash_chain_window.hpp"
#include "sim/simulation/radix_window.hpp"
#include "sim/simulation/reuse_tree_window.hpp"
#include "sim/units/error.hpp"
#include "sim/workload/sequences.hpp"
#include "sim/workload/synthetic/drawn_arrivals.hpp"

namespace vacancy {

namespace {

nlohmann::ordered_json to_json(const SchemaKey& key, const ParameterValue& value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  const bool is_unsigned = key.parameter.minimum && *key.parameter.minimum >= 0;
  if (integer && is_unsigned) return static_cast<std::uint64_t>(*integer);
  return plain_json(value);
}

/// Writes the sections that count: used ones, and unused ones that the user wrote.
class ResolvedWriter {
 public:
  explicit ResolvedWriter(const Scenario& scenario) : scenario_(scenario) {}

  nlohmann::ordered_json write(const SchemaSection& section, const std::string& path) const {
    auto object = nlohmann::ordered_json::object();
    const SectionValues& values = scenario_.values.find(path)->second;
    for (const SchemaKey& key : section.keys) {
      const std::string& name = key.parameter.name;
      const std::string inner = path.empty() ? name : path + '.' + name;
      const ParameterValue& value = values.values.find(name)->second;
      if (key.form == ValueForm::model)
        object[name] = scenario_.model_json;
      else if (key.form == ValueForm::device)
        object[name] = scenario_.device_json;
      else if (key.form == ValueForm::engine)
        object[name] = scenario_.engine_json;
      else if (key.form == ValueForm::length && std::holds_alternative<std::monostate>(value))
        object[name] = write_length(inner);
      else
        object[name] = to_json(key, value);
    }
    for (const SchemaSection& inner : section.sections) {
      const std::string inner_path = path.empty() ? inner.name : path + '.' + inner.name;
      if (used(inner, values.values) || scenario_.values.find(inner_path)->second.written)
        object[inner.name] = write(inner, inner_path);
    }
    return object;
  }

 private:
  static bool used(const SchemaSection& section, const ParameterValues& around) {
    if (section.chosen_by.empty()) return true;
    return !section.keys.empty() &&
           around.find(section.chosen_by)->second == ParameterValue(section.name);
  }

  nlohmann::ordered_json write_length(const std::string& path) const {
    const auto& name = std::get<std::string>(
        scenario_.values.find(path)->second.values.find("distribution")->second);
    for (const SchemaSection& form : length_forms())
      if (form.name == name) return write(form, path);
    return nullptr;
  }

  const Scenario& scenario_;
};

RoundConfig round_config(const Scenario& scenario) {
  return {scenario.cache,   scenario.attention,       scenario.eviction_policy, scenario.eviction,
          scenario.reclaim, scenario.quality_queries, scenario.trajectory};
}

std::unique_ptr<TraceReader> requests_of(const Scenario& scenario) {
  const ServingScenario& serving = *scenario.serving;
  auto requests = serving.made ? serving.made->make(serving.made_parameters, scenario.seed)
                               : open_trace(serving.trace, serving.trace_options);
  if (serving.measured_run)
    requests = with_measured_arrivals(std::move(requests), read_run_log(*serving.measured_run),
                                      serving.measured_arrival);
  if (serving.drawn_rate)
    requests = with_drawn_arrivals(std::move(requests), *serving.drawn_rate, serving.burstiness,
                                   scenario.seed);
  return requests;
}

BlockCacheOptions block_cache_options(const Scenario& scenario) {
  const PrefixOptions& prefix = scenario.serving->prefix;
  BlockCacheOptions options;
  options.capacity = scenario.cache.blocks;
  options.count = prefix.count;
  options.touch = prefix.touch;
  if (prefix.tenant_quota_blocks > 0) options.tenant_quota = prefix.tenant_quota_blocks;
  options.pinned = scenario.serving->pinned;
  return options;
}

}  // namespace

SimulationConfig build_config(const Scenario& scenario) {
  if (scenario.obstacle) throw UserError(*scenario.obstacle);
  SimulationConfig config;
  static_cast<RoundConfig&>(config) = round_config(scenario);
  config.seed = scenario.seed;
  config.sequences = draw_sequences(scenario.sequences, *scenario.prompt_tokens,
                                    *scenario.output_tokens, scenario.seed);
  return config;
}

std::unique_ptr<ServingSimulation> build_serving(const Scenario& scenario) {
  if (scenario.obstacle) throw UserError(*scenario.obstacle);
  const ServingScenario& serving = *scenario.serving;
  ServingConfig config = serving.config;
  if (serving.evicts) config.rounds = round_config(scenario);
  const std::uint32_t width = config.beams ? config.beams->width() : 1;
  auto requests = std::make_unique<RequestSource>(requests_of(scenario), scenario.cache.block_size,
                                                  serving.samples, width);
  return std::make_unique<ServingSimulation>(std::move(config), std::move(requests));
}

std::unique_ptr<Replay> build_replay(const Scenario& scenario, BlockCacheObserver* observer) {
  if (scenario.obstacle) throw UserError(*scenario.obstacle);
  const ServingScenario& serving = *scenario.serving;
  const EngineProfile& engine = serving.config.engine;
  auto trace = requests_of(scenario);
  if (serving.scheduler == SchedulerKind::block_replay)
    return std::make_unique<BlockReplay>(
        *trace, scenario.cache.block_size, serving.prefix.partial_blocks,
        block_cache_options(scenario), *find_replacement(serving.prefix.replacement),
        serving.replacement, observer);
  if (engine.radix)
    return std::make_unique<RadixWindow>(*engine.radix, scenario.cache.block_bytes, serving.window,
                                         std::move(trace));
  auto requests = std::make_unique<RequestSource>(std::move(trace), scenario.cache.block_size);
  if (engine.reuse_tree)
    return std::make_unique<ReuseTreeWindow>(*engine.reuse_tree, serving.window,
                                             std::move(requests));
  return std::make_unique<HashChainWindow>(*engine.hash_chain, scenario.cache.block_bytes,
                                           serving.window, std::move(requests));
}

nlohmann::ordered_json resolved_json(const Scenario& scenario) {
  return ResolvedWriter(scenario).write(scenario_schema(), "");
}

}  // namespace vacancy
