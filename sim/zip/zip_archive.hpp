// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct zip;
struct zip_file;
struct zip_source;

namespace vacancy {

/// How a member of an archive is packed; `other` cannot be read.
enum class ZipPacking { stored, deflated, other };

struct ZipMember {
  std::string name;
  std::uint64_t index, size;  // size: unpacked, at most what its bytes in the archive can unpack to
  ZipPacking packing;
  std::string obstacle;  // "is packed by bzip2", "is encrypted": to `other`; empty to the others
};

/// A ZIP archive (APPNOTE.TXT, ZIP64 included) to be read. Its directory is checked when it is
/// opened; faults are UserErrors that begin with its name.
class ZipArchive {
 public:
  /// An archive in memory, which outlives this object. `name` stands before messages.
  ZipArchive(std::span<const std::byte> bytes, std::string name);
  /// An archive in a file.
  explicit ZipArchive(const std::filesystem::path& file);

  /// In the order of the directory; no two have the same name.
  const std::vector<ZipMember>& members() const { return members_; }
  /// The member of that name, or null.
  const ZipMember* find(std::string_view name) const;
  /// All bytes of a stored or deflated member, in memory.
  std::vector<std::byte> read(const ZipMember& member) const;
  /// Bytes of the archive itself.
  std::uint64_t size() const { return size_; }

  [[noreturn]] void fail(const std::string& fault) const;

 private:
  friend class ZipStream;
  struct Close {
    void operator()(zip* archive) const;
  };

  void open(const std::function<zip_source*()>& make_source);
  /// Returns libzip's error code, 0 if `zip_` is open now.
  int open(zip_source* source, int flags);
  void list_members();

  std::string name_;
  std::uint64_t size_ = 0;
  std::unique_ptr<zip, Close> zip_;
  std::vector<ZipMember> members_;
};

/// Reads a stored or deflated member from its first byte to its last. Several may be open at once.
class ZipStream {
 public:
  /// The archive outlives the stream.
  ZipStream(const ZipArchive& archive, const ZipMember& member);

  /// As many bytes as there are up to out.size(); fewer only at the end, where the checksum is
  /// compared. Throws UserError if the member is damaged.
  std::size_t read(std::span<std::byte> out);

 private:
  struct Close {
    void operator()(zip_file* file) const;
  };

  const ZipArchive& archive_;
  std::string member_;
  std::uint64_t size_, left_ = size_;
  std::unique_ptr<zip_file, Close> file_;
};

}  // namespace vacancy
