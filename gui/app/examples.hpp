// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <filesystem>
#include <vector>

#include "gui/widgets/start_page.hpp"

namespace vacancy::gui {

/// Where the ready-made scenarios are: beside the installed program, or in the sources; empty if
/// nowhere.
QString examples_folder();
/// The lessons among them.
std::filesystem::path lessons_folder();
/// Small ones first.
std::vector<StartItem> example_items();

/// Where pictures of earlier runs are kept, and under which name that of a file.
QString picture_folder();
QString picture_key(const QString& path);

}  // namespace vacancy::gui
