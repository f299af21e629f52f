// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/compare_figures.hpp"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/paint/fonts.hpp"
#include "gui/paint/icons.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

constexpr int figure_height = 27, side_pad = 14;

double lean_of(double a, double b) {
  const double larger = std::max(std::abs(a), std::abs(b));
  return std::isnan(a) || std::isnan(b) || larger == 0 ? 0
                                                       : std::clamp((b - a) / larger, -1.0, 1.0);
}

double quotient(double part, double whole) {
  return whole == 0 ? std::nan("") : part / whole;
}

class Rows {
 public:
  void count(const QString& name, std::uint64_t a, std::uint64_t b) {
    rows.push_back(
        {name, grouped(a), grouped(b),
         text_of(difference(static_cast<std::int64_t>(b) - static_cast<std::int64_t>(a))),
         lean_of(static_cast<double>(a), static_cast<double>(b))});
  }
  void ratio(const QString& name, double a, double b) {
    rows.push_back(
        {name, text_of(percent(a)), text_of(percent(b)),
         std::isnan(a) || std::isnan(b) ? QStringLiteral("–") : text_of(difference_pp(b - a)),
         lean_of(a, b)});
  }
  void decimal_number(const QString& name, double a, double b, int places) {
    const auto text = [places](double v) {
      return std::isnan(v) ? QStringLiteral("–") : text_of(decimal(v, places));
    };
    rows.push_back(
        {name, text(a), text(b),
         std::isnan(a) || std::isnan(b) ? QStringLiteral("–") : text_of(difference(b - a, places)),
         lean_of(a, b)});
  }
  std::vector<CompareRow> rows;
};

}  // namespace

std::vector<CompareRow> compare_rows(const RunSession& a, const RunSession& b) {
  struct Side {
    const ReplicaFigures& f;
    double evicted, freed, efficiency;
    std::uint64_t peak;
  };
  const auto side = [](const RunSession& s) {
    const ReplicaFigures& f = s.replica().figures();
    const ReplicaShape& shape = s.recording().shape();
    std::vector<SeriesColumn> held;
    s.recording().series().query(SeriesId::held_blocks, {0, s.time_ns() + 1}, 1, held);
    return Side{
        f, static_cast<double>(s.evicted_tokens()), static_cast<double>(f.blocks_freed),
        reclaim_efficiency(f.blocks_freed, shape.block_size,
                           static_cast<std::int64_t>(f.evicted_set_tokens), shape.sets_per_table()),
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, held.front().max))};
  };
  const Side x = side(a), y = side(b);
  const auto slots_of = [](const Side& s, SlotClass c) {
    return static_cast<double>(s.f.slots[c]);
  };
  const auto of_held = [&](const Side& s, SlotClass c) {
    return quotient(slots_of(s, c), static_cast<double>(s.f.slots.held()));
  };
  constexpr double gib = 1024.0 * 1024 * 1024;
  Rows r;
  r.count(QObject::tr("Tokens evicted"), a.evicted_tokens(), b.evicted_tokens());
  r.decimal_number(QObject::tr("Blocks freed"), x.freed, y.freed, 0);
  r.decimal_number(QObject::tr("… per 1,000 evicted"), quotient(x.freed * 1000, x.evicted),
                   quotient(y.freed * 1000, y.evicted), 1);
  r.ratio(QObject::tr("Reclaim efficiency"), x.efficiency, y.efficiency);
  r.ratio(QObject::tr("Hole ratio"), of_held(x, SlotClass::hole), of_held(y, SlotClass::hole));
  r.ratio(QObject::tr("Tail ratio"), of_held(x, SlotClass::tail), of_held(y, SlotClass::tail));
  r.count(QObject::tr("Held blocks"), x.f.held_blocks, y.f.held_blocks);
  r.count(QObject::tr("Peak held blocks"), x.peak, y.peak);
  r.count(QObject::tr("Cached-free blocks"), x.f.cached_free_blocks, y.f.cached_free_blocks);
  r.decimal_number(QObject::tr("Moved, GiB"), static_cast<double>(x.f.moved_bytes) / gib,
                   static_cast<double>(y.f.moved_bytes) / gib, 1);
  r.count(QObject::tr("Running"), x.f.running, y.f.running);
  r.count(QObject::tr("Waiting"), x.f.waiting, y.f.waiting);
  r.count(QObject::tr("Preemptions"), x.f.preempted, y.f.preempted);
  r.count(QObject::tr("Prefix hits, tokens"), x.f.hit_tokens, y.f.hit_tokens);
  return r.rows;
}

CompareFigures::CompareFigures(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Figures of both runs"));
  setMinimumWidth(280);
}

void CompareFigures::show_rows(std::vector<CompareRow> rows, std::int64_t time_ns) {
  rows_ = std::move(rows);
  time_ = text_of(seconds(time_ns));
  QString all = tr("At %1. ").arg(time_);
  for (const CompareRow& row : rows_)
    all += tr("%1: A %2, B %3, %4. ").arg(row.name, row.a, row.b, row.difference);
  setAccessibleDescription(all);
  update();
}

void CompareFigures::set_divergence(const QString& title, const QString& sentence) {
  divergence_title_ = title;
  divergence_ = sentence;
  update();
}

void CompareFigures::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& p = palette_of(application_theme());
  painter.fillRect(rect(), QColor(p.panel));
  const int wide = width() - 2 * side_pad;
  int y = 12;
  if (!divergence_title_.isEmpty()) {
    painter.setFont(ui_font(12.5));
    const QRect words =
        QFontMetrics(painter.font())
            .boundingRect(QRect(0, 0, wide - 24, 400), Qt::TextWordWrap, divergence_);
    const QRect box(side_pad, y, wide, words.height() + 44);
    painter.fillRect(box, QColor(p.accent_tint));
    painter.fillRect(QRect(box.topLeft(), QSize(3, box.height())), QColor(p.accent));
    draw_glyph(painter, Glyph::divergence, QPointF(box.left() + 20, box.top() + 19), 10, p);
    painter.setPen(QColor(p.ink));
    painter.drawText(QRect(box.left() + 14, box.top() + 34, wide - 24, words.height()),
                     Qt::TextWordWrap, divergence_);
    painter.setFont(ui_font(13, true));
    painter.drawText(QRect(box.left() + 34, box.top() + 8, wide - 44, 22),
                     Qt::AlignLeft | Qt::AlignVCenter, divergence_title_);
    y += box.height() + 10;
  }
  const int third = wide * 21 / 100, name = wide - 3 * third;
  const auto cell = [&](int column) {
    return QRect(side_pad + (column == 0 ? 0 : name + (column - 1) * third), y,
                 column == 0 ? name : third, figure_height);
  };
  const int right = static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  painter.setFont(ui_font(12));
  painter.setPen(QColor(p.ink_3));
  painter.drawText(cell(0), Qt::AlignLeft | Qt::AlignVCenter, tr("at %1").arg(time_));
  const QString heads[] = {QStringLiteral("A"), QStringLiteral("B"), QStringLiteral("B − A")};
  for (int c = 1; c <= 3; ++c)
    painter.drawText(cell(c).adjusted(0, 0, -6, 0), right, heads[c - 1]);
  y += figure_height;
  for (const CompareRow& row : rows_) {
    painter.fillRect(side_pad, y, wide, 1, QColor(p.rule));
    if (row.lean != 0) {
      const QRgb side = row.lean < 0 ? p.run_a : p.run_b;
      painter.fillRect(cell(3).adjusted(0, 1, 0, 0),
                       QColor(mix(p.panel, side, 0.08 + 0.32 * std::abs(row.lean))));
    }
    painter.setFont(ui_font(12.5));
    painter.setPen(QColor(p.ink));
    painter.drawText(cell(0), Qt::AlignLeft | Qt::AlignVCenter, row.name);
    painter.drawText(cell(1).adjusted(0, 0, -6, 0), right, row.a);
    painter.drawText(cell(2).adjusted(0, 0, -6, 0), right, row.b);
    painter.setPen(QColor(row.lean == 0 ? p.ink_2 : p.ink));
    painter.setFont(ui_font(12.5, std::abs(row.lean) > 0.5));
    painter.drawText(cell(3).adjusted(0, 0, -6, 0), right, row.difference);
    y += figure_height;
  }
  painter.fillRect(side_pad, y, wide, 1, QColor(p.rule));
  painter.setFont(ui_font(11.5));
  painter.setPen(QColor(p.ink_3));
  painter.drawText(
      QRect(side_pad, y + 8, wide, 34), Qt::TextWordWrap,
      tr("Tint = size of the relative difference; hue = which run has more. No verdict."));
  y += 46;
  for (const bool b : {false, true}) {
    for (int i = 0; i < 4; ++i)
      painter.fillRect(side_pad + i * 22, y, 22, 11,
                       QColor(mix(p.panel, b ? p.run_b : p.run_a, 0.08 + 0.32 * (i + 1) / 4.0)));
    painter.drawText(QRect(side_pad + 98, y - 4, wide - 98, 18), Qt::AlignLeft | Qt::AlignVCenter,
                     b ? tr("B more: small → large") : tr("A more: small → large"));
    y += 19;
  }
}

void CompareFigures::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) update();
  QWidget::changeEvent(event);
}

}  // namespace vacancy::gui
