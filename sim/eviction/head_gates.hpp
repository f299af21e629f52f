// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/eviction/registry.hpp"

namespace vacancy {

/// Reads one number for each (layer, KV head) of the context's model: text, a line a layer, numbers
/// apart by blanks or tabs. The result stands layer after layer. A UserError with `place` if the
/// file is none of that or of another model.
std::vector<double> read_head_gates(const std::filesystem::path& written,
                                    const PolicyContext& context, const std::string& place);

}  // namespace vacancy
