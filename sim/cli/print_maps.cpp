// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/print_maps.hpp"

#include <string>

#include "sim/cli/map_view.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

std::string moment(SimTime time) {
  return "at " + format_duration(time);
}

}  // namespace

void print_maps(std::ostream& out, const BlockMapRecorder& maps, const KvCache& cache, SimTime now,
                const RunOptions& options, const Console& console) {
  const bool terminal = options.json ? console.err_is_terminal : console.out_is_terminal;
  const MapStyle style{console.columns, console.colored(options.color, terminal)};
  out << '\n';
  if (maps.before()) {
    draw_map(out, *maps.before(), "Before the last eviction, " + moment(maps.before()->time),
             style);
    out << '\n';
    draw_map(out, *maps.after(), "After it", style);
  } else if (maps.fullest()) {
    draw_map(out, *maps.fullest(), "When most blocks were held, " + moment(maps.fullest()->time),
             style);
  } else {
    draw_map(out, take_snapshot(cache, now), "At the end", style);
  }
  out << '\n';
  draw_map_key(out, style);
}

}  // namespace vacancy
