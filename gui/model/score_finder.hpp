// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QTimer>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gui/model/cursor.hpp"
#include "gui/model/round_scores.hpp"
#include "gui/model/run_controller.hpp"

namespace vacancy::gui {

/// The scores of a sequence's last round before a moment, found in the background by making the run
/// once more up to there.
class ScoreFinder final : public QObject {
  Q_OBJECT

 public:
  explicit ScoreFinder(QObject* parent = nullptr);

  /// What is wanted from now on; a moment that soon changes again starts no run. Costs nothing
  /// where the round is the same as before.
  void look(const Cursor& cursor, std::optional<std::uint32_t> sequence);
  /// The same, and waits for it.
  void find(const Cursor& cursor, std::uint32_t sequence);
  /// Nothing is wanted.
  void stop();

  /// Of the round that is wanted; null until it is found, and where it has none.
  const RoundScores* scores() const { return scores_.get(); }
  /// For whoever looks at them: whose they are, or why there are none; empty if none are wanted.
  std::string sentence() const;

 Q_SIGNALS:
  void changed();

 private:
  struct Wanted {
    std::shared_ptr<const Recording> recording;
    std::uint32_t sequence = 0, round = 0;
    std::int64_t time_ns = 0;  // of the round: its number comes again after a preemption
    std::uint64_t event = 0;   // a moment after it

    ScoreRun score_run() const { return {*recording, sequence, round, event}; }
    bool same_round(const Wanted& other) const {
      return recording == other.recording && sequence == other.sequence && round == other.round &&
             time_ns == other.time_ns;
    }
  };
  enum class Finding : std::uint8_t { idle, sequence_missing, round_missing, looking, over };

  /// Whether there is something to be found that was not wanted before.
  bool want(const Cursor& cursor, std::optional<std::uint32_t> sequence);
  void set_state(Finding state);
  void forget();
  void start();
  void take();

  RunController controller_;
  QTimer still_;
  Finding state_ = Finding::idle;
  std::optional<Wanted> wanted_;
  std::optional<ScoreRun> run_;
  std::shared_ptr<const RoundScores> scores_;
};

}  // namespace vacancy::gui
