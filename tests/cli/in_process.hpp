// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/process.hpp"

namespace vacancy::test {

/// What `vacancy` with these arguments does in `directory`, without a process of its own: for long
/// tables, of which a sanitized program's starts would take minutes. No terminal, 100 columns.
ProcessResult vacancy_in_process(const std::vector<std::string>& arguments,
                                 const std::filesystem::path& directory);

}  // namespace vacancy::test
