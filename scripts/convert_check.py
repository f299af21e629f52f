#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether nvcc converts FP8 by single instructions where the target has them.

usage: scripts/convert_check.py [--nvcc NVCC] [--software]

Compiles to PTX only and fails unless the kernels that code and decode FP8, and those that read rows of
it, use the conversions that compute capability 8.9 brought.

--software: compiles for 8.0, which has none, and fails unless each kernel is found to lack them.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENTRY = re.compile(r"\.entry\s+(\S+?)\(")
CONVERT = re.compile(r"\b(cvt\.\S*e[45]m[32]x2\S*)\s")

# File -> (words in the entry's name, the instruction).
DECODE_E4M3 = "cvt.rn.f16x2.e4m3x2"
WANTED = {
    "narrow_codecs.cu": [
        (("encode_fp8_kernel", "E4m3"), "cvt.rn.satfinite.e4m3x2.f32"),
        (("encode_fp8_kernel", "E5m2"), "cvt.rn.satfinite.e5m2x2.f32"),
        (("decode_fp8_kernel", "E4m3"), DECODE_E4M3),
        (("decode_fp8_kernel", "E5m2"), "cvt.rn.f16x2.e5m2x2"),
        (("encode_nvfp4_kernel",), "cvt.rn.satfinite.e4m3x2.f32"),
        (("encode_nvfp4_kernel",), DECODE_E4M3),
        (("decode_nvfp4_kernel",), DECODE_E4M3),
    ],
    "decode_attention.cu": [(("decode_kernel", "Fp8Rows"), DECODE_E4M3)],
    "triattention.cu": [(("triattention_kernel", "Fp8Rows"), DECODE_E4M3)],
}


def converts_of(nvcc, source, architecture):
    """entry -> the conversions of FP8 in its PTX"""
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder) / "kernel.ptx"
        subprocess.run(
            [nvcc, "-std=c++20", "--expt-relaxed-constexpr", f"-arch=compute_{architecture}", "-ptx",
             "-I", ROOT, ROOT / "gpu_backend" / "kernels" / source, "-o", ptx], check=True)
        text = ptx.read_text()
    found, entry = collections.defaultdict(collections.Counter), None
    for line in text.splitlines():
        if match := ENTRY.search(line):
            entry = match[1]
            found[entry]  # without conversions too
        elif entry and (match := CONVERT.search(line)):
            found[entry][match[1]] += 1
    return found


def check(nvcc, architecture, has_them):
    right = True
    for source, wanted in WANTED.items():
        entries = converts_of(nvcc, source, architecture)
        for words, instruction in wanted:
            kernel = " of ".join(words)
            counts = [c[instruction] for e, c in entries.items() if all(w in e for w in words)]
            as_wanted = bool(counts) and all((count > 0) == has_them for count in counts)
            print(f"compute_{architecture}: {kernel}: {instruction}: {counts or 'no such kernel'}"
                  f"{'' if as_wanted else ': WRONG'}")
            right &= as_wanted
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--software", action="store_true")
    options = parser.parse_args()
    architectures = {80: False} if options.software else {90: True, 100: True}
    results = [check(options.nvcc, a, has) for a, has in architectures.items()]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
