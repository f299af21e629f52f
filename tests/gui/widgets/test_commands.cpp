// SPDX-License-Identifier: Apache-2.0
#include <QMainWindow>
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>

#include "gui/widgets/commands.hpp"

namespace {

using namespace vacancy::gui;

TEST_CASE("no key has two commands, no command two rows") {
  std::map<std::string, std::string> by_key;
  std::set<std::string_view> ids;
  for (const Command& c : command_table()) {
    INFO("command " << c.id);
    CHECK(ids.insert(c.id).second);
    const QList<QKeySequence> keys = keys_of(c);
    CHECK(keys.isEmpty() == c.keys.empty());
    for (const QKeySequence& key : keys) {
      REQUIRE(!key.isEmpty());
      REQUIRE(key[0].key() != Qt::Key_unknown);
      const std::string name = key.toString(QKeySequence::PortableText).toStdString();
      INFO("key " << name << ", also of " << by_key[name]);
      CHECK(by_key[name].empty());
      by_key[name] = std::string(c.id);
    }
    CHECK(!c.description.empty());
    CHECK(std::count(command_categories().begin(), command_categories().end(), c.category) == 1);
  }
}

TEST_CASE("no letter opens two menus") {
  std::set<char> letters;
  for (const std::string_view category : command_categories())
    CHECK(letters.insert(category[category.find('&') + 1]).second);
}

TEST_CASE("keys of the field's tools have what they are known for") {
  const auto key = [](std::string_view id) {
    for (const Command& c : command_table())
      if (c.id == id) return key_text(keys_of(c)).toStdString();
    return std::string("no such command");
  };
  CHECK(key("play") == "Space");
  CHECK(key("event_on") == "→");
  CHECK(key("events_back") == "Shift+←");
  CHECK(key("reclaim_on") == "PgDown");
  CHECK(key("step") == "F4");
  CHECK(key("stop") == "F8");
  CHECK(key("help") == "?");
}

TEST_CASE("every command becomes an action of the window with its keys") {
  QMainWindow window;
  const CommandSet set(&window);
  for (const Command& c : command_table()) {
    QAction* action = set[c.id];
    CHECK(window.actions().contains(action));
    CHECK(action->shortcuts() == keys_of(c));
    CHECK(!action->toolTip().isEmpty());
  }
}

}  // namespace
