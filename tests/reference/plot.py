"""Draws the learning curves of training.jsonl.

    python3 plot.py TRAINING_JSONL MEASURED_JSON OUT_PNG
"""

import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (the backend is chosen first)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("training", "measured", "out"):
        parser.add_argument(name, type=Path)
    arguments = parser.parse_args()
    lines = [json.loads(line) for line in arguments.training.read_text(encoding="utf-8").splitlines()]
    trigram = json.loads(arguments.measured.read_text(encoding="utf-8"))["trigram_loss"]
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.4), constrained_layout=True)
    for axis, stage, unit in ((axes[0], "pretrain", "million tokens"), (axes[1], "sft", "steps")):
        points = [line for line in lines if line["stage"] == stage]
        across = [p["tokens"] / 1e6 if stage == "pretrain" else p["step"] for p in points]
        axis.plot(across, [p["train"] for p in points], label="training", color="#8a8a8a", linewidth=1)
        axis.plot(across, [p["held_out"] for p in points], label="held out", color="#c2570c", linewidth=1.6)
        axis.set(title=stage, xlabel=unit, ylabel="loss, nats a token")
        axis.grid(alpha=0.25)
    axes[0].axhline(trigram, color="#2f6f8f", linestyle="--", linewidth=1, label="trigram model, held out")
    axes[0].set_ylim(0, 4)
    for axis in axes:
        axis.legend(frameon=False)
    figure.savefig(arguments.out, dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main()
