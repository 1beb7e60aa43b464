"""Expected values for the demo model, computed by MiniMind's own code.

    python3 golden_demo.py MINIMIND_CHECKOUT MODEL_DIR GOLDEN_DIR

MINIMIND_CHECKOUT holds model/model_minimind.py (github.com/jingyaogong/minimind); it is imported, never copied. Its
import of `transformers` is satisfied by the stand-ins below, which hold no arithmetic. Weights are float16 in the
files and widened to float32; attention is MiniMind's explicit path, as in PyTorch before 2.0. The random stream is
that of a PyTorch without MKL, such as Debian's 1.13, which this script insists on. GOLDEN_DIR/README.md explains the result.
"""

import argparse
import hashlib
import importlib.util
import json
import re
import sys
import types
from pathlib import Path

import torch
from torch import nn

from data import BOS, EOS, chat_prompt, load_tokenizer, read_jsonl
from questions import LAB_QUESTION

NEW_TOKENS, ANSWER_TOKENS, ANSWERS = 64, 24, 30


def stand_in_for_transformers():
    class PretrainedConfig:
        def __init__(self, **kwargs):
            vars(self).update(kwargs)

    class PreTrainedModel(nn.Module):
        def __init__(self, config):
            super().__init__()

        def post_init(self):
            pass

    class GenerationMixin:
        pass

    modules = {
        "transformers": dict(PretrainedConfig=PretrainedConfig, PreTrainedModel=PreTrainedModel,
                             GenerationMixin=GenerationMixin),
        "transformers.activations": dict(ACT2FN={"silu": nn.functional.silu}),
        "transformers.modeling_outputs": dict(MoeCausalLMOutputWithPast=types.SimpleNamespace),
    }
    for name, content in modules.items():
        module = types.ModuleType(name)
        vars(module).update(content)
        sys.modules[name] = module


def import_minimind(checkout):
    stand_in_for_transformers()
    spec = importlib.util.spec_from_file_location("model_minimind", checkout / "model" / "model_minimind.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(minimind, path):
    state = {name: tensor.float() for name, tensor in torch.load(path, map_location="cpu").items()}
    vocab_size, hidden_size = state["model.embed_tokens.weight"].shape
    head_dim = state["model.layers.0.self_attn.q_norm.weight"].numel()
    config = minimind.MiniMindConfig(
        hidden_size=hidden_size,
        num_hidden_layers=1 + max(int(name.split(".")[2]) for name in state if name.startswith("model.layers.")),
        vocab_size=vocab_size,
        num_attention_heads=state["model.layers.0.self_attn.q_proj.weight"].shape[0] // head_dim,
        num_key_value_heads=state["model.layers.0.self_attn.k_proj.weight"].shape[0] // head_dim,
        head_dim=head_dim,
        intermediate_size=state["model.layers.0.mlp.gate_proj.weight"].shape[0],
        flash_attn=False,
    )
    model = minimind.MiniMindForCausalLM(config)
    model.load_state_dict(state, strict=True)
    return model.eval()


class FedTokens:
    """Counts the ids that enter `forward`, and keeps the last position's logits of every step."""

    def __init__(self, model):
        self.model, self.count, self.logits = model, 0, []

    def __enter__(self):
        inner = type(self.model).forward

        def forward(input_ids, *args, **kwargs):
            self.count += input_ids.shape[1]
            output = inner(self.model, input_ids, *args, **kwargs)
            self.logits.append(output.logits[:, -1].clone())
            return output

        self.model.forward = forward
        return self

    def __exit__(self, *_):
        del self.model.forward


def greedy_step(model, prompt, use_cache):
    with FedTokens(model) as fed:
        out = model.generate(torch.tensor([prompt]), max_new_tokens=NEW_TOKENS, do_sample=False, top_k=0, top_p=1.0,
                             eos_token_id=None, use_cache=use_cache)
    best = torch.cat(fed.logits).topk(2).values
    return out[0, len(prompt):].tolist(), fed.count, float((best[:, 0] - best[:, 1]).min()), fed.logits[0][0]


def survivors(logits, p):
    """How many tokens MiniMind's top-p rule leaves, and how near a cumulative probability comes to p."""
    cumulative = torch.cumsum(torch.softmax(logits.sort(descending=True).values, dim=-1), dim=-1)
    kept = 1 + int((cumulative[:-1] <= p).sum())
    return kept, float((cumulative - p).abs().min())


def top_p(model, tokenizer, text):
    ids = [BOS] + tokenizer.encode(text).ids
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0, -1]
    counts = {str(p): survivors(logits, p) for p in (0.5, 0.9, 0.99)}
    return {"text": text, "ids": ids, "survivors": {p: kept for p, (kept, _) in counts.items()},
            "boundary_gap": {p: gap for p, (_, gap) in counts.items()}}, logits


def sampled(model, prompt, temperature):
    """generate() with seed 0, and the same draws made by hand to learn how close the closest one was."""
    torch.manual_seed(0)
    with FedTokens(model) as fed:
        out = model.generate(torch.tensor([prompt]), max_new_tokens=ANSWER_TOKENS, temperature=temperature,
                             do_sample=True, top_k=0, top_p=1.0, eos_token_id=EOS, num_return_sequences=ANSWERS)
    rows = out[:, len(prompt):]
    torch.manual_seed(0)
    finished = torch.zeros(ANSWERS, dtype=torch.bool)
    margin = float("inf")
    for step, logits in enumerate(fed.logits):
        probabilities = torch.softmax(logits / temperature, dim=-1)
        race = (probabilities / torch.empty_like(probabilities).exponential_()).topk(2, dim=-1)
        drawn = torch.where(finished, torch.full((ANSWERS,), EOS), race.indices[:, 0])
        if not torch.equal(drawn, rows[:, step]):
            raise SystemExit("this PyTorch draws otherwise than by one exponential race a row")
        gaps = (race.values[:, 0] / race.values[:, 1]).log()
        margin = min(margin, float(gaps[~finished].min()))
        finished |= drawn == EOS
    return rows.tolist(), margin


def answers(model, tokenizer, prompt):
    results = {}
    for temperature in (0.3, 1.0, 1.5):
        rows, margin = sampled(model, prompt, temperature)
        cut = [row[: row.index(EOS)] if EOS in row else row for row in rows]
        texts = [tokenizer.decode(row, skip_special_tokens=False) for row in cut]
        results[str(temperature)] = {"distinct": len(set(texts)), "min_margin": margin, "rows": rows}
    return results


def cache_size(model, vocab_size):
    ids = torch.randint(3, vocab_size, (1, 100), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        past = model(ids, use_cache=True).past_key_values
    return {"ids": ids[0].tolist(), "k_shape": list(past[0][0].shape),
            "measured_bytes": sum(t.numel() * t.element_size() for pair in past for t in pair)}


def write_logits(path, logits):
    path.write_bytes(logits.detach().numpy().astype("<f4").tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("minimind", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    if torch.backends.mkl.is_available() or not torch.__version__.startswith("1.13"):
        raise SystemExit(f"wants a PyTorch 1.13 without MKL, this is {torch.__version__}")
    torch.set_num_threads(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    minimind = import_minimind(arguments.minimind)
    tokenizer = load_tokenizer(arguments.models / "tokenizer.json")
    files = ("pretrain.pth", "sft.pth", "tokenizer.json", "pretrain_val.jsonl")
    pretrained, chat = (load(minimind, arguments.models / name) for name in files[:2])

    documents = [row["text"] for row in read_jsonl(arguments.models / files[3])[:6]]
    prompt = [BOS] + tokenizer.encode(" ".join(documents), add_special_tokens=False).ids[:200]
    with_cache, fed_with, gap, first_logits = greedy_step(pretrained, prompt, True)
    without_cache, fed_without, _, _ = greedy_step(pretrained, prompt, False)
    broad, broad_logits = top_p(pretrained, tokenizer, "민수는")
    sharp, sharp_logits = top_p(pretrained, tokenizer, "마을의 특산물은")
    question = tokenizer.encode(chat_prompt(LAB_QUESTION)).ids
    with torch.no_grad():
        chat_logits = chat(torch.tensor([question])).logits[0, -1]
        reply = chat.generate(torch.tensor([question]), max_new_tokens=ANSWER_TOKENS, do_sample=False, top_k=0,
                              top_p=1.0, eos_token_id=EOS)[0, len(question):].tolist()

    write_logits(arguments.out / "pretrain_logits.bin", torch.stack([first_logits, broad_logits, sharp_logits]))
    write_logits(arguments.out / "sft_logits.bin", chat_logits[None])
    result = {
        "made_with": {"torch": torch.__version__, "sha256": {
            name: hashlib.sha256((arguments.models / name).read_bytes()).hexdigest() for name in files}},
        "vocab_size": tokenizer.get_vocab_size(),
        "same": {"prompt": prompt, "ids": with_cache, "same_ids": with_cache == without_cache, "min_gap": gap},
        "count": {"fed_with_cache": fed_with, "fed_without_cache": fed_without},
        "kvbytes": cache_size(pretrained, tokenizer.get_vocab_size()),
        "topp": [broad, sharp],
        "chat": {"question": LAB_QUESTION, "prompt": question, "greedy": reply,
                 "greedy_text": tokenizer.decode(reply, skip_special_tokens=True)},
        "temp": answers(chat, tokenizer, question),
    }
    text = json.dumps(result, ensure_ascii=False, indent=1)
    text = re.sub(r"\[\s+([-\d,\s]+?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]) + "]", text)  # ids on one line
    (arguments.out / "demo.json").write_text(text + "\n", encoding="utf-8")
    print({t: (r["distinct"], r["min_margin"]) for t, r in result["temp"].items()}, gap, broad["survivors"])


if __name__ == "__main__":
    main()
