// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/byte_reader.hpp"

#include <fstream>
#include <system_error>

namespace vacancy {

std::vector<std::byte> read_bytes(const std::filesystem::path& path, std::size_t limit) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw UserError(path.string() + (std::filesystem::exists(path, error)
                                         ? ": is a folder or a device; name a file"
                                         : ": there is no such file; check the path"));
  const auto size = std::filesystem::file_size(path, error);
  if (error) throw UserError(path.string() + ": cannot be read: " + error.message());
  if (size > limit)
    throw UserError(path.string() + ": has " + std::to_string(size) + " bytes, more than the " +
                    std::to_string(limit) + " that this reader takes");
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file)
    throw UserError(path.string() + ": cannot be read; check its permissions and try again");
  return bytes;
}

}  // namespace vacancy
