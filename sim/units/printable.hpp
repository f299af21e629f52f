// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace vacancy {

/// Text out of a file, fit for a message: other than printable ASCII becomes '?', and what follows
/// the first 80 characters "...".
std::string printable(std::string_view text);

}  // namespace vacancy
