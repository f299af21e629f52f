// SPDX-License-Identifier: Apache-2.0
#include "gui/model/sweep/figure_words.hpp"

#include <QString>
#include <QStringList>

#include "gui/model/form/qt_text.hpp"

namespace vacancy::gui {

namespace {

/// "kv_peak_bytes": "KV peak bytes".
QString words_of(const QString& name) {
  static const QStringList abbreviations = {QStringLiteral("kv"), QStringLiteral("ttft"),
                                            QStringLiteral("tpot"), QStringLiteral("itl")};
  QStringList words = name.split('_');
  if (words.last() == QStringLiteral("ns")) words.removeLast();  // values have their unit
  for (QString& word : words)
    if (abbreviations.contains(word)) word = word.toUpper();
  return words.join(' ');
}

/// A word alone could be of anything, so that its group stays: "reclaim rounds", "latency TTFT,
/// p95", where "hole ratio, end" needs none.
QString name_of(const QString& key) {
  const QStringList parts = key.split('.');
  const bool alone = parts.size() > 1 && !parts[1].contains('_');
  QString name;
  for (qsizetype i = parts.size() > 1 && !alone ? 1 : 0; i < parts.size(); ++i) {
    const bool goes_on = (alone && i == 1) || name.endsWith(QStringLiteral(" by"));
    if (!name.isEmpty()) name += goes_on ? QStringLiteral(" ") : QStringLiteral(", ");
    name += words_of(parts[i]);
  }
  return name;
}

}  // namespace

Figure in_words(const Figure& figure) {
  const QString name = name_of(qt(figure.key)), unit = qt(figure.unit);
  const QStringList words = QString(name).remove(',').split(' ');
  // Plots and cells scale bytes by their unit.
  const bool said = unit != QStringLiteral("bytes") && words.contains(unit);
  return {name.toStdString(), said ? std::string() : figure.unit};
}

}  // namespace vacancy::gui
