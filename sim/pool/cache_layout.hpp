// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/registry/parameter.hpp"

namespace vacancy {

/// What shares one block table: everything (vLLM, SGLang, TensorRT-LLM), the heads of a layer
/// (OpenVINO), or nothing (KV-Compress).
enum class TableKind { shared, per_layer, per_layer_per_head };

/// What shares one keep set: classes S1, S2, S3 and S4 of spec policies §1.2. `per_head` is one set
/// per KV head, the same in all layers.
enum class Scope { model, per_layer, per_head, per_layer_per_head };

template <>
struct EnumNames<TableKind> {
  static constexpr EnumName<TableKind> table[] = {
      {TableKind::shared, "shared"},
      {TableKind::per_layer, "per_layer"},
      {TableKind::per_layer_per_head, "per_layer_per_head"}};
};

template <>
struct EnumNames<Scope> {
  static constexpr EnumName<Scope> table[] = {{Scope::model, "model"},
                                              {Scope::per_layer, "per_layer"},
                                              {Scope::per_head, "per_head"},
                                              {Scope::per_layer_per_head, "per_layer_per_head"}};
};

/// A half-open range of layers and of KV heads.
struct HeadRange {
  std::uint32_t first_layer, last_layer;
  std::uint32_t first_head, last_head;
};

/// How the keep sets of a policy meet the block tables of a sequence.
///
/// A policy chooses `policy_sets()` keep sets. A sequence has `tables()` tables, and
/// `sets_per_table()` independent sets share each one; a set that is coarser than a table stands on
/// several tables.
class CacheLayout {
 public:
  CacheLayout(std::uint32_t layers, std::uint32_t kv_heads, TableKind table, Scope scope)
      : layers_(layers), kv_heads_(kv_heads), table_(table), scope_(scope) {}

  std::uint32_t layers() const { return layers_; }
  std::uint32_t kv_heads() const { return kv_heads_; }
  TableKind table_kind() const { return table_; }
  Scope scope() const { return scope_; }

  std::uint32_t tables() const {
    switch (table_) {
      case TableKind::shared:
        return 1;
      case TableKind::per_layer:
        return layers_;
      case TableKind::per_layer_per_head:
        return layers_ * kv_heads_;
    }
    return 0;
  }

  std::uint32_t policy_sets() const {
    return (per_layer_choice() ? layers_ : 1) * (per_head_choice() ? kv_heads_ : 1);
  }

  std::uint32_t sets_per_table() const {
    const bool layers_apart = table_ != TableKind::shared;
    const bool heads_apart = table_ == TableKind::per_layer_per_head;
    return (per_layer_choice() && !layers_apart ? layers_ : 1) *
           (per_head_choice() && !heads_apart ? kv_heads_ : 1);
  }

  /// The policy set that stands as set `set` on table `table`.
  std::uint32_t policy_set(std::uint32_t table, std::uint32_t set) const {
    std::uint32_t layer = 0, head = 0;
    if (table_ == TableKind::per_layer) layer = table;
    if (table_ == TableKind::per_layer_per_head)
      layer = table / kv_heads_, head = table % kv_heads_;
    const std::uint32_t heads_here =
        per_head_choice() && table_ != TableKind::per_layer_per_head ? kv_heads_ : 1;
    if (table_ == TableKind::shared) layer = set / heads_here;
    if (heads_here > 1) head = set % heads_here;
    return policy_set_of(layer, head);
  }

  /// The policy set that speaks for a (layer, KV head) pair.
  std::uint32_t policy_set_of(std::uint32_t layer, std::uint32_t head) const {
    return (per_layer_choice() ? layer : 0) * (per_head_choice() ? kv_heads_ : 1) +
           (per_head_choice() ? head : 0);
  }

  /// A table and a set on it where `policy_set` stands; the first of them.
  struct Place {
    std::uint32_t table, set;
  };
  Place first_place(std::uint32_t policy_set) const {
    const HeadRange range = heads(policy_set);
    switch (table_) {
      case TableKind::shared:
        return {0, policy_set};
      case TableKind::per_layer:
        return {range.first_layer, per_head_choice() ? range.first_head : 0};
      case TableKind::per_layer_per_head:
        return {range.first_layer * kv_heads_ + range.first_head, 0};
    }
    return {0, 0};
  }

  /// The (layer, KV head) pairs for which policy set `set` speaks.
  HeadRange heads(std::uint32_t set) const {
    const std::uint32_t heads_apart = per_head_choice() ? kv_heads_ : 1;
    const std::uint32_t layer = set / heads_apart, head = set % heads_apart;
    return {per_layer_choice() ? layer : 0, per_layer_choice() ? layer + 1 : layers_,
            per_head_choice() ? head : 0, per_head_choice() ? head + 1 : kv_heads_};
  }

 private:
  bool per_layer_choice() const {
    return scope_ == Scope::per_layer || scope_ == Scope::per_layer_per_head;
  }
  bool per_head_choice() const {
    return scope_ == Scope::per_head || scope_ == Scope::per_layer_per_head;
  }
  std::uint32_t layers_, kv_heads_;
  TableKind table_;
  Scope scope_;
};

}  // namespace vacancy
