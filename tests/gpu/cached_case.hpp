// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "gpu_backend/kernels/codecs/fp8.hpp"
#include "gpu_backend/kernels/score_operations.hpp"
#include "gpu_backend/reference/number_formats.hpp"
#include "gpu_backend/reference/scores.hpp"
#include "tests/gpu/move_case.hpp"

namespace vacancy::test {

inline std::vector<float> normals(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& x : values)
    x = normal(random);
  return values;
}

/// K and V of several requests in a pool, normally distributed, and as matrices in double.
class CachedCase {
 public:
  struct Options {
    int layers = 2, heads = 2, head_dim = 128, slots = 16;
    gpu::ElementType element = gpu::ElementType::bf16;
    gpu::Sharing tables = {};
    gpu::PoolOrder order = gpu::PoolOrder::planes_first;
    std::vector<int> tokens{37, 5};  // of each request
    std::uint32_t seed = 1;
  };

  CachedCase(gpu::Device& device, const Options& given)
      : options(given), memory(device, shape_of(given), tokens_of_tables(given), given.seed) {
    std::mt19937 random(options.seed);
    std::normal_distribution<float> normal;
    std::vector<std::uint8_t>& bytes = memory.images[0].bytes();
    if (options.element == gpu::ElementType::fp32) {
      for (std::size_t i = 0; i + 3 < bytes.size(); i += 4) {
        const float value = normal(random);
        std::memcpy(&bytes[i], &value, 4);
      }
    } else if (options.element == gpu::ElementType::bf16) {
      for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        const std::uint16_t code = gpu::encode_bf16(normal(random));
        std::memcpy(&bytes[i], &code, 2);
      }
    } else {
      for (std::uint8_t& code : bytes)
        code = gpu::encode_e4m3(normal(random));
    }
    memory.upload();
    std::vector<std::int32_t> last;
    for (const int n : tokens_of_tables(options))
      last.push_back(n % options.slots == 0 ? options.slots : n % options.slots);
    last_page_len_ = gpu::Buffer<std::int32_t>(device, last);
  }

  int requests() const { return static_cast<int>(options.tokens.size()); }
  int length(int request) const { return options.tokens[static_cast<std::size_t>(request)]; }
  std::int64_t longest() const {
    return *std::max_element(options.tokens.begin(), options.tokens.end());
  }
  gpu::CachedRows rows() const {
    gpu::CachedRows rows{.pool = memory.pool().parts()[0],
                         .element = options.element,
                         .tables = memory.device_tables(),
                         .head_dim = options.head_dim};
    rows.tables.last_page_len = last_page_len_.data();
    return rows;
  }

  /// Makes NaN of the rows of K and V in the slots that are holes.
  template <class IsHole>
  void forget(IsHole is_hole) {
    gpu::reference::PoolImage& image = memory.images[0];
    const std::vector<std::uint8_t> nan(image.row_bytes(), 0xFF);
    for (int layer = 0; layer < options.layers; ++layer)
      for (int head = 0; head < options.heads; ++head)
        for (int r = 0; r < requests(); ++r)
          for (int slot = 0; slot < length(r); ++slot)
            for (int kind = 0; kind < 2 && is_hole(slot); ++kind)
              image.set_row(layer, kind, head, block_of(r, layer, head, slot), slot % options.slots,
                            nan);
    memory.upload();
  }

  /// Tokens by elements; kind 0 is K.
  gpu::reference::Matrix matrix(int request, int layer, int kind, int head) const {
    gpu::reference::Matrix result(length(request), options.head_dim);
    for (int token = 0; token < length(request); ++token) {
      const auto row = memory.images[0].row(layer, kind, head, table(request, layer, head), token);
      for (int d = 0; d < options.head_dim; ++d) {
        const auto i = static_cast<std::size_t>(d);
        if (options.element == gpu::ElementType::fp32) {
          float value = 0;
          std::memcpy(&value, &row[4 * i], 4);
          result(token, d) = double{value};
        } else if (options.element == gpu::ElementType::bf16) {
          std::uint16_t code = 0;
          std::memcpy(&code, &row[2 * i], 2);
          result(token, d) = gpu::reference::bf16_value(code);
        } else {
          result(token, d) = gpu::reference::e4m3_value(row[i]);
        }
      }
    }
    return result;
  }

  Options options;
  MoveCase memory;

 private:
  const std::vector<std::int32_t>& table(int request, int layer, int head) const {
    return memory.tables[static_cast<std::size_t>(request * options.tables.count +
                                                  layer * options.tables.layer +
                                                  head * options.tables.head)];
  }

  std::int32_t block_of(int request, int layer, int head, int slot) const {
    return table(request, layer, head)[static_cast<std::size_t>(slot / options.slots)];
  }

  static gpu::PoolShape shape_of(const Options& options) {
    return {.layers = options.layers,
            .heads = options.heads,
            .head_dim = options.head_dim,
            .slots = options.slots,
            .format = options.element == gpu::ElementType::fp32   ? gpu::RowFormat::fp32
                      : options.element == gpu::ElementType::bf16 ? gpu::RowFormat::bf16
                                                                  : gpu::RowFormat::fp8,
            .order = options.order,
            .tables = options.tables};
  }
  static std::vector<int> tokens_of_tables(const Options& options) {
    std::vector<int> tokens;
    for (const int n : options.tokens)
      tokens.insert(tokens.end(), static_cast<std::size_t>(options.tables.count), n);
    return tokens;
  }

  gpu::Buffer<std::int32_t> last_page_len_;
};

/// A row of floats as a vector in double.
inline gpu::reference::Vector vector_at(const std::vector<float>& values, std::size_t first,
                                        int count) {
  gpu::reference::Vector result(count);
  for (int i = 0; i < count; ++i)
    result[i] = double{values[first + static_cast<std::size_t>(i)]};
  return result;
}

}  // namespace vacancy::test
