// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/policies/last_tokens.hpp"

namespace vacancy {

PolicyEntry sliding_window_entry() {
  return entry_of<LastTokens>("sliding_window",
                              "A sliding window over the cache: keeps the last tokens, no sinks.",
                              "arXiv 2004.05150");
}

}  // namespace vacancy
