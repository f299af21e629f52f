// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sim/registry/info_of.hpp"
#include "sim/workload/synthetic/entries.hpp"

namespace vacancy {

/// The entry of a workload that is made from its options, those of its option_table(), and a seed.
template <class Workload>
SyntheticEntry entry_of(std::string name, std::string summary) {
  return {info_of<Workload>(std::move(name), std::move(summary)),
          [](const ParameterValues& values, std::uint64_t seed) -> std::unique_ptr<TraceReader> {
            return std::make_unique<Workload>(Workload::option_table().read(values), seed);
          }};
}

}  // namespace vacancy
