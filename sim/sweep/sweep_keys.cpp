// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/sweep_keys.hpp"

#include <algorithm>

#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr FileKey file_keys[] = {
    {"description", "text", "One sentence: what the sweep asks."},
    {"scenario", "scenario", "The scenario that the points change: a file or an object."},
    {"set", "settings", "Values for keys of the scenario at all points, by dotted paths."},
    {"axes", "axes", "The points: exactly one of grid, list and random."},
    {"seeds", "seeds",
     "Replicates of each point: a list of seeds, or an object with first and count. Figures are "
     "means over them. Without it each point runs once, with the scenario's own seed."},
    {"skip", "skip[]", "Combinations that are not run, and why."},
    {"figures", "texts",
     "Keys of the summary that become columns, such as reclaim.reclaim_efficiency."},
    {"pareto", "pareto", "Marks the points that no other point beats in every one of these."},
    {"tables", "tables[]", "Pivot tables. Without it, one over the first axes of a grid."},
    {"plots", "plots[]", "Plots, each written as SVG and PNG."}};

constexpr FileKey axes_keys[] = {
    {"grid", "axes.grid[]", "Axes whose values are combined, each with each."},
    {"list", "settings[]", "Points one by one: objects of dotted paths and values."},
    {"random", "axes.random", "Points drawn at random; point i depends on the seed and i alone."}};

constexpr FileKey axis_keys[] = {
    {"key", "text", "The key of the scenario that the axis sets, as a dotted path."},
    {"name", "text", "What the axis is called in tables and plots; by itself its key."},
    {"values", "list", "The key's values, one by one."},
    {"from", "number", "First value of a range."},
    {"to", "number", "The range ends here; this value is included if a step falls on it."},
    {"step", "number", "Added from value to value."},
    {"factor", "number", "Multiplied from value to value, above 1."},
    {"log_steps", "integer",
     "So many values from `from` to `to`, both included, in equal ratios; rounded, and doubles "
     "dropped, where `from` and `to` are integers."},
    {"choices", "axes.grid[].choices[]",
     "Instead of a key: values that set several keys at once, each with a label."}};

constexpr FileKey choice_keys[] = {
    {"label", "text", "What the value is called in tables and plots."},
    {"set", "settings", "What it sets, by dotted paths; may be empty for the scenario as it is."}};

constexpr FileKey random_keys[] = {
    {"points", "integer", "How many."},
    {"seed", "integer", "Of the draws; by itself 0."},
    {"keys", "axes.random.keys.*",
     "An object: dotted paths, each with one law: uniform, log_uniform, integer or choice."}};

constexpr FileKey law_keys[] = {
    {"uniform", "list", "[low, high]: numbers, equally likely."},
    {"log_uniform", "list", "[low, high], both above 0: numbers whose logarithm is uniform."},
    {"integer", "list", "[low, high]: integers, both included, equally likely."},
    {"choice", "list", "Values, equally likely."}};

constexpr FileKey seeds_keys[] = {{"first", "integer", "The first seed."},
                                  {"count", "integer", "How many, one after another."}};

constexpr FileKey skip_keys[] = {
    {"where", "object",
     "Names of axes, each with a value (or label) or a list of them; a point is left out where all "
     "agree."},
    {"reason", "text", "Why, in a sentence; stands in the results."}};

constexpr FileKey pareto_keys[] = {{"maximize", "texts", "Figures of which more is better."},
                                   {"minimize", "texts", "Figures of which less is better."}};

constexpr FileKey table_keys[] = {
    {"title", "text", "By itself the figure."},
    {"rows", "texts", "Axes whose combinations are the rows."},
    {"columns", "texts", "Axes whose combinations are the columns."},
    {"value", "text",
     "The figure in the cells. Axes left over make a table for each of their "
     "combinations."}};

constexpr FileKey plot_keys[] = {
    {"title", "text", "By itself the two figures."},
    {"x", "text", "An axis, or a figure."},
    {"y", "text", "A figure."},
    {"series", "texts",
     "Axes whose combinations have a line or a kind of mark each; by itself all but x."},
    {"log_x", "boolean", "A logarithmic x axis."},
    {"log_y", "boolean", "A logarithmic y axis."}};

constexpr SweepObject objects[] = {
    {"", "A sweep: one scenario at many points.", file_keys},
    {"axes", "The points of a sweep.", axes_keys},
    {"axes.grid[]", "An axis of a grid.", axis_keys},
    {"axes.grid[].choices[]", "A labelled value of an axis.", choice_keys},
    {"axes.random", "Points drawn at random.", random_keys},
    {"axes.random.keys.*", "The law of a drawn key: one of these.", law_keys},
    {"seeds", "Seeds one after another.", seeds_keys},
    {"skip[]", "Combinations that are not run.", skip_keys},
    {"pareto", "What a good point has; one or both.", pareto_keys},
    {"tables[]", "A pivot table.", table_keys},
    {"plots[]", "A plot.", plot_keys}};

}  // namespace

std::span<const SweepObject> sweep_objects() {
  return objects;
}

std::span<const FileKey> sweep_keys(std::string_view place) {
  const auto found = std::ranges::find(objects, place, &SweepObject::place);
  VACANCY_ASSERT(found != std::ranges::end(objects), "an object that the table has");
  return found->keys;
}

}  // namespace vacancy
