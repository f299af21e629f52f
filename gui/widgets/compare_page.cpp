// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/compare_page.hpp"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>
#include <utility>

#include "gui/model/announcer.hpp"
#include "gui/model/legend.hpp"
#include "gui/paint/fonts.hpp"
#include "gui/paint/map_key.hpp"
#include "gui/widgets/commands.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {

/// A run's letter, name, and headline figure.
class ComparePage::Head final : public QWidget {
 public:
  Head(bool b, QWidget* parent) : QWidget(parent), b_(b) { setFixedHeight(56); }
  void show_run(const RunSession& session) {
    name_ = QFileInfo(session.path()).fileName();
    const Scenario& s = session.recording().scenario();
    about_ = reclaim_of(session) + tr(" · %1").arg(text_of(policy_text(s)));
    efficiency_ = session.figures().front().value;
    setAccessibleName(
        tr("Run %1: %2, %3, reclaim efficiency %4")
            .arg(b_ ? QStringLiteral("B") : QStringLiteral("A"), name_, about_, efficiency_));
    setToolTip(name_ + '\n' + about_);
    update();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const Palette& p = palette_of(application_theme());
    painter.fillRect(rect(), QColor(p.panel));
    painter.fillRect(0, height() - 1, width(), 1, QColor(p.rule));
    draw_badge(painter, QRect(14, 15, 26, 26), b_, p);
    const QString what = tr("reclaim efficiency");
    const int beside = std::max(QFontMetrics(ui_font(20, true)).horizontalAdvance(efficiency_),
                                QFontMetrics(ui_font(12)).horizontalAdvance(what));
    const int right = width() - 12 - beside, room = right - 52 - 8;
    painter.setPen(QColor(p.ink));
    painter.setFont(fitting_font(name_, room, 13.5, true));
    painter.drawText(QRect(52, 9, room, 20), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(painter.font()).elidedText(name_, Qt::ElideMiddle, room));
    painter.setFont(ui_font(20, true));
    painter.drawText(QRect(right, 6, beside, 26), Qt::AlignRight | Qt::AlignVCenter, efficiency_);
    painter.setPen(QColor(p.ink_2));
    painter.setFont(ui_font(12));
    painter.drawText(QRect(right, 31, beside, 18), Qt::AlignRight | Qt::AlignVCenter, what);
    painter.setFont(fitting_font(about_, room, 12));
    painter.drawText(QRect(52, 28, room, 18), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(painter.font()).elidedText(about_, Qt::ElideRight, room));
  }

 private:
  static QString reclaim_of(const RunSession& session) {
    const auto& fork = session.recording().fork();
    if (fork)
      return tr("reclaim: %1 from %2 on")
          .arg(text_of(fork->plan.reclaimer), text_of(seconds(fork->plan.time_ns)));
    return tr("reclaim: %1").arg(text_of(session.recording().scenario().reclaimer));
  }

  bool b_;
  QString name_, about_, efficiency_;
};

/// Classes once, with both runs' counts.
class ComparePage::SharedLegend final : public QWidget {
 public:
  explicit SharedLegend(QWidget* parent) : QWidget(parent) {
    setFixedHeight(62);
    setAccessibleName(tr("Legend of both runs"));
  }
  void show_counts(const SlotClasses& a, const SlotClasses& b) {
    a_ = gui::legend(a);
    b_ = gui::legend(b);
    update();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const Palette& p = palette_of(application_theme());
    painter.fillRect(rect(), QColor(p.panel));
    painter.fillRect(0, 0, width(), 1, QColor(p.rule));
    const int wide = (width() - 28) / static_cast<int>(slot_class_count);
    const int room = std::min(wide - 14, 128) - 20;
    const bool with_counts = all_fit(room);
    for (std::size_t i = 0; i < slot_class_count; ++i) {
      const int x = 14 + static_cast<int>(i) * wide;
      draw_swatch(painter, QRect(x, 7, 15, 15), static_cast<BlockClass>(i), p);
      const QString name = text_of(class_name(static_cast<SlotClass>(i)));
      painter.setFont(fitting_font(name, wide - 24, 12.5));
      painter.setPen(QColor(p.ink));
      painter.drawText(QRect(x + 20, 5, wide - 22, 19), Qt::AlignLeft | Qt::AlignVCenter,
                       QFontMetrics(painter.font()).elidedText(name, Qt::ElideRight, wide - 22));
      for (const bool second : {false, true}) {
        const LegendRow& row = (second ? b_ : a_)[i];
        const int y = second ? 41 : 25;
        painter.setFont(ui_font(11.5, true));
        painter.setPen(QColor(second ? p.run_b : p.run_a));
        painter.drawText(QRect(x + 2, y, 14, 16), Qt::AlignLeft | Qt::AlignVCenter,
                         second ? QStringLiteral("B") : QStringLiteral("A"));
        painter.setFont(ui_font(11.5));
        painter.setPen(QColor(p.ink_2));
        const QRect numbers(x + 20, y, room, 16);
        painter.drawText(numbers, Qt::AlignRight | Qt::AlignVCenter, text_of(row.share));
        if (with_counts)
          painter.drawText(numbers, Qt::AlignLeft | Qt::AlignVCenter, text_of(row.count));
      }
    }
  }

 private:
  /// All counts beside their shares, or none of them.
  bool all_fit(int room) const {
    const QFontMetrics metrics(ui_font(11.5));
    const auto fits = [&](const LegendRow& row) {
      return metrics.horizontalAdvance(text_of(row.count)) + 10 +
                 metrics.horizontalAdvance(text_of(row.share)) <
             room;
    };
    return std::all_of(a_.begin(), a_.end(), fits) && std::all_of(b_.begin(), b_.end(), fits);
  }

  std::array<LegendRow, slot_class_count> a_, b_;
};

/// Where the pools differ now.
class ComparePage::Strip final : public QWidget {
 public:
  explicit Strip(QWidget* parent) : QWidget(parent) {
    setFixedHeight(58);
    setAccessibleName(tr("Difference strip"));
  }
  void show_difference(PoolDifference d) {
    d_ = std::move(d);
    setAccessibleDescription(
        tr("%1 of %2 blocks differ").arg(grouped(differing()), grouped(d_.blocks.size())));
    update();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const Palette& p = palette_of(application_theme());
    painter.fillRect(rect(), QColor(p.header));
    painter.fillRect(0, 0, width(), 1, QColor(p.rule));
    const QString title = tr("Difference now");
    const std::pair<QBrush, QString> parts[] = {
        {QBrush(),
         tr("%1 of %2 blocks differ:").arg(grouped(differing()), grouped(d_.blocks.size()))},
        {QColor(p.run_a), tr("%1 held only in A").arg(grouped(d_.counts[1]))},
        {QColor(p.run_b), tr("%1 only in B").arg(grouped(d_.counts[2]))},
        {Hatch(BlockClass::hole, p.panel, p.ink_3, devicePixelRatioF()).brush(),
         tr("%1 in both, other content").arg(grouped(d_.counts[3]))}};
    constexpr int swatch = 17;
    const auto needed = [&](double size, int between) {
      int sum = 14;
      for (const auto& [brush, words] : parts)
        sum += QFontMetrics(ui_font(size)).horizontalAdvance(words) + between + swatch;
      return sum;
    };
    const int title_wide = QFontMetrics(ui_font(12.5, true)).horizontalAdvance(title) + 12;
    // Narrow: without the title, which the first words say, then smaller.
    const bool titled = needed(12.5, 14) + title_wide <= width();
    const double size = needed(12.5, 14) <= width() ? 12.5 : 11;
    const int between = needed(size, 14) <= width() ? 14 : 8;
    int x = 14;
    painter.setPen(QColor(p.ink));
    if (titled) {
      painter.setFont(ui_font(12.5, true));
      painter.drawText(QRect(x, 4, title_wide, 20), Qt::AlignLeft | Qt::AlignVCenter, title);
      x += title_wide;
    }
    painter.setFont(ui_font(size));
    const QFontMetrics metrics(painter.font());
    for (const auto& [brush, words] : parts) {
      if (brush.style() != Qt::NoBrush) {
        painter.fillRect(QRect(x, 9, 11, 11), brush);
        x += swatch;
      }
      painter.drawText(QRect(x, 4, width() - x, 20), Qt::AlignLeft | Qt::AlignVCenter,
                       metrics.elidedText(words, Qt::ElideRight, std::max(0, width() - x - 8)));
      x += metrics.horizontalAdvance(words) + between;
    }
    const QRect area(map_gutter, 28, width() - map_gutter - 14, 22);
    paint_difference_strip(painter, area, d_, p, devicePixelRatioF());
    const double per_pixel = static_cast<double>(d_.blocks.size()) / area.width();
    const QString note =
        per_pixel > 1
            ? tr("1 px = %1 blocks, most frequent shown").arg(text_of(decimal(per_pixel, 1)))
            : tr("all blocks in order of their ids");
    painter.setFont(ui_font(11));
    painter.setPen(QColor(p.ink_3));
    if (x + QFontMetrics(painter.font()).horizontalAdvance(note) < width() - 14)
      painter.drawText(QRect(0, 4, width() - 14, 20), Qt::AlignRight | Qt::AlignVCenter, note);
  }

 private:
  std::uint64_t differing() const { return d_.counts[1] + d_.counts[2] + d_.counts[3]; }

  PoolDifference d_;
};

ComparePage::ComparePage(RunSession& a, RunSession& b, Selection& selection,
                         const CommandSet& commands, QWidget* parent)
    : QWidget(parent), a_(a), b_(b), selection_(selection) {
  setMinimumWidth(720);
  auto* outer = new QHBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->setSpacing(0);
  auto* column = new QVBoxLayout;
  column->setSpacing(0);
  outer->addLayout(column, 1);
  figures_ = new CompareFigures(this);
  figures_->setMinimumWidth(280);
  figures_->setMaximumWidth(344);
  figures_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
  outer->addWidget(figures_);
  auto* maps = new QHBoxLayout;
  maps->setSpacing(1);
  const auto side = [&](bool second, Head*& head, MapView*& map) {
    auto* half = new QVBoxLayout;
    half->setSpacing(8);
    head = new Head(second, this);
    map = new MapView(this);
    half->addWidget(head);
    half->addWidget(map, 1);
    maps->addLayout(half, 1);
  };
  side(false, head_a_, map_a_);
  side(true, head_b_, map_b_);
  column->addLayout(maps, 1);
  column->addSpacing(6);
  legend_ = new SharedLegend(this);
  column->addWidget(legend_);
  strip_ = new Strip(this);
  column->addWidget(strip_);
  bar_ = new PlaybackBar(commands, this);
  column->addWidget(bar_);
  timeline_ = new CompareTimeline(this);
  timeline_->setMinimumHeight(180);
  timeline_->setMaximumHeight(280);
  timeline_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  column->addWidget(timeline_);
  connect_map(*map_a_, *map_b_, a_);
  connect_map(*map_b_, *map_a_, b_);
  for (RunSession* s : {&a_, &b_}) {
    RunSession& other = s == &a_ ? b_ : a_;
    connect(s, &RunSession::replaced, this, &ComparePage::show_runs);
    connect(s, &RunSession::grew, this, &ComparePage::show_runs);
    connect(s, &RunSession::refused, this, &ComparePage::show_moment);
    connect(s, &RunSession::moment_changed, this, [this, s, &other] { follow(*s, other); });
    connect(s, &RunSession::playing_changed, bar_, &PlaybackBar::set_playing);
    connect(bar_, &PlaybackBar::speed_changed, s, &RunSession::set_speed);
  }
  connect(timeline_, &CompareTimeline::moved_to, this, &ComparePage::seek);
  connect(figures_, &CompareFigures::divergence_wanted, this, &ComparePage::seek_divergence);
  connect(&selection_, &Selection::changed, this, &ComparePage::show_selection);
  connect(&selection_, &Selection::hover_changed, this, [this] {
    map_a_->hover(selection_.hovered_block());
    map_b_->hover(selection_.hovered_block());
  });
}

void ComparePage::connect_map(MapView& map, MapView& other, RunSession& session) {
  connect(&map, &MapView::place_changed, this, [&map, &other] {
    if (map.layout().blocks() > 0 && other.layout().blocks() > 0) other.share_place(map);
  });
  connect(&map, &MapView::hovered, this,
          [this](std::optional<std::uint32_t> block) { selection_.set_hovered_block(block); });
  connect(&map, &MapView::chosen, this, [this, &session](std::uint32_t block, bool) {
    selection_.set_blocks({block});
    const PoolView view = session.replica().view();
    const std::uint32_t owner = block < view.owner.size() ? view.owner[block] : no_sequence;
    selection_.set_sequence(owner == no_sequence ? std::nullopt : std::optional(owner));
  });
  map.set_tooltip([&session](std::uint32_t block, std::optional<std::uint32_t> slot) {
    return session.has_map() ? session.tooltip(block, slot) : QString();
  });
}

void ComparePage::show_runs() {
  if (!a_.has_run() || !b_.has_run()) {
    map_a_->clear();
    map_b_->clear();
    return timeline_->clear();
  }
  // Two instants have their events in common up to where they part.
  unit_ = a_.axis_unit() == b_.axis_unit() ? a_.axis_unit() : AxisUnit::nanoseconds;
  const TimeSpan both{0, std::max(a_.span(unit_).to, b_.span(unit_).to)};
  timeline_->set_runs(
      [this, unit = unit_](TimeSpan span, int n) { return a_.columns(span, n, unit); },
      [this, unit = unit_](TimeSpan span, int n) { return b_.columns(span, n, unit); }, both, unit_,
      a_.recording().shape().block_size, b_.recording().shape().block_size);
  show_moment();
}

void ComparePage::follow(RunSession& leader, RunSession& other) {
  if (following_ || !leader.has_run()) return;
  place_ = leader.place(unit_);
  if (other.has_run()) {
    following_ = true;
    other.seek_place(place_, unit_);
    following_ = false;
  }
  show_moment();
}

void ComparePage::seek(std::int64_t place) {
  following_ = true;
  a_.seek_place(place, unit_);
  b_.seek_place(place, unit_);
  following_ = false;
  place_ = place;
  show_moment();
}

void ComparePage::seek_leader() {
  if (!following_) seek(a_.place(unit_));
}

void ComparePage::swap_runs() {
  const MapLayout place = map_a_->layout();
  following_ = true;
  a_.exchange(b_);
  following_ = false;
  show_runs();
  // Maps of another size were fitted anew.
  for (const bool second : {false, true})
    map(second).set_zoom(place.zoom(), place.origin());
}

bool ComparePage::seek_divergence() {
  if (!divergence_) return false;
  seek(place_of(*divergence_));
  return true;
}

std::int64_t ComparePage::place_of(const Divergence& divergence) const {
  return unit_ == AxisUnit::events ? static_cast<std::int64_t>(divergence.event)
                                   : divergence.time_ns;
}

void ComparePage::show_moment() {
  if (!isVisible() || !a_.has_run() || !b_.has_run()) return;
  const auto blocks_of = [](const std::vector<std::uint32_t>& pools) {
    return std::reduce(pools.begin(), pools.end(), std::uint64_t{0});
  };
  const auto pools_of = [](const RunSession& session) {
    return session.has_map() ? session.pools() : std::vector<std::uint32_t>{};
  };
  const std::vector<std::uint32_t> pools_a = pools_of(a_), pools_b = pools_of(b_);
  const auto& larger = blocks_of(pools_a) >= blocks_of(pools_b) ? pools_a : pools_b;
  for (const bool second : {false, true}) {
    RunSession& session = second ? b_ : a_;
    MapView& view = map(second);
    (second ? head_b_ : head_a_)->show_run(session);
    view.set_missing(text_of(session.recording().missing()));
    if (!session.has_map()) {
      view.clear();
      continue;
    }
    view.set_fit_pools(larger);
    view.set_pools(second ? pools_b : pools_a);
    MapScene scene = session.scene();
    scene.sequence = selection_.sequence().value_or(no_sequence);
    view.set_scene(std::move(scene));
    view.setAccessibleDescription(text_of(map_text(session.replica().figures())));
  }
  legend_->show_counts(a_.slots_now(), b_.slots_now());
  if (a_.has_map() && b_.has_map())
    strip_->show_difference(difference(a_.replica().view(), b_.replica().view()));
  figures_->show_rows(
      figure_table(figures_at(a_.playback().cursor()), figures_at(b_.playback().cursor())),
      text_of(place_label(place_, unit_)));
  timeline_->set_cursor(place_, a_.column_now(), b_.column_now());
  bar_->set_time(unit_ == AxisUnit::events ? a_.time_ns() : place_,
                 unit_ == AxisUnit::events ? text_of(place_label(place_, unit_)) : QString());
  show_selection();
}

void ComparePage::show_selection() {
  for (const bool second : {false, true}) {
    RunSession& session = second ? b_ : a_;
    map(second).set_selected(selection_.blocks());
    map(second).set_sequence_blocks(session.has_map() && selection_.sequence()
                                        ? session.replica().blocks_of(*selection_.sequence())
                                        : std::vector<std::uint32_t>{});
  }
}

void ComparePage::set_divergence(std::optional<Divergence> divergence) {
  divergence_ = std::move(divergence);
  if (!divergence_) {
    timeline_->set_divergence(std::nullopt);
    return figures_->set_divergence(tr("No divergence"), tr("Every event is the same."));
  }
  const std::int64_t place = place_of(*divergence_);
  timeline_->set_divergence(place);
  figures_->set_divergence(tr("First divergence at %1").arg(text_of(place_label(place, unit_))),
                           text_of(divergence_->sentence), true);
}

void ComparePage::forget_divergence() {
  divergence_.reset();
  timeline_->set_divergence(std::nullopt);
  figures_->set_divergence({}, {});
}

void ComparePage::showEvent(QShowEvent*) {
  show_runs();
}

void ComparePage::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), QColor(palette_of(application_theme()).rule));
  painter.fillRect(rect().adjusted(0, 56, -figures_->width(), 0),
                   QColor(palette_of(application_theme()).panel));
}

}  // namespace vacancy::gui

#include "moc_compare_page.cpp"
