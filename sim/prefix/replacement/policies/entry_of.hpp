// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>

#include "sim/prefix/replacement/policies/entries.hpp"
#include "sim/registry/info_of.hpp"

namespace vacancy {

/// The entry of a policy that is made from its options, if it has an option_table(), and from the
/// number of entries, or from all of the context if it takes that.
template <class Policy>
ReplacementEntry entry_of(std::string name, std::string summary, std::string citation) {
  ReplacementEntry entry;
  entry.info = info_of<Policy>(std::move(name), std::move(summary), std::move(citation));
  entry.make = [](const ParameterValues& values,
                  const ReplacementContext& context) -> std::unique_ptr<ReplacementPolicy> {
    if constexpr (HasOptions<Policy>)
      return std::make_unique<Policy>(Policy::option_table().read(values), context.entries);
    else if constexpr (std::constructible_from<Policy, const ReplacementContext&>)
      return std::make_unique<Policy>(context);
    else
      return std::make_unique<Policy>(context.entries);
  };
  return entry;
}

}  // namespace vacancy
