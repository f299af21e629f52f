// SPDX-License-Identifier: Apache-2.0
#include "gui/model/whole_file.hpp"

#include <QFileInfo>
#include <QObject>
#include <QSaveFile>

#include "sim/units/error.hpp"

namespace vacancy::gui {
namespace {

[[noreturn]] void cannot_write(const QString& path, const QString& why) {
  throw UserError(
      QObject::tr("%1: cannot be written: %2. Choose another place.").arg(path, why).toStdString());
}

}  // namespace

void check_place(const QString& path) {
  const QFileInfo place(path);  // of what a link leads to
  if (place.isDir())
    throw UserError(
        QObject::tr("%1: is a folder; name the file to write.").arg(path).toStdString());
  // It would be replaced, which a device or a pipe does not survive.
  if (place.exists() && !place.isFile())
    throw UserError(QObject::tr("%1: is there, and is not a plain file; name another.")
                        .arg(path)
                        .toStdString());
  const QString folder = place.path();
  if (!QFileInfo(folder).isDir())
    cannot_write(path, QObject::tr("there is no folder %1").arg(folder));
}

void write_whole(const QString& path, const QByteArray& bytes) {
  check_place(path);
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
    cannot_write(path, file.errorString());
}

}  // namespace vacancy::gui
