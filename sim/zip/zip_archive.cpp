// SPDX-License-Identifier: Apache-2.0
#include "sim/zip/zip_archive.hpp"

#include <zip.h>

#include <algorithm>
#include <array>
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

/// What stands in the way of reading a member (numbers of methods: APPNOTE.TXT, 4.4.5).
std::string obstacle_of(const zip_stat_t& stat) {
  if (stat.encryption_method != ZIP_EM_NONE) return "is encrypted";
  constexpr std::array<std::pair<unsigned, const char*>, 7> methods{{{9, "deflate64"},
                                                                     {12, "bzip2"},
                                                                     {14, "LZMA"},
                                                                     {20, "zstd"},
                                                                     {93, "zstd"},
                                                                     {95, "xz"},
                                                                     {98, "PPMd"}}};
  if (packing_of(stat) != ZipPacking::other) return "";
  for (const auto& [number, name] : methods)
    if (stat.comp_method == number) return std::string("is packed by ") + name;
  return "is packed by the method " + std::to_string(stat.comp_method);
}

/// Why the bytes of an open member do not come, `left` of `size`.
std::string damage_of(zip_file* file, std::uint64_t left, std::uint64_t size) {
  const int code = zip_error_code_zip(zip_file_get_error(file));
  if (code == ZIP_ER_ZLIB || code == ZIP_ER_COMPRESSED_DATA)
    return "has deflated bytes that mean nothing";
  if (code == ZIP_ER_EOF || (code == ZIP_ER_CRC && left > 0))
    return "breaks off: " + std::to_string(size - left) + " of its " + std::to_string(size) +
           " bytes are there";
  if (code == ZIP_ER_CRC) return "has another checksum than the directory says";
  return std::string("cannot be read: ") + zip_file_strerror(file);
}

constexpr const char* copy_again = "; copy or write the archive again";

}  // namespace

ZipArchive::ZipArchive(std::span<const std::byte> bytes, std::string name)
    : name_(std::move(name)), size_(bytes.size()) {
  open([bytes] { return zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr); });
}

ZipArchive::ZipArchive(const std::filesystem::path& file) : name_(file.string()) {
  std::error_code error;
  size_ = std::filesystem::file_size(file, error);
  if (error) fail("cannot be read: " + error.message());
  open([&file] { return zip_source_file_create(file.c_str(), 0, -1, nullptr); });
}

void ZipArchive::Close::operator()(zip* archive) const {
  zip_discard(archive);
}

void ZipArchive::open(const std::function<zip_source*()>& make_source) {
  if (size_ == 0) fail("is empty; write it again");  // to libzip an archive without members
  int code = open(make_source(), ZIP_RDONLY | ZIP_CHECKCONS);
  // Without its check libzip reads an archive that has a name twice, and says which.
  if (code == ZIP_ER_EXISTS) code = open(make_source(), ZIP_RDONLY);
  if (code == ZIP_ER_NOZIP)
    fail("is no ZIP archive: of its " + std::to_string(size_) +
         " bytes none are the directory that ends an archive; it is truncated or damaged, copy or "
         "write it again");
  if (code != ZIP_ER_OK) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    fail("cannot be read as a ZIP archive of " + std::to_string(size_) + " bytes: " + why +
         "; it is truncated or damaged, copy or write it again");
  }
  list_members();
}

int ZipArchive::open(zip_source* source, int flags) {
  zip_error_t error;
  zip_error_init(&error);
  zip_.reset(source ? zip_open_from_source(source, flags, &error) : nullptr);
  const int code = zip_ ? ZIP_ER_OK : std::max(zip_error_code_zip(&error), ZIP_ER_MULTIDISK);
  zip_error_fini(&error);
  if (!zip_) zip_source_free(source);
  return code;
}

void ZipArchive::list_members() {
  std::set<std::string> names;
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(zip_.get(), 0));
  for (zip_uint64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                                    ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(zip_.get(), i, 0, &stat) != 0 || (stat.valid & needed) != needed)
      fail("has an unreadable entry " + std::to_string(i) + " in its directory" + copy_again);
    const ZipMember member{stat.name, i, stat.size, packing_of(stat), obstacle_of(stat)};
    if (!names.insert(member.name).second)
      fail("has two members " + printable(member.name) +
           ", and which one counts nobody can tell; write it again with one of them");
    const std::uint64_t factor = member.packing == ZipPacking::deflated ? most_unpacked : 1;
    const bool too_large =
        stat.comp_size > size_ || (member.obstacle.empty() && stat.size / factor > stat.comp_size);
    if (too_large)
      fail("member " + printable(member.name) + " claims more bytes than the file can hold" +
           copy_again);
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
    fail("member " + printable(member.name) + " has another size than the directory says" +
         copy_again);
  return content;
}

void ZipArchive::fail(const std::string& fault) const {
  throw UserError(name_ + ": " + fault + ".");
}

ZipStream::ZipStream(const ZipArchive& archive, const ZipMember& member)
    : archive_(archive),
      member_(member.name),
      size_(member.size),
      file_(zip_fopen_index(archive.zip_.get(), member.index, 0)) {
  if (!file_)
    archive_.fail("member " + printable(member_) +
                  " cannot be read: " + zip_strerror(archive.zip_.get()) + copy_again);
}

void ZipStream::Close::operator()(zip_file* file) const {
  zip_fclose(file);
}

std::size_t ZipStream::read(std::span<std::byte> out) {
  std::size_t got = 0;
  while (got < out.size()) {
    const zip_int64_t count = zip_fread(file_.get(), out.data() + got, out.size() - got);
    if (count < 0)
      archive_.fail("member " + printable(member_) + ' ' + damage_of(file_.get(), left_, size_) +
                    copy_again);
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
    left_ -= std::min(left_, static_cast<std::uint64_t>(count));
  }
  return got;
}

}  // namespace vacancy
