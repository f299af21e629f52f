// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "sim/units/error.hpp"
#include "sim/units/fault_sentence.hpp"

using vacancy::fault_sentence;

TEST_CASE("an error that ends a program says where and what helps") {
  CHECK(fault_sentence(vacancy::UserError("a.json: is empty.")) == "a.json: is empty.");
  try {
    std::filesystem::directory_iterator("no/such/folder");
    FAIL("it is there");
  } catch (const std::exception& error) {
    CHECK(fault_sentence(error) == "no/such/folder: No such file or directory.");
  }
  CHECK(fault_sentence(std::bad_alloc()).find("Take fewer or shorter sequences") !=
        std::string::npos);
}
