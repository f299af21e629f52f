// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/prefix/radix/token_run.hpp"
#include "sim/serving/request.hpp"

namespace vacancy {

/// Appends tokens [first, last) of a request's sequence, as the radix tree tells them apart.
void append_tokens(const Request& request, std::uint32_t first, std::uint32_t last,
                   TokenRuns& tokens);

}  // namespace vacancy
