// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace vacancy::gui {

/// Memory that was freed stays with the program. A seek in a big run needs megabytes and frees them
/// at the next; fresh from the system each page costs a fault, in a virtual machine some ten
/// microseconds, which the window's thread would spend instead of painting.
inline void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that it takes
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace vacancy::gui
