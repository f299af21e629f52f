// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <span>
#include <string_view>
#include <vector>

#include "sim/keep_sets/keep_set_axes.hpp"

namespace vacancy {

/// Writes keep sets in one of the forms that open_keep_sets() reads.
class KeepSetWriter {
 public:
  virtual ~KeepSetWriter() = default;
  /// The sequence has `length` tokens, and each set keeps these, in ascending order.
  virtual void step(std::uint32_t length, std::span<const std::vector<std::uint32_t>> kept) = 0;
  /// The sequence ended with so many tokens; nothing follows.
  virtual void finish(std::uint32_t end_length) = 0;
};

/// An .npz archive of indices and offsets. The stream can seek.
std::unique_ptr<KeepSetWriter> write_keep_npz(std::ostream& out, const KeepSetAxes& axes);
/// JSON lines.
std::unique_ptr<KeepSetWriter> write_keep_lines(std::ostream& out, const KeepSetAxes& axes);

using KeepSetWriterMaker = std::unique_ptr<KeepSetWriter> (*)(std::ostream&, const KeepSetAxes&);
/// By a file's ending, .npz or .jsonl; null for any other.
KeepSetWriterMaker keep_set_writer_for(std::string_view ending);

}  // namespace vacancy
