#!/usr/bin/env python3
"""Makes the goldens of the lab's steps with MiniMind's own generate.

    python3 make_lab_goldens.py --minimind DIR

Needs PyTorch without MKL (the stream the project calls "torch"), transformers or what MiniMind imports of it, and
the tokenizers package. Reads tests/golden/lab/ref/tokenizer.json and writes into that folder:

    ref/pretrain.pth, ref/sft.pth   two small random models, float16 (weights large enough for uneven distributions)
    data/pretrain_val.jsonl         a few short documents
    expected.json                   what the lab's rules give: artifacts, the answers of step 5, sharp counts

Margins of every decision are asserted, so that float32 noise cannot change a result.
"""

import argparse
import importlib.util
import json
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "lab"
CACHE_PY = ROOT / "core" / "lab" / "cache.py"
DOCUMENTS = [
    "가람 마을은 강가에 있는 작은 마을이다. 마을의 특산물은 감이다.",
    "민수는 아침마다 강가를 걷는다. 강가에는 오래된 나무가 서 있다.",
    "영희는 시장에서 감을 판다. 감은 가을에 익는다. 값은 해마다 다르다.",
    "마을 학교는 언덕 위에 있다. 아이들은 걸어서 학교에 가고, 오후 3시에 돌아온다.",
    "겨울이 오면 강이 언다. 사람들은 얼음 위에서 팽이를 친다.",
    "봄에는 꽃이 피고 벌이 난다. 마을의 꿀은 달다. 여름에는 비가 잦아 강물이 붇는다.",
    "일곱째 문서는 쓰이지 않는다.",
]


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_model(minimind, path, seed, hidden, layers, heads, kv_heads, head_dim, sharpness, depth):
    torch.manual_seed(seed)
    config = minimind.MiniMindConfig(
        vocab_size=1000, hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads,
        num_key_value_heads=kv_heads, head_dim=head_dim, intermediate_size=2 * hidden, dropout=0.0)
    model = minimind.MiniMindForCausalLM(config).half()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 2:
                scale = sharpness if "embed" in name else depth
                weight.copy_((torch.randn(weight.shape) * scale / weight.shape[1] ** 0.5).half())
            else:
                weight.copy_((1 + 0.1 * torch.randn(weight.shape)).half())
    torch.save(model.state_dict(), path, _use_new_zipfile_serialization=True)


def checked_multinomial(probs, num_samples):
    """torch.multinomial, after looking at how close the race between the first two was."""
    state = torch.get_rng_state()
    first, second = (probs / torch.empty_like(probs).exponential_()).topk(2).values.log().unbind(-1)
    assert (first - second).min() > 2e-5, "a draw is too close"
    torch.set_rng_state(state)
    return multinomial(probs, num_samples=num_samples)


multinomial, torch.multinomial = torch.multinomial, checked_multinomial


def answers(model, prompt, decode, temperature):
    torch.manual_seed(0)
    rows = model.generate(prompt, do_sample=True, temperature=temperature, top_k=0, top_p=1.0, max_new_tokens=24,
                          num_return_sequences=30, eos_token_id=2)[:, prompt.shape[1]:].tolist()
    return [decode(row[:row.index(2)] if 2 in row else row) for row in rows]


def survivors(logits, p):
    """MiniMind's top-p rule, counted."""
    ordered, _ = torch.sort(logits, descending=True)
    cumulative = torch.cumsum(torch.softmax(ordered, dim=-1), dim=-1)
    gap = (cumulative - p).abs().min().item()
    assert gap > 5e-6, f"a cumulative probability is only {gap} from p"
    return 1 + int((cumulative[:-1] <= p).sum())  # a token stays while what came before it has not exceeded p


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minimind", type=Path, required=True)
    options = parser.parse_args()
    cache = load("cache", CACHE_PY)
    minimind = cache.import_minimind(options.minimind)[1]
    for folder in ("ref", "data"):
        (GOLDEN / folder).mkdir(exist_ok=True)
    make_model(minimind, GOLDEN / "ref/pretrain.pth", 32, 48, 3, 4, 2, 16, 1.0, 1.6)
    make_model(minimind, GOLDEN / "ref/sft.pth", 22, 32, 2, 4, 1, 12, 1.8, 1.0)
    (GOLDEN / "data/pretrain_val.jsonl").write_text(
        "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in DOCUMENTS), encoding="utf-8")

    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(str(GOLDEN / "ref/tokenizer.json"))
    encode = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
    decode = lambda ids: tokenizer.decode(ids, skip_special_tokens=False)
    pretrain, sizes = cache.load_model(torch, minimind, GOLDEN / "ref/pretrain.pth")
    sft, _ = cache.load_model(torch, minimind, GOLDEN / "ref/sft.pth")

    texts = cache.read_documents(GOLDEN / "data/pretrain_val.jsonl")
    prompt = torch.tensor([[cache.BOS] + encode(" ".join(texts))[:cache.PROMPT_IDS]])
    same, count = cache.compare_and_count(pretrain, prompt)
    whole = torch.cat([prompt, torch.tensor([same["ids"]])], dim=1)
    with torch.no_grad():
        best = pretrain(whole).logits[0, prompt.shape[1] - 1:-1].topk(2).values
    assert (best[:, 0] - best[:, 1]).min() > 1e-3, "a greedy decision is too close"

    ids = torch.randint(3, sizes["vocab_size"], (1, 100), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        cached = pretrain(ids, use_cache=True).past_key_values
    kv = {"tokens": 100,
          "measured_bytes": sum(t.numel() * t.element_size() for pair in cached for t in pair),
          "formula_bytes": 2 * sizes["num_hidden_layers"] * 100 * sizes["num_key_value_heads"]
          * sizes["head_dim"] * 4,
          "k_shape": list(cached[0][0].shape)}

    chat = f"<|im_start|>user\n{cache.QUESTION}<|im_end|>\n<|im_start|>assistant\n"
    question = torch.tensor([encode(chat)])
    by_temperature = {str(t): answers(sft, question, decode, t) for t in (0.3, 1.0, 1.5)}
    temp = {t: {"distinct": len(set(texts))} for t, texts in by_temperature.items()}

    counts = {}
    for text in ("민수는", "마을의 특산물은"):
        with torch.no_grad():
            logits = pretrain(torch.tensor([[cache.BOS] + encode(text)])).logits[0, -1]
        counts[text] = {str(p): survivors(logits, p) for p in (0.5, 0.9, 0.99)}

    files = {"same.json": same, "count.json": count, "kvbytes.json": kv, "temp.json": temp,
             "topp.json": counts["민수는"]}
    expected = {
        "torch_version": torch.__version__,
        "artifacts": {name: json.dumps(content) + "\n" for name, content in files.items()},
        "answers": by_temperature,
        "sharp": counts["마을의 특산물은"],
    }
    (GOLDEN / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")
    print(same["prompt_len"], temp, counts, kv)


if __name__ == "__main__":
    main()
