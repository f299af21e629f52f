// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
  /// `file` is the name that messages show for origin 0.
  explicit Diagnostics(std::string file) : origins_{{std::move(file)}} {}

  /// Registers another file, or an override "key=value"; returns its origin.
  std::uint32_t add_file(std::string name) { return add_origin({std::move(name)}); }
  std::uint32_t add_override(const std::string& text);
  /// Registers an option of the command line and its value, of which pointers say nothing.
  std::uint32_t add_option(const std::string& option, const std::string& value);

  /// `sentence` says what is wrong and how to mend it.
  void add(Place place, std::string_view pointer, std::string sentence);

  bool empty() const { return faults_.empty(); }
  /// No fault stands at this pointer, in it or around it, so a rule about it makes sense.
  bool clean(std::string_view pointer) const;

  /// "my.json:12: /eviction/budget", the head of every message.
  std::string head(Place place, std::string_view pointer) const;

  /// Throws one UserError with a line for each fault in the order of the file, overrides last.
  void throw_if_any() const;

 private:
  struct Origin {
    std::string name;
    bool has_lines = true, has_pointers = true;
  };
  struct Fault {
    Place place;
    std::string pointer, sentence;
  };
  std::uint32_t add_origin(Origin origin);

  std::vector<Origin> origins_;
  std::vector<Fault> faults_;
};

}  // namespace vacancy
