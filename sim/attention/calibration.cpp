// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "sim/attention/byte_reader.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr std::size_t largest_calibration = std::size_t{256} << 20;

bool starts_with(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin(),
                    [](char c, std::byte b) { return static_cast<std::byte>(c) == b; });
}

}  // namespace

Calibration::Calibration(std::string source_name, std::uint32_t layers, std::uint32_t query_heads,
                         std::uint32_t head_dim)
    : source(std::move(source_name)),
      layer_budget_scale(layers, 1.0f),
      layers_(layers),
      query_heads_(query_heads),
      bands_(head_dim / 2),
      statistics_(std::size_t{layers} * query_heads * 3 * bands_),
      present_(std::size_t{layers} * query_heads) {}

std::size_t Calibration::index(std::uint32_t layer, std::uint32_t query_head) const {
  VACANCY_ASSERT(layer < layers_ && query_head < query_heads_, "a head of the calibrated model");
  return std::size_t{layer} * query_heads_ + query_head;
}

bool Calibration::present(std::uint32_t layer, std::uint32_t query_head) const {
  return present_[index(layer, query_head)];
}

std::uint32_t Calibration::present_heads() const {
  return static_cast<std::uint32_t>(std::count(present_.begin(), present_.end(), true));
}

HeadStatistics Calibration::head(std::uint32_t layer, std::uint32_t query_head) const {
  const auto all = std::span(statistics_).subspan(index(layer, query_head) * 3 * bands_);
  return {all.first(bands_), all.subspan(bands_, bands_), all.subspan(2 * bands_, bands_)};
}

void Calibration::set_head(std::uint32_t layer, std::uint32_t query_head,
                           const HeadStatistics& statistics, const std::string& place) {
  for (std::uint32_t f = 0; f < bands_; ++f) {
    const double real = double{statistics.mean_real[f]}, imag = double{statistics.mean_imag[f]};
    const double modulus = double{statistics.mean_abs[f]};
    const double mean = std::sqrt(real * real + imag * imag);
    if (!std::isfinite(mean) || !std::isfinite(modulus) || mean > 1.01 * modulus + 1e-6)
      throw UserError(source + ": " + place + ": band " + std::to_string(f) +
                      " has a mean of modulus " + std::to_string(mean) + " and a mean modulus of " +
                      std::to_string(modulus) +
                      "; both must be finite and the first not the larger: the file is damaged");
  }
  const std::size_t at = index(layer, query_head);
  auto out = statistics_.begin() + static_cast<std::ptrdiff_t>(at * 3 * bands_);
  for (const auto part : {statistics.mean_real, statistics.mean_imag, statistics.mean_abs})
    out = std::copy(part.begin(), part.end(), out);
  present_[at] = true;
}

std::optional<std::string> rope_theta_disagreement(const Calibration& calibration,
                                                   double model_theta) {
  const auto& in_file = calibration.rope_theta_in_file;
  if (!in_file || std::abs(*in_file - model_theta) <= 1e-6 * model_theta) return std::nullopt;
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << calibration.source << " says rope theta " << *in_file << ", the model says "
       << model_theta << "; the model's is used";
  return text.str();
}

Calibration read_calibration(std::span<const std::byte> bytes, const std::string& name) {
  if (starts_with(bytes, "AIRT")) return read_tria(bytes, name);  // 0x54524941, little-endian
  if (starts_with(bytes, "PK\3\4")) return read_pt(bytes, name);
  throw UserError(name +
                  ": byte 0: this is neither a TRIA file (it would begin with AIRT) nor a .pt file "
                  "(a ZIP archive); give a TriAttention calibration");
}

Calibration read_calibration(const std::filesystem::path& path) {
  return read_calibration(read_bytes(path, largest_calibration), path.string());
}

}  // namespace vacancy
