// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/start_page.hpp"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <algorithm>
#include <utility>

#include "gui/paint/fonts.hpp"
#include "gui/paint/hatch.hpp"
#include "gui/paint/icons.hpp"
#include "gui/widgets/commands.hpp"

namespace vacancy::gui {
namespace {

constexpr int left_width = 420, narrow_left_width = 340, card_width = 292, card_height = 252,
              picture_height = 110;
constexpr int most_columns = 5;
constexpr int lesson_width = 192, lesson_height = 252, lesson_picture_height = 84;

/// The mark and the name.
class Masthead final : public QWidget {
 public:
  explicit Masthead(QWidget* parent) : QWidget(parent) { setFixedHeight(56); }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const Palette& p = palette_of(application_theme());
    draw_program_mark(painter, QRectF(0, 8, 36, 36), p);
    painter.setFont(ui_font(30, true));
    painter.setPen(QColor(p.ink));
    painter.drawText(QRect(52, 0, width() - 52, 52), Qt::AlignLeft | Qt::AlignVCenter,
                     QStringLiteral("Vacancy"));
  }
};

class DropZone final : public QFrame {
 public:
  explicit DropZone(QWidget* parent) : QFrame(parent) {
    setFixedHeight(108);
    setAccessibleName(QObject::tr("Drop one scenario to open it, two to compare them"));
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Palette& p = palette_of(application_theme());
    const bool over = property("over").toBool();
    painter.setBrush(QColor(over ? p.accent_tint : p.header));
    QPen pen(QColor(over ? p.accent : p.field_border), over ? 2 : 1, Qt::DashLine);
    painter.setPen(pen);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
    draw_icon(painter, Icon::drop, QRectF(width() / 2.0 - 12, 18, 24, 24), QColor(p.ink_2));
    painter.setFont(ui_font(13));
    painter.setPen(QColor(p.ink));
    painter.drawText(QRect(0, 48, width(), 22), Qt::AlignCenter,
                     QObject::tr("Drop one scenario to open it"));
    painter.setFont(ui_font(12));
    painter.setPen(QColor(p.ink_3));
    painter.drawText(QRect(0, 70, width(), 20), Qt::AlignCenter,
                     QObject::tr("Drop two to compare them"));
  }
};

/// A file that was open before.
class RecentRow final : public QPushButton {
 public:
  RecentRow(StartItem item, QWidget* parent) : QPushButton(parent), item_(std::move(item)) {
    setFixedHeight(46);
    setFlat(true);
    setCursor(Qt::PointingHandCursor);
    setAccessibleName(item_.title);
    setToolTip(item_.key);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const Palette& p = palette_of(application_theme());
    if (underMouse() || hasFocus()) painter.fillRect(rect(), QColor(p.accent_tint));
    painter.fillRect(0, height() - 1, width(), 1, QColor(p.rule));
    draw_icon(painter, Icon::table, QRectF(2, 9, 15, 15), QColor(p.ink_2));
    painter.setFont(ui_font(13));
    painter.setPen(QColor(item_.missing ? p.ink_3 : p.ink));
    const QFontMetrics metrics(painter.font());
    const int room = width() - 36;
    painter.drawText(QRect(28, 4, room, 20), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(item_.title, Qt::ElideMiddle, room * 2 / 3));
    painter.setFont(ui_font(12));
    painter.setPen(QColor(p.ink_3));
    painter.drawText(
        QRect(28, 4, room, 20), Qt::AlignRight | Qt::AlignVCenter,
        QFontMetrics(painter.font()).elidedText(item_.text, Qt::ElideMiddle, room / 3));
    painter.setPen(QColor(item_.missing ? p.warning : p.ink_2));
    painter.drawText(QRect(28, 23, room, 18), Qt::AlignLeft | Qt::AlignVCenter,
                     item_.missing ? QObject::tr("file not found") : item_.result);
  }

 private:
  StartItem item_;
};

void clear(QLayout& layout) {
  while (QLayoutItem* item = layout.takeAt(0)) {
    delete item->widget();
    delete item;
  }
}

}  // namespace

StartCard::StartCard(StartItem item, const QString& way, QWidget* parent)
    : QFrame(parent), item_(std::move(item)), has_button_(!way.isEmpty()) {
  setFixedHeight(has_button_ ? card_height : lesson_height);
  setMinimumWidth(lesson_width - 16);
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
  setAccessibleName(item_.title);
  setAccessibleDescription(item_.text + ' ' + item_.result);
  setToolTip(item_.text);
  if (!has_button_) return;
  auto* button = new QPushButton(make_icon(Icon::run), way, this);
  button->setAccessibleName(way + ' ' + item_.title);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 12);
  column->addStretch(1);
  column->addWidget(button, 0, Qt::AlignRight);
  connect(button, &QPushButton::clicked, this, [this] { Q_EMIT chosen(item_.key); });
}

int StartCard::draw_words(QPainter& painter, const QString& words, int top, int lines) const {
  const QFontMetrics metrics(painter.font());
  const int room = width() - 28, high = metrics.lineSpacing();
  QStringList left = words.split(' ', Qt::SkipEmptyParts);
  for (int line = 0; line < lines && !left.isEmpty(); ++line, top += high) {
    QString text = left.takeFirst();
    while (!left.isEmpty() && metrics.horizontalAdvance(text + ' ' + left.front()) <= room)
      text += ' ' + left.takeFirst();
    if (line + 1 == lines && !left.isEmpty())
      text = metrics.elidedText(text + ' ' + left.join(' '), Qt::ElideRight, room);
    painter.drawText(QRect(14, top, room, high), Qt::AlignLeft | Qt::AlignVCenter, text);
  }
  return top;
}

void StartCard::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette& p = palette_of(application_theme());
  const bool marked = item_.next || hasFocus();
  painter.setPen(QPen(QColor(marked ? p.accent : p.rule), marked ? 2 : 1));
  painter.setBrush(QColor(hasFocus() ? p.accent_tint : p.panel));
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
  painter.setRenderHint(QPainter::Antialiasing, false);
  const QRect picture(14, 14, width() - 28, has_button_ ? picture_height : lesson_picture_height);
  if (item_.picture.isNull()) {
    painter.fillRect(picture, unknown_brush(p, devicePixelRatioF()));
    painter.setFont(ui_font(12));
    painter.setPen(QColor(p.ink_3));
    if (has_button_)
      painter.drawText(picture, Qt::AlignCenter, tr("no picture before the first run"));
  } else {
    const QSizeF whole = QSizeF(item_.picture.size()) / item_.picture.devicePixelRatio();
    const QSizeF size = whole.boundedTo(QSizeF(picture.size()));
    painter.drawPixmap(QRectF(picture.topLeft(), size), item_.picture,
                       QRectF(QPointF(0, 0), size * item_.picture.devicePixelRatio()));
  }
  painter.setPen(QColor(p.ink));
  painter.setFont(ui_font(13.5, true));
  int y = draw_words(painter, item_.title, picture.bottom() + 8, has_button_ ? 1 : 3) + 2;
  painter.setPen(QColor(p.ink_2));
  painter.setFont(ui_font(12));
  draw_words(painter, item_.text, y, has_button_ ? 3 : 4);
  painter.setPen(QColor(item_.done ? p.done : item_.next ? p.accent : p.ink_3));
  painter.setFont(ui_font(12, item_.next));
  if (item_.done)
    draw_icon(painter, Icon::check, QRectF(14, height() - 32, 14, 14), QColor(p.done));
  const int room = width() - 28 - (has_button_ ? 110 : 0);
  painter.drawText(QRect(item_.done ? 32 : 14, height() - 36, room, 22),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetrics(painter.font()).elidedText(item_.result, Qt::ElideRight, room));
}

void StartCard::mouseReleaseEvent(QMouseEvent* event) {
  if (rect().contains(event->position().toPoint())) Q_EMIT chosen(item_.key);
}

void StartCard::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
    Q_EMIT chosen(item_.key);
  else
    QFrame::keyPressEvent(event);
}

StartPage::StartPage(const CommandSet& commands, QWidget* parent) : QWidget(parent) {
  setMinimumWidth(600);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  left_ = new QWidget(this);
  left_->setFixedWidth(left_width);
  auto* left = new QVBoxLayout(left_);
  left->setContentsMargins(40, 32, 40, 16);
  left->setSpacing(10);
  left->addWidget(new Masthead(left_));
  auto* what = new QLabel(tr("See every block of a paged KV cache, through time: what was evicted, "
                             "what stayed held, and what really came back."),
                          left_);
  what->setWordWrap(true);
  what->setFont(ui_font(15));
  left->addWidget(what);
  left->addSpacing(8);
  auto* buttons = new QHBoxLayout;
  for (const char* id : {"open", "new"}) {
    QAction* action = commands[id];
    const bool primary = id[0] == 'o';
    auto* button = new QPushButton(make_icon(primary ? Icon::open : Icon::plus, primary),
                                   primary ? tr("Open scenario") : tr("New scenario"), left_);
    button->setProperty("primary", primary);
    button->setMinimumHeight(36);
    button->setToolTip(action->toolTip());
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    buttons->addWidget(button);
    buttons_.push_back(button);
  }
  left->addLayout(buttons);
  left->addSpacing(6);
  drop_ = new DropZone(left_);
  left->addWidget(drop_);
  left->addSpacing(8);
  auto* recent_title = new QLabel(tr("Recent"), left_);
  recent_title->setFont(ui_font(14, true));
  left->addWidget(recent_title);
  recent_ = new QVBoxLayout;
  recent_->setSpacing(0);
  left->addLayout(recent_);
  left->addStretch(1);
  auto* hint = new QLabel(tr("Space plays and pauses. Press ? for all keys."), left_);
  hint->setForegroundRole(QPalette::PlaceholderText);
  hint->setWordWrap(true);
  left->addWidget(hint);
  at_start_ = new QCheckBox(tr("Show this page at start"), left_);
  at_start_->setChecked(true);
  connect(at_start_, &QCheckBox::toggled, this, &StartPage::shown_at_start);
  left->addWidget(at_start_);
  row->addWidget(left_);

  scroll_ = new QScrollArea(this);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setFocusPolicy(Qt::NoFocus);  // its cards have it
  cards_ = new QWidget;
  cards_->setAutoFillBackground(true);
  auto* column = new QVBoxLayout(cards_);
  column->setContentsMargins(40, 28, 40, 28);
  column->setSpacing(14);
  const auto section = [&](const QString& name, const QString& beside, QLabel*& title,
                           QLabel*& note, QGridLayout*& grid) {
    auto* head = new QHBoxLayout;
    title = new QLabel(name, cards_);
    title->setFont(ui_font(20, true));
    note = new QLabel(beside, cards_);
    note->setForegroundRole(QPalette::PlaceholderText);
    head->addWidget(title);
    head->addSpacing(16);
    head->addWidget(note, 1);
    column->addLayout(head);
    grid = new QGridLayout;
    grid->setSpacing(16);
    column->addLayout(grid);
    column->addSpacing(12);
  };
  section(tr("Lessons"), tr("predict, lock, look"), lessons_title_, lessons_note_, lesson_grid_);
  section(tr("Example scenarios"), tr("ready to run, small first"), examples_title_, examples_note_,
          example_grid_);
  column->addStretch(1);
  scroll_->setWidget(cards_);
  scroll_->viewport()->installEventFilter(this);
  row->addWidget(scroll_, 1);
  set_lessons({});
  colour_texts();
}

void StartPage::set_recent(const std::vector<StartItem>& items) {
  clear(*recent_);
  recent_rows_.clear();
  if (items.empty()) recent_->addWidget(new QLabel(tr("Nothing yet."), left_));
  constexpr std::size_t most = 6;
  for (std::size_t i = 0; i < std::min(most, items.size()); ++i) {
    auto* row = new RecentRow(items[i], left_);
    connect(row, &QPushButton::clicked, this,
            [this, key = items[i].key] { Q_EMIT open_path(key); });
    recent_->addWidget(row);
    recent_rows_.push_back(row);
  }
  order_tabs();
}

void StartPage::set_examples(const std::vector<StartItem>& items) {
  for (StartCard* card : example_cards_)
    delete card;
  example_cards_.clear();
  for (const StartItem& item : items) {
    auto* card = new StartCard(item, tr("Run"), cards_);
    connect(card, &StartCard::chosen, this, &StartPage::open_path);
    example_cards_.push_back(card);
  }
  example_columns_ = 0;
  lay_out_cards();
  order_tabs();
}

void StartPage::set_lessons(const std::vector<StartItem>& items) {
  for (StartCard* card : lesson_cards_)
    delete card;
  lesson_cards_.clear();
  std::size_t done = 0;
  for (const StartItem& item : items) {
    auto* card = new StartCard(item, QString(), cards_);
    connect(card, &StartCard::chosen, this, &StartPage::open_lesson);
    lesson_cards_.push_back(card);
    done += item.done ? 1 : 0;
  }
  lessons_title_->setVisible(!items.empty());
  lessons_note_->setVisible(!items.empty());
  lessons_note_->setText(tr("predict, lock, look · %1 of %2 done").arg(done).arg(items.size()));
  lesson_columns_ = 0;
  lay_out_cards();
  order_tabs();
}

void StartPage::order_tabs() {
  QWidget* before = nullptr;
  const auto then = [&](QWidget* control) {
    if (before != nullptr) setTabOrder(before, control);
    before = control;
  };
  for (QPushButton* button : buttons_)
    then(button);
  for (QPushButton* row : recent_rows_)
    then(row);
  then(at_start_);
  for (StartCard* card : lesson_cards_)
    then(card);
  for (StartCard* card : example_cards_) {
    then(card);
    then(card->findChild<QPushButton*>());
  }
}

void StartPage::set_dropping(bool over) {
  drop_->setProperty("over", over);
  drop_->update();
}

void StartPage::set_shown_at_start(bool shown) {
  at_start_->setChecked(shown);
}

void StartPage::lay_out_cards() {
  const int room = scroll_->viewport()->width() - 80;
  const auto lay_out = [room](QGridLayout& grid, const std::vector<StartCard*>& cards, int wide,
                              int& known) {
    const int columns = std::clamp((room + grid.spacing()) / wide, 1, most_columns);
    if (columns == known) return;
    known = columns;
    for (StartCard* card : cards)
      grid.removeWidget(card);
    for (std::size_t i = 0; i < cards.size(); ++i)
      grid.addWidget(cards[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
    for (int c = 0; c < most_columns; ++c)
      grid.setColumnStretch(c, c < columns ? 1 : 0);
  };
  lay_out(*lesson_grid_, lesson_cards_, lesson_width, lesson_columns_);
  lay_out(*example_grid_, example_cards_, card_width, example_columns_);
}

void StartPage::colour_texts() {
  QPalette ground = cards_->palette();
  ground.setColor(QPalette::Window, QColor(palette_of(application_theme()).window));
  cards_->setPalette(ground);
}

void StartPage::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& p = palette_of(application_theme());
  painter.fillRect(rect(), QColor(p.panel));
  painter.fillRect(left_->width() - 1, 0, 1, height(), QColor(p.rule));
}

void StartPage::resizeEvent(QResizeEvent*) {
  const int wanted = width() < 1200 ? narrow_left_width : left_width;
  left_->setFixedWidth(std::max(wanted, left_->layout()->minimumSize().width()));
}

bool StartPage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == scroll_->viewport() && event->type() == QEvent::Resize) lay_out_cards();
  return QWidget::eventFilter(watched, event);
}

void StartPage::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) colour_texts();
  QWidget::changeEvent(event);
}

}  // namespace vacancy::gui

#include "moc_start_page.cpp"
