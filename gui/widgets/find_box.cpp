// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/find_box.hpp"

#include <QKeyEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/widgets/commands.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {

FindBox::FindBox(QWidget& over, const CommandSet& commands) : QFrame(&over), commands_(commands) {
  setAttribute(Qt::WA_DeleteOnClose);
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(10, 10, 10, 10);
  field_ = new QLineEdit(this);
  field_->setPlaceholderText(tr("Block 1174, s88, or a command"));
  field_->setAccessibleName(tr("Find"));
  results_ = new QListWidget(this);
  results_->setFocusPolicy(Qt::NoFocus);
  column->addWidget(field_);
  column->addWidget(results_);
  connect(field_, &QLineEdit::textChanged, this, &FindBox::list);
  connect(field_, &QLineEdit::returnPressed, this, &FindBox::choose);
  connect(results_, &QListWidget::itemClicked, this, &FindBox::choose);
  field_->installEventFilter(this);
}

void FindBox::open() {
  const QWidget* over = parentWidget();
  const int wide = std::min(800, over->width() - 40);
  setGeometry((over->width() - wide) / 2, 72, wide, 360);
  list({});
  show();
  raise();
  field_->setFocus();
}

void FindBox::list(const QString& text) {
  results_->clear();
  acts_.clear();
  const auto add = [&](const QString& words, std::function<void()> act) {
    results_->addItem(words);
    acts_.push_back(std::move(act));
  };
  QString digits = text.trimmed().toLower();
  const bool sequence = digits.startsWith('s');
  for (const char* word : {"sequence", "block", "s", "b"})
    if (digits.startsWith(QLatin1String(word))) {
      digits = digits.mid(static_cast<qsizetype>(qstrlen(word))).trimmed();
      break;
    }
  bool is_number = false;
  const std::uint32_t n = digits.remove(',').toUInt(&is_number);
  if (is_number) {
    const auto go_block = [this, n] { Q_EMIT block_wanted(n); };
    const auto go_sequence = [this, n] { Q_EMIT sequence_wanted(n); };
    if (sequence) add(tr("Sequence %1").arg(n), go_sequence);
    add(tr("Block %1").arg(grouped(n)), go_block);
    if (!sequence) add(tr("Sequence %1").arg(n), go_sequence);
  }
  for (const Command& c : command_table()) {
    const QString name = text_of(c.text).remove('&');
    const QString about = text_of(c.description);
    if (!text.isEmpty() && !name.contains(text, Qt::CaseInsensitive) &&
        !about.contains(text, Qt::CaseInsensitive))
      continue;
    const QString keys = key_text(keys_of(c));
    add(keys.isEmpty() ? QStringLiteral("%1 – %2").arg(name, about)
                       : QStringLiteral("%1 – %2   (%3)").arg(name, about, keys),
        [action = commands_[c.id]] { action->trigger(); });
  }
  results_->setCurrentRow(0);
}

void FindBox::choose() {
  const int row = results_->currentRow();
  if (row < 0 || static_cast<std::size_t>(row) >= acts_.size()) return;
  const auto act = acts_[static_cast<std::size_t>(row)];
  hide();
  act();
  close();
}

bool FindBox::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride) {
    auto* key = static_cast<QKeyEvent*>(event);
    const bool press = event->type() == QEvent::KeyPress;
    if (key->key() == Qt::Key_Escape) {
      if (press) close();
      event->accept();
      return true;
    }
    if (key->key() == Qt::Key_Down || key->key() == Qt::Key_Up) {
      if (press)
        results_->setCurrentRow(
            std::clamp(results_->currentRow() + (key->key() == Qt::Key_Down ? 1 : -1), 0,
                       std::max(0, results_->count() - 1)));
      event->accept();
      return true;
    }
  }
  if (event->type() == QEvent::FocusOut) close();
  return QFrame::eventFilter(watched, event);
}

}  // namespace vacancy::gui

#include "moc_find_box.cpp"
