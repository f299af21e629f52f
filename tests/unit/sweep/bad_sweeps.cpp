// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/sweep/bad_sweeps.hpp"

#include <utility>

namespace vacancy::test {

namespace {

constexpr const char* scenario =
    R"({"cache": {"blocks": 100}, "eviction": {"policy": "random", "budget": 32}, "workload": {"output_tokens": 64}})";
constexpr const char* good_axes = R"({"grid": [{"key": "cache.block_size", "values": [8, 16]}]})";

/// Good but for what stands in its third line.
BadSweep line(std::string name, const std::string& third, std::string pointer,
              std::vector<std::string> words) {
  return {std::move(name),
          std::string("{\"scenario\": ") + scenario + ",\n\"axes\": " + good_axes + ",\n" + third +
              "\n}",
          {},
          "3: " + pointer,
          std::move(words)};
}

/// Good but for its axes, in the second line.
BadSweep axes(std::string name, const std::string& value, std::string pointer,
              std::vector<std::string> words) {
  return {std::move(name),
          std::string("{\"scenario\": ") + scenario + ",\n\"axes\": " + value + "}",
          {},
          "2: /axes" + pointer,
          std::move(words)};
}

/// Good but for the first axis of its grid.
BadSweep axis(std::string name, const std::string& value, std::string pointer,
              std::vector<std::string> words) {
  return axes(std::move(name), "{\"grid\": [" + value + "]}", "/grid/0" + pointer,
              std::move(words));
}

/// Good but for the law of a drawn key.
BadSweep law(std::string name, const std::string& value, std::string pointer,
             std::vector<std::string> words) {
  return axes(std::move(name),
              R"({"random": {"points": 3, "keys": {"eviction.budget": )" + value + "}}}",
              "/random/keys/eviction.budget" + pointer, std::move(words));
}

BadSweep text(std::string name, std::string whole, std::string head,
              std::vector<std::string> words) {
  return {std::move(name), std::move(whole), {}, std::move(head), std::move(words)};
}

BadSweep assignment(std::string name, const std::string& set, std::string head,
                    std::vector<std::string> words) {
  return {std::move(name),
          std::string("{\"scenario\": ") + scenario + ",\n\"axes\": " + good_axes + "}",
          {set},
          std::move(head),
          std::move(words)};
}

std::vector<BadSweep> all() {
  return {
      text("empty", "", "1: /", {"is empty"}),
      text("no JSON", "{\"scenario\": ", "1: /scenario", {"not valid JSON"}),
      text("a scenario instead", scenario, " is a scenario",
           {"vacancy run bad.json", "as scenario in a sweep file"}),
      text("a list", "[1]", "1: /", {"a sweep is an object {…}, not an array."}),
      text("no scenario", std::string("{\"axes\": ") + good_axes + "}", "1: /scenario",
           {"is missing", "the path of a scenario"}),
      text("no axes", std::string("{\"scenario\": ") + scenario + "}", "1: /axes",
           {"is missing", "grid, list or random"}),
      text("a number for a scenario", std::string("{\"scenario\": 3, \"axes\": ") + good_axes + "}",
           "1: /scenario", {"expected the path of a scenario", "got an integer"}),
      text("a scenario that is not there",
           std::string("{\"scenario\": \"none.json\", \"axes\": ") + good_axes + "}",
           "1: /scenario", {"none.json", "no such file"}),
      text("a fault of the scenario",
           std::string("{\"scenario\": {\"cache\":\n{\"blok_size\": 3}}, \"axes\": ") + good_axes +
               "}",
           "2: /scenario/cache/blok_size", {"is not a key", "block_size"}),
      line("an unknown key", R"("figure": [])", "/figure",
           {"is not a key of this object.", "figures"}),
      line("a key twice", R"("axes": {})", "/axes", {"stands twice", "remove one"}),
      line("a description that is none", R"("description": 3)", "/description", {"expected text"}),

      axes("axes that are a list", "[]", "", {"expected an object"}),
      axes("no points", "{}", "", {"names no points", "grid, list and random"}),
      axes("two kinds of points", R"({"grid": [], "list": []})", "",
           {"more than one way", "exactly one"}),
      axes("an unknown kind", R"({"gird": []})", "/gird", {"is not a key", "grid"}),
      axes("a grid of nothing", R"({"grid": []})", "/grid", {"is empty"}),
      axes("a grid that is an object", R"({"grid": {}})", "/grid", {"expected a list of axes"}),
      axis("an axis that is a text", R"("cache.block_size")", "", {"expected an object"}),
      axis("an axis without values", R"({"key": "cache.block_size"})", "",
           {"has no values", "range"}),
      axis("an axis with two kinds of values",
           R"({"key": "cache.block_size", "values": [1], "from": 1, "to": 2, "step": 1})", "",
           {"more than one of", "keep one"}),
      axis("values without a key", R"({"values": [1]})", "/key", {"is missing", "eviction.budget"}),
      axis("values that are none", R"({"key": "cache.block_size", "values": []})", "/values",
           {"is empty"}),
      axis("one value", R"({"key": "cache.block_size", "values": 8})", "/values",
           {"expected a list of values"}),
      axis("a value twice", R"({"key": "cache.block_size", "values": [8, 8]})", "/values",
           {"\"8\" stands twice", "remove one"}),
      axis("a path with a hole", R"({"key": "cache..block_size", "values": [8]})", "/key",
           {"has an empty part", "eviction.budget"}),
      axis("a key that no scenario has", R"({"key": "cache.blok_size", "values": [8]})", "",
           {"/cache/blok_size", "is not a key", "block_size"}),
      axis("a value that no scenario takes", R"({"key": "cache.block_size", "values": [8, 0]})", "",
           {"/cache/block_size", "expected an integer from 1", "got 0"}),
      axis("a fraction for an integer",
           R"({"key": "cache.block_size", "from": 1, "to": 2, "step": 0.5})", "",
           {"/cache/block_size", "Integers are written without a point"}),
      axis("a policy that is not there", R"({"key": "eviction.policy", "values": ["h3o"]})", "",
           {"/eviction/policy", "Did you mean \"h2o\"?"}),
      axis("a range without an end", R"({"key": "cache.block_size", "from": 1, "step": 1})", "/to",
           {"is missing", "a range has from, to"}),
      axis("a range without steps", R"({"key": "cache.block_size", "from": 1, "to": 8})", "",
           {"one of step, factor and log_steps"}),
      axis("a range with two kinds of steps",
           R"({"key": "cache.block_size", "from": 1, "to": 8, "step": 1, "factor": 2})", "",
           {"only one of step, factor and log_steps"}),
      axis("a range that goes down",
           R"({"key": "cache.block_size", "from": 8, "to": 1, "step": 1})", "/step",
           {"ends at or before its start", "exchange from and to"}),
      axis("a step that stands still",
           R"({"key": "cache.block_size", "from": 1, "to": 8, "step": 0})", "/step",
           {"a step is above 0"}),
      axis("a factor of one", R"({"key": "cache.block_size", "from": 1, "to": 8, "factor": 1})",
           "/factor", {"a factor is above 1"}),
      axis("ratios from nothing", R"({"key": "quality.queries", "from": 0, "to": 8, "factor": 2})",
           "/factor", {"starts above 0", "step"}),
      axis("one step of a logarithm",
           R"({"key": "cache.block_size", "from": 1, "to": 8, "log_steps": 1})", "/log_steps",
           {"expected an integer from 2"}),
      axis("far too many values",
           R"({"key": "eviction.budget", "from": 1, "to": 1000000, "step": 1})", "",
           {"10,000 values or more", "larger steps"}),
      axis("choices without a name",
           R"({"choices": [{"label": "a", "set": {"eviction.budget": 3}}]})", "/name",
           {"is missing", "choices needs one"}),
      axis("choices and a key",
           R"({"name": "n", "key": "seed", "choices": [{"label": "a", "set": {}}]})", "/key",
           {"has no use beside choices", "remove it"}),
      axis("a choice without a label", R"({"name": "n", "choices": [{"set": {}}]})",
           "/choices/0/label", {"is missing"}),
      axis("a choice that sets nothing", R"({"name": "n", "choices": [{"label": "a"}]})",
           "/choices/0/set", {"is missing", "{} for the scenario as it is"}),
      axis("a label twice",
           R"({"name": "n", "choices": [{"label": "a", "set": {}}, {"label": "a", "set": {}}]})",
           "/choices", {"\"a\" stands twice"}),
      axis(
          "a path within a path",
          R"({"name": "n", "choices": [{"label": "a", "set": {"eviction": {}, "eviction.budget": 3}}]})",
          "/choices/0/set/eviction.budget", {"leads into the same value as eviction"}),
      axes(
          "a key on two axes",
          R"({"grid": [{"key": "seed", "values": [1]}, {"key": "seed", "name": "s", "values": [2]}]})",
          "/grid/1", {"is set by the axis \"seed\" too", "one axis only"}),
      axes(
          "a name for two axes",
          R"({"grid": [{"key": "seed", "name": "n", "values": [1]}, {"key": "cache.block_size", "name": "n", "values": [2]}]})",
          "/grid/1", {"is the name of two axes", "rename one"}),
      axes(
          "far too many points",
          R"({"grid": [{"key": "seed", "from": 1, "to": 2000, "step": 1}, {"key": "eviction.budget", "from": 1, "to": 2000, "step": 1}]})",
          "/grid", {"4,000,000 combinations", "random"}),

      axes("a list of nothing", R"({"list": []})", "/list", {"is empty"}),
      axes("a point that is a number", R"({"list": [3]})", "/list/0",
           {"expected an object of dotted paths"}),
      axes("a point that sets nothing", R"({"list": [{}]})", "/list/0", {"sets nothing"}),
      axes("a value of a list", R"({"list": [{"cache.block_size": "x"}]})", "/list/0",
           {"/cache/block_size", "expected an integer"}),

      axes("random points, but how many?", R"({"random": {"keys": {"seed": {"choice": [1]}}}})",
           "/random/points", {"is missing", "an integer from 1"}),
      axes("random points of no key", R"({"random": {"points": 3, "keys": {}}})", "/random/keys",
           {"dotted paths and laws"}),
      law("no law", "{}", "", {"needs exactly one law"}),
      law("an unknown law", R"({"normal": [1, 2]})", "/normal", {"is not a key"}),
      law("two laws", R"({"uniform": [1, 2], "choice": [3]})", "", {"exactly one law"}),
      law("one bound", R"({"integer": [3]})", "/integer", {"two integers"}),
      law("bounds with a fraction", R"({"integer": [1, 2.5]})", "/integer", {"two integers"}),
      law("bounds that go down", R"({"integer": [9, 2]})", "/integer",
          {"not below the upper one", "exchange them"}),
      law("no logarithm", R"({"log_uniform": [0, 2]})", "/log_uniform",
          {"has no logarithm", "above 0"}),
      law("nothing to choose from", R"({"choice": []})", "/choice", {"is empty"}),
      law("numbers for an integer key", R"({"uniform": [8, 64]})", "",
          {"/eviction/budget", "expected an integer"}),

      line("no seeds", R"("seeds": [])", "/seeds", {"is empty"}),
      line("a seed twice", R"("seeds": [3, 3])", "/seeds", {"the seed 3 stands twice"}),
      line("a seed below 0", R"("seeds": [-1])", "/seeds", {"integers from 0 on"}),
      line("seeds without a count", R"("seeds": {"first": 1})", "/seeds/count", {"is missing"}),
      line("an unknown figure", R"("figures": ["reclaim.reclaim_eficiency"])", "/figures",
           {"is no figure of a summary", "Did you mean \"reclaim.reclaim_efficiency\"?"}),
      line("a figure twice", R"("figures": ["reclaim.rounds", "reclaim.rounds"])", "/figures",
           {"stands twice"}),
      line("one goal", R"("pareto": {"maximize": ["reclaim.rounds"]})", "/pareto",
           {"two figures or more"}),
      line("a goal against itself",
           R"("pareto": {"maximize": ["reclaim.rounds"], "minimize": ["reclaim.rounds"]})",
           "/pareto/minimize", {"is to be maximized too"}),
      line("a table of an unknown axis",
           R"("tables": [{"rows": ["block_size"], "columns": [], "value": "reclaim.rounds"}])",
           "/tables/0/rows", {"is no axis of this sweep", "Axes: cache.block_size."}),
      line("a table without a figure",
           R"("tables": [{"rows": ["cache.block_size"], "columns": []}])", "/tables/0/value",
           {"is missing"}),
      line(
          "an axis in rows and columns",
          R"("tables": [{"rows": ["cache.block_size"], "columns": ["cache.block_size"], "value": "reclaim.rounds"}])",
          "/tables/0/columns", {"stands in the rows already"}),
      line("a plot without y", R"("plots": [{"x": "cache.block_size"}])", "/plots/0/y",
           {"is missing"}),
      line("a plot over what is not there",
           R"("plots": [{"x": "cache.blok_size", "y": "reclaim.rounds"}])", "/plots/0/x",
           {"neither an axis of this sweep nor a figure", "cache.block_size"}),
      line(
          "a plot whose series is its x",
          R"("plots": [{"x": "cache.block_size", "y": "reclaim.rounds", "series": ["cache.block_size"]}])",
          "/plots/0/series", {"is the x axis already"}),
      line("an axis that is not skipped by", R"("skip": [{"where": {"size": 8}}])", "/skip/0/where",
           {"is no axis"}),
      line("a value that no axis has", R"("skip": [{"where": {"cache.block_size": 9}}])",
           "/skip/0/where", {"\"9\" is no value of the axis"}),
      line("a skip of nothing", R"("skip": [{"reason": "x"}])", "/skip/0/where",
           {"axes and their values"}),

      assignment("an override that the points hide", "cache.block_size=4", "--set",
                 {"cache.block_size themselves", "remove --set"}),
      assignment("an override of no key", "cache.x=4", "--set cache.x=4: /cache/x",
                 {"is not a key"}),
      {"seeds on an axis and beside it",
       std::string("{\"scenario\": ") + scenario +
           ",\n\"axes\": {\"grid\": [{\"key\": \"seed\", \"values\":\n[1, 2]}]}, \"seeds\": [3]}",
       {},
       "3: /seeds",
       {"the points set the key seed", "Remove one"}},
      {"a pivot table of random points",
       std::string("{\"scenario\": ") + scenario +
           ", \"axes\": {\"random\": {\"points\": 2, \"keys\": {\"seed\": {\"integer\": [1, 5]}}}},"
           "\n\"tables\": [{\"rows\": [\"seed\"], \"columns\": [], \"value\": "
           "\"reclaim.rounds\"}]}",
       {},
       "2: /tables",
       {"need the axes of a grid"}},
      {"a plot of an axis without numbers",
       std::string("{\"scenario\": ") + scenario +
           ", \"axes\": {\"grid\": [{\"key\": \"reclaim.kind\", \"values\": [\"none\", "
           "\"slide\"]}]},"
           "\n\"plots\": [{\"x\": \"reclaim.kind\", \"y\": \"reclaim.rounds\", \"log_x\": true}]}",
       {},
       "2: /plots/0/log_x",
       {"are not all numbers"}},
      {"a plot that leaves an axis over",
       std::string("{\"scenario\": ") + scenario +
           ", \"axes\": {\"grid\": [{\"key\": \"reclaim.kind\", \"values\": [\"none\", \"slide\"]},"
           " {\"key\": \"eviction.budget\", \"values\": [8, 16]}]},"
           "\n\"plots\": [{\"x\": \"eviction.budget\", \"y\": \"reclaim.rounds\", \"series\": "
           "[]}]}",
       {},
       "2: /plots/0/series",
       {"neither x nor in series", "add it to series"}},
  };
}

}  // namespace

const std::vector<BadSweep>& bad_sweeps() {
  static const std::vector<BadSweep> sweeps = all();
  return sweeps;
}

}  // namespace vacancy::test
