// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policy.hpp"
