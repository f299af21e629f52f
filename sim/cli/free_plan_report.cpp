// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/free_plan_report.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "sim/cli/figures.hpp"
#include "sim/cli/text_table.hpp"
#include "sim/shared_blocks/free_plan.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

struct Wanted {
  std::uint64_t number = 0;
  bool percent = false;
};

std::optional<Wanted> parse(const std::string& text) {
  Wanted wanted;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, wanted.number);
  if (error != std::errc()) return std::nullopt;
  wanted.percent = std::string_view(rest, static_cast<std::size_t>(end - rest)) == "%";
  if (rest != end && !wanted.percent) return std::nullopt;
  if (wanted.percent && wanted.number > 100) return std::nullopt;
  return wanted;
}

/// Of so many blocks; a share is rounded up.
std::uint32_t count_of(const Wanted& wanted, std::uint32_t all) {
  const std::uint64_t count = wanted.percent ? (wanted.number * all + 99) / 100 : wanted.number;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, all));
}

std::string headline(const FreePlan& plan, std::uint32_t all) {
  return "To free " + format_count(plan.blocks) + " of the " + counted(all, "cached block") +
         " that no request holds at the end (uses lost: how often admissions found the freed "
         "blocks "
         "and those below them):";
}

}  // namespace

void check_free_plan(const std::string& wanted, const Scenario& scenario) {
  if (!parse(wanted))
    throw UserError(
        "--free-plan " + in_quotes(wanted) +
        ": give a number of blocks, such as 500, or a share of the cached ones, such as "
        "10%.");
  const bool engine =
      scenario.serving && scenario.serving->scheduler == SchedulerKind::continuous_batching;
  if (!engine || !scenario.serving->config.engine.hash_chain ||
      !scenario.serving->config.engine.hash_chain->prefix_caching)
    throw UserError(
        "--free-plan is about the cached blocks of a profile of vLLM with a prefix index under "
        "continuous_batching; this scenario has none. Leave it out.");
}

void print_free_plan(std::ostream& out, const std::string& wanted, const CacheManager& cache,
                     std::size_t columns) {
  const CachedBlocks cached = cached_blocks(cache.sharing(), *cache.cache());
  const FreePlan plan = free_plan(cached, count_of(*parse(wanted), cached.trie.size()));
  const auto& pages = cache.cache()->pool().pages();
  out << '\n' << wrapped(headline(plan, cached.trie.size()), columns) << "\n\n";

  std::vector<std::string> header{"", "uses lost"};
  if (pages) header.push_back("pages mapped then");
  FigureTable table(std::move(header));
  const auto add = [&](const std::string& name, const FreePlan::Choice& choice) {
    std::vector<std::string> row{name, format_count(static_cast<std::uint64_t>(choice.loss))};
    if (pages) row.push_back(format_count(pages->mapped() - choice.pages));
    table.add(std::move(row));
  };
  if (plan.least)
    add("least possible", *plan.least);
  else
    table.add({"no choice loses less than", format_count(static_cast<std::uint64_t>(plan.bound))});
  add("cheapest leaf first", plan.cheapest_leaves);
  add("as the free queue has them", plan.free_order);
  if (pages) add("whole pages first", plan.whole_pages);
  table.print(out);
  if (pages) out << "\nPages mapped now: " << format_count(pages->mapped()) << ".\n";
}

}  // namespace vacancy
