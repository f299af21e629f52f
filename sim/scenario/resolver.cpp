// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/resolver.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "sim/model/memory.hpp"
#include "sim/scenario/model_choice.hpp"
#include "sim/scenario/options.hpp"
#include "sim/scenario/path_resolver.hpp"
#include "sim/scenario/scenario_limits.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

Scenario Resolver::resolve() {
  const auto general = general_table().read(section(""));
  scenario_.description = general.description;
  scenario_.seed = general.seed;
  scenario_.quality_queries = quality_table().read(section("quality")).queries;

  choose_scheduler();
  read_attention_options();
  resolve_workload();
  resolve_model_and_source();
  resolve_device();
  resolve_layers();
  resolve_reclaim();
  resolve_cache();
  resolve_eviction_options();
  make_policy();
  check_trajectory();
  check_key_groups();
  resolve_serving();
  check_sharing();
  resolve_beams();
  resolve_faults();
  if (scenario_.eviction_policy && scenario_.eviction_policy->keep_rule() != KeepRule::all) {
    note_scope();
    note_block_choice();
    note_protected_blocks();
    check_trigger();
  }
  return std::move(scenario_);
}

bool Resolver::data_present(const EntryInfo& info, const std::string& path) {
  for (const Parameter& parameter : info.parameters) {
    if (parameter.type != ParameterType::path) continue;
    const ParameterValue& value = section(path).at(parameter.name);
    const auto* file = std::get_if<std::string>(&value);
    if (file && !data_present(path + '.' + parameter.name, *file)) return false;
  }
  return true;
}

bool Resolver::data_present(const std::string& key, const std::string& file) {
  std::error_code unreadable;  // an impossible name is an absent file
  if (!is_shared_path(file) || std::filesystem::exists(located_path(file), unreadable)) return true;
  scenario_.obstacle =
      key + " names " + in_quotes(file) + ", which is not here. " + shared_data_remedy();
  return false;
}

void Resolver::read_attention_options() {
  const auto options = attention_table().read(section("attention"));
  scenario_.source = options.source;
  scenario_.trajectory = options.trajectory;
}

void Resolver::resolve_workload() {
  scenario_.sequences = workload_table().read(section("workload")).sequences;
  scenario_.prompt_tokens = length("prompt_tokens");
  scenario_.output_tokens = length("output_tokens");
  if (lockstep_ && longest_sequence() == 0 && faults_.clean("/workload"))
    fault("/workload",
          "the sequences have no tokens; set workload.prompt_tokens or "
          "workload.output_tokens.");
}

std::shared_ptr<const LengthDistribution> Resolver::length(const std::string& key) {
  const ParameterValue value = section("workload").at(key);
  if (const auto* tokens = std::get_if<std::int64_t>(&value))
    return fixed_length(static_cast<std::uint32_t>(*tokens));
  const ParameterValues& form = section("workload." + key);
  const auto* entry = find_length_distribution(std::get<std::string>(form.at("distribution")));
  std::shared_ptr<const LengthDistribution> result = fixed_length(0);
  attempt("/workload/" + key, [&] { result = entry->make(form); });
  return result;
}

std::uint64_t Resolver::longest_sequence() const {
  return std::uint64_t{scenario_.prompt_tokens->longest()} + scenario_.output_tokens->longest();
}

void Resolver::resolve_cache() {
  const auto options = cache_table().read(section("cache"));
  CacheConfig& cache = scenario_.cache;
  cache.block_size = options.block_size;
  cache.blocks_per_page = options.blocks_per_page;
  cache.layout = CacheLayout(std::max(scenario_.model.kv_layers(), 1u),
                             std::max(scenario_.model.kv_heads, 1u), options.table, Scope::model);
  if (!faults_.clean("/model") || !faults_.clean("/cache")) return;
  const TableSpan span = table_span(options.table);
  if (!attempt("/cache/block_size", [&] {
        cache.block_bytes = layer_groups_
                                ? bytes_per_block(scenario_.model, *layer_groups_, cache.block_size)
                                : bytes_per_block(scenario_.model, cache.block_size, span);
      }))
    return;

  const ParameterValue blocks = section("cache").at("blocks");
  const ParameterValue memory = section("cache").at("memory");
  const auto* count = std::get_if<std::int64_t>(&blocks);
  const auto* size = std::get_if<std::string>(&memory);
  if (count && size) {
    fault("/cache/memory",
          "contradicts cache.blocks: both say how large the pool is. Remove one "
          "of them, or set cache.blocks to \"unlimited\".");
    return;
  }
  std::uint64_t limit = 0;
  if (count) limit = static_cast<std::uint64_t>(*count);
  if (size) limit = parse_bytes(*size).value() / cache.block_bytes.value();
  if (count || size) limit_pool(limit, count ? "/cache/blocks" : "/cache/memory");
  check_bytes();
}

void Resolver::check_bytes() {
  const CacheConfig& cache = scenario_.cache;
  const double table_blocks = std::ceil(double(longest_sequence()) / cache.block_size);
  const double needed = table_blocks * double(tables_per_sequence()) * scenario_.sequences;
  const double blocks = cache.blocks ? std::min(needed, double(*cache.blocks)) : needed;
  constexpr double countable = 0x1p64;
  if (blocks * double(cache.block_bytes.value()) >= countable)
    fault(
        "/model",
        "the cache may grow beyond 2^64 - 1 bytes, which cannot be counted. Take a smaller model, "
        "fewer or shorter sequences, or a limited pool.");
}

void Resolver::limit_pool(std::uint64_t blocks, const std::string& pointer) {
  CacheConfig& cache = scenario_.cache;
  if (blocks > max_pool_blocks || blocks * cache.block_size > max_pool_slots) {
    fault(pointer, "a pool of " + counted(blocks, "block") + " of " +
                       counted(cache.block_size, "slot") + " exceeds the limit of " +
                       format_count(max_pool_blocks) + " blocks and " +
                       format_count(max_pool_slots) +
                       " slots. Take a smaller pool or \"unlimited\" cache.blocks.");
    return;
  }
  const std::uint64_t tables = tables_per_sequence();
  if (blocks < tables) {
    fault(pointer, "a pool of " + counted(blocks, "block") + " of " +
                       format_bytes(cache.block_bytes) + " cannot hold one token: a sequence has " +
                       counted(tables, "block table") +
                       ", and each takes at least one block. Enlarge it.");
    return;
  }
  cache.blocks = static_cast<std::uint32_t>(blocks);
}

}  // namespace vacancy
