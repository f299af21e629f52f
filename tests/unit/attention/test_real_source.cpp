// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>

#include "sim/attention/real_source.hpp"
#include "sim/attention/vector_math.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/unit/attention/file_builders.hpp"

using namespace vacancy;

namespace {

constexpr const char* checkpoint_file = "data/stories260K/stories260K.bin";
constexpr const char* tokenizer_file = "data/stories260K/tok512.bin";

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

RealSource source(const std::filesystem::path& path, double temperature, std::uint64_t seed = 1) {
  return {read_checkpoint(path), {Tokenizer::begin_of_text}, {temperature, 1.0}, seed};
}

std::vector<TokenId> tokens_of(const SequenceAttention& sequence) {
  const auto tokens = dynamic_cast<const RealSequence&>(sequence).tokens();
  return {tokens.begin(), tokens.end()};
}

}  // namespace

TEST_CASE("greedy decoding of 256 tokens equals the reference program's text") {
  const auto checkpoint = test::shared_file(checkpoint_file);
  const auto vocabulary = test::shared_file(tokenizer_file);
  const auto golden = test::shared_file("data/stories260K/greedy.txt");
  if (!checkpoint || !vocabulary || !golden) return;

  const auto tokenizer = read_tokenizer(*vocabulary);
  const auto greedy = source(*checkpoint, 0.0);
  const auto sequence = greedy.open(SequenceId{0});
  sequence->advance(257);  // the token that begins the text, then 256
  const auto tokens = tokens_of(*sequence);
  std::string text;
  for (std::size_t i = 1; i < tokens.size(); ++i)
    text += tokenizer.decode(tokens[i - 1], tokens[i]);
  CHECK(text + "\n" == file_text(*golden));  // the program ends its output with a newline
}

TEST_CASE("attention of sampled stories is local and has no sink (published U-7)", "[slow]") {
  const auto checkpoint = test::shared_file(checkpoint_file);
  if (!checkpoint) return;

  constexpr std::uint32_t sequences = 8, length = 512, first_query = 64;
  const auto stories = source(*checkpoint, 1.0);
  double on_first = 0.0, on_recent = 0.0;
  std::size_t rows = 0;
  std::vector<float> buffer(length);
  for (std::uint32_t s = 0; s < sequences; ++s) {
    const auto sequence = stories.open(SequenceId{s});
    sequence->advance(length);
    const auto& shape = sequence->shape();
    for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
      for (std::uint32_t head = 0; head < shape.query_heads; ++head)
        for (std::uint32_t query = first_query; query < length; ++query) {
          const auto row = std::span(buffer).first(query + 1);
          sequence->weights(layer, head, query, row);
          on_first += double{row[0]};
          on_recent += std::accumulate(row.end() - 16, row.end(), 0.0);
          ++rows;
        }
  }
  const double count = static_cast<double>(rows);
  INFO("first " << on_first / count << ", recent " << on_recent / count);
  CHECK(on_first / count == Approx(0.0009).margin(0.0005));
  CHECK(on_recent / count == Approx(0.754).margin(0.02));
}

// The layer's output is Wo times all heads' results side by side.
TEST_CASE("what a value adds to the output is its head's part of the projection") {
  const Checkpoint checkpoint = read_checkpoint(test::checkpoint_bytes(), "made");
  const TransformerConfig& config = checkpoint.config();
  const RealSource made(checkpoint, {Tokenizer::begin_of_text}, {1.0, 1.0}, 2);
  const auto sequence = made.open(SequenceId{1});
  sequence->advance(5);
  const std::size_t d = config.head_dim();
  for (std::uint32_t layer = 0; layer < config.layers; ++layer)
    for (std::uint32_t head = 0; head < config.heads; ++head) {
      std::vector<double> norms(2);
      sequence->output_norms(layer, head, 3, norms);
      for (std::uint32_t token = 3; token < 5; ++token) {
        std::vector<float> heads(config.dim), added(config.dim);
        sequence->values(layer, head / config.group(), token,
                         std::span(heads).subspan(head * d, d));
        matrix_vector(checkpoint.weight(Weight::wo, layer), heads, added);
        const double expected = std::accumulate(
            added.begin(), added.end(), 0.0, [](double sum, float x) { return sum + std::abs(x); });
        CHECK(norms[token - 3] == Approx(expected).epsilon(1e-5));
      }
    }
}

TEST_CASE("a text that is read twice gets the attention of a text that says everything twice") {
  const auto checkpoint = test::shared_file(checkpoint_file);
  if (!checkpoint) return;

  constexpr std::uint32_t context = 60;
  const auto stories = source(*checkpoint, 1.0);
  const auto sequence = stories.open(SequenceId{4});
  sequence->advance(90);
  std::vector<double> maxima(context);
  for (const std::uint32_t earlier : {20u, context, context}) {  // the last call decides
    sequence->reread(earlier);
    maxima.resize(earlier);
  }
  auto twice = tokens_of(*sequence);
  twice.resize(context);
  twice.insert(twice.end(), twice.begin(), twice.begin() + context);
  const RealSource said_twice(read_checkpoint(*checkpoint), twice, {1.0, 1.0}, 1);
  const auto plain = said_twice.open(SequenceId{0});
  plain->advance(2 * context);

  const auto shape = stories.shape();
  for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
    for (std::uint32_t head = 0; head < shape.kv_heads; ++head) {
      sequence->reread_maxima(layer, head, maxima);
      std::vector<double> expected(context);
      for (std::uint32_t q = head * shape.group(); q < (head + 1) * shape.group(); ++q)
        for (std::uint32_t query = context; query < 2 * context; ++query) {
          std::vector<float> row(query + 1);
          plain->weights(layer, q, query, row);
          for (std::uint32_t j = 0; j < context; ++j)
            expected[j] = std::max(expected[j], double{row[j]});
        }
      CHECK(maxima == expected);
    }
}
