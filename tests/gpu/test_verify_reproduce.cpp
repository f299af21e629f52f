// SPDX-License-Identifier: Apache-2.0
// The smallest run that differs, and the command that writes it down.
#include <catch2/catch.hpp>
#include <memory>
#include <sstream>
#include <string>

#include "sim/cli/program.hpp"
#include "sim/cli/verify_files.hpp"
#include "tests/gpu/on_device.hpp"
#include "tests/gpu/verify_faults.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/temporary_file.hpp"

namespace vacancy {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

const ScenarioOverrides short_run{
    {"workload.prompt_tokens=20", "workload.output_tokens=30", "cache.blocks=200"}, {}};

std::string lengths_file() {
  return test::source_file("/scenarios/synthetic/mixed_lengths.json");
}

/// Sequence 2 never tells of the token at position 33.
verify::VerifyOptions with_a_lie() {
  const auto lies = [](const Event& event, Observer&) {
    const auto* const appended = std::get_if<TokensAppended>(&event);
    return appended != nullptr && appended->sequence == SequenceId(2) && appended->first == 33;
  };
  verify::VerifyOptions options;
  options.between = [lies, planted = false](Observer& verifier) mutable {
    planted = false;
    return std::make_unique<test::FaultyStream>(lies, verifier, planted);
  };
  return options;
}

struct Report {
  int code;
  std::string out, err;
};
Report verified(const VerifyFiles& options) {
  std::ostringstream out, err;
  const int code = verify_files(options, {out, err});
  return {code, out.str(), err.str()};
}

}  // namespace

TEST_CASE("verify: the smallest run that differs is found by bisection") {
  VACANCY_ON_DEVICE(device);
  const auto differs = [&](const Scenario& scenario) {
    return verify::verify_scenario(scenario, device, with_a_lie(), [](auto, auto) { return true; })
        .difference.has_value();
  };
  const auto load = [](const ScenarioOverrides& overrides) {
    return load_scenario(lengths_file(), overrides);
  };
  const Scenario scenario = load(verify::smallest_difference(load, short_run, differs));
  CHECK(differs(scenario));
  CHECK(scenario.sequences == 3);
  const auto resolved = resolved_json(scenario).at("workload");
  CHECK(resolved.at("output_tokens") == 14);
}

TEST_CASE("vacancy verify --reproduce writes a small scenario, which differs in the same place") {
  const test::TemporaryFile written("smallest.json", {});
  VerifyFiles given;
  given.files = {lengths_file(), lengths_file()};  // the second is not reached
  given.overrides = short_run;
  given.reproduce = written.path().string();
  given.verify = with_a_lie();
  const Report first = verified(given);
  CHECK(first.code == exit_unfinished);
  CHECK_THAT(first.out, Contains("mixed_lengths.json: differs: tokens_appended"));
  CHECK(first.out.find("differs") == first.out.rfind("differs"));
  CHECK_THAT(first.err,
             EndsWith("The smallest run that differs is in " + written.path().string() + ".\n"));
  CHECK(load_scenario(written.path().string(), {}).sequences == 3);

  VerifyFiles again;
  again.files = {written.path().string()};
  again.verify = with_a_lie();
  const Report second = verified(again);
  CHECK(second.code == exit_unfinished);
  CHECK_THAT(second.out, Contains("differs: ") && Contains("sequence 2, table 0, slot 33"));

  again.verify = {};
  const Report honest = verified(again);
  CHECK(honest.code == exit_ok);
  CHECK_THAT(honest.out, Contains("no difference"));
}

}  // namespace vacancy
