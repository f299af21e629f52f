// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/trace/byte_source.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

struct Magic {
  std::string_view bytes, name;
};

constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr Magic refused_magics[] = {{"\x28\xb5\x2f\xfd", "a zstd"},
                                    {"\xfd"
                                     "7zXZ",
                                     "an xz"},
                                    {"BZh", "a bzip2"},
                                    {"PK\x03\x04", "a zip"},
                                    {"\x04\x22\x4d\x18", "an lz4"},
                                    {"PAR1", "a Parquet"}};

}  // namespace

struct ByteSource::Inflater {
  Inflater() {
    constexpr int gzip_only = 16 + MAX_WBITS;
    if (inflateInit2(&stream, gzip_only) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream stream{};
  bool between_members = false;
};

ByteSource::ByteSource(const std::filesystem::path& path) : buffer_(buffer_size) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw UserError("is a folder; name a file in it.");
  if (!std::filesystem::exists(path, error))
    throw UserError("there is no such file; check the path.");
  file_.open(path, std::ios::binary);
  if (!file_) throw UserError("cannot be opened; check its permissions.");
  fill();
  const std::string_view head(buffer_.data(), std::min<std::size_t>(end_, 8));
  if (head.starts_with(gzip_magic)) inflater_ = std::make_unique<Inflater>();
  for (const Magic& magic : refused_magics)
    if (head.starts_with(magic.bytes))
      throw UserError("is " + std::string(magic.name) +
                      " file; unpack it first, or pack it with gzip.");
}

ByteSource::~ByteSource() = default;

void ByteSource::fill() {
  bytes_before_ += end_;
  file_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  if (file_.bad()) throw UserError("cannot be read any further; check the disk and try again.");
  at_ = 0;
  end_ = static_cast<std::size_t>(file_.gcount());
  whole_file_read_ = end_ == 0;
}

std::size_t ByteSource::read(char* out, std::size_t size) {
  if (inflater_) return inflate(out, size);
  if (at_ == end_ && !whole_file_read_) fill();
  const std::size_t count = std::min(size, end_ - at_);
  std::memcpy(out, buffer_.data() + at_, count);
  at_ += count;
  return count;
}

std::size_t ByteSource::inflate(char* out, std::size_t size) {
  z_stream& stream = inflater_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(out);
  stream.avail_out = static_cast<uInt>(std::min<std::size_t>(size, buffer_size));
  const uInt wanted = stream.avail_out;
  while (stream.avail_out == wanted) {
    if (at_ == end_ && !whole_file_read_) fill();
    const std::string byte = std::to_string(bytes_before_ + at_);
    if (at_ == end_) {
      if (inflater_->between_members) return 0;
      throw UserError("the gzip data end too early, at byte " + byte +
                      "; the file is cut off, fetch it again.");
    }
    if (inflater_->between_members) {
      // More than one byte of the next member may lie beyond the buffer; zlib checks the header.
      if (buffer_[at_] != gzip_magic[0])
        throw UserError("other bytes follow the gzip data at byte " + byte +
                        "; the file is damaged, fetch it again.");
      inflateReset(&stream);
      inflater_->between_members = false;
    }
    stream.next_in = reinterpret_cast<Bytef*>(buffer_.data() + at_);
    stream.avail_in = static_cast<uInt>(end_ - at_);
    const int result = ::inflate(&stream, Z_NO_FLUSH);
    at_ = end_ - stream.avail_in;
    if (result == Z_STREAM_END)
      inflater_->between_members = true;
    else if (result != Z_OK && result != Z_BUF_ERROR)
      throw UserError("the gzip data are damaged near byte " + std::to_string(bytes_before_ + at_) +
                      "; fetch the file again.");
  }
  return wanted - stream.avail_out;
}

}  // namespace vacancy
