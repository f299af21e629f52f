// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/tokenizer.hpp"

#include <cmath>
#include <optional>

#include "sim/attention/byte_reader.hpp"

namespace vacancy {

namespace {

constexpr std::size_t largest_tokenizer = std::size_t{64} << 20;
constexpr TokenId first_byte_token = 3;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  return std::nullopt;
}

/// The byte that a piece of the form <0xHH> stands for.
std::optional<char> raw_byte(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || !piece.ends_with('>')) return std::nullopt;
  const auto high = hex_digit(piece[3]), low = hex_digit(piece[4]);
  if (!high || !low) return std::nullopt;
  return static_cast<char>(static_cast<unsigned char>(*high * 16 + *low));
}

}  // namespace

std::vector<TokenId> Tokenizer::characters(std::string_view text) const {
  std::vector<TokenId> tokens;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin + 1;
    while (end < text.size() && end - begin < 4 && is_continuation(text[end]))
      ++end;
    const auto character = text.substr(begin, end - begin);
    begin = end;
    if (const auto found = ids_.find(character); found != ids_.end()) {
      tokens.push_back(found->second);
      continue;
    }
    for (const char c : character) {
      const TokenId token = first_byte_token + static_cast<unsigned char>(c);
      if (token >= vocab_size())
        throw UserError(name_ + ": the vocabulary of " + std::to_string(vocab_size()) +
                        " pieces has no byte tokens, so it cannot spell '" +
                        std::string(character) + "'; use another text or tokenizer");
      tokens.push_back(token);
    }
  }
  return tokens;
}

std::vector<TokenId> Tokenizer::encode(std::string_view text) const {
  std::vector<TokenId> tokens{begin_of_text};
  if (text.empty()) return tokens;
  const auto spelled = characters(" " + std::string(text));
  tokens.insert(tokens.end(), spelled.begin(), spelled.end());
  while (true) {
    std::size_t best = 0;
    TokenId joined = 0;
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
      const auto found = ids_.find(pieces_[tokens[i]] + pieces_[tokens[i + 1]]);
      if (found == ids_.end()) continue;
      if (best == 0 || scores_[found->second] > scores_[joined]) {
        best = i;
        joined = found->second;
      }
    }
    if (best == 0) return tokens;
    tokens[best] = joined;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

std::string Tokenizer::decode(TokenId previous, TokenId token) const {
  VACANCY_ASSERT(token < pieces_.size(), "a token of this vocabulary");
  std::string_view piece = pieces_[token];
  if (previous == begin_of_text && piece.starts_with(' ')) piece.remove_prefix(1);
  if (const auto byte = raw_byte(piece)) return std::string(1, *byte);
  return std::string(piece);
}

Tokenizer read_tokenizer(std::span<const std::byte> bytes, const std::string& name) {
  ByteReader in(bytes, name);
  Tokenizer tokenizer;
  tokenizer.name_ = name;
  const std::int32_t longest = in.i32();
  if (longest < 1 || longest > 4096)
    in.fail_at(0, "the longest piece has " + std::to_string(longest) +
                      " bytes, which is not within 1..4096; is this a llama2.c tokenizer?");
  tokenizer.longest_piece_ = static_cast<std::uint32_t>(longest);
  while (in.remaining() > 0) {
    const auto at = in.offset();
    const float score = in.f32();
    const std::int32_t length = in.i32();
    if (!std::isfinite(score)) in.fail_at(at, "the piece's score is not a finite number");
    if (length < 0 || length > longest)
      in.fail_at(at + 4, "the piece's length is " + std::to_string(length) +
                             ", which is not within 0.." + std::to_string(longest));
    const auto id = static_cast<TokenId>(tokenizer.pieces_.size());
    tokenizer.pieces_.emplace_back(in.text(static_cast<std::size_t>(length)));
    tokenizer.scores_.push_back(score);
    tokenizer.ids_.emplace(tokenizer.pieces_.back(), id);
  }
  if (tokenizer.vocab_size() <= Tokenizer::end_of_text)
    in.fail("the vocabulary has " + std::to_string(tokenizer.vocab_size()) +
            " pieces, too few to hold the tokens that begin and end a text");
  return tokenizer;
}

Tokenizer read_tokenizer(const std::filesystem::path& path) {
  return read_tokenizer(read_bytes(path, largest_tokenizer), path.string());
}

}  // namespace vacancy
