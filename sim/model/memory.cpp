// SPDX-License-Identifier: Apache-2.0
#include "sim/model/memory.hpp"

#include <algorithm>
#include <limits>

#include "sim/units/error.hpp"

namespace vacancy {
namespace {

__extension__ using Wide = unsigned __int128;

[[noreturn]] void too_large() {
  throw UserError(
      "The memory asked for exceeds 2^64 - 1 bytes; lower the tokens, the block size or the "
      "model's "
      "dimensions.");
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) too_large();
  return result;
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) too_large();
  return result;
}

}  // namespace

Bytes bytes_per_token(const ModelGeometry& model, TableSpan span) {
  std::uint64_t bytes = product(vector_bytes(model.kv_dtype, model.vector_values()).value(),
                                model.vectors_per_token());
  if (span != TableSpan::head) bytes = product(bytes, model.kv_heads);
  if (span == TableSpan::model) bytes = product(bytes, model.kv_layers());
  return Bytes(bytes);
}

Bytes bytes_per_block(const ModelGeometry& model, std::uint32_t block_size, TableSpan span) {
  return Bytes(product(bytes_per_token(model, span).value(), block_size));
}

std::uint64_t tables_per_sequence(const ModelGeometry& model, TableSpan span) {
  if (span == TableSpan::model) return 1;
  const std::uint64_t layers = model.kv_layers();
  return span == TableSpan::layer ? layers : layers * model.kv_heads;
}

std::uint64_t blocks_in_memory(const ModelGeometry& model, Bytes memory, std::uint32_t block_size,
                               TableSpan span) {
  return memory.value() / bytes_per_block(model, block_size, span).value();
}

std::uint64_t tokens_in_blocks(const ModelGeometry& model, std::uint64_t blocks,
                               std::uint32_t block_size, TableSpan span) {
  return product(blocks / tables_per_sequence(model, span), block_size);
}

Bytes sequence_bytes(const ModelGeometry& model, std::uint64_t tokens) {
  const std::uint64_t windowed = std::min<std::uint64_t>(tokens, model.window);
  const std::uint64_t slots = sum(product(tokens, model.layer_count(LayerKind::full)),
                                  product(windowed, model.layer_count(LayerKind::sliding)));
  const std::uint64_t states =
      product(model.state_bytes.value(), model.layer_count(LayerKind::state));
  return Bytes(sum(product(slots, bytes_per_token(model, TableSpan::layer).value()), states));
}

std::optional<std::uint64_t> tokens_in_memory(const ModelGeometry& model, Bytes memory) {
  const std::uint64_t layer = bytes_per_token(model, TableSpan::layer).value();
  const std::uint64_t full = product(model.layer_count(LayerKind::full), layer);
  const std::uint64_t empty = sequence_bytes(model, 0).value();
  if (memory.value() < empty) return 0;
  // Below the window every layer grows; beyond it only the full layers do.
  if (model.layer_count(LayerKind::sliding) > 0) {
    const std::uint64_t at_window = sequence_bytes(model, model.window).value();
    if (memory.value() < at_window)
      return (memory.value() - empty) / bytes_per_token(model).value();
    if (full == 0) return std::nullopt;
    return model.window + (memory.value() - at_window) / full;
  }
  if (full == 0) return std::nullopt;
  return (memory.value() - empty) / full;
}

std::uint64_t tokens_per_page(const ModelGeometry& model, Bytes page, std::uint32_t gpus) {
  const std::uint64_t heads = blocks_for_tokens(model.kv_heads, gpus);  // rounded up
  return page.value() / product(heads, vector_bytes(model.kv_dtype, model.vector_values()).value());
}

SimTime transfer_time(Bytes bytes, Bytes bytes_per_second) {
  constexpr Wide nanoseconds_per_second = 1'000'000'000;
  VACANCY_ASSERT(bytes_per_second.value() > 0, "a bandwidth is positive");
  const Wide rate = bytes_per_second.value();
  const Wide time = (bytes.value() * nanoseconds_per_second + rate - 1) / rate;
  if (time > static_cast<Wide>(std::numeric_limits<std::int64_t>::max()))
    throw UserError("A transfer of " + std::to_string(bytes.value()) + " bytes at " +
                    std::to_string(bytes_per_second.value()) +
                    " bytes per second takes longer than 292 years; raise the bandwidth.");
  return SimTime(static_cast<std::int64_t>(time));
}

}  // namespace vacancy
