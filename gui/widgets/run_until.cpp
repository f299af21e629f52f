// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/run_until.hpp"

#include <QInputDialog>
#include <cmath>
#include <utility>

namespace vacancy::gui {

QMenu* make_run_until_menu(QWidget* parent,
                           std::function<void(const Until& until, const QString& what)> go) {
  auto* menu = new QMenu(parent);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const auto mark = [&](const QString& name, MarkKind kind) {
    menu->addAction(name, menu, [go, name, kind] {
      Until until;
      until.kind = Until::Kind::mark;
      until.mark = kind;
      go(until, name);
    });
  };
  menu->addAction(QObject::tr("A time…"), menu, [go, parent] {
    bool given = false;
    const double s =
        QInputDialog::getDouble(parent, QObject::tr("Run until"),
                                QObject::tr("Virtual time, seconds"), 0, 0, 1e9, 6, &given);
    if (!given) return;
    Until until;
    until.kind = Until::Kind::time;
    until.time_ns = std::llround(s * 1e9);
    go(until, QObject::tr("That time"));
  });
  menu->addSeparator();
  mark(QObject::tr("The next reclaim"), MarkKind::reclaim);
  mark(QObject::tr("The next eviction that frees nothing"), MarkKind::evict);
  mark(QObject::tr("The next admission"), MarkKind::admit);
  mark(QObject::tr("The next preemption"), MarkKind::preempt);
  mark(QObject::tr("The next skipped round"), MarkKind::skip);
  mark(QObject::tr("Out of memory"), MarkKind::out_of_memory);
  menu->addSeparator();
  menu->addAction(QObject::tr("The end"), menu, [go] { go(Until{}, QObject::tr("The end")); });
  return menu;
}

}  // namespace vacancy::gui
