// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/layer_groups.hpp"
#include "sim/reclaim/registry.hpp"
#include "sim/registry/entry.hpp"
#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"
#include "sim/scenario/object_faults.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/serving/vllm/hash_chain_manager.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

/// Turns checked values into a scenario: builds what the registries name, puts explicit values in
/// the place of defaults, and holds the sections against each other. What depends on a faulty value
/// is left out, so that one fault does not bring up others. Without faults the scenario is
/// complete.
class Resolver {
 public:
  Resolver(const JsonNode& root, ScenarioValues values, Diagnostics& faults)
      : root_(root), faults_(faults) {
    scenario_.values = std::move(values);
  }

  Scenario resolve();

 private:
  // Each step may use what the steps before it left in scenario_.
  void choose_scheduler();
  /// Nothing without an engine, or after a fault.
  std::optional<EngineProfile> resolve_profile();
  void read_attention_options();
  void resolve_workload();
  void resolve_model_and_source();
  void resolve_device();
  void resolve_layers();
  void resolve_reclaim();
  void resolve_cache();
  void resolve_eviction_options();
  void resolve_serving();
  void check_sharing();
  void resolve_beams();
  void resolve_faults();
  void make_policy();
  void note_scope();
  void note_block_choice();
  void note_protected_blocks();
  void check_trigger();

  void check_movement(const ReclaimerEntry& entry);
  void resolve_engine(EngineProfile& engine);
  /// Another order of the queue than the scheduler has by itself.
  void resolve_admission_policy(AdmissionPolicy policy);
  void resolve_host_tier(EngineProfile& engine, const EngineOptions& choices);
  void check_host_copies(const HashChainOptions& options);
  /// TensorRT-LLM's memory: window sizes and their pools.
  void resolve_reuse_tree(EngineProfile& engine);
  void share_memory(EngineProfile& engine);
  Bytes host_memory();
  void check_host_keys(const ReuseTreeOptions& options);
  void check_reuse_keys(const ReuseTreeOptions& options);
  void check_retention(const ReuseTreeOptions& options);
  void note_windows(const ReuseTreeOptions& options);
  void refuse_reuse_tree_keys(const std::string& engine);
  void check_swap(const ServingScenario& target);
  void resolve_prefix(ServingScenario& target);
  /// Another order than vLLM's own for cached contents.
  void resolve_replacement(ServingScenario& target);
  void resolve_quota(ServingScenario& target);
  void resolve_pins(ServingScenario& target);
  /// What vLLM needs where not its free queue alone says what goes; the key is without effect at
  /// `none`.
  void check_chosen_order(const ServingScenario& target, const std::string& key,
                          const std::string& none);
  void resolve_requests(ServingScenario& target);
  /// Keys that were set and that nothing in this run reads.
  void refuse_unused(const ServingScenario& target, const ServingOptions& serving);
  void refuse_vllm_rules(const std::string& engine, const EngineOptions& choices);
  void resolve_trace(ServingScenario& target);
  void resolve_time(ServingConfig& config);
  void note_device_memory(const Device& device);
  /// Step times hold for the model they were measured with.
  void note_other_model(const std::string& device, const std::string& measured);

  std::shared_ptr<const LengthDistribution> length(const std::string& key);
  std::uint64_t longest_sequence() const;
  /// Whether layers with a window have tables of their own.
  bool has_windows() const;
  std::uint64_t tables_per_sequence() const;
  std::vector<CacheGroup> cache_groups() const;

  void set_model(ModelGeometry model, nlohmann::ordered_json json);
  void make_source(bool model_is_explicit);
  /// The source's own heads are the truth; a model that the user named must agree with them.
  void match_shape(const AttentionShape& model, bool model_is_explicit);
  void apply_kv_dtype();

  void limit_pool(std::uint64_t blocks, const std::string& pointer);
  /// The bytes that are held at once fit into 64 bits.
  void check_bytes();

  void check_needs(const PolicyNeeds& needs);
  void check_rereading();
  /// Whether decoding can go on over the evicted cache, and whether anything tells.
  void check_trajectory();
  void check_budget();
  void check_key_groups();
  void note_budget();
  void check_once();
  void read_faults(const std::string& names);

  /// Whether all shared data that a component's paths name are here; if not, the scenario cannot
  /// run. `path` is the component's section.
  bool data_present(const EntryInfo& info, const std::string& path);
  bool data_present(const std::string& key, const std::string& file);

  ParameterValues& section(std::string_view path) {
    return scenario_.values.find(path)->second.values;
  }
  void fault(const std::string& pointer, std::string sentence) {
    faults_.add(place_of(root_, pointer), pointer, std::move(sentence));
  }
  /// Reports what `work` throws, at `pointer` or the key in it that the sentence names.
  template <class Work>
  bool attempt(const std::string& pointer, Work&& work) {
    try {
      work();
      return true;
    } catch (const UserError& error) {
      std::string sentence = error.what();
      if (!sentence.ends_with('.') && !sentence.ends_with('?')) sentence += '.';
      const std::string named = pointer_named_in(sentence, root_, pointer);
      fault(named, std::move(sentence));
      return false;
    }
  }

  const JsonNode& root_;
  Diagnostics& faults_;
  Scenario scenario_;
  Scope wanted_scope_ = Scope::model;
  std::optional<LayerGroups> layer_groups_;  // where kinds of layers have tables of their own
  bool lockstep_ = false;                    // chosen, not only left over by a fault
  /// The file of the engine profile is among shared data that are absent.
  bool engine_absent_ = false;
};

}  // namespace vacancy
