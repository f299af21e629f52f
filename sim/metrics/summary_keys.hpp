// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vacancy {

/// A figure of summary.json: its dotted key and its unit, empty for none.
struct SummaryKey {
  std::string key;
  std::string_view unit;
};

/// Every figure that is a number, in the order of the file; none of those in lists.
const std::vector<SummaryKey>& summary_keys();

}  // namespace vacancy
