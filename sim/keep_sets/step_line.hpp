// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace vacancy {

/// What a line of JSON lines says of its step, but for the tokens.
struct StepLine {
  std::optional<std::uint64_t> length, model_layers, model_heads;
  bool evicts = false;                // it has keep
  std::size_t layers = 1, heads = 1;  // of keep; one of each where it is a single list
};

/// Takes an entry of a set's list; nothing where that is no integer.
using TokenSink =
    std::function<void(std::uint32_t set, std::size_t entry, std::optional<std::int64_t> token)>;

// A line has tens of millions of tokens, and a JSON value of each would need twenty times the
// line's memory. So nothing of the text is held, and it is read twice: for its form, then for its
// tokens. Integers too large are the largest. Faults are UserErrors behind `place`.

/// Checks all but the entries of the sets' lists.
StepLine read_step_line(std::string_view text, const std::string& place);
/// Of a line that was read before.
void read_kept_tokens(std::string_view text, const std::string& place, const TokenSink& sink);

}  // namespace vacancy
