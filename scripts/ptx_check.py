#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What nvcc made of the kernels that move and read rows.

usage: scripts/ptx_check.py [--nvcc NVCC]

Compiles to PTX only, which takes a second a file, and fails unless
  - rows of 16-byte units are loaded and stored 16 bytes at a time,
  - kernels that write a pool in place never read it over the non-coherent path (ld.global.nc), which
    a __restrict__ or __ldg on the pool would allow: it may give what was there before,
  - no kernel spills to local memory.
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
        faults.append("reads the pool that it writes over the non-coherent path")
    if any(".local" in n for n in counts):
        faults.append("uses local memory")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc", default="nvcc")
    nvcc = parser.parse_args().nvcc
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for source, kernels in CHECKED.items():
            ptx = pathlib.Path(folder) / "kernel.ptx"
            subprocess.run(
                [nvcc, "-std=c++20", "--expt-relaxed-constexpr", "-arch=compute_90", "-ptx", "-I", ROOT,
                 KERNELS / source, "-o", ptx], check=True)
            entries = instructions(ptx.read_text())
            for kernel, in_place in kernels.items():
                named = {e: c for e, c in entries.items() if kernel in e}
                if not named:
                    print(f"{source}: no kernel {kernel}: this check looked at nothing")
                    failed = True
                for entry, counts in named.items():
                    for fault in faults_of(kernel, entry, counts, in_place):
                        print(f"{source}: {entry}: {fault}")
                        failed = True
                widths = collections.Counter()
                for counts in named.values():
                    widths.update(counts)
                print(f"{source}: {kernel}: " +
                      ", ".join(f"{n} x {i}" for i, n in sorted(widths.items())))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
