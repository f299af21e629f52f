// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "sim/keep_sets/keep_set_reader.hpp"
#include "sim/keep_sets/npz_file.hpp"

namespace vacancy {

// The forms of recorded keep sets. Each returns a reader that stands before the first step.

/// One .npy array `keep`.
std::unique_ptr<KeepSetReader> open_dense_npy(const std::filesystem::path& file);
/// An .npz file with the array `keep`.
std::unique_ptr<KeepSetReader> open_dense_npz(NpzFile arrays, const std::filesystem::path& file);
/// An .npz file with `indices` and `offsets`.
std::unique_ptr<KeepSetReader> open_ragged_npz(NpzFile arrays, const std::filesystem::path& file);
/// JSON lines, plain or gzip.
std::unique_ptr<KeepSetReader> open_keep_lines(const std::filesystem::path& file);

}  // namespace vacancy
