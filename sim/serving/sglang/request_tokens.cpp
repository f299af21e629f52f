// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/sglang/request_tokens.hpp"

#include <algorithm>

namespace vacancy {

void append_tokens(const Request& request, std::uint32_t first, std::uint32_t last,
                   TokenRuns& tokens) {
  const RequestContents& contents = request.contents;
  while (first < std::min(last, contents.keyed_tokens)) {
    const std::uint32_t offset = first % contents.tokens_per_key;
    const std::uint32_t count =
        std::min({contents.tokens_per_key - offset, last - first, contents.keyed_tokens - first});
    TokenRun run = trace_block(contents.keys[first / contents.tokens_per_key], count);
    run.first += offset;
    tokens.append(run);
    first += count;
  }
  if (first < last) tokens.append(generated(request.id.value(), first, last - first));
}

}  // namespace vacancy
