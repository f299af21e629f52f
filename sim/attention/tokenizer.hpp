// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vacancy {

using TokenId = std::uint32_t;

/// The byte-pair tokenizer of llama2.c: scored pieces; token 1 begins a text, 2 ends it, 3 + b is
/// the raw byte b.
class Tokenizer {
 public:
  static constexpr TokenId begin_of_text = 1;
  static constexpr TokenId end_of_text = 2;

  std::uint32_t vocab_size() const { return static_cast<std::uint32_t>(pieces_.size()); }
  std::uint32_t longest_piece() const { return longest_piece_; }

  /// begin_of_text, then the text behind the dummy space that pieces at a word's start carry:
  /// characters (or their raw bytes, where the vocabulary lacks them), then the adjacent pair
  /// whose joined piece scores highest is merged until none is left (leftmost pair on a tie).
  /// An empty text is begin_of_text alone.
  std::vector<TokenId> encode(std::string_view text) const;

  /// The text of `token` after `previous`: byte tokens as their byte, without the dummy space at
  /// the beginning of a text.
  std::string decode(TokenId previous, TokenId token) const;

 private:
  friend Tokenizer read_tokenizer(std::span<const std::byte>, const std::string&);

  std::vector<TokenId> characters(std::string_view text) const;

  std::string name_;
  std::uint32_t longest_piece_ = 0;
  std::vector<std::string> pieces_;
  std::vector<float> scores_;
  std::map<std::string, TokenId, std::less<>> ids_;  // of equal pieces, the lowest id
};

/// Reads the llama2.c form (tok512.bin): int32 longest piece, then {fp32 score, int32 length,
/// bytes} to the end of the file. Any fault is a UserError that names the file and the byte.
Tokenizer read_tokenizer(std::span<const std::byte> bytes, const std::string& name);
Tokenizer read_tokenizer(const std::filesystem::path& path);

}  // namespace vacancy
