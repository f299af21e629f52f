// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "sim/scenario/draft.hpp"
#include "sim/scenario/json_document.hpp"
#include "sim/scenario/overrides.hpp"
#include "sim/scenario/path_resolver.hpp"
#include "sim/scenario/value_reader.hpp"
#include "sim/sweep/axes_reader.hpp"
#include "sim/sweep/object_at.hpp"
#include "sim/sweep/sweep.hpp"
#include "sim/sweep/value_check.hpp"
#include "sim/sweep/views_reader.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

using Kind = JsonNode::Kind;

/// The tree of the scenario, or nothing after a fault.
std::optional<JsonNode> read_base(ObjectAt& file, const std::filesystem::path& folder,
                                  const std::string& name, Diagnostics& faults) {
  const JsonNode* node = file.find("scenario");
  if (!node) {
    file.fault("scenario",
               "is missing; it must be the path of a scenario, or an object that is one.");
    return std::nullopt;
  }
  if (node->kind == Kind::object) {
    JsonNode root = *node;
    set_origin(root, faults.add_file(name, folder, "/scenario"));
    return root;
  }
  if (node->kind != Kind::text || node->text().empty()) {
    file.fault("scenario", "expected the path of a scenario or an object that is one, got " +
                               std::string(kind_name(node->kind)) + '.');
    return std::nullopt;
  }
  const std::filesystem::path path = located_path(anchored_path(node->text(), folder));
  try {
    const std::string text = read_text_file(path);
    return parse_scenario(
        text, faults.add_file(path.lexically_proximate(".").string(), path.parent_path()), faults);
  } catch (const UserError& error) {
    file.fault("scenario", error.what());
    return std::nullopt;
  }
}

std::vector<std::uint64_t> read_seeds(ObjectAt& file, Diagnostics& faults) {
  const JsonNode* node = file.find("seeds");
  if (!node) return {};
  constexpr std::uint64_t largest = ~std::uint64_t{0};
  constexpr std::uint64_t most = 100'000;
  std::vector<std::uint64_t> seeds;
  if (node->kind == Kind::object) {
    ObjectAt range(*node, file.pointer("seeds"), "seeds", faults);
    const std::uint64_t first = range.read().required_integer("first", 0, largest).value_or(0);
    const std::uint64_t count = range.read().required_integer("count", 1, most).value_or(0);
    if (count > 0 && first > largest - (count - 1)) {
      range.fault("first", "the last seed would exceed 2^64 - 1; begin lower.");
      return {};
    }
    for (std::uint64_t i = 0; i < count; ++i)
      seeds.push_back(first + i);
    return seeds;
  }
  const JsonNode* list = file.list("seeds", "seeds");
  if (!list) return {};
  std::set<std::uint64_t> seen;
  for (const JsonNode& item : list->items) {
    const auto* small = std::get_if<std::int64_t>(&item.scalar);
    const auto* large = std::get_if<std::uint64_t>(&item.scalar);
    if (large || (small && *small >= 0)) {
      seeds.push_back(large ? *large : static_cast<std::uint64_t>(*small));
      if (!seen.insert(seeds.back()).second)
        faults.add(item.place, file.pointer("seeds"),
                   "the seed " + std::to_string(seeds.back()) + " stands twice; remove one.");
    } else {
      faults.add(item.place, file.pointer("seeds"), "expected seeds, integers from 0 on.");
    }
  }
  return seeds;
}

/// All that the sampling sets, with the pointers of what sets it.
std::vector<std::pair<std::string, Place>> swept_paths(const Sampling& sampling) {
  std::vector<std::pair<std::string, Place>> paths;
  const auto add = [&](const std::vector<Setting>& settings) {
    for (const Setting& setting : settings)
      paths.emplace_back(setting.path, setting.value.place);
  };
  if (const auto* grid = std::get_if<Grid>(&sampling))
    for (const GridAxis& axis : grid->axes)
      for (const auto& value : axis.values)
        add(value.settings);
  if (const auto* list = std::get_if<PointList>(&sampling))
    for (const SweepPoint& point : list->points)
      add(point.settings);
  if (const auto* random = std::get_if<RandomPoints>(&sampling))
    for (const DrawnKey& key : random->keys)
      paths.emplace_back(key.path, key.place);
  return paths;
}

/// A `--set` of what the points set would have no effect.
void refuse_hidden_overrides(const std::vector<std::string>& assignments, const Sweep& sweep) {
  const auto paths = swept_paths(sweep.sampling);
  for (const std::string& text : assignments) {
    const std::string path = text.substr(0, text.find('='));
    for (const auto& [swept, place] : paths)
      if (path == swept || path.starts_with(swept + '.'))
        throw UserError("--set " + text + ": the points of the sweep set " + swept +
                        " themselves. Change the sweep file, or remove --set.");
  }
}

void check_size(ObjectAt& file, const Sweep& sweep) {
  const std::uint64_t points = sweep.points(), runs = sweep.runs_per_point();
  if (points > 0 && points <= max_sweep_points && runs > max_sweep_runs / points)
    file.fault("seeds", format_count(points) + " points with " + format_count(runs) +
                            " seeds are more than " + format_count(max_sweep_runs) +
                            " runs. Take fewer of either.");
}

void check_seed_axis(ObjectAt& file, const Sweep& sweep, Diagnostics& faults) {
  if (sweep.seeds.empty()) return;
  for (const auto& [path, place] : swept_paths(sweep.sampling))
    if (path == "seed") {
      faults.add(place, file.pointer("seeds"),
                 "the points set the key seed, and seeds sets it too. Remove one of them.");
      return;
    }
}

/// The settings of all points, into the base.
void apply_settings(ObjectAt& file, Sweep& sweep, Diagnostics& faults) {
  const JsonNode* set = file.find("set");
  if (!set) return;
  for (const Setting& setting : read_settings(*set, file.pointer("set"), faults))
    assign(sweep.base, keys_of_path(setting.path), setting.value, faults);
}

}  // namespace

bool is_sweep_text(std::string_view text) {
  Diagnostics trial("");
  const auto root = parse_json(text, 0, trial);
  return root && root->find("axes");
}

Sweep load_sweep(const std::filesystem::path& file, const std::vector<std::string>& assignments) {
  return load_sweep_text(read_text_file(file), file.string(), file.parent_path(), assignments);
}

Sweep load_sweep_text(std::string_view text, const std::string& name,
                      const std::filesystem::path& folder,
                      const std::vector<std::string>& assignments) {
  Diagnostics faults(name, folder);
  const auto root = parse_json(text, 0, faults);
  if (root && root->kind != Kind::object)
    faults.add(root->place, "",
               "a sweep is an object {…}, not " + std::string(kind_name(root->kind)) + ".");
  if (!root || root->kind != Kind::object) faults.throw_if_any();
  if (root->find("workload") && !root->find("axes") && !root->find("scenario"))
    throw UserError(name +
                    ": is a scenario, and a sweep runs one at many points. Run it with "
                    "vacancy run " +
                    name + ", or name it as scenario in a sweep file.");

  Sweep sweep;
  {
    ObjectAt file(*root, "", "", faults);
    sweep.description = file.read().text("description");
    auto base = read_base(file, folder, name, faults);
    if (const JsonNode* axes = file.find("axes"))
      sweep.sampling = read_axes(*axes, file.pointer("axes"), faults);
    else
      file.fault("axes", "is missing; it must be an object with grid, list or random.");
    sweep.axes = axis_names(sweep.sampling);
    sweep.seeds = read_seeds(file, faults);
    read_views(file, sweep, faults);
    check_size(file, sweep);
    check_seed_axis(file, sweep, faults);
    if (base) {
      sweep.base = std::move(*base);
      apply_settings(file, sweep, faults);
    }
  }
  faults.throw_if_any();
  refuse_hidden_overrides(assignments, sweep);

  apply_overrides(assignments, sweep.base, faults);
  Diagnostics base_faults = faults;
  read_values(sweep.base, base_faults);
  base_faults.throw_if_any();
  sweep.origins = faults;
  check_values(sweep, faults);
  faults.throw_if_any();
  return sweep;
}

}  // namespace vacancy
