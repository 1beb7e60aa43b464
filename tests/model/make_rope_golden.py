"""Writes tests/golden/model/rope_frequencies.json: MiniMind's rotary frequencies as PyTorch computes them.

Run with a Python that has PyTorch; the file in the repository came from 1.13 on x86-64 (AVX2). Frequencies are
uint32 bit patterns of float32, one list a head_dim: plain, and after MiniMind's YaRN with its own constants
(32768 positions) and with other ones ("yarn_other").
"""

import json
import math
import pathlib
import struct

import torch

HEAD_DIMS = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 28, 32, 36, 40, 48, 56, 64, 72, 80, 96, 112, 128, 160, 192, 256]
THETAS = [1e4, 5e5, 1e6]
OTHER = {"beta_fast": 7.5, "beta_slow": 0.3, "factor": 3.7, "original": 300, "positions": 5000}


def plain(dim, theta):
    return 1.0 / (theta ** (torch.arange(0, dim, 2)[: dim // 2].float() / dim))


def yarn(dim, theta, beta_fast=32, beta_slow=1, factor=16, original=2048, positions=32768):
    assert positions > original

    def turning(beta):
        return dim * math.log(original / (beta * 2 * math.pi)) / (2 * math.log(theta))

    low = max(math.floor(turning(beta_fast)), 0)
    high = min(math.ceil(turning(beta_slow)), dim // 2 - 1)
    ramp = torch.clamp((torch.arange(dim // 2).float() - low) / max(high - low, 0.001), 0, 1)
    return plain(dim, theta) * (1 - ramp + ramp / factor)


def bits(tensor):
    return [struct.unpack("<I", struct.pack("<f", value))[0] for value in tensor.tolist()]


torch.set_num_threads(1)
entries = [
    {
        "head_dim": dim,
        "rope_theta": theta,
        "plain": bits(plain(dim, theta)),
        "yarn": bits(yarn(dim, theta)),
        "yarn_other": bits(yarn(dim, theta, **OTHER)),
    }
    for theta in THETAS
    for dim in HEAD_DIMS
]
target = pathlib.Path(__file__).parent.parent / "golden" / "model" / "rope_frequencies.json"
lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)
target.write_text(
    '{"torch":"%s","other":%s,"entries":[\n%s\n]}\n' % (torch.__version__, json.dumps(OTHER), lines)
)
