// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/trace/timestamp.hpp"

#include <chrono>

namespace vacancy {

namespace {

/// Takes text apart from left to right; a piece that is not there makes it bad for good.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(text) {}

  bool good() const { return good_; }
  bool done() const { return rest_.empty(); }
  bool starts_with(char c) const { return rest_.starts_with(c); }

  void expect(char c) {
    if (starts_with(c))
      rest_.remove_prefix(1);
    else
      good_ = false;
  }
  int number(std::size_t digits) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (i >= rest_.size() || rest_[i] < '0' || rest_[i] > '9') {
        good_ = false;
        return 0;
      }
      value = value * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }
  std::size_t digits() const {
    const std::size_t end = rest_.find_first_not_of("0123456789");
    return end == std::string_view::npos ? rest_.size() : end;
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

std::optional<std::int64_t> parse_timestamp(std::string_view text) {
  using namespace std::chrono;
  Pieces pieces(text);
  const int year_number = pieces.number(4);
  pieces.expect('-');
  const int month_number = pieces.number(2);
  pieces.expect('-');
  const int day_number = pieces.number(2);
  pieces.expect(pieces.starts_with('T') ? 'T' : ' ');
  const int hour = pieces.number(2);
  pieces.expect(':');
  const int minute = pieces.number(2);
  pieces.expect(':');
  const int second = pieces.number(2);
  std::int64_t fraction = 0;
  if (pieces.starts_with('.')) {
    pieces.expect('.');
    const std::size_t digits = pieces.digits();
    if (digits == 0 || digits > 9) return std::nullopt;
    fraction = pieces.number(digits);
    for (std::size_t i = digits; i < 9; ++i)
      fraction *= 10;
  }
  int zone_minutes = 0;
  if (pieces.starts_with('Z')) {
    pieces.expect('Z');
  } else if (pieces.starts_with('+') || pieces.starts_with('-')) {
    const bool west = pieces.starts_with('-');
    pieces.expect(west ? '-' : '+');
    const int zone_hour = pieces.number(2);
    pieces.expect(':');
    const int zone_minute = pieces.number(2);
    if (zone_hour > 23 || zone_minute > 59) return std::nullopt;
    zone_minutes = (west ? -1 : 1) * (zone_hour * 60 + zone_minute);
  }
  const year_month_day date{year(year_number), month(static_cast<unsigned>(month_number)),
                            day(static_cast<unsigned>(day_number))};
  if (!pieces.good() || !pieces.done() || !date.ok() || year_number < 1970 || year_number > 2261 ||
      hour > 23 || minute > 59 || second > 59)
    return std::nullopt;
  const std::int64_t days = sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + hour) * 60 + minute - zone_minutes) * 60 + second;
  return seconds * 1'000'000'000 + fraction;
}

}  // namespace vacancy
