// SPDX-License-Identifier: Apache-2.0
#include "sim/units/fault_sentence.hpp"

#include <filesystem>
#include <new>

namespace vacancy {

std::string fault_sentence(const std::exception& error) {
  if (const auto* fault = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    const std::string path = fault->path1().string();
    return (path.empty() ? "The working folder" : path) + ": " + fault->code().message() + ".";
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return "This takes more memory than the machine gives. Take fewer or shorter sequences, a "
           "smaller pool or a coarser cache.table.";
  return error.what();
}

}  // namespace vacancy
