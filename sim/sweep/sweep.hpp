// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/diagnostics.hpp"
#include "sim/sweep/sampling.hpp"

namespace vacancy {

/// A summary key that becomes a column.
struct Figure {
  std::string key, unit;
};

/// Combinations that the file itself declares void.
struct SkipRule {
  struct Condition {
    std::size_t axis;
    std::vector<std::string> texts;  // any of these coordinates
  };
  std::vector<Condition> where;  // all of them
  std::string reason;
};

// Axes and figures are named by their indices in `Sweep::axes` and `Sweep::figures`.

struct ParetoGoals {
  std::vector<std::size_t> maximize, minimize;
};

struct PivotTable {
  std::string title;
  std::vector<std::size_t> rows, columns;  // axes
  std::size_t value = 0;                   // figure
};

struct PlotRequest {
  std::string title;
  std::optional<std::size_t> x_axis;  // else x_figure counts
  std::size_t x_figure = 0, y = 0;
  std::vector<std::size_t> series;  // axes
  bool log_x = false, log_y = false;
};

/// A sweep file, read and checked.
struct Sweep {
  std::string description;
  JsonNode base;  // the scenario, with --set and `set` applied; every value is good by itself
  Diagnostics origins{""};  // of its values, and of the settings; without faults
  Sampling sampling;
  std::vector<std::string> axes;
  std::vector<std::uint64_t> seeds;  // replicates; empty: the scenario's own seed
  std::vector<SkipRule> skip;
  std::vector<Figure> figures;
  bool default_figures = false;  // those without a value in any point are left out
  std::optional<ParetoGoals> pareto;
  std::vector<PivotTable> tables;
  std::vector<PlotRequest> plots;

  std::uint64_t points() const { return point_count(sampling); }
  std::uint64_t runs_per_point() const { return seeds.empty() ? 1 : seeds.size(); }
};

/// What a sweep may be at most.
inline constexpr std::uint64_t max_sweep_points = 100'000, max_sweep_runs = 1'000'000;

/// Whether a JSON text is meant as a sweep and not as a scenario.
bool is_sweep_text(std::string_view text);

/// Reads and checks a sweep file; `assignments` are `--set` texts for its scenario. Throws one
/// UserError that lists the faults.
Sweep load_sweep(const std::filesystem::path& file, const std::vector<std::string>& assignments);
Sweep load_sweep_text(std::string_view text, const std::string& name,
                      const std::filesystem::path& folder,
                      const std::vector<std::string>& assignments);

}  // namespace vacancy
