// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vacancy::test {

/// Catch2's main function, for a program that has something to do before: how many cases failed.
int run_cases(int argc, char* argv[]);

}  // namespace vacancy::test
