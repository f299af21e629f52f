// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/serving_report.hpp"

#include <algorithm>

#include "sim/cli/console.hpp"
#include "sim/cli/figures.hpp"
#include "sim/cli/text_table.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

/// Whether requests can find blocks of others.
bool has_index(const ServingScenario& serving) {
  return serving.prefix.index != PrefixIndex::none && !serving.config.engine.contiguous;
}

std::string headline(const Scenario& scenario, const Summary& summary) {
  const Summary::Serving& s = summary.serving;
  std::string text = format_count(s.completed) + " requests were served";
  if (s.query_tokens > 0 && has_index(*scenario.serving))
    text +=
        "; " +
        format_percent(static_cast<double>(s.hit_tokens()) / static_cast<double>(s.query_tokens)) +
        " of the tokens that they looked up stood in the cache";
  if (s.preemptions > 0)
    text += "; " + format_count(s.preemptions) + " preemptions " +
            (s.swapped_out_blocks > 0
                 ? "moved " + format_count(s.swapped_out_blocks) + " blocks to the host and "
                 : "") +
            "had " + format_count(s.recomputed_tokens) + " tokens computed again";
  const Summary::Reclaim& r = summary.reclaim;
  if (r.rounds > 0) {
    text += "; " + counted(r.rounds, "round") + " evicted " + count_text(r.evicted_tokens()) +
            " tokens, and " + count_text(r.blocks_freed_by_eviction) + " blocks came back";
    if (const auto efficiency = r.reclaim_efficiency())
      text += ": " + format_percent(*efficiency) + " of the promised memory";
  }
  return text + ".";
}

/// How requests are evicted from.
std::string eviction(const Scenario& scenario) {
  const CacheLayout& layout = scenario.cache.layout;
  std::string text = "; policy " + scenario.policy;
  if (has_budget(scenario.eviction_policy->keep_rule()))
    text += ", budget " + format_count(scenario.eviction.budget);
  text += ", scope " + std::string(enum_name(layout.scope()));
  if (layout.sets_per_table() > 1)
    text += " (" + format_count(layout.sets_per_table()) + " sets share a table)";
  return text + "; reclaim " + scenario.reclaimer;
}

std::string setting(const Scenario& scenario) {
  const ServingScenario& serving = *scenario.serving;
  const CacheConfig& cache = scenario.cache;
  const bool bare = serving.scheduler == SchedulerKind::block_replay;
  std::string text = bare ? "A bare cache with " + serving.prefix.replacement + "; "
                          : serving.config.engine.name + ", " + scenario.model.name + "; ";
  text += cache.blocks ? format_count(*cache.blocks) + " blocks" : "unlimited blocks";
  text += " of " + format_count(cache.block_size) + (cache.block_size == 1 ? " slot" : " slots");
  if (!bare) text += " (" + format_bytes(cache.block_bytes) + ")";
  if (serving.scheduler == SchedulerKind::active_window)
    text += "; a window of " + format_count(serving.window) + " active requests";
  else if (!bare)
    text += "; at most " + format_count(serving.config.scheduler.max_num_seqs) + " requests and " +
            format_count(serving.config.scheduler.max_num_batched_tokens) + " tokens a step";
  if (serving.evicts) text += eviction(scenario);
  text += serving.made ? "; made requests (" + serving.made->info.name + ")"
                       : "; requests of " + serving.trace.filename().string();
  text += ".";
  if (serving.scheduler == SchedulerKind::continuous_batching && !serving.config.step_time)
    text += " No device is named, so every step takes 1 ms: latencies count steps.";
  return text;
}

/// Nothing where one pool with full attention is all there is.
void add_windows(FigureTable& table, const std::vector<WindowFigures>& windows) {
  if (windows.empty() || !windows.front().window) return;
  for (const WindowFigures& window : windows)
    table.add({"  of them, " + (window.window ? "window of " + format_count(*window.window)
                                              : std::string("full attention")),
               format_count(window.peak_held_blocks) + " of " + format_count(window.blocks)});
}

/// Nothing where no contents went to the host.
void add_host_memory(FigureTable& table, const std::vector<WindowFigures>& windows) {
  reuse_tree::Counters counts;
  Bytes offloaded, onboarded;
  for (const WindowFigures& window : windows) {
    counts += window.counts;
    offloaded += window.offloaded();
    onboarded += window.onboarded();
  }
  if (counts.offloaded == 0) return;
  table.add({"tokens found on the host", format_count(counts.reused_tokens_secondary)});
  table.add({"blocks offloaded", format_count(counts.offloaded)});
  table.add({"blocks onboarded", format_count(counts.onboarded)});
  table.add({"over the link", format_bytes(offloaded + onboarded)});
}

/// Nothing where no request got a token.
void print_latencies(std::ostream& out, const Summary& summary) {
  if (summary.latency.e2e.count == 0) return;
  FigureTable table({"latency, ms", "mean", "p50", "p90", "p95", "p99"});
  const auto add = [&](const std::string& name, const Distribution& d) {
    const auto ms = [](const std::optional<double>& ns) {
      return ns ? format_decimal(*ns / 1e6, 1) : "";
    };
    table.add({name, ms(d.mean), ms(d.p50), ms(d.p90), ms(d.p95), ms(d.p99)});
  };
  add("time to first token", summary.latency.ttft);
  add("time per output token", summary.latency.tpot);
  add("between tokens", summary.latency.itl);
  add("end to end", summary.latency.e2e);
  add("in the queue", summary.latency.queue);
  out << '\n';
  table.print(out);
  if (const auto rate = summary.throughput.output_tokens_per_second())
    out << "\nOutput: " << format_decimal(*rate, 1) << " tokens/s over "
        << format_duration(summary.throughput.makespan) << ".\n";
}

/// "reclaim_orphan (rounds 3, garbage tokens 3)" for each defect that is on.
std::string fault_sentence(const Summary& summary) {
  const auto spaced = [](std::string_view key) {
    std::string words(key);
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
  };
  std::string text;
  for (const FaultWords& words : fault_words) {
    if (!summary.faults.on.has(words.fault)) continue;
    const Summary::Faults::Damage& damage = summary.faults.of(words.fault);
    text += text.empty() ? "Defects on: " : "; ";
    text += std::string(enum_name(words.fault)) + " (" + spaced(words.events) + ' ' +
            format_count(damage.events);
    if (!words.count.empty()) text += ", " + spaced(words.count) + ' ' + format_count(damage.count);
    if (words.fault == EvictionFault::silent_off)
      text += " of " + format_count(summary.reclaim.rounds + damage.events) + " expected";
    text += ')';
  }
  return text.empty() ? text : text + ".";
}

}  // namespace

std::string stop_sentence(const std::string& reason) {
  return "Not finished: " + reason;
}

void print_serving_report(std::ostream& out, const Scenario& scenario, const Summary& summary,
                          const std::string& stop_reason, std::size_t columns) {
  const Summary::Serving& s = summary.serving;
  if (!stop_reason.empty()) out << wrapped(stop_sentence(stop_reason), columns) << '\n';
  out << wrapped(headline(scenario, summary), columns) << '\n'
      << wrapped(setting(scenario), columns) << "\n\n";

  FigureTable table({"", "simulation"});
  const auto add = [&](const std::string& name, std::uint64_t count) {
    table.add({name, format_count(count)});
  };
  add("requests completed", s.completed);
  if (s.unfinished > 0) add("requests not finished", s.unfinished);
  if (s.rejected > 0) add("requests rejected", s.rejected);
  if (s.steps > 0) {
    add("steps", s.steps);
    table.add({"virtual time", format_duration(summary.run.virtual_time)});
    add("preemptions", s.preemptions);
    add("tokens scheduled", s.scheduled_tokens);
    add("tokens recomputed", s.recomputed_tokens);
  }
  if (s.swapped_out_blocks > 0) {
    add("blocks swapped out", s.swapped_out_blocks);
    add("blocks swapped in", s.swapped_in_blocks);
  }
  const bool index = has_index(*scenario.serving);
  if (index) {
    add("tokens looked up", s.query_tokens);
    add("tokens found, first admission", s.hit_tokens_first_admission);
    if (s.steps > 0) add("tokens found, after a preemption", s.hit_tokens_readmission);
    if (s.host_blocks_written > 0) {
      add("of these, only on the host", s.hit_tokens_host);
      add("blocks copied to the host", s.host_blocks_written);
      add("blocks evicted from the host", s.host_blocks_evicted);
    }
    if (const auto ratio = s.hit_ratio_blocks().value())
      table.add({"blocks found / blocks looked up", format_percent(*ratio, 2)});
  }
  if (s.blocks_allocated > 0) add("blocks allocated", s.blocks_allocated);
  if (index) add("cached blocks evicted", s.blocks_evicted);
  add_reclaim_rows(table, summary.reclaim, Expectations{});
  if (s.evict_calls > 0) add("calls that evict", s.evict_calls);
  if (summary.memory.kv_peak_blocks > 0) {
    add("blocks held, peak", summary.memory.kv_peak_blocks);
    table.add({"KV memory, peak", format_bytes(summary.memory.kv_peak_bytes)});
  }
  add_page_rows(table, summary.pages);
  add_windows(table, summary.windows);
  add_host_memory(table, summary.windows);
  if (summary.sharing.blocks_saved.peak > 0) {
    add("blocks that requests share, peak", summary.sharing.blocks_shared.peak);
    add("blocks saved by it, peak", summary.sharing.blocks_saved.peak);
  }
  if (summary.sharing.sequences_forked > 0) {
    add("candidates forked", summary.sharing.sequences_forked);
    add("shared blocks copied before a write", summary.sharing.blocks_copied);
  }
  table.print(out);
  if (summary.reclaim.blocks_taken > 0)
    out << '\n'
        << wrapped(
               "Formula. A request that lets go of shared blocks puts its k survivors into "
               "ceil(k / B) blocks of its own, and its u private blocks come back: the pool wins "
               "u - ceil(k / B), less than nothing where the request shared much. What it shared "
               "comes back with the last request that leaves it.",
               columns)
        << '\n';
  if (const std::string faults = fault_sentence(summary); !faults.empty())
    out << '\n' << wrapped(faults, columns) << '\n';
  print_latencies(out, summary);
}

}  // namespace vacancy
