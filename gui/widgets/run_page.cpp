// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/run_page.hpp"

#include <QHBoxLayout>
#include <QPainter>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/model/legend.hpp"
#include "gui/widgets/commands.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

constexpr int changed_ms = 400;
constexpr double still_from_speed = 10;  // at this speed and above no outlines of what changed

}  // namespace

RunPage::RunPage(RunSession& session, Selection& selection, const CommandSet& commands,
                 QWidget* parent)
    : QWidget(parent), session_(session), selection_(selection) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  figures_ = new FiguresStrip(this);
  column->addWidget(figures_);
  splitter_ = new QSplitter(Qt::Vertical, this);
  splitter_->setObjectName(QStringLiteral("map_and_timeline"));
  splitter_->setChildrenCollapsible(false);
  splitter_->setHandleWidth(1);
  auto* upper = new QWidget(splitter_);
  auto* upper_column = new QVBoxLayout(upper);
  upper_column->setContentsMargins(0, 0, 0, 0);
  upper_column->setSpacing(0);
  header_ = new MapHeader(commands, upper);
  upper_column->addWidget(header_);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(0, 0, 0, 2);
  row->setSpacing(0);
  map_ = new MapView(upper);
  legend_ = new Legend(upper);
  row->addWidget(map_, 1);
  row->addSpacing(legend_gap);
  overview_ = new Overview(*map_, upper);
  auto* aside = new QVBoxLayout;
  aside->addWidget(legend_, 1);
  aside->addWidget(overview_);
  row->addLayout(aside);
  upper_column->addLayout(row, 1);
  what_if_ = new WhatIfBar(upper);
  auto* what_if_margin = new QHBoxLayout;
  what_if_margin->setContentsMargins(map_gutter, 0, 12, 6);
  what_if_margin->addWidget(what_if_);
  upper_column->addLayout(what_if_margin);
  progress_ = new ProgressStrip(upper);
  progress_->hide();
  upper_column->addWidget(progress_);
  bar_ = new PlaybackBar(commands, upper);
  upper_column->addWidget(bar_);
  timeline_ = new TimelineView(splitter_);
  splitter_->addWidget(upper);
  splitter_->addWidget(timeline_);
  splitter_->setStretchFactor(0, 1);
  splitter_->setStretchFactor(1, 0);
  splitter_->setSizes({600, 217});
  column->addWidget(splitter_, 1);

  changed_until_.setSingleShot(true);
  connect(&changed_until_, &QTimer::timeout, this, [this] { map_->set_changed({}); });
  connect(&session_, &RunSession::replaced, this, &RunPage::show_run);
  connect(&session_, &RunSession::moment_changed, this, &RunPage::show_moment);
  connect(&session_, &RunSession::grew, this, &RunPage::show_growth);
  // A preview is of the run that is shown, as long as that is what was opened.
  connect(&session_, &RunSession::opening, what_if_, &WhatIfBar::withdraw);
  connect(&session_, &RunSession::refused, this, &RunPage::show_moment);
  connect(&session_, &RunSession::playing_changed, bar_, &PlaybackBar::set_playing);
  connect(progress_, &ProgressStrip::cancelled, &session_, &RunSession::cancel);
  connect(timeline_, &TimelineView::moved_to, this,
          [this](std::int64_t place) { session_.seek_place(place, timeline_->unit()); });
  connect(timeline_, &TimelineView::brush_changed, this, [this] {
    const auto b = timeline_->brushed();
    if (!b) return selection_.set_time_range(std::nullopt);
    const std::int64_t now = session_.time_ns();
    selection_.set_time_range(timeline_->unit() == AxisUnit::events ? TimeRange{now, now + 1}
                                                                    : TimeRange{b->from, b->to});
  });
  connect(bar_, &PlaybackBar::speed_changed, &session_, &RunSession::set_speed);
  connect(header_, &MapHeader::colouring_changed, this, [this](Colouring c) {
    map_->set_colouring(c);
    legend_->set_colouring(c);
    look_for_scores();
  });
  connect(header_, &MapHeader::row_length_changed, map_, &MapView::set_row_length);
  connect(map_, &MapView::place_changed, this, &RunPage::show_caption);
  connect(map_, &MapView::hovered, this,
          [this](std::optional<std::uint32_t> block) { selection_.set_hovered_block(block); });
  connect(map_, &MapView::chosen, this, [this](std::uint32_t block, bool add) {
    if (add) {
      selection_.toggle_block(block);
      return;
    }
    selection_.set_blocks({block});
    const PoolView view = session_.replica().view();
    const std::uint32_t owner = block < view.owner.size() ? view.owner[block] : no_sequence;
    selection_.set_sequence(owner == no_sequence ? std::nullopt : std::optional(owner));
  });
  connect(map_, &MapView::opened, this, [this](std::uint32_t block) {
    selection_.set_blocks({block});
    map_->set_zoom({96, 1}, QPoint(0, 0));
    map_->reveal(block);
    show_caption();
  });
  connect(legend_, &Legend::isolate, this, [this](std::optional<BlockClass> c) {
    map_->isolate(c);
    show_caption();
  });
  connect(what_if_, &WhatIfBar::changed, this, [this] { map_->set_moves(what_if_->moves()); });
  connect(&selection_, &Selection::changed, this, &RunPage::show_selection);
  connect(&selection_, &Selection::hover_changed, this,
          [this] { map_->hover(selection_.hovered_block()); });
  map_->set_tooltip([this](std::uint32_t block, std::optional<std::uint32_t> slot) {
    return session_.tooltip(block, slot);
  });
  show_run();
}

void RunPage::show_run() {
  what_if_->withdraw();
  map_->clear();
  timeline_->clear();
  legend_->clear_isolated();
  bar_->setEnabled(session_.has_run());
  figures_->setVisible(session_.has_run());
  if (!session_.has_run()) {
    header_->setEnabled(false);
    return map_->set_missing(
        tr("No run yet. Correct the scenario in the editor, then press Run again."));
  }
  const bool map = session_.has_map();
  header_->setEnabled(map);
  map_->set_missing(text_of(session_.recording().missing()));
  if (map) map_->set_pools(session_.pools());
  session_.set_speed(bar_->speed());
  show_growth();
}

void RunPage::show_growth() {
  if (!session_.has_run() || !isVisible()) return;
  const Recording& r = session_.recording();
  progress_->setVisible(!r.over());
  if (!r.over()) progress_->show_progress(r);
  const AxisUnit unit = session_.axis_unit();
  timeline_->set_run([this, unit](TimeSpan span, int n) { return session_.columns(span, n, unit); },
                     session_.span(unit), unit, r.events(), r.shape().block_size);
  show_moment();
}

void RunPage::show_moment() {
  if (!session_.has_run() || !isVisible()) return;
  if (session_.has_map()) {
    look_for_scores();
    map_->set_pools(session_.pools());
    MapScene scene = session_.scene();
    scene.sequence = selection_.sequence().value_or(no_sequence);
    map_->set_scene(std::move(scene));
    if (const auto s = selection_.sequence())
      map_->set_sequence_blocks(session_.replica().blocks_of(*s));
    map_->setAccessibleDescription(text_of(map_text(session_.replica().figures())));
  }
  const ReplicaFigures& f = session_.replica().figures();
  legend_->set_counts(session_.slots_now().slots, f.host_blocks);
  figures_->set_figures(session_.figures());
  timeline_->set_cursor(session_.place(timeline_->unit()), session_.time_ns(),
                        session_.column_now());
  // A preview is of one moment.
  if (!what_if_->isHidden() && what_if_event_ != session_.moment()) what_if_->withdraw();
  const std::uint64_t iterations = session_.recording().iterations().size();
  bar_->set_time(session_.time_ns(),
                 iterations == 0
                     ? QString()
                     : tr("iteration %1 of %2")
                           .arg(grouped(session_.playback().iteration()), grouped(iterations)));
  bar_->set_playing(session_.playing());
  show_caption();
}

void RunPage::look_for_scores() {
  if (header_->colouring() == Colouring::score)
    session_.look_for_scores(selection_.sequence());
  else
    session_.score_finder().stop();
}

void RunPage::show_what_if() {
  if (!session_.has_map() || !session_.current()) return;
  const auto sequence = selection_.sequence();
  // What a fork would do, which begins between two steps.
  what_if_event_ = session_.recording().step_end(session_.moment());
  if (session_.moment() != what_if_event_) session_.seek(what_if_event_);
  what_if_->show();
  if (session_.recording().fork())
    return what_if_->set_previews(
        {},
        tr("This run is a fork, and a fork does not fork again: apply another way to reclaim in "
           "the run that it is of."));
  if (const std::string obstacle = fork_obstacle(session_.recording().scenario());
      !obstacle.empty())
    return what_if_->set_previews({}, text_of(obstacle));
  if (!sequence) return what_if_->set_previews({}, tr("Choose a sequence first: click a block."));
  what_if_->set_previews(
      what_if(session_.replica(), *sequence, session_.recording().scenario()),
      tr("Sequence %1 has no blocks that could be compacted here.").arg(*sequence));
}

void RunPage::show_selection() {
  map_->set_selected(selection_.blocks());
  legend_->set_sequence(selection_.sequence().value_or(no_sequence));
  map_->set_sequence_blocks(session_.has_map() && selection_.sequence()
                                ? session_.replica().blocks_of(*selection_.sequence())
                                : std::vector<std::uint32_t>{});
  if (!selection_.time_range()) timeline_->clear_brush();
  if (what_if_->isVisible())
    show_what_if();
  else
    what_if_->withdraw();  // of another sequence
  show_moment();
}

void RunPage::mark_changes(const std::vector<std::uint32_t>& blocks) {
  if (style()->styleHint(QStyle::SH_Widget_Animation_Duration) == 0 ||
      bar_->speed() >= still_from_speed)
    return;
  map_->set_changed(blocks);
  changed_until_.start(changed_ms);
}

void RunPage::show_caption() {
  const std::uint32_t blocks = session_.has_map() ? session_.replica().blocks() : 0;
  const std::uint32_t block_size =
      session_.has_run() ? session_.recording().shape().block_size : 16;
  overview_->follow(map_->height() - Legend::least_height);
  header_->set_layout_of(map_->layout(), blocks, block_size, legend_->isolated(),
                         text_of(session_.score_finder().sentence()));
}

void RunPage::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), QColor(palette_of(application_theme()).panel));
}

void RunPage::showEvent(QShowEvent*) {
  show_growth();
}

void RunPage::resizeEvent(QResizeEvent*) {
  show_caption();
}

}  // namespace vacancy::gui

#include "moc_run_page.cpp"
