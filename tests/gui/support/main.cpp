// SPDX-License-Identifier: Apache-2.0
#include <QApplication>

#include "tests/support/run_cases.hpp"

int main(int argc, char* argv[]) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  QApplication::setStyle("Fusion");
  return vacancy::test::run_cases(argc, argv);
}
