// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/icons.hpp"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPixmap>
#include <charconv>

#include "gui/paint/hatch.hpp"

namespace vacancy::gui {
namespace {

// M x y: go there; L x y: line; Q cx cy x y: curve; O x y r: circle; R x y w h: box; A x y r from
// sweep: arc in degrees, counterclockwise from the right; Z: close.
constexpr std::array<std::string_view, icon_count> drawings = {
    /* open */ "M2 13 L2 3.5 L6 3.5 L7.5 5.5 L13 5.5 L13 7.5 M2 13 L4.5 7.5 L15 7.5 L12.5 13 Z",
    /* save */
    "M2.5 2.5 L11 2.5 L13.5 5 L13.5 13.5 L2.5 13.5 Z M5 2.5 L5 5.5 L9.5 5.5 L9.5 2.5 "
    "M4.8 13.5 L4.8 9 L11.2 9 L11.2 13.5",
    /* reload */ "A8 8 5.2 50 290 M13.4 2 L13.4 5.4 L10 5.4",
    /* share */ "M8 10 L8 2 M5 5 L8 2 L11 5 M2.5 9.5 L2.5 13.5 L13.5 13.5 L13.5 9.5",
    /* undo */ "M5.5 3 L2.5 6 L5.5 9 M2.5 6 L10 6 Q13.5 6 13.5 9.5 Q13.5 12.5 10 12.5 L7 12.5",
    /* redo */ "M10.5 3 L13.5 6 L10.5 9 M13.5 6 L6 6 Q2.5 6 2.5 9.5 Q2.5 12.5 6 12.5 L9 12.5",
    /* compare */ "R2.5 3 4.5 10 R9 3 4.5 10",
    /* search */ "O7 7 4.2 M10.2 10.2 L13.8 13.8",
    /* play */ "M4.5 2.5 L13 8 L4.5 13.5 Z",
    /* pause */ "M5.5 3 L5.5 13 M10.5 3 L10.5 13",
    /* forward */ "M4 3.5 L10 8 L4 12.5 Z M12.5 3.5 L12.5 12.5",
    /* back */ "M12 3.5 L6 8 L12 12.5 Z M3.5 3.5 L3.5 12.5",
    /* first */ "M7.5 3.5 L3 8 L7.5 12.5 M12.5 3.5 L8 8 L12.5 12.5",
    /* last */ "M8.5 3.5 L13 8 L8.5 12.5 M3.5 3.5 L8 8 L3.5 12.5",
    /* plus */ "M8 3 L8 13 M3 8 L13 8",
    /* minus */ "M3 8 L13 8",
    /* fit */
    "M2.5 5.5 L2.5 2.5 L5.5 2.5 M10.5 2.5 L13.5 2.5 L13.5 5.5 M13.5 10.5 L13.5 13.5 "
    "L10.5 13.5 M5.5 13.5 L2.5 13.5 L2.5 10.5",
    /* chevron_down */ "M4.5 6.5 L8 10 L11.5 6.5",
    /* chevron_right */ "M6.5 4.5 L10 8 L6.5 11.5",
    /* close */ "M4 4 L12 12 M12 4 L4 12",
    /* help */ "A8 5.6 2.6 180 -250 M8 7.9 L8 9.6 M8 12.4 L8 12.5",
    /* lock */ "R3.5 7 9 6.5 M5.5 7 L5.5 5 Q5.5 2.5 8 2.5 Q10.5 2.5 10.5 5 L10.5 7",
    /* pin */ "M5.5 2.5 L10.5 2.5 M6.5 2.5 L6.5 6.5 L4 9.5 L12 9.5 L9.5 6.5 L9.5 2.5 M8 9.5 L8 14",
    /* warning */ "M8 2.5 L14 13 L2 13 Z M8 6.5 L8 9.3 M8 11.2 L8 11.3",
    /* error */ "O8 8 5.8 M8 4.8 L8 8.6 M8 10.9 L8 11",
    /* check */ "M3 8.5 L6.5 12 L13 4.5",
    /* table */ "R2.5 3 11 10 M2.5 6.5 L13.5 6.5 M6.5 6.5 L6.5 13",
    /* tree */ "R2.5 2 4 3 R9.5 6.5 4 3 R9.5 11 4 3 M4.5 5 L4.5 12.5 L9.5 12.5 M4.5 8 L9.5 8",
    /* queue */ "M2.5 4 L13.5 4 M2.5 8 L9 8 M2.5 12 L9 12 M12 7.5 L12 13 M10 11 L12 13 L14 11",
    /* drop */ "M8 2 L8 9.5 M4.8 6.5 L8 9.7 L11.2 6.5 M2.5 10.5 L2.5 13.5 L13.5 13.5 L13.5 10.5",
    /* bolt */ "M9 1.8 L3.5 9 L7.5 9 L7 14.2 L12.5 7 L8.5 7 Z",
    /* run */ "O8 8 5.8 M6.5 5.5 L10.5 8 L6.5 10.5 Z",
    /* book */
    "M8 4 L8 13.5 M8 4 Q5.5 2.3 2.5 2.7 L2.5 12 Q5.5 11.8 8 13.5 M8 4 Q10.5 2.3 13.5 "
    "2.7 L13.5 12 Q10.5 11.8 8 13.5",
};

class Strokes {
 public:
  explicit Strokes(std::string_view text) : text_(text) {}

  QPainterPath path() {
    QPainterPath p;
    while (const char c = letter()) {
      const auto next = [this] { return number(); };
      switch (c) {
        case 'M': {
          const double x = next(), y = next();
          p.moveTo(x, y);
          break;
        }
        case 'L': {
          const double x = next(), y = next();
          p.lineTo(x, y);
          break;
        }
        case 'Q': {
          const double cx = next(), cy = next(), x = next(), y = next();
          p.quadTo(cx, cy, x, y);
          break;
        }
        case 'O': {
          const double x = next(), y = next(), r = next();
          p.addEllipse(QPointF(x, y), r, r);
          break;
        }
        case 'R': {
          const double x = next(), y = next(), w = next(), h = next();
          p.addRoundedRect(x, y, w, h, 1, 1);
          break;
        }
        case 'A': {
          const double x = next(), y = next(), r = next(), from = next(), sweep = next();
          const QRectF box(x - r, y - r, 2 * r, 2 * r);
          p.arcMoveTo(box, from);
          p.arcTo(box, from, sweep);
          break;
        }
        default:
          p.closeSubpath();
      }
    }
    return p;
  }

 private:
  char letter() {
    while (!text_.empty() && text_.front() == ' ')
      text_.remove_prefix(1);
    if (text_.empty()) return 0;
    const char c = text_.front();
    text_.remove_prefix(1);
    return c;
  }
  double number() {
    while (!text_.empty() && text_.front() == ' ')
      text_.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  std::string_view text_;
};

class PathEngine final : public QIconEngine {
 public:
  PathEngine(Icon icon, bool on_accent) : icon_(icon), on_accent_(on_accent) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    const Palette& p = palette_of(application_theme());
    QRgb ink = on_accent_ ? p.on_accent : p.ink_2;
    if (mode == QIcon::Disabled) ink = mix(p.panel, p.ink_3, 0.5);
    draw_icon(*painter, icon_, rect, QColor(ink));
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap result(size);
    result.fill(Qt::transparent);
    QPainter painter(&result);
    paint(&painter, QRect(QPoint(0, 0), size), mode, state);
    return result;
  }
  QIconEngine* clone() const override { return new PathEngine(*this); }

 private:
  Icon icon_;
  bool on_accent_;
};

QPolygonF triangle(QPointF centre, double half, double turn) {
  QTransform t;
  t.translate(centre.x(), centre.y());
  t.rotate(turn);
  return t.map(QPolygonF({{0, -half}, {half, half * 0.8}, {-half, half * 0.8}}));
}

}  // namespace

QPainterPath icon_path(Icon icon) {
  return Strokes(drawings[static_cast<std::size_t>(icon)]).path();
}

bool icon_is_filled(Icon icon) {
  return icon == Icon::play;
}

void draw_icon(QPainter& painter, Icon icon, const QRectF& box, QColor ink) {
  if (icon == Icon::none) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const double scale = std::min(box.width(), box.height()) / 16;
  painter.translate(box.center() - QPointF(8, 8) * scale);
  painter.scale(scale, scale);
  if (icon_is_filled(icon)) {
    painter.fillPath(icon_path(icon), ink);
  } else {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(ink, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(icon_path(icon));
  }
  painter.restore();
}

QIcon make_icon(Icon icon, bool on_accent) {
  return icon == Icon::none ? QIcon() : QIcon(new PathEngine(icon, on_accent));
}

QRgb glyph_colour(Glyph glyph, const Palette& palette) {
  switch (glyph) {
    case Glyph::evict:
      return palette.of(BlockClass::hole);
    case Glyph::reclaim:
      return palette.of(BlockClass::live);
    case Glyph::admit:
      return palette.of(BlockClass::shared);
    case Glyph::preempt:
      return palette.error;
    case Glyph::divergence:
      return palette.ink;
    case Glyph::finish:
    case Glyph::other:
      break;
  }
  return palette.ink_2;
}

void draw_glyph(QPainter& painter, Glyph glyph, QPointF c, double size, const Palette& palette) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QColor colour(glyph_colour(glyph, palette));
  const double half = size / 2;
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  switch (glyph) {
    case Glyph::evict:
      painter.drawRect(QRectF(c.x() - half, c.y() - half, size, size));
      break;
    case Glyph::reclaim:
      painter.drawPolygon(triangle(c, half, 0));
      break;
    case Glyph::admit:
      painter.drawPolygon(triangle(c, half, 90));
      break;
    case Glyph::preempt:
      painter.drawPolygon(triangle(c, half, 180));
      break;
    case Glyph::divergence:
      painter.drawPolygon(QPolygonF({c + QPointF(0, -half), c + QPointF(half, 0),
                                     c + QPointF(0, half), c + QPointF(-half, 0)}));
      break;
    case Glyph::finish:
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(colour, 1.4));
      painter.drawEllipse(c, half - 0.7, half - 0.7);
      break;
    case Glyph::other:
      painter.drawEllipse(c, half * 0.4, half * 0.4);
      break;
  }
  painter.restore();
}

void draw_program_mark(QPainter& painter, const QRectF& box, const Palette& palette) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  const double gap = box.width() / 16, cell = (box.width() - gap) / 2;
  const BlockClass cells[] = {BlockClass::live, BlockClass::hole, BlockClass::free,
                              BlockClass::live};
  for (int i = 0; i < 4; ++i) {
    const QRectF at(box.x() + (i % 2) * (cell + gap), box.y() + (i / 2) * (cell + gap), cell, cell);
    painter.setBrush(Hatch(palette, cells[i], 1).brush());
    painter.setBrushOrigin(at.topLeft());
    painter.drawRoundedRect(at, cell / 10, cell / 10);
  }
  painter.restore();
}

QIcon program_icon() {
  QIcon icon;
  for (const int size : {16, 24, 32, 48, 64, 128, 256}) {
    QPixmap pixmap(size, size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    draw_program_mark(painter, QRectF(size * 0.04, size * 0.04, size * 0.92, size * 0.92),
                      palette_of(Theme::light));
    icon.addPixmap(pixmap);
  }
  return icon;
}

}  // namespace vacancy::gui
