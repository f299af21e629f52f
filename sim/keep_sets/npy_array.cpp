// SPDX-License-Identifier: Apache-2.0
#include "sim/keep_sets/npy_array.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/units/bit_mask.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;  // whole elements of every size

}  // namespace

NpyArray::NpyArray(ByteInput input, std::uint64_t size, std::string place)
    : input_(std::move(input)), place_(std::move(place)), header_(read_npy_header(input_, place_)) {
  const std::uint64_t expected = header_.bytes + count() * header_.item_size;
  if (size != expected)
    fail("has " + std::to_string(size) + " bytes, and its shape " + shape_text(header_.shape) +
         " asks for " + std::to_string(expected) + "; it is truncated or damaged, write it again.");
  left_ = count();
}

std::span<const std::byte> NpyArray::take(std::uint64_t most) {
  const std::size_t item = header_.item_size;
  if (at_ == end_) {
    if (buffer_.empty()) buffer_.resize(buffer_size);
    const auto bytes =
        static_cast<std::size_t>(std::min<std::uint64_t>(left_ * item, buffer_.size()));
    VACANCY_ASSERT(bytes > 0, "an array is not read beyond its end");
    if (input_(std::span(buffer_).first(bytes)) != bytes)
      fail("ends too early; it is truncated, write it again.");
    left_ -= bytes / item;
    at_ = 0;
    end_ = bytes;
  }
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most * item, end_ - at_));
  at_ += count;
  return std::span<const std::byte>(buffer_).subspan(at_ - count, count);
}

std::int64_t NpyArray::value(const std::byte* item) const {
  const std::size_t size = header_.item_size;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value =
        value << 8 | std::to_integer<std::uint64_t>(item[header_.big_endian ? i : size - 1 - i]);
  constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  if (!header_.is_signed)
    return value > static_cast<std::uint64_t>(highest) ? highest : static_cast<std::int64_t>(value);
  const std::size_t unused = 64 - 8 * size;  // the sign moves to the top and back
  return static_cast<std::int64_t>(value << unused) >> unused;
}

void NpyArray::read(std::span<std::int64_t> values) {
  for (std::size_t done = 0; done < values.size();) {
    const auto items = take(values.size() - done);
    for (std::size_t at = 0; at < items.size(); at += header_.item_size)
      values[done++] = value(&items[at]);
  }
}

std::uint64_t NpyArray::read_flags(std::span<std::uint64_t> mask, std::uint64_t count) {
  std::fill(mask.begin(), mask.end(), std::uint64_t{0});
  std::uint64_t wrong = count;
  for (std::uint64_t done = 0; done < count;) {
    const auto items = take(count - done);
    for (std::size_t at = 0; at < items.size(); at += header_.item_size, ++done) {
      const std::int64_t flag =
          header_.item_size == 1 ? std::to_integer<std::int64_t>(items[at]) : value(&items[at]);
      if (flag != 0 && flag != 1) wrong = std::min(wrong, done);
      mask[done / bits::per_word] |= static_cast<std::uint64_t>(flag & 1)
                                     << (done % bits::per_word);
    }
  }
  return wrong;
}

void NpyArray::finish() {
  std::byte beyond;
  if (input_({&beyond, 1}) != 0) fail("goes on behind its last element; write it again.");
}

void NpyArray::fail(const std::string& sentence) const {
  throw UserError(place_ + ": " + sentence);
}

}  // namespace vacancy
