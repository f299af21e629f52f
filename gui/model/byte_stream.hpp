// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace vacancy::gui {

/// Signed numbers near 0 as small unsigned ones: 0, −1, 1, −2, … become 0, 1, 2, 3, …
constexpr std::uint64_t folded(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

/// Appends numbers, seven bits a byte, the lowest first.
class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::uint8_t>& out) : out_(out) {}

  void number(std::uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<std::uint8_t>(value));
  }
  void difference(std::int64_t value) { number(folded(value)); }
  void bytes(const void* data, std::size_t size) {
    const auto* const first = static_cast<const std::uint8_t*>(data);
    out_.insert(out_.end(), first, first + size);
  }

 private:
  std::vector<std::uint8_t>& out_;
};

/// Reads what a ByteWriter of this process wrote.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : next_(bytes.data()) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = *next_++;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }
  std::int64_t difference() { return unfolded(number()); }
  void bytes(void* data, std::size_t size) {
    std::memcpy(data, next_, size);
    next_ += size;
  }

 private:
  const std::uint8_t* next_;
};

}  // namespace vacancy::gui
