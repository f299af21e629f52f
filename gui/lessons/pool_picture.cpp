// SPDX-License-Identifier: Apache-2.0
#include "gui/lessons/pool_picture.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/model/form/qt_text.hpp"
#include "gui/paint/fonts.hpp"
#include "gui/paint/hatch.hpp"
#include "sim/units/format.hpp"

namespace vacancy::gui {

namespace {

constexpr int legend_height = 210;  // beside a table
constexpr int legend_width = 200, legend_gap = 20, largest_pitch = 64, hatch_from = 12;
constexpr int numbered_from = 40;
constexpr int address_gutter = 44;
constexpr int cells_height = 360;                                        // at most
constexpr int table_height = 190, place_height = 46, place_width = 116;  // of a block table
constexpr int round_columns_from = 20, round_to = 10;
constexpr double address_size = 10.5, legend_size = 12;

struct Kind {
  const char* name;
  BlockClass of;
  PoolCount count;
};
constexpr std::array<Kind, 3> kinds = {{{"Live", BlockClass::live, PoolCount::live_slots},
                                        {"Hole", BlockClass::hole, PoolCount::hole_slots},
                                        {"Tail", BlockClass::tail, PoolCount::tail_slots}}};

QString grouped(std::uint64_t count) {
  return qt(format_count(count));
}

QString share(std::uint64_t part, std::uint64_t whole) {
  return qt(format_percent(whole == 0 ? 0 : double(part) / double(whole)));
}

void paint_cell(QPainter& painter, const QRectF& cell, const BlockCell& block,
                std::uint32_t block_size, const Palette& palette) {
  // Half a pixel where the screen has one.
  const bool fine = cell.width() >= 3 && painter.device()->devicePixelRatioF() >= 2;
  const double gap = cell.width() >= 5 ? 1 : fine ? 0.5 : 0;
  const QRectF inside = cell.adjusted(0, 0, -gap, -gap);
  painter.fillRect(inside, QColor(palette.of(BlockClass::free)));
  if (block.free()) return;
  const std::array<std::uint32_t, 3> slots = {block.live, block.fill - block.live,
                                              block_size - block.fill};
  double bottom = inside.bottom();
  std::uint32_t below = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (slots[i] == 0) continue;
    below += slots[i];
    // Whole pixels, so that equal blocks look equal; the last kind reaches the top.
    double top = std::round(inside.bottom() - inside.height() * below / block_size);
    if (below == block_size) top = inside.top();
    top = std::min(top, bottom - 1);
    const QRectF part(inside.left(), std::max(top, inside.top()), inside.width(),
                      bottom - std::max(top, inside.top()));
    const bool hatched = cell.width() >= hatch_from;
    painter.fillRect(
        part, hatched ? Hatch(palette, kinds[i].of, painter.device()->devicePixelRatioF()).brush()
                      : QBrush(QColor(palette.of(kinds[i].of))));
    bottom = top;
  }
}

}  // namespace

QRectF CellGrid::cell(std::uint32_t block) const {
  const int column = static_cast<int>(block) % columns, row = static_cast<int>(block) / columns;
  return {double(gutter + column * pitch), double(row * pitch), double(pitch), double(pitch)};
}

std::optional<std::uint32_t> CellGrid::block_at(QPointF position, std::size_t blocks) const {
  const int column = static_cast<int>(std::floor((position.x() - gutter) / pitch));
  const int row = static_cast<int>(std::floor(position.y() / pitch));
  if (column < 0 || column >= columns || row < 0) return std::nullopt;
  const auto block = static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                     static_cast<std::size_t>(column);
  if (block >= blocks) return std::nullopt;
  return static_cast<std::uint32_t>(block);
}

CellGrid grid_for(std::size_t blocks, QSize size, int gutter) {
  CellGrid grid;
  grid.gutter = gutter;
  const int width = std::max(size.width() - grid.gutter, 1);
  const int count = std::max(static_cast<int>(blocks), 1);
  for (grid.pitch = largest_pitch; grid.pitch >= 1; --grid.pitch) {
    grid.columns = std::clamp(width / grid.pitch, 1, count);
    if (grid.columns >= round_columns_from) grid.columns -= grid.columns % round_to;
    grid.rows = (count + grid.columns - 1) / grid.columns;
    if (grid.rows * grid.pitch <= size.height()) break;
  }
  grid.pitch = std::max(grid.pitch, 1);
  return grid;
}

QString pool_text(const PoolState& state) {
  const std::uint64_t blocks = state.count(PoolCount::blocks);
  return QObject::tr("%1 blocks of %2 slots: %3 held, %4 free; %5 slots live, %6 holes, %7 tail.")
      .arg(grouped(blocks), grouped(state.pool.block_size),
           grouped(state.count(PoolCount::held_blocks)),
           grouped(state.count(PoolCount::free_blocks)),
           grouped(state.count(PoolCount::live_slots)), grouped(state.count(PoolCount::hole_slots)),
           grouped(state.count(PoolCount::tail_slots)));
}

QPixmap pool_thumbnail(const PoolState& state, QSize size) {
  constexpr int scale = 2;
  QPixmap picture(size * scale);
  picture.setDevicePixelRatio(scale);
  const Palette& palette = palette_of(application_theme());
  picture.fill(QColor(palette.panel));
  QPainter painter(&picture);
  const CellGrid grid = grid_for(state.pool.cells.size(), size, 0);
  for (std::uint32_t i = 0; i < state.pool.cells.size(); ++i)
    paint_cell(painter, grid.cell(i), state.pool.cells[i], state.pool.block_size, palette);
  return picture;
}

PoolPicture::PoolPicture(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  setAccessibleName(tr("Blocks of the pool"));
}

void PoolPicture::set_state(std::shared_ptr<const PoolState> state,
                            std::vector<std::uint32_t> highlight) {
  state_ = std::move(state);
  highlight_ = std::move(highlight);
  cursor_ = 0;
  describe();
  update();
}

void PoolPicture::set_promise(const QString& words) {
  promise_ = words;
  describe();
  update();
}

void PoolPicture::set_table(std::optional<TableState> table) {
  table_ = std::move(table);
  describe();
  updateGeometry();
  update();
}

QSize PoolPicture::sizeHint() const {
  return {900, cells_height + (table_ ? table_height : 0)};
}

void PoolPicture::set_picking(bool on) {
  picking_ = on;
  picked_.clear();
  setFocusPolicy(on ? Qt::StrongFocus : Qt::NoFocus);
  setCursor(on ? Qt::PointingHandCursor : Qt::ArrowCursor);
  describe();
  update();
}

void PoolPicture::set_picked(const std::vector<std::uint32_t>& blocks) {
  picked_ = {blocks.begin(), blocks.end()};
  update();
}

void PoolPicture::describe() {
  QString text = state_ ? pool_text(*state_) : QString();
  if (table_) {
    QStringList places;
    for (std::size_t i = 0; i < table_->blocks.size(); ++i)
      if (table_->blocks[i])
        places << tr("place %1: block %2").arg(i).arg(table_->blocks[i]->value());
    text += ' ' + tr("Block table: %1.").arg(places.join(QStringLiteral(", ")));
  }
  if (!promise_.isEmpty()) text += ' ' + promise_ + '.';
  if (picking_)
    text += ' ' + tr("Block %1, %2. Arrow keys move, the space bar picks.")
                      .arg(cursor_)
                      .arg(picked_.contains(cursor_) ? tr("picked") : tr("not picked"));
  setAccessibleDescription(text);
}

QString PoolPicture::caption() const {
  if (!state_) return {};
  QString text = tr("1 cell = 1 block of %1 slots · height = share of slots · a row = %2 blocks")
                     .arg(state_->pool.block_size)
                     .arg(grid().columns);
  if (state_->pool.block_size == 1) text.replace(tr("1 slots"), tr("1 slot"));
  return text;
}

CellGrid PoolPicture::grid() const {
  return grid_for(state_ ? state_->pool.cells.size() : 0,
                  {width() - legend_width - legend_gap,
                   std::min(cells_height, height() - (table_ ? table_height : 0))},
                  address_gutter);
}

void PoolPicture::paint_legend(QPainter& painter, const Palette& palette) const {
  const double x = width() - legend_width;
  const std::uint64_t all = state_->count(PoolCount::blocks) * state_->pool.block_size;
  double y = 0;
  const auto text = [&](double dx, const QString& words, QRgb ink, bool bold, int align) {
    painter.setFont(ui_font(legend_size, bold));
    painter.setPen(QColor(ink));
    painter.drawText(QRectF(x + dx, y, legend_width - dx, 18), align | Qt::AlignVCenter, words);
  };
  text(0, tr("Slots"), palette.ink, true, Qt::AlignLeft);
  y += 18;
  text(0, tr("%1 = 100 %").arg(grouped(all)), palette.ink_2, false, Qt::AlignLeft);
  y += 24;
  std::uint64_t held = 0;
  const auto row = [&](const QString& name, BlockClass of, std::uint64_t count) {
    const QRectF swatch(x, y + 2, 14, 14);
    painter.fillRect(swatch, Hatch(palette, of, devicePixelRatioF()).brush());
    painter.setPen(QColor(palette.field_border));
    painter.drawRect(swatch);
    text(24, name, palette.ink, false, Qt::AlignLeft);
    y += 18;
    text(24, grouped(count), palette.ink_2, false, Qt::AlignLeft);
    text(24, share(count, all), palette.ink_2, false, Qt::AlignRight);
    y += 24;
  };
  for (const Kind& kind : kinds) {
    const std::uint64_t count = state_->count(kind.count);
    held += count;
    if (kind.of == BlockClass::tail && count == 0) continue;
    row(tr(kind.name), kind.of, count);
  }
  row(tr("Free"), BlockClass::free, all - held);
  if (promise_.isEmpty()) return;
  painter.setPen(QColor(palette.rule));
  painter.drawLine(QPointF(x, y), QPointF(width(), y));
  y += 8;
  text(0, tr("Free now"), palette.ink_2, true, Qt::AlignLeft);
  y += 20;
  painter.setFont(ui_font(18, true));
  painter.setPen(QColor(palette.ink));
  painter.drawText(
      QRectF(x, y, legend_width, 24), Qt::AlignLeft | Qt::AlignVCenter,
      qt(with_unit(static_cast<double>(state_->count(PoolCount::free_blocks)), "blocks")));
  y += 24;
  text(0, promise_, palette.ink_2, false, Qt::AlignLeft);
}

/// The table's places in a row, a line from each to its block.
void PoolPicture::paint_table(QPainter& painter, const CellGrid& cells,
                              const Palette& palette) const {
  const int left = cells.gutter;
  const auto places = static_cast<int>(table_->blocks.size());
  const int top = cells.height() + 84;
  const int right = top > legend_height ? width() : width() - legend_width - legend_gap;
  const int wide = std::min(place_width, (right - left) / std::max(places, 1));
  const auto text = [&](const QRectF& box, const QString& words, QRgb ink, bool bold) {
    painter.setFont(fitting_font(words, static_cast<int>(box.width()) - 4, legend_size, bold));
    painter.setPen(QColor(ink));
    painter.drawText(box, Qt::AlignCenter, words);
  };
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  for (int i = 0; i < places; ++i) {
    const QRectF place(left + i * wide + 0.5, top + 0.5, wide - 1, place_height);
    const auto block = table_->blocks[static_cast<std::size_t>(i)];
    painter.setPen(QPen(QColor(palette.field_border), 1));
    painter.setBrush(QColor(palette.header));
    painter.drawRect(place);
    text(QRectF(place.left(), place.top() + 4, place.width(), 19),
         block ? tr("block %1").arg(block->value()) : QStringLiteral("–"), palette.ink, true);
    const std::uint32_t first = static_cast<std::uint32_t>(i) * state_->pool.block_size;
    const std::uint32_t end = std::min(first + state_->pool.block_size, table_->length);
    if (first < end)
      text(QRectF(place.left(), place.top() + 23, place.width(), 18),
           first + 1 == end ? tr("token %1").arg(first)
                            : tr("tokens %1 – %2").arg(first).arg(end - 1),
           palette.ink_2, false);
    text(QRectF(place.left(), place.bottom() + 3, place.width(), 18), tr("place %1").arg(i),
         palette.ink_3, false);
    if (!block || block->value() >= state_->pool.cells.size()) continue;
    const QRectF cell = cells.cell(block->value());
    const QPointF from(place.center().x(), place.top()), to(cell.center().x(), cell.bottom() + 2);
    QPainterPath way(from);
    const double bow = (from.y() - to.y()) / 2;
    way.cubicTo(from - QPointF(0, bow), to + QPointF(0, bow), to + QPointF(0, 6));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(palette.halo), 5));
    painter.drawPath(way);
    painter.setPen(QPen(QColor(palette.ink), 1.8));
    painter.drawPath(way);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(palette.ink));
    painter.drawPolygon(QPolygonF({to, to + QPointF(-4, 8), to + QPointF(4, 8)}));
  }
  painter.setFont(ui_font(legend_size, true));
  painter.setPen(QColor(palette.ink));
  painter.drawText(QRectF(left, top + place_height + 26, width() - left, 18), Qt::AlignLeft,
                   tr("Block table of request %1").arg(table_->sequence.value()));
  painter.restore();
}

void PoolPicture::paintEvent(QPaintEvent*) {
  if (!state_) return;
  const Palette& palette = palette_of(application_theme());
  QPainter painter(this);
  const CellGrid cells = grid();
  const auto& blocks = state_->pool.cells;
  painter.setFont(ui_font(address_size));
  painter.setPen(QColor(palette.ink_3));
  const int every = std::max((cells.rows + 4) / 5, (16 + cells.pitch - 1) / cells.pitch);
  for (int row = 0; row < cells.rows; row += every)
    painter.drawText(QRectF(0, row * cells.pitch - 2, cells.gutter - 6, 16), Qt::AlignRight,
                     grouped(std::uint64_t(row) * std::uint64_t(cells.columns)));
  for (std::uint32_t i = 0; i < blocks.size(); ++i)
    paint_cell(painter, cells.cell(i), blocks[i], state_->pool.block_size, palette);
  if (cells.pitch >= numbered_from) {
    painter.setFont(ui_font(address_size));
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
      const BlockCell& block = blocks[i];
      const BlockClass top = block.free()                           ? BlockClass::free
                             : block.fill < state_->pool.block_size ? BlockClass::tail
                             : block.live < block.fill              ? BlockClass::hole
                                                                    : BlockClass::live;
      painter.setPen(QColor(palette.label(top)));
      painter.drawText(cells.cell(i).adjusted(6, 4, 0, 0), Qt::AlignLeft | Qt::AlignTop,
                       QString::number(i));
    }
  }
  const auto outline = [&](std::uint32_t block, QRgb ink, double pen) {
    if (block >= blocks.size()) return;
    painter.setPen(QPen(QColor(ink), pen));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(cells.cell(block).adjusted(0.5, 0.5, -1.5, -1.5));
  };
  for (const std::uint32_t block : highlight_)
    outline(block, palette.ink, 2);
  for (const std::uint32_t block : picked_)
    outline(block, palette.accent, 3);
  if (picking_ && hasFocus()) {
    painter.setPen(QPen(QColor(palette.ink), 1, Qt::DashLine));
    painter.drawRect(cells.cell(cursor_).adjusted(3, 3, -4, -4));
  }
  if (table_) paint_table(painter, cells, palette);
  paint_legend(painter, palette);
}

void PoolPicture::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  Q_EMIT laid_out();
}

void PoolPicture::toggle(std::uint32_t block) {
  if (!picked_.insert(block).second) picked_.erase(block);
  cursor_ = block;
  describe();
  update();
  Q_EMIT picked_changed();
}

void PoolPicture::mousePressEvent(QMouseEvent* event) {
  if (!picking_ || !state_) return;
  if (const auto block = grid().block_at(event->position(), state_->pool.cells.size()))
    toggle(*block);
}

void PoolPicture::keyPressEvent(QKeyEvent* event) {
  if (!picking_ || !state_) return QWidget::keyPressEvent(event);
  const auto count = static_cast<std::int64_t>(state_->pool.cells.size());
  const int columns = grid().columns;
  std::int64_t step = 0;
  switch (event->key()) {
    case Qt::Key_Left:
      step = -1;
      break;
    case Qt::Key_Right:
      step = 1;
      break;
    case Qt::Key_Up:
      step = -columns;
      break;
    case Qt::Key_Down:
      step = columns;
      break;
    case Qt::Key_Space:
      return toggle(cursor_);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      Q_EMIT entered();
      return;
    default:
      return QWidget::keyPressEvent(event);
  }
  const std::int64_t next = std::int64_t{cursor_} + step;
  if (next >= 0 && next < count) cursor_ = static_cast<std::uint32_t>(next);
  describe();
  update();
}

}  // namespace vacancy::gui

#include "moc_pool_picture.cpp"
