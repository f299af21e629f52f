// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/conformance.hpp"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sim/conformance/scheduler.hpp"
#include "sim/conformance/sglang.hpp"
#include "sim/conformance/vllm.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

using nlohmann::json;

struct CaseKind {
  const char* name;
  bool (*is)(const json& c);
  std::optional<std::string> (*check)(const json& c);
};

constexpr std::array kinds{
    CaseKind{"scheduler, closed loop", [](const json& c) { return c.contains("workload"); },
             check_scheduler_case},
    CaseKind{"vLLM, hybrid cache groups", [](const json& c) { return c.contains("groups"); },
             check_vllm_case},
    CaseKind{"vLLM memory manager", [](const json& c) { return c.contains("usable_blocks"); },
             check_vllm_case},
    CaseKind{"SGLang radix cache", [](const json& c) { return c.contains("allocator"); },
             check_sglang_case},
};

const CaseKind* kind_of(const json& c) {
  if (c.is_object() && c.contains("case") && c.at("case").is_number_integer())
    for (const CaseKind& kind : kinds)
      if (kind.is(c)) return &kind;
  return nullptr;
}

/// Lines of a file that may be gzip; zlib passes plain files through.
class Lines {
 public:
  explicit Lines(const std::filesystem::path& path)
      : path_(path), file_(gzopen(path.c_str(), "rb")) {
    if (!file_ || std::filesystem::is_directory(path))
      throw UserError(path.string() + ": cannot be opened for reading; check the path");
    gzbuffer(file_.get(), 1 << 17);
  }

  bool next(std::string& line) {
    line.clear();
    std::array<char, 1 << 16> part;
    while (gzgets(file_.get(), part.data(), static_cast<int>(part.size()))) {
      line += part.data();
      if (line.back() == '\n') {
        line.pop_back();
        return true;
      }
    }
    int code = Z_OK;
    const std::string reason = gzerror(file_.get(), &code);
    if (code != Z_OK && code != Z_STREAM_END)
      throw UserError(path_.string() + ": the compressed data are damaged or cut off (" + reason +
                      "); fetch the file again");
    return !line.empty();
  }

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

}  // namespace

CorpusResult check_corpus(const std::filesystem::path& path,
                          const std::function<void(std::uint64_t)>& progress) {
  Lines lines(path);
  CorpusResult result;
  std::string line;
  for (std::uint64_t number = 1; lines.next(line); ++number) {
    const auto fault = [&](const std::string& what) {
      return UserError(path.string() + ":" + std::to_string(number) + ": " + what);
    };
    const json c = json::parse(line, nullptr, false);
    if (c.is_discarded()) throw fault("is not a JSON object; one case a line is expected");
    const CaseKind* kind = kind_of(c);
    if (!kind) throw fault("is not a golden case of a known engine; see FORMAT.md of the corpus");
    try {
      if (auto difference = kind->check(c))
        result.failures.push_back({c.at("case").get<std::int64_t>(), std::move(*difference)});
    } catch (const UserError& error) {
      throw fault(error.what());
    }
    result.kind = kind->name;
    ++result.cases;
    if (progress) progress(result.cases);
  }
  if (result.cases == 0) throw UserError(path.string() + ": holds no case");
  return result;
}

}  // namespace vacancy
