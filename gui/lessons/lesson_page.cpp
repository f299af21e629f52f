// SPDX-License-Identifier: Apache-2.0
#include "gui/lessons/lesson_page.hpp"

#include <QApplication>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QRegularExpression>
#include <QScrollBar>
#include <algorithm>

#include "gui/model/form/qt_text.hpp"
#include "gui/paint/fonts.hpp"
#include "gui/paint/icons.hpp"
#include "sim/units/format.hpp"

namespace vacancy::gui {

namespace {

constexpr int text_width = 410, padding = 24, button_height = 36, bar_button_height = 28;
constexpr double title_size = 21, body_size = 14, small_size = 12, headline_size = 46;

/// A number stays on one line with its unit.
QString unbroken(QString text) {
  static const QRegularExpression space(QStringLiteral(R"((?<=\d) (?=%|[KMG]iB\b))"));
  return text.replace(space, QStringLiteral("\u00a0"));
}

QLabel* label(const QString& text, double size, bool bold = false) {
  auto* made = new QLabel(unbroken(text));
  made->setFont(ui_font(size, bold));
  made->setWordWrap(true);
  return made;
}

QLabel* quiet(const QString& text) {
  QLabel* made = label(text, small_size);
  made->setForegroundRole(QPalette::PlaceholderText);
  return made;
}

QPushButton* button(const QString& text, bool primary) {
  auto* made = new QPushButton(text);
  made->setProperty("primary", primary);
  made->setMinimumHeight(button_height);
  made->setAutoDefault(true);  // Enter presses it, as the space bar does
  return made;
}

/// A tinted card with a bar or a border in the palette's colours.
QFrame* card(QRgb ground, QRgb border, bool bar) {
  auto* made = new QFrame;
  made->setObjectName(QStringLiteral("card"));
  made->setStyleSheet(QStringLiteral("QFrame#card{background:%1;border:%2;border-left:%3 solid %4;"
                                     "border-radius:4px}")
                          .arg(QColor(ground).name(),
                               bar ? QStringLiteral("0") : "1px solid " + QColor(border).name(),
                               bar ? QStringLiteral("3px") : QStringLiteral("1px"),
                               QColor(border).name()));
  return made;
}

/// "e^(B / c)" with its power raised, and the signs that print has.
QString raised(const std::string& law) {
  static const QRegularExpression power(QStringLiteral(R"(\^(\([^)]*\)|[\w.,]+))"));
  QString text = qt(law).toHtmlEscaped();
  text.replace(QLatin1Char('*'), QStringLiteral("·"));
  text.replace(QLatin1Char('-'), QStringLiteral("−"));
  return text.replace(power, QStringLiteral("<sup>\\1</sup>"));
}

QString curve_caption(const CurvePage& curve) {
  const bool law = std::any_of(curve.points.begin(), curve.points.end(),
                               [](const CurvePoint& point) { return point.law.has_value(); });
  return law ? LessonPage::tr("dots: simulation · dashes: formula")
             : LessonPage::tr("dots: simulation");
}

}  // namespace

LessonPage::LessonPage(LessonPlayer& player, bool last, QWidget* parent)
    : QWidget(parent),
      player_(player),
      last_(last),
      heading_(new QLabel),
      dots_(new StepDots),
      steps_(new QLabel),
      picture_title_(label({}, 15, true)),
      picture_caption_(quiet({})),
      axis_title_(label(tr("Your answer and the pool’s"), 15, true)),
      axis_caption_(quiet({})),
      chart_title_(label({}, 15, true)),
      chart_caption_(quiet({})),
      all_(button(tr("All lessons"), false)),
      play_(button(tr("Free play"), false)),
      text_(new QScrollArea),
      picture_(new PoolPicture),
      axis_(new AnswerAxis),
      slots_chart_(new LiveSlotsChart),
      curve_(new CurveChart),
      hidden_(new HiddenChart) {
  play_->setIcon(make_icon(Icon::play));
  for (QPushButton* in_bar : {all_, play_})
    in_bar->setMinimumHeight(bar_button_height);
  text_->setFixedWidth(text_width);
  text_->setFrameShape(QFrame::NoFrame);
  text_->setWidgetResizable(true);
  text_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  text_->viewport()->setAutoFillBackground(false);
  // The keyboard scrolls what is longer than the page, and else has no use for it.
  text_->setFocusPolicy(Qt::NoFocus);
  connect(text_->verticalScrollBar(), &QScrollBar::rangeChanged, this, [this](int least, int most) {
    text_->setFocusPolicy(most > least ? Qt::StrongFocus : Qt::NoFocus);
  });

  auto* header = new QHBoxLayout;
  header->setContentsMargins(padding, 4, padding, 4);
  auto* book = new QLabel;
  book->setPixmap(make_icon(Icon::book).pixmap(16, 16));
  header->addWidget(book);
  header->addWidget(heading_, 1);
  header->addWidget(dots_);
  header->addWidget(steps_);
  header->addSpacing(padding);
  header->addWidget(all_);
  header->addWidget(play_);

  // A widget of its own: a box with only some of these in view would not grow.
  auto* pictures = new QWidget;
  auto* right = new QVBoxLayout(pictures);
  right->setContentsMargins(padding, 16, padding, 8);
  const auto add_heading = [right](QLabel* title, QLabel* caption) {
    auto* row = new QHBoxLayout;
    row->setSpacing(12);
    title->setWordWrap(false);
    row->addWidget(title);
    row->addWidget(caption, 1);
    right->addLayout(row);
  };
  add_heading(picture_title_, picture_caption_);
  right->addSpacing(4);
  right->addWidget(picture_);
  add_heading(axis_title_, axis_caption_);
  right->addWidget(axis_);
  add_heading(chart_title_, chart_caption_);
  // The chart takes what is left; without one nothing does.
  right->addWidget(slots_chart_, 100);
  right->addWidget(curve_, 100);
  right->addWidget(hidden_, 100);
  right->addStretch(1);

  auto* body = new QHBoxLayout;
  body->setSpacing(0);
  body->addWidget(text_);
  body->addWidget(pictures, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addLayout(header);
  column->addLayout(body, 1);

  connect(all_, &QPushButton::clicked, this, &LessonPage::all_lessons_wanted);
  connect(play_, &QPushButton::clicked, this,
          [this] { Q_EMIT free_play_wanted(qt(player_.scenario_text())); });
  connect(picture_, &PoolPicture::picked_changed, this, &LessonPage::answer_changed);
  connect(picture_, &PoolPicture::entered, this, &LessonPage::offer_lock);
  connect(picture_, &PoolPicture::laid_out, this,
          [this] { picture_caption_->setText(picture_->caption()); });
  connect(curve_, &CurveChart::point_chosen, this, [this](std::size_t point) {
    picture_->set_state(player_.curve_state(point), {});
    picture_caption_->setText(picture_->caption());
  });
  show_page();
}

void LessonPage::show_page() {
  const LessonPlayer& player = player_;
  heading_->setText(tr("<b>Lesson %1</b>&nbsp; %2")
                        .arg(player.lesson().number)
                        .arg(qt(player.lesson().title).toHtmlEscaped()));
  std::vector<bool> passed;
  for (std::size_t i = 0; i < player.steps(); ++i)
    passed.push_back(player.passed(i));
  dots_->set_steps(std::move(passed), player.step());
  steps_->setText(tr("step %1 of %2").arg(player.step() + 1).arg(player.steps()));
  play_->setEnabled(!player.asking());
  show_text();
  show_pictures();
  answer_changed();
  take_focus();
  update();
  Q_EMIT step_changed();
}

void LessonPage::take_focus() {
  if (first_ != nullptr) first_->setFocus(Qt::OtherFocusReason);
}

/// Those that can have the keyboard: the header's, the text's, the pictures'.
QList<QWidget*> LessonPage::controls() const {
  QList<QWidget*> all = {all_, play_, text_};
  if (text_->widget() != nullptr)  // between two texts there is none
    all.append(text_->widget()->findChildren<QWidget*>());
  all.append({picture_, curve_});
  all.removeIf([this](const QWidget* w) {
    return (w->focusPolicy() & Qt::TabFocus) == 0 || w->focusProxy() != nullptr ||
           !w->isVisibleTo(this) || !w->isEnabled();
  });
  return all;
}

/// The controls of a text come and go with each step, and Qt's own chain does not keep up with
/// them.
bool LessonPage::focusNextPrevChild(bool next) {
  const QList<QWidget*> all = controls();
  if (all.isEmpty()) return false;
  const qsizetype at = all.indexOf(QApplication::focusWidget()), count = all.size();
  const qsizetype to = at < 0 ? (next ? 0 : count - 1) : (at + (next ? 1 : count - 1)) % count;
  all[to]->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
  return true;
}

void LessonPage::show_text() {
  const StepPage& page = player_.page();
  field_ = nullptr;
  lock_ = nullptr;
  first_ = nullptr;
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(padding, 16, padding, 16);
  column->setSpacing(10);
  if (page.reveal) {
    show_reveal(*column, *page.reveal);
  } else {
    column->addWidget(label(qt(page.title), title_size, true));
    for (const std::string& sentence : page.say)
      column->addWidget(label(qt(sentence), body_size));
    if (!page.word.empty()) {
      const Palette& colours = palette_of(application_theme());
      QFrame* word = card(colours.accent_tint, colours.accent, true);
      auto* inside = new QVBoxLayout(word);
      inside->addWidget(label(tr("New word: %1").arg(qt(page.word)), 13, true));
      inside->addWidget(label(qt(page.meaning), 13));
      column->addWidget(word);
    }
    if (page.question) show_asking(*column, *page.question);
  }
  if (!player_.asking()) show_buttons(*column);
  column->addStretch();
  // A button of the old text may be the one that was pressed.
  if (QWidget* old = text_->takeWidget()) old->deleteLater();
  text_->setWidget(content);
  content->setAutoFillBackground(false);
}

void LessonPage::show_asking(QVBoxLayout& column, const QuestionPage& question) {
  column.addWidget(label(qt(question.text), 15, true));
  if (question.kind != QuestionKind::blocks) {
    field_ = new AnswerField(question);
    connect(field_, &AnswerField::answer_changed, this, &LessonPage::answer_changed);
    connect(field_, &AnswerField::entered, this, &LessonPage::offer_lock);
    column.addWidget(field_);
  }
  first_ = field_ ? static_cast<QWidget*>(field_) : picture_;
  lock_ = button(tr("Lock my answer"), true);
  lock_->setIcon(make_icon(Icon::lock, true));
  QPushButton* show = button(tr("Show me"), false);
  auto* row = new QHBoxLayout;
  row->addWidget(lock_);
  row->addWidget(show);
  row->addStretch();
  column.addLayout(row);
  column.addWidget(
      quiet(tr("After locking, the answer cannot be changed in this try. “Show me” "
               "skips the question and is noted as skipped.")));
  connect(lock_, &QPushButton::clicked, this, &LessonPage::lock);
  connect(show, &QPushButton::clicked, this, &LessonPage::show_me);
}

void LessonPage::show_reveal(QVBoxLayout& column, const RevealPage& reveal) {
  column.addWidget(label(qt(reveal.title), title_size, true));
  if (!reveal.headline.empty()) {
    auto* row = new QHBoxLayout;
    row->setSpacing(padding);
    QLabel* headline = label(qt(reveal.headline), headline_size, true);
    headline->setWordWrap(false);
    row->addWidget(headline);
    row->addWidget(label(qt(reveal.note), 13), 1);
    column.addLayout(row);
  } else if (!reveal.note.empty()) {
    column.addWidget(label(qt(reveal.note), 13));
  }
  column.addWidget(label(qt(reveal.gap), body_size, true));
  for (const std::string& sentence : reveal.say)
    column.addWidget(label(qt(sentence), body_size));
  if (reveal.formula) show_formula(column, *reveal.formula);
}

void LessonPage::show_formula(QVBoxLayout& column, const FormulaPage& formula) {
  const Palette& colours = palette_of(application_theme());
  QFrame* frame = card(colours.header, colours.rule, false);
  auto* grid = new QGridLayout(frame);
  grid->addWidget(quiet(tr("Formula")), 0, 0);
  grid->addWidget(quiet(tr("Simulation, seed %1").arg(player_.seed())), 0, 1);
  // A law that is too long for its line goes on before its numbers.
  QString numbers = raised("= " + formula.substituted);
  QLabel* law =
      label(raised(formula.law) + ' ' + numbers.replace(' ', QStringLiteral("\u00a0")), 13);
  law->setTextFormat(Qt::RichText);
  law->setAccessibleName(qt(formula.law) + " = " + qt(formula.substituted));
  grid->addWidget(law, 1, 0);
  grid->addWidget(label(formula.deviation == "same" ? tr("the same")
                                                    : tr("deviation %1").arg(qt(formula.deviation)),
                        13),
                  1, 1);
  grid->addWidget(label("= " + qt(formula.value), 17, true), 2, 0);
  grid->addWidget(label("= " + qt(formula.simulated), 17, true), 2, 1);
  if (!formula.over_seeds.empty()) grid->addWidget(quiet(qt(formula.over_seeds)), 3, 1);
  column.addWidget(frame);
  column.addWidget(quiet(qt(formula.assumes)));
}

void LessonPage::show_buttons(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  QPushButton* onward = button(!player_.finished() ? tr("Next step")
                               : last_             ? tr("All lessons")
                                                   : tr("Next lesson"),
                               true);
  onward->setIcon(make_icon(Icon::chevron_right, true));
  connect(onward, &QPushButton::clicked, this, &LessonPage::next);
  row->addWidget(onward);
  if (player_.finished()) {
    QPushButton* seed = button(tr("Try a seed"), false);
    seed->setIcon(make_icon(Icon::reload));
    seed->setToolTip(tr("The same lesson with other random numbers"));
    connect(seed, &QPushButton::clicked, this, [this] { Q_EMIT seed_wanted(player_.seed() + 1); });
    QPushButton* over = button(tr("Start over"), false);
    connect(over, &QPushButton::clicked, this, [this] {
      player_.restart();
      show_page();
    });
    row->addWidget(seed);
    row->addWidget(over);
  } else if (player_.step() > 0) {
    QPushButton* back = button(tr("Back"), false);
    connect(back, &QPushButton::clicked, this, [this] {
      player_.back();
      show_page();
    });
    row->addWidget(back);
  }
  row->addStretch();
  column.addLayout(row);
  first_ = onward;
}

void LessonPage::show_pictures() {
  const StepPage& page = player_.page();
  const bool asking = player_.asking();
  const bool blocks = page.question && page.question->kind == QuestionKind::blocks;
  picture_->set_state(page.state, page.reveal ? std::vector<std::uint32_t>{} : page.highlight);
  // Beside the free blocks stands what was promised only where it was they that were asked for.
  const bool about_free =
      page.reveal && page.state && page.question->unit == "blocks" &&
      page.reveal->truth.value == static_cast<double>(page.state->count(PoolCount::free_blocks));
  picture_->set_promise(
      about_free && !page.reveal->marks.empty() ? qt(page.reveal->marks.front().text) : QString());
  picture_->set_table(page.reveal ? std::nullopt : page.table);
  picture_->set_picking(asking && blocks);
  if (page.reveal && blocks) picture_->set_picked(page.reveal->truth.blocks);
  for (QWidget* part : {static_cast<QWidget*>(picture_), static_cast<QWidget*>(picture_title_),
                        static_cast<QWidget*>(picture_caption_)})
    part->setVisible(page.state != nullptr);
  picture_title_->setText(page.reveal ? tr("The pool then") : tr("The pool"));
  picture_caption_->setText(picture_->caption());

  const bool axis = page.question && !blocks;
  for (QWidget* part : {static_cast<QWidget*>(axis_), static_cast<QWidget*>(axis_title_),
                        static_cast<QWidget*>(axis_caption_)})
    part->setVisible(axis);
  if (axis) {
    axis_caption_->setText(unbroken(qt(page.question->title)));
    axis_->set_question(*page.question);
    axis_->set_reveal(page.reveal ? &*page.reveal : nullptr);
  }
  const bool histogram = page.reveal && !page.reveal->histogram.empty() && !page.reveal->curve;
  const bool curve = page.reveal && page.reveal->curve;
  slots_chart_->setVisible(histogram);
  curve_->setVisible(curve);
  hidden_->setVisible(asking && axis);
  chart_title_->setVisible(histogram || curve);
  chart_title_->setText(histogram ? tr("Blocks by live slots left")
                        : curve   ? tr("Along one setting")
                                  : QString());
  const HistogramLaw law =
      histogram ? page.reveal->histogram_law.value_or(HistogramLaw{}) : HistogramLaw{};
  slots_chart_->set_counts(histogram ? page.reveal->histogram : std::vector<std::uint64_t>{},
                           law.blocks);
  chart_caption_->setVisible(curve || !law.text.empty());
  chart_caption_->setText(
      curve ? curve_caption(*page.reveal->curve)
      : law.text.empty()
          ? QString()
          : tr("bars: simulation, seed %1 · dots: %2").arg(player_.seed()).arg(raised(law.text)));
  if (curve) {
    // Where the picture stands: the point with the answer's own value, if it is on the curve.
    const auto& points = page.reveal->curve->points;
    std::size_t own = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (points[i].simulated == page.reveal->truth.value) own = i;
    curve_->set_curve(*page.reveal->curve, own);
  }
}

std::optional<LessonAnswer> LessonPage::answer() const {
  if (!player_.asking()) return std::nullopt;
  if (!field_) {
    const auto picked = picture_->picked();
    return picked.empty() ? std::nullopt : std::optional(LessonAnswer{0, picked});
  }
  if (const auto value = field_->answer()) return LessonAnswer{*value, {}};
  return std::nullopt;
}

void LessonPage::answer_changed() {
  const auto now = answer();
  if (lock_) lock_->setEnabled(now.has_value());
  if (field_) axis_->set_answer(now ? std::optional(now->value) : std::nullopt);
}

void LessonPage::set_answer(double answer) {
  if (field_) field_->set_answer(answer);
}

QString LessonPage::asked_for() const {
  if (!player_.asking() || !field_) return tr("no number");
  const QuestionPage& question = *player_.page().question;
  if (question.unit == "share") return tr("a share from 0 to 1 in steps of 0.001");
  return tr("a whole number from 0 to %1 %2")
      .arg(qt(format_decimal(question.highest, 0)), qt(question.unit));
}

/// Enter in an answer: the button that locks it is next.
void LessonPage::offer_lock() {
  if (lock_ && lock_->isEnabled()) lock_->setFocus(Qt::TabFocusReason);
}

void LessonPage::lock() {
  const auto now = answer();
  if (now && player_.lock(*now)) show_page();
}

void LessonPage::show_me() {
  player_.show_me();
  show_page();
}

void LessonPage::go_to(std::size_t step) {
  player_.go_to(step);
  show_page();
}

void LessonPage::next() {
  if (player_.finished()) {
    if (last_)
      Q_EMIT all_lessons_wanted();
    else
      Q_EMIT next_lesson_wanted();
    return;
  }
  player_.next();
  show_page();
}

void LessonPage::paintEvent(QPaintEvent*) {
  const Palette& colours = palette_of(application_theme());
  QPainter painter(this);
  painter.fillRect(rect(), QColor(colours.panel));
  painter.setPen(QColor(colours.rule));
  const int top = text_->geometry().top() - 1;
  painter.drawLine(0, top, width(), top);
  painter.drawLine(text_->geometry().right() + 1, top, text_->geometry().right() + 1, height());
}

}  // namespace vacancy::gui

#include "moc_lesson_page.cpp"
