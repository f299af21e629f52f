// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace vacancy {

/// Calls `work(i)` for i = 0 … count - 1, each once and in this order, from `jobs` threads, and
/// `watch()` from this one ten times a second until all is done. After the first exception no more
/// calls begin; it is thrown here once the others have ended.
void in_parallel(std::size_t count, std::size_t jobs, const std::function<void(std::size_t)>& work,
                 const std::function<void()>& watch);

}  // namespace vacancy
