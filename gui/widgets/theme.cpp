// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/theme.hpp"

#include <QPalette>
#include <QProxyStyle>
#include <QToolTip>

#include "gui/paint/fonts.hpp"

namespace vacancy::gui {
namespace {

/// What palette roles cannot say. Names in brackets are replaced by colours.
constexpr const char* sheet = R"(
QMainWindow, QDialog { background: [panel]; }
QMainWindow::separator { background: [rule]; width: 1px; height: 1px; }
QMenuBar { background: [panel]; padding: 2px 4px; }
QMenuBar::item { padding: 4px 10px; border-radius: 4px; background: transparent; color: [ink]; }
QMenuBar::item:selected { background: [tint]; }
QToolBar { background: [panel]; border: 0; border-bottom: 1px solid [rule]; spacing: 4px; padding: 3px 8px; }
QToolBar::separator { background: [rule]; width: 1px; margin: 5px 6px; }
QToolButton { border: 1px solid transparent; border-radius: 4px; padding: 4px; background: transparent; }
QToolButton:hover { background: [tint]; }
QToolButton:focus { border-color: [accent]; }
QToolButton:checked { background: [tint]; border-color: [accent]; }
QToolButton[framed="true"] { border-color: [border]; background: [panel]; }
QToolButton[framed="true"]:hover { background: [tint]; }
QToolButton[primary="true"] { border-color: [accent]; background: [accent]; color: [onaccent]; }
QToolButton[primary="true"]:disabled { border-color: [rule]; background: [rule]; }
QPushButton { border: 1px solid [border]; border-radius: 4px; padding: 4px 12px; background: [panel]; color: [ink]; }
QPushButton:hover { background: [tint]; }
QPushButton:focus { border-color: [accent]; }
QPushButton:disabled { color: [ink3]; border-color: [rule]; }
QPushButton[primary="true"] { background: [accent]; border-color: [accent]; color: [onaccent]; }
QPushButton[primary="true"]:disabled { background: [rule]; border-color: [rule]; color: [ink3]; }
QPushButton::menu-indicator { subcontrol-origin: border; subcontrol-position: center right; right: 6px; }
QPushButton[card="true"] { background: [header]; border-color: [rule]; border-radius: 6px; padding: 0; }
QPushButton[card="true"]:hover { background: [tint]; }
QPushButton[card="true"]:focus { border-color: [accent]; }
QPushButton[link="true"] { border: 0; background: transparent; color: [accent]; font-weight: bold; padding: 2px 4px; text-align: left; }
QDockWidget { color: [ink]; font-weight: bold; }
QDockWidget::title { background: [header]; border-bottom: 1px solid [rule]; padding: 7px 12px; text-align: left; }
QTabBar { background: [header]; qproperty-elideMode: ElideNone; qproperty-usesScrollButtons: true; }
QTabBar::tab { background: [header]; color: [ink2]; padding: 6px 12px; border: 0; border-top: 2px solid transparent; border-bottom: 1px solid [rule]; }
QTabBar::tab:selected { background: [panel]; color: [ink]; font-weight: bold; border-top: 2px solid [accent]; border-bottom: 1px solid [panel]; }
QTabBar::tab:focus { color: [accent]; }
QTabWidget::pane { border: 0; }
QSplitter::handle { background: [rule]; }
QScrollBar:vertical { background: [panel]; width: 10px; margin: 0; border: 0; }
QScrollBar:horizontal { background: [panel]; height: 10px; margin: 0; border: 0; }
QScrollBar::handle { background: [border]; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: [ink3]; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page { background: transparent; width: 0; height: 0; border: 0; }
QStatusBar { background: [header]; border-top: 1px solid [rule]; }
QStatusBar::item { border: 0; }
QToolTip { background: [panel]; color: [ink2]; border: 1px solid [border]; padding: 6px 8px; }
QLineEdit { border: 1px solid [border]; border-radius: 4px; padding: 3px 8px; background: [panel]; selection-background-color: [accent]; selection-color: [onaccent]; }
QLineEdit:focus { border-color: [accent]; }
QHeaderView::section { background: [panel]; color: [ink3]; border: 0; border-bottom: 1px solid [rule]; padding: 3px 8px; font-weight: normal; }
QTableView, QListView, QTreeView { border: 0; background: [panel]; outline: 0; gridline-color: [grid]; }
QTableView::item:selected, QListView::item:selected, QTreeView::item:selected { background: [tint]; color: [ink]; }
QProgressBar { border: 0; background: [rule]; border-radius: 3px; max-height: 6px; }
QProgressBar::chunk { background: [accent]; border-radius: 3px; }
QScrollArea { border: 0; background: [panel]; }
)";

/// Fusion whose tooltips do not keep one waiting and whose sliders are seen whole.
class ProgramStyle final : public QProxyStyle {
 public:
  using QProxyStyle::QProxyStyle;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* answer) const override {
    constexpr int tooltip_ms = 100;
    if (hint == SH_ToolTip_WakeUpDelay) return tooltip_ms;
    return QProxyStyle::styleHint(hint, option, widget, answer);
  }
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                         const QWidget* widget) const override {
    QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    // The handle above the ticks would begin two pixels above the slider.
    constexpr int cut_off = 2;
    if (type == CT_Slider) size.rheight() += 2 * cut_off;
    return size;
  }
};

QString filled(const Palette& p) {
  QString s = QString::fromLatin1(sheet);
  const std::pair<const char*, QRgb> names[] = {
      {"[panel]", p.panel},         {"[header]", p.header}, {"[rule]", p.rule},
      {"[border]", p.field_border}, {"[ink]", p.ink},       {"[ink2]", p.ink_2},
      {"[ink3]", p.ink_3},          {"[accent]", p.accent}, {"[onaccent]", p.on_accent},
      {"[tint]", p.accent_tint},    {"[grid]", p.grid_line}};
  for (const auto& [name, colour] : names)
    s.replace(QLatin1String(name), QColor(colour).name());
  return s;
}

/// Of controls with an outline. Fusion draws it 1.4 times darker than the window, which on a dark
/// window is no outline at all: their window is what makes it the field's border.
QPalette outlined_palette(Theme theme) {
  QPalette q = widget_palette(theme);
  q.setColor(QPalette::Window, QColor(palette_of(theme).field_border).lighter(140));
  return q;
}

}  // namespace

QPalette widget_palette(Theme theme) {
  const Palette& p = palette_of(theme);
  QPalette q;
  q.setColor(QPalette::Window, QColor(p.panel));
  q.setColor(QPalette::Base, QColor(p.panel));
  q.setColor(QPalette::AlternateBase, QColor(p.header));
  q.setColor(QPalette::Button, QColor(p.panel));
  q.setColor(QPalette::WindowText, QColor(p.ink));
  q.setColor(QPalette::Text, QColor(p.ink));
  q.setColor(QPalette::ButtonText, QColor(p.ink));
  q.setColor(QPalette::PlaceholderText, QColor(p.ink_3));
  q.setColor(QPalette::Highlight, QColor(p.accent));
  q.setColor(QPalette::HighlightedText, QColor(p.on_accent));
  q.setColor(QPalette::Link, QColor(p.accent));
  q.setColor(QPalette::LinkVisited, QColor(p.accent));
  q.setColor(QPalette::ToolTipBase, QColor(p.panel));
  q.setColor(QPalette::ToolTipText, QColor(p.ink_2));
  q.setColor(QPalette::Light, QColor(p.header));
  q.setColor(QPalette::Midlight, QColor(p.rule));
  q.setColor(QPalette::Mid, QColor(p.field_border));
  q.setColor(QPalette::Dark, QColor(p.field_border));
  q.setColor(QPalette::Shadow, QColor(p.rule));
  for (const QPalette::ColorRole role :
       {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    q.setColor(QPalette::Disabled, role, QColor(mix(p.panel, p.ink_3, 0.7)));
  return q;
}

void set_theme(QApplication& application, Theme theme) {
  QApplication::setStyle(new ProgramStyle(QStringLiteral("Fusion")));
  QApplication::setFont(application_font());
  QApplication::setPalette(widget_palette(theme));
  for (const char* control : {"QAbstractSpinBox", "QComboBox", "QCheckBox", "QSlider", "QMenu"})
    QApplication::setPalette(outlined_palette(theme), control);
  QToolTip::setPalette(widget_palette(theme));
  application.setStyleSheet(filled(palette_of(theme)));
}

}  // namespace vacancy::gui
