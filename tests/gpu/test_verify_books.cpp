// SPDX-License-Identifier: Apache-2.0
// What the books refuse although simulator and events agree on it.
#include <catch2/catch.hpp>
#include <optional>
#include <vector>

#include "gpu_backend/verify/books.hpp"

namespace vacancy::verify {
namespace {

constexpr SequenceId sequence{0};
constexpr std::uint32_t block_size = 4;

/// A sequence of `tokens` tokens in one table whose layers see a window of tokens, or all.
Books windowed(std::optional<std::uint32_t> window, std::uint32_t tokens) {
  CacheConfig cache;
  cache.block_size = block_size;
  cache.blocks = 16;
  Books books(cache, {.windows = {window}});
  books.apply(SequenceStarted{sequence, tokens});
  std::vector<BlockId> blocks;
  for (std::uint32_t block = 0; block * block_size < tokens; ++block)
    blocks.push_back(BlockId(block));
  books.apply(BlocksAllocated{sequence, 0, 0, blocks});
  const TokensAppended appended{sequence, 0, tokens};
  books.check(appended);
  books.apply(appended, std::vector<RowId>(tokens));
  return books;
}

void release_first(Books& books, FreeCause cause) {
  const std::vector<std::uint32_t> entries{0};
  const std::vector<BlockId> blocks{BlockId(0)};
  books.apply(BlocksReleased{sequence, 0, cause, false, entries, blocks, 1});
}

}  // namespace

TEST_CASE("books: a block leaves a window once the next query sees no token of it (V27)") {
  // Token 3, its last, is seen by queries up to position 3 + 8 - 1.
  Books early = windowed(8, 10);
  CHECK_THROWS_AS(release_first(early, FreeCause::window), BookFault);
  Books in_time = windowed(8, 11);
  release_first(in_time, FreeCause::window);
  CHECK(in_time.held() == 2);
}

TEST_CASE("books: what eviction let stay is not released, whatever the window") {
  Books books = windowed(8, 12);
  CHECK_THROWS_AS(release_first(books, FreeCause::eviction), BookFault);
}

TEST_CASE("books: a block leaves an entry that the table has") {
  Books books = windowed(std::nullopt, 4);
  const std::vector<std::uint32_t> entries{1};
  const std::vector<BlockId> blocks{BlockId(0xFFFFFFFE)};
  CHECK_THROWS_AS(
      books.apply(BlocksReleased{sequence, 0, FreeCause::sequence_end, false, entries, blocks, 0}),
      BookFault);
}

TEST_CASE("books: a table that sees all tokens releases none for a window") {
  Books books = windowed(std::nullopt, 12);
  CHECK_THROWS_AS(release_first(books, FreeCause::window), BookFault);
}

}  // namespace vacancy::verify
