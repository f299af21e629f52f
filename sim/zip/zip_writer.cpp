// SPDX-License-Identifier: Apache-2.0
#include "sim/zip/zip_writer.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {

namespace {

/// Little-endian fields of a record.
class Record {
 public:
  explicit Record(std::string_view signature) : bytes_(signature) {}
  template <class T>
  Record& add(std::type_identity_t<T> value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes_ += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
    return *this;
  }
  Record& text(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr U16 version_zip64 = 45, zip64_extra = 1;
constexpr U16 first_of_1980 = (1 << 5) | 1;
constexpr U32 in_extra = std::numeric_limits<U32>::max();
constexpr U16 in_zip64 = std::numeric_limits<U16>::max();

/// What local header and directory entry share: version to name length.
void add_common(Record& record, const std::string& name, U32 crc) {
  record.add<U16>(version_zip64).add<U16>(0).add<U16>(0).add<U16>(0).add<U16>(first_of_1980);
  record.add<U32>(crc).add<U32>(in_extra).add<U32>(in_extra);
  record.add<U16>(static_cast<U16>(name.size()));
}

U32 crc_of(U32 crc, const char* bytes, std::size_t size) {
  constexpr std::size_t piece = std::size_t{1} << 30;  // zlib counts in unsigned int
  for (; size > 0;) {
    const std::size_t now = std::min(size, piece);
    crc =
        static_cast<U32>(crc32(crc, reinterpret_cast<const Bytef*>(bytes), static_cast<uInt>(now)));
    bytes += now;
    size -= now;
  }
  return crc;
}

}  // namespace

void ZipWriter::local_header(const Member& member) {
  Record record("PK\3\4");
  add_common(record, member.name, member.crc);
  record.add<U16>(20).text(member.name);
  record.add<U16>(zip64_extra).add<U16>(16).add<U64>(member.size).add<U64>(member.size);
  out_ << record.bytes();
  at_ += record.bytes().size();
}

void ZipWriter::begin(std::string name, std::size_t head) {
  members_.push_back({std::move(name), at_, head, 0});
  head_ = head;
  local_header(members_.back());
  out_ << std::string(head, '\0');
  at_ += head;
}

void ZipWriter::write(std::span<const std::byte> bytes) {
  Member& member = members_.back();
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  member.crc = crc_of(member.crc, text, bytes.size());
  member.size += bytes.size();
  out_.write(text, static_cast<std::streamsize>(bytes.size()));
  at_ += bytes.size();
}

void ZipWriter::end(std::string_view head) {
  Member& member = members_.back();
  VACANCY_ASSERT(head.size() == head_, "a member's head has the size that was reserved");
  member.crc = static_cast<U32>(crc32_combine(crc_of(0, head.data(), head.size()), member.crc,
                                              static_cast<z_off_t>(member.size - head.size())));
  const std::uint64_t end = at_;
  out_.seekp(static_cast<std::streamoff>(member.offset));
  local_header(member);
  out_ << head;
  at_ = end;
  out_.seekp(static_cast<std::streamoff>(end));
}

void ZipWriter::finish() {
  const std::uint64_t directory = at_;
  for (const Member& member : members_) {
    Record record("PK\1\2");
    record.add<U16>(version_zip64);
    add_common(record, member.name, member.crc);
    record.add<U16>(28).add<U16>(0).add<U16>(0).add<U16>(0).add<U32>(0).add<U32>(in_extra);
    record.text(member.name).add<U16>(zip64_extra).add<U16>(24);
    record.add<U64>(member.size).add<U64>(member.size).add<U64>(member.offset);
    out_ << record.bytes();
    at_ += record.bytes().size();
  }
  const std::uint64_t directory_end = at_, count = members_.size();
  Record record("PK\6\6");  // end of central directory, ZIP64
  record.add<U64>(44).add<U16>(version_zip64).add<U16>(version_zip64).add<U32>(0).add<U32>(0);
  record.add<U64>(count).add<U64>(count).add<U64>(directory_end - directory).add<U64>(directory);
  record.text("PK\6\7").add<U32>(0).add<U64>(directory_end).add<U32>(1);  // where that record is
  record.text("PK\5\6").add<U16>(0).add<U16>(0).add<U16>(in_zip64).add<U16>(in_zip64);
  record.add<U32>(in_extra).add<U32>(in_extra).add<U16>(0);
  out_ << record.bytes();
}

}  // namespace vacancy
