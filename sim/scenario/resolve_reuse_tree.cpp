// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "sim/model/memory.hpp"
#include "sim/scenario/resolver.hpp"
#include "sim/scenario/reuse_tree_options.hpp"
#include "sim/scenario/serving_options.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

constexpr std::uint64_t most_window_slots = std::uint64_t{1} << 30;  // of all window sizes

/// The longest sequence that the engine was built for; as in the engine, a window that is no
/// shorter does not slide.
std::optional<std::uint32_t> longest_served(const EngineProfile& engine,
                                            const ModelGeometry& model) {
  return engine.max_sequence_tokens ? engine.max_sequence_tokens : model.max_context;
}

/// Window sizes, ascending, without their blocks.
std::vector<WindowPool> window_sizes(const ModelGeometry& model, std::uint32_t longest) {
  const bool slides = model.window < longest;
  const std::uint32_t sliding = slides ? model.layer_count(LayerKind::sliding) : 0;
  const std::uint64_t layer = bytes_per_token(model, TableSpan::layer).value();
  std::vector<WindowPool> windows;
  if (sliding > 0) windows.push_back({model.window, {}, Bytes(layer * sliding)});
  if (const std::uint32_t full = model.kv_layers() - sliding; full > 0 || sliding == 0)
    windows.push_back({full_window, {}, Bytes(layer * full)});
  return windows;
}

bool is_set(const ParameterValues& values, std::string_view key) {
  return !std::holds_alternative<std::monostate>(values.find(key)->second);
}

}  // namespace

void Resolver::refuse_reuse_tree_keys(const std::string& engine) {
  std::vector<Parameter> parameters = reuse_tree_table().parameters();
  parameters.push_back(host_memory_key());
  for (const Parameter& parameter : parameters)
    if (is_set(section("engine"), parameter.name))
      fault("/engine/" + parameter.name,
            engine + " has no such rule; it is one of TensorRT-LLM's. Remove it.");
}

void Resolver::resolve_reuse_tree(EngineProfile& engine) {
  ReuseTreeOptions& options = *engine.reuse_tree;
  const ReuseTreeKeys keys = reuse_tree_table().read(section("engine"));
  options.block_size = scenario_.cache.block_size;
  options.reuse = scenario_.serving->prefix.index != PrefixIndex::none;
  options.window_share = keys.window_share.value_or(options.window_share);
  options.offload_threshold = keys.offload_threshold.value_or(options.offload_threshold);
  options.onboarding = keys.onboarding.value_or(options.onboarding);
  options.partial_reuse = keys.partial_reuse.value_or(options.partial_reuse);
  options.copy_on_partial_reuse =
      keys.copy_on_partial_reuse.value_or(options.copy_on_partial_reuse);
  RetentionOptions& retention = options.retention;
  const auto choose = [](auto& option, const auto& key) {
    if (key) option = key;
  };
  choose(retention.prompt_priority, keys.retain_prompt_priority);
  choose(retention.prompt_seconds, keys.retain_prompt_seconds);
  choose(retention.prompt_tokens, keys.retain_prompt_tokens);
  choose(retention.decode_priority, keys.retain_decode_priority);
  choose(retention.decode_seconds, keys.retain_decode_seconds);
  if (!faults_.clean("/cache") || !faults_.clean("/model") || !faults_.clean("/engine")) return;
  share_memory(engine);
  check_host_keys(options);
  check_reuse_keys(options);
  check_retention(options);
  if (keys.window_share && options.windows.size() == 1)
    fault("/engine/window_share",
          scenario_.model.name +
              " has layers of one window size, which has all the memory. Remove it, or take a "
              "model with sliding windows and full attention.");
}

Bytes Resolver::host_memory() {
  const CacheConfig& cache = scenario_.cache;
  const auto* size = std::get_if<std::string>(&section("engine").at("host_memory"));
  const auto blocks = engine_table().read(section("engine")).host_blocks;
  if (!size && !blocks) return {};
  const std::string pointer = size ? "/engine/host_memory" : "/engine/host_blocks";
  if (size && blocks) {
    fault(pointer,
          "contradicts engine.host_blocks: both say how large the host memory is. Remove "
          "one of them.");
    return {};
  }
  if (scenario_.serving->prefix.index == PrefixIndex::none)
    fault(pointer,
          "nothing is found on the host without an index. Remove it, or set prefix.index "
          "to reuse_tree.");
  const std::uint64_t count =
      size ? parse_bytes(*size).value() / cache.block_bytes.value() : std::uint64_t{*blocks};
  if (count == 0)
    fault(pointer, "has no room for a block of " + format_bytes(cache.block_bytes) +
                       ". Give more, or remove it.");
  if (count > most_window_slots / cache.block_size)
    fault(pointer, "host memory is simulated with at most 2^30 slots. Give less.");
  return faults_.clean(pointer) ? cache.block_bytes * count : Bytes(0);
}

void Resolver::check_host_keys(const ReuseTreeOptions& options) {
  if (options.has_host_memory()) return;
  for (const char* key : {"offload_threshold", "onboarding"})
    if (is_set(section("engine"), key) && faults_.clean("/engine"))
      fault(std::string("/engine/") + key,
            "there is no host memory. Remove it, or set engine.host_blocks or "
            "engine.host_memory.");
}

void Resolver::check_reuse_keys(const ReuseTreeOptions& options) {
  if (!options.reuse)
    for (const char* key : {"partial_reuse", "copy_on_partial_reuse", "retain_prompt_priority",
                            "retain_prompt_seconds", "retain_prompt_tokens",
                            "retain_decode_priority", "retain_decode_seconds"})
      if (is_set(section("engine"), key))
        fault(std::string("/engine/") + key,
              "nothing is found again without an index. Remove it, or set prefix.index to "
              "reuse_tree.");
  if (is_set(section("engine"), "copy_on_partial_reuse") && !options.partial_reuse)
    fault("/engine/copy_on_partial_reuse",
          "nothing is reused in part. Remove it, or set engine.partial_reuse to true.");
}

void Resolver::check_retention(const ReuseTreeOptions& options) {
  const RetentionOptions& retention = options.retention;
  // What the scenario does not say is the profile's.
  const auto refuse = [&](const std::string& key, const std::string& sentence) {
    fault(is_set(section("engine"), key) ? "/engine/" + key : "/engine/profile", sentence);
  };
  if (retention.prompt_tokens && !retention.prompt_priority)
    refuse("retain_prompt_tokens",
           "nothing is asked for these tokens. Set engine.retain_prompt_priority too.");
  const auto check = [&](const std::string& part, std::optional<std::uint32_t> priority,
                         std::optional<double> seconds) {
    if (!seconds) return;
    if (priority.value_or(reuse_tree::default_priority.value()) ==
        reuse_tree::default_priority.value())
      refuse("retain_" + part + "_seconds",
             "after that time a block falls back to the priority 35, which it has anyway. Set "
             "engine.retain_" +
                 part + "_priority to another.");
    if (scenario_.serving->scheduler == SchedulerKind::active_window)
      refuse("retain_" + part + "_seconds", "active_window has no clock. Remove it.");
  };
  check("prompt", retention.prompt_priority, retention.prompt_seconds);
  check("decode", retention.decode_priority, retention.decode_seconds);
}

void Resolver::share_memory(EngineProfile& engine) {
  ReuseTreeOptions& options = *engine.reuse_tree;
  const CacheConfig& cache = scenario_.cache;
  const auto longest = longest_served(engine, scenario_.model);
  options.windows = window_sizes(scenario_.model, longest.value_or(full_window));
  const Bytes host = host_memory();
  if (options.windows.size() == 1) {
    options.windows.front().blocks = {
        *cache.blocks, static_cast<std::uint32_t>(host.value() / cache.block_bytes.value())};
  } else {
    if (options.window_share == reuse_tree::MemoryShare::window_bytes && !longest) {
      fault("/engine/window_share",
            "window_bytes needs the longest sequence, the window of the layers with full "
            "attention, and the model does not say it. Set engine.max_sequence_tokens, or take "
            "equal.");
      return;
    }
    std::vector<reuse_tree::WindowMemory> memory;
    for (const WindowPool& pool : options.windows) {
      if (pool.token_bytes.value() > std::numeric_limits<std::uint32_t>::max()) {
        fault("/model",
              "a token takes more than 4 GiB, which cannot be split among window "
              "sizes. Take a smaller model.");
        return;
      }
      memory.push_back({std::min(pool.window, longest.value_or(full_window)), pool.token_bytes});
    }
    const Bytes device(*cache.blocks * cache.block_bytes.value());
    if (!attempt("/cache", [&] {
          const auto blocks =
              split_memory(memory, device, host, cache.block_size, options.window_share);
          for (std::size_t i = 0; i < blocks.size(); ++i)
            options.windows[i].blocks = blocks[i];
        }))
      return;
  }
  note_windows(options);
}

void Resolver::note_windows(const ReuseTreeOptions& options) {
  std::uint64_t slots = 0;
  std::string parts;
  for (const WindowPool& pool : options.windows) {
    const Bytes block(pool.token_bytes.value() * options.block_size);
    slots += std::uint64_t{pool.blocks.primary} * options.block_size;
    parts += parts.empty() ? "" : "; ";
    parts += pool.window == full_window ? "full attention" : counted(pool.window, "token");
    parts += ": " + counted(pool.blocks.primary, "block") + " of " + format_bytes(block);
    if (options.has_host_memory())
      parts += " and " + format_count(pool.blocks.secondary) + " on the host";
  }
  if (slots > most_window_slots) {
    fault("/cache/blocks",
          "the window sizes get " + format_count(slots) +
              " slots together, and at most 2^30 are simulated. Set fewer blocks.");
    return;
  }
  if (options.windows.front().window == full_window && !options.has_host_memory()) return;
  const std::string& model = scenario_.model.name;
  scenario_.notes.push_back((options.windows.size() > 1
                                 ? "Each window size of " + model + " has a pool of its own: "
                                 : "The pool of " + model + ": ") +
                            parts + '.');
}

}  // namespace vacancy
