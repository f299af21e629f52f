// SPDX-License-Identifier: Apache-2.0
// Mutates valid files and feeds them to every reader of untrusted bytes: scenarios, sweeps, TRIA
// and .pt calibrations, checkpoints, tokenizers, traces, keep sets. A reader may return or throw
// UserError; anything else ends the program, and a sanitizer build finds what does not. Prints the
// target, the seed and the iteration first, so that a crash can be run again with --seed and
// --target.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/attention/calibration.hpp"
#include "sim/attention/checkpoint.hpp"
#include "sim/attention/tokenizer.hpp"
#include "sim/keep_sets/keep_history.hpp"
#include "sim/keep_sets/keep_set_file.hpp"
#include "sim/lesson/lesson_reader.hpp"
#include "sim/scenario/json_document.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/sweep/sweep.hpp"
#include "sim/units/error.hpp"
#include "sim/workload/trace/trace.hpp"
#include "tests/support/scenario_files.hpp"
#include "tests/unit/attention/file_builders.hpp"
#include "tests/unit/keep_sets/keep_files.hpp"

namespace {

using vacancy::test::FileBytes;
namespace fs = std::filesystem;
namespace test = vacancy::test;

const fs::path scenario_folder = fs::path(VACANCY_SOURCE_DIR) / "scenarios";

FileBytes bytes_of(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

FileBytes file_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return bytes_of(std::string(std::istreambuf_iterator<char>(file), {}));
}

/// Every committed scenario, and one that names most sections.
std::vector<FileBytes> scenario_corpus() {
  std::vector<FileBytes> corpus{bytes_of(R"({
  "description": "all sections", // with a comment
  "seed": 7, "model": {"name": "m", "layers": 2, "query_heads": 4, "kv_heads": 2, "head_dim": 8},
  "cache": {"block_size": 16, "blocks": 64, "table": "per_layer"},
  "attention": {"source": "synthetic", "synthetic": {"correlation": 0.5}},
  "eviction": {"policy": "h2o", "scope": "per_layer", "budget": 64, "interval": 16,
    "trigger": "slack", "prompt": "evictable", "protect": {"sinks": 4, "recent": 8},
    "once": {"at": "end"}, "usage": {"arm": 0.9, "release": 0.8}, "h2o": {"recent_share": 0.25}},
  "reclaim": {"kind": "slide", "aggregate": "mean"},
  "workload": {"sequences": 2, "prompt_tokens": {"distribution": "uniform", "min": 1, "max": 9},
    "output_tokens": 100},
  "quality": {"queries": 4}
})")};
  for (const fs::path& file : test::scenario_files(scenario_folder))
    corpus.push_back(file_bytes(file));
  return corpus;
}

std::vector<FileBytes> lesson_corpus() {
  std::vector<FileBytes> corpus;
  for (const fs::path& file : test::files_below(
           scenario_folder, [](const fs::path& each) { return each.filename() == "lesson.json"; }))
    corpus.push_back(file_bytes(file));
  return corpus;
}

/// The part of a lesson that is read before anything runs.
void read_lesson_bytes(const FileBytes& bytes) {
  using namespace vacancy;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Diagnostics faults("fuzzed", {});
  const auto root = parse_json(text, 0, faults);
  if (!root) faults.throw_if_any();
  Lesson lesson;
  read_lesson(*root, lesson, faults);
  faults.throw_if_any();
  check_names(*root, lesson, {}, faults);
}

std::vector<FileBytes> sweep_corpus() {
  std::vector<FileBytes> corpus;
  for (const fs::path& file : test::sweep_files(scenario_folder))
    corpus.push_back(file_bytes(file));
  return corpus;
}

/// The made samples of every format, plain or packed, in the same order everywhere.
std::vector<FileBytes> trace_corpus(bool packed) {
  std::set<fs::path> samples;
  for (const auto& entry :
       fs::directory_iterator(fs::path(VACANCY_SOURCE_DIR) / "traces" / "samples"))
    if ((entry.path().extension() == ".gz") == packed) samples.insert(entry.path());
  std::vector<FileBytes> corpus;
  for (const fs::path& sample : samples)
    corpus.push_back(file_bytes(sample));
  return corpus;
}

/// For what is read from files only.
void with_file(const FileBytes& bytes, const std::function<void(const fs::path&)>& read) {
  static const fs::path path =
      fs::temp_directory_path() / ("vacancy-fuzz-" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const auto remove = [](const fs::path* file) {
    std::error_code ignored;
    fs::remove(*file, ignored);
  };
  const std::unique_ptr<const fs::path, decltype(remove)> cleaner(&path, remove);
  read(path);
}

void read_trace(const FileBytes& bytes) {
  with_file(bytes, [](const fs::path& path) {
    vacancy::TraceOptions options;
    options.nested_time = vacancy::NestedTime::absolute;
    const auto trace = vacancy::open_trace(path, options);
    vacancy::TraceRequest request;
    vacancy::SimTime last;
    while (trace->next(request)) {
      VACANCY_ASSERT(request.arrival >= last, "requests come in order of time");
      last = request.arrival;
    }
  });
}

void read_keep_sets(const FileBytes& bytes) {
  with_file(bytes, [](const fs::path& path) {
    const auto reader = vacancy::open_keep_sets(path);
    vacancy::KeepHistory history(*reader);
    while (history.next())
      VACANCY_ASSERT(history.appended() <= history.length(), "what is new is there");
  });
}

std::vector<FileBytes> keep_array_corpus() {
  using namespace vacancy::test;
  return {npy("|b1", {2, 2, 1, 9}, FileBytes(36)), npy("<i2", {3, 4}, FileBytes(24), true),
          npy(">i8", {5}, numbers(">i8", {1, 0, 1, 1, 0}))};
}

vacancy::test::Members ragged_arrays() {
  using namespace vacancy::test;
  return {{"indices", list("<i4", {0, 1, 2, 0, 2})},
          {"offsets", list(">i2", {0, 2, 3, 4, 5})},
          {"length", list("<u8", {3, 4})},
          {"layers", number("<i4", 1)},
          {"heads", number("<i4", 2)}};
}

/// An archive that is whole, with one array in it that may not be.
void read_with_array(std::size_t index, const FileBytes& bytes) {
  vacancy::test::Members arrays = ragged_arrays();
  arrays[index].second = bytes;
  read_keep_sets(vacancy::test::npz(arrays, bytes.size() % 2 == 0));
}

std::vector<FileBytes> keep_line_corpus() {
  return {bytes_of("{\"length\": 5, \"keep\": [0, 2, 4], \"model_layers\": 36, \"model_heads\": "
                   "8}\n{\"length\": 7, \"keep\": [2, 6]}\n{\"length\": 8}\n"),
          bytes_of("{\"length\": 3, \"keep\": [[[0], [1, 2]], [[], [2]]]}\n"
                   "{\"length\": 4, \"keep\": [[[3], [1]], [[], []]]}\n")};
}

struct Target {
  std::string name;
  std::vector<FileBytes> corpus;
  std::function<void(const FileBytes&)> read;
};

std::vector<Target> targets() {
  using namespace vacancy;
  const std::string name = "fuzzed";
  return {
      {"scenario", scenario_corpus(),
       [name](const FileBytes& bytes) {
         const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
         const Scenario scenario =
             load_scenario_text(text, name, fs::path(VACANCY_SOURCE_DIR) / "scenarios");
         resolved_json(scenario);
       }},
      {"sweep", sweep_corpus(),
       [name](const FileBytes& bytes) {
         const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
         const fs::path folder = fs::path(VACANCY_SOURCE_DIR) / "scenarios" / "sweeps";
         const Sweep sweep = load_sweep_text(text, name, folder, {});
         point_at(sweep.sampling, sweep.points() - 1);
       }},
      {"lesson", lesson_corpus(), read_lesson_bytes},
      {"tria",
       {test::tria_bytes(1), test::tria_bytes(2)},
       [name](const FileBytes& bytes) { read_tria(bytes, name); }},
      {"pt",
       {test::calibration_zip(test::calibration_pickle())},
       [name](const FileBytes& bytes) { read_pt(bytes, name); }},
      {"pickle",
       {test::calibration_pickle()},
       [name](const FileBytes& bytes) { read_pt(test::calibration_zip(bytes), name); }},
      {"checkpoint",
       {test::checkpoint_bytes(), test::checkpoint_bytes({8, 12, 2, 4, 2, 16, 32, false})},
       [name](const FileBytes& bytes) { read_checkpoint(bytes, name); }},
      {"tokenizer",
       {test::tokenizer_bytes({{"ab", 1.0f}, {" c", 2.0f}})},
       [name](const FileBytes& bytes) { read_tokenizer(bytes, name); }},
      {"trace", trace_corpus(false), read_trace},
      {"gzip", trace_corpus(true), read_trace},
      {"keep_npz", {test::small_ragged(), test::small_ragged(true)}, read_keep_sets},
      {"keep_array", keep_array_corpus(), read_keep_sets},
      {"indices",
       {ragged_arrays()[0].second},
       [](const FileBytes& bytes) { read_with_array(0, bytes); }},
      {"offsets",
       {ragged_arrays()[1].second},
       [](const FileBytes& bytes) { read_with_array(1, bytes); }},
      {"length",
       {ragged_arrays()[2].second},
       [](const FileBytes& bytes) { read_with_array(2, bytes); }},
      {"keep_lines", keep_line_corpus(), read_keep_sets},
  };
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : engine_(seed) {}

  FileBytes mutate(const std::vector<FileBytes>& corpus) {
    FileBytes bytes = corpus[below(corpus.size())];
    for (std::size_t n = 1 + below(6); n > 0; --n)
      step(bytes, corpus);
    return bytes;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : engine_() % n; }

  void step(FileBytes& bytes, const std::vector<FileBytes>& corpus) {
    const std::size_t at = below(bytes.size());
    switch (below(9)) {
      case 0:  // one byte
        if (!bytes.empty()) bytes[at] = static_cast<std::byte>(engine_());
        return;
      case 1:  // one bit
        if (!bytes.empty()) bytes[at] ^= static_cast<std::byte>(1u << below(8));
        return;
      case 2:  // the end is missing
        bytes.resize(at);
        return;
      case 3:  // a piece is missing
        bytes.erase(position(bytes, at), position(bytes, at + below(bytes.size() - at)));
        return;
      case 4: {  // a piece stands twice
        const FileBytes piece(position(bytes, at), position(bytes, at + below(bytes.size() - at)));
        bytes.insert(position(bytes, below(bytes.size())), piece.begin(), piece.end());
        return;
      }
      case 5: {  // a piece of another file
        const FileBytes& other = corpus[below(corpus.size())];
        const std::size_t from = below(other.size());
        bytes.insert(position(bytes, at), position(other, from),
                     position(other, from + below(other.size() - from)));
        return;
      }
      case 6: {  // a count at its limits, little-endian
        static constexpr std::uint32_t limits[] = {0,          1,          0x7fffffff, 0x80000000,
                                                   0xffffffff, 0x7fc00000, 0x00010000, 255};
        const std::uint32_t value = limits[below(std::size(limits))];
        for (std::size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
          bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
        return;
      }
      case 7: {  // a token of JSON
        static constexpr std::string_view tokens[] = {"{",          "}",
                                                      "[",          "]",
                                                      "null",       "-1",
                                                      "1e999",      "18446744073709551616",
                                                      "0.5",        "\"x\"",
                                                      ",",          ":",
                                                      "true",       "\"per_layer_per_head\"",
                                                      "4294967295", "//",
                                                      "\"shared:\""};
        const FileBytes token = bytes_of(tokens[below(std::size(tokens))]);
        bytes.insert(position(bytes, at), token.begin(), token.end());
        return;
      }
      default: {  // a digit
        for (std::size_t i = at; i < bytes.size(); ++i) {
          const auto c = static_cast<char>(bytes[i]);
          if (c < '0' || c > '9') continue;
          bytes[i] = static_cast<std::byte>('0' + below(10));
          return;
        }
      }
    }
  }

  static FileBytes::iterator position(FileBytes& bytes, std::size_t at) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(at);
  }
  static FileBytes::const_iterator position(const FileBytes& bytes, std::size_t at) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(at);
  }

  std::mt19937_64 engine_;
};

}  // namespace

int main(int argc, char** argv) {
  double seconds = 60;
  std::uint64_t seed = 1;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--seconds") seconds = std::atof(argv[i + 1]);
    if (option == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--target") only = argv[i + 1];
  }
  const auto all = targets();
  const double share = seconds / (only.empty() ? static_cast<double>(all.size()) : 1);
  for (const Target& target : all) {
    if (!only.empty() && only != target.name) continue;
    for (const FileBytes& valid : target.corpus) {
      try {
        target.read(valid);
      } catch (const vacancy::UserError& error) {
        std::printf("%s: a file of the corpus is refused: %s\n", target.name.c_str(), error.what());
        return 1;
      }
    }
    std::printf("%-11s seed %llu … ", target.name.c_str(), static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    Mutator mutator(seed);
    std::uint64_t tried = 0, refused = 0;
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
           share) {
      ++tried;
      try {
        target.read(mutator.mutate(target.corpus));
      } catch (const vacancy::UserError&) {
        ++refused;
      }
    }
    std::printf("%llu files, %llu refused\n", static_cast<unsigned long long>(tried),
                static_cast<unsigned long long>(refused));
  }
}
