// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMenu>
#include <functional>

#include "gui/model/playback.hpp"

namespace vacancy::gui {

/// What a run can go on to. Deletes itself.
QMenu* make_run_until_menu(QWidget* parent,
                           std::function<void(const Until& until, const QString& what)> go);

}  // namespace vacancy::gui
