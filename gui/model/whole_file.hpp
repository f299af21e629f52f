// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>

namespace vacancy::gui {

/// Throws UserError where no file can be put in this place.
void check_place(const QString& path);
/// A file with these bytes, or the one that was there: written beside it and renamed, so that a
/// full disk or a crash leaves nothing half-written. Throws UserError.
void write_whole(const QString& path, const QByteArray& bytes);

}  // namespace vacancy::gui
