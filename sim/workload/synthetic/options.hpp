// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/registry/parameter.hpp"
#include "sim/workload/lengths.hpp"

namespace vacancy {

/// What every synthetic workload can be told.
struct StreamOptions {
  std::uint64_t requests = 1000;
  double rate = 1;  // of independent arrivals
  double burstiness = 1;
  std::uint32_t block_size = 16;
};

struct OutputOptions {
  double output_median = 256, output_sigma = 0.8;
  std::uint32_t output_max = 4096;
};

inline constexpr double most_made_requests = 1e9;  // entities are counted in 32 bits
inline constexpr double longest_made = 1u << 24;   // of one piece of a prompt, in tokens

/// `of_what` stands in the help: "requests", "conversations".
template <class Options>
void add_stream_options(OptionTable<Options>& table, const std::string& of_what) {
  table
      .add("requests", static_cast<std::uint64_t Options::*>(&StreamOptions::requests), "requests",
           {1, most_made_requests}, "Length of the trace.")
      .add("rate", static_cast<double Options::*>(&StreamOptions::rate), "1/s", {1e-6, 1e6},
           "Mean arrivals of " + of_what + " a second.")
      .add("burstiness", static_cast<double Options::*>(&StreamOptions::burstiness), "", {0, 100},
           "Coefficient of variation of the times between these arrivals: 1 is Poisson, 0 is "
           "regular, above 1 they are gamma with bursts.")
      .add("block_size", static_cast<std::uint32_t Options::*>(&StreamOptions::block_size),
           "tokens", {1, 4096}, "Tokens that one block key stands for.");
}

template <class Options>
void add_output_options(OptionTable<Options>& table) {
  table
      .add("output_median", static_cast<double Options::*>(&OutputOptions::output_median), "tokens",
           {1, longest_made}, "Half of the outputs are shorter; they are lognormal.")
      .add("output_sigma", static_cast<double Options::*>(&OutputOptions::output_sigma), "",
           {0, 10}, "Standard deviation of the natural logarithm of an output's length.")
      .add("output_max", static_cast<std::uint32_t Options::*>(&OutputOptions::output_max),
           "tokens", {1, longest_made}, "The longest output.");
}

}  // namespace vacancy
