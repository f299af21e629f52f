// SPDX-License-Identifier: Apache-2.0
// The program on a real X display: what no test under Qt's offscreen platform can see.
#include <QElapsedTimer>
#include <QStandardPaths>
#include <QThread>
#include <catch2/catch.hpp>
#include <functional>

#include "gui/paint/palette.hpp"
#include "tests/gui/program/program.hpp"
#include "tests/gui/program/x_client.hpp"
#include "tests/support/skip.hpp"

namespace {

using namespace vacancy::test;
using vacancy::gui::BlockClass;

bool wait_for(const std::function<bool()>& holds) {
  QElapsedTimer timer;
  timer.start();
  while (!holds()) {
    if (timer.elapsed() > 60'000) return false;
    QThread::msleep(20);
  }
  return true;
}

/// An X server of its own, with nobody else on it.
struct Screen {
  Screen() {
    application();
    server.start(QStringLiteral("Xvfb"),
                 {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-nolisten"),
                  QStringLiteral("tcp"), QStringLiteral("-screen"), QStringLiteral("0"),
                  QStringLiteral("1600x1000x24")});
    if (server.waitForReadyRead(30'000)) name = ':' + server.readLine().trimmed();
  }
  ~Screen() {
    server.terminate();
    server.waitForFinished();
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  QProcess server;
  QString name;
};

TEST_CASE("on a real screen the program opens a scenario, shows its blocks and closes") {
  if (QStandardPaths::findExecutable(QStringLiteral("Xvfb")).isEmpty())
    return skip("there is no Xvfb here");
  const Screen screen;
  REQUIRE_FALSE(screen.name.isEmpty());
  XClient client(screen.name.toStdString());
  Program program(gui_program(),
                  {QStringLiteral("--light"), scenario_path("seed/evict_14k_of_16k.json")},
                  {{QStringLiteral("DISPLAY"), screen.name},
                   {QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb")}});
  std::optional<XClient::Window> window;
  REQUIRE(
      wait_for([&] { return (window = client.find("seed/evict_14k_of_16k.json")).has_value(); }));
  const vacancy::gui::Palette& palette = vacancy::gui::palette_of(vacancy::gui::Theme::light);
  const auto colour = [&](BlockClass c) { return palette.of(c) & 0xffffffU; };
  WindowPicture picture;
  // 122 of 1,000 blocks are free again, the others have live slots and holes.
  const bool shown = wait_for([&] {
    picture = client.picture(*window);
    return picture.count(colour(BlockClass::live)) > 5'000 &&
           picture.count(colour(BlockClass::hole)) > 5'000 &&
           picture.count(colour(BlockClass::free)) > 1'000;
  });
  REQUIRE(shown);
  CHECK(picture.width >= 1'000);
  client.close(*window);
  const int exit_code = program.exit_code();
  const QString errors = program.errors();
  INFO(errors.toStdString());
  CHECK(exit_code == 0);
  CHECK_FALSE(errors.contains(QStringLiteral("QObject")));
}

}  // namespace
