// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "sim/attention/real_source.hpp"
#include "sim/attention/recorded_source.hpp"
#include "tests/unit/attention/file_builders.hpp"

using namespace vacancy;

namespace {

std::shared_ptr<const RealSource> small_transformer() {
  return std::make_shared<RealSource>(read_checkpoint(test::checkpoint_bytes(), "made"),
                                      std::vector<TokenId>{Tokenizer::begin_of_text},
                                      SamplingOptions{1.0, 1.0}, 5);
}

/// All that a sequence says of its first tokens.
std::vector<float> said(const SequenceAttention& sequence) {
  const AttentionShape& shape = sequence.shape();
  const std::uint32_t length = sequence.length();
  std::vector<float> all;
  for (std::uint32_t layer = 0; layer < shape.layers; ++layer) {
    for (std::uint32_t head = 0; head < shape.query_heads; ++head)
      for (std::uint32_t query = 0; query < length; ++query) {
        std::vector<float> row(query + 1);
        sequence.weights(layer, head, query, row);
        all.insert(all.end(), row.begin(), row.end());
      }
    std::vector<float> rows(std::size_t{length} * shape.head_dim);
    const auto add = [&] { all.insert(all.end(), rows.begin(), rows.end()); };
    for (std::uint32_t head = 0; head < shape.query_heads; ++head) {
      sequence.queries(layer, head, 0, rows);
      add();
      std::vector<double> norms(length);
      sequence.output_norms(layer, head, 0, norms);
      for (const double norm : norms)
        all.push_back(static_cast<float>(norm));
    }
    for (std::uint32_t head = 0; head < shape.kv_heads; ++head) {
      sequence.keys(layer, head, 0, rows);
      add();
      sequence.values(layer, head, 0, rows);
      add();
      std::vector<double> sums(length);
      sequence.add_column_sums(layer, head, length / 2, length, sums);
      for (const double sum : sums)
        all.push_back(static_cast<float>(sum));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("a recorded sequence says what the source's own does, at every length, in any thread") {
  const auto source = small_transformer();
  // No room for rows, for some of them, for all.
  const std::size_t room = GENERATE(std::size_t{0}, std::size_t{20'000}, std::size_t{1} << 30);
  const RecordedSource recorded(source, 3, room);  // fewer sequences than are opened
  CHECK(recorded.shape() == source->shape());
  CHECK(recorded.max_length() == source->max_length());
  AttentionFeatures all = source->features();
  all.own_trajectory = false;
  CHECK(recorded.features() == all);
  CHECK(recorded.rope_theta() == source->rope_theta());
  std::vector<std::vector<float>> results(16);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < results.size(); ++i)
      threads.emplace_back([&, i] {
        const auto sequence = recorded.open(SequenceId(static_cast<std::uint32_t>(i % 5)));
        sequence->advance(1 + static_cast<std::uint32_t>(i % source->max_length()));
        results[i] = said(*sequence);
      });
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto sequence = source->open(SequenceId(static_cast<std::uint32_t>(i % 5)));
    sequence->advance(1 + static_cast<std::uint32_t>(i % source->max_length()));
    INFO(i);
    CHECK(said(*sequence) == results[i]);
  }
}
