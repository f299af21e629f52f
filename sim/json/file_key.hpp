// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace vacancy {

/// A key that an object of a model, device or engine file may have, for the schema and the
/// reference page.
struct FileKey {
  std::string_view name;
  std::string_view type;
  std::string_view help;
};

}  // namespace vacancy
