// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/reuse_tree/retention.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/units/error.hpp"

namespace vacancy::reuse_tree {

namespace {

void check_values(const std::string& place, Priority priority, std::optional<SimTime> duration) {
  if (priority > highest_priority)
    throw UserError(place + ": the priority is " + std::to_string(int{priority.value()}) +
                    "; give one from 0 to 100.");
  if (duration && *duration < SimTime(0))
    throw UserError(place + ": the duration is negative; give 0 or more, or none.");
}

std::string name_of(const RetentionRange& range) {
  return "retention of tokens " + std::to_string(range.begin) + " to " +
         (range.end ? std::to_string(*range.end) : std::string("the end"));
}

}  // namespace

Retention::Retention(std::vector<RetentionRange> ranges, Priority decode,
                     std::optional<SimTime> decode_duration)
    : ranges_(std::move(ranges)), decode_{decode, decode_duration} {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const RetentionRange& range = ranges_[i];
    check_values(name_of(range), range.priority, range.duration);
    if (range.end && *range.end <= range.begin)
      throw UserError(name_of(range) + ": the range is empty; end it behind its first token.");
    if (i + 1 == ranges_.size()) break;
    if (!range.end)
      throw UserError(name_of(range) + ": only the last range may be open; give this one an end.");
    if (*range.end > ranges_[i + 1].begin)
      throw UserError(name_of(range) + ": the next range begins at token " +
                      std::to_string(ranges_[i + 1].begin) +
                      "; give ranges in order and without overlap.");
  }
  check_values("retention of decoded tokens", decode, decode_duration);
}

BlockRetention Retention::of_block_at(std::uint32_t first_token) const {
  const auto behind = std::upper_bound(
      ranges_.begin(), ranges_.end(), first_token,
      [](std::uint32_t token, const RetentionRange& range) { return token < range.begin; });
  if (behind == ranges_.begin()) return {};
  const RetentionRange& range = *(behind - 1);
  if (range.end && first_token >= *range.end) return {};
  return {range.priority, range.duration};
}

}  // namespace vacancy::reuse_tree
