// SPDX-License-Identifier: Apache-2.0
#include "sim/keep_sets/keep_set_recorder.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "sim/pool/keep_sets.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy {

KeepSetRecorder::KeepSetRecorder(SequenceId sequence, const KeepSetAxes& axes,
                                 std::unique_ptr<KeepSetWriter> writer)
    : sequence_(sequence), writer_(std::move(writer)), live_(axes.sets()) {}

void KeepSetRecorder::on_event(const Event& event) {
  if (const auto* appended = std::get_if<TokensAppended>(&event);
      appended && appended->sequence == sequence_)
    append(*appended);
  if (const auto* evicted = std::get_if<TokensEvicted>(&event);
      evicted && evicted->sequence == sequence_)
    evict(*evicted);
}

void KeepSetRecorder::append(const TokensAppended& appended) {
  for (auto& live : live_)
    for (std::uint32_t i = 0; i < appended.count; ++i)
      live.push_back(appended.first + i);
  length_ = appended.first + appended.count;
}

void KeepSetRecorder::evict(const TokensEvicted& evicted) {
  for (std::size_t set = 0; set < live_.size(); ++set) {
    std::size_t kept = 0;
    bits::for_each(evicted.keep.mask(set), 0, live_[set].size(),
                   [&](std::size_t i) { live_[set][kept++] = live_[set][i]; });
    live_[set].resize(kept);
  }
  writer_->step(length_, live_);
}

}  // namespace vacancy
