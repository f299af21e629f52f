// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/replay_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/cli/console.hpp"
#include "sim/cli/figures.hpp"
#include "sim/cli/text_table.hpp"
#include "sim/json/json_text.hpp"
#include "sim/keep_sets/replay.hpp"
#include "sim/metrics/summary_json.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

using Json = nlohmann::ordered_json;

/// The counts of all files; a way that does not apply to one of them applies to none.
std::vector<ReplayRow> together(const std::vector<ReplayedFile>& files) {
  std::vector<ReplayRow> sum = files.front().rows;
  for (std::size_t file = 1; file < files.size(); ++file)
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const ReplayRow& row = files[file].rows[i];
      if (!sum[i].obstacle.empty()) continue;
      sum[i].obstacle = row.obstacle;
      if (row.obstacle.empty()) add_counts(sum[i].reclaim, row.reclaim);
    }
  return sum;
}

std::string axes_text(const KeepSetAxes& axes) {
  const std::string layers = format_count(axes.layers), heads = format_count(axes.heads);
  const auto each = [&]() -> std::string {
    switch (axes.scope()) {
      case Scope::per_layer:
        return "one for each of " + layers + " layers";
      case Scope::per_head:
        return "one for each of " + heads + " KV heads, the same in all layers";
      case Scope::per_layer_per_head:
        return "one for each of " + layers + " layers × " + heads + " KV heads";
      case Scope::model:
        break;
    }
    return "one for all layers and heads";
  }();
  return "Keep sets: " + each + ", of a model of " + counted(axes.model_layers, "layer") + " of " +
         counted(axes.model_heads, "KV head") + '.';
}

void print_rows(std::ostream& out, std::span<const ReplayRow> rows, bool bytes, bool blocks,
                std::size_t columns) {
  const Summary::Reclaim& first = rows.front().reclaim;
  const std::string evicted = count_text(first.evicted_tokens());
  out << wrapped("Tables " + std::string(enum_name(rows.front().table)) + ", blocks of " +
                     format_count(rows.front().block_size) + ": " + evicted +
                     (evicted == "1" ? " token" : " tokens") + " evicted, " +
                     format_count(first.vacated_tokens) + " vacated.",
                 columns)
      << '\n';
  std::vector<std::string> header{"reclaim", "freed", "per evicted token", "efficiency", "moved"};
  if (bytes) header.emplace_back("bytes moved");
  if (blocks) header.insert(header.end(), {"peak blocks", "at the end"});
  FigureTable table(header);
  for (const ReplayRow& row : rows) {
    std::vector<std::string> cells{std::string(row.reclaimer)};
    if (row.obstacle.empty()) {
      const Summary::Reclaim& r = row.reclaim;
      const auto quotient = r.blocks_freed_per_evicted_token(), efficiency = r.reclaim_efficiency();
      cells.push_back(count_text(r.blocks_freed_by_eviction));
      cells.push_back(quotient ? format_decimal(*quotient, 5) : "–");
      cells.push_back(efficiency ? format_percent(*efficiency) : "–");
      cells.push_back(count_text(r.moved_tokens()));
      if (bytes) cells.push_back(format_bytes(r.bytes_moved()));
      if (blocks) {
        cells.push_back(format_count(row.peak_blocks));
        cells.push_back(format_count(row.end_blocks));
      }
    }
    cells.resize(header.size(), "–");
    table.add(std::move(cells));
  }
  table.print(out);
  for (const ReplayRow& row : rows)
    if (!row.obstacle.empty())
      out << wrapped("– " + std::string(row.reclaimer) + " takes whole blocks, and " +
                         row.obstacle + '.',
                     columns)
          << '\n';
}

/// A paragraph for each kind of table and block size.
void print_groups(std::ostream& out, const std::vector<ReplayRow>& rows, bool bytes, bool blocks,
                  std::size_t columns) {
  const auto same = [](const ReplayRow& a, const ReplayRow& b) {
    return a.table == b.table && a.block_size == b.block_size;
  };
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end =
        std::find_if(begin, rows.end(), [&](const ReplayRow& row) { return !same(*begin, row); });
    out << '\n';
    print_rows(out, {begin, end}, bytes, blocks, columns);
    begin = end;
  }
}

Json to_json(const ReplayRow& row, bool bytes, bool blocks) {
  Json out{{"table", enum_name(row.table)},
           {"block_size", row.block_size},
           {"kind", row.reclaimer},
           {"applies", row.obstacle.empty()}};
  if (!row.obstacle.empty()) {
    out["obstacle"] = row.obstacle;
    return out;
  }
  Json reclaim = to_json(row.reclaim);
  if (!bytes) reclaim["bytes_moved"] = reclaim["bytes_moved_by"] = nullptr;
  out["reclaim"] = std::move(reclaim);
  if (blocks)
    out["memory"] = {{"kv_peak_blocks", row.peak_blocks}, {"kv_end_blocks", row.end_blocks}};
  return out;
}

Json to_json(const std::vector<ReplayRow>& rows, bool bytes, bool blocks) {
  Json out = Json::array();
  for (const ReplayRow& row : rows)
    out.push_back(to_json(row, bytes, blocks));
  return out;
}

}  // namespace

void print_replayed(std::ostream& out, const Replayed& replayed, std::size_t columns) {
  const bool bytes = !replayed.model.empty();
  for (const ReplayedFile& file : replayed.files) {
    if (&file != &replayed.files.front()) out << '\n';
    out << wrapped(file.name + ": " + counted(file.tokens, "token") + ", " +
                       counted(file.rows.front().reclaim.rounds, "round") + ". " +
                       axes_text(file.axes),
                   columns)
        << '\n';
    print_groups(out, file.rows, bytes, true, columns);
  }
  if (replayed.files.size() > 1) {
    out << "\nTogether, " << format_count(replayed.files.size()) << " sequences:\n";
    print_groups(out, together(replayed.files), bytes, false, columns);
  }
  out << '\n'
      << wrapped(
             "Freed: blocks that eviction gave back. Efficiency = blocks freed per evicted token × "
             "block size: the share of the promised memory that came back. Moved: tokens.",
             columns)
      << '\n';
}

std::string replayed_json(const Replayed& replayed) {
  const bool bytes = !replayed.model.empty();
  Json out{{"model", bytes ? Json(replayed.model) : Json(nullptr)}, {"files", Json::array()}};
  for (const ReplayedFile& file : replayed.files)
    out["files"].push_back({{"file", file.name},
                            {"steps", file.steps},
                            {"tokens", file.tokens},
                            {"scope", enum_name(file.axes.scope())},
                            {"layers", file.axes.model_layers},
                            {"kv_heads", file.axes.model_heads},
                            {"results", to_json(file.rows, bytes, true)}});
  out["together"] = to_json(together(replayed.files), bytes, false);
  return json_text(out);
}

}  // namespace vacancy
