// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/scenario/json_node.hpp"

namespace vacancy {

/// Text in quotes for a message: escaped, valid UTF-8, and cut where it is long.
std::string in_quotes(std::string_view text);

/// Collects every fault of a scenario, so that the user sees them all at once.
class Diagnostics {
 public:
  struct Fault {
    Place place;
    std::string pointer, sentence;
  };

  /// `file` is the name that messages show for origin 0, `folder` is where its relative paths
  /// start.
  explicit Diagnostics(std::string file, std::filesystem::path folder = ".")
      : origins_{{std::move(file), std::move(folder)}} {}

  /// Registers another file, or an override "key=value"; returns its origin. What it says may stand
  /// at the pointer `around` of the file.
  std::uint32_t add_file(std::string name, std::filesystem::path folder = ".",
                         std::string around = "") {
    return add_origin({std::move(name), std::move(folder), std::move(around)});
  }
  std::uint32_t add_override(const std::string& text);
  /// Registers an option of the command line and its value, of which pointers say nothing.
  std::uint32_t add_option(const std::string& option, const std::string& value);

  /// `sentence` says what is wrong and how to mend it.
  void add(Place place, std::string_view pointer, std::string sentence);

  bool empty() const { return faults_.empty(); }
  const std::vector<Fault>& faults() const { return faults_; }
  /// In the order of the file, those of overrides last.
  std::vector<Fault> in_order() const;
  /// Where relative paths of an origin start; of an override, the working directory.
  const std::filesystem::path& folder(std::uint32_t origin) const {
    return origins_[origin].folder;
  }
  /// No fault stands at this pointer, in it or around it, so a rule about it makes sense.
  bool clean(std::string_view pointer) const;

  /// "my.json:12: /eviction/budget", the head of every message.
  std::string head(Place place, std::string_view pointer) const;

  /// Throws one UserError with a line for each fault, in_order().
  void throw_if_any() const;

 private:
  struct Origin {
    std::string name;
    std::filesystem::path folder = ".";
    std::string around = "";
    bool has_lines = true, has_pointers = true;
  };
  std::uint32_t add_origin(Origin origin);

  std::vector<Origin> origins_;
  std::vector<Fault> faults_;
};

}  // namespace vacancy
