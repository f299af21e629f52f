// SPDX-License-Identifier: Apache-2.0
// From scores to keep sets: rows of numbers, one a slot, are normalised, pooled, joined and ranked.
// All pointers are into device memory.
#pragma once

#include <cstdint>

namespace vacancy::gpu {

/// Rows of `stride` floats, `per_request` of them for each of `requests`. Of each row the elements
/// [begin, end) of its request count.
struct ScoreRows {
  float* data = nullptr;
  std::int64_t stride = 0;
  int requests = 0, per_request = 1;
  const std::int32_t* begin = nullptr;  // [requests]; nullptr: 0
  const std::int32_t* end = nullptr;    // [requests]
};

/// In place: [0, end) of every row loses the mean of [begin, end) and is divided by their
/// population standard deviation, 1e-6 at least.
struct NormalizeRows {
  ScoreRows rows = {};
};

/// target[i] = mean or maximum of [begin, end) within kernel / 2 of i. The mean divides by `kernel`
/// at the ends too, as average pooling with zero padding does. `kernel` is odd.
struct PoolNeighbours {
  ScoreRows rows = {};
  float* target = nullptr;  // as rows.data
  int kernel = 1;
  bool maximum = false;
};

enum class Join { none, max, mean, sum };
/// Joins the rows of a request, [layers][heads][group members], first over the members of a group,
/// then over heads, then over layers; what is not joined stays a row of the result.
struct JoinRows {
  ScoreRows rows = {};  // per_request = layers * heads * members
  int layers = 1, heads = 1, members = 1;
  Join over_members = Join::none, over_heads = Join::none, over_layers = Join::none;
  float* target = nullptr;  // of the same stride
};

/// The indices of the `keep` largest of [begin, end) of each row, ascending. Ties go to the lowest
/// index; NaN counts as -inf and -0 as +0. What is left of `keep` where there are fewer is -1.
struct TopK {
  ScoreRows rows = {};
  int keep = 0;
  std::int32_t* kept = nullptr;  // [rows][keep]
  /// The data are unsigned numbers instead (RandomScores).
  bool unsigned_keys = false;
};

enum class BlockJoin { sum, mean, max, top4 };
/// One number a block of `slots` elements; NaN marks a slot without a token, which counts for
/// nothing. A block without tokens has -inf; top4 is the sum of the four largest.
struct AggregateBlocks {
  ScoreRows rows = {};
  int slots = 16;
  BlockJoin join = BlockJoin::sum;
  float* target = nullptr;  // [rows][target_stride]
  std::int64_t target_stride = 0;
};

/// How many slots of each block some keep set of the request still holds, and how many blocks none
/// holds.
struct BlockOccupancy {
  const std::int32_t* kept = nullptr;  // [requests][sets][stride]: slots, -1 for nothing
  std::int64_t stride = 0;
  int requests = 0, sets = 1;
  const std::int32_t* lengths = nullptr;  // [requests] slots
  int slots = 16;                         // of a block
  /// Workspace: [requests][mask_words], mask_words * 32 at least the longest length. A mask fits
  /// shared memory: 58,112 words at most on H100 and H200, for 1.8 million slots.
  std::uint32_t* masks = nullptr;
  int mask_words = 0;
  std::int32_t* live = nullptr;  // [requests][live_stride]
  std::int64_t live_stride = 0;
  std::int32_t* empty_blocks = nullptr;  // [requests]
};

}  // namespace vacancy::gpu
