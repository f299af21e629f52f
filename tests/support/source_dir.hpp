// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace vacancy::test {

/// The project's root. One source alone is compiled with it, so that clones share the others'
/// objects.
const std::filesystem::path& source_dir();

/// "/a/b" in the root.
std::string source_file(const char* path);

}  // namespace vacancy::test
