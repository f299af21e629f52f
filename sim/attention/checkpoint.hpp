// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace vacancy {

/// The header of a llama2.c checkpoint (karpathy/llama2.c, legacy export, version 0).
struct TransformerConfig {
  std::uint32_t dim = 0;
  std::uint32_t hidden_dim = 0;
  std::uint32_t layers = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t vocab_size = 0;
  std::uint32_t seq_len = 0;

  std::uint32_t head_dim() const { return dim / heads; }
  std::uint32_t kv_dim() const { return kv_heads * head_dim(); }
  std::uint32_t group() const { return heads / kv_heads; }
};

/// The arrays of the file, in file order. Matrices are row-major [output, input].
enum class Weight : std::size_t {
  token_embedding,
  attention_norm,
  wq,
  wk,
  wv,
  wo,
  feed_forward_norm,
  w1,
  w2,
  w3,
  final_norm,
  rotary_tables,  // sines and cosines that old versions stored: recomputed, not read
  classifier,     // empty in the file when it is the token embedding
};
inline constexpr std::size_t weight_count = 13;

/// A llama2.c checkpoint in memory: every array present, finite and of the header's size.
class Checkpoint {
 public:
  const TransformerConfig& config() const { return config_; }
  /// One layer's part of a per-layer array; layer 0 of the arrays that exist once.
  std::span<const float> weight(Weight which, std::uint32_t layer = 0) const;

 private:
  friend Checkpoint read_checkpoint(std::span<const std::byte>, const std::string&);

  struct Array {
    std::uint64_t per_layer = 0, copies = 0, offset = 0;  // in floats
  };
  static std::array<Array, weight_count> layout(const TransformerConfig& config,
                                                bool shared_classifier);

  TransformerConfig config_;
  bool shared_classifier_ = true;
  std::array<Array, weight_count> arrays_;
  std::vector<float> floats_;
};

/// Strict: any fault is a UserError that names the file and the byte. `name` stands in messages.
Checkpoint read_checkpoint(std::span<const std::byte> bytes, const std::string& name);
Checkpoint read_checkpoint(const std::filesystem::path& path);

}  // namespace vacancy
