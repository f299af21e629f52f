// SPDX-License-Identifier: Apache-2.0
#include "sim/keep_sets/npy_header.hpp"

#include <charconv>
#include <limits>
#include <optional>

#include "sim/units/error.hpp"
#include "sim/units/printable.hpp"

namespace vacancy {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
/// Numpy itself takes no longer ones from strangers.
constexpr std::size_t longest_header = 10'000;
constexpr std::size_t most_axes = 32;

/// The dictionary of a header: a Python literal of three known keys.
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  NpyHeader read() {
    NpyHeader header;
    bool type = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = quoted("a key");
      expect(':');
      bool* const seen = key == "descr"           ? &type
                         : key == "fortran_order" ? &order
                         : key == "shape"         ? &shape
                                                  : nullptr;
      if (!seen) fail("has the unknown key \"" + printable(key) + '"');
      if (*seen) fail("has the key \"" + std::string(key) + "\" twice");
      *seen = true;
      if (seen == &type) read_type(header);
      if (seen == &order) header.fortran_order = boolean();
      if (seen == &shape) header.shape = read_shape();
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    blanks();
    if (at_ != text_.size()) fail("goes on behind its dictionary");
    if (!type || !order || !shape) fail("lacks one of descr, fortran_order and shape");
    return header;
  }

 private:
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n'))
      ++at_;
  }
  bool take(char c) {
    blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("has no '") + c + "' at its character " + std::to_string(at_));
  }

  std::string_view quoted(const char* what) {
    blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t end =
        quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      fail(std::string("has no quoted text as ") + what + " at its character " +
           std::to_string(at_));
    const std::string_view text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return text;
  }

  bool boolean() {
    blanks();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    fail("says neither True nor False for fortran_order");
  }

  void read_type(NpyHeader& header) {
    blanks();
    if (at_ < text_.size() && text_[at_] == '[')
      throw UserError(place_ +
                      ": has records with fields; save one plain array of bools or integers.");
    const std::string_view type = quoted("the type");
    const auto refuse = [&]() {
      throw UserError(place_ + ": has elements of the type \"" + printable(type) +
                      "\"; only bools and integers of 1, 2, 4 or 8 bytes are read. Convert the "
                      "array with astype(bool) or astype(numpy.int64).");
    };
    if (type.size() != 3 || std::string_view("<>|=").find(type[0]) == std::string_view::npos)
      refuse();
    const char kind = type[1], size = type[2];
    header.is_bool = kind == 'b';
    header.is_signed = kind == 'i';
    const std::string_view sizes = header.is_bool ? "1" : "1248";
    if ((kind != 'b' && kind != 'i' && kind != 'u') || sizes.find(size) == std::string_view::npos)
      refuse();
    header.item_size = static_cast<std::size_t>(size - '0');
    if (header.item_size > 1 && type[0] == '|') refuse();
    header.big_endian = type[0] == '>';
  }

  std::vector<std::uint64_t> read_shape() {
    std::vector<std::uint64_t> shape;
    expect('(');
    while (!take(')')) {
      blanks();
      std::uint64_t value = 0;
      const char* const begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
      if (error != std::errc{} || end == begin)
        fail("has no whole number in its shape at character " + std::to_string(at_));
      at_ += static_cast<std::size_t>(end - begin);
      if (shape.size() == most_axes) fail("has more than 32 axes");
      shape.push_back(value);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  [[noreturn]] void fail(const std::string& fault) const {
    throw UserError(place_ + ": its .npy header " + fault +
                    "; write the array again with numpy.save.");
  }

  std::string_view text_;
  const std::string& place_;
  std::size_t at_ = 0;
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string take(const ByteInput& input, std::size_t count, const std::string& place) {
  std::string bytes(count, '\0');
  if (input(std::as_writable_bytes(std::span(bytes.data(), count))) != count)
    throw UserError(place + ": ends inside its .npy header; it is truncated, write it again.");
  return bytes;
}

}  // namespace

std::uint64_t NpyHeader::count() const {
  std::uint64_t count = 1;
  for (const std::uint64_t size : shape)
    count *= size;
  return count;
}

NpyHeader read_npy_header(const ByteInput& input, const std::string& place) {
  const std::string start = take(input, magic.size() + 2, place);
  if (!start.starts_with(magic))
    throw UserError(place + ": is no .npy array; write it with numpy.save or numpy.savez.");
  const char major = start[magic.size()];
  if (major < 1 || major > 3)
    throw UserError(place +
                    ": is of a version of .npy that is not known; save it with numpy.save.");
  const std::size_t width = major == 1 ? 2 : 4;
  const std::uint64_t length = little_endian(take(input, width, place));
  if (length > longest_header)
    throw UserError(place + ": its .npy header claims " + std::to_string(length) +
                    " bytes, more than the " + std::to_string(longest_header) +
                    " that are read; write it with numpy.save.");
  const std::string text = take(input, static_cast<std::size_t>(length), place);
  NpyHeader header = HeaderText(text, place).read();
  header.bytes = start.size() + width + length;
  std::uint64_t room = std::numeric_limits<std::uint64_t>::max() / 16;  // elements
  for (const std::uint64_t size : header.shape) {
    if (size > room)
      throw UserError(place + ": its shape " + shape_text(header.shape) +
                      " has too many elements to count; write a smaller array.");
    if (size > 0) room /= size;
  }
  return header;
}

std::string shape_text(std::span<const std::uint64_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string npy_header(std::string_view type, std::span<const std::uint64_t> shape,
                       std::size_t size) {
  constexpr std::size_t before_text = 10, unit = 64;  // magic, version and length
  const std::string text = "{'descr': '" + std::string(type) +
                           "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  const std::size_t least = (before_text + text.size() + 1 + unit - 1) / unit * unit;
  if (size == 0) size = least;
  VACANCY_ASSERT(size % unit == 0 && size >= least, "an .npy header has the size asked for");
  const std::size_t length = size - before_text;
  std::string bytes(magic);
  bytes += '\1';
  bytes += '\0';
  bytes += static_cast<char>(length & 0xff);
  bytes += static_cast<char>(length >> 8);
  bytes += text + std::string(length - text.size() - 1, ' ') + '\n';
  return bytes;
}

}  // namespace vacancy
