// SPDX-License-Identifier: Apache-2.0
#include "gui/app/options.hpp"

#include <QByteArray>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "gui/app/refuse.hpp"
#include "gui/model/announcer.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

constexpr int largest_picture = 8000;
constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();

/// All of the text as a number in least … most, or nothing. No sign, no space, no separator.
template <class T>
std::optional<T> number_in(const QString& text, T least, T most) {
  const QByteArray bytes = text.toLatin1();
  T value{};
  const auto [end, fault] = std::from_chars(bytes.begin(), bytes.end(), value);
  const bool whole = fault == std::errc() && end == bytes.end();
  return whole && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

std::uint64_t event_of(const QString& digits, const Recording& run) {
  const auto event = number_in<std::uint64_t>(digits, 0, run.events());
  if (!event)
    refuse(QObject::tr("--at: the run has no event #%1; its events are #0 to #%2.")
               .arg(digits)
               .arg(run.events()));
  return *event;
}

std::int64_t time_of(const QString& text, double value, const QString& unit, const Recording& run) {
  const double ns = unit == QStringLiteral("s")    ? 1e9
                    : unit == QStringLiteral("ms") ? 1e6
                    : unit == QStringLiteral("us") ? 1e3
                                                   : 1;
  // The end as it is written, in whole milliseconds, is the end.
  constexpr double written = 5e5;
  if (value * ns > static_cast<double>(run.end_ns()) + written)
    refuse(QObject::tr("--at: %1 is after the end of the run, which is at %2.")
               .arg(text, text_of(seconds(run.end_ns()))));
  return std::min<std::int64_t>(std::llround(value * ns), run.end_ns());
}

}  // namespace

QSize size_option(const QString& text, QSize smallest) {
  static const QRegularExpression form(QStringLiteral("^(\\d{1,5})x(\\d{1,5})$"));
  const auto match = form.match(text);
  const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
  const bool fits = size.width() >= smallest.width() && size.height() >= smallest.height() &&
                    size.width() <= largest_picture && size.height() <= largest_picture;
  if (!match.hasMatch() || !fits)
    refuse(QObject::tr("--size: “%1” is not WIDTHxHEIGHT between %2x%3 and %4x%4.")
               .arg(text)
               .arg(smallest.width())
               .arg(smallest.height())
               .arg(largest_picture));
  return size;
}

MapZoom zoom_option(const QString& text) {
  const auto pixels = number_in<int>(text, zoom_pitches.front(), zoom_pitches.back());
  if (!pixels)
    refuse(QObject::tr("--zoom: “%1” is no whole number of pixels a cell from %2 to %3.")
               .arg(text)
               .arg(zoom_pitches.front())
               .arg(zoom_pitches.back()));
  return {*pixels, 1};
}

QString colouring_words() {
  QStringList words;
  for (const Colouring colouring : offered_colourings)
    words.append(text_of(colouring_name(colouring)).toLower());
  const QString last = words.takeLast();
  return QObject::tr("%1 or %2").arg(words.join(QStringLiteral(", ")), last);
}

Colouring colouring_option(const QString& text) {
  for (const Colouring colouring : offered_colourings)
    if (text.compare(text_of(colouring_name(colouring)), Qt::CaseInsensitive) == 0)
      return colouring;
  refuse(QObject::tr("--colour-by: “%1” is not among %2.").arg(text, colouring_words()));
}

void seek_option(RunSession& session, const QString& text) {
  static const QRegularExpression form(
      QStringLiteral("^(?:#(?<event>\\d+)|(?<value>\\d*\\.?\\d+)(?<unit>s|ms|us|ns)?)$"));
  const auto match = form.match(text.trimmed());
  const Recording& run = session.recording();
  const QString event = match.captured(QStringLiteral("event"));
  const QString unit = match.captured(QStringLiteral("unit"));
  const double value = match.captured(QStringLiteral("value")).toDouble();
  const bool share = event.isEmpty() && unit.isEmpty();
  if (!match.hasMatch() || (share && value > 1))
    refuse(QObject::tr("--at: “%1” is neither a share of the events (0.5), a time (30s, 250ms) nor "
                       "an event (#1200).")
               .arg(text));
  if (!event.isEmpty())
    session.seek(event_of(event, run));
  else if (share)
    session.seek(
        static_cast<std::uint64_t>(std::llround(value * static_cast<double>(run.events()))));
  else
    session.seek_time(time_of(text, value, unit, run));
}

void select_option(Selection& selection, const RunSession& session, const QString& text) {
  if (!session.has_map())
    refuse(QObject::tr("--select: %1").arg(text_of(session.recording().missing())));
  const Replica& now = session.replica();
  const bool is_sequence = text.startsWith('s', Qt::CaseInsensitive);
  constexpr std::uint32_t most = no_sequence - 1;
  const auto number = number_in<std::uint32_t>(text.mid(is_sequence ? 1 : 0), 0, most);
  if (!number)
    refuse(QObject::tr("--select: “%1” is neither a block (674) nor a sequence (s88).").arg(text));
  if (is_sequence) {
    if (now.blocks_of(*number).empty())
      refuse(QObject::tr("--select: %1 has no blocks at %2; choose one that has, or another moment "
                         "with --at.")
                 .arg(text_of(sequence_name(*number)), text_of(seconds(session.time_ns()))));
    selection.set_blocks({});
    return selection.set_sequence(*number);
  }
  if (*number >= now.blocks())
    refuse(QObject::tr("--select: there is no block %1; the pool has blocks 0 to %2. A sequence is "
                       "written s%1.")
               .arg(*number)
               .arg(now.blocks() - 1));
  const std::uint32_t owner = now.view().owner[*number];
  selection.set_blocks({*number});
  selection.set_sequence(owner == no_sequence ? std::nullopt : std::optional(owner));
}

LessonWish lesson_option(const LessonOptions& options, const LessonShelf& shelf) {
  LessonWish wish;
  const auto number = number_in<std::uint32_t>(options.number, 0, no_sequence);
  if (!number || shelf.find(*number) == nullptr) {
    QStringList there;
    for (const Lesson& lesson : shelf.lessons())
      there.append(QString::number(lesson.number));
    QString sentence = there.isEmpty() ? QObject::tr("--lesson: no lesson can be read.")
                                       : QObject::tr("--lesson: “%1” is none; there are %2.")
                                             .arg(options.number, there.join(QStringLiteral(", ")));
    for (const std::string& fault : shelf.faults())
      sentence += '\n' + text_of(fault);
    refuse(sentence);
  }
  wish.number = *number;
  if (options.seed) {
    wish.seed = number_in<std::uint64_t>(*options.seed, 0, any);
    if (!wish.seed)
      refuse(QObject::tr("--seed: “%1” is no integer from 0 to %2.").arg(*options.seed).arg(any));
  }
  if (options.step) {
    const auto step = number_in<std::uint64_t>(*options.step, 1, any);
    if (!step) refuse(QObject::tr("--step: “%1” is no whole number from 1 on.").arg(*options.step));
    wish.step = *step;
  }
  if (options.answer) {
    wish.answer = number_in<double>(*options.answer, 0, std::numeric_limits<double>::max());
    if (!wish.answer)
      refuse(QObject::tr("--answer: “%1” is no number from 0 on.").arg(*options.answer));
  }
  return wish;
}

}  // namespace vacancy::gui
