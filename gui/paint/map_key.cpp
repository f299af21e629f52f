// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/map_key.hpp"

#include <QFontMetrics>
#include <QStringList>
#include <vector>

#include "gui/paint/fonts.hpp"
#include "gui/paint/hatch.hpp"

namespace vacancy::gui {
namespace {

constexpr int swatch = 15, beside_swatch = swatch + 8, two_lines_from = 31;

QString utf8(std::string_view s) {
  return QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size()));
}

QString words(const char* text) {
  return QString::fromUtf8(text);
}

/// The colours side by side and what stands below them: a word below each, or one line for all.
struct RampText {
  QString name;
  std::vector<QRgb> colours;
  QStringList below;
};

RampText ramp_of(Colouring colouring, const Palette& palette) {
  RampText r{utf8(colouring_name(colouring)), {score_ramp.begin(), score_ramp.end()}, {}};
  switch (colouring) {
    case Colouring::age:
      r.name = words("Age, logarithmic");
      r.colours.assign(age_ramp.begin(), age_ramp.end());
      r.below = {words("1 µs"), {}, words("3 ms"), {}, words("10 s")};
      break;
    case Colouring::score:
      r.below = {words("0"), {}, {}, {}, words("1")};
      break;
    case Colouring::references:
      r.below = {words("1"), words("2"), words("3–4"), words("5–8"), words("9+")};
      break;
    case Colouring::precision:
      r.name = words("Precision in bits");
      r.below = {words("2"), words("4"), words("8"), words("16"), words("32")};
      break;
    default:
      r.colours.assign(palette.sequences.begin(), palette.sequences.end());
      r.below = {words("its number mod 12")};
      break;
  }
  return r;
}

}  // namespace

void draw_swatch(QPainter& painter, const QRect& box, BlockClass c, const Palette& palette,
                 Colouring colouring) {
  painter.save();
  painter.setBrushOrigin(box.topLeft());
  const double scale = painter.device()->devicePixelRatioF();
  const bool live = c == BlockClass::live || c == BlockClass::shared || c == BlockClass::pinned;
  if (colouring == Colouring::state || c == BlockClass::free) {
    painter.fillRect(box, Hatch(palette, c, scale).brush());
  } else if (live || colouring == Colouring::age) {
    const std::vector<QRgb> colours = ramp_of(colouring, palette).colours;
    for (std::size_t i = 0; i < colours.size(); ++i) {
      const double wide = static_cast<double>(box.width()) / static_cast<double>(colours.size());
      painter.fillRect(
          QRectF(box.left() + static_cast<double>(i) * wide, box.top(), wide, box.height()),
          QColor(colours[i]));
    }
  } else {  // as the map has them: textures without their colours
    painter.fillRect(box,
                     Hatch(c, palette.of(BlockClass::free), palette.field_border, scale).brush());
  }
  if (c == BlockClass::shared)
    for (const int x : {3, 7})
      painter.fillRect(QRect(box.left() + x, box.top() + 3, 2, 6), QColor(palette.halo));
  if (c == BlockClass::pinned) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(palette.panel));
    const QPointF p = box.topLeft();
    painter.drawPolygon(QPolygonF({p, p + QPointF(7, 0), p + QPointF(0, 7)}));
  }
  if (c == BlockClass::free) {
    painter.setPen(QColor(palette.field_border));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(0, 0, -1, -1));
  }
  painter.restore();
}

void paint_class_row(QPainter& painter, const QRect& box, const LegendRow& row,
                     const Palette& palette, Colouring colouring) {
  const bool two_lines = box.height() >= two_lines_from;
  draw_swatch(painter, QRect(box.left(), box.top() + 2, swatch, swatch),
              static_cast<BlockClass>(row.slot_class), palette, colouring);
  const QRect first(box.left() + beside_swatch, box.top(), box.width() - beside_swatch, 18);
  const QRect numbers = two_lines ? first.translated(0, 16) : first;
  const QString share = utf8(row.share);
  painter.setFont(ui_font(11.5));
  painter.setPen(QColor(palette.ink_2));
  painter.drawText(numbers, Qt::AlignRight | Qt::AlignVCenter, share);
  const QFontMetrics metrics(painter.font());
  const int share_wide = metrics.horizontalAdvance(share);
  const QString count = utf8(row.count);
  if (two_lines && metrics.horizontalAdvance(count) + 6 + share_wide <= numbers.width())
    painter.drawText(numbers, Qt::AlignLeft | Qt::AlignVCenter, count);
  const int beside = two_lines ? 0 : share_wide + 4;
  const QString name = utf8(class_name(row.slot_class));
  const int room = first.width() - beside;
  painter.setFont(fitting_font(name, room, two_lines ? 12.5 : 12));
  painter.setPen(QColor(palette.ink));
  painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetrics(painter.font()).elidedText(name, Qt::ElideRight, room));
}

void paint_ramp(QPainter& painter, const QRect& box, Colouring colouring, const Palette& palette) {
  const RampText ramp = ramp_of(colouring, palette);
  painter.setPen(QColor(palette.ink_2));
  painter.setFont(ui_font(12, true));
  painter.drawText(QRect(box.left(), box.top(), box.width(), 16), Qt::AlignLeft, ramp.name);
  const int count = static_cast<int>(ramp.colours.size()), wide = box.width() / count;
  for (int i = 0; i < count; ++i)
    painter.fillRect(box.left() + i * wide, box.top() + 20, wide, 12,
                     QColor(ramp.colours[static_cast<std::size_t>(i)]));
  painter.setFont(ui_font(11));
  const int each = wide * count / static_cast<int>(ramp.below.size());
  for (int i = 0; i < ramp.below.size(); ++i)
    painter.drawText(QRect(box.left() + i * each, box.top() + 35, each, 16),
                     ramp.below.size() > 1 ? Qt::AlignHCenter : Qt::AlignLeft, ramp.below[i]);
}

void paint_frame_row(QPainter& painter, const QRect& box, const FrameKey& key,
                     const Palette& palette) {
  painter.setPen(QPen(QColor(key.ink), key.width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
  painter.setBrush(QColor(palette.panel));
  painter.drawRect(QRect(box.left() + 2, box.top() + 3, 11, 11));
  painter.setPen(QColor(palette.ink));
  const int room = box.width() - beside_swatch;
  painter.setFont(fitting_font(key.name, room, 12));
  painter.drawText(QRect(box.left() + beside_swatch, box.top(), room, 18),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetrics(painter.font()).elidedText(key.name, Qt::ElideRight, room));
}

}  // namespace vacancy::gui
