// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/legend.hpp"
