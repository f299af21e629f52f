// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include "sim/scenario/named_object.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void cannot_write(const std::filesystem::path& path) {
  throw UserError("Cannot write " + path.string() + ": " + std::strerror(errno) +
                  ". Choose another folder with --out.");
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo).
std::string fingerprint(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

Json settings_json(const std::vector<Setting>& settings) {
  Json json = Json::object();
  for (const Setting& setting : settings)
    json[setting.path] = to_json(setting.value);
  return json;
}

/// Of random points the count is left out: the first ones stay what they are when more are drawn.
Json sampling_json(const Sampling& sampling) {
  Json json = Json::array();
  if (const auto* grid = std::get_if<Grid>(&sampling))
    for (const GridAxis& axis : grid->axes) {
      Json values = Json::array();
      for (const auto& value : axis.values)
        values.push_back(settings_json(value.settings));
      json.push_back(std::move(values));
    }
  if (const auto* list = std::get_if<PointList>(&sampling))
    for (const SweepPoint& point : list->points)
      json.push_back(settings_json(point.settings));
  if (const auto* random = std::get_if<RandomPoints>(&sampling)) {
    json.push_back(random->seed);
    for (const DrawnKey& key : random->keys) {
      Json choices = Json::array();
      for (const JsonNode& choice : key.choices)
        choices.push_back(to_json(choice));
      json.push_back({key.path, static_cast<int>(key.law), key.low, key.high, choices});
    }
  }
  return json;
}

/// Where a damaged journal is written anew, in a folder that is locked.
constexpr const char* repaired_file = ".points.jsonl.vacancy.partial";

/// Whether the line is what sweep_identity() writes of some sweep.
bool is_identity(const std::string& line) {
  const auto json = Json::parse(line, nullptr, false);
  return json.is_object() && json.size() == 2 && json.contains("vacancy") &&
         json["vacancy"].is_string() && json.contains("sweep") && json["sweep"].is_string();
}

/// Whether a part of a line is the beginning of what to_line() writes.
bool begins_a_record(std::string_view text) {
  constexpr std::string_view start = "{\"run\":";
  return text.substr(0, start.size()) == start.substr(0, text.size());
}

}  // namespace

std::string sweep_identity(const Sweep& sweep) {
  Json skip = Json::array();
  for (const SkipRule& rule : sweep.skip) {
    Json where = Json::object();
    for (const auto& condition : rule.where)
      where[sweep.axes[condition.axis]] = condition.texts;
    skip.push_back({where, rule.reason});
  }
  const Json runs{to_json(sweep.base), sampling_json(sweep.sampling), sweep.seeds, skip};
  return Json{{"vacancy", VACANCY_VERSION}, {"sweep", fingerprint(runs.dump())}}.dump();
}

FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) cannot_write(folder);
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  close(descriptor_);
  throw UserError(
      folder.string() +
      ": another sweep is writing here. Wait for it, or name another folder with --out.");
}

FolderLock::~FolderLock() {
  close(descriptor_);
}

Journal::Journal(const std::filesystem::path& folder, const std::string& identity, bool fresh)
    : folder_(folder), lock_(folder), header_(identity + '\n') {
  std::error_code ignored;
  if (!fresh && !std::filesystem::exists(folder_ / journal_file, ignored) &&
      std::filesystem::exists(folder_ / "results.csv", ignored))
    throw UserError((folder_ / "results.csv").string() +
                    " stands beside no journal of a sweep, and would be lost. Name another folder "
                    "with --out, or replace it with --fresh.");
  if (fresh)
    for (const char* const name : {journal_file, timing_file})
      std::filesystem::remove(folder_ / name, ignored);
  std::filesystem::remove(folder_ / repaired_file, ignored);
  read(identity);
  begin();
}

void Journal::read(const std::string& identity) {
  const std::filesystem::path path = folder_ / journal_file;
  std::ifstream stream(path, std::ios::binary);
  std::string header, line;
  std::getline(stream, header);
  const bool whole_header = stream && !stream.eof();
  const bool same = header == identity && whole_header;
  std::uint64_t known = 0, ran = 0, damaged = 0;
  bool cut = false;  // what a kill left of a line
  while (std::getline(stream, line)) {
    if (stream.eof() && begins_a_record(line)) {
      cut = true;
      break;
    }
    auto record = record_of_line(line);
    if (!record) {
      if (line.empty()) continue;
      ++damaged;
      continue;
    }
    ++known;
    if (!record->summary.is_null()) ++ran;
    if (same && record->state != RunState::failed)
      records_.insert_or_assign(record->run, std::move(*record));
  }
  stream.close();
  if (!same && !is_identity(header)) {
    // A kill may leave a part of the header alone.
    const bool begun = !whole_header && identity.starts_with(header);
    if (known > 0)
      throw UserError(path.string() + ": its first line is damaged, which says of what sweep its " +
                      counted(known, "finished run") + " are. If they are of this one, make " +
                      identity +
                      " the first line, and the same command goes on. Or name another folder with "
                      "--out, or throw them away with --fresh.");
    if (!begun)
      throw UserError(
          path.string() +
          " is no journal of a sweep, and would be lost. Name another folder with --out, or "
          "move it away.");
  }
  if (!same && ran + damaged > 0)
    throw UserError(path.string() +
                    " is of another sweep, or of another version of this program or of the sweep. "
                    "Name another folder with --out, or throw away what is there with --fresh.");
  std::error_code error;
  if (damaged > 0)
    put_aside(damaged);
  else if (!same && std::filesystem::exists(path, error))
    std::filesystem::resize_file(path, 0, error);
  else if (cut)
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - line.size(), error);
  if (error) throw UserError("Cannot write " + path.string() + ": " + error.message() + '.');
}

void Journal::put_aside(std::uint64_t damaged) {
  const std::filesystem::path path = folder_ / journal_file, repaired = folder_ / repaired_file;
  std::filesystem::path aside;
  std::error_code error;
  for (int number = 1; aside.empty() || std::filesystem::exists(aside, error); ++number)
    aside = folder_ / ("points.damaged-" + std::to_string(number) + ".jsonl");
  // Whenever a kill comes, one of the two is whole under the journal's name.
  std::ofstream stream(repaired, std::ios::binary | std::ios::trunc);
  stream << sorted();
  stream.close();
  if (!stream) cannot_write(repaired);
  std::filesystem::copy_file(path, aside, error);
  if (!error) std::filesystem::rename(repaired, path, error);
  if (error) throw UserError("Cannot write " + path.string() + ": " + error.message() + '.');
  note_ = path.string() + ": " + counted(damaged, "line") + (damaged == 1 ? " is" : " are") +
          " damaged; the runs that stood there are run anew, the other " +
          counted(records_.size(), "finished run") + " kept. The old journal is " +
          aside.filename().string() + '.';
}

void Journal::begin() {
  const auto open = [&](std::ofstream& stream, const char* name, const std::string& head) {
    const std::filesystem::path path = folder_ / name;
    std::error_code ignored;
    const bool is_new =
        !std::filesystem::exists(path, ignored) || std::filesystem::file_size(path, ignored) == 0;
    stream.open(path, std::ios::binary | std::ios::app);
    if (is_new) stream << head << std::flush;
    if (!stream) cannot_write(path);
  };
  open(journal_, journal_file, header_);
  open(timing_, timing_file, "run,point,seconds\n");
}

void Journal::add(RunRecord record, std::uint64_t point, double seconds) {
  journal_ << to_line(record) << std::flush;
  if (!journal_) cannot_write(folder_ / journal_file);
  std::ostringstream line;
  line << record.run << ',' << point << ',' << seconds << '\n';
  timing_ << line.str() << std::flush;
  records_.insert_or_assign(record.run, std::move(record));
}

std::string Journal::sorted() const {
  std::string text = header_;
  for (const auto& [run, record] : records_)
    text += to_line(record);
  return text;
}

}  // namespace vacancy
