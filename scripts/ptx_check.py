#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What nvcc made of the kernels that move and read rows.

usage: scripts/ptx_check.py [--nvcc NVCC] [--planted FILE]

Compiles to PTX only, which takes a second a file, and fails unless
  - rows of 16-byte units are loaded and stored 16 bytes at a time,
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ROOT / "gpu_backend" / "kernels"
LOAD = re.compile(r"\s*(?:@%?!?\S+\s+)?((?:ld|st)\.(?:global|shared|local)\S*)\s")
ENTRY = re.compile(r"\.entry\s+(\S+?)\(")

# Kernels of these files: do they write the pool that they read; which of their entries carry 16 bytes.
CHECKED = {
    "move_rows.cu": {"move_kernel": True, "gather_kernel": False},
    "pack_rows.cu": {"columns_kernel": True, "tiles_kernel": True},
    "copy_rows.cu": {"copy_blocks_kernel": False, "append_kernel": False, "read_kernel": False},
    "decode_attention.cu": {"decode_kernel": False},
    "triattention.cu": {"triattention_kernel": False},
}


# The same of tests/gpu/wasteful_kernels.cu, and the faults that must be found.
COHERENCE = "reads the pool that it writes over the non-coherent path"
LOCAL = "uses local memory"
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


def faults_of(kernel, entry, counts, in_place):
    faults = []
    # uint4 rows, or BF16 rows of the reading kernels.
    sixteen = "uint4" in entry or "Bf16Rows" in entry
    stores_rows = kernel not in ("decode_kernel", "triattention_kernel")
    for what, wanted in (("ld.global", True), ("st.global", stores_rows)):
        if sixteen and wanted and not any(n.startswith(what) and wide(n) for n in counts):
            faults.append(f"no 16-byte {what}")
    if in_place and any(n.startswith("ld.global.nc") and wide(n) for n in counts):
        faults.append(COHERENCE)
    if any(".local" in n for n in counts):
        faults.append(LOCAL)
    return faults


def finds_planted(nvcc, source):
    entries, right = entries_of(nvcc, source), True
    for kernel, wanted in PLANTED.items():
        found = [fault for entry, counts in entries.items() if kernel in entry
                 for fault in faults_of(kernel, entry, counts, in_place=True)]
        print(f"{kernel}: {', '.join(found) or 'nothing'}")
        right &= found == wanted
    return right


def kernels_are_right(nvcc):
    right = True
    for source, kernels in CHECKED.items():
        entries = entries_of(nvcc, KERNELS / source)
        for kernel, in_place in kernels.items():
            named = {e: c for e, c in entries.items() if kernel in e}
            if not named:
                print(f"{source}: no kernel {kernel}: this check looked at nothing")
                right = False
            for entry, counts in named.items():
                for fault in faults_of(kernel, entry, counts, in_place):
                    print(f"{source}: {entry}: {fault}")
                    right = False
            widths = collections.Counter()
            for counts in named.values():
                widths.update(counts)
            print(f"{source}: {kernel}: " +
                  ", ".join(f"{n} x {i}" for i, n in sorted(widths.items())))
    return right


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
