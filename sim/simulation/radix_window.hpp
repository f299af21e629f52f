// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sim/prefix/radix/windowed_replay.hpp"
#include "sim/serving/sglang/radix_manager.hpp"
#include "sim/simulation/replay.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy {

/// Protocol B (spec engines §6) on SGLang's radix cache, see WindowedReplay. Blocks are its pages.
class RadixWindow final : public Replay {
 public:
  RadixWindow(const RadixOptions& options, Bytes page_bytes, std::uint32_t window,
              std::unique_ptr<TraceReader> trace);

  bool serve() override;
  std::uint64_t requests() const override { return replay_.counts().requests; }
  Summary summary() const override;

 private:
  std::uint32_t page_size_;
  Bytes page_bytes_;
  RadixCache cache_;
  WindowedReplay replay_;
  std::unique_ptr<TraceReader> trace_;
  TraceRequest row_;
  std::uint64_t peak_pages_ = 0;
};

}  // namespace vacancy
