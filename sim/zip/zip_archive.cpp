// SPDX-License-Identifier: Apache-2.0
#include "sim/zip/zip_archive.hpp"

#include <zip.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "sim/units/error.hpp"
#include "sim/units/printable.hpp"

namespace vacancy {

namespace {

/// No deflated byte stands for more (zlib's "Technical Details": 1032:1).
constexpr std::uint64_t most_unpacked = 1032;

ZipPacking packing_of(const zip_stat_t& stat) {
  if (stat.encryption_method != ZIP_EM_NONE) return ZipPacking::other;
  if (stat.comp_method == ZIP_CM_STORE) return ZipPacking::stored;
  return stat.comp_method == ZIP_CM_DEFLATE ? ZipPacking::deflated : ZipPacking::other;
}

}  // namespace

ZipArchive::ZipArchive(std::span<const std::byte> bytes, std::string name)
    : name_(std::move(name)), size_(bytes.size()) {
  open(zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr));
}

ZipArchive::ZipArchive(const std::filesystem::path& file) : name_(file.string()) {
  std::error_code error;
  size_ = std::filesystem::file_size(file, error);
  if (error) fail("cannot be read: " + error.message());
  open(zip_source_file_create(file.c_str(), 0, -1, nullptr));
}

void ZipArchive::Close::operator()(zip* archive) const {
  zip_discard(archive);
}

void ZipArchive::open(zip_source* source) {
  if (size_ == 0) {  // to libzip an archive without members
    zip_source_free(source);
    fail("is empty; write it again");
  }
  zip_error_t error;
  zip_error_init(&error);
  zip_.reset(source ? zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error) : nullptr);
  const std::string why = zip_ ? "" : zip_error_strerror(&error);
  zip_error_fini(&error);
  if (!zip_) {
    zip_source_free(source);
    fail("cannot be read as a ZIP archive of " + std::to_string(size_) + " bytes: " + why +
         "; it is truncated or damaged");
  }
  list_members();
}

void ZipArchive::list_members() {
  std::set<std::string> names;
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(zip_.get(), 0));
  for (zip_uint64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                                    ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(zip_.get(), i, 0, &stat) != 0 || (stat.valid & needed) != needed)
      fail("has an unreadable entry " + std::to_string(i) + " in its directory; it is damaged");
    const ZipMember member{stat.name, i, stat.size, packing_of(stat)};
    if (!names.insert(member.name).second)
      fail("has two members " + printable(member.name) + "; remove one of them");
    const std::uint64_t factor = member.packing == ZipPacking::deflated ? most_unpacked : 1;
    if (stat.comp_size > size_ || stat.size / factor > stat.comp_size)
      fail("member " + printable(member.name) +
           " claims more bytes than the file can hold; it is damaged");
    members_.push_back(member);
  }
}

const ZipMember* ZipArchive::find(std::string_view name) const {
  const auto found = std::ranges::find(members_, name, &ZipMember::name);
  return found == members_.end() ? nullptr : &*found;
}

std::vector<std::byte> ZipArchive::read(const ZipMember& member) const {
  std::vector<std::byte> content(member.size);
  ZipStream stream(*this, member);
  std::byte beyond;
  if (stream.read(content) != content.size() || stream.read({&beyond, 1}) != 0)
    fail("member " + printable(member.name) + " has another size than the directory says");
  return content;
}

void ZipArchive::fail(const std::string& fault) const {
  throw UserError(name_ + ": " + fault);
}

ZipStream::ZipStream(const ZipArchive& archive, const ZipMember& member)
    : archive_(archive),
      member_(member.name),
      file_(zip_fopen_index(archive.zip_.get(), member.index, 0)) {
  if (!file_)
    archive_.fail("member " + printable(member_) + " cannot be opened; the archive is damaged");
}

void ZipStream::Close::operator()(zip_file* file) const {
  zip_fclose(file);
}

std::size_t ZipStream::read(std::span<std::byte> out) {
  std::size_t got = 0;
  while (got < out.size()) {
    const zip_int64_t count = zip_fread(file_.get(), out.data() + got, out.size() - got);
    if (count < 0)
      archive_.fail("member " + printable(member_) +
                    " cannot be read; it is truncated or its checksum is wrong");
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
  }
  return got;
}

}  // namespace vacancy
