// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/device/transfers.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;

namespace {

Device device() {
  Device made;
  made.name = "made";
  made.memory_bandwidth = Bytes(4'800'000'000'000);
  made.copy_bandwidth = Bytes(2'400'000'000'000);
  made.link_bandwidth = Bytes(32'000'000'000);
  made.launch_overhead = SimTime(4'000);
  return made;
}

}  // namespace

TEST_CASE("a copy takes its bytes at the copy rate and its launches") {
  CHECK(copy_time(device(), Bytes(2'400'000), 0) == SimTime(1'000));
  CHECK(copy_time(device(), Bytes(2'400'000), 36) == SimTime(1'000 + 36 * 4'000));
  CHECK(copy_time(device(), Bytes(1), 0) == SimTime(1));  // rounded up
  CHECK(copy_time(device(), Bytes(0), 0) == SimTime(0));
}

TEST_CASE("F-14, F-15: a slide of 2 x 288 MiB and a scorer's pass over 153 MiB at 4.8 TB/s") {
  Device h200 = device();
  h200.copy_bandwidth = h200.memory_bandwidth;
  CHECK(copy_time(h200, Bytes(576ull << 20), 0) == SimTime(125'830));
  CHECK(copy_time(h200, Bytes(153ull << 20), 0) == SimTime(33'424));
}

TEST_CASE("swapping goes over the link, which a device may lack") {
  CHECK(link_time(device(), Bytes(32'000'000)) == SimTime(1'000'000));
  Device without = device();
  without.link_bandwidth.reset();
  CHECK_THROWS_WITH(link_time(without, Bytes(1)), Catch::Contains("made has no link_bandwidth"));
}

TEST_CASE("transfers on a shared link follow one another") {
  SharedLink link;
  CHECK(link.reserve(SimTime(100), SimTime(50)) == SimTime(150));
  CHECK(link.reserve(SimTime(120), SimTime(10)) == SimTime(160));  // waits for the first
  CHECK(link.reserve(SimTime(400), SimTime(1)) == SimTime(401));   // the link was free
  CHECK(link.free_at() == SimTime(401));
}
