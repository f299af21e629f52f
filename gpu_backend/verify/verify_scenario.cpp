// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/verify_scenario.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "gpu_backend/verify/attention_rows.hpp"
#include "gpu_backend/verify/block_follower.hpp"
#include "gpu_backend/verify/random_selection.hpp"
#include "gpu_backend/verify/score_selection.hpp"
#include "sim/eviction/evictor.hpp"
#include "sim/eviction/score_definition.hpp"
#include "sim/pool/sequence_ids.hpp"
#include "sim/study/engine_run.hpp"
#include "sim/study/lockstep_run.hpp"
#include "sim/units/error.hpp"

namespace vacancy::verify {

namespace {

bool evicts(const Scenario& scenario) {
  return scenario.eviction_policy && scenario.eviction_policy->keep_rule() != KeepRule::all &&
         (!scenario.serving || scenario.serving->evicts);
}

/// Why the kernels cannot make the scores that `definition` says, from the source's keys.
std::optional<std::string> no_scores(const Scenario& scenario,
                                     const std::optional<ScoreDefinition>& definition) {
  if (!definition) return "no kernel computes its scores";
  if (!padded_head_dim(scenario.attention->shape().head_dim))
    return "kernels read heads of 256 elements at most";
  if (scenario.trajectory == Trajectory::own)
    return "keys and queries follow the evicted cache (attention.trajectory own)";
  // The other sources draw weights, whatever their vectors are.
  const bool of_vectors = scenario.source == "real" || scenario.source == "calibrated";
  if (weighs_attention(*definition) && !of_vectors)
    return "attention.source " + scenario.source + " makes no weights of keys and queries";
  return std::nullopt;
}

/// How the scenario chooses whole blocks; nothing where tokens are chosen one by one.
std::optional<BlocksByScore> blocks_by_score(const Scenario& scenario,
                                             const DefinesScores* defines) {
  if (scenario.eviction.whole_blocks) return BlocksByScore{*scenario.eviction.whole_blocks};
  return defines != nullptr ? defines->blocks_by_score() : std::nullopt;
}

BlockRule block_rule(const BlocksByScore& blocks) {
  const auto join = [&] {
    switch (blocks.value.kind) {
      case BlockAggregate::sum:
        return gpu::BlockJoin::sum;
      case BlockAggregate::mean:
        return gpu::BlockJoin::mean;
      case BlockAggregate::max:
        return gpu::BlockJoin::max;
      case BlockAggregate::top4:
        break;
    }
    return gpu::BlockJoin::top4;
  };
  return {join(), blocks.tokens_at_prompt_end};
}

/// Who chooses the scenario's keep sets a second time; else null, and a note why they are believed.
std::unique_ptr<KeepSetCheck> keep_set_check(const Scenario& scenario, gpu::Device& device,
                                             const VerifierOptions& options,
                                             std::vector<std::string>& notes) {
  if (!evicts(scenario)) return nullptr;
  const auto believed = [&](const std::string& why) {
    notes.push_back("Moves are verified, scores are not: keep sets of " + scenario.policy +
                    " are taken from the events, since " + why + ".");
    return nullptr;
  };
  const EvictionPolicy& policy = *scenario.eviction_policy;
  if (!has_budget(policy.keep_rule()) || policy.keep_count() == KeepCount::fewer)
    return believed("the policy has a rule of its own how many tokens stay");
  if (scenario.eviction.faults.any()) return believed("eviction.fault changes them");
  ChoiceRule rule{.keep = policy.capacity(scenario.eviction.budget),
                  .prompt = scenario.eviction.prompt,
                  .protection = joined_protection(scenario.eviction, policy),
                  .shares_told = policy.keep_rule() == KeepRule::ragged};
  if (scenario.policy == "random") {
    if (scenario.eviction.whole_blocks) return believed("whole blocks are chosen by draws");
    const nlohmann::ordered_json all = resolved_json(scenario);
    const auto chunk = nlohmann::ordered_json::json_pointer("/eviction/random/chunk_tokens");
    if (all.contains(chunk) && all.at(chunk) != 1) return believed("chunks of tokens share a draw");
    return std::make_unique<RandomSelection>(device, rule, scenario.seed, options.keep_set_scores);
  }
  const auto* const defines = dynamic_cast<const DefinesScores*>(&policy);
  std::optional<ScoreDefinition> definition;
  if (defines != nullptr) definition = defines->score_definition(scenario.cache.layout);
  if (const auto why = no_scores(scenario, definition)) return believed(*why);
  if (const auto blocks = blocks_by_score(scenario, defines)) {
    if (blocks->value.kind == BlockAggregate::top4 && blocks->value.top != 4)
      return believed("kernels add up the four largest scores of a block, no other number");
    rule.blocks = block_rule(*blocks);
  }
  if (rule.shares_told)
    notes.push_back("How many tokens each set keeps is taken from the events: " + scenario.policy +
                    " divides the budget. Which ones is verified.");
  return std::make_unique<ScoreSelection>(device, rule, *definition, *scenario.attention,
                                          options.keep_set_scores);
}

using GoOn = std::function<bool(std::uint64_t, std::uint64_t)>;

/// Steps a run whose observers throw at the first difference.
template <class Run>
void carry_out(Run& run, Observer& verifier, const VerifyOptions& options, const GoOn& go_on,
               VerifyResult& result) {
  const std::unique_ptr<Observer> between = options.between ? options.between(verifier) : nullptr;
  run.add_observer(between ? *between : verifier);
  try {
    while (run.step())
      if (!go_on(run.done(), run.planned())) {
        result.cancelled = true;
        return;
      }
    if (auto* const all = dynamic_cast<Verifier*>(&verifier)) all->finish(run.summary());
    result.stop_reason = run.stop_reason();
  } catch (DifferenceFound& found) {
    result.difference = std::move(found.difference);
  }
}

template <class Run>
void follow_tables(Run& run, Subject subject, gpu::Device& device, const VerifyOptions& options,
                   const GoOn& go_on, VerifyResult& result) {
  Verifier verifier(device, std::move(subject), options.verifier);
  carry_out(run, verifier, options, go_on, result);
  result.counts = verifier.counts();
  result.selections = verifier.selections();
  result.layers = static_cast<std::uint32_t>(verifier.memory().layers());
  result.heads = static_cast<std::uint32_t>(verifier.memory().heads());
}

void follow_engine(const Scenario& scenario, gpu::Device& device, const VerifyOptions& options,
                   const GoOn& go_on, VerifyResult& result) {
  EngineRun run(scenario);
  const EngineProfile& engine = scenario.serving->config.engine;
  const KvCache* const tables = run.cache().cache();
  if (tables == nullptr) {
    result.notes.push_back(
        engine.radix
            ? "A radix cache names no blocks and has no block tables: only that each sequence's "
              "tokens follow each other was verified, no block, no content."
        : engine.reuse_tree
            ? "A reuse tree copies rows without an event and keeps its pools to itself: which "
              "table holds which block was verified, contents and cached blocks were not."
            : "A contiguous reservation has no block tables: which request holds which blocks was "
              "verified, contents were not.");
    BlockFollower follower([&run] { return run.cache().gauges().held_blocks; });
    carry_out(run, follower, options, go_on, result);
    result.counts.events = follower.events();
    return;
  }
  Subject subject{.cache = *tables};
  subject.request = [&run](SequenceId id) -> const Request& {
    return run.simulation().request(request_of(id));
  };
  subject.rules.order_known = engine.hash_chain->replacement == nullptr;
  if (!subject.rules.order_known)
    result.notes.push_back(
        "A replacement policy chooses among the free blocks: that they are free was verified, not "
        "their order.");
  subject.rules.host_blocks = engine.hash_chain->host_blocks;
  for (const CacheGroup& group : engine.hash_chain->groups)
    subject.rules.windows.push_back(group.window);
  subject.keep_sets = keep_set_check(scenario, device, options.verifier, result.notes);
  follow_tables(run, std::move(subject), device, options, go_on, result);
}

/// A key is given once: the value takes the place of an earlier one.
ScenarioOverrides with(ScenarioOverrides overrides, const std::string& path, std::uint64_t value) {
  std::erase_if(overrides.assignments, [&](const std::string& assignment) {
    return assignment.rfind(path + "=", 0) == 0;
  });
  overrides.assignments.push_back(path + "=" + std::to_string(value));
  return overrides;
}

}  // namespace

VerifyResult verify_scenario(const Scenario& scenario, gpu::Device& device,
                             const VerifyOptions& options, const GoOn& go_on) {
  VerifyResult result;
  if (scenario.serving && scenario.serving->scheduler != SchedulerKind::continuous_batching)
    throw UserError(
        "This scenario replays requests through a prefix cache: it has no block tables, no keys "
        "and values, and no events, so that there is nothing to verify. Take one that runs "
        "sequences or an engine.");
  if (scenario.serving) {
    follow_engine(scenario, device, options, go_on, result);
  } else {
    LockstepRun run(scenario);
    Subject subject{.cache = run.simulation().cache()};
    subject.keep_sets = keep_set_check(scenario, device, options.verifier, result.notes);
    follow_tables(run, std::move(subject), device, options, go_on, result);
  }
  if (result.selections.passed_over > 0)
    result.notes.push_back("Keep sets of " + std::to_string(result.selections.passed_over) +
                           " of " + std::to_string(result.counts.rounds) +
                           " rounds were taken from the events, to save time.");
  if (result.counts.watched_sequences < result.counts.sequences)
    result.notes.push_back("Contents were followed for " +
                           std::to_string(result.counts.watched_sequences) + " of " +
                           std::to_string(result.counts.sequences) +
                           " sequences, tables for all; --sample 1 follows every one.");
  return result;
}

ScenarioOverrides smallest_difference(const std::function<Scenario(const ScenarioOverrides&)>& load,
                                      const ScenarioOverrides& overrides,
                                      const std::function<bool(const Scenario&)>& differs) {
  ScenarioOverrides smallest = overrides;
  const nlohmann::ordered_json all = resolved_json(load(overrides));
  const nlohmann::ordered_json& workload = all.at("workload");
  std::vector<std::pair<std::string, std::uint64_t>> limits;
  const auto consider = [&](const nlohmann::ordered_json& object, const std::string& path,
                            const char* key) {
    if (object.contains(key) && object.at(key).is_number_unsigned())
      limits.emplace_back(path + key, object.at(key).get<std::uint64_t>());
  };
  consider(workload, "workload.", "sequences");
  for (const auto& [name, part] : workload.items())
    if (part.is_object()) {
      consider(part, "workload." + name + ".", "requests");
      consider(part, "workload." + name + ".", "limit");
    }
  consider(workload, "workload.", "output_tokens");
  consider(workload, "workload.", "prompt_tokens");
  for (const auto& [path, value] : limits) {
    const auto still = [&, &path = path](std::uint64_t count) {
      try {
        return differs(load(with(smallest, path, count)));
      } catch (const UserError&) {  // another key forbids the value
        return false;
      }
    };
    std::uint64_t low = 0, high = value;  // `high` differs
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (still(middle) ? high : low) = middle;
    }
    if (high != value) smallest = with(std::move(smallest), path, high);
  }
  return smallest;
}

}  // namespace vacancy::verify
