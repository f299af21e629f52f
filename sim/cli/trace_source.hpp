// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "sim/workload/trace/trace.hpp"

namespace vacancy {

/// The options of commands that read a trace.
struct TraceSource {
  std::string file, format, nested_time;
  std::optional<std::uint64_t> limit;
  std::optional<std::uint32_t> block_size;

  void add_to(CLI::App& command);

  std::filesystem::path path() const;
  TraceOptions options() const;
  /// A trace that has token ids but no block keys gets keys of this many tokens, unless a block
  /// size was given.
  std::unique_ptr<TraceReader> open(std::uint32_t token_block) const;
};

}  // namespace vacancy
