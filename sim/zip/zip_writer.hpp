// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vacancy {

/// Writes a ZIP archive of stored members, of any size (always ZIP64). Its bytes follow from names
/// and contents alone: every member has the date 1980-01-01. Errors stay in the stream's state.
class ZipWriter {
 public:
  /// The stream can seek.
  explicit ZipWriter(std::ostream& out) : out_(out) {}

  /// Starts a member whose first `head` bytes are known at its end only.
  void begin(std::string name, std::size_t head = 0);
  void write(std::span<const std::byte> bytes);
  /// Ends the member; `head` are its first bytes, as many as begin() was told.
  void end(std::string_view head = {});
  /// The directory; nothing follows.
  void finish();

 private:
  struct Member {
    std::string name;
    std::uint64_t offset, size;
    std::uint32_t crc;
  };
  void local_header(const Member& member);

  std::ostream& out_;
  std::vector<Member> members_;
  std::uint64_t at_ = 0, head_ = 0;  // written so far; bytes of the member's head
};

}  // namespace vacancy
