// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/map_view.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "sim/cli/console.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

constexpr std::size_t levels = 8;
constexpr std::array<std::string_view, levels> bars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, levels> dots{"⡀", "⣀", "⣄", "⣤", "⣦", "⣶", "⣷", "⣿"};
constexpr std::string_view free_block = "·", nothing_live = "o";
constexpr std::string_view shared_whole = "S", shared_holed = "s";

// Okabe and Ito's palette, which the color-blind tell apart (Color Universal Design, 2008), without
// black and grey, in the nearest of the 256 colors that terminals share.
constexpr std::array<int, 7> owner_colors{214, 74, 36, 227, 32, 166, 175};
constexpr int faint_color = 240;

/// Blocks that share a character, added up.
struct MapCell {
  std::uint64_t slots = 0, live = 0;
  bool held = false, holes = false, shared = false;
  SequenceId owner{0};
};

MapCell add_up(std::span<const BlockCell> blocks, std::uint32_t block_size) {
  MapCell cell;
  for (const BlockCell& block : blocks) {
    cell.slots += block_size;
    if (block.free()) continue;
    if (!cell.held) cell.owner = block.owner;
    cell.held = true;
    cell.live += block.live;
    cell.holes |= block.has_holes();
    cell.shared |= block.shared();
  }
  return cell;
}

std::string_view glyph(const MapCell& cell) {
  if (!cell.held) return free_block;
  if (cell.shared) return cell.holes ? shared_holed : shared_whole;
  if (cell.live == 0) return nothing_live;
  // Rounded up, so that one live slot shows; only what is all live is a full bar.
  const std::uint64_t level =
      cell.live == cell.slots
          ? levels
          : std::min<std::uint64_t>((cell.live * levels + cell.slots - 1) / cell.slots, levels - 1);
  return (cell.holes ? dots : bars)[level - 1];
}

std::string color_start(int color) {
  return "\x1b[38;5;" + std::to_string(color) + "m";
}
constexpr std::string_view color_end = "\x1b[0m";

/// Blocks a character stands for: a power of two, so that rows begin at round numbers.
std::size_t blocks_per_cell(std::size_t blocks, std::size_t columns) {
  std::size_t group = 1;
  while ((blocks + group - 1) / group > most_map_rows * columns)
    group *= 2;
  return group;
}

std::string share_of(std::size_t part, std::size_t total) {
  const double share = total == 0 ? 0 : static_cast<double>(part) / static_cast<double>(total);
  return format_count(part) + " (" + format_percent(share) + ")";
}

/// What there is of each kind, in lines of at most `columns` that break between kinds.
std::string census_lines(const BlockCensus& census, std::size_t columns,
                         const std::string& margin) {
  std::string lines = margin;
  std::size_t used = 0;
  const auto add = [&](std::string_view name, std::size_t count) {
    if (count == 0) return;
    const std::string item = std::string(name) + ' ' + share_of(count, census.total);
    const bool fits = used + 3 + display_width(item) <= columns;
    if (used > 0) lines += fits ? " · " : "\n" + margin;
    used = (used > 0 && fits ? used + 3 : 0) + display_width(item);
    lines += item;
  };
  add("full", census.full);
  add("with holes", census.with_holes);
  add("partly filled, no holes", census.tail_only);
  add("free", census.free);
  add("shared", census.shared);
  return lines;
}

}  // namespace

void draw_map(std::ostream& out, const BlockSnapshot& snapshot, std::string_view title,
              const MapStyle& style) {
  const std::size_t total = snapshot.cells.size();
  const std::size_t label_width = std::max<std::size_t>(format_count(total).size(), 5);
  const std::size_t room = style.columns - std::min(style.columns, label_width + 1);
  const std::size_t columns = std::max<std::size_t>(room / 16 * 16, 16);
  const std::size_t group = blocks_per_cell(total, columns);

  out << title << ": " << format_count(total) << (total == 1 ? " block" : " blocks");
  if (group > 1)
    out << ", a character = " << format_count(group)
        << " blocks added up; dots if any of them has holes";
  out << '\n';
  for (std::size_t row = 0; row < total; row += group * columns) {
    const std::string label = format_count(row);
    out << std::string(label_width - label.size(), ' ') << label << ' ';
    int color = -1;
    const std::size_t row_end = std::min(row + group * columns, total);
    for (std::size_t at = row; at < row_end; at += group) {
      const MapCell cell = add_up(
          std::span(snapshot.cells).subspan(at, std::min(group, total - at)), snapshot.block_size);
      const int wanted =
          cell.held ? owner_colors[cell.owner.value() % owner_colors.size()] : faint_color;
      if (style.color && wanted != color) out << color_start(color = wanted);
      out << glyph(cell);
    }
    out << (style.color ? color_end : "") << '\n';
  }
  const std::string margin(label_width + 1, ' ');
  out << census_lines(take_census(snapshot), style.columns - margin.size(), margin) << '\n';
}

void draw_map_key(std::ostream& out, const MapStyle& style) {
  std::string text = "Height = live slots of a block: ";
  for (const auto bar : bars)
    text += bar;
  text += " no holes (what is missing was never written), ";
  for (const auto dot : dots)
    text += dot;
  text += " with holes (evicted slots). " + std::string(free_block) + " free, " +
          std::string(nothing_live) + " held without a live slot, " + std::string(shared_whole) +
          ' ' + std::string(shared_holed) + " shared without and with holes.";
  if (style.color) text += " Color = sequence.";
  out << wrapped(text, style.columns) << '\n';
}

}  // namespace vacancy
