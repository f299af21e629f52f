// SPDX-License-Identifier: Apache-2.0
#include "sim/pool/block_pool.hpp"
