#!/usr/bin/env python3
"""Makes mistakes.json in tests/golden/lab and tests/golden/demo: what the usual mistakes give, with MiniMind's own
generate on the goldens of make_lab_goldens.py and on the demo model.

    python3 make_lab_mistakes.py --minimind DIR [lab|demo ...]

Needs what make_lab_goldens.py needs. A grader that recognises a mistake by its numbers is tested with these.
"""

import argparse
import importlib.util
import json
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
REFERENCES = {"lab": (GOLDEN / "lab" / "ref", GOLDEN / "lab" / "data"),
              "demo": (ROOT / "web" / "models" / "demo", ROOT / "web" / "models" / "demo")}


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def greedy(model, ids):
    prompt = torch.tensor([ids])
    return model.generate(prompt, max_new_tokens=64, do_sample=False, top_k=0, top_p=1.0,
                          eos_token_id=None)[0, len(ids):].tolist()


def distinct(model, prompt, decode, reseed=True, **sampling):
    counts = []
    torch.manual_seed(0)
    for temperature in (0.3, 1.0, 1.5):
        if reseed:
            torch.manual_seed(0)
        rows = model.generate(prompt, do_sample=True, temperature=temperature, max_new_tokens=24,
                              num_return_sequences=30, eos_token_id=2, **sampling)[:, prompt.shape[1]:].tolist()
        counts.append(len({decode(row[:row.index(2)] if 2 in row else row) for row in rows}))
    return counts


def survivors(model, ids, temperature=1.0, top_k=0):
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0, -1] / temperature
    if top_k:
        logits = logits.topk(top_k).values
    ordered, _ = torch.sort(logits, descending=True)
    cumulative = torch.cumsum(torch.softmax(ordered, dim=-1), dim=-1)
    counts = []
    for p in (0.5, 0.9, 0.99):
        mask = cumulative > p
        mask[1:], mask[0] = mask[:-1].clone(), False
        counts.append(int((~mask).sum()))
    return counts


def make(minimind_place, name):
    models, data = REFERENCES[name]
    cache = load("cache", ROOT / "core" / "lab" / "cache.py")
    minimind = cache.import_minimind(minimind_place)[1]
    pretrain, _ = cache.load_model(torch, minimind, models / "pretrain.pth")
    sft, _ = cache.load_model(torch, minimind, models / "sft.pth")
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(str(models / "tokenizer.json"))
    encode = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
    decode = lambda ids: tokenizer.decode(ids, skip_special_tokens=False)
    bos = cache.BOS
    texts = cache.read_documents(data / "pretrain_val.jsonl")
    joined = {separator: encode(separator.join(texts))[:200] for separator in (" ", "", "\n")}
    question = torch.tensor([encode(f"<|im_start|>user\n{cache.QUESTION}<|im_end|>\n<|im_start|>assistant\n")])
    broad = encode("민수는")
    mistakes = {
        "ids": {
            "ids.no_bos": greedy(pretrain, joined[" "]),
            "ids.bos_inside": greedy(pretrain, [bos] + joined[" "][:199]),
            "ids.no_space": greedy(pretrain, [bos] + joined[""]),
            "ids.newline": greedy(pretrain, [bos] + joined["\n"]),
            "ids.sft_model": greedy(sft, [bos] + joined[" "]),
        },
        "distinct": {
            "temp.top_k": distinct(sft, question, decode, top_k=50, top_p=1.0),
            "temp.top_p": distinct(sft, question, decode, top_k=0, top_p=0.85),
            "temp.defaults": distinct(sft, question, decode),
            "temp.not_reseeded": distinct(sft, question, decode, reseed=False, top_k=0, top_p=1.0),
            "temp.pretrain_model": distinct(pretrain, question, decode, top_k=0, top_p=1.0),
        },
        "survivors": {
            "topp.no_bos": survivors(pretrain, broad),
            "topp.sft_model": survivors(sft, [bos] + broad),
            "topp.sharp_text": survivors(pretrain, [bos] + encode("마을의 특산물은")),
            "topp.temperature": survivors(pretrain, [bos] + broad, temperature=0.85),
            "topp.top_k": survivors(pretrain, [bos] + broad, top_k=50),
        },
    }
    (GOLDEN / name / "mistakes.json").write_text(json.dumps(mistakes) + "\n", encoding="utf-8")
    print(name, json.dumps(mistakes))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minimind", type=Path, required=True)
    parser.add_argument("references", nargs="*", default=list(REFERENCES))
    options = parser.parse_args()
    for name in options.references:
        make(options.minimind, name)


if __name__ == "__main__":
    main()
