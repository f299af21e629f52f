// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace vacancy::test {

/// Runs a kernel that is wrong in a known way; false if there is none of this name.
bool run_racy_kernel(const std::string& name);

}  // namespace vacancy::test
