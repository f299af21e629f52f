// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

#include "sim/model/memory.hpp"
#include "sim/model/model_file.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;

TEST_CASE("the sizes of a head, a layer and the model multiply up") {
  for (const std::string& name : preset_names()) {
    const ModelGeometry model = preset(name);
    INFO(name);
    const Bytes head = bytes_per_token(model, TableSpan::head);
    const Bytes layer = bytes_per_token(model, TableSpan::layer);
    CHECK(layer == head * model.kv_heads);
    CHECK(bytes_per_token(model) == layer * model.kv_layers());
    for (const TableSpan span : {TableSpan::model, TableSpan::layer, TableSpan::head}) {
      CHECK(bytes_per_token(model, span) * tables_per_sequence(model, span) ==
            bytes_per_token(model));
      CHECK(bytes_per_block(model, 16, span) == bytes_per_token(model, span) * 16);
    }
  }
}

TEST_CASE("a (layer, head) block is 2 B d b bytes") {
  CHECK(bytes_per_block(preset("qwen3-8b"), 16, TableSpan::head) == Bytes(2 * 16 * 128 * 2));
  CHECK(bytes_per_token(preset("stories260k")) == Bytes(2 * 5 * 4 * 8 * 4));
}

TEST_CASE("finer tables take whole blocks each") {
  const ModelGeometry model = preset("stories260k");  // 5 layers, 4 KV heads
  CHECK(tables_per_sequence(model, TableSpan::layer) == 5);
  CHECK(tables_per_sequence(model, TableSpan::head) == 20);
  CHECK(tokens_in_blocks(model, 99, 16, TableSpan::head) == 4 * 16);
  CHECK(tokens_in_blocks(model, 100, 16, TableSpan::head) == 5 * 16);
  CHECK(tokens_in_blocks(model, 19, 16, TableSpan::head) == 0);
  const Bytes memory = bytes_per_block(model, 16) * 7;
  CHECK(blocks_in_memory(model, memory, 16) == 7);
  CHECK(blocks_in_memory(model, memory, 16, TableSpan::head) == 7 * 20);
  CHECK(blocks_in_memory(model, memory - Bytes(1), 16) == 6);
}

TEST_CASE("blocks for tokens round up, without overflow") {
  CHECK(blocks_for_tokens(0, 16) == 0);
  CHECK(blocks_for_tokens(1, 16) == 1);
  CHECK(blocks_for_tokens(16, 16) == 1);
  CHECK(blocks_for_tokens(17, 16) == 2);
  CHECK(blocks_for_tokens(std::numeric_limits<std::uint64_t>::max(), 16) == 1ull << 60);
}

TEST_CASE("sliding layers hold at most their window") {
  const ModelGeometry model = preset("gpt-oss-20b");  // 12 sliding and 12 full layers
  const std::uint64_t layer = bytes_per_token(model, TableSpan::layer).value();
  CHECK(layer == 2 * 8 * 64 * 2);
  CHECK(sequence_bytes(model, 100) == Bytes(24 * 100 * layer));
  CHECK(sequence_bytes(model, 128) == Bytes(24 * 128 * layer));
  CHECK(sequence_bytes(model, 32'768) == Bytes((12 * 32'768 + 12 * 128) * layer));
}

TEST_CASE("Gemma-3 has five sliding layers to a full one, and ends in sliding ones") {
  const ModelGeometry model = preset("gemma-3-27b");
  CHECK(model.layer_count(LayerKind::full) == 10);
  CHECK(model.layer_count(LayerKind::sliding) == 52);
  CHECK(model.layers[5] == LayerKind::full);
  CHECK(model.layers[61] == LayerKind::sliding);
}

TEST_CASE("state layers cost the same at any length") {
  const ModelGeometry model = preset("jamba-1.5-mini");  // 4 attention layers of 32
  CHECK(model.kv_layers() == 4);
  const Bytes states = model.state_bytes * 28;
  CHECK(sequence_bytes(model, 0) == states);
  CHECK(sequence_bytes(model, 1'000) == states + bytes_per_token(model) * 1'000);
  CHECK(tokens_in_memory(model, states - Bytes(1)) == 0u);
}

TEST_CASE("a model of sliding layers alone holds any length in one window") {
  const ModelGeometry model = preset("mistral-7b");
  const Bytes window = sequence_bytes(model, 4'096);
  CHECK(sequence_bytes(model, 1'000'000) == window);
  CHECK_FALSE(tokens_in_memory(model, window));
  CHECK(tokens_in_memory(model, window - Bytes(1)) == 4'095u);
}

TEST_CASE("tokens_in_memory is the inverse of sequence_bytes") {
  for (const std::string& name : preset_names()) {
    const ModelGeometry model = preset(name);
    for (const std::uint64_t memory : {0ull, 4'095ull, 1ull << 20, 12'345'678ull, 3ull << 30}) {
      const auto tokens = tokens_in_memory(model, Bytes(memory));
      INFO(name << " in " << memory << " bytes");
      if (!tokens) {
        CHECK(sequence_bytes(model, 1u << 31) <= Bytes(memory));
        continue;
      }
      CHECK((*tokens == 0 || sequence_bytes(model, *tokens) <= Bytes(memory)));
      CHECK(sequence_bytes(model, *tokens + 1) > Bytes(memory));
    }
  }
}

TEST_CASE("a page splits the heads over the GPUs, rounded up") {
  const ModelGeometry model = preset("phi-4-reasoning");  // 10 KV heads of 128 in bf16
  CHECK(tokens_per_page(model, Bytes(2 << 20), 4) == (2 << 20) / (3 * 128 * 2));
  CHECK(tokens_per_page(model, Bytes(2 << 20), 64) == (2 << 20) / (128 * 2));
}

TEST_CASE("transfers round up and do not overflow on the way") {
  CHECK(transfer_time(Bytes(0), Bytes(1)) == SimTime(0));
  CHECK(transfer_time(Bytes(1), Bytes(3'000'000'000'000)) == SimTime(1));
  CHECK(transfer_time(Bytes(1'000'000'000'000), Bytes(1'000'000'000'000)) ==
        SimTime(1'000'000'000));
  CHECK_THROWS_AS(transfer_time(Bytes(std::numeric_limits<std::uint64_t>::max()), Bytes(1)),
                  UserError);
}

TEST_CASE("sizes beyond 64 bits are an error, not a wrapped number") {
  const ModelGeometry model = preset("qwen3-32b");
  CHECK_THROWS_AS(sequence_bytes(model, 1ull << 46), UserError);
  CHECK_THROWS_AS(tokens_in_blocks(model, 1ull << 62, 16), UserError);
  CHECK(sequence_bytes(model, 1ull << 45) == Bytes(1ull << 63));
}
