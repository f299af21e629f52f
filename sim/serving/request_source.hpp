// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/serving/request.hpp"
#include "sim/workload/trace/token_keys.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy {

/// The requests of a trace as an engine with blocks of `block_size` tokens meets them: numbered in
/// their order, with contents where the trace has them. Where it has token ids, prompt and output
/// are both described; where it has keys, the prompt is.
///
/// Parallel sampling: each row of the trace becomes `samples` requests that arrive together and
/// share their prompt's contents, as vLLM v1 makes them of one request with n outputs. Their
/// outputs are their own.
///
/// Beam search: each request has `width` candidates, whose outputs are their own as well.
class RequestSource {
 public:
  /// Throws UserError if neither of the trace's and the engine's block size divides the other.
  RequestSource(std::unique_ptr<TraceReader> trace, std::uint32_t block_size,
                std::uint32_t samples = 1, std::uint32_t width = 1);

  /// False at the end.
  bool next(Request& request);

 private:
  void describe(RequestContents& contents);
  void name_prompt(RequestContents& contents) const;

  std::unique_ptr<TraceReader> trace_;
  std::uint32_t block_size_, samples_, width_;
  TokenBlockNumbers token_blocks_;
  std::uint32_t count_ = 0;
  TraceRequest row_;
  std::vector<std::uint32_t> tokens_;
};

}  // namespace vacancy
