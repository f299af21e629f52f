// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vacancy {

/// A case that came out differently than the engine printed.
struct CaseFailure {
  std::int64_t number = 0;  // the case's own
  std::string difference;   // the first one, as a sentence
};

struct CorpusResult {
  std::string kind;  // what the cases exercise, for people
  std::uint64_t cases = 0;
  std::vector<CaseFailure> failures;
};

/// Runs every case of a file of golden cases, plain or gzip: one JSON object a line, whose fields
/// say which engine it is for. `progress` hears the number of cases done and may throw to stop.
/// Throws UserError with file and line where the file cannot be read as cases.
CorpusResult check_corpus(const std::filesystem::path& path,
                          const std::function<void(std::uint64_t)>& progress = {});

}  // namespace vacancy
