// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/commands.hpp"
#include "sim/cli/named_things.hpp"
#include "sim/cli/option_checks.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/replay_report.hpp"
#include "sim/keep_sets/keep_history.hpp"
#include "sim/keep_sets/keep_set_file.hpp"
#include "sim/keep_sets/replay.hpp"
#include "sim/model/memory.hpp"
#include "sim/reclaim/registry.hpp"
#include "sim/scenario/model_choice.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

struct ReplayOptions {
  std::vector<std::string> files, tables, reclaimers;
  std::vector<std::uint32_t> block_sizes;
  std::string model, memory = "4GiB";
  bool json = false;
};

template <class Range, class Name>
std::vector<std::string> names_of(const Range& things, Name name) {
  std::vector<std::string> names;
  for (const auto& thing : things)
    names.emplace_back(name(thing));
  return names;
}

std::vector<std::string> table_names() {
  return names_of(EnumNames<TableKind>::table, [](const auto& entry) { return entry.name; });
}

std::vector<std::string> reclaimer_names() {
  return names_of(reclaimers(), [](const auto& entry) { return entry.info.name; });
}

/// Those that the user named, in the order of `all`; all of them if none was named.
std::vector<std::string> chosen(const std::vector<std::string>& all,
                                const std::vector<std::string>& named) {
  std::vector<std::string> names;
  for (const std::string& name : all)
    if (named.empty() || std::ranges::find(named, name) != named.end()) names.push_back(name);
  return names;
}

/// A cache, and the way in which it gets blocks back.
struct ReplayKind {
  CacheConfig cache;
  const ReclaimerEntry* reclaimer;
};

/// One for each table, block size and way to reclaim that was asked for.
std::vector<ReplayKind> kinds_of(const ReplayOptions& options, const KeepSetAxes& axes,
                                 const std::optional<ModelGeometry>& model) {
  std::vector<ReplayKind> kinds;
  for (const std::string& table : chosen(table_names(), options.tables))
    for (const std::uint32_t block_size : options.block_sizes)
      for (const std::string& name : chosen(reclaimer_names(), options.reclaimers)) {
        const ReclaimerEntry* const reclaimer = find_reclaimer(name);
        // One sequence shares no blocks, so that what copies out of them only slides.
        if (options.reclaimers.empty() && reclaimer->movement == Movement::into_fresh_blocks)
          continue;
        const TableKind kind = *enum_value<TableKind>(table);
        CacheConfig cache;
        cache.block_size = block_size;
        cache.layout = axes.layout(kind);
        if (model) cache.block_bytes = bytes_per_block(*model, block_size, table_span(kind));
        kinds.push_back({cache, reclaimer});
      }
  return kinds;
}

/// All caches stand side by side, so that the file is read once.
MemoryLimit memory_limit(const ReplayOptions& options) {
  const auto needed = [&options](const KeepSetAxes& axes, std::uint32_t tokens) {
    Bytes sum = history_memory(axes, tokens);
    for (const ReplayKind& kind : kinds_of(options, axes, std::nullopt))
      sum += replay_memory(kind.cache, *kind.reclaimer, tokens);
    return sum;
  };
  return {
      parse_bytes(options.memory), needed,
      "Name one --table, --reclaim and --block-size at a time, record fewer layers or heads, or "
      "allow more with --memory."};
}

ReplayedFile replay_file(const std::string& name, const ReplayOptions& options,
                         const std::optional<ModelGeometry>& model, const Console& console) {
  const auto reader = open_keep_sets(name);
  if (model)
    reader->set_model(std::max(model->kv_layers(), 1u), std::max(model->kv_heads, 1u), model->name);
  reader->set_limit(memory_limit(options));
  ReplayedFile result{name, 0, 0, reader->axes(), {}};
  std::vector<std::unique_ptr<KeepSetReplay>> replays;
  for (const ReplayKind& kind : kinds_of(options, result.axes, model))
    replays.push_back(std::make_unique<KeepSetReplay>(kind.cache, result.axes, *kind.reclaimer));
  KeepHistory history(*reader);
  {
    Progress progress(console, !options.json, "steps");
    while (history.next()) {
      for (const auto& replay : replays)
        replay->step(history.appended(), history.decision());
      progress.update(history.steps(), 0);
    }
  }
  result.steps = history.steps();
  result.tokens = history.length();
  if (result.steps == 0) throw UserError(name + ": has no steps; record at least one.");
  for (const auto& replay : replays) {
    const Summary summary = replay->summary();
    result.rows.push_back({replay->config().layout.table_kind(), replay->config().block_size,
                           replay->reclaimer().info.name, replay->obstacle(), summary.reclaim,
                           summary.memory.kv_peak_blocks, replay->held_blocks()});
  }
  return result;
}

int replay(ReplayOptions options, const Console& console) {
  if (options.block_sizes.empty()) options.block_sizes.push_back(16);
  std::ranges::sort(options.block_sizes);
  options.block_sizes.erase(std::unique(options.block_sizes.begin(), options.block_sizes.end()),
                            options.block_sizes.end());
  std::optional<ModelGeometry> model;
  if (!options.model.empty()) model = model_of_argument(options.model);

  Replayed replayed;
  if (model) replayed.model = model->name;
  for (const std::string& file : options.files) {
    replayed.files.push_back(replay_file(file, options, model, console));
    if (replayed.files.back().axes != replayed.files.front().axes)
      throw UserError(file + ": has keep sets of other layers and heads than " +
                      options.files.front() +
                      ", so that their figures do not add up. Replay them "
                      "one by one.");
  }
  if (options.json)
    console.out << replayed_json(replayed);
  else
    print_replayed(console.out, replayed, console.columns);
  return exit_ok;
}

}  // namespace

void add_replay_command(CLI::App& app, const Console& console, int& exit_code) {
  const auto options = std::make_shared<ReplayOptions>();
  CLI::App& command = *app.add_subcommand(
      "replay", "What came back for keep sets that were recorded outside, such as from a GPU run.");
  command
      .add_option("files", options->files,
                  "Keep sets of one sequence each, as .npz, .npy or JSON lines "
                  "(docs/formats/keep_sets.md).")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--block-size", options->block_sizes,
                  "Slots of a block; default 16. Again for another size.")
      ->check(whole_number(1, 4096))
      ->allow_extra_args(false)
      ->type_name("B");
  command
      .add_option("--table", options->tables, "Only this kind of block table. Again for another.")
      ->check(CLI::IsMember(table_names()).description(""))
      ->allow_extra_args(false)
      ->type_name("KIND");
  command
      .add_option("--reclaim", options->reclaimers, "Only this way to reclaim. Again for another.")
      ->check(CLI::IsMember(reclaimer_names()).description(""))
      ->allow_extra_args(false)
      ->type_name("KIND");
  command
      .add_option("--model", options->model,
                  "Model that was recorded, for the bytes that move: built-in or a file.")
      ->check(not_empty())
      ->type_name("M");
  command
      .add_option("--memory", options->memory,
                  "The most memory that the caches may need; 4GiB unless given. What would need "
                  "more is refused before it starts.")
      ->check(not_empty())
      ->type_name("SIZE");
  command.add_flag("--json", options->json, "As JSON on standard output.");
  command.footer(
      "Examples:\n"
      "  vacancy run scenarios/seed/evict_14k_of_16k.json --keep-sets kept.npz\n"
      "  vacancy replay kept.npz\n"
      "  vacancy replay kept.npz --block-size 16 --block-size 64 --table shared --json");
  command.callback([options, &console, &exit_code] { exit_code = replay(*options, console); });
}

}  // namespace vacancy
