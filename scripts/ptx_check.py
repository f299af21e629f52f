#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What nvcc made of the kernels.

usage: scripts/ptx_check.py [--nvcc NVCC] [--planted FILE]

Compiles to PTX only, which takes a second a file, and fails unless
  - rows and groups of floats are loaded and stored 16 bytes at a time, as CHECKED says of each kernel,
  - kernels that write a pool in place never read it over the non-coherent path (ld.global.nc), which
    a __restrict__ or __ldg on the pool would allow: it may give what was there before,
  - no kernel spills to local memory.

--planted: looks at kernels with these faults instead, and fails unless it finds each.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ROOT / "gpu_backend" / "kernels"
LOAD = re.compile(r"\s*(?:@%?!?\S+\s+)?((?:ld|st)\.(?:global|shared|local)\S*)\s")
ENTRY = re.compile(r"\.entry\s+(\S+?)\(")


class Kernel(typing.NamedTuple):
    """What is expected of the entries of a kernel."""
    carriers: tuple = ()  # entries with one of these in their names carry 16 bytes at a time
    loads: bool = True  # from global memory
    stores: bool = False
    in_place: bool = False  # writes the pool that it reads


UNITS = ("uint4",)  # rows in units of 16 bytes; those of 8 and 4 are other entries
ROWS = ("Bf16Rows", "Fp32Rows")  # eight elements of a row a lane: with FP8 these are 8 bytes
EVERY = ("",)  # floats, whatever the pool's rows are
ONE_BY_ONE = Kernel()  # a number a thread: neighbours in a warp have neighbours

CHECKED = {
    "move_rows.cu": {
        "move_kernel": Kernel(UNITS, stores=True, in_place=True),
        "gather_kernel": Kernel(UNITS, stores=True)
    },
    "pack_rows.cu": {
        "columns_kernel": Kernel(UNITS, stores=True, in_place=True),
        "tiles_kernel": Kernel(UNITS, stores=True, in_place=True)
    },
    "copy_rows.cu": {
        "copy_blocks_kernel": Kernel(UNITS, stores=True),
        "append_kernel": Kernel(UNITS, stores=True),
        "read_kernel": Kernel(UNITS, stores=True)
    },
    "decode_attention.cu": {"decode_kernel": Kernel(ROWS), "combine_kernel": ONE_BY_ONE},
    "triattention.cu": {"triattention_kernel": Kernel(ROWS)},
    "triattention_weights.cu": {"weights_kernel": ONE_BY_ONE},
    "query_attention.cu": {
        "logits_kernel": Kernel(ROWS),
        "output_kernel": Kernel(ROWS),
        "sums_kernel": ONE_BY_ONE,
        "columns_kernel": ONE_BY_ONE
    },
    "row_statistics.cu": {"statistics_kernel": Kernel(ROWS)},
    "key_difference.cu": {"anchor_kernel": Kernel(ROWS), "difference_kernel": Kernel(ROWS)},
    "key_redundancy.cu": {
        "unit_keys_kernel": Kernel(ROWS),
        "left_out_kernel": Kernel(EVERY),
        "mean_kernel": Kernel(EVERY)
    },
    "lag_ranks.cu": {"shares_kernel": Kernel(ROWS), "ranks_kernel": ONE_BY_ONE},
    # A thread codes four values: 16 bytes of FP32, and what four codes take.
    "narrow_codecs.cu": {
        "encode_fp8_kernel": Kernel(EVERY),
        "encode_integers_kernel": Kernel(EVERY),
        "encode_nvfp4_kernel": Kernel(EVERY),
        "decode_fp8_kernel": Kernel(EVERY, loads=False, stores=True),
        "decode_integers_kernel": Kernel(EVERY, loads=False, stores=True),
        "decode_nvfp4_kernel": Kernel(EVERY, loads=False, stores=True)
    },
    "kivi_codec.cu": {"encode_kivi_kernel": ONE_BY_ONE, "decode_kivi_kernel": ONE_BY_ONE},
    "blocks.cu": {
        "aggregate_kernel": ONE_BY_ONE,
        "clear_kernel": ONE_BY_ONE,
        "mark_kernel": ONE_BY_ONE,
        "count_kernel": ONE_BY_ONE
    },
    "random_scores.cu": {"random_kernel": ONE_BY_ONE},
    "rows.cu": {
        "normalize_kernel": ONE_BY_ONE,
        "neighbours_kernel": ONE_BY_ONE,
        "join_kernel": ONE_BY_ONE
    },
    "top_k.cu": {"top_k_kernel": ONE_BY_ONE},
}

COHERENCE = "reads the pool that it writes over the non-coherent path"
LOCAL = "uses local memory"
# Of tests/gpu/wasteful_kernels.cu, whose kernels would be moves: the faults that must be found.
PLANTED = {
    "restricted_kernel": [COHERENCE],
    "narrow_kernel": ["no 16-byte ld.global", "no 16-byte st.global"],
    "local_kernel": [LOCAL],
}


def entries_of(nvcc, source):
    """What nvcc makes of a source: entry -> Counter of loads and stores."""
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder) / "kernel.ptx"
        subprocess.run(
            [nvcc, "-std=c++20", "--expt-relaxed-constexpr", "-arch=compute_90", "-ptx", "-I", ROOT,
             source, "-o", ptx], check=True)
        return instructions(ptx.read_text())


def instructions(ptx):
    """entry -> Counter of loads and stores"""
    found, entry = collections.defaultdict(collections.Counter), None
    for line in ptx.splitlines():
        if match := ENTRY.search(line):
            entry = match[1]
        elif entry and (match := LOAD.match(line)):
            found[entry][match[1]] += 1
    return found


def wide(name):
    """Whether an instruction carries 16 bytes."""
    return bool(re.search(r"\.v4\.(u32|b32|f32|s32)|\.v2\.(u64|b64|f64)", name))


def faults_of(expected, entry, counts):
    faults = []
    if any(name in entry for name in expected.carriers):
        for what, wanted in (("ld.global", expected.loads), ("st.global", expected.stores)):
            if wanted and not any(n.startswith(what) and wide(n) for n in counts):
                faults.append(f"no 16-byte {what}")
    if expected.in_place and any(n.startswith("ld.global.nc") and wide(n) for n in counts):
        faults.append(COHERENCE)
    if any(".local" in n for n in counts):
        faults.append(LOCAL)
    return faults


def finds_planted(nvcc, source):
    entries, right = entries_of(nvcc, source), True
    move = Kernel(UNITS, stores=True, in_place=True)
    for kernel, wanted in PLANTED.items():
        found = [fault for entry, counts in entries.items() if kernel in entry
                 for fault in faults_of(move, entry, counts)]
        print(f"{kernel}: {', '.join(found) or 'nothing'}")
        right &= found == wanted
    return right


def faults_in(source, kernels, entries):
    """Faults of a source's entries, and what this check did not look at."""
    for kernel, expected in kernels.items():
        named = {e: c for e, c in entries.items() if kernel in e}
        if not named or (expected.carriers and
                         not any(name in e for e in named for name in expected.carriers)):
            yield f"{source}: no kernel {kernel} as it is checked"
        for entry, counts in named.items():
            for fault in faults_of(expected, entry, counts):
                yield f"{source}: {entry}: {fault}"
        widths = sum(named.values(), collections.Counter())
        print(f"{source}: {kernel}: " + ", ".join(f"{n} x {i}" for i, n in sorted(widths.items())))
    for entry in entries:
        if not any(kernel in entry for kernel in kernels):
            yield f"{source}: {entry}: nothing is said of this kernel"


def kernels_are_right(nvcc):
    sources = {path.name for path in KERNELS.glob("*.cu")}
    faults = [f"{source}: nothing is said of this file" for source in sorted(sources - set(CHECKED))]
    for source, kernels in CHECKED.items():
        faults += faults_in(source, kernels, entries_of(nvcc, KERNELS / source))
    for fault in faults:
        print(fault)
    return not faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--planted", type=pathlib.Path)
    options = parser.parse_args()
    right = finds_planted(options.nvcc, options.planted) if options.planted else kernels_are_right(
        options.nvcc)
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
