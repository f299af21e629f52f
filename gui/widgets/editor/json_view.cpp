// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/editor/json_view.hpp"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QTextBlock>
#include <QToolTip>
#include <algorithm>

#include "gui/paint/fonts.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

namespace {

constexpr double code_size = 12.5;
constexpr int gutter_padding = 8;

QTextEdit::ExtraSelection tinted(const QTextBlock& block, QRgb tint) {
  QTextEdit::ExtraSelection selection;
  selection.cursor = QTextCursor(block);
  selection.format.setBackground(QColor(tint));
  selection.format.setProperty(QTextFormat::FullWidthSelection, true);
  return selection;
}

constexpr const char* byte_order_mark = "\xEF\xBB\xBF";

/// The text as an editor has it: lines end in \n alone, no byte order mark.
QString shown_text(const std::string& text) {
  const bool marked = text.starts_with(byte_order_mark);
  return QString::fromStdString(marked ? text.substr(3) : text)
      .replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
}

/// Back again, in the manner of the file.
std::string stored_text(QString shown, const std::string& file) {
  if (file.find("\r\n") != std::string::npos)
    shown.replace(QStringLiteral("\n"), QStringLiteral("\r\n"));
  return (file.starts_with(byte_order_mark) ? byte_order_mark : "") + shown.toStdString();
}

/// Not toPlainText(), which turns no-break spaces into others.
QString text_in(const QTextDocument& document) {
  return document.toRawText().replace(QChar::ParagraphSeparator, QLatin1Char('\n'));
}

}  // namespace

class LineNumbers final : public QWidget {
 public:
  explicit LineNumbers(JsonView* view) : QWidget(view), view_(view) {}

 protected:
  void paintEvent(QPaintEvent* event) override { view_->paint_gutter(event); }

 private:
  JsonView* view_;
};

JsonView::JsonView(ScenarioDocument& document, QWidget* parent)
    : QPlainTextEdit(parent), document_(document), gutter_(new LineNumbers(this)) {
  QFont font = code_font();
  font.setPixelSize(static_cast<int>(code_size));
  setFont(font);
  setLineWrapMode(NoWrap);
  setUndoRedoEnabled(false);  // the document's own
  setTabChangesFocus(true);
  setAccessibleName(tr("Scenario as JSON"));
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& area, int dy) {
    if (dy != 0)
      gutter_->scroll(0, dy);
    else
      gutter_->update(0, area.y(), gutter_->width(), area.height());
  });
  connect(this, &QPlainTextEdit::blockCountChanged, this,
          [this] { setViewportMargins(gutter_width(), 0, 0, 0); });
  connect(this, &QPlainTextEdit::textChanged, this, [this] {
    if (!refreshing_) document_.set_text(stored_text(text_in(*this->document()), document_.text()));
  });
  connect(&document_, &ScenarioDocument::text_changed, this, &JsonView::refresh);
  refresh();
}

void JsonView::refresh() {
  const QString text = shown_text(document_.text()), old = text_in(*document());
  if (text != old) {
    refreshing_ = true;
    // Only what differs, so that cursor and scroll bars stay.
    const qsizetype shorter = std::min(old.size(), text.size());
    qsizetype same = 0, same_end = 0;
    while (same < shorter && old[same] == text[same])
      ++same;
    while (same_end < shorter - same &&
           old[old.size() - 1 - same_end] == text[text.size() - 1 - same_end])
      ++same_end;
    QTextCursor edit(document());
    edit.setPosition(static_cast<int>(same));
    edit.setPosition(static_cast<int>(old.size() - same_end), QTextCursor::KeepAnchor);
    edit.insertText(text.mid(same, text.size() - same - same_end));
    refreshing_ = false;
  }
  marked_.clear();
  for (const FormFault& fault : document_.checked().faults)
    marked_.push_back(static_cast<int>(fault.line));
  std::sort(marked_.begin(), marked_.end());
  marked_.erase(std::unique(marked_.begin(), marked_.end()), marked_.end());
  mark_lines();
  gutter_->update();
}

void JsonView::mark_lines() {
  const Palette& colours = palette_of(application_theme());
  QList<QTextEdit::ExtraSelection> selections;
  if (shown_line_ > 0)
    selections << tinted(document()->findBlockByNumber(shown_line_ - 1), colours.accent_tint);
  for (const int line : marked_)
    selections << tinted(document()->findBlockByNumber(line - 1), colours.error_tint);
  setExtraSelections(selections);
}

void JsonView::show_line(int line) {
  shown_line_ = line;
  mark_lines();
  QTextCursor cursor(document()->findBlockByNumber(line - 1));
  if (!cursor.isNull()) {
    setTextCursor(cursor);
    ensureCursorVisible();
  }
}

void JsonView::go_to_line(int line) {
  show_line(line);
  setFocus();
}

int JsonView::gutter_width() const {
  const QString widest = QString::number(std::max(blockCount(), 99));
  return fontMetrics().horizontalAdvance(widest) + 2 * gutter_padding;
}

void JsonView::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  setViewportMargins(gutter_width(), 0, 0, 0);
  const QRect inside = contentsRect();
  gutter_->setGeometry(inside.left(), inside.top(), gutter_width(), inside.height());
}

void JsonView::paint_gutter(QPaintEvent* event) {
  const Palette& colours = palette_of(application_theme());
  QPainter painter(gutter_);
  painter.fillRect(event->rect(), QColor(colours.header));
  painter.setFont(font());
  QTextBlock block = firstVisibleBlock();
  while (block.isValid()) {
    const QRectF at = blockBoundingGeometry(block).translated(contentOffset());
    if (at.top() > event->rect().bottom()) break;
    const int line = block.blockNumber() + 1;
    const bool faulty = std::binary_search(marked_.begin(), marked_.end(), line);
    painter.setPen(QColor(faulty ? colours.error : colours.ink_3));
    painter.drawText(QRectF(0, at.top(), gutter_->width() - gutter_padding, at.height()),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
    block = block.next();
  }
}

bool JsonView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QPlainTextEdit::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QPoint inside = viewport()->mapFromGlobal(help->globalPos());
  const int line = cursorForPosition(inside).blockNumber() + 1;
  QStringList sentences;
  for (const FormFault& fault : document_.checked().faults)
    if (static_cast<int>(fault.line) == line)
      sentences << QString::fromStdString(fault.pointer + ": " + fault.sentence);
  QToolTip::showText(help->globalPos(), sentences.join('\n'), this);
  return true;
}

void JsonView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Undo))
    document_.history().undo();
  else if (event->matches(QKeySequence::Redo))
    document_.history().redo();
  else
    QPlainTextEdit::keyPressEvent(event);
}

void JsonView::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && gutter_) mark_lines();
}

}  // namespace vacancy::gui

#include "moc_json_view.cpp"
