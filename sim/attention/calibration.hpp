// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vacancy {

/// Statistics of one query head's pre-RoPE queries q, one entry per rotary band f ("half" pairing:
/// band f is the complex number q[f] + i·q[f + F], F bands).
struct HeadStatistics {
  std::span<const float> mean_real;  // Re E[q_f]
  std::span<const float> mean_imag;  // Im E[q_f]
  std::span<const float> mean_abs;   // E|q_f| >= |E[q_f]|
};

/// A TriAttention calibration (arXiv 2604.04921): query statistics of every measured head of a
/// model. What a file does not say is empty or 0.
class Calibration {
 public:
  Calibration(std::string source, std::uint32_t layers, std::uint32_t query_heads,
              std::uint32_t head_dim);

  std::uint32_t layers() const { return layers_; }
  std::uint32_t query_heads() const { return query_heads_; }
  std::uint32_t head_dim() const { return 2 * bands_; }
  std::uint32_t bands() const { return bands_; }

  /// Whether the file has statistics of this head.
  bool present(std::uint32_t layer, std::uint32_t query_head) const;
  std::uint32_t present_heads() const;
  HeadStatistics head(std::uint32_t layer, std::uint32_t query_head) const;

  /// Enters a head's statistics, each of bands() entries. Throws a UserError with the source and
  /// `place` unless they are finite and |mean| <= mean modulus (1 % for rounding).
  void set_head(std::uint32_t layer, std::uint32_t query_head, const HeadStatistics& statistics,
                const std::string& place);

  std::string source;                     // where it was read from, for messages
  std::string model_name;                 // as the file says
  std::string rope_style;                 // "half" or empty (the TRIA form knows no other)
  std::uint32_t kv_heads = 0;             // 0 = the file does not say
  std::vector<float> layer_budget_scale;  // per layer; 1 unless the file is TRIA version 2
  /// As the file says, for a cross-check only: a published file holds 10,000 for a model whose
  /// configuration says 1,000,000. Frequencies come from the model's configuration.
  std::optional<double> rope_theta_in_file;
  std::optional<double> attention_scale;

 private:
  std::size_t index(std::uint32_t layer, std::uint32_t query_head) const;

  std::uint32_t layers_, query_heads_, bands_;
  std::vector<float> statistics_;  // [layer][query head][real, imaginary, modulus][band]
  std::vector<bool> present_;
};

/// A sentence if the file names another rotary base than the model: what is used, and why.
std::optional<std::string> rope_theta_disagreement(const Calibration& calibration,
                                                   double model_theta);

/// TRIA binary, versions 1 and 2 (domvox/triattention-ggml).
Calibration read_tria(std::span<const std::byte> bytes, const std::string& name);

/// The .pt file that TriAttention's calibration tool saves through torch, read without Python.
Calibration read_pt(std::span<const std::byte> bytes, const std::string& name);

/// Either, told apart by its first bytes.
Calibration read_calibration(std::span<const std::byte> bytes, const std::string& name);
Calibration read_calibration(const std::filesystem::path& path);

}  // namespace vacancy
