// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "sim/json/file_key.hpp"

namespace vacancy {

/// An object of a sweep file and the keys that it may have: the reader refuses others, and the
/// schema is made from them.
struct SweepObject {
  std::string_view place;  // such as "axes.grid[]", empty for the file
  std::string_view summary;
  std::span<const FileKey> keys;
};

std::span<const SweepObject> sweep_objects();
/// The keys of the object at that place.
std::span<const FileKey> sweep_keys(std::string_view place);

}  // namespace vacancy
