// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/units/error.hpp"
#include "sim/units/printable.hpp"

namespace vacancy {

static_assert(std::endian::native == std::endian::little,
              "the readers copy little-endian values as they are");

/// Reads little-endian values out of bytes in memory. Whatever the bytes are, it never reads past
/// them: a value that is not there is a UserError with the file's name and the byte.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string_view name)
      : bytes_(bytes), name_(name) {}

  std::size_t offset() const { return offset_; }
  std::size_t remaining() const { return bytes_.size() - offset_; }

  std::uint8_t u8() { return value<std::uint8_t>(); }
  std::uint16_t u16() { return value<std::uint16_t>(); }
  std::uint32_t u32() { return value<std::uint32_t>(); }
  std::int32_t i32() { return value<std::int32_t>(); }
  std::uint64_t u64() { return value<std::uint64_t>(); }
  float f32() { return value<float>(); }

  std::span<const std::byte> take(std::size_t count) {
    if (count > remaining())
      fail("the file ends after " + std::to_string(bytes_.size()) + " bytes where " +
           std::to_string(count) + " more were expected; it is truncated or damaged");
    const auto part = bytes_.subspan(offset_, count);
    offset_ += count;
    return part;
  }
  std::string_view text(std::size_t count) {
    const auto part = take(count);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }
  void floats(std::span<float> out) {
    const auto part = take(out.size_bytes());
    std::memcpy(out.data(), part.data(), part.size());
  }

  [[noreturn]] void fail(const std::string& fault) const { fail_at(offset_, fault); }
  [[noreturn]] void fail_at(std::size_t offset, const std::string& fault) const {
    throw UserError(std::string(name_) + ": byte " + std::to_string(offset) + ": " + fault);
  }

 private:
  template <class T>
  T value() {
    T result;
    std::memcpy(&result, take(sizeof result).data(), sizeof result);
    return result;
  }

  std::span<const std::byte> bytes_;
  std::string_view name_;
  std::size_t offset_ = 0;
};

/// The whole file, or a UserError that names it: absent, unreadable, or larger than `limit` bytes.
std::vector<std::byte> read_bytes(const std::filesystem::path& path, std::size_t limit);

}  // namespace vacancy
