// SPDX-License-Identifier: Apache-2.0
#include "gui/model/event_list.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace vacancy::gui {

namespace {

constexpr std::string_view kind_words[mark_kinds] = {"evict",   "reclaim", "admit",  "finish",
                                                     "preempt", "memory",  "reject", "skip"};

/// Words in lower case, thousands' separators within numbers taken out.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool in_number = c == ',' && i > 0 && i + 1 < text.size() &&
                           std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0 &&
                           std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
    if (in_number) continue;
    if (std::isalnum(c) == 0) {
      if (!words.back().empty()) words.emplace_back();
      continue;
    }
    words.back() += static_cast<char>(std::tolower(c));
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<EventFilter> parse_filter(std::string_view text, std::string& fault) {
  EventFilter filter;
  const std::vector<std::string> words = words_of(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto kind = std::find(std::begin(kind_words), std::end(kind_words), word);
    if (kind != std::end(kind_words)) {
      filter.kinds.set(static_cast<std::size_t>(kind - std::begin(kind_words)));
      continue;
    }
    const bool sequence = word.front() == 's', block = word.front() == 'b';
    auto number = number_in(std::string_view(word).substr(1));
    if ((word == "sequence" || word == "block") && i + 1 < words.size())
      number = number_in(words[++i]);
    if (!number || (!sequence && !block)) {
      fault = "\"" + word +
              "\" is no kind of event: evict, reclaim, admit, finish, preempt, memory, reject, "
              "skip; or sequence N, block N.";
      return std::nullopt;
    }
    (sequence ? filter.sequence : filter.block) = number;
  }
  return filter;
}

EventList::EventList(std::shared_ptr<const Recording> recording, EventFilter filter)
    : recording_(std::move(recording)) {
  set_filter(filter);
}

void EventList::set_filter(const EventFilter& filter) {
  filter_ = filter;
  rows_.clear();
  seen_ = 0;
  update();
}

bool EventList::fits(const Mark& mark) const {
  if (filter_.kinds.any() && !filter_.kinds.test(static_cast<std::size_t>(mark.kind))) return false;
  if (filter_.sequence && mark.sequence != *filter_.sequence) return false;
  if (!filter_.block) return true;
  return std::any_of(holdings_.begin(), holdings_.end(), [&](const BlockHolding& holding) {
    return holding.sequence == mark.sequence && mark.event >= holding.first &&
           mark.event <= holding.last;
  });
}

bool EventList::update() {
  const std::uint64_t end = recording_->marks().size();
  if (seen_ == end) return false;
  const std::uint64_t before = size();
  if (filter_.block) {
    holdings_ = holdings_of(*recording_, *filter_.block);
    // Who held it up to now may have let go since: what was left out may fit.
    rows_.clear();
    seen_ = 0;
  }
  for (; !all() && seen_ < end; ++seen_)
    if (fits(recording_->marks()[seen_])) rows_.push_back(seen_);
  seen_ = end;
  return size() != before;
}

std::uint64_t EventList::happened(std::uint64_t event) const {
  if (all()) return std::min(recording_->marks().from_event(event), size());
  const auto place = std::partition_point(rows_.begin(), rows_.end(), [&](std::uint64_t row) {
    return recording_->marks()[row].event < event;
  });
  return static_cast<std::uint64_t>(place - rows_.begin());
}

}  // namespace vacancy::gui
