// SPDX-License-Identifier: Apache-2.0
#include "gui/lessons/lesson_shelf.hpp"

#include <algorithm>
#include <optional>

#include "gui/model/form/qt_text.hpp"
#include "sim/units/error.hpp"

namespace vacancy::gui {

std::string SettingsProgress::value(const std::string& key) const {
  return settings_.value(qt(key)).toString().toStdString();
}

void SettingsProgress::set(const std::string& key, const std::string& value) {
  settings_.setValue(qt(key), qt(value));
}

std::shared_ptr<const PoolState> picture_state(const Lesson& lesson, bool done) {
  std::optional<LessonState> shown;
  for (const LessonStep& step : lesson.steps) {
    if (!shown || done) shown = step.show ? step.show : shown;
    if (done && step.reveal && step.reveal->show) shown = step.reveal->show;
  }
  return shown ? LessonLab(lesson, lesson.seed).state(*shown) : nullptr;
}

LessonShelf::LessonShelf(const std::filesystem::path& folder) {
  const auto try_to = [this](const auto& read) {
    try {
      read();
    } catch (const UserError& fault) {
      faults_.emplace_back(fault.what());
    }
  };
  try_to([&] {
    glossary_ = load_glossary(folder);
    for (const auto& each : lesson_folders(folder))
      try_to([&] { lessons_.push_back(load_lesson(each, glossary_)); });
  });
}

const Lesson* LessonShelf::find(std::uint32_t number) const {
  const auto found = std::find_if(lessons_.begin(), lessons_.end(),
                                  [&](const Lesson& lesson) { return lesson.number == number; });
  return found == lessons_.end() ? nullptr : &*found;
}

const Lesson* LessonShelf::next(const LessonProgress& progress) const {
  const auto found = std::find_if(lessons_.begin(), lessons_.end(), [&](const Lesson& lesson) {
    return !LessonPlayer::done(lesson, progress);
  });
  return found == lessons_.end() ? nullptr : &*found;
}

}  // namespace vacancy::gui
