// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/keep_sets/npy_header.hpp"
#include "tests/unit/attention/file_builders.hpp"

namespace vacancy::test {

// Files of keep sets, made up.

/// An .npy file as numpy.save writes it, with bytes that are given.
inline FileBytes npy(const std::string& type, const std::vector<std::uint64_t>& shape,
                     const FileBytes& content, bool fortran = false) {
  std::string header = npy_header(type, shape);
  if (fortran) header.replace(header.find("False"), 5, "True ");
  return FileBuilder().text(header).append(content).bytes();
}

/// Integers of a numpy type such as "<i4" or ">u2".
inline FileBytes numbers(const std::string& type, const std::vector<std::int64_t>& values) {
  const auto size = static_cast<std::size_t>(type.back() - '0');
  FileBytes bytes;
  for (const std::int64_t value : values)
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t digit = type.front() == '>' ? size - 1 - i : i;
      bytes.push_back(
          static_cast<std::byte>((static_cast<std::uint64_t>(value) >> (8 * digit)) & 0xff));
    }
  return bytes;
}

inline FileBytes list(const std::string& type, const std::vector<std::int64_t>& values) {
  return npy(type, {values.size()}, numbers(type, values));
}
inline FileBytes number(const std::string& type, std::int64_t value) {
  return npy(type, {}, numbers(type, {value}));
}

using Members = std::vector<std::pair<std::string, FileBytes>>;

/// An .npz file as numpy.savez writes it; packed: as numpy.savez_compressed does.
inline FileBytes npz(const Members& arrays, bool packed = false) {
  std::vector<ZipEntry> entries;
  for (const auto& [name, content] : arrays) {
    ZipEntry entry{name + ".npy", content, 0, crc32_of(content), content.size()};
    if (packed) {
      z_stream stream{};
      deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
      entry.packed.resize(deflateBound(&stream, static_cast<uLong>(content.size())));
      FileBytes input = content;
      stream.next_in = reinterpret_cast<Bytef*>(input.data());
      stream.avail_in = static_cast<uInt>(input.size());
      stream.next_out = reinterpret_cast<Bytef*>(entry.packed.data());
      stream.avail_out = static_cast<uInt>(entry.packed.size());
      deflate(&stream, Z_FINISH);
      entry.packed.resize(stream.total_out);
      entry.method = 8;
      deflateEnd(&stream);
    }
    entries.push_back(std::move(entry));
  }
  return zip_of(entries);
}

/// Two steps of 2 layers × 3 heads, the first of 5 tokens, the second of 8.
inline FileBytes small_ragged(bool packed = false) {
  return npz({{"indices", list("<i4", {0, 4, 1, 2, 3, 0, 4, 3, 7, 5, 6, 7})},
              {"offsets", list("<i8", {0, 2, 2, 5, 6, 7, 7, 7, 7, 9, 10, 10, 12})},
              {"layers", number("<i8", 2)},
              {"heads", number("<i8", 3)},
              {"length", list("<i8", {5, 8})},
              {"end_length", number("<i8", 9)}},
             packed);
}

}  // namespace vacancy::test
