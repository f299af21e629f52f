// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/progress.hpp"

#include <utility>

#include "sim/units/format.hpp"

namespace vacancy {

using namespace std::chrono_literals;

Progress::Progress(const Console& console, bool enabled, std::string unit)
    : console_(console),
      enabled_(enabled),
      unit_(std::move(unit)),
      start_(Clock::now()),
      next_(start_ + (console.err_is_terminal ? 1s : 10s)) {}

Progress::~Progress() {
  if (line_shown_) console_.err << "\r\x1b[K" << std::flush;
}

void Progress::update(std::uint64_t done, std::uint64_t planned, const std::string& detail) {
  if (!enabled_) return;
  if (!done_before_) done_before_ = done;
  const auto now = Clock::now();
  if (now < next_) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - start_).count();
  std::string text;
  if (planned > 0)
    text = format_percent(static_cast<double>(done) / static_cast<double>(planned), 0) + ": ";
  text += format_count(done);
  if (planned > 0) text += " of " + format_count(planned);
  text += ' ' + unit_ + detail + ", " + format_count(static_cast<std::uint64_t>(seconds)) + " s";
  if (done > *done_before_ && planned > done) {
    const double share =
        static_cast<double>(planned - done) / static_cast<double>(done - *done_before_);
    const auto left = static_cast<std::int64_t>(static_cast<double>(seconds) * share);
    text += ", " + format_duration(SimTime(left * 1'000'000'000)) + " left";
  }
  if (console_.err_is_terminal) {
    console_.err << '\r' << text << "\x1b[K" << std::flush;
    line_shown_ = true;
    next_ = now + 100ms;
  } else {
    console_.err << text << std::endl;
    next_ = now + 10s;
  }
}

}  // namespace vacancy
