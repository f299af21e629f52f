// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace vacancy {

// Paths of a scenario. "shared:data/x" stands in the folder of shared data, wherever that is; other
// relative paths start at the file that names them, or at the working directory in an override.

/// VACANCY_SHARED_DIR, or "shared" beside the project's root.
std::filesystem::path shared_data_folder();

/// Whether a path starts with "shared:".
bool is_shared_path(std::string_view path);

/// Whether the name of a model or a device is a file's: with a '/', the ending .json, or "shared:"
/// in front.
bool is_file_name(std::string_view name);

/// The path in a form that means the same from any folder: "shared:…" as it is, others absolute.
std::string anchored_path(const std::string& path, const std::filesystem::path& folder);

/// The file that an anchored path names.
std::filesystem::path located_path(const std::string& anchored);

/// What to do about a "shared:" path that is not there: the end of a message.
std::string shared_data_remedy();

}  // namespace vacancy
