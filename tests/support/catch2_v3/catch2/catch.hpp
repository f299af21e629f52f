// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ubuntu 24.04 has Catch2 3, Debian 12 has Catch2 2. The tests are written against the latter; this
// header stands in for its single header and keeps the names that the former moved.
#include <catch2/catch_all.hpp>
#include <string>

using Catch::Approx;

namespace Catch {

using Matchers::EndsWith;
using Matchers::Equals;
using Matchers::StartsWith;

inline auto Contains(const std::string& text) {
  return Matchers::ContainsSubstring(text);
}

}  // namespace Catch
