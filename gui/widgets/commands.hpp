// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <map>
#include <span>
#include <string_view>

#include "gui/paint/icons.hpp"

namespace vacancy::gui {

/// Whatever a user can ask the program to do: menus, toolbar, tooltips, the overlay of keys and the
/// palette of commands all read this table.
struct Command {
  std::string_view id;           // "play"
  std::string_view text;         // in a menu, with its & letter
  std::string_view description;  // one line, for tooltips and the overlay
  Icon icon;
  std::string_view keys;      // separated by spaces, portable names; empty: none
  std::string_view category;  // its menu
  bool checkable = false;
  bool ends_group = false;  // a rule follows in the menu
};

std::span<const Command> command_table();
/// Menus in their order.
std::span<const std::string_view> command_categories();

QList<QKeySequence> keys_of(const Command& command);
/// "Space", "← →": for people.
QString key_text(const QList<QKeySequence>& keys);

/// An action for every command.
class CommandSet final : public QObject {
  Q_OBJECT

 public:
  explicit CommandSet(QWidget* window);

  /// The id must be in the table.
  QAction* operator[](std::string_view id) const { return actions_.at(id); }

 private:
  std::map<std::string_view, QAction*, std::less<>> actions_;
};

}  // namespace vacancy::gui
