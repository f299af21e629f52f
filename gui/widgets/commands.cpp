// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/commands.hpp"

#include <QStringList>
#include <QWidget>
#include <array>

#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

constexpr std::array<std::string_view, 8> categories = {"&File",    "&Edit",  "&View",    "&Run",
                                                        "&Compare", "&Sweep", "&Lessons", "&Help"};

constexpr Command table[] = {
    {"new", "&New scenario", "Begin with a small scenario", Icon::plus, "Ctrl+N", "&File"},
    {"open", "&Open…", "Open a scenario or a sweep", Icon::open, "Ctrl+O", "&File"},
    {"reload", "&Reload", "Read the file again and run it", Icon::reload, "Ctrl+R", "&File", false,
     true},
    {"save", "&Save", "Write the scenario to its file", Icon::save, "Ctrl+S", "&File"},
    {"save_as", "Save &as…", "Write the scenario to another file", Icon::none, "Ctrl+Shift+S",
     "&File"},
    {"export", "&Export…", "Write map, timeline, window or series to a file", Icon::share, "Ctrl+E",
     "&File", false, true},
    {"start_page", "S&tart page", "Lessons, examples and recent files", Icon::none, "", "&File"},
    {"quit", "&Quit", "Close the program", Icon::none, "Ctrl+Q", "&File"},

    {"undo", "&Undo", "Take back the last change of the scenario", Icon::undo, "Ctrl+Z", "&Edit"},
    {"redo", "&Redo", "Make it again", Icon::redo, "Ctrl+Shift+Z", "&Edit", false, true},
    {"copy_map", "&Copy map", "Put a picture of the map on the clipboard", Icon::none, "Ctrl+C",
     "&Edit"},
    {"find", "&Find…", "Go to a block or sequence, or call a command by name", Icon::search,
     "Ctrl+K", "&Edit"},

    {"zoom_in", "Zoom &in", "Larger cells, at the pointer", Icon::plus, "+ = W", "&View"},
    {"zoom_out", "Zoom &out", "Smaller cells, at the pointer", Icon::minus, "- S", "&View"},
    {"fit", "&Whole pool", "All blocks in view", Icon::fit, "0", "&View"},
    {"fit_selection", "Fit &selection", "The selected blocks as large as they fit", Icon::none, "F",
     "&View"},
    {"pan_left", "Pan &left", "Move the view to the left", Icon::none, "A", "&View"},
    {"pan_right", "Pan &right", "Move the view to the right", Icon::none, "D", "&View"},
    {"pan_up", "Pan &up", "Move the view up", Icon::none, "Shift+W", "&View"},
    {"pan_down", "Pan &down", "Move the view down", Icon::none, "Shift+S", "&View"},
    {"cell_left", "Cell to the left", "Keyboard pointer one block back", Icon::none, "Ctrl+Left",
     "&View"},
    {"cell_right", "Cell to the right", "Keyboard pointer one block on", Icon::none, "Ctrl+Right",
     "&View"},
    {"cell_up", "Cell above", "Keyboard pointer one row up", Icon::none, "Ctrl+Up", "&View"},
    {"cell_down", "Cell below", "Keyboard pointer one row down", Icon::none, "Ctrl+Down", "&View"},
    {"to_range", "Ran&ge in view",
     "The timeline shows the brushed range, or what the selection saw", Icon::none, "R", "&View"},
    {"clear", "&Clear", "Drop hover, selection, isolation; then leave", Icon::none, "Esc", "&View",
     false, true},
    {"dock_scenario", "Scenario", "Show the scenario", Icon::none, "Ctrl+1", "&View"},
    {"dock_events", "Events", "Show what happened, with a filter", Icon::none, "Ctrl+2", "&View"},
    {"dock_inspector", "Inspector", "Show what is known of a block", Icon::none, "Ctrl+3", "&View"},
    {"dock_table", "Block table", "Show the table of the selected sequence", Icon::table, "Ctrl+4",
     "&View"},
    {"dock_queue", "Free queue", "Show the order in which blocks will be taken", Icon::queue,
     "Ctrl+5", "&View"},
    {"dock_prefixes", "Prefix tree", "Show who shares which blocks", Icon::tree, "Ctrl+6", "&View",
     false, true},
    {"dark", "Dar&k", "Light on dark", Icon::none, "Ctrl+D", "&View", true},
    {"reset_layout", "R&estore default layout", "Every dock where it was at first", Icon::none, "",
     "&View", false, true},

    {"play", "&Play or pause", "Let time run at the chosen speed", Icon::play, "Space", "&Run"},
    {"event_back", "Event &back", "One event back", Icon::back, "Left", "&Run"},
    {"event_on", "&Event on", "One event on", Icon::forward, "Right", "&Run"},
    {"events_back", "Ten events back", "Ten events back", Icon::none, "Shift+Left", "&Run"},
    {"events_on", "Ten events on", "Ten events on", Icon::none, "Shift+Right", "&Run"},
    {"reclaim_back", "Pre&vious reclaim", "To the last reclaim before", Icon::none, "PgUp", "&Run"},
    {"reclaim_on", "&Next reclaim", "To the next reclaim", Icon::none, "PgDown", "&Run"},
    {"first", "&Start", "To the start of the run", Icon::first, "Home", "&Run"},
    {"last", "En&d", "To the end of the run", Icon::last, "End", "&Run", false, true},
    {"step", "S&tep", "On by the chosen unit", Icon::none, "F4", "&Run"},
    {"step_back", "Step b&ack", "Back by the chosen unit", Icon::none, "Shift+F4", "&Run"},
    {"run", "&Run", "Simulate the scenario and play it", Icon::run, "F5", "&Run"},
    {"fast", "&Fast", "Play with few pictures", Icon::none, "F6", "&Run"},
    {"express", "E&xpress", "To the end, without pictures on the way", Icon::none, "F7", "&Run"},
    {"stop", "St&op", "Stop playing; a run that goes on keeps what it recorded", Icon::none, "F8",
     "&Run"},
    {"run_until", "Run &until…", "To a time, or to the next event of a kind", Icon::run, "Ctrl+F5",
     "&Run", false, true},
    {"slower", "S&lower", "Half the speed", Icon::none, "[", "&Run"},
    {"faster", "Faster", "Twice the speed", Icon::none, "]", "&Run"},

    {"compare", "&Compare with…", "Open a second run beside this one", Icon::compare,
     "Ctrl+Shift+O", "&Compare"},
    {"divergence", "&First divergence", "Where the two runs begin to differ", Icon::bolt, "Ctrl+G",
     "&Compare"},
    {"swap_runs", "&Swap A and B", "The other run to the left", Icon::none, "", "&Compare"},
    {"end_compare", "&End comparison", "Go on with run A", Icon::close, "", "&Compare", false,
     true},
    {"what_if", "&What would compaction do?",
     "Preview a reclaim of the selected sequence at the end of this step", Icon::bolt, "Ctrl+W",
     "&Compare"},

    {"sweep_open", "&Open a sweep…", "Many runs of one scenario, with a table and plots",
     Icon::open, "", "&Sweep", false, true},
    {"sweep_run", "&Run sweep", "Run what is not finished yet, or stop", Icon::run, "", "&Sweep"},
    {"sweep_export", "&Export CSV…", "Write the table of results to a file", Icon::share, "",
     "&Sweep"},

    {"lesson_next", "&Continue", "The first lesson that is not done", Icon::book, "Ctrl+L",
     "&Lessons"},
    {"lesson_all", "&All lessons", "The start page, where they are", Icon::none, "", "&Lessons",
     false, true},

    {"help", "&Keys", "All keys, by menu", Icon::help, "?", "&Help"},
    {"about", "&About Vacancy", "Version and licence", Icon::none, "", "&Help"},
};

}  // namespace

std::span<const Command> command_table() {
  return table;
}

std::span<const std::string_view> command_categories() {
  return categories;
}

QList<QKeySequence> keys_of(const Command& command) {
  QList<QKeySequence> keys;
  for (const QString& key : text_of(command.keys).split(' ', Qt::SkipEmptyParts))
    keys.append(QKeySequence::fromString(key, QKeySequence::PortableText));
  return keys;
}

QString key_text(const QList<QKeySequence>& keys) {
  QStringList parts;
  for (const QKeySequence& key : keys) {
    QString part = key.toString(QKeySequence::PortableText);
    part.replace(QStringLiteral("Left"), QStringLiteral("←"));
    part.replace(QStringLiteral("Right"), QStringLiteral("→"));
    part.replace(QStringLiteral("Up"), QStringLiteral("↑"));
    part.replace(QStringLiteral("Pg↑"), QStringLiteral("PgUp"));
    if (!part.startsWith(QStringLiteral("Pg")))
      part.replace(QStringLiteral("Down"), QStringLiteral("↓"));
    if (part == QStringLiteral("-")) part = QStringLiteral("−");
    parts.append(part);
  }
  return parts.join(QStringLiteral("  "));
}

CommandSet::CommandSet(QWidget* window) : QObject(window) {
  for (const Command& c : table) {
    auto* action = new QAction(make_icon(c.icon), text_of(c.text), window);
    action->setObjectName(text_of(c.id));
    action->setCheckable(c.checkable);
    const QList<QKeySequence> keys = keys_of(c);
    action->setShortcuts(keys);
    action->setStatusTip(text_of(c.description));
    action->setToolTip(keys.isEmpty() ? text_of(c.description)
                                      : tr("%1 (%2)").arg(text_of(c.description), key_text(keys)));
    window->addAction(action);
    actions_.emplace(c.id, action);
  }
}

}  // namespace vacancy::gui

#include "moc_commands.cpp"
