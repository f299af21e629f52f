// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/kv_dtype.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// What a layer keeps of a sequence: every token, the newest `window` tokens, or a state whose size
/// does not depend on the length (Mamba and its kin).
enum class LayerKind { full, sliding, state };

template <>
struct EnumNames<LayerKind> {
  static constexpr EnumName<LayerKind> table[] = {
      {LayerKind::full, "full"}, {LayerKind::sliding, "sliding"}, {LayerKind::state, "state"}};
};

/// Multi-head, grouped-query, multi-query attention by the number of KV heads; multi-head latent
/// attention, which caches one vector for all heads and derives K and V from it.
enum class AttentionKind { mha, gqa, mqa, mla };

template <>
struct EnumNames<AttentionKind> {
  static constexpr EnumName<AttentionKind> table[] = {{AttentionKind::mha, "MHA"},
                                                      {AttentionKind::gqa, "GQA"},
                                                      {AttentionKind::mqa, "MQA"},
                                                      {AttentionKind::mla, "MLA"}};
};

/// Dimensions of the vector that MLA caches per token and layer (DeepSeek-V2, arXiv 2405.04434,
/// §2.1): the compressed K and V, and the decoupled rotary key.
struct LatentDims {
  std::uint32_t latent = 0;
  std::uint32_t rotary = 0;
  bool operator==(const LatentDims&) const = default;
};

/// A transformer as its KV cache sees it. Plain data; model_from_json() checks it.
struct ModelGeometry {
  std::string name;
  std::vector<LayerKind> layers;
  std::uint32_t query_heads = 0;
  std::uint32_t kv_heads = 0;  // 1 for MLA: one vector serves all query heads
  std::uint32_t head_dim = 0;
  std::optional<LatentDims> mla;
  std::uint32_t window = 0;  // tokens, of the sliding layers
  Bytes state_bytes;         // per sequence and state layer
  KvDtype kv_dtype = KvDtype::bf16;

  std::optional<double> rope_theta;  // absent: no rotary embedding
  std::string rope_scaling;          // a note for people; empty for none
  std::optional<std::uint32_t> max_context;
  std::optional<std::uint32_t> vocabulary;

  std::optional<std::uint32_t> hidden;             // width of the residual stream
  std::optional<std::uint64_t> layer_parameters;   // of the layers' matrices, all experts
  std::optional<std::uint64_t> active_parameters;  // of them, what one token passes
  std::optional<Bytes> weight_bytes;               // layers and output matrix, as served

  std::string source;                   // where the numbers come from
  std::vector<std::string> unverified;  // keys that were not checked against the source

  bool operator==(const ModelGeometry&) const = default;

  AttentionKind attention() const;
  std::uint32_t layer_count(LayerKind kind) const;
  /// Layers that cache tokens, full or sliding.
  std::uint32_t kv_layers() const;
  /// Numbers in each vector that a token leaves in a layer and head, and how many such vectors.
  std::uint32_t vector_values() const;
  std::uint32_t vectors_per_token() const { return mla ? 1 : 2; }
};

/// The same model with another cache format. Throws UserError if the format's groups do not divide
/// the cached vector.
ModelGeometry with_kv_dtype(ModelGeometry model, KvDtype dtype);

/// The same model with a K and a V head for each query head: the yardstick of GQA, MQA and MLA.
ModelGeometry as_multi_head(ModelGeometry model);

}  // namespace vacancy
