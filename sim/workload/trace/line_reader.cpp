// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/trace/line_reader.hpp"

#include <algorithm>
#include <cstring>

#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr std::size_t read_size = std::size_t{1} << 16;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Opens a file; a fault says which.
std::filesystem::path checked(const std::filesystem::path& path) {
  if (path.empty()) throw UserError("The path of a trace is empty; name a file.");
  return path;
}

}  // namespace

LineReader::LineReader(const std::filesystem::path& path, LineLimit limit) try
    : name_(path.string()), limit_(limit), bytes_(checked(path)), buffer_(read_size) {
} catch (const UserError& error) {
  throw UserError(path.empty() ? error.what() : path.string() + ": " + error.what());
}

bool LineReader::next() {
  if (put_back_) {
    put_back_ = false;
    return true;
  }
  while (read_line())
    if (line_.find_first_not_of(" \t\r") != std::string_view::npos) return true;
  return false;
}

bool LineReader::read_line() {
  std::size_t searched = at_;
  const char* line_end = nullptr;
  for (;;) {
    if (end_ > searched)
      line_end =
          static_cast<const char*>(std::memchr(buffer_.data() + searched, '\n', end_ - searched));
    if (line_end != nullptr) break;
    searched = end_ - at_;  // what was searched moves to the front
    if (!read_more()) break;
  }
  if (line_end == nullptr && at_ == end_) return false;
  ++number_;
  const std::size_t stop =
      line_end == nullptr ? end_ : static_cast<std::size_t>(line_end - buffer_.data());
  line_ = {buffer_.data() + at_, stop - at_};
  at_ = line_end == nullptr ? end_ : stop + 1;
  if (number_ == 1 && line_.starts_with(byte_order_mark))
    line_.remove_prefix(byte_order_mark.size());
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  return true;
}

bool LineReader::read_more() {
  std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
  end_ -= at_;
  at_ = 0;
  if (end_ > limit_.bytes) {
    ++number_;
    fail({}, "is longer than " + std::to_string(limit_.bytes) + " bytes; " +
                 std::string(limit_.remedy));
  }
  if (buffer_.size() < end_ + read_size) buffer_.resize(std::max(2 * buffer_.size(), read_size));
  try {
    const std::size_t count = bytes_.read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += count;
    return count > 0;
  } catch (const UserError& error) {
    ++number_;
    fail({}, error.what());
  }
}

void LineReader::fail(std::string_view field, std::string_view sentence) const {
  std::string text = name_ + ':' + std::to_string(number_) + ": ";
  if (!field.empty()) text.append("field \"").append(field).append("\": ");
  throw UserError(text.append(sentence));
}

void LineReader::fail_file(std::string_view sentence) const {
  throw UserError(name_ + ": " + std::string(sentence));
}

std::string quoted_excerpt(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result = "\"" + std::string(text.substr(0, longest));
  for (char& c : result)
    if (c < ' ' || c > '~') c = '?';
  return result + (text.size() > longest ? "...\"" : "\"");
}

}  // namespace vacancy
