// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <QWidget>
#include <functional>
#include <utility>
#include <vector>

namespace vacancy::gui {

/// A bar inside the window for what went wrong or ended early, with all of it and what can be done.
/// Nothing modal.
class MessageBar final : public QWidget {
  Q_OBJECT

 public:
  enum class Kind : std::uint8_t { error, warning, note };
  using Way = std::pair<QString, std::function<void()>>;

  explicit MessageBar(QWidget* parent = nullptr);

  /// `lines`: one a fault, as the command line prints them.
  void show_message(Kind kind, const QString& title, const QStringList& lines,
                    std::vector<Way> ways = {});
  QString text() const { return title_->text() + '\n' + lines_->text(); }

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  Kind kind_ = Kind::error;
  QLabel *title_, *lines_;
  QHBoxLayout* ways_;
};

}  // namespace vacancy::gui
