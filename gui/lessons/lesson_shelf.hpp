// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSettings>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/lesson/player.hpp"

namespace vacancy::gui {

/// Progress in the program's settings.
class SettingsProgress final : public LessonProgress {
 public:
  explicit SettingsProgress(QSettings& settings) : settings_(settings) {}
  std::string value(const std::string& key) const override;
  void set(const std::string& key, const std::string& value) override;

 private:
  QSettings& settings_;
};

/// The pool that stands for a lesson: the first that it shows, or once it is done the last. Null
/// where it shows none. Simulates.
std::shared_ptr<const PoolState> picture_state(const Lesson& lesson, bool done);

/// The lessons of a folder with their words, in order. A faulty one is left out, and its faults
/// kept.
class LessonShelf {
 public:
  explicit LessonShelf(const std::filesystem::path& folder);

  const std::vector<Lesson>& lessons() const { return lessons_; }
  const Glossary& glossary() const { return glossary_; }
  /// Why lessons are not here, each in its own sentences.
  const std::vector<std::string>& faults() const { return faults_; }
  /// By its number; null where there is none.
  const Lesson* find(std::uint32_t number) const;
  /// The first one that is not done; null when all are.
  const Lesson* next(const LessonProgress& progress) const;

 private:
  Glossary glossary_;
  std::vector<Lesson> lessons_;
  std::vector<std::string> faults_;
};

}  // namespace vacancy::gui
