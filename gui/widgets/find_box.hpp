// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>
#include <QLineEdit>
#include <QListWidget>
#include <cstdint>
#include <functional>
#include <vector>

namespace vacancy::gui {

class CommandSet;

/// A field over the window that goes to a block or a sequence by its number, or calls a command by
/// its name. Deletes itself.
class FindBox final : public QFrame {
  Q_OBJECT

 public:
  FindBox(QWidget& over, const CommandSet& commands);
  void open();

 Q_SIGNALS:
  void block_wanted(std::uint32_t block);
  void sequence_wanted(std::uint32_t sequence);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void list(const QString& text);
  void choose();

  const CommandSet& commands_;
  QLineEdit* field_;
  QListWidget* results_;
  std::vector<std::function<void()>> acts_;
};

}  // namespace vacancy::gui
