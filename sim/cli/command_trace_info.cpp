// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/cli/program.hpp"
#include "sim/cli/text_table.hpp"
#include "sim/cli/trace_commands.hpp"
#include "sim/cli/trace_source.hpp"
#include "sim/json/json_text.hpp"
#include "sim/units/format.hpp"
#include "sim/workload/trace/statistics.hpp"

namespace vacancy {

namespace {

/// Blocks that token ids are divided into unless the user says otherwise: vLLM's default.
constexpr std::uint32_t default_token_block = 16;

struct InfoOptions {
  TraceSource source;
  bool json = false;
};

using Json = nlohmann::ordered_json;

Json json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const LengthFigures& f) {
  return {{"sum", f.sum}, {"mean", f.mean}, {"min", f.minimum}, {"p50", f.p50},
          {"p90", f.p90}, {"p99", f.p99},   {"max", f.maximum}};
}

Json to_json(const TraceFigures& f) {
  Json out{{"format", f.info.format},
           {"requests", f.requests},
           {"prompt_tokens", to_json(f.prompt)},
           {"output_tokens", to_json(f.output)},
           {"arrivals",
            {{"first_ns", f.first.value()},
             {"last_ns", f.last.value()},
             {"span_ns", f.span().value()},
             {"requests_per_second", json(f.requests_per_second())},
             {"inter_arrival_cv", json(f.inter_arrival_cv)}}},
           {"token_ids", f.info.token_ids},
           {"blocks", nullptr}};
  if (f.blocks)
    out["blocks"] = {{"block_size", f.info.block_size},
                     {"references", f.blocks->references},
                     {"unique", f.blocks->unique},
                     {"referenced_once", f.blocks->referenced_once},
                     {"most_references", f.blocks->most_references},
                     {"ideal_hit_ratio", json(f.blocks->ideal_hit_ratio())},
                     {"requests_with_hit", f.blocks->requests_with_hit},
                     {"hits_after_miss", f.blocks->hits_after_miss}};
  return out;
}

std::vector<std::string> row(const char* name, const LengthFigures& f) {
  return {name,
          format_count(f.sum),
          format_decimal(f.mean, 1),
          format_count(f.minimum),
          format_decimal(f.p50, 1),
          format_decimal(f.p90, 1),
          format_decimal(f.p99, 1),
          format_count(f.maximum)};
}

void add_blocks(NameTable& table, const TraceFigures& f) {
  const BlockFigures& blocks = *f.blocks;
  table.add("blocks of " + format_count(f.info.block_size),
            format_count(blocks.references) + " references to " + format_count(blocks.unique) +
                " distinct blocks, of which " + format_count(blocks.referenced_once) +
                " once; one block at most " + format_count(blocks.most_references) + " times");
  if (const auto ratio = blocks.ideal_hit_ratio())
    table.add("ideal hit ratio", format_percent(*ratio, 2) +
                                     " of the references, seen before by a cache without bounds; " +
                                     format_count(blocks.requests_with_hit) +
                                     " requests find something");
  table.add("prefix consistency",
            blocks.hits_after_miss == 0
                ? "no hit after a miss: keys stand for whole prefixes"
                : format_count(blocks.hits_after_miss) +
                      " hits after a miss: keys do not stand for whole prefixes");
}

void print(const TraceFigures& f, const Console& console) {
  NameTable head;
  head.add("format", f.info.format);
  head.add("requests", format_count(f.requests));
  const auto rate = f.requests_per_second();
  head.add("arrivals",
           "over " + format_duration(f.span()) +
               (rate ? ", " + format_decimal(*rate, 3) + " requests/s" : ", all at once"));
  if (f.inter_arrival_cv)
    head.add("burstiness", "coefficient of variation of the times between arrivals " +
                               format_decimal(*f.inter_arrival_cv, 2) + "; Poisson has 1");
  if (f.blocks)
    add_blocks(head, f);
  else
    head.add("contents", "none: which prompts share a prefix is not known");
  head.print(console.out, console.columns);
  FigureTable lengths({"tokens", "sum", "mean", "min", "p50", "p90", "p99", "max"});
  lengths.add(row("prompt", f.prompt));
  lengths.add(row("output", f.output));
  console.out << '\n';
  lengths.print(console.out);
}

int trace_info(const InfoOptions& options, const Console& console) {
  const auto trace = options.source.open(default_token_block);
  const TraceFigures figures = measure_trace(*trace);
  if (options.json)
    console.out << json_text(to_json(figures));
  else
    print(figures, console);
  return exit_ok;
}

}  // namespace

void add_trace_info_command(CLI::App& trace, const Console& console, int& exit_code) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App& command = *trace.add_subcommand(
      "info", "Read a whole trace and say what it holds: lengths, arrivals, shared prefixes.");
  options->source.add_to(command);
  command.add_flag("--json", options->json, "As JSON on standard output.");
  command.footer("Example:\n  vacancy trace info traces/samples/mooncake.jsonl --json");
  command.callback([options, &console, &exit_code] { exit_code = trace_info(*options, console); });
}

}  // namespace vacancy
