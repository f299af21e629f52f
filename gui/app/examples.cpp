// SPDX-License-Identifier: Apache-2.0
#include "gui/app/examples.hpp"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>

namespace vacancy::gui {
namespace {

struct Example {
  const char *file, *title;
};

constexpr Example examples[] = {
    {"seed/evict_14k_of_16k.json", "Evict 14,000 of 16,000"},
    {"synthetic/one_survivor_per_block.json", "One survivor per block"},
    {"seed/steady_state.json", "Steady state"},
    {"serving/eviction_admits_waiting.json", "Eviction admits who waits"},
    {"serving/chats_and_prefixes.json", "Chats and prefixes"},
    {"serving/pinned_prefixes.json", "Pinned prefixes"},
    {"serving/swap_or_recompute.json", "Swap or recompute"},
    {"serving/beam_search.json", "Beam search"},
    {"shared_prefix/zipage.json", "Compaction of shared prefixes"},
    {"serving/defects_of_eviction.json", "Defects of eviction"}};

/// Of a scenario, which may have comments that Qt's JSON does not know.
QString description_in(const QString& scenario) {
  static const QRegularExpression key(
      QStringLiteral(R"re("description"\s*:\s*"((?:[^"\\]|\\.)*)")re"));
  return key.match(scenario).captured(1).replace(QStringLiteral("\\\""), QStringLiteral("\""));
}

}  // namespace

QString examples_folder() {
  const QString beside = QCoreApplication::applicationDirPath();
  for (const QString& folder : {beside + QStringLiteral("/../share/vacancy/scenarios"),
                                QStringLiteral(VACANCY_SOURCE_DIR "/scenarios")})
    if (QFileInfo::exists(folder)) return QDir::cleanPath(folder);
  return {};
}

std::filesystem::path lessons_folder() {
  return (examples_folder() + QStringLiteral("/lessons")).toStdString();
}

std::vector<StartItem> example_items() {
  std::vector<StartItem> items;
  const QString folder = examples_folder();
  for (const Example& example : examples) {
    StartItem item;
    item.key = folder + '/' + QLatin1String(example.file);
    QFile file(item.key);
    if (!file.open(QIODevice::ReadOnly)) continue;
    item.title = QLatin1String(example.title);
    item.text = description_in(QString::fromUtf8(file.readAll()));
    items.push_back(std::move(item));
  }
  return items;
}

QString picture_folder() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) +
         QStringLiteral("/vacancy-gui");
}

QString picture_key(const QString& path) {
  return QString::fromLatin1(
      QCryptographicHash::hash(path.toUtf8(), QCryptographicHash::Sha1).toHex().left(16));
}

}  // namespace vacancy::gui
