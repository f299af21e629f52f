// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "sim/attention/byte_reader.hpp"
#include "sim/attention/calibration.hpp"

namespace vacancy {

namespace {

constexpr std::uint32_t magic = 0x54524941;
constexpr std::size_t tria_header_bytes = 64;  // whatever its fields pack to

/// Limits that keep every product of the header's counts below 2^63.
std::uint32_t count_field(ByteReader& in, const char* what, std::uint32_t maximum) {
  const auto at = in.offset();
  const std::uint32_t value = in.u32();
  if (value < 1 || value > maximum)
    in.fail_at(at, std::string("the number of ") + what + " is " + std::to_string(value) +
                       ", which is not within 1.." + std::to_string(maximum) +
                       "; the file is damaged");
  return value;
}

std::optional<double> positive(float value) {
  if (!std::isfinite(value) || value <= 0.0f) return std::nullopt;
  return double{value};
}

bool all_zero(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return value == 0.0f; });
}

}  // namespace

Calibration read_tria(std::span<const std::byte> bytes, const std::string& name) {
  ByteReader in(bytes, name);
  if (in.u32() != magic) in.fail_at(0, "this is no TRIA file; it would begin with the bytes AIRT");
  const std::uint32_t version = in.u32();
  if (version != 1 && version != 2)
    in.fail_at(4, "TRIA version " + std::to_string(version) + " is unknown; 1 and 2 are read");
  const std::uint32_t layers = count_field(in, "layers", 1 << 12);
  const std::uint32_t query_heads = count_field(in, "query heads", 1 << 12);
  const std::uint32_t kv_heads = count_field(in, "KV heads", query_heads);
  const std::uint32_t head_dim = count_field(in, "components of a head", 1 << 14);
  const std::uint32_t bands = count_field(in, "rotary bands", 1 << 13);
  if (query_heads % kv_heads != 0)
    in.fail_at(16, std::to_string(query_heads) + " query heads are no multiple of " +
                       std::to_string(kv_heads) + " KV heads; the file is damaged");
  if (2 * bands != head_dim)
    in.fail_at(24, std::to_string(bands) + " rotary bands are not half of the head dimension " +
                       std::to_string(head_dim) + "; the file is damaged");
  const float rope_theta = in.f32(), attention_scale = in.f32();

  const std::uint64_t heads = std::uint64_t{layers} * query_heads;
  const std::uint64_t expected =
      tria_header_bytes + (version >= 2 ? 4 * std::uint64_t{layers} : 0) + 16 * heads * bands;
  if (bytes.size() != expected)
    in.fail_at(bytes.size(), "the file ends here, but its header asks for " +
                                 std::to_string(expected) + " bytes; it is damaged");

  Calibration calibration(name, layers, query_heads, head_dim);
  calibration.kv_heads = kv_heads;
  calibration.rope_style = "half";
  calibration.rope_theta_in_file = positive(rope_theta);
  calibration.attention_scale = positive(attention_scale);
  in.take(tria_header_bytes - in.offset());  // reserved
  if (version >= 2) {
    const auto at = in.offset();
    in.floats(calibration.layer_budget_scale);
    for (std::size_t i = 0; i < calibration.layer_budget_scale.size(); ++i)
      if (!positive(calibration.layer_budget_scale[i]))
        in.fail_at(at + 4 * i,
                   "the budget scale of layer " + std::to_string(i) + " is not a positive number");
  }

  std::vector<float> real(bands), imag(bands), modulus(bands);
  for (std::uint32_t layer = 0; layer < layers; ++layer)
    for (std::uint32_t head = 0; head < query_heads; ++head) {
      const std::string place = "byte " + std::to_string(in.offset()) + ": layer " +
                                std::to_string(layer) + ", query head " + std::to_string(head);
      in.floats(real);
      in.floats(imag);
      in.floats(modulus);
      in.take(4 * std::size_t{bands});  // the mean resultant length |mean| / modulus, redundant
      // Heads that were not measured are filled with zeros.
      if (!(all_zero(real) && all_zero(imag) && all_zero(modulus)))
        calibration.set_head(layer, head, {real, imag, modulus}, place);
    }
  return calibration;
}

}  // namespace vacancy
