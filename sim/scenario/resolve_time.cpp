// SPDX-License-Identifier: Apache-2.0
#include "sim/device/scheduled_work.hpp"
#include "sim/device/step_time_model.hpp"
#include "sim/device/transfers.hpp"
#include "sim/model/memory.hpp"
#include "sim/model/weights.hpp"
#include "sim/scenario/resolver.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

/// A model's name without who published it: "meta-llama/Llama-3.1-8B" is "Llama-3.1-8B".
std::string_view bare_name(std::string_view model) {
  return model.substr(model.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace

void Resolver::resolve_time(ServingConfig& config) {
  if (!scenario_.device || !faults_.clean("/device") || !faults_.clean("/model")) return;
  attempt("/device", [&] {
    const Device& device = *scenario_.device;
    // Policies that see the weights of every query keep the engine from fused attention.
    const bool eager = scenario_.eviction_policy && scenario_.eviction_policy->needs().every_row;
    config.step_time = [model = StepTimeModel(device, scenario_.model),
                        window = scenario_.model.window, eager](const Step& step) {
      const StepWork work = step_work(step.scheduled, window);
      return model.step(work) + (eager ? model.eager_attention(work) : SimTime());
    };
    config.copy_time = [device](Bytes moved) { return copy_time(device, moved, 1); };
    if (device.kernels && scenario_.eviction_policy) {
      // Keys are half of what a token caches; every set ranks a score of its own.
      const bool keys = scenario_.eviction_policy->needs().features.keys;
      config.selection_time = [device, keys, sets = scenario_.cache.layout.policy_sets(),
                               token = bytes_per_token(scenario_.model)](std::uint64_t tokens) {
        return selection_time(device, Bytes(keys ? token.value() * tokens / 2 : 0), tokens * sets);
      };
    }
    const bool host_tier =
        (config.engine.hash_chain && config.engine.hash_chain->host_blocks > 0) ||
        (config.engine.radix && config.engine.radix->cache.host.pages > 0) ||
        (config.engine.reuse_tree && config.engine.reuse_tree->has_host_memory());
    if (host_tier || config.scheduler.preemption == Preemption::swap) {
      link_time(device, Bytes(0));  // the device has a link
      config.link_time = [device](Bytes bytes) { return link_time(device, bytes); };
    }
    if (device.step_time) {
      config.cold_start = device.step_time->cold_start;
      note_other_model(device.name, device.step_time->model);
    }
    note_device_memory(device);
  });
}

void Resolver::note_other_model(const std::string& device, const std::string& measured) {
  if (measured.empty() || bare_name(measured) == bare_name(scenario_.model.name)) return;
  scenario_.notes.push_back("The step times of " + device + " were measured with " + measured +
                            " and are used for " + scenario_.model.name + " all the same.");
}

void Resolver::note_device_memory(const Device& device) {
  if (!device.memory || !scenario_.cache.blocks || !scenario_.model.layer_parameters) return;
  const Bytes weights = model_work(scenario_.model).weights;
  const Bytes pool = scenario_.cache.block_bytes * *scenario_.cache.blocks;
  if (weights + pool <= *device.memory) return;
  scenario_.notes.push_back(
      "The weights of " + scenario_.model.name + " (" + format_bytes(weights) + ") and the pool (" +
      format_bytes(pool) + ") exceed the memory of one " + device.name + " (" +
      format_bytes(*device.memory) + "); times are those of one all the same.");
}

}  // namespace vacancy
