#!/usr/bin/env python3
"""Time this project beside llama.cpp and MiniMind's PyTorch model, in alternation, and print ratios.

A machine's speed drifts, so only what runs in turn in one call is comparable: every round runs each program once;
a ratio is that of the medians over all rounds. Paths are the user's; nothing of the others is part of this project.

    pip install gguf numpy && python3 tests/bench/make_gguf.py /somewhere/gguf
    python3 tests/bench/compare.py --mm-native build/native/mm-native \\
        --llama-bench …/llama.cpp/build/bin/llama-bench --gguf /somewhere/gguf \\
        --python python3 --minimind …/minimind

llama-bench times by the wall clock where mm-native counts one thread's processor time, so compare on a quiet machine.
Either peer may be left out. What is compared: 201 tokens at once, then decoding after them; with PyTorch also
`generate` of 64 tokens with the cache and without, and 30 samples of 24 tokens. An OpenBLAS older than the processor
may choose slow kernels for it: OPENBLAS_VERBOSE=2 tells which, OPENBLAS_CORETYPE=SKYLAKEX chooses better ones.
"""

import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
# (size, ours, theirs): least ratio aimed at. llama.cpp as it comes.
GOALS = {
    ("minimind-3", "prefill", "llama f32"): 1.5,
    ("minimind-3", "decode", "llama f32"): 1.4,
    ("minimind-3", "prefill f16", "llama f16"): 1.3,
    ("minimind-3", "decode f16", "llama f16"): 1.35,
    ("lab", "prefill", "llama f32"): 2.3,
    ("lab", "decode", "llama f32"): 4.5,
    ("lab", "decode", "llama f32, best settings"): 2.0,
    ("lab", "cached", "PyTorch"): 14.0,
    ("lab", "uncached", "PyTorch"): 2.4,
    ("lab", "samples", "PyTorch"): 7.0,
    ("minimind-3", "cached", "PyTorch"): 3.2,
    ("minimind-3", "uncached", "PyTorch"): 1.5,
}
KERNELS = {}  # of each contestant, as it names them itself


def run(command, variables=None):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(variables or {})})
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed ({done.returncode}): {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout)


def ours(program, size, threads):
    """Tokens a second, and seconds."""
    found = run([program, "bench", "--sizes", size, "--threads", str(threads), "--json"])
    KERNELS["ours"] = f"{found['machine']['instruction_set']} on {found['machine']['cpu']}"
    values = {}
    for one in found["results"]:
        if one["instruction_set"] != found["machine"]["instruction_set"]:
            continue  # what a browser has is measured too
        what, _, dtype = one["what"].partition(", ")
        suffix = " f16" if dtype.startswith("float16") else ""
        short = {"prefill 201": "prefill", "decode after 201": "decode", "step 3 with cache": "cached",
                 "step 3 without cache": "uncached", "30 samples of 24": "samples"}.get(what)
        if short:
            values[short + suffix] = one["median"]
        if what.startswith("decode after"):
            values["share of read bandwidth" + suffix] = one["share_of_limit"]
    return values


def llama(name, program, model, threads, *settings):
    found = run([program, "-m", str(model), "-t", str(threads), "-ngl", "0", "-r", "3", "-o", "json",
                 "-p", "201", "-n", "0", *settings])
    deep = run([program, "-m", str(model), "-t", str(threads), "-ngl", "0", "-r", "3", "-o", "json",
                "-p", "0", "-n", "64", "-d", "201", *settings])
    about = ("build_number", "build_commit", "backends", "type_k", "type_v", "flash_attn")
    KERNELS[name] = ", ".join(f"{one} {found[0][one]}" for one in about if one in found[0])
    return {"prefill": statistics.median(found[0]["samples_ts"]),
            "decode": statistics.median(deep[0]["samples_ts"])}


def takes_f32_cache(program, model):
    """Most releases of llama-bench know no float32 cache; it is the fastest one for small models."""
    return subprocess.run([program, "-m", str(model), "-ngl", "0", "-p", "1", "-n", "0", "-r", "1", "-ctk", "f32"],
                          capture_output=True).returncode == 0


def minimind(python, folder, size, threads):
    found = run([python, str(HERE / "time_minimind.py"), "--minimind", folder, "--size", size, "--threads",
                 str(threads)], {"OMP_NUM_THREADS": str(threads)})
    KERNELS["PyTorch"] = found["kernels"]
    found = found["seconds"]
    return {**found, "prefill": 201 / found["prefill"], "decode": 63 / (found["cached"] - found["prefill"])}


def contestants(arguments, size, threads):
    runs = {"ours": lambda: ours(arguments.mm_native, size, threads)}
    if arguments.llama_bench:
        f32 = arguments.gguf / f"{size}-f32.gguf"
        runs["llama f32"] = lambda: llama("llama f32", arguments.llama_bench, f32, threads)
        best = ["-ctk", "f32", "-ctv", "f32", "-fa", "0"]
        if takes_f32_cache(arguments.llama_bench, f32):
            # Of decoding; prefill is slower with them.
            runs["llama f32, best settings"] = lambda: {
                "decode": llama("llama f32, best settings", arguments.llama_bench, f32, threads, *best)["decode"]}
        else:
            print("this llama-bench has no -ctk f32: the rows of its best settings are left out", file=sys.stderr)
        f16 = arguments.gguf / f"{size}-f16.gguf"
        runs["llama f16"] = lambda: llama("llama f16", arguments.llama_bench, f16, threads)
    if arguments.minimind:
        runs["PyTorch"] = lambda: minimind(arguments.python, arguments.minimind, size, threads)
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mm-native", required=True)
    parser.add_argument("--llama-bench")
    parser.add_argument("--gguf", type=pathlib.Path, help="folder that make_gguf.py filled")
    parser.add_argument("--python", default=sys.executable, help="a Python with PyTorch and transformers")
    parser.add_argument("--minimind", help="folder that holds model/model_minimind.py")
    parser.add_argument("--sizes", default="lab,minimind-3")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    if arguments.llama_bench and not arguments.gguf:
        parser.error("--llama-bench needs --gguf")

    missed = 0
    for size in arguments.sizes.split(","):
        for threads in map(int, arguments.threads.split(",")):
            runs = contestants(arguments, size, threads)
            values = {name: collections.defaultdict(list) for name in runs}
            for _ in range(arguments.rounds):
                for name, once in runs.items():
                    for what, value in once().items():
                        values[name][what].append(value)
            print(f"\n{size}, {threads} thread{'s' if threads > 1 else ''}, medians of {arguments.rounds} rounds")
            mine = {what: statistics.median(v) for what, v in values["ours"].items()}
            print(f"  ours: {KERNELS['ours']}")
            for what, value in mine.items():
                print(f"  {what:28} {value:12.5g}")
            for name in list(runs)[1:]:
                print(f"  beside {name}: {KERNELS[name]}")
                for what, list_ in values[name].items():
                    theirs = statistics.median(list_)
                    for own in (what, what + " f16"):
                        if own not in mine:
                            continue
                        faster = mine[own] / theirs if what in ("prefill", "decode") else theirs / mine[own]
                        goal = GOALS.get((size, own, name))
                        verdict = "" if goal is None else f"  goal {goal}: {'met' if faster >= goal else 'MISSED'}"
                        missed += goal is not None and faster < goal
                        print(f"    {own:26} {theirs:12.5g}   ours is {faster:.2f} times as fast{verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
