#!/usr/bin/env python3
"""Record what an installed PyTorch draws from its CPU random generator.

PyTorch releases do not all draw the same numbers for the same seed: `Tensor.exponential_`, and with it
`torch.multinomial`, has had more than one CPU implementation. This script writes down, for the torch that the
running Python imports, enough bits to tell the streams apart and to check the C++ generator in `core/decode`
(`TorchGenerator`) against them.

    python3 tests/reference/rng_streams.py tests/golden/rng/torch-<version>.json
    ATEN_CPU_CAPABILITY=default python3 tests/reference/rng_streams.py --compare tests/golden/rng/torch-<version>.json

Needs torch and numpy; runs on the CPU only. With `--compare` nothing is written: the values measured now, under whatever
environment is set (ATEN_CPU_CAPABILITY, MKL_CBWR, MKL_ENABLE_INSTRUCTIONS, ...) and with `--threads`, are compared
with the file, differences are listed, and the exit status is 1 if there are any.

Fields of the file; every entry begins with `torch.manual_seed(seed)`. float32 values are uint32 bit patterns, float64
values 16-digit hexadecimal bit patterns, `crc32` is that of the little-endian bytes of the whole result.

    torch_version, mkl   what was measured
    threads              the thread counts that were tried; `threads_agree` tells whether all gave the same results
    raw_u32              the first 16 generator outputs
    randint              `torch.randint(low, high, (50,))`
    rand_f32, rand_f64   `torch.rand(n)`
    exponential_f32      `torch.empty(n).exponential_()`: `first` and `last` 8 bit patterns, `crc32`, and `next_u32`: the
                         next generator output right after, which shows how many outputs the call consumed
    multinomial          `torch.multinomial(P, 1)`, `calls` times in a row, with
                         P[r, i] = float32(1) / float32(1 + (7919 * i + 104729 * r) % V), shape [rows, V];
                         `ids[call][row]`, and `next_u32`
"""

import argparse
import json
import sys
import zlib

import numpy as np
import torch

SEEDS = (0, 1234, -1, 2**63 + 5)
# 16, 800 and 1600 are where vectorised or parallel kernels change their path; 36000 is 30 rows of 1200, 192000 of 6400.
LENGTHS = (1, 2, 7, 16, 17, 799, 800, 801, 1200, 1601, 4097, 36000, 192000)
RANDINT = ((0, 10), (-5, 5), (3, 6400), (0, 2**28 - 1), (0, 2**28), (0, 2**31), (0, 2**32 - 1), (0, 2**32), (3, 2**40 + 7))
MULTINOMIAL = ((30, 1200, 24), (30, 6400, 24), (1, 1200, 24))


def bits32(tensor):
    return tensor.numpy().view(np.uint32).tolist()


def bits64(tensor):
    return [f"{v:016x}" for v in tensor.numpy().view(np.uint64).tolist()]


def raw(pairs):
    """The next `2 * pairs` generator outputs: a full-range int64 is (first output << 32) | second output."""
    values = torch.empty(pairs, dtype=torch.int64).random_(-(2**63), None).numpy().view(np.uint64)
    return [int(w) for v in values for w in (v >> np.uint64(32), v & np.uint64(0xFFFFFFFF))]


def next_u32():
    return raw(1)[0]


def raw_u32(seed):
    torch.manual_seed(seed)
    return {"seed": seed, "values": raw(8)}


def randint(seed, low, high):
    torch.manual_seed(seed)
    values = torch.randint(low, high, (50,)).tolist()
    return {"seed": seed, "low": low, "high": high, "values": values, "next_u32": next_u32()}


def rand(seed, n, dtype, bits):
    torch.manual_seed(seed)
    x = torch.rand(n, dtype=dtype)
    return {"seed": seed, "n": n, "first": bits(x[:8]), "crc32": zlib.crc32(x.numpy().tobytes()), "next_u32": next_u32()}


def exponential(seed, n):
    torch.manual_seed(seed)
    x = torch.empty(n).exponential_()
    return {
        "seed": seed,
        "n": n,
        "first": bits32(x[:8]),
        "last": bits32(x[-8:]),
        "crc32": zlib.crc32(x.numpy().tobytes()),
        "next_u32": next_u32(),
    }


def multinomial(seed, rows, vocab, calls):
    rank = (7919 * np.arange(vocab)[None, :] + 104729 * np.arange(rows)[:, None]) % vocab
    probs = torch.from_numpy(np.float32(1) / (1 + rank).astype(np.float32))
    torch.manual_seed(seed)
    ids = [torch.multinomial(probs, 1)[:, 0].tolist() for _ in range(calls)]
    return {"seed": seed, "rows": rows, "vocab": vocab, "calls": calls, "ids": ids, "next_u32": next_u32()}


def measure():
    return {
        "raw_u32": [raw_u32(seed) for seed in SEEDS],
        "randint": [randint(seed, low, high) for seed in SEEDS[:2] for low, high in RANDINT],
        "rand_f32": [rand(seed, 1000, torch.float32, bits32) for seed in SEEDS[:2]],
        "rand_f64": [rand(seed, 1000, torch.float64, bits64) for seed in SEEDS[:2]],
        "exponential_f32": [exponential(seed, n) for seed in SEEDS[:3] for n in LENGTHS],
        "multinomial": [multinomial(seed, *shape) for seed in SEEDS[:2] for shape in MULTINOMIAL],
    }


def differences(found, expected):
    for field, entries in expected.items():
        for got, want in zip(found[field], entries):
            if got != want:
                what = {k: v for k, v in want.items() if k in ("n", "seed", "low", "high", "rows", "vocab")}
                yield f"{field} {what} differs in {[k for k in want if got[k] != want[k]]}"


def main():
    parser = argparse.ArgumentParser(description="Record what an installed PyTorch draws from its CPU generator.")
    parser.add_argument("file", help="the JSON file to write, or with --compare to read")
    parser.add_argument("--compare", action="store_true", help="compare with the file instead of writing it")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="thread counts to try (default: 1 2)")
    args = parser.parse_args()

    runs = []
    for count in args.threads:
        torch.set_num_threads(count)
        runs.append(measure())

    if args.compare:
        with open(args.file, encoding="utf-8") as f:
            recorded = json.load(f)
        expected = {field: recorded[field] for field in runs[0]}
        found = [f"{count} thread(s): {d}" for count, run in zip(args.threads, runs) for d in differences(run, expected)]
        print("\n".join(found) or f"torch {torch.__version__} gives the values of {args.file} (torch {recorded['torch_version']})")
        sys.exit(bool(found))

    result = {
        "torch_version": torch.__version__,
        "mkl": torch.backends.mkl.is_available(),
        "threads": args.threads,
        "threads_agree": all(run == runs[0] for run in runs),
        **runs[0],
    }
    lines = []
    for key, value in result.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            entries = ",\n".join("    " + json.dumps(entry, separators=(",", ":")) for entry in value)
            lines.append(f'  "{key}": [\n{entries}\n  ]')
        else:
            lines.append(f'  "{key}": {json.dumps(value)}')
    with open(args.file, "w", encoding="utf-8") as f:
        f.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
