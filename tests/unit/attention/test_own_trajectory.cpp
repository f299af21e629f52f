// SPDX-License-Identifier: Apache-2.0
// Decoding over an evicted cache, held against a forward pass over masked attention in double.
#include <catch2/catch.hpp>
#include <numeric>

#include "sim/attention/real_source.hpp"
#include "tests/support/plain_transformer.hpp"
#include "tests/support/random.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/worst_error.hpp"
#include "tests/unit/attention/file_builders.hpp"

using namespace vacancy;

namespace {

constexpr SamplingOptions sampling{1.0, 1.0};
constexpr std::uint64_t sampling_seed = 5;

Checkpoint made_checkpoint() {
  return read_checkpoint(test::checkpoint_bytes({16, 24, 2, 4, 2, 32, 64}), "made");
}

RealSource source_of(Checkpoint checkpoint) {
  return {std::move(checkpoint), {Tokenizer::begin_of_text}, sampling, sampling_seed};
}

const RealSequence& real(const SequenceAttention& sequence) {
  return dynamic_cast<const RealSequence&>(sequence);
}

std::vector<std::uint32_t> all_before(std::uint32_t position) {
  std::vector<std::uint32_t> tokens(position);
  std::iota(tokens.begin(), tokens.end(), 0u);
  return tokens;
}

/// A text with evictions before the tokens at some positions, each of which leaves every head half
/// of what it had: other tokens in every head.
struct HalvedText {
  HalvedText(const RealSource& source, std::span<const std::uint32_t> rounds,
             std::uint32_t look_ahead = 0)
      : mask(source.shape()), sequence(source.open(SequenceId{3})) {
    test::Random random(11);
    const AttentionShape shape = source.shape();
    std::vector<std::vector<std::uint32_t>> held(shape.layers * shape.kv_heads);
    std::uint32_t appended = 0;
    for (const std::uint32_t position : rounds) {
      sequence->advance(position + look_ahead);
      if (look_ahead > 0) sequence->same_next_tokens(position, position + look_ahead);
      for (std::uint32_t i = 0; i < held.size(); ++i) {
        for (std::uint32_t token = appended; token < position; ++token)
          held[i].push_back(token);
        std::erase_if(held[i], [&](std::uint32_t) { return random.one_in(2); });
        sequence->retain(i / shape.kv_heads, i % shape.kv_heads, position, held[i]);
      }
      CHECK(sequence->length() == position);
      mask.add(position, held);
      appended = position;
    }
  }

  test::MaskOfRounds mask;
  std::unique_ptr<SequenceAttention> sequence;
};

using HeadVectors = void (SequenceAttention::*)(std::uint32_t, std::uint32_t, std::uint32_t,
                                                std::span<float>) const;

/// The largest deviation of a head's vectors.
template <class Plain>
double deviation(const SequenceAttention& sequence, HeadVectors vectors, std::uint32_t layer,
                 std::uint32_t head, const Plain& plain) {
  const std::size_t d = sequence.shape().head_dim;
  std::vector<float> rows(sequence.length() * d);
  (sequence.*vectors)(layer, head, 0, rows);
  test::WorstError worst;
  for (std::uint32_t position = 0; position < sequence.length(); ++position)
    for (std::size_t i = 0; i < d; ++i)
      worst.add(std::abs(double{rows[position * d + i]} - plain(layer, head, position)[i]));
  return worst.value();
}

/// `length` tokens, evicted from before those at `rounds`: every vector, every row, every token.
void check_against_plain(const Checkpoint& checkpoint, std::span<const std::uint32_t> rounds,
                         std::uint32_t length) {
  const RealSource source = source_of(checkpoint);
  HalvedText text(source, rounds);
  SequenceAttention& sequence = *text.sequence;
  sequence.advance(length);
  const auto tokens = real(sequence).tokens();
  REQUIRE(tokens.size() == length);

  const AttentionShape shape = source.shape();
  const auto reads = text.mask.function();
  constexpr double tolerance = 2e-4;
  test::PlainTransformer plain(checkpoint), full(checkpoint);
  const PhiloxKey key = philox_key(sampling_seed, Stream::sampling);
  std::uint32_t same = 0;
  for (std::uint32_t position = 0; position < length; ++position) {
    const auto scores = plain.forward(tokens[position], reads);
    const auto full_scores = full.forward(tokens[position], test::reads_all);
    if (position + 1 == length) break;
    const double draw = unit_interval(philox4x32_10({3, 0, 0, position + 1}, key)[0]);
    const auto pick = [&](const std::vector<double>& from) {
      return sample_token(std::vector<float>(from.begin(), from.end()), sampling, draw);
    };
    CHECK(pick(scores) == tokens[position + 1]);
    if (position >= rounds.front()) same += pick(full_scores) == tokens[position + 1];
  }
  for (int again = 0; again < 2; ++again)
    CHECK(sequence.same_next_tokens(rounds.front(), length - 1) == same);
  CHECK(same < length - 1 - rounds.front());  // the eviction is felt

  std::vector<float> buffer(length);
  for (std::uint32_t layer = 0; layer < shape.layers; ++layer) {
    for (std::uint32_t head = 0; head < shape.kv_heads; ++head) {
      CHECK(deviation(sequence, &SequenceAttention::keys, layer, head,
                      [&](auto... at) { return plain.key(at...); }) < tolerance);
      CHECK(deviation(sequence, &SequenceAttention::values, layer, head,
                      [&](auto... at) { return plain.value(at...); }) < tolerance);
    }
    for (std::uint32_t head = 0; head < shape.query_heads; ++head) {
      CHECK(deviation(sequence, &SequenceAttention::queries, layer, head,
                      [&](auto... at) { return plain.query(at...); }) < tolerance);
      test::WorstError masked_error, unmasked_error, evicted_weight;
      for (std::uint32_t query = 0; query < length; ++query) {
        const auto row = std::span(buffer).first(query + 1);
        const auto masked = plain.row(layer, head, query, reads);
        sequence.weights(layer, head, query, row);
        for (std::uint32_t token = 0; token <= query; ++token) {
          masked_error.add(std::abs(double{row[token]} - masked[token]));
          if (!reads(layer, head / shape.group(), query, token)) evicted_weight.add(row[token]);
        }
        const auto unmasked = plain.row(layer, head, query, test::reads_all);
        sequence.weights_over_all(layer, head, query, row);
        for (std::uint32_t token = 0; token <= query; ++token)
          unmasked_error.add(std::abs(double{row[token]} - unmasked[token]));
      }
      CHECK(masked_error.value() < tolerance);
      CHECK(unmasked_error.value() < tolerance);
      CHECK(evicted_weight.value() == 0);
    }
  }
}

}  // namespace

TEST_CASE("a made model decodes over an evicted cache as a plain pass over masked attention") {
  const std::uint32_t rounds[] = {12, 13, 30, 50};
  check_against_plain(made_checkpoint(), rounds, 64);
}

TEST_CASE("stories decode over an evicted cache as a plain pass over masked attention") {
  const auto file = test::shared_file("data/stories260K/stories260K.bin");
  if (!file) return;
  const std::uint32_t rounds[] = {40, 72, 104, 136};
  check_against_plain(read_checkpoint(*file), rounds, 200);
}

TEST_CASE("rounds that evict nothing leave every bit of a text as it was") {
  const RealSource source = source_of(made_checkpoint());
  const auto plain = source.open(SequenceId{0}), told = source.open(SequenceId{0});
  const AttentionShape shape = source.shape();
  for (const std::uint32_t position : {5u, 20u, 64u}) {
    told->advance(position);
    for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
      for (std::uint32_t head = 0; head < shape.kv_heads; ++head)
        told->retain(layer, head, position, all_before(position));
  }
  plain->advance(64);
  CHECK(std::ranges::equal(real(*plain).tokens(), real(*told).tokens()));
  std::vector<float> one(64 * shape.head_dim), other(one.size());
  for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
    for (std::uint32_t head = 0; head < shape.query_heads; ++head) {
      plain->queries(layer, head, 0, one);
      told->queries(layer, head, 0, other);
      CHECK(one == other);
    }
  CHECK(std::ranges::equal(real(*plain).state().logits(), real(*told).state().logits()));
  CHECK(told->same_next_tokens(0, 63) == 63);
}

TEST_CASE("what was looked at ahead of an eviction leaves no trace behind it") {
  const RealSource source = source_of(made_checkpoint());
  const std::uint32_t rounds[] = {12, 13, 30, 50};
  HalvedText ahead(source, rounds, 14), without(source, rounds);
  for (const HalvedText* text : {&ahead, &without})
    text->sequence->advance(64);
  CHECK(std::ranges::equal(real(*ahead.sequence).tokens(), real(*without.sequence).tokens()));
  CHECK(std::ranges::equal(real(*ahead.sequence).state().logits(),
                           real(*without.sequence).state().logits()));
  CHECK(ahead.sequence->same_next_tokens(54, 64) == without.sequence->same_next_tokens(54, 64));
}

TEST_CASE("the full text to compare with is the one that was written after the eviction") {
  const RealSource source = source_of(made_checkpoint());
  constexpr std::uint32_t round = 12, looked = 40, length = 64;
  const auto agreement = [&](std::uint32_t id, bool look_ahead) {
    const auto sequence = source.open(SequenceId{id});
    if (look_ahead) {
      sequence->advance(looked);
      sequence->same_next_tokens(round, looked);
    }
    sequence->advance(round);
    const std::uint32_t newest[] = {round - 1};
    const AttentionShape shape = source.shape();
    for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
      for (std::uint32_t head = 0; head < shape.kv_heads; ++head)
        sequence->retain(layer, head, round, newest);
    sequence->advance(length);
    // What was compared before the eviction ends behind the first query that is asked for.
    std::vector<std::uint32_t> same;
    for (std::uint32_t query = looked; query < length; ++query)
      same.push_back(sequence->same_next_tokens(query, query + 1));
    return same;
  };
  for (std::uint32_t id = 0; id < 8; ++id)
    CHECK(agreement(id, true) == agreement(id, false));
}

TEST_CASE("a second reading goes on over what evictions left of the first") {
  const Checkpoint checkpoint = made_checkpoint();
  const RealSource source = source_of(checkpoint);
  const std::uint32_t rounds[] = {12, 20};
  HalvedText text(source, rounds);
  constexpr std::uint32_t context = 24;
  text.sequence->advance(context);
  text.sequence->reread(context);
  const auto tokens = real(*text.sequence).tokens();
  const auto reads = text.mask.function();
  test::PlainTransformer plain(checkpoint);
  for (std::uint32_t position = 0; position < 2 * context; ++position)
    plain.forward(tokens[position % context], reads);

  const AttentionShape shape = source.shape();
  std::vector<double> maxima(context);
  for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
    for (std::uint32_t head = 0; head < shape.kv_heads; ++head) {
      text.sequence->reread_maxima(layer, head, maxima);
      for (std::uint32_t token = 0; token < context; ++token) {
        double most = 0;
        for (std::uint32_t member = 0; member < shape.group(); ++member)
          for (std::uint32_t query = context; query < 2 * context; ++query)
            most = std::max(most,
                            plain.row(layer, head * shape.group() + member, query, reads)[token]);
        CHECK(maxima[token] == Approx(most).margin(1e-5));
      }
    }
}
