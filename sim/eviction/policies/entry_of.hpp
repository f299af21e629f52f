// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <utility>

#include "sim/eviction/policies/entries.hpp"
#include "sim/registry/info_of.hpp"

namespace vacancy {

/// The entry of a policy that is made from its options, if it has an option_table(), and from the
/// context, if it takes one. Scope, prompt and trigger are left to the caller.
template <class Policy>
PolicyEntry entry_of(std::string name, std::string summary, std::string citation) {
  PolicyEntry entry;
  entry.info = info_of<Policy>(std::move(name), std::move(summary), std::move(citation));
  entry.make = [](const ParameterValues& values,
                  const PolicyContext& context) -> std::unique_ptr<EvictionPolicy> {
    if constexpr (HasOptions<Policy>) {
      const auto options = Policy::option_table().read(values);
      if constexpr (std::constructible_from<Policy, decltype(options), const PolicyContext&>)
        return std::make_unique<Policy>(options, context);
      else
        return std::make_unique<Policy>(options);
    } else if constexpr (std::constructible_from<Policy, const PolicyContext&>) {
      return std::make_unique<Policy>(context);
    } else {
      return std::make_unique<Policy>();
    }
  };
  return entry;
}

/// The same for a method that compresses each (layer, KV head) once, when the prompt is complete.
template <class Policy>
PolicyEntry prompt_entry_of(std::string name, std::string summary, std::string citation) {
  PolicyEntry entry = entry_of<Policy>(std::move(name), std::move(summary), std::move(citation));
  entry.scope = Scope::per_layer_per_head;
  entry.trigger = TriggerKind::once;
  entry.once = OnceAt::prompt_end;
  return entry;
}

}  // namespace vacancy
