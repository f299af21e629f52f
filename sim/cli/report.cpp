// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/report.hpp"

#include "sim/cli/console.hpp"
#include "sim/cli/figures.hpp"
#include "sim/cli/text_table.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

std::string share_text(const Ratio& ratio) {
  const auto value = ratio.value();
  return value ? format_percent(*value) : "";
}

/// Tokens appended, counted once for each table, as evicted tokens are.
std::uint64_t table_tokens(const FinishedRun& run) {
  return run.facts.tokens_appended() * run.simulation.config().cache.layout.tables();
}

std::string setting(const FinishedRun& run) {
  const SimulationConfig& config = run.simulation.config();
  const CacheLayout& layout = config.cache.layout;
  std::string text = run.scenario.model.name + ", " + counted(config.sequences.size(), "sequence") +
                     "; blocks of " + counted(config.cache.block_size, "slot") + " (" +
                     format_bytes(config.cache.block_bytes) + "), ";
  text += config.cache.blocks ? "pool of " + format_count(*config.cache.blocks) : "unlimited pool";
  text += ", " + counted(layout.tables(), "table") + " a sequence. Policy " + run.scenario.policy;
  if (config.policy->keep_rule() != KeepRule::all) {
    if (has_budget(config.policy->keep_rule()))
      text += ", budget " + format_count(config.eviction.budget);
    text += ", scope " + std::string(enum_name(layout.scope()));
    if (layout.sets_per_table() > 1)
      text += " (" + format_count(layout.sets_per_table()) + " sets share a table)";
    text += "; reclaim " + run.scenario.reclaimer;
  }
  if (run.scenario.source != "none") text += "; attention " + run.scenario.source;
  return text + ". Seed " + std::to_string(config.seed) + ".";
}

bool one_round_each(const FinishedRun& run) {
  return run.simulation.config().eviction.trigger == TriggerKind::once;
}

void add_memory_rows(FigureTable& table, const FinishedRun& run, const Expectations& expected) {
  const Summary::Memory& m = run.summary.memory;
  table.add({"blocks held, peak", format_count(m.kv_peak_blocks),
             expected_text(expected.peak_blocks, 1, 1)});
  table.add({"KV memory, peak", format_bytes(m.kv_peak_bytes)});
  add_page_rows(table, run.summary.pages);
  if (m.kv_after_round_blocks)
    table.add({"blocks held after a round, most", format_count(*m.kv_after_round_blocks),
               expected_text(expected.blocks_after_round, 1, 1)});
  if (const auto held = run.facts.steady_held_slots(); held && !one_round_each(run))
    table.add({"slots held after rounds, later half", format_decimal(*held, 1),
               expected_text(expected.steady_held_slots, 1, 1)});
  if (run.summary.reclaim.rounds > 0)
    table.add({"blocks at the end", format_count(run.simulation.cache().pool().held())});
  if (run.summary.reclaim.rounds > 0)
    table.add({"blocks that the survivors would fill",
               format_count(blocks_if_packed(run.simulation.cache()))});
}

void add_quality_rows(FigureTable& table, const Summary::Quality& q) {
  if (const auto mass = q.mass_mean())
    table.add({"retained attention mass", format_percent(*mass)});
  if (const auto mass = q.mass_p10())
    table.add({"retained attention mass, worst tenth", format_percent(*mass)});
  if (const auto error = q.error_mean())
    table.add({"attention output error", format_percent(*error)});
  if (const auto agreement = q.agreement_mean())
    table.add({"next tokens as with the full cache", format_percent(*agreement)});
}

FigureTable gauges(const Summary::Memory& m) {
  FigureTable table({"slots", "mean", "peak", "end"});
  const auto slots = [&](const std::string& name, const SlotGauge& gauge) {
    table.add({name, format_decimal(gauge.mean.value().value_or(0), 0), format_count(gauge.peak),
               format_count(gauge.end)});
  };
  const auto share = [&](const std::string& name, const ShareGauge& gauge) {
    table.add({name, share_text(gauge.mean), share_text(gauge.peak), share_text(gauge.end)});
  };
  slots("held", m.held_slots);
  slots("live", m.live_slots);
  share("holes / held", m.hole_ratio);
  share("tail / held", m.tail_ratio);
  return table;
}

}  // namespace

std::string headline(const FinishedRun& run) {
  const Summary::Reclaim& r = run.summary.reclaim;
  if (r.rounds == 0)
    return "Nothing was evicted: " + counted(run.facts.tokens_appended(), "token") + " took " +
           counted(run.summary.memory.kv_peak_blocks, "block") + " (" +
           format_bytes(run.summary.memory.kv_peak_bytes) + ") at the peak.";
  const double evicted = r.evicted_tokens().value().value();
  const std::uint32_t tables = run.simulation.config().cache.layout.tables();
  const auto freed = static_cast<double>(r.blocks_freed_by_eviction);
  std::string text = "Evicted " + count_text(r.evicted_tokens()) + " of " +
                     counted(table_tokens(run), "token") +
                     (tables > 1 ? ", counted on each of " + counted(tables, "table") : "") + " (" +
                     format_percent(evicted / static_cast<double>(table_tokens(run))) + ")";
  if (!one_round_each(run)) text += " in " + counted(r.rounds, "round");
  text += "; " + count_text(r.blocks_freed_by_eviction) + " of ";
  if (one_round_each(run)) {
    const std::uint64_t before = run.facts.blocks_before_rounds();
    text += counted(before, "block") + " came back (" +
            format_percent(freed / static_cast<double>(before)) + " of the held blocks)";
  } else {
    text += counted(run.summary.serving.blocks_allocated, "allocated block") + " came back";
  }
  if (const auto efficiency = r.reclaim_efficiency())
    text += ": " + format_percent(*efficiency) + " of the promised memory";
  // In the long run every block of a dead token empties; what lasts is the room that holes take.
  const std::uint64_t held = run.simulation.cache().pool().held();
  const std::uint64_t enough = blocks_if_packed(run.simulation.cache());
  if (!one_round_each(run) && held > enough)
    text +=
        "; " + counted(held, "block") + " stay held where " + format_count(enough) + " would do";
  return text + ".";
}

void print_report(std::ostream& out, const FinishedRun& run, std::size_t columns) {
  const bool completed = run.stop_reason.empty();
  const Expectations expected =
      completed ? expect(run.scenario, run.simulation.config()) : Expectations{};
  if (!completed) out << wrapped(run.stop_reason, columns) << '\n';
  out << wrapped(headline(run), columns) << '\n' << wrapped(setting(run), columns) << "\n\n";

  FigureTable figures({"", "simulation", expected.laws.empty() ? "" : "formula"});
  add_reclaim_rows(figures, run.summary.reclaim, expected);
  add_memory_rows(figures, run, expected);
  add_quality_rows(figures, run.summary.quality);
  figures.add({"sequences completed", format_count(run.summary.serving.completed) + " of " +
                                          format_count(run.simulation.config().sequences.size())});
  figures.print(out);
  out << '\n';
  gauges(run.summary.memory).print(out);

  if (run.summary.reclaim.rounds > 0)
    out << '\n'
        << wrapped(
               "Reclaim efficiency = blocks freed per evicted token × block size: the share of the "
               "promised memory that came back. It is not the share of the held blocks.",
               columns)
        << '\n';
  if (!expected.laws.empty() && run.summary.reclaim.rounds == 0) out << '\n';
  for (const std::string& law : expected.laws)
    out << wrapped("Formula. " + law, columns) << '\n';
}

}  // namespace vacancy
