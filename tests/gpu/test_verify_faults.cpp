// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "tests/gpu/on_device.hpp"
#include "tests/gpu/verified_runs.hpp"

namespace vacancy {
namespace {

using test::PlantedFault;

void check_faults(const std::vector<PlantedFault>& faults, gpu::Device& device) {
  for (const PlantedFault& fault : faults) {
    INFO(fault.name << " (" << fault.scenario << ")");
    bool planted = false;
    const verify::VerifyResult result = test::verified_with(fault, device, planted);
    CHECK(planted);
    REQUIRE(result.difference);
    INFO(sentence(*result.difference));
    CHECK(result.difference->operation == fault.operation);
    CHECK(result.difference->event > 0);
    CHECK_FALSE(result.difference->expected.empty());
    CHECK_FALSE(result.difference->found.empty());
  }
}

}  // namespace

TEST_CASE("verify: honest runs have no difference") {
  VACANCY_ON_DEVICE(device);
  for (const auto& [name, text] : test::small_scenarios()) {
    INFO(name);
    const verify::VerifyResult result = test::verified_small(name, device);
    INFO((result.difference ? sentence(*result.difference) : ""));
    CHECK_FALSE(result.difference);
    CHECK(result.counts.rows > 0);
    CHECK(result.counts.tables > 0);
    CHECK(result.counts.watched_sequences == result.counts.sequences);
    const auto happened = [&](const std::string& event) {
      return result.counts.operations.count(event) > 0;
    };
    CHECK(happened("host_blocks_loaded") == (name.find("host") == 0));
    CHECK(happened("sequence_swapped_in") == (name.find("swap") == 0));
  }
}

TEST_CASE("verify: a sample of sequences follows what came from others by the host") {
  VACANCY_ON_DEVICE(device);
  for (const char* const name :
       {"host", "host, many prefixes", "swap", "swapped beams", "prefixes", "beams"})
    for (const std::uint32_t sample : {2u, 3u, 5u}) {
      CAPTURE(name, sample);
      verify::VerifyOptions options;
      options.verifier.sample = sample;
      const verify::VerifyResult result = test::verified_small(name, device, options);
      INFO((result.difference ? sentence(*result.difference) : ""));
      CHECK_FALSE(result.difference);
      CHECK(result.counts.rows > 0);
      CHECK(result.counts.watched_sequences < result.counts.sequences);
    }
}

TEST_CASE("verify: every lie of the event stream is found, and the operation named") {
  VACANCY_ON_DEVICE(device);
  check_faults(test::stream_faults(), device);
}

TEST_CASE("verify: every slip of a kernel is found, and the operation named") {
  VACANCY_ON_DEVICE(device);
  check_faults(test::memory_faults(), device);
}

}  // namespace vacancy
