// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vacancy {

/// The next bytes of a file or member: as many as there are up to the span's size.
using ByteInput = std::function<std::size_t(std::span<std::byte>)>;

/// What an array of whole numbers says of itself (numpy.lib.format, versions 1.0 to 3.0).
struct NpyHeader {
  std::size_t item_size = 1;  // bytes: 1, 2, 4 or 8
  bool is_signed = false, is_bool = false;
  bool big_endian = false;
  bool fortran_order = false;  // the first axis runs fastest
  std::vector<std::uint64_t> shape;
  std::uint64_t bytes = 0;  // of the header itself

  /// Elements; the reader has checked that they can be counted.
  std::uint64_t count() const;
};

/// Reads the header and nothing behind it. Throws UserError, which `place` begins.
NpyHeader read_npy_header(const ByteInput& input, const std::string& place);

/// "(3, 36, 8)" as numpy writes it.
std::string shape_text(std::span<const std::uint64_t> shape);

/// The bytes of a header in C order, such as npy_header("<u4", shape). Without a size, padded as
/// numpy does; with one, to this many bytes, a multiple of 64 that has room.
std::string npy_header(std::string_view type, std::span<const std::uint64_t> shape,
                       std::size_t size = 0);

}  // namespace vacancy
