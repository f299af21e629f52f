// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTableView>
#include <QWidget>

#include "gui/model/sweep/sweep_session.hpp"
#include "gui/model/sweep/sweep_table.hpp"
#include "gui/widgets/sweep/axis_cards.hpp"
#include "gui/widgets/sweep/plot_view.hpp"

namespace vacancy::gui {

/// A sweep to run and to look at: plot above, table below, one selection for both.
class SweepView final : public QWidget {
  Q_OBJECT

 public:
  explicit SweepView(SweepSession& session, QWidget* parent = nullptr);

  /// Where finished runs are kept; by default beside the sweep file, under its name.
  void set_folder(const std::filesystem::path& folder) { folder_ = folder; }
  std::filesystem::path folder() const;
  void run();
  void run_or_stop();
  /// results.csv as the command line writes it. Throws UserError if it cannot be written.
  void export_csv(const std::filesystem::path& file) const;

  /// "39 of 39 runs finished; 7 of 39 points on the Pareto front. …"
  QString summary() const;

  PlotView& plot() const { return *plot_; }
  QTableView& table() const { return *table_view_; }

 Q_SIGNALS:
  /// Somebody wants to see the run of a point: its scenario with every default explicit.
  void scenario_wanted(const QString& text, const QString& name);
  void export_wanted();
  void summary_changed();

 protected:
  /// The table's columns share its width.
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* make_side();
  QWidget* make_choices();
  QComboBox* make_choice(const QString& name, QBoxLayout& row);
  QWidget* make_table_box();
  void show_sweep();
  void show_status();
  void show_results();
  void choose_axes();
  void hide_values();
  void fit_columns();
  void show_table_note();
  void show_plots();
  void open_row(std::size_t row);
  void select_row(std::size_t row);

  SweepSession& session_;
  std::filesystem::path folder_;
  SweepTable table_;
  SweepOrder order_;
  QLabel *title_, *about_, *caption_, *beside_caption_, *table_note_, *beside_title_;
  PlotView *plot_, *beside_;  // what the choices ask for; the second plot of the file
  QWidget* beside_box_;
  QTableView* table_view_;
  QLabel *base_, *runs_, *left_, *note_;
  AxisCards* axes_;
  QProgressBar* bar_;
  QPushButton *run_, *export_, *open_;
  QCheckBox *front_only_, *log_x_, *log_y_;
  QComboBox *x_, *y_, *shape_, *colour_;
  PlotChoice choice_;
  bool choices_made_ = false;
};

}  // namespace vacancy::gui
