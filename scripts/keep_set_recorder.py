# SPDX-License-Identifier: Apache-2.0
"""Records which tokens an eviction method keeps, for `vacancy replay`. Standard library only.

docs/replay.md shows how it is used, docs/formats/keep_sets.md says what it writes.
"""

import array
import struct
import sys
import zipfile


class KeepSetRecorder:
    """The keep sets of one sequence: what stays after each step that evicts.

    layers, heads: how many sets a step has; 1 where one set stands for all layers or all KV heads.
    model_layers, model_heads: how many the model has, where that is not the same.
    """

    def __init__(self, layers, heads, model_layers=None, model_heads=None):
        self.layers, self.heads = layers, heads
        self.model_layers = model_layers or layers
        self.model_heads = model_heads or heads
        self.length = []
        self.indices = array.array("q")
        self.offsets = array.array("q", [0])

    def step(self, length, keep):
        """One step: of the first `length` tokens of the sequence, keep[layer][head] stay.

        Tokens are positions in the sequence, whatever was evicted before; any order will do.
        """
        if len(keep) != self.layers or any(len(layer) != self.heads for layer in keep):
            raise ValueError(f"keep has to be {self.layers} × {self.heads} lists, by layer and head")
        self.length.append(int(length))
        for layer in keep:
            for tokens in layer:
                self.indices.extend(int(token) for token in tokens)
                self.offsets.append(len(self.indices))

    def save(self, path, end_length=None):
        """Writes an .npz file. end_length: tokens of the sequence when it was over."""
        numbers = {
            "layers": self.layers,
            "heads": self.heads,
            "model_layers": self.model_layers,
            "model_heads": self.model_heads,
        }
        if end_length is not None:
            numbers["end_length"] = end_length
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, values in (
                ("indices", self.indices),
                ("offsets", self.offsets),
                ("length", array.array("q", self.length)),
            ):
                _write_array(archive, name, f"({len(values)},)", values)
            for name, value in numbers.items():
                _write_array(archive, name, "()", array.array("q", [int(value)]))


def _write_array(archive, name, shape, values):
    """An .npy member, version 1.0."""
    order = "<" if sys.byteorder == "little" else ">"
    header = f"{{'descr': '{order}i8', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with archive.open(name + ".npy", "w", force_zip64=True) as member:
        member.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        member.write(values.tobytes())


def watch_press(press, recorder):
    """From now on records what a press of kvpress keeps (batches of one sequence).

    Every press drops rows of the keys, whatever its rule is; which ones is seen by comparing the
    rows before and after. Returns the watch, whose `length` is the number of tokens so far.
    """
    watch = _Watch(recorder)
    compress = press.compress

    def watched(module, hidden_states, keys, values, attentions, kwargs):
        kept = compress(module, hidden_states, keys, values, attentions, kwargs)
        masked = getattr(module, "masked_key_indices", None)
        watch.layer(module.layer_idx, keys, kept[0], masked)
        return kept

    press.compress = watched
    return watch


class _Watch:
    def __init__(self, recorder):
        self.recorder = recorder
        self.length = 0
        self.held = {}  # by layer, for each head: the positions of the rows that it has
        self.seen = {}  # by layer: tokens so far
        self.kept = {}  # by layer, in the step that is under way

    def layer(self, index, before, after, masked=None):
        """A layer's keys, [1, heads, tokens, numbers], before and after it dropped some."""
        rows_before, rows_after = _rows(before), _rows(after)
        held = self.held.get(index) or [[] for _ in rows_before]
        seen = self.seen.get(index, 0)
        new = len(rows_before[0]) - len(held[0])
        for tokens in held:
            tokens.extend(range(seen, seen + new))
        self.seen[index] = seen + new
        self.held[index] = [
            [tokens[place] for place in _places(rows_before[head], rows_after[head])]
            for head, tokens in enumerate(held)
        ]
        # Presses that give heads different budgets leave rows in place and mask them.
        hidden = [set() for _ in held]
        if masked is not None:
            for head, place in zip(_list(masked[1]), _list(masked[2])):
                hidden[head].add(place)
        self.kept[index] = [
            [token for place, token in enumerate(tokens) if place not in hidden[head]]
            for head, tokens in enumerate(self.held[index])
        ]
        if len(self.kept) == self.recorder.layers:
            self.length = seen + new
            self.recorder.step(self.length, [self.kept[i] for i in sorted(self.kept)])
            self.kept = {}


def _places(before, after):
    """Where the rows of `after` stand in `before`; of equal ones, the first that is free."""
    places = {}
    for place, row in enumerate(before):
        places.setdefault(row, []).append(place)
    for free in places.values():
        free.reverse()
    try:
        return [places[row].pop() for row in after]
    except (KeyError, IndexError):
        raise ValueError("a key after the press was not there before: it rewrites keys") from None


def _rows(keys):
    """For each head the bytes of each token's key."""
    if hasattr(keys, "detach"):  # torch
        keys = keys.detach().float().cpu().contiguous().numpy()
    batch, heads, tokens, _ = keys.shape
    if batch != 1:
        raise ValueError(f"the batch has {batch} sequences; a recording is one")
    data = keys.tobytes()
    size = len(data) // max(heads * tokens, 1)
    return [
        [data[(head * tokens + i) * size : (head * tokens + i + 1) * size] for i in range(tokens)]
        for head in range(heads)
    ]


def _list(values):
    return values.tolist() if hasattr(values, "tolist") else list(values)
