// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/editor/field_row.hpp"

#include <QContextMenuEvent>
#include <QGridLayout>
#include <QMenu>
#include <QPainter>
#include <QSignalBlocker>

#include "gui/model/form/field_entry.hpp"
#include "gui/model/form/qt_text.hpp"
#include "gui/paint/fonts.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

namespace {

constexpr int bullet = 12;  // room for the mark of a changed value
constexpr int ring = 2;     // around a faulty control
constexpr int least_control = 92;
constexpr double note_size = 11, fault_size = 12;

QLabel* small_label(QWidget* parent, double size) {
  auto* label = new QLabel(parent);
  label->setFont(ui_font(size));
  label->setWordWrap(true);
  label->hide();
  return label;
}

void colour(QLabel* label, QRgb ink) {
  QPalette palette = label->palette();
  palette.setColor(QPalette::WindowText, QColor(ink));
  label->setPalette(palette);
}

}  // namespace

FieldRow::FieldRow(ScenarioDocument& document, const FormField& field, QWidget* parent)
    : QWidget(parent), document_(document), field_(field) {
  name_ = new QLabel(qt(title_of(field.key->parameter.name)), this);
  name_->setWordWrap(true);
  note_ = small_label(this, note_size);
  fault_ = small_label(this, fault_size);
  control_ = make_control();
  control_->setMinimumWidth(least_control);
  control_->installEventFilter(this);
  name_->setBuddy(control_);
  const QString help = qt(field.key->parameter.help);
  setToolTip("<b>" + qt(field.path) + "</b><br>" + help.toHtmlEscaped() + "<br>" +
             qt(expectation(*field.key)).toHtmlEscaped());

  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(bullet, 2, 4, 2);
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(2);
  grid->setColumnStretch(0, 5);
  grid->setColumnStretch(1, 6);
  grid->addWidget(name_, 0, 0);
  grid->addWidget(control_, 0, 1);
  grid->addWidget(note_, 1, 1);
  grid->addWidget(fault_, 3, 0, 1, 2);
  describe();
}

QWidget* FieldRow::make_control() {
  const Parameter& parameter = field_.key->parameter;
  const bool numeric =
      field_.key->form == ValueForm::integer_or_word || field_.key->form == ValueForm::size ||
      field_.key->form == ValueForm::length || parameter.type == ParameterType::integer ||
      parameter.type == ParameterType::number;
  if (parameter.type == ParameterType::boolean) {
    check_ = new QCheckBox(this);
    connect(check_, &QCheckBox::clicked, this,
            [this](bool on) { type(on ? QStringLiteral("true") : QStringLiteral("false")); });
    return check_;
  }
  if (numeric) {
    entry_ = new EntryBox(*field_.key, this);
    connect(entry_, &EntryBox::entry_edited, this, &FieldRow::type);
    return entry_;
  }
  if (parameter.type == ParameterType::choice && !parameter.choices.empty()) return make_choice();
  text_ = new QLineEdit(this);
  connect(text_, &QLineEdit::textEdited, this, &FieldRow::type);
  return text_;
}

QWidget* FieldRow::make_choice() {
  const Parameter& parameter = field_.key->parameter;
  choice_ = new QComboBox(this);
  choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  choice_->setMinimumContentsLength(8);
  choice_->setFocusPolicy(Qt::StrongFocus);
  choice_->addItem(qt(default_entry(parameter)), QString());
  for (const std::string& name : parameter.choices)
    choice_->addItem(qt(name), qt(name));
  connect(choice_, &QComboBox::activated, this,
          [this](int index) { type(choice_->itemData(index).toString()); });
  return choice_;
}

void FieldRow::type(const QString& entry) {
  document_.set_entry(field_, entry.toStdString());
}

void FieldRow::describe() {
  const Parameter& parameter = field_.key->parameter;
  QString name = qt(field_.path);
  if (!parameter.unit.empty()) name += ", " + qt(parameter.unit);
  control_->setAccessibleName(name);
  QString text = qt(parameter.help);
  if (faulty_) text += " " + fault_->text();
  control_->setAccessibleDescription(text);
}

void FieldRow::show_value(const QString& entry, const QString& effective, bool written) {
  if (check_) {
    const QSignalBlocker block(check_);
    check_->setChecked((written ? entry : effective) == QLatin1String("true"));
  } else if (choice_) {
    const QSignalBlocker block(choice_);
    choice_->setItemText(
        0, effective.isEmpty() || written ? qt(default_entry(field_.key->parameter)) : effective);
    int index = written ? choice_->findData(entry) : 0;
    if (index < 0) {  // what the file says and no choice is
      choice_->addItem(entry, entry);
      index = choice_->count() - 1;
    }
    choice_->setCurrentIndex(index);
  } else if (entry_) {
    entry_->set_default(effective.isEmpty() ? qt(default_entry(field_.key->parameter)) : effective);
    // Not while it is typed: "0.50" and "16000" stay as they are.
    const bool typed = entry_->hasFocus() && written &&
                       json_of_entry(*field_.key, entry_->entry().toStdString()) ==
                           json_of_entry(*field_.key, entry.toStdString());
    if (!typed) entry_->set_entry(entry);
  } else {
    text_->setPlaceholderText(effective.isEmpty() ? qt(default_entry(field_.key->parameter))
                                                  : effective);
    if (text_->text() != entry) {
      text_->setText(entry);
      text_->setCursorPosition(0);  // the beginning is what is seen
    }
  }
}

void FieldRow::refresh(const std::optional<std::string>& in_file) {
  const bool written = document_.written(field_);
  const QString effective = qt(effective_entry(field_, document_.checked()));
  show_value(qt(document_.entry(field_)), effective, written);
  const Palette& colours = palette_of(application_theme());

  const auto faults = document_.checked().faults_at(field_.pointer);
  faulty_ = !faults.empty();
  QStringList sentences;
  for (const FormFault* fault : faults)
    sentences << qt(fault->sentence);
  fault_->setText(sentences.join('\n'));
  fault_->setVisible(faulty_);
  colour(fault_, colours.error);

  changed_ = in_file.has_value();
  QFont font = name_->font();
  font.setBold(changed_);
  name_->setFont(font);
  name_->setEnabled(written || faulty_);
  if (changed_)
    note_->setText(in_file->empty() ? tr("file: not written") : tr("file: %1").arg(qt(*in_file)));
  note_->setVisible(changed_);
  colour(note_, colours.ink_3);
  place_slider(effective);
  describe();
  update();
}

void FieldRow::set_sliding(bool sliding) {
  sliding_ = sliding;
  place_slider(qt(effective_entry(field_, document_.checked())));
}

void FieldRow::place_slider(const QString& effective) {
  bool number = false;
  const double value =
      QString::fromStdString(without_groups(effective.toStdString())).toDouble(&number);
  if (!sliding_ || !entry_ || !number) {
    if (slider_) slider_->hide();
    return;
  }
  if (!slider_) {
    scale_ = SliderScale::of(field_.key->parameter, value);
    if (!scale_) return;
    slider_ = new QSlider(Qt::Horizontal, this);
    slider_->setRange(0, scale_->steps());
    slider_->setAccessibleName(control_->accessibleName() + tr(", slider"));
    static_cast<QGridLayout*>(layout())->addWidget(slider_, 2, 0, 1, 2);
    connect(slider_, &QSlider::valueChanged, this, [this](int at) { type(qt(scale_->entry(at))); });
    connect(slider_, &QSlider::sliderReleased, this, [this] { document_.end_edit(); });
  }
  const QSignalBlocker block(slider_);
  slider_->setValue(scale_->position(value));
  slider_->show();
}

void FieldRow::paintEvent(QPaintEvent* event) {
  QWidget::paintEvent(event);
  const Palette& colours = palette_of(application_theme());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (changed_) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(colours.accent));
    painter.drawEllipse(QPointF(5, name_->geometry().center().y() + 0.5), 3, 3);
  }
  if (faulty_) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(colours.error), ring));
    painter.drawRoundedRect(QRectF(control_->geometry()).adjusted(-1, -1, 1, 1), 4, 4);
  }
}

bool FieldRow::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusIn) Q_EMIT entered(qt(field_.pointer));
  if (event->type() == QEvent::FocusOut) document_.end_edit();
  // A wheel over a form scrolls the form, not the numbers in it.
  if (event->type() == QEvent::Wheel && !control_->hasFocus()) {
    event->ignore();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

void FieldRow::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  QAction* reset = menu.addAction(tr("Take it out of the file"));
  reset->setEnabled(document_.written(field_));
  if (menu.exec(event->globalPos()) == reset) document_.reset(field_);
}

}  // namespace vacancy::gui

#include "moc_field_row.cpp"
