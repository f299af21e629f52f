// SPDX-License-Identifier: Apache-2.0
#include <QCoreApplication>
#include <QDir>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <limits>

#include "gui/widgets/editor/scenario_editor.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;
using namespace vacancy::gui;

namespace {

const std::filesystem::path opened_file =
    test::source_dir() / "scenarios/seed/evict_14k_of_16k.json";

/// Where pictures go if somebody wants to look at them: VACANCY_PICTURES.
void keep_picture(QWidget& widget, const QString& name) {
  QCoreApplication::processEvents();
  const QString folder = qEnvironmentVariable("VACANCY_PICTURES");
  if (!folder.isEmpty()) widget.grab().save(QDir(folder).filePath(name + ".png"));
}

struct Opened {
  ScenarioDocument document;
  ScenarioEditor editor{document};

  Opened() {
    document.open(opened_file);
    editor.resize(1000, 700);
    editor.show();
    QCoreApplication::processEvents();
  }
};

EntryBox& entry_box(FieldRow& row) {
  return *qobject_cast<EntryBox*>(row.control());
}

}  // namespace

TEST_CASE("The form shows the keys of the file, by name, and no others") {
  Opened opened;
  std::vector<std::string> shown;
  for (const FieldRow* row : opened.editor.rows())
    if (row->isVisibleTo(&opened.editor)) shown.push_back(row->field().path);
  std::sort(shown.begin(), shown.end());
  CHECK(shown == std::vector<std::string>{"cache.block_size", "cache.blocks", "description",
                                          "eviction.budget", "eviction.once.at", "eviction.policy",
                                          "eviction.prompt", "eviction.scope", "eviction.trigger",
                                          "model", "reclaim.kind", "seed", "workload.output_tokens",
                                          "workload.prompt_tokens", "workload.sequences"});
  for (const FieldRow* row : opened.editor.rows()) {
    CHECK(row->control()->accessibleName().startsWith(QString::fromStdString(row->field().path)));
    CHECK_FALSE(row->control()->accessibleDescription().isEmpty());
  }
  keep_picture(opened.editor, "editor");
}

TEST_CASE("What is typed reaches the text at once, and its fault stands at field and line") {
  Opened opened;
  FieldRow* row = opened.editor.go_to("/eviction/budget");
  REQUIRE(row);
  EntryBox& box = entry_box(*row);
  box.selectAll();
  QTest::keyClicks(&box, "0");
  CHECK(opened.document.entry(row->field()) == "0");
  CHECK(row->faulty());
  CHECK(row->fault_text() == "expected an integer from 1 to 2147483648, or null, got 0.");
  CHECK(opened.editor.json().marked() == std::vector<int>{9});
  CHECK(opened.editor.status_text() == "1 error to correct first");
  keep_picture(opened.editor, "editor-fault");
  opened.document.history().undo();
  CHECK_FALSE(row->faulty());
  CHECK(box.entry() == "2,000");
  CHECK(opened.editor.json().marked().empty());
}

TEST_CASE("Numbers stay as they are typed, and steps are exact up to 64 bits") {
  Opened opened;
  FieldRow* row = opened.editor.go_to("/seed");
  REQUIRE(row);
  EntryBox& box = entry_box(*row);
  box.selectAll();
  QTest::keyClicks(&box, "9007199254740993");
  CHECK(box.entry() == "9007199254740993");
  QTest::keyClick(&box, Qt::Key_Up);
  CHECK(box.entry() == "9,007,199,254,740,994");
  CHECK(opened.document.text().find("9007199254740994") != std::string::npos);
  box.selectAll();
  QTest::keyClicks(&box, "9223372036854775807");
  QTest::keyClick(&box, Qt::Key_Up);
  CHECK(opened.document.text().find("9223372036854775807") != std::string::npos);
  CHECK_FALSE(row->faulty());
}

TEST_CASE("A word stands where a number may be one") {
  Opened opened;
  FieldRow* row = opened.editor.go_to("/cache/blocks");
  REQUIRE(row);
  EntryBox& box = entry_box(*row);
  CHECK(box.entry() == "unlimited");
  box.selectAll();
  QTest::keyClicks(&box, "1,000");
  CHECK(opened.document.text().find("\"blocks\": 1000") != std::string::npos);
  CHECK_FALSE(row->faulty());
}

TEST_CASE("A key that the file lacks opens where somebody looks for it") {
  Opened opened;
  FieldRow* row = opened.editor.go_to("/eviction/protect/sinks");
  REQUIRE(row);
  CHECK(row->isVisibleTo(&opened.editor));
  QTest::keyClicks(&entry_box(*row), "4");
  CHECK(opened.document.text().find("\"protect\": {\"sinks\": 4}") != std::string::npos);
  entry_box(*row).selectAll();
  QTest::keyClick(&entry_box(*row), Qt::Key_Delete);
  CHECK_FALSE(opened.document.modified());
}

TEST_CASE("Typing in the JSON changes the form") {
  Opened opened;
  JsonView& json = opened.editor.json();
  FieldRow* row = opened.editor.go_to("/eviction/budget");
  json.go_to_line(9);
  QTextCursor cursor = json.textCursor();
  cursor.movePosition(QTextCursor::EndOfLine);
  cursor.movePosition(QTextCursor::PreviousCharacter);
  json.setTextCursor(cursor);
  QTest::keyClicks(&json, "0");
  CHECK(entry_box(*row).entry() == "20,000");
  CHECK(opened.document.changes() ==
        std::vector<ValueChange>{{"eviction.budget", "2,000", "20,000"}});
  QTest::keySequence(&json, QKeySequence::Undo);
  CHECK_FALSE(opened.document.modified());
}

TEST_CASE("Sliders try values in the range of their key") {
  Opened opened;
  FieldRow* row = opened.editor.go_to("/cache/block_size");
  row->set_sliding(true);
  auto* slider = row->findChild<QSlider*>();
  REQUIRE(slider);
  slider->setValue(slider->maximum());
  CHECK(opened.document.checked().faults.empty());
  CHECK(opened.document.entry(row->field()) != "16");
  keep_picture(opened.editor, "editor-slider");
}

TEST_CASE("A narrow editor has tabs, a wide one both halves") {
  Opened opened;
  CHECK(opened.editor.findChild<QSplitter*>()->isVisibleTo(&opened.editor));
  opened.editor.resize(300, 700);
  QCoreApplication::processEvents();
  CHECK(opened.editor.findChild<QTabWidget*>()->isVisibleTo(&opened.editor));
  keep_picture(opened.editor, "editor-narrow");
}

TEST_CASE("Tab reaches every control of the form in order") {
  Opened opened;
  auto rows = opened.editor.rows();
  rows.front()->control()->setFocus();
  std::vector<QWidget*> met;
  for (int i = 0; i < 60; ++i) {
    QWidget* focus = opened.editor.focusWidget();
    met.push_back(focus);
    QTest::keyClick(focus, Qt::Key_Tab);
    if (opened.editor.focusWidget() == met.front()) break;
  }
  for (const FieldRow* row : rows) {
    if (!row->isVisibleTo(&opened.editor)) continue;
    CAPTURE(row->field().path);
    CHECK(std::find(met.begin(), met.end(), row->control()) != met.end());
  }
}
