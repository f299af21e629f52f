// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/real_source.hpp"

#include <algorithm>
#include <cmath>

#include "sim/attention/registry.hpp"
#include "sim/attention/vector_math.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr AttentionFeatures real_features{.weights = true,
                                          .keys = true,
                                          .queries = true,
                                          .values = true,
                                          .output_norms = true,
                                          .rereading = true,
                                          .own_trajectory = true};

}  // namespace

RealSource::RealSource(Checkpoint checkpoint, std::vector<TokenId> tokens, SamplingOptions sampling,
                       std::uint64_t seed)
    : checkpoint_(std::move(checkpoint)),
      transformer_(checkpoint_),
      beginning_(std::move(tokens)),
      sampling_(sampling),
      key_(philox_key(seed, Stream::sampling)) {
  const auto& config = checkpoint_.config();
  shape_ = {config.layers, config.heads, config.kv_heads, config.head_dim()};
  VACANCY_ASSERT(!beginning_.empty() && beginning_.size() <= config.seq_len, "a usable beginning");
}

AttentionFeatures RealSource::features() const {
  return real_features;
}

std::unique_ptr<SequenceAttention> RealSource::open(SequenceId id) const {
  return std::make_unique<RealSequence>(*this, id);
}

TokenId RealSource::next_token(const DecodeState& state, SequenceId id) const {
  if (state.length() < beginning_.size()) return beginning_[state.length()];
  const auto draw = philox4x32_10({id.value(), 0, 0, state.length()}, key_)[0];
  return sample_token(state.logits(), sampling_, unit_interval(draw));
}

RealSequence::RealSequence(const RealSource& source, SequenceId id)
    : source_(source), id_(id), state_(source.checkpoint_.config()) {}

void RealSequence::advance(std::uint32_t length) {
  VACANCY_ASSERT(length <= source_.max_length(), "a length that the model knows");
  while (state_.length() < length)
    source_.transformer_.forward(token_at(state_.length()), state_);
}

TokenId RealSequence::token_at(std::uint32_t position) {
  VACANCY_ASSERT(position <= length(), "a token whose past is computed");
  if (position == tokens_.size()) tokens_.push_back(source_.next_token(state_, id_));
  return tokens_[position];
}

void RealSequence::weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
                           std::span<float> row) const {
  softmax_row(state_, state_.evicted(layer, query_head / shape().group()), layer, query_head, query,
              row);
}

void RealSequence::weights_over_all(std::uint32_t layer, std::uint32_t query_head,
                                    std::uint32_t query, std::span<float> row) const {
  softmax_row(state_, EvictedTokens(), layer, query_head, query, row);
}

void RealSequence::softmax_row(const DecodeState& state, const EvictedTokens& evicted,
                               std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
                               std::span<float> row) const {
  VACANCY_ASSERT(query < state.length() && row.size() == query + 1, "a row of an available query");
  const std::size_t d = shape().head_dim;
  const auto q = state.rows(HeadVector::query, layer, query_head, query).first(d);
  const auto keys = state.rows(HeadVector::key, layer, query_head / shape().group());
  if (evicted.none()) return attention_row(q, keys.first(row.size() * d), row);
  std::vector<std::uint32_t> read;
  evicted.list_read(query, read);
  std::vector<float> read_keys, paid(read.size());
  attention_row(q, gather_rows(keys, d, read, read_keys), paid);
  std::fill(row.begin(), row.end(), 0.0f);
  for (std::size_t i = 0; i < read.size(); ++i)
    row[read[i]] = paid[i];
}

void RealSequence::truncate(std::uint32_t from) {
  VACANCY_ASSERT(from <= length(), "an eviction from what is computed");
  if (from < length()) tokens_.resize(std::size_t{from} + 1);
  state_.truncate(from);
  if (full_) full_->truncate(from);
  twice_.reset();
}

void RealSequence::retain(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t from,
                          std::span<const std::uint32_t> kept) {
  truncate(from);
  state_.retain(layer, kv_head, kept);
}

std::uint32_t RealSequence::same_next_tokens(std::uint32_t first, std::uint32_t last) {
  VACANCY_ASSERT(last <= length(), "queries that are available");
  if (!full_) full_.emplace(source_.checkpoint_.config());
  full_->truncate(first);
  std::uint32_t same = 0;
  for (std::uint32_t query = full_->length(); query < last; ++query) {
    source_.transformer_.forward(tokens_[query], *full_);
    if (query >= first) same += source_.next_token(*full_, id_) == token_at(query + 1);
  }
  return same;
}

void RealSequence::output_norms(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
                                std::span<double> norms) const {
  VACANCY_ASSERT(first + norms.size() <= length(), "tokens that are available");
  const std::size_t d = shape().head_dim, dim = source_.checkpoint_.config().dim;
  const auto values = state_.rows(HeadVector::value, layer, query_head / shape().group(), first);
  const auto projection = source_.checkpoint_.weight(Weight::wo, layer);
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const auto value = values.subspan(i * d, d);
    norms[i] = 0;
    for (std::size_t out = 0; out < dim; ++out) {
      const auto row = projection.subspan(out * dim + query_head * d, d);
      double sum = 0;
      for (std::size_t c = 0; c < d; ++c)
        sum += double{row[c]} * double{value[c]};
      norms[i] += std::abs(sum);
    }
  }
}

void RealSequence::reread(std::uint32_t context) {
  VACANCY_ASSERT(context <= length() && 2 * context <= source_.max_length(),
                 "a text that can be read twice");
  if (twice_ && twice_->length() == 2 * context) return;
  twice_ = state_;
  twice_->truncate(context);
  for (std::uint32_t position = 0; position < context; ++position)
    source_.transformer_.forward(tokens_[position], *twice_);
}

void RealSequence::reread_maxima(std::uint32_t layer, std::uint32_t kv_head,
                                 std::span<double> maxima) const {
  const auto context = static_cast<std::uint32_t>(maxima.size());
  VACANCY_ASSERT(twice_ && twice_->length() == 2 * context, "the text was read twice");
  std::fill(maxima.begin(), maxima.end(), 0.0);
  std::vector<float> buffer(2 * maxima.size());
  for (std::uint32_t member = 0; member < shape().group(); ++member)
    for (std::uint32_t query = context; query < 2 * context; ++query) {
      const auto row = std::span(buffer).first(query + 1);
      softmax_row(*twice_, twice_->evicted(layer, kv_head), layer,
                  kv_head * shape().group() + member, query, row);
      for (std::uint32_t j = 0; j < context; ++j)
        maxima[j] = std::max(maxima[j], double{row[j]});
    }
}

void RealSequence::copy_rows(HeadVector kind, std::uint32_t layer, std::uint32_t head,
                             std::uint32_t first, std::span<float> out) const {
  const auto rows = state_.rows(kind, layer, head, first);
  VACANCY_ASSERT(out.size() <= rows.size() && out.size() % shape().head_dim == 0,
                 "whole rows of available tokens");
  std::copy_n(rows.begin(), out.size(), out.begin());
}

void RealSequence::keys(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
                        std::span<float> out) const {
  copy_rows(HeadVector::key, layer, kv_head, first, out);
}

void RealSequence::queries(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
                           std::span<float> out) const {
  copy_rows(HeadVector::query, layer, query_head, first, out);
}

void RealSequence::values(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
                          std::span<float> out) const {
  copy_rows(HeadVector::value, layer, kv_head, first, out);
}

namespace {

/// The token that begins a text, then the prompt's.
std::vector<TokenId> beginning(const RealSourceOptions& options, const TransformerConfig& config,
                               const AttentionContext& context) {
  if (config.vocab_size <= Tokenizer::end_of_text)
    throw UserError(options.checkpoint.string() + ": a vocabulary of " +
                    std::to_string(config.vocab_size) +
                    " tokens has no token that begins a text; use another checkpoint");
  if (options.prompt.empty()) return {Tokenizer::begin_of_text};
  if (!options.tokenizer)
    throw UserError(
        "attention.real.prompt needs attention.real.tokenizer, the path of the checkpoint's "
        "tokenizer; set it or leave the prompt empty");
  const auto path = context.resolve_path(options.tokenizer->string());
  const Tokenizer tokenizer = read_tokenizer(path);
  if (tokenizer.vocab_size() != config.vocab_size)
    throw UserError(path.string() + ": has " + std::to_string(tokenizer.vocab_size()) +
                    " pieces, but the checkpoint's vocabulary has " +
                    std::to_string(config.vocab_size) + "; use the tokenizer made for it");
  // Merging is quadratic, so a text that cannot fit is refused before.
  const auto most_bytes = std::uint64_t{config.seq_len} * tokenizer.longest_piece();
  auto tokens = options.prompt.size() > most_bytes ? std::vector<TokenId>(most_bytes)
                                                   : tokenizer.encode(options.prompt);
  if (tokens.size() > config.seq_len)
    throw UserError("attention.real.prompt has more tokens than the " +
                    std::to_string(config.seq_len) + " positions of the checkpoint; shorten it");
  return tokens;
}

}  // namespace

const OptionTable<RealSourceOptions>& RealSource::option_table() {
  using Options = RealSourceOptions;
  static const auto table =
      OptionTable<Options>()
          .add("checkpoint", &Options::checkpoint, "", {},
               "Checkpoint of llama2.c (legacy export, version 0) that writes the text.")
          .add("tokenizer", &Options::tokenizer, "", {},
               "Tokenizer of the checkpoint; needed only for a prompt.")
          .add("prompt", &Options::prompt, "", {},
               "Text that every sequence begins with; empty = only the token that begins a text.")
          .add("temperature", &Options::temperature, "", {0.0, 100.0},
               "Divides the logits before sampling; 0 = greedy decoding, all sequences alike.")
          .add("top_p", &Options::top_p, "share", {0.0, 1.0},
               "Sample among the likeliest tokens that together reach this probability.");
  return table;
}

AttentionSourceEntry real_source_entry() {
  return {{"real",
           "A real small transformer (llama2.c checkpoint) that writes text: its own queries, "
           "keys, values and attention.",
           "github.com/karpathy/llama2.c", RealSource::option_table().parameters()},
          real_features,
          [](const ParameterValues& values,
             const AttentionContext& context) -> std::unique_ptr<AttentionSource> {
            const auto options = RealSource::option_table().read(values);
            auto checkpoint = read_checkpoint(context.resolve_path(options.checkpoint.string()));
            auto tokens = beginning(options, checkpoint.config(), context);
            return std::make_unique<RealSource>(std::move(checkpoint), std::move(tokens),
                                                SamplingOptions{options.temperature, options.top_p},
                                                context.seed);
          }};
}

}  // namespace vacancy
