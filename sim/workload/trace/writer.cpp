// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/trace/writer.hpp"

#include <vector>

#include "sim/units/error.hpp"
#include "sim/units/suggest.hpp"
#include "sim/workload/trace/line_reader.hpp"
#include "sim/workload/trace/mooncake.hpp"
#include "sim/workload/trace/writers.hpp"

namespace vacancy {

std::string_view loss_text(TraceLoss loss) {
  switch (loss) {
    case TraceLoss::block_keys:
      return "the block keys";
    case TraceLoss::block_size:
      return "a block size of its own";
    case TraceLoss::token_ids:
      return "the token ids";
    case TraceLoss::time_digits:
      return "times finer than a millisecond";
  }
  return "";
}

std::span<const TraceTargetEntry> trace_targets() {
  static const TraceTargetEntry entries[] = {
      {{"mooncake",
        "Arrivals in milliseconds, lengths, an id for each block of 512 tokens; ids count up in "
        "the order of first appearance.",
        "",
        {}},
       write_mooncake,
       mooncake_block_size},
      {{"llmservingsim",
        "Arrivals in nanoseconds, lengths, and the token ids where the trace has them.",
        "",
        {}},
       write_llmservingsim,
       0},
      {{"csv", "Arrivals in seconds with up to nine decimals, and lengths.", "", {}},
       write_csv,
       0}};
  return entries;
}

const TraceTargetEntry& named_trace_target(std::string_view name) {
  std::vector<std::string_view> names;
  std::string all;
  for (const TraceTargetEntry& entry : trace_targets()) {
    if (entry.info.name == name) return entry;
    names.push_back(entry.info.name);
    all += (all.empty() ? "" : ", ") + entry.info.name;
  }
  throw UserError("Traces cannot be written as " + quoted_excerpt(name) + "." +
                  did_you_mean(name, names) + " Formats: " + all + ".");
}

}  // namespace vacancy
