// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/checkpoint.hpp"

#include <cmath>

#include "sim/attention/byte_reader.hpp"

namespace vacancy {

namespace {

constexpr std::size_t checkpoint_header_bytes = 7 * 4;
constexpr std::size_t largest_checkpoint = std::size_t{16} << 30;

/// One positive header field. The limits keep every product of sizes below 2^63.
std::uint32_t header_field(ByteReader& in, const char* what, std::int64_t maximum) {
  const auto at = in.offset();
  const std::int64_t value = in.i32();
  if (value < 1 || value > maximum)
    in.fail_at(at, std::string(what) + " is " + std::to_string(value) +
                       ", which is not within 1.." + std::to_string(maximum) +
                       "; is this a llama2.c checkpoint (version 0)?");
  return static_cast<std::uint32_t>(value);
}

void check_divides(const ByteReader& in, std::size_t at, const char* what, std::uint32_t whole,
                   std::uint32_t part) {
  if (whole % part != 0)
    in.fail_at(at, std::string(what) + ": " + std::to_string(whole) + " is no multiple of " +
                       std::to_string(part));
}

}  // namespace

std::array<Checkpoint::Array, weight_count> Checkpoint::layout(const TransformerConfig& c,
                                                               bool shared_classifier) {
  const std::uint64_t dim = c.dim, hidden = c.hidden_dim, layers = c.layers, kv = c.kv_dim();
  const std::uint64_t vocab = c.vocab_size;
  std::array<Array, weight_count> arrays;
  std::uint64_t offset = 0;
  const auto place = [&](Weight which, std::uint64_t per_layer, std::uint64_t copies) {
    arrays[static_cast<std::size_t>(which)] = {per_layer, copies, offset};
    offset += per_layer * copies;
  };
  place(Weight::token_embedding, vocab * dim, 1);
  place(Weight::attention_norm, dim, layers);
  place(Weight::wq, dim * dim, layers);
  place(Weight::wk, kv * dim, layers);
  place(Weight::wv, kv * dim, layers);
  place(Weight::wo, dim * dim, layers);
  place(Weight::feed_forward_norm, dim, layers);
  place(Weight::w1, hidden * dim, layers);
  place(Weight::w2, dim * hidden, layers);
  place(Weight::w3, hidden * dim, layers);
  place(Weight::final_norm, dim, 1);
  place(Weight::rotary_tables, std::uint64_t{c.seq_len} * c.head_dim(), 1);
  place(Weight::classifier, shared_classifier ? 0 : vocab * dim, 1);
  return arrays;
}

std::span<const float> Checkpoint::weight(Weight which, std::uint32_t layer) const {
  if (which == Weight::classifier && shared_classifier_) which = Weight::token_embedding;
  const Array& array = arrays_[static_cast<std::size_t>(which)];
  return std::span(floats_).subspan(array.offset + layer * array.per_layer, array.per_layer);
}

Checkpoint read_checkpoint(std::span<const std::byte> bytes, const std::string& name) {
  ByteReader in(bytes, name);
  if (bytes.size() >= 4 && ByteReader(bytes, name).u32() == 0x616b3432)
    in.fail("this is an 'ak42' export of llama2.c (version 1 or 2); export it as version 0");

  Checkpoint checkpoint;
  TransformerConfig& config = checkpoint.config_;
  config.dim = header_field(in, "the model dimension", 1 << 16);
  config.hidden_dim = header_field(in, "the hidden dimension", 1 << 18);
  config.layers = header_field(in, "the number of layers", 1 << 10);
  config.heads = header_field(in, "the number of query heads", 1 << 12);
  config.kv_heads = header_field(in, "the number of KV heads", 1 << 12);
  // A negative vocabulary size says that the output matrix is stored apart from the embedding.
  const std::int64_t vocab = in.i32();
  checkpoint.shared_classifier_ = vocab > 0;
  const std::int64_t vocab_size = vocab < 0 ? -vocab : vocab;
  if (vocab_size < 1 || vocab_size > (1 << 22))
    in.fail_at(20, "the vocabulary size is " + std::to_string(vocab) +
                       ", whose magnitude is not within 1..4194304");
  config.vocab_size = static_cast<std::uint32_t>(vocab_size);
  config.seq_len = header_field(in, "the sequence length", 1 << 22);
  check_divides(in, 12, "the model dimension and the query heads", config.dim, config.heads);
  check_divides(in, 16, "the query heads and the KV heads", config.heads, config.kv_heads);
  check_divides(in, 12, "the head dimension, which rotates in pairs", config.head_dim(), 2);

  checkpoint.arrays_ = Checkpoint::layout(config, checkpoint.shared_classifier_);
  const auto& last = checkpoint.arrays_.back();
  const std::uint64_t floats = last.offset + last.per_layer;
  const std::uint64_t expected = checkpoint_header_bytes + 4 * floats;
  if (bytes.size() != expected)
    in.fail_at(bytes.size(), "the file ends here, but its header asks for " +
                                 std::to_string(expected) +
                                 " bytes; it is damaged or of another kind");
  checkpoint.floats_.resize(floats);
  in.floats(checkpoint.floats_);
  for (std::size_t i = 0; i < checkpoint.floats_.size(); ++i)
    if (!std::isfinite(checkpoint.floats_[i]))
      in.fail_at(checkpoint_header_bytes + 4 * i, "this weight is not a finite number");
  return checkpoint;
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  return read_checkpoint(read_bytes(path, largest_checkpoint), path.string());
}

}  // namespace vacancy
