#!/usr/bin/env python3
"""A submission for the demo model as a student makes it, with PyTorch and MiniMind's own generate and no part of
mm-native: tests/golden/demo/pytorch, which the grader must find right in every point.

    python3 student.py --minimind DIR [--out DIR]

Steps 1 to 3 are core/lab/cache.py as it is handed out; the rest is written plainly here. Needs what
make_lab_goldens.py needs.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from tokenizers import Tokenizer

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "web" / "models" / "demo"
CACHE_PY = ROOT / "core" / "lab" / "cache.py"


def load_cache_py():
    spec = importlib.util.spec_from_file_location("cache", CACHE_PY)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def steps_1_to_3(minimind, out):
    with tempfile.TemporaryDirectory() as folder:
        ref = Path(folder)
        for place, names in (("ref", ("pretrain.pth", "sft.pth", "tokenizer.json")), ("data", ("pretrain_val.jsonl",))):
            (ref / place).mkdir()
            for name in names:
                (ref / place / name).symlink_to(DEMO / name)
        command = [sys.executable, CACHE_PY, "--ref", ref, "--minimind", minimind, "--out", out]
        subprocess.run(command, check=True)


def kv_bytes(model, sizes):
    ids = torch.randint(3, sizes["vocab_size"], (1, 100), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        past = model(ids, use_cache=True).past_key_values
    return {"tokens": 100,
            "measured_bytes": sum(t.numel() * t.element_size() for layer in past for t in layer),
            "formula_bytes": 2 * sizes["num_hidden_layers"] * 100 * sizes["num_key_value_heads"] * sizes["head_dim"] * 4,
            "k_shape": list(past[0][0].shape)}


def temperatures(model, tokenizer):
    text = "<|im_start|>user\n가람 마을의 특산물은 뭐야?<|im_end|>\n<|im_start|>assistant\n"
    prompt = torch.tensor([tokenizer.encode(text, add_special_tokens=False).ids])
    found = {}
    for temperature in (0.3, 1.0, 1.5):
        torch.manual_seed(0)
        rows = model.generate(prompt, do_sample=True, temperature=temperature, top_k=0, top_p=1.0, max_new_tokens=24,
                              num_return_sequences=30, eos_token_id=2)[:, prompt.shape[1]:].tolist()
        answers = {tokenizer.decode(row[:row.index(2)] if 2 in row else row, skip_special_tokens=False)
                   for row in rows}
        found[str(temperature)] = {"distinct": len(answers)}
    return found


def survivors(model, tokenizer):
    ids = torch.tensor([[1] + tokenizer.encode("민수는", add_special_tokens=False).ids])
    with torch.no_grad():
        probabilities = torch.softmax(model(ids).logits[0, -1], -1)
    ordered, _ = torch.sort(probabilities, descending=True)
    found = {}
    for p in (0.5, 0.9, 0.99):
        cut = torch.cumsum(ordered, -1) > p
        cut[1:], cut[0] = cut[:-1].clone(), False
        found[str(p)] = int((~cut).sum())
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minimind", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=ROOT / "tests" / "golden" / "demo" / "pytorch")
    options = parser.parse_args()
    out = options.out
    out.mkdir(parents=True, exist_ok=True)
    steps_1_to_3(options.minimind, out)

    cache = load_cache_py()
    _, minimind = cache.import_minimind(options.minimind)
    tokenizer = Tokenizer.from_file(str(DEMO / "tokenizer.json"))
    pretrain, sizes = cache.load_model(torch, minimind, DEMO / "pretrain.pth")
    sft, _ = cache.load_model(torch, minimind, DEMO / "sft.pth")
    files = {"kvbytes.json": kv_bytes(pretrain, sizes), "temp.json": temperatures(sft, tokenizer),
             "topp.json": survivors(pretrain, tokenizer)}
    for name, content in files.items():
        (out / name).write_text(json.dumps(content, indent=2), encoding="utf-8")

    speedup = json.loads((out / "time.json").read_text(encoding="utf-8"))["speedup"]
    (out / "report.md").write_text(f"""# 나의 보고

## KV 캐시
캐시를 켜면 {speedup}배 빨랐습니다. 캐시는 {files["kvbytes.json"]["measured_bytes"]} 바이트입니다.

## 온도
{files["temp.json"]}

## top-p
{files["topp.json"]}
""", encoding="utf-8")


if __name__ == "__main__":
    main()
