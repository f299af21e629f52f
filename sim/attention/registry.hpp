// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/attention/attention.hpp"
#include "sim/registry/entry.hpp"
#include "sim/registry/parameter.hpp"

namespace vacancy {

/// What a source may need beside its own parameters.
struct AttentionContext {
  std::uint64_t seed = 0;
  AttentionShape model;     // of the scenario's model; the real source has its own
  double rope_theta = 0.0;  // of the scenario's model
  /// Turns a path as the user wrote it ("shared:…", relative to a file) into one to open.
  std::function<std::filesystem::path(const std::string&)> resolve_path;
};

/// One attention source that `attention.source` can name ("none" is the absence of one).
struct AttentionSourceEntry {
  EntryInfo info;
  AttentionFeatures features;
  std::unique_ptr<AttentionSource> (*make)(const ParameterValues&, const AttentionContext&);
};

/// Every source, in the order in which they are listed.
const std::vector<AttentionSourceEntry>& attention_sources();

/// The entry of that name, or nullptr.
const AttentionSourceEntry* find_attention_source(std::string_view name);

// One entry a source, each in the source's own file.
AttentionSourceEntry real_source_entry();
AttentionSourceEntry calibrated_source_entry();
AttentionSourceEntry synthetic_source_entry();
AttentionSourceEntry random_source_entry();

/// The longest sequence of the made-up sources: more than any model's context, and their tables
/// stay small.
inline constexpr std::uint32_t made_up_max_length = 1 << 20;

/// A UserError unless every count is positive, query heads are a multiple of KV heads, and all
/// heads together fit the counters of AttentionDraws.
void check_shape(const AttentionShape& shape);

}  // namespace vacancy
