// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>

#include "gui/widgets/run_session.hpp"

namespace {

using namespace vacancy::gui;

/// Far longer than anyone waits; each moment takes a while to reach.
constexpr auto endless = R"({"seed": 1, "model": "qwen3-8b", "cache": {"block_size": 16},
  "eviction": {"policy": "random", "scope": "per_layer_per_head", "budget": 2048, "interval": 128},
  "reclaim": {"kind": "slide"}, "quality": {"queries": 0},
  "workload": {"sequences": 4, "prompt_tokens": 2000, "output_tokens": 50000000}})";

TEST_CASE("a run that goes on is followed, though it goes on while a moment is looked for") {
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("endless.json"));
  QFile file(path);
  REQUIRE(file.open(QIODevice::WriteOnly));
  file.write(endless);
  file.close();

  RunSession session;
  std::vector<double> shown;  // share of what is recorded
  QObject::connect(&session, &RunSession::grew, [&] {
    if (session.recording().events() > 0)
      shown.push_back(static_cast<double>(session.moment()) /
                      static_cast<double>(session.recording().events()));
  });
  RunRequest request;
  request.file = path.toStdString();
  session.open(std::move(request));
  CHECK(QTest::qWaitFor([&] { return shown.size() >= 8; }, 60'000));
  REQUIRE(shown.size() >= 8);
  CHECK(shown[7] > 0.5);

  // Whoever goes elsewhere is left there.
  session.seek(1);
  const std::size_t then = shown.size();
  CHECK(QTest::qWaitFor([&] { return shown.size() >= then + 2; }, 60'000));
  CHECK(session.moment() == 1);
  session.cancel();
  CHECK(QTest::qWaitFor([&] { return session.recording().over(); }, 60'000));
}

}  // namespace
