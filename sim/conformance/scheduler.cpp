// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/scheduler.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/conformance/case_reader.hpp"
#include "sim/conformance/vllm_ids.hpp"
#include "sim/serving/engine_profile.hpp"
#include "sim/serving/scheduler.hpp"
#include "sim/serving/vllm/hash_chain_manager.hpp"
#include "sim/units/error.hpp"
#include "sim/units/overloaded.hpp"

namespace vacancy {

namespace {

using nlohmann::json;

/// The counts of FORMAT.md §4, from events.
struct Counts final : Observer {
  void on_event(const Event& event) override {
    std::visit(Overloaded{
                   [&](const BlocksAllocated& e) { blocks_allocated += e.blocks.size(); },
                   [&](const BlocksUncached& e) { evictions += e.blocks.size(); },
                   [&](const SequencePreempted&) { ++preemptions; },
                   [&](const PrefixLookedUp& e) {
                     ++lookups;
                     lookup_hit_tokens += e.hit;
                     lookup_query_tokens += e.known;
                   },
                   [&](const RequestAdmitted& e) {
                     ++admissions;
                     hit_tokens[e.again] += e.hit;
                     query_tokens[e.again] += e.known;
                   },
                   [&](const StepComposed& e) {
                     ++steps;
                     for (const ScheduledTokens& part : e.scheduled)
                       scheduled_tokens += part.tokens;
                   },
                   [](const auto&) {},
               },
               event);
  }

  void compare(Comparison& comparison) const {
    comparison.field("steps", steps);
    comparison.field("preemptions", preemptions);
    comparison.field("blocks_allocated", blocks_allocated);
    comparison.field("evictions", evictions);
    comparison.field("hit_tokens", hit_tokens[0] + hit_tokens[1]);
    comparison.field("query_tokens", query_tokens[0] + query_tokens[1]);
    comparison.field("hit_tokens_first", hit_tokens[0]);
    comparison.field("query_tokens_first", query_tokens[0]);
    comparison.field("hit_tokens_again", hit_tokens[1]);
    comparison.field("query_tokens_again", query_tokens[1]);
    comparison.field("scheduled_tokens", scheduled_tokens);
    comparison.field("lookups", lookups);
    comparison.field("lookup_hit_tokens", lookup_hit_tokens);
    comparison.field("lookup_query_tokens", lookup_query_tokens);
    comparison.field("failed_admissions", lookups - admissions);
  }

  std::uint64_t steps = 0, preemptions = 0, blocks_allocated = 0, evictions = 0, lookups = 0;
  std::uint64_t lookup_hit_tokens = 0, lookup_query_tokens = 0, admissions = 0;
  std::uint64_t scheduled_tokens = 0;
  std::uint64_t hit_tokens[2] = {}, query_tokens[2] = {};  // first admission, again
};

HashChainOptions options_of(const json& c) {
  HashChainOptions options = vllm_options(c);
  options.max_in_flight_tokens = case_number(c, "token_budget");
  return options;
}

Request request_of(const json& r, std::uint32_t id, std::uint32_t id_tokens) {
  Request request;
  request.id = SequenceId(id);
  request.prompt_tokens = case_number(r, "prompt");
  request.output_tokens = std::max(1u, case_number(r, "output"));
  if (request.prompt_tokens == 0) throw UserError("field \"prompt\" is 0");
  request.contents.tokens_per_key = id_tokens;
  request.contents.keyed_tokens = request.prompt_tokens;
  for (const std::uint32_t key : case_numbers(r, "keys"))
    request.contents.keys.push_back(key);
  if (request.contents.keys.size() * id_tokens < request.prompt_tokens)
    throw UserError("field \"keys\" has fewer keys than the prompt needs");
  return request;
}

json step_of(const Step& step, const Scheduler& scheduler, const HashChainManager& manager) {
  json shown{{"scheduled", json::array()},
             {"preempted", json::array()},
             {"finished", json::array()},
             {"running", json::array()},
             {"free_blocks", manager.free_blocks()}};
  for (const ScheduledTokens& part : step.scheduled)
    shown["scheduled"].push_back({part.sequence.value(), part.tokens});
  for (const SequenceId id : step.preempted)
    shown["preempted"].push_back(id.value());
  for (const SequenceId id : step.finished)
    shown["finished"].push_back(id.value());
  for (const SequenceId id : scheduler.running_requests())
    shown["running"].push_back(id.value());
  return shown;
}

std::optional<std::string> first_difference(const json& expect, const char* name,
                                            const json& actual) {
  Comparison comparison(name, expect);
  comparison.field(name, actual);
  if (comparison.difference().empty()) return std::nullopt;
  return comparison.difference();
}

}  // namespace

std::optional<std::string> check_scheduler_case(const json& c) {
  const std::uint32_t id_tokens = case_number(c, "id_tokens");
  Counts counts;
  HashChainManager manager(options_of(c), Bytes(), counts);
  if (id_tokens == 0 || id_tokens % manager.options().block_size != 0)
    throw UserError("field \"id_tokens\" is not a multiple of the block size");
  SchedulerOptions options;
  options.max_num_batched_tokens = case_number(c, "token_budget");
  options.max_num_seqs = case_number(c, "max_running");
  Scheduler scheduler(options, manager, counts);
  std::uint32_t id = 0;
  for (const json& r : case_field(c, "requests"))
    scheduler.add(request_of(r, id++, id_tokens));

  const json& steps = case_field(c, "first_steps");
  std::uint32_t peak = 0;
  for (Step step; !scheduler.idle();) {
    scheduler.compose(step);
    peak = std::max(peak, manager.used_blocks());
    const std::uint32_t unfinished = scheduler.unfinished();
    scheduler.complete(step);
    if (step.scheduled.empty() && scheduler.unfinished() == unfinished)
      return "step " + std::to_string(step.index) + " schedules nothing";
    if (step.index < steps.size()) {
      Comparison comparison("step " + std::to_string(step.index), steps[step.index]);
      const json shown = step_of(step, scheduler, manager);
      for (const auto& [name, value] : shown.items())
        comparison.field(name.c_str(), value);
      if (!comparison.difference().empty()) return comparison.difference();
    }
    manager.cache()->check_invariants();
  }

  Comparison comparison("counts", case_field(c, "counts"));
  counts.compare(comparison);
  comparison.field("peak_used_blocks", peak);
  if (!comparison.difference().empty()) return comparison.difference();
  if (auto difference = first_difference(c, "final_free_queue", engine_free_queue(manager)))
    return difference;
  return first_difference(c, "final_cached", engine_cached(manager));
}

}  // namespace vacancy
