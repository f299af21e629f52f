// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "sim/keep_sets/keep_set_reader.hpp"

namespace vacancy {

/// Opens recorded keep sets: .npz, .npy or JSON lines, told apart by how the file begins.
std::unique_ptr<KeepSetReader> open_keep_sets(const std::filesystem::path& file);

}  // namespace vacancy
