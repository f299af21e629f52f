// SPDX-License-Identifier: Apache-2.0
#include "gui/lessons/lesson_page.hpp"
