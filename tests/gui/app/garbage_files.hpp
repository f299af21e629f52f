// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QList>

namespace vacancy::test {

/// Thirty files that somebody could drop on the window and that are no scenario.
inline QList<QByteArray> garbage_files() {
  const QByteArray good = R"({"seed": 1, "model": "qwen3-8b", "cache": {"block_size": 16},
    "eviction": {"policy": "random", "budget": 64},
    "workload": {"sequences": 2, "prompt_tokens": 90, "output_tokens": 60}})";
  QByteArray every_byte;
  for (int i = 0; i < 256; ++i)
    every_byte.append(static_cast<char>(i));
  QByteArray flipped = good;
  flipped[flipped.indexOf("seed")] = '\x80';
  const auto changed = [&](const char* from, const QByteArray& to) {
    QByteArray text = good;
    return text.replace(from, to);
  };
  return {
      // Not JSON.
      "",
      " \n\t",
      QByteArray(1, '\0'),
      every_byte,
      every_byte.repeated(4096),
      "\x89PNG\r\n\x1a\n",
      "%PDF-1.7\n",
      "PK\x03\x04",
      "\xff\xfe{\0}\0",
      "\xef\xbb\xbf",
      "# a heading\n",
      "seed: 1\n",
      good.left(good.size() / 2),
      good + good,
      flipped,
      QByteArray("[").repeated(100'000),
      QByteArray("{\"a\":").repeated(50'000),
      "\"" + QByteArray("x").repeated(1 << 21),
      // JSON, and no object.
      "null",
      "[]",
      "1e999",
      "\"scenario\"",
      // An object, and no scenario.
      R"({"seed": -1})",
      R"({"seed": 1e300, "model": 7})",
      R"({"axes": {}})",
      R"({"axes": [{"key": "", "values": []}], "base": null})",
      changed("\"block_size\": 16", "\"block_size\": 0, \"blocks\": 18446744073709551615"),
      changed("\"random\"", "\"\\u0000\""),
      changed("\"workload\"", "\"workload\": 1, \"workload\""),
      changed("\"seed\": 1", "\"seed\": 1, \"" + QByteArray("k").repeated(5'000) + "\": [{}]"),
  };
}

}  // namespace vacancy::test
