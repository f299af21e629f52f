// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vacancy::test {

/// Catch2's main function, for a program that has something to do before. 1 if a case failed, else
/// skipped_code if one said that it cannot do its work here (skip.hpp).
int run_cases(int argc, char* argv[]);

}  // namespace vacancy::test
