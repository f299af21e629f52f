# SPDX-License-Identifier: Apache-2.0
"""scripts/keep_set_recorder.py on made keys: what `vacancy replay` says of its file.

usage: test_keep_set_recorder.py VACANCY FOLDER [numpy]
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import types

vacancy, scripts, numpy_wanted = sys.argv[1], sys.argv[2], len(sys.argv) > 3
sys.path.insert(0, scripts)
from keep_set_recorder import KeepSetRecorder, watch_press  # noqa: E402

LAYERS, HEADS, BLOCK = 3, 2, 4


class Keys:
    """As much of an array as the recorder needs: [1, heads, tokens, 1], one byte a number."""

    def __init__(self, heads):
        self.heads = heads
        self.shape = (1, len(heads), len(heads[0]), 1)

    def tobytes(self):
        return bytes(key for head in self.heads for key in head)


def keys_of(heads):
    if not numpy_wanted:
        return Keys(heads)
    return numpy.array(heads, dtype=numpy.uint8)[None, :, :, None]


class Press:
    """Keeps a random half of each head; from the second step on masks one row more."""

    def __init__(self):
        self.masks = False

    def compress(self, module, hidden_states, keys, values, attentions, kwargs):
        heads = kwargs["heads"]
        stays = [sorted(random.sample(range(len(head)), len(head) // 2)) for head in heads]
        kwargs["heads"] = [[head[i] for i in rows] for head, rows in zip(heads, stays)]
        if self.masks:
            module.masked_key_indices = ([0], [1], [0])
        return keys_of(kwargs["heads"]), values


def replay(path, *options):
    out = subprocess.run([vacancy, "replay", path, "--json", "--block-size", str(BLOCK), *options],
                         capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    return json.loads(out.stdout)


def main():
    random.seed(7)
    recorder = KeepSetRecorder(LAYERS, HEADS)
    press = Press()
    watch = watch_press(press, recorder)
    caches = [[[] for _ in range(HEADS)] for _ in range(LAYERS)]  # keys are positions here
    length, expected = 0, []
    for more in (32, 20):
        for layer in range(LAYERS):
            for head in caches[layer]:
                head.extend(range(length, length + more))
            module = types.SimpleNamespace(layer_idx=layer)
            kwargs = {"heads": caches[layer]}
            press.compress(module, None, keys_of(caches[layer]), None, None, kwargs)
            caches[layer] = kwargs["heads"]
        length += more
        expected.append([[list(head) for head in layer] for layer in caches])
        if press.masks:
            for layer in expected[-1]:
                del layer[1][0]
        press.masks = True
    assert watch.length == length == 52

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kept.npz")
        recorder.save(path, end_length=60)
        if numpy_wanted:
            with numpy.load(path) as file:
                assert list(file["length"]) == [32, 52] and int(file["heads"]) == HEADS
                flat = [token for step in expected for layer in step for h in layer for token in h]
                assert list(file["indices"]) == flat
        file = replay(path)["files"][0]
        assert (file["steps"], file["tokens"]) == (3, 60)
        assert file["scope"] == "per_layer_per_head"
        for result in file["results"]:
            if result["kind"] != "none":
                continue
            freed = 0
            tables = {"shared": [[(l, h) for l in range(LAYERS) for h in range(HEADS)]],
                      "per_layer": [[(l, h) for h in range(HEADS)] for l in range(LAYERS)],
                      "per_layer_per_head": [[(l, h)] for l in range(LAYERS)
                                             for h in range(HEADS)]}[result["table"]]
            for table in tables:
                held = {token // BLOCK for l, h in table for token in expected[-1][l][h]}
                freed += length // BLOCK - len(held)
            assert result["reclaim"]["blocks_freed_by_eviction"] == freed, result
    print("recorded and replayed as expected")


if numpy_wanted:
    try:
        import numpy
    except ImportError:
        print("SKIPPED: this Python has no numpy")
        sys.exit(0)
main()
