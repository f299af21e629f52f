// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/keep_sets/npy_header.hpp"

namespace vacancy {

/// An array of bools or integers in an .npy file or member, read once from its first element to its
/// last in pieces: it may be larger than the memory.
class NpyArray {
 public:
  /// `size`: bytes that the file or member has; they must be those that the shape asks for. `place`
  /// begins messages.
  NpyArray(ByteInput input, std::uint64_t size, std::string place);

  const NpyHeader& header() const { return header_; }
  std::uint64_t count() const { return header_.count(); }
  const std::string& place() const { return place_; }

  /// The next values.size() elements. One beyond 2^63 - 1 reads as that: no count is so large.
  void read(std::span<std::int64_t> values);
  /// The next `count` elements, each 0 or 1, as the first bits of `mask`, whose other bits become
  /// 0. The number of the first one that is something else; `count` if none is.
  std::uint64_t read_flags(std::span<std::uint64_t> mask, std::uint64_t count);
  /// After the last element: the end must be there, and with it a checksum that is right.
  void finish();

  [[noreturn]] void fail(const std::string& sentence) const;

 private:
  /// The next elements of the buffer, at most `most` and at least one.
  std::span<const std::byte> take(std::uint64_t most);
  std::int64_t value(const std::byte* item) const;

  ByteInput input_;
  std::string place_;
  NpyHeader header_;
  std::vector<std::byte> buffer_;
  std::size_t at_ = 0, end_ = 0;  // unread part of the buffer
  std::uint64_t left_ = 0;        // elements that are not in the buffer yet
};

}  // namespace vacancy
