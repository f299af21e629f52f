// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/row_contents.hpp"

#include <algorithm>
#include <cstddef>

namespace vacancy::verify {

namespace {

/// splitmix64's finalizer (Steele, Lea, Flood, OOPSLA 2014).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}
std::uint64_t join(std::uint64_t a, std::uint64_t b) {
  return mix(a + 0x9E3779B97F4A7C15 + mix(b));
}

}  // namespace

RowId own_row(SequenceId sequence, std::uint32_t position) {
  return join(join(1, sequence.value()), position);
}

RowId request_row(const Request& request, SequenceId sequence, std::uint32_t position) {
  const RequestContents& contents = request.contents;
  if (position >= contents.keyed_tokens) return own_row(sequence, position);
  const std::uint64_t key = contents.keys[position / contents.tokens_per_key];
  return join(join(join(2, contents.tenant), key), position);
}

void fill_row(RowId id, std::uint32_t layer, std::uint32_t head, RowKind kind,
              std::span<std::uint16_t> row) {
  std::uint64_t state = join(id, (std::uint64_t{layer} << 33) | (std::uint64_t{head} << 1) |
                                     (kind == RowKind::value ? 1 : 0));
  for (std::size_t i = 0; i < row.size(); i += 4) {
    std::uint64_t bits = mix(state += 0x9E3779B97F4A7C15);
    for (std::size_t j = i; j < std::min(i + 4, row.size()); ++j, bits >>= 16) {
      // Sign, an exponent of 126 or 127, seven bits of mantissa.
      const auto half = static_cast<std::uint16_t>(bits);
      row[j] = static_cast<std::uint16_t>((half & 0x8000) | (0x3F00 + (half & 0xFF)));
    }
  }
}

}  // namespace vacancy::verify
