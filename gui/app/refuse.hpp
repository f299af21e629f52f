// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "sim/units/error.hpp"

namespace vacancy::gui {

[[noreturn]] inline void refuse(const QString& sentence) {
  throw UserError(sentence.toStdString());
}

}  // namespace vacancy::gui
