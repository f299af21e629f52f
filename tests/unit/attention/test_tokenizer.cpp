// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/attention/tokenizer.hpp"
#include "sim/units/error.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/unit/attention/file_builders.hpp"
#include "tests/unit/attention/mutations.hpp"

using namespace vacancy;

namespace {

Tokenizer read_made_tokenizer(const test::FileBytes& bytes) {
  return read_tokenizer(std::span<const std::byte>(bytes), "made.tok");
}

constexpr TokenId first_piece = 259;

std::string decode(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  std::string text;
  for (std::size_t i = 1; i < tokens.size(); ++i)
    text += tokenizer.decode(tokens[i - 1], tokens[i]);
  return text;
}

}  // namespace

TEST_CASE("encoding merges the best-scoring pair first") {
  // 259 " ", 260 "a", 261 "b", 262 "c", 263 "ab", 264 "bc", 265 " a", 266 " abc"
  const auto tokenizer = read_made_tokenizer(test::tokenizer_bytes({{" ", -1.0f},
                                                                    {"a", -1.0f},
                                                                    {"b", -1.0f},
                                                                    {"c", -1.0f},
                                                                    {"ab", -3.0f},
                                                                    {"bc", -2.0f},
                                                                    {" a", -4.0f},
                                                                    {" abc", -5.0f}}));
  using Tokens = std::vector<TokenId>;
  CHECK(tokenizer.encode("") == Tokens{1});
  CHECK(tokenizer.encode("b") == Tokens{1, first_piece, first_piece + 2});
  // "bc" beats "ab"; " a" then joins it.
  CHECK(tokenizer.encode("abc") == Tokens{1, first_piece + 7});
  // Equal pairs one after the other; " a" scores less and comes too late.
  CHECK(tokenizer.encode("abab") == Tokens{1, first_piece, first_piece + 4, first_piece + 4});
}

TEST_CASE("characters outside the vocabulary become their bytes and come back") {
  const auto tokenizer = read_made_tokenizer(test::tokenizer_bytes({{" ", 0.0f}, {"x", 0.0f}}));
  const auto tokens = tokenizer.encode("x\xC3\xA9\xF0\x9F\x98\x80\xFF");
  CHECK(tokens == std::vector<TokenId>{1, 259, 260, 3 + 0xC3, 3 + 0xA9, 3 + 0xF0, 3 + 0x9F,
                                       3 + 0x98, 3 + 0x80, 3 + 0xFF});
  CHECK(decode(tokenizer, tokens) == "x\xC3\xA9\xF0\x9F\x98\x80\xFF");
}

TEST_CASE("decoding drops the dummy space only behind the beginning of a text") {
  const auto tokenizer = read_made_tokenizer(test::tokenizer_bytes({{" hi", 0.0f}}));
  CHECK(tokenizer.decode(Tokenizer::begin_of_text, first_piece) == "hi");
  CHECK(tokenizer.decode(first_piece, first_piece) == " hi");
  CHECK(tokenizer.decode(first_piece, 3 + 'A') == "A");
}

TEST_CASE("a vocabulary without byte tokens cannot spell every text") {
  test::FileBuilder file;
  file.add(std::int32_t{4});
  for (const std::string piece : {"u", "s", "e", " "})
    file.add(0.0f).add(std::int32_t{1}).text(piece);
  CHECK_THROWS_WITH(read_made_tokenizer(file.bytes()).encode("x"),
                    Catch::Contains("no byte tokens"));
}

TEST_CASE("a damaged tokenizer is refused with file and byte") {
  const auto whole = test::tokenizer_bytes({{"a", 0.0f}});
  auto bytes = whole;
  bytes.pop_back();
  CHECK_THROWS_WITH(read_made_tokenizer(bytes), Catch::Contains("made.tok: byte "));
  bytes = whole;
  bytes[8] = std::byte{0x7F};  // the first piece's length
  CHECK_THROWS_WITH(read_made_tokenizer(bytes),
                    Catch::Contains("made.tok: byte 8: the piece's length"));
  CHECK(test::read_damaged(whole, 400, [](const test::FileBytes& damaged) {
          read_made_tokenizer(damaged);
        }) > 300);
}

TEST_CASE("the tokenizer of stories260K spells its own stories") {
  const auto path = test::shared_file("data/stories260K/tok512.bin");
  if (!path) return;
  const auto tokenizer = read_tokenizer(*path);
  CHECK(tokenizer.vocab_size() == 512);
  CHECK(tokenizer.longest_piece() == 7);
  for (const std::string text : {"Once upon a time, there was a little girl named Lily.",
                                 "caf\xC3\xA9 \xF0\x9F\x98\x80 123!", "two  spaces\nand lines"}) {
    const auto tokens = tokenizer.encode(text);
    CHECK(tokens.front() == Tokenizer::begin_of_text);
    CHECK(tokens.size() <= text.size() + 2);
    CHECK(decode(tokenizer, tokens) == text);
  }
}
