// SPDX-License-Identifier: Apache-2.0
// One truth in all places: the legend and the command line's figures, the window and its exports;
// and what a window keeps from one start to the next.
#include <QAction>
#include <QDir>
#include <QFile>
#include <QMenu>
#include <QMenuBar>
#include <QSet>
#include <QShortcut>
#include <QSplitter>
#include <QSvgRenderer>
#include <QTableView>
#include <algorithm>
#include <map>

#include "gui/app/exporter.hpp"
#include "gui/app/headless_export.hpp"
#include "gui/app/map_sheet.hpp"
#include "gui/model/cursor.hpp"
#include "gui/widgets/legend.hpp"
#include "tests/gui/app/window_fixture.hpp"
#include "tests/gui/support/visible_texts.hpp"

namespace {

using namespace vacancy::gui;
using namespace vacancy::test;

constexpr const char* mapped[] = {"seed/evict_14k_of_16k.json", "seed/steady_state.json",
                                  "synthetic/mixed_lengths.json", "serving/beam_search.json"};

TEST_CASE("the legend's counts are the metrics of the command line, and all of the pool",
          "[slow]") {
  ShownWindow shown;
  for (const char* name : mapped) {
    CAPTURE(name);
    open_and_wait(shown.window, {scenario_path(name)});
    RunSession& session = shown.window.session();
    session.seek(session.recording().events());
    const vacancy::Summary* summary = session.recording().summary();
    REQUIRE(summary != nullptr);
    const auto& counts = shown.window.run_page().legend().counts();
    const auto of = [&](SlotClass c) { return counts[static_cast<std::size_t>(c)]; };
    const std::uint64_t live = of(SlotClass::live) + of(SlotClass::shared) + of(SlotClass::pinned);
    const std::uint64_t held = live + of(SlotClass::hole) + of(SlotClass::tail);
    CHECK(live == summary->memory.live_slots.end);
    CHECK(held == summary->memory.held_slots.end);
    CHECK(of(SlotClass::hole) == summary->memory.hole_ratio.end.numerator);
    CHECK(of(SlotClass::tail) == summary->memory.tail_ratio.end.numerator);
    const ReplicaShape& shape = session.recording().shape();
    std::uint64_t all = 0;
    for (const std::uint64_t count : counts)
      all += count;
    CHECK(all == session.replica().figures().blocks * shape.block_size);
    if (shape.blocks) CHECK(all == std::uint64_t{*shape.blocks} * shape.block_size);
  }
}

/// The colour that a block's cell has at its foot, where no mark is.
QRgb foot_of(const QImage& image, const MapLayout& layout, QPoint at, std::uint32_t block) {
  const QRect cell = layout.cell(block).translated(at);
  return image.pixel(cell.right() - layout.gap(), cell.bottom() - layout.gap());
}

bool in_view(const MapLayout& layout, std::uint32_t block) {
  return QRect(QPoint(0, 0), layout.view()).contains(layout.cell(block));
}

TEST_CASE("an exported map shows each block as the window does at that moment", "[slow]") {
  ShownWindow shown;
  MainWindow& window = shown.window;
  const Colouring colouring = GENERATE(from_range(offered_colourings));
  const int zoom = GENERATE(0, 18);  // 0: the whole pool
  CAPTURE(static_cast<int>(colouring), zoom);
  for (const char* name : {mapped[1], mapped[3]}) {
    CAPTURE(name);
    HeadlessExport job;
    job.files = QStringList{scenario_path(name)};
    job.out = shown.home.folder.filePath(QStringLiteral("map.png"));
    job.at = QStringLiteral("0.4");
    job.view = QStringLiteral("map");
    job.size = QStringLiteral("800x560");  // cells without slots, as in the window
    job.colour_by = QString::fromLatin1(colouring_name(colouring).data()).toLower();
    if (zoom > 0) job.zoom = QString::number(zoom);

    open_and_wait(window, job.files);
    RunSession& session = window.session();
    session.seek(static_cast<std::uint64_t>(
        std::llround(0.4 * static_cast<double>(session.recording().events()))));
    window.run_page().header().set_colouring(colouring);
    if (colouring == Colouring::score) {
      CHECK(headless_export(job).contains(QStringLiteral("choose it with --select")));
      const std::uint32_t sequence = session.replica().sequences().begin()->first;
      job.select = QStringLiteral("s%1").arg(sequence);
      window.selection().set_sequence(sequence);
      if (!fork_obstacle(session.recording().scenario()).empty()) {  // nothing is evicted
        CHECK(headless_export(job).contains(QStringLiteral("no round of this sequence was yet")));
        continue;
      }
      REQUIRE(QTest::qWaitFor([&] { return session.score_finder().scores() != nullptr; }, 20'000));
    }
    REQUIRE(headless_export(job).toStdString() == "");
    QImage sheet(job.out);
    REQUIRE(sheet.size() == QSize(1600, 1120));
    sheet = sheet.convertToFormat(QImage::Format_RGB32);
    const MapView& map = window.run_page().map();
    const QImage seen =
        window.run_page().map().grab().toImage().convertToFormat(QImage::Format_RGB32);
    const Palette& palette = palette_of(Theme::light);
    ExportJob sheet_job;
    sheet_job.size = {800, 560};
    auto [layout, at] = map_on_sheet(session, sheet_job, 2);
    if (zoom > 0) layout = layout.zoomed({zoom, 1});
    REQUIRE(std::max(layout.level(), map.layout().level()) < MapLevel::slots);
    std::map<QRgb, std::uint32_t> colours;
    for (std::uint32_t block = 0; block < map.layout().blocks(); ++block) {
      if (!in_view(layout, block)) continue;
      QRgb in_window = foot_of(seen, map.layout(), map.cells_area().topLeft(), block);
      QRgb in_sheet = foot_of(sheet, layout, at * 2, block);
      // A hatch may fall on this pixel in one of the two.
      for (QRgb* colour : {&in_window, &in_sheet})
        for (std::size_t c = 0; c < 7; ++c)
          if (*colour == palette.hatch(static_cast<BlockClass>(c)))
            *colour = palette.of(static_cast<BlockClass>(c));
      CAPTURE(block);
      REQUIRE(in_sheet == in_window);
      ++colours[in_sheet];
    }
    CHECK(colours.size() >= 2);
  }
}

/// A map's sheet at the scale of the screen.
QImage sheet_of(RunSession& session, const ExportJob& job) {
  QImage image(job.size, QImage::Format_RGB32);
  QPainter painter(&image);
  draw_map_sheet(painter, session, job, 1);
  return image;
}

TEST_CASE("a map that the window exports has its zoom, place, colouring, isolation and selection") {
  ShownWindow shown;
  MainWindow& window = shown.window;
  open_and_wait(window, {scenario_path("seed/steady_state.json")});
  RunSession& session = window.session();
  session.seek(5'000);
  MapView& map = window.run_page().map();
  const auto same = [&] {
    const ExportJob job = window.shown_as(ExportView::map, QStringLiteral("a.png"));
    const auto [layout, at] = map_on_sheet(session, job, 1);
    CHECK(layout == map.layout());
    CHECK((layout.rescaled(2).rescaled(1) == layout));
    // Cells, frames around them, addresses.
    const QRect area = map.cells_area().adjusted(-map_gutter, -map_margin, 0, map_margin);
    const QImage seen = map.grab(area).toImage().convertToFormat(QImage::Format_RGB32);
    const QImage sheet =
        sheet_of(session, job).copy(QRect(at - QPoint(map_gutter, map_margin), area.size()));
    REQUIRE(seen.size() == sheet.size());
    int differing = 0;
    for (int y = 0; y < seen.height(); ++y)
      for (int x = 0; x < seen.width(); ++x)
        differing += seen.pixel(x, y) != sheet.pixel(x, y) ? 1 : 0;
    // A line of a pixel between two pixels may be drawn on either.
    CHECK(differing * 1'000 < seen.width() * seen.height());
    return sheet;
  };
  std::vector<QImage> pictures = {same()};
  const auto another = [&] {
    CAPTURE(pictures.size());  // before this change
    const QImage picture = same();
    for (const QImage& before : pictures)
      CHECK(picture != before);  // each of the changes is seen
    pictures.push_back(picture);
  };
  window.run_page().header().set_colouring(Colouring::sequence);
  another();
  window.go_to_block(session.replica().blocks() / 2);  // the pool grows
  another();
  window.zoom_map({42, 1});
  window.reveal_chosen();
  another();
  map.pan(1, 1);
  another();
  map.fit();
  map.isolate(BlockClass::hole);
  another();
}

TEST_CASE("above a zoomed map stand the blocks that the pool has at that moment") {
  ShownWindow shown;
  MainWindow& window = shown.window;
  open_and_wait(window, {scenario_path("seed/steady_state.json")});
  RunSession& session = window.session();
  window.zoom_map({64, 1});
  for (const std::uint64_t event : {std::uint64_t{2'500}, session.recording().events()}) {
    session.seek(event);
    const std::uint32_t blocks = session.replica().blocks();
    const bool grows_yet = blocks < window.run_page().map().layout().blocks();
    CHECK(grows_yet == (event == 2'500));
    const QStringList texts = texts_of(window.run_page().header());
    CHECK_FALSE(texts.filter(QStringLiteral(" of %1 blocks in view").arg(blocks)).isEmpty());
  }
}

TEST_CASE("two runs side by side export the map of A as it is shown", "[slow]") {
  ShownWindow shown;
  MainWindow& window = shown.window;
  open_and_wait(window, {scenario_path(mapped[0]), scenario_path(mapped[1])});
  window.zoom_map({28, 1});
  const ExportJob job = window.shown_as(ExportView::map, QStringLiteral("a.png"));
  REQUIRE(job.map.place);
  CHECK(job.map.place->zoom() == MapZoom{28, 1});
}

TEST_CASE("a sheet's key has room on the smallest sheet") {
  ShownWindow shown;
  open_and_wait(shown.window, {scenario_path("seed/steady_state.json")});
  RunSession& session = shown.window.session();
  ExportJob job;
  job.size = smallest_sheet;
  job.map.colouring = Colouring::references;
  job.map.blocks = {200};
  job.map.sequence = 3;
  QImage image(job.size + QSize(0, 60), QImage::Format_RGB32);
  image.fill(Qt::magenta);
  QPainter painter(&image);
  draw_map_sheet(painter, session, job, 1);
  painter.end();
  for (int y = job.size.height(); y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      REQUIRE(image.pixelColor(x, y) == QColor(Qt::magenta));
}

TEST_CASE("--select outlines a block with its sequence, or a sequence, and brings it into view",
          "[slow]") {
  ShownWindow shown;
  HeadlessExport job;
  job.files = QStringList{scenario_path("seed/steady_state.json")};
  job.view = QStringLiteral("map");
  job.size = QStringLiteral("800x560");
  job.at = QStringLiteral("#5000");
  const auto picture = [&](const char* zoom, const char* select) {
    job.out = shown.home.folder.filePath(QStringLiteral("map.png"));
    job.zoom = QLatin1String(zoom);
    job.select.reset();
    if (select != nullptr) job.select = QLatin1String(select);
    REQUIRE(headless_export(job).toStdString() == "");
    return QImage(job.out);
  };
  open_and_wait(shown.window, job.files);
  RunSession& session = shown.window.session();
  session.seek(5'000);
  const std::uint32_t last = session.replica().blocks() - 1;
  const std::uint32_t owner = session.replica().view().owner[last];
  REQUIRE(owner != no_sequence);
  const QImage plain = picture("13", nullptr);
  const QImage block = picture("13", std::to_string(last).c_str());
  const QImage sequence = picture("13", ('s' + std::to_string(owner)).c_str());
  CHECK(plain != block);
  CHECK(plain != sequence);
  CHECK(block != sequence);
  // Too large for the sheet: the chosen block is on it.
  CHECK(picture("136", nullptr) != picture("136", std::to_string(last).c_str()));
}

TEST_CASE("an exported window is the window") {
  ShownWindow shown;
  MainWindow& window = shown.window;
  window.resize(1300, 900);
  HeadlessExport job;
  job.files = QStringList{scenario_path("seed/steady_state.json")};
  job.out = shown.home.folder.filePath(QStringLiteral("window.png"));
  job.at = QStringLiteral("#5000");
  job.view = QStringLiteral("window");
  job.size = QStringLiteral("1300x900");
  REQUIRE(headless_export(job).toStdString() == "");
  const QImage picture(job.out);
  open_and_wait(window, job.files);
  window.session().seek(5'000);
  QTest::qWait(400);
  REQUIRE(picture.size() == window.grab().toImage().size());
  for (QWidget* part : {static_cast<QWidget*>(&window.run_page().map()),
                        static_cast<QWidget*>(&window.run_page().legend()),
                        static_cast<QWidget*>(&window.run_page().timeline())}) {
    CAPTURE(part->accessibleName().toStdString());
    const QRect place(part->mapTo(&window, QPoint(0, 0)), part->size());
    CHECK(picture.copy(place).convertToFormat(QImage::Format_RGB32) ==
          window.grab(place).toImage().convertToFormat(QImage::Format_RGB32));
  }
}

TEST_CASE("exported series have the figures that the window shows at each moment") {
  ShownWindow shown;
  open_and_wait(shown.window, {scenario_path("seed/steady_state.json")});
  RunSession& session = shown.window.session();
  const QList<QByteArray> lines =
      series_csv(session.recording(), session.span(session.axis_unit()), session.axis_unit())
          .trimmed()
          .split('\n');
  REQUIRE(lines.size() > 100);
  const QList<QByteArray> names = lines[0].split(',');
  Cursor cursor(session.shared_recording());
  for (qsizetype i = 1; i < lines.size(); i += 37) {
    CAPTURE(i);
    const QList<QByteArray> values = lines[i].split(',');
    REQUIRE(values.size() == names.size());
    const auto value = [&](const char* name) {
      return values[names.indexOf(QByteArray(name))].toULongLong();
    };
    cursor.seek(value("event"));
    const ReplicaFigures& figures = cursor.replica().figures();
    CHECK(value("time_ns") == static_cast<std::uint64_t>(cursor.time_ns()));
    CHECK(value("hole") == figures.slots[SlotClass::hole]);
    CHECK(value("live") == figures.slots[SlotClass::live]);
    CHECK(value("free") == figures.slots[SlotClass::free]);
    CHECK(value("held_blocks") == figures.held_blocks);
    CHECK(value("blocks_freed_by_eviction") == static_cast<std::uint64_t>(figures.blocks_freed));
  }
}

TEST_CASE("drawings are whole files of their kind, and faults are sentences") {
  ShownWindow shown;
  open_and_wait(shown.window, {scenario_path("seed/evict_14k_of_16k.json")});
  RunSession& session = shown.window.session();
  ExportJob job;
  job.size = {800, 500};
  for (const ExportView view : {ExportView::map, ExportView::timeline}) {
    job.view = view;
    job.path = shown.home.folder.filePath(QStringLiteral("a.svg"));
    export_run(session, job);
    QSvgRenderer svg(job.path);
    CHECK(svg.isValid());
    CHECK(svg.viewBox().size() == job.size);
    job.path = shown.home.folder.filePath(QStringLiteral("a.pdf"));
    export_run(session, job);
    QFile pdf(job.path);
    REQUIRE(pdf.open(QIODevice::ReadOnly));
    const QByteArray bytes = pdf.readAll();
    CHECK(bytes.startsWith("%PDF-"));
    CHECK(bytes.trimmed().endsWith("%%EOF"));
  }
  job.path = shown.home.folder.filePath(QStringLiteral("a.bmp"));
  CHECK_THROWS_WITH(export_run(session, job), Catch::Contains("must end in .png, .svg or .pdf"));
  CHECK_FALSE(QFile::exists(job.path));
  job.path = shown.home.folder.filePath(QStringLiteral("no/such/folder/a.png"));
  CHECK_THROWS_WITH(export_run(session, job),
                    Catch::Contains("cannot be written: there is no folder"));
}

TEST_CASE("no key does two things in the window, no letter two in a menu") {
  ShownWindow shown;
  open_and_wait(shown.window, {scenario_path("seed/evict_14k_of_16k.json")});
  std::map<QString, const QObject*> owners;
  const auto claim = [&](const QKeySequence& key, const QObject* owner) {
    if (key.isEmpty()) return;
    const QString name = key.toString(QKeySequence::PortableText);
    CAPTURE(name.toStdString());
    const auto [place, fresh] = owners.emplace(name, owner);
    CHECK((fresh || place->second == owner));
  };
  for (const QAction* action : shown.window.findChildren<QAction*>()) {
    // Qt's own, of text fields: they have their keys only while the field has the focus.
    if (action->shortcutContext() == Qt::WidgetShortcut) continue;
    for (const QKeySequence& key : action->shortcuts())
      claim(key, action);
  }
  for (const QShortcut* shortcut : shown.window.findChildren<QShortcut*>())
    if (shortcut->context() != Qt::WidgetShortcut) claim(shortcut->key(), shortcut);
  CHECK(owners.size() > 40);
  for (const QAction* top : shown.window.menuBar()->actions()) {
    REQUIRE(top->menu() != nullptr);
    QSet<QChar> letters;
    for (const QAction* action : top->menu()->actions()) {
      const qsizetype at = action->text().indexOf('&');
      if (at < 0 || at + 1 >= action->text().size()) continue;
      const QChar letter = action->text()[at + 1].toLower();
      CAPTURE(action->text().toStdString());
      CHECK_FALSE(letters.contains(letter));
      letters.insert(letter);
    }
  }
}

TEST_CASE("a layout comes back as it was left: docks, tabs, sizes, the splitter") {
  const Home home;
  const QString scenario = scenario_path("seed/evict_14k_of_16k.json");
  const auto places = [](MainWindow& window) {
    std::map<QString, QRect> result;
    for (const char* name : {"scenario", "events", "inspector", "table", "queue", "prefixes"}) {
      QDockWidget* dock = window.dock(QLatin1String(name));
      // Of tabs that are not in front Qt keeps no place.
      result[QLatin1String(name)] = dock->visibleRegion().isEmpty() ? QRect() : dock->geometry();
    }
    result[QStringLiteral("timeline")] = QRect(QPoint(0, 0), window.run_page().timeline().size());
    return result;
  };
  std::map<QString, QRect> left, fresh;
  {
    MainWindow window;
    window.resize(1500, 950);
    window.show();
    open_and_wait(window, {scenario});
    fresh = places(window);
    window.addDockWidget(Qt::BottomDockWidgetArea, window.dock(QStringLiteral("queue")));
    window.dock(QStringLiteral("scenario"))->raise();
    window.dock(QStringLiteral("prefixes"))->hide();
    window.resizeDocks({window.dock(QStringLiteral("inspector"))}, {420}, Qt::Horizontal);
    window.run_page().splitter().setSizes({400, 300});
    QTest::qWait(50);
    left = places(window);
    window.close();
  }
  REQUIRE(left != fresh);
  {
    MainWindow window;
    window.show();
    open_and_wait(window, {scenario});
    QTest::qWait(50);
    CHECK(window.size() == QSize(1500, 950));
    CHECK(places(window) == left);
    window.commands()["reset_layout"]->trigger();
    QTest::qWait(50);
    // Back in their areas and seen again; Qt may give tabs other sizes.
    for (const char* name : {"scenario", "events", "inspector", "table", "queue", "prefixes"}) {
      CAPTURE(name);
      QDockWidget* dock = window.dock(QLatin1String(name));
      CHECK_FALSE(dock->isHidden());
      const bool at_left = QLatin1String(name) == QStringLiteral("scenario") ||
                           QLatin1String(name) == QStringLiteral("events");
      CHECK(window.dockWidgetArea(dock) ==
            (at_left ? Qt::LeftDockWidgetArea : Qt::RightDockWidgetArea));
    }
    window.close();
  }
}

TEST_CASE("a dock that comes to the front shows the moment that the map shows") {
  ShownWindow shown;
  MainWindow& window = shown.window;
  open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
  window.commands()["dock_queue"]->trigger();
  QTest::qWait(20);
  const auto* queue = window.findChild<FreeQueueView*>()->findChild<QTableView*>();
  CHECK(queue->model()->rowCount() ==
        static_cast<int>(window.session().replica().figures().free_blocks()));
  // Its replica goes with the run; the table that is behind must not keep it.
  window.selection().set_sequence(0);
  open_and_wait(window, {scenario_path("synthetic/one_survivor_per_block.json")});
  window.commands()["dock_table"]->trigger();
  QTest::qWait(20);
  CHECK_FALSE(window.grab().isNull());
}

}  // namespace
