// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/attention/checkpoint.hpp"
#include "sim/attention/transformer.hpp"
#include "sim/units/error.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/unit/attention/file_builders.hpp"
#include "tests/unit/attention/mutations.hpp"

using namespace vacancy;
using test::checkpoint_bytes;
using test::CheckpointSpec;

namespace {

Checkpoint read_made_checkpoint(const test::FileBytes& bytes) {
  return read_checkpoint(std::span<const std::byte>(bytes), "made.bin");
}

void put(test::FileBytes& bytes, std::size_t at, std::int32_t value) {
  std::memcpy(&bytes[at], &value, sizeof value);
}

}  // namespace

TEST_CASE("a checkpoint's arrays lie where the format says") {
  for (const bool shared : {true, false}) {
    CheckpointSpec spec;
    spec.shared_classifier = shared;
    const auto bytes = checkpoint_bytes(spec);
    const auto checkpoint = read_made_checkpoint(bytes);
    const auto& c = checkpoint.config();
    CHECK(c.dim == 8);
    CHECK(c.vocab_size == 16);
    CHECK(c.head_dim() == 2);
    CHECK(c.kv_dim() == 4);
    const auto float_at = [&](std::size_t index) {
      float value;
      std::memcpy(&value, &bytes[28 + 4 * index], 4);
      return value;
    };
    CHECK(checkpoint.weight(Weight::token_embedding)[3] == float_at(3));
    CHECK(checkpoint.weight(Weight::attention_norm, 1)[0] == float_at(128 + 8));
    CHECK(checkpoint.weight(Weight::wq, 1)[5] == float_at(128 + 16 + 64 + 5));
    CHECK(checkpoint.weight(Weight::classifier).size() == 128);
    if (shared)
      CHECK(checkpoint.weight(Weight::classifier).data() ==
            checkpoint.weight(Weight::token_embedding).data());
    else
      CHECK(checkpoint.weight(Weight::classifier)[127] == float_at((bytes.size() - 28) / 4 - 1));
  }
}

TEST_CASE("a damaged checkpoint is refused with file and byte") {
  const auto whole = checkpoint_bytes();
  const auto refused = [](const test::FileBytes& bytes, const std::string& place) {
    CHECK_THROWS_WITH(read_made_checkpoint(bytes), Catch::Contains("made.bin: byte " + place));
  };
  for (std::size_t field = 0; field < 28; field += 4)
    for (const std::int32_t value : {0, 0x7FFFFFFF, -0x7FFFFFFF - 1}) {
      auto bytes = whole;
      put(bytes, field, value);
      refused(bytes, std::to_string(field));
    }
  auto bytes = whole;
  put(bytes, 12, 3);  // 8 is no multiple of 3
  refused(bytes, "12");
  bytes = whole;
  put(bytes, 16, 3);  // 4 query heads, 3 KV heads
  refused(bytes, "16");
  bytes = whole;
  put(bytes, 28, 0x7FC00000);  // the first weight is no number
  refused(bytes, "28");
  bytes = whole;
  bytes.push_back(std::byte{0});
  refused(bytes, std::to_string(whole.size() + 1));
  bytes = whole;
  bytes.pop_back();
  refused(bytes, std::to_string(whole.size() - 1));
  bytes = whole;
  put(bytes, 0, 0x616b3432);
  CHECK_THROWS_WITH(read_made_checkpoint(bytes), Catch::Contains("version 0"));
  CHECK_THROWS_WITH(read_checkpoint(std::filesystem::path("none")),
                    Catch::Contains("no such file"));
  CHECK_THROWS_WITH(read_checkpoint(std::filesystem::path(".")), Catch::Contains("a folder"));
}

TEST_CASE("no damage to a checkpoint's bytes does more than a UserError") {
  const int refused = test::read_damaged(checkpoint_bytes(), 400, [](const test::FileBytes& bytes) {
    const auto checkpoint = read_made_checkpoint(bytes);
    // What was accepted must also run.
    DecodeState state(checkpoint.config());
    Transformer(checkpoint).forward(0, state);
  });
  CHECK(refused > 300);
}

TEST_CASE("the forward pass records pre-RoPE vectors that rotation maps to the cached ones") {
  const auto checkpoint = read_made_checkpoint(checkpoint_bytes());
  const Transformer transformer(checkpoint);
  DecodeState state(checkpoint.config());
  for (const TokenId token : {1u, 5u, 9u, 2u})
    transformer.forward(token, state);
  CHECK(state.length() == 4);
  CHECK(state.logits().size() == 16);
  for (std::uint32_t layer = 0; layer < 2; ++layer)
    for (std::uint32_t head = 0; head < 4; ++head) {
      const auto before = state.rows(HeadVector::query_before_rope, layer, head);
      const auto after = state.rows(HeadVector::query, layer, head);
      REQUIRE(before.size() == 8);
      CHECK(before[0] == after[0]);          // position 0 does not turn
      for (std::size_t p = 0; p < 4; ++p) {  // one band: angle = position
        const double angle = static_cast<double>(p);
        const double real = double{before[2 * p]}, imag = double{before[2 * p + 1]};
        CHECK(double{after[2 * p]} ==
              Approx(real * std::cos(angle) - imag * std::sin(angle)).margin(1e-6));
        CHECK(double{after[2 * p + 1]} ==
              Approx(real * std::sin(angle) + imag * std::cos(angle)).margin(1e-6));
      }
    }
  CHECK(state.rows(HeadVector::value, 1, 1, 3).size() == 2);
}

TEST_CASE("stories260K has the documented header") {
  const auto path = test::shared_file("data/stories260K/stories260K.bin");
  if (!path) return;
  const auto checkpoint = read_checkpoint(*path);
  const auto& c = checkpoint.config();
  CHECK(c.dim == 64);
  CHECK(c.hidden_dim == 172);
  CHECK(c.layers == 5);
  CHECK(c.heads == 8);
  CHECK(c.kv_heads == 4);
  CHECK(c.vocab_size == 512);
  CHECK(c.seq_len == 512);
}
