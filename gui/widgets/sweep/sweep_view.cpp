// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/sweep/sweep_view.hpp"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "gui/model/form/qt_text.hpp"
#include "gui/model/number_format.hpp"
#include "gui/model/sweep/figure_words.hpp"
#include "gui/model/whole_file.hpp"
#include "gui/paint/fonts.hpp"
#include "gui/widgets/sweep/bar_cell.hpp"
#include "sim/sweep/result_files.hpp"
#include "sim/sweep/tables.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy::gui {

namespace {

constexpr int side_width = 248, gap = 12;
constexpr double heading = 12, note_text = 11, title_size = 15;

QLabel* side_heading(const QString& text) {
  auto* label = new QLabel(text);
  label->setFont(ui_font(heading, true));
  label->setForegroundRole(QPalette::PlaceholderText);
  return label;
}

/// "3.1 s"; of minutes and hours no fractions.
QString duration(double seconds) {
  const double rounded = seconds < 10 ? std::round(seconds * 10) / 10 : std::round(seconds);
  return qt(format_duration(SimTime(std::llround(rounded * 1e9))));
}

int index_of_data(const QComboBox& box, int value) {
  return std::max(box.findData(value), 0);
}

}  // namespace

SweepView::SweepView(SweepSession& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      title_(new QLabel),
      about_(new QLabel),
      caption_(new QLabel),
      beside_caption_(new QLabel),
      table_note_(new QLabel),
      beside_title_(new QLabel),
      plot_(new PlotView),
      beside_(new PlotView),
      beside_box_(new QWidget),
      table_view_(new QTableView) {
  order_.setSourceModel(&table_);
  order_.setSortRole(SweepTable::sort_role);
  table_view_->setModel(&order_);
  table_view_->setItemDelegate(new BarCell(*plot_, order_, table_view_));
  table_view_->setSortingEnabled(true);
  table_view_->sortByColumn(-1, Qt::AscendingOrder);
  table_view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_view_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_view_->setAlternatingRowColors(true);
  table_view_->setShowGrid(false);
  table_view_->setTabKeyNavigation(false);
  table_view_->verticalHeader()->hide();
  table_view_->verticalHeader()->setDefaultSectionSize(26);
  table_view_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_view_->setAccessibleName(tr("Points of the sweep"));

  auto* centre = new QWidget;
  auto* upper = new QVBoxLayout(centre);
  upper->setContentsMargins(gap, gap, gap, 0);
  title_->setFont(ui_font(title_size, true));
  beside_title_->setFont(ui_font(title_size, true));
  for (QLabel* words : {title_, about_, beside_title_, caption_, beside_caption_, table_note_})
    words->setWordWrap(true);
  for (QLabel* words : {about_, caption_, beside_caption_, table_note_})
    words->setForegroundRole(QPalette::PlaceholderText);
  for (QLabel* words : {caption_, beside_caption_, table_note_})
    words->setFont(ui_font(note_text));
  upper->addWidget(about_);
  upper->addWidget(make_choices());
  auto* plots = new QHBoxLayout;
  auto* main_plot = new QVBoxLayout;
  main_plot->addWidget(title_);
  main_plot->addWidget(caption_);
  main_plot->addWidget(plot_, 1);
  auto* beside_plot = new QVBoxLayout(beside_box_);
  beside_plot->setContentsMargins(0, 0, 0, 0);
  beside_plot->addWidget(beside_title_);
  beside_plot->addWidget(beside_caption_);
  beside_plot->addWidget(beside_, 1);
  plots->addLayout(main_plot, 3);
  plots->addWidget(beside_box_, 2);
  upper->addLayout(plots, 1);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(centre);
  split->addWidget(make_table_box());
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(make_side());
  row->addWidget(split, 1);

  connect(&session_, &SweepSession::status_changed, this, &SweepView::show_status);
  connect(&session_, &SweepSession::status_changed, this, &SweepView::fit_columns);
  connect(&session_, &SweepSession::progressed, this, &SweepView::show_status);
  connect(&session_, &SweepSession::results_changed, this, &SweepView::show_results);
  for (PlotView* plot : {plot_, beside_}) {
    connect(plot, &PlotView::row_chosen, this, &SweepView::select_row);
    connect(plot, &PlotView::row_opened, this, &SweepView::open_row);
  }
  connect(table_view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& now) {
            if (!now.isValid()) return;
            for (PlotView* plot : {plot_, beside_})
              plot->set_current_row(static_cast<std::size_t>(order_.mapToSource(now).row()));
            open_->setEnabled(true);
          });
  connect(table_view_, &QTableView::activated, this, [this](const QModelIndex& at) {
    open_row(static_cast<std::size_t>(order_.mapToSource(at).row()));
  });
  table_view_->viewport()->installEventFilter(this);
  show_sweep();
  show_results();
  show_status();
}

QWidget* SweepView::make_side() {
  auto* controls = new QWidget;
  auto* column = new QVBoxLayout(controls);
  column->setContentsMargins(gap, gap, gap, gap);
  base_ = new QLabel;
  base_->setWordWrap(true);
  axes_ = new AxisCards;
  runs_ = new QLabel;
  left_ = new QLabel;
  left_->setForegroundRole(QPalette::PlaceholderText);
  bar_ = new QProgressBar;
  bar_->setTextVisible(false);
  bar_->setAccessibleName(tr("Finished runs"));
  note_ = new QLabel;
  note_->setWordWrap(true);
  note_->setFont(ui_font(note_text));
  front_only_ = new QCheckBox(tr("only the Pareto front"));
  front_only_->setToolTip(
      tr("In the table, where the sweep has figures to maximize or minimize. The front is that "
         "of all points, also where values are hidden."));
  run_ = new QPushButton(tr("Run sweep"));
  run_->setProperty("primary", true);
  export_ = new QPushButton(tr("Export CSV"));
  export_->setToolTip(tr("All points, hidden ones too, as vacancy sweep writes them"));
  column->addWidget(side_heading(tr("Base")));
  column->addWidget(base_);
  column->addSpacing(gap);
  column->addWidget(side_heading(tr("Axes")));
  column->addWidget(axes_);
  column->addSpacing(gap);
  column->addWidget(side_heading(tr("Runs")));
  auto* line = new QHBoxLayout;
  line->addWidget(runs_, 1);
  line->addWidget(left_);
  column->addLayout(line);
  column->addWidget(bar_);
  column->addWidget(note_);
  column->addSpacing(gap);
  column->addWidget(side_heading(tr("Marks")));
  for (const auto& [name, box] : {std::pair(tr("Shape"), &shape_), {tr("Colour"), &colour_}}) {
    auto* row = new QHBoxLayout;
    *box = make_choice(name, *row);
    column->addLayout(row);
  }
  column->addSpacing(gap);
  column->addWidget(side_heading(tr("Filter")));
  column->addWidget(front_only_);
  column->addStretch();
  auto* scroll = new QScrollArea;  // axes may be many
  scroll->setWidget(controls);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  auto* side = new QWidget;
  side->setFixedWidth(side_width);
  auto* whole = new QVBoxLayout(side);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(scroll, 1);
  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(gap, 0, gap, gap);
  buttons->addWidget(run_);
  buttons->addWidget(export_);
  whole->addLayout(buttons);
  connect(axes_, &AxisCards::hidden_changed, this, &SweepView::hide_values);
  connect(front_only_, &QCheckBox::toggled, this, [this](bool on) { order_.set_front_only(on); });
  connect(run_, &QPushButton::clicked, this, &SweepView::run_or_stop);
  connect(export_, &QPushButton::clicked, this, &SweepView::export_wanted);
  return side;
}

QWidget* SweepView::make_table_box() {
  auto* box = new QWidget;
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(table_view_, 1);
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(gap, 4, gap, 4);
  open_ = new QPushButton(tr("Open run"));
  open_->setToolTip(tr("The first run of the chosen row, with every default explicit"));
  foot->addWidget(table_note_, 1);
  foot->addWidget(open_);
  column->addLayout(foot);
  connect(open_, &QPushButton::clicked, this, [this] {
    const QModelIndex now = table_view_->currentIndex();
    if (now.isValid()) open_row(static_cast<std::size_t>(order_.mapToSource(now).row()));
  });
  connect(&order_, &QAbstractItemModel::modelReset, this, &SweepView::show_table_note);
  connect(&order_, &QAbstractItemModel::rowsInserted, this, &SweepView::show_table_note);
  connect(&order_, &QAbstractItemModel::rowsRemoved, this, &SweepView::show_table_note);
  return box;
}

void SweepView::show_table_note() {
  const int all = table_.rowCount(), shown = order_.rowCount();
  open_->setEnabled(table_view_->currentIndex().isValid());
  table_note_->setVisible(all > 0);
  table_note_->setText(
      (shown == all ? tr("%1.").arg(qt(counted(static_cast<std::uint64_t>(all), "row")))
                    : tr("%1 of %2, the rest is filtered out.")
                          .arg(shown)
                          .arg(qt(counted(static_cast<std::uint64_t>(all), "row")))) +
      ' ' +
      tr("A bar is the share of the largest value of all points. Enter or a double click opens a "
         "run."));
}

QString SweepView::summary() const {
  const SweepProgress& now = session_.progress();
  QString text =
      tr("%1 of %2 runs finished").arg(qt(format_count(now.done)), qt(format_count(now.total)));
  const auto results = session_.results();
  if (results && session_.sweep() && session_.sweep()->pareto) {
    const auto on_front = std::count_if(results->points.begin(), results->points.end(),
                                        [](const PointResult& point) { return point.on_front; });
    text += tr("; %1 of %2 on the Pareto front")
                .arg(on_front)
                .arg(qt(counted(results->points.size(), "point")));
  }
  return text + tr(". Finished runs are kept beside the file.");
}

QComboBox* SweepView::make_choice(const QString& name, QBoxLayout& row) {
  constexpr int letters = 8;
  auto* label = new QLabel(name);
  auto* box = new QComboBox;
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(letters);
  box->setAccessibleName(tr("Plot: %1").arg(name));
  label->setBuddy(box);
  row.addWidget(label);
  row.addWidget(box, 1);
  connect(box, &QComboBox::activated, this, &SweepView::choose_axes);
  return box;
}

/// What is drawn; what marks tell apart stands at the side, so that names of figures have room.
QWidget* SweepView::make_choices() {
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  const auto add_log = [&](const QString& name) {
    auto* box = new QCheckBox(tr("log"));
    box->setAccessibleName(name);
    row->addWidget(box);
    connect(box, &QCheckBox::clicked, this, &SweepView::choose_axes);
    return box;
  };
  y_ = make_choice(tr("Up"), *row);
  log_y_ = add_log(tr("Logarithmic upwards"));
  row->addSpacing(gap);
  x_ = make_choice(tr("Across"), *row);
  log_x_ = add_log(tr("Logarithmic across"));
  return bar;
}

std::filesystem::path SweepView::folder() const {
  if (!folder_.empty()) return folder_;
  std::filesystem::path folder = session_.file();
  return folder.replace_extension(".results");
}

void SweepView::run() {
  session_.start(folder(), std::max(std::thread::hardware_concurrency(), 1u));
}

void SweepView::run_or_stop() {
  if (session_.status() == SweepSession::Status::running)
    session_.cancel();
  else
    run();
}

/// Negative data are axes of the sweep, others figures; see choose_axes().
void SweepView::show_sweep() {
  base_->setText(session_.file().empty() ? tr("no sweep open")
                                         : qt(session_.file().filename().string()));
  for (QComboBox* box : {x_, y_, shape_, colour_})
    box->clear();
  choices_made_ = false;
  const Sweep* sweep = session_.sweep();
  axes_->set_sweep(sweep);
  order_.set_hidden(axes_->hidden());
  front_only_->setEnabled(sweep && sweep->pareto);
  if (!front_only_->isEnabled()) front_only_->setChecked(false);
  if (!sweep) return;
  for (QComboBox* box : {shape_, colour_})
    box->addItem(tr("all alike"), 0);
  for (std::size_t i = 0; i < sweep->axes.size(); ++i) {
    const int code = -1 - static_cast<int>(i);
    for (QComboBox* box : {x_, shape_, colour_})
      box->addItem(qt(sweep->axes[i]), code);
  }
}

/// The plot that the choices ask for under the title that the file has for it, and its second one.
void SweepView::show_plots() {
  const Sweep* sweep = session_.sweep();
  const auto results = session_.results();
  plot_->set_plot(sweep, results, choice_, axes_->hidden());
  for (QComboBox* box : {x_, y_})
    box->setToolTip(box->currentData(Qt::ToolTipRole).toString());
  const auto caption = [](const PlotView& plot, QLabel& words) {
    words.setText(qt(plot_caption(plot.plot())));
    words.setVisible(!plot.plot().dots.empty());
  };
  caption(*plot_, *caption_);
  table_view_->viewport()->update();  // its marks are the plot's
  about_->setText(sweep ? qt(sweep->description) : QString());
  about_->setVisible(!about_->text().isEmpty());
  QString title;
  for (const PlotRequest& plot : sweep ? sweep->plots : std::vector<PlotRequest>{})
    if (choices_made_ && choice_of(plot) == choice_) title = qt(plot.title);
  if (title.isEmpty() && choices_made_)
    title = tr("%1 over %2").arg(y_->currentText(), x_->currentText());
  title_->setText(title);
  const bool second = sweep && sweep->plots.size() > 1;
  beside_box_->setVisible(second);
  if (!second) return;
  beside_title_->setText(qt(sweep->plots[1].title));
  const PlotChoice second_choice = choice_of(sweep->plots[1]);
  beside_->set_plot(sweep, results, second_choice, axes_->hidden());
  beside_->set_legend(second_choice.shape_axis != choice_.shape_axis ||
                      second_choice.colour_axis != choice_.colour_axis);
  caption(*beside_, *beside_caption_);
}

void SweepView::hide_values() {
  order_.set_hidden(axes_->hidden());
  show_plots();
}

/// As wide as what is in them; where room is left, figures get it for longer bars.
void SweepView::fit_columns() {
  table_view_->resizeColumnsToContents();
  const int figures = table_.figure_columns();
  const int left = table_view_->viewport()->width() - table_view_->horizontalHeader()->length();
  if (figures == 0 || left <= 0) return;
  const int first = table_.first_figure_column();
  for (int i = 0; i < figures; ++i) {
    const int share = left * (i + 1) / figures - left * i / figures;
    table_view_->setColumnWidth(first + i, table_view_->columnWidth(first + i) + share);
  }
}

bool SweepView::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) {
    const auto* resize = static_cast<QResizeEvent*>(event);
    if (resize->size().width() != resize->oldSize().width()) fit_columns();
  }
  return QWidget::eventFilter(watched, event);
}

void SweepView::show_results() {
  const Sweep* sweep = session_.sweep();
  const auto results = session_.results();
  table_.set_results(sweep, results);
  if (!results) show_sweep();
  if (sweep && results && !choices_made_ && !results->points.empty()) {
    for (std::size_t i = 0; i < sweep->figures.size(); ++i) {
      if (!results->shown[i]) continue;
      for (QComboBox* box : {x_, y_}) {
        box->addItem(qt(in_words(sweep->figures[i]).key), static_cast<int>(i));
        box->setItemData(box->count() - 1, qt(sweep->figures[i].key), Qt::ToolTipRole);
      }
    }
    choice_ = first_choice(*sweep, *results);
    x_->setCurrentIndex(index_of_data(*x_, choice_.x_axis ? -1 - static_cast<int>(*choice_.x_axis)
                                                          : static_cast<int>(choice_.x_figure)));
    y_->setCurrentIndex(index_of_data(*y_, static_cast<int>(choice_.y_figure)));
    const auto of_axis = [](const std::optional<std::size_t>& axis) {
      return axis ? -1 - static_cast<int>(*axis) : 0;
    };
    shape_->setCurrentIndex(index_of_data(*shape_, of_axis(choice_.shape_axis)));
    colour_->setCurrentIndex(index_of_data(*colour_, of_axis(choice_.colour_axis)));
    log_x_->setChecked(choice_.log_x);
    log_y_->setChecked(choice_.log_y);
    choices_made_ = true;
    fit_columns();
  }
  if (sweep) axes_->set_results(*sweep, results.get());
  show_plots();
  export_->setEnabled(results && !results->points.empty());
  show_table_note();
  Q_EMIT summary_changed();
}

void SweepView::choose_axes() {
  if (!choices_made_) return;
  const auto axis = [](const QComboBox& box) -> std::optional<std::size_t> {
    const int code = box.currentData().toInt();
    return code < 0 ? std::optional(static_cast<std::size_t>(-1 - code)) : std::nullopt;
  };
  choice_.x_axis = axis(*x_);
  if (!choice_.x_axis) choice_.x_figure = x_->currentData().toUInt();
  choice_.y_figure = y_->currentData().toUInt();
  choice_.shape_axis = axis(*shape_);
  choice_.colour_axis = axis(*colour_);
  choice_.log_x = log_x_->isChecked();
  choice_.log_y = log_y_->isChecked();
  show_plots();
}

void SweepView::show_status() {
  using Status = SweepSession::Status;
  const SweepProgress& now = session_.progress();
  const bool running = session_.status() == Status::running;
  bar_->setRange(0, static_cast<int>(std::max<std::uint64_t>(now.total, 1)));
  bar_->setValue(static_cast<int>(now.done));
  runs_->setText(
      tr("%1 of %2 finished").arg(qt(format_count(now.done)), qt(format_count(now.total))));
  left_->setText(session_.left() && running ? tr("%1 left").arg(duration(*session_.left()))
                                            : QString());
  QString note;
  if (now.refused > 0) note += tr("%1 void").arg(now.refused);
  if (now.early > 0) note += (note.isEmpty() ? "" : ", ") + tr("%1 ended early").arg(now.early);
  if (session_.status() == Status::failed) note = qt(session_.error());
  if (session_.status() == Status::cancelled)
    note = tr("Cancelled. Finished runs are kept; run again to go on from there.");
  note_->setText(note);
  run_->setText(running                                  ? tr("Cancel")
                : session_.status() == Status::cancelled ? tr("Go on")
                                                         : tr("Run sweep"));
  run_->setEnabled(session_.sweep() != nullptr);
  Q_EMIT summary_changed();
}

void SweepView::select_row(std::size_t row) {
  const QModelIndex at = order_.mapFromSource(table_.index(static_cast<int>(row), 0));
  if (!at.isValid()) return;
  table_view_->setCurrentIndex(at);
  table_view_->scrollTo(at);
}

void SweepView::open_row(std::size_t row) {
  const auto results = session_.results();
  if (!results || row >= results->points.size()) return;
  const PointResult& point = results->points[row];
  try {
    const std::string text = scenario_text(*session_.sweep(), point.point);
    Q_EMIT scenario_wanted(qt(text), qt(place_text(*session_.sweep(), point.at)));
  } catch (const UserError& error) {
    note_->setText(qt(error.what()));
  }
}

void SweepView::export_csv(const std::filesystem::path& file) const {
  const auto results = session_.results();
  if (!results) throw UserError("There are no results yet; run the sweep first.");
  write_whole(qt(file.string()),
              QByteArray::fromStdString(results_csv(*session_.sweep(), *results)));
}

}  // namespace vacancy::gui

#include "moc_sweep_view.cpp"
