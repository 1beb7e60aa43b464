"""What the experiments of the "why" section give in PyTorch: attention, K and V, changed caches, usual bugs.

    /usr/bin/python3 tests/reference/why.py tests/golden/model/cases web/models/demo tests/golden/why

A forward of MiniMind's formula (dense, mixture of experts, with and without q/k norm, YaRN) of its own, so that
each experiment is a few lines here. It is compared first with the logits that MiniMind's own code gave
(tests/golden/model). Attention, K and V are recorded from float32; the experiments from float64, where rounding
cannot tip the choice of a token (K and V in float16 and 8-bit are rounded as torch rounds them).
"""

import json
import math
import sys
from pathlib import Path

import torch

NEW_TOKENS = 24


class Forward:
    """MiniMind's formula over a checkpoint's tensors. `cache` is a list of (k, v), each [S, G, K]."""

    def __init__(self, tensors, config, dtype):
        self.c = config
        self.dtype = dtype
        self.w = {name: tensor.to(dtype) for name, tensor in tensors.items()}
        embedding = self.w["model.embed_tokens.weight"]
        self.layers = config["num_hidden_layers"]
        self.heads = config["num_attention_heads"]
        self.groups = config["num_key_value_heads"]
        self.head_dim = config.get("head_dim") or embedding.shape[1] // self.heads
        self.qk_norm = "model.layers.0.self_attn.q_norm.weight" in self.w
        self.head = self.w.get("lm_head.weight", embedding)

    def norm(self, x, name):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.c["rms_norm_eps"]) * self.w[name]

    def frequencies(self):
        c, half = self.c, torch.arange(0, self.head_dim, 2).float()
        frequency = 1.0 / (c["rope_theta"] ** (half / self.head_dim))
        scaling = c.get("rope_scaling") if c.get("inference_rope_scaling") else None
        if scaling and c["max_position_embeddings"] > scaling["original_max_position_embeddings"]:
            def dimension(turns):
                length = scaling["original_max_position_embeddings"] / (turns * 2 * math.pi)
                return self.head_dim * math.log(length) / (2 * math.log(c["rope_theta"]))
            low = max(math.floor(dimension(scaling["beta_fast"])), 0)
            high = min(math.ceil(dimension(scaling["beta_slow"])), self.head_dim // 2 - 1)
            ramp = ((torch.arange(self.head_dim // 2).float() - low) / max(high - low, 0.001)).clamp(0, 1)
            frequency = frequency * (1 - ramp + ramp / scaling["factor"])
        return frequency

    def rotate(self, x, first):
        """x [T, heads, K]; pairs are (i, i + K/2). The angle is float32 as in MiniMind."""
        positions = torch.arange(first, first + x.shape[0]).float()
        angle = torch.outer(positions, self.frequencies()).to(self.dtype)[:, None, :]
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], dim=-1)

    def split(self, x, norm):
        x = x.view(x.shape[0], -1, self.head_dim)
        return self.norm(x, norm) if norm and self.qk_norm else x

    def gated(self, x, prefix):
        w = self.w
        gate = x @ w[prefix + "gate_proj.weight"].T
        return (gate * torch.sigmoid(gate) * (x @ w[prefix + "up_proj.weight"].T)) @ w[prefix + "down_proj.weight"].T

    def mixture(self, x, prefix):
        c = self.c
        chosen, expert = torch.topk(torch.softmax(x @ self.w[prefix + "gate.weight"].T, -1), c["num_experts_per_tok"])
        if c["norm_topk_prob"] and (self.qk_norm or c["num_experts_per_tok"] > 1):
            chosen = chosen / (chosen.sum(-1, keepdim=True) + 1e-20)
        y = torch.zeros_like(x)
        for t in range(x.shape[0]):
            for share, e in sorted(zip(chosen[t], expert[t].tolist()), key=lambda pair: pair[1]):
                y[t] += share * self.gated(x[t], f"{prefix}experts.{e}.")
        for e in range(c.get("n_shared_experts", 0) if not self.qk_norm else 0):
            y += self.gated(x, f"{prefix}shared_experts.{e}.")
        return y

    def __call__(self, ids, cache, first=None, sees=None, store=None, watch=None):
        """Logits [T, V]; the cache grows.

        first: position of the first new token, else the cache's length · sees(from, to): the mask ·
        store(layer, k, v, k_before_rotation) -> (k, v): what enters the cache · watch(layer, weights [H, T, S])
        """
        w, start = self.w, cache[0][0].shape[0] if cache else 0
        if not cache:
            none = torch.zeros(0, self.groups, self.head_dim, dtype=self.dtype)
            cache.extend((none, none) for _ in range(self.layers))
        position = start if first is None else first
        length = start + len(ids)
        mask = torch.tensor([[(sees or (lambda a, b: b <= a))(start + t, s) for s in range(length)]
                             for t in range(len(ids))])
        x = w["model.embed_tokens.weight"][torch.tensor(ids)]
        for l in range(self.layers):
            p = f"model.layers.{l}."
            a = p + "self_attn."
            h = self.norm(x, p + "input_layernorm.weight")
            q = self.rotate(self.split(h @ w[a + "q_proj.weight"].T, a + "q_norm.weight"), position)
            before = self.split(h @ w[a + "k_proj.weight"].T, a + "k_norm.weight")
            k, v = self.rotate(before, position), self.split(h @ w[a + "v_proj.weight"].T, None)
            if store:
                k, v = store(l, k, v, before)
            cache[l] = (torch.cat([cache[l][0], k]), torch.cat([cache[l][1], v]))
            keys, values = (t.repeat_interleave(self.heads // self.groups, 1) for t in cache[l])
            scores = torch.einsum("thk,shk->hts", q, keys) / math.sqrt(self.head_dim)
            weights = torch.softmax(scores.masked_fill(~mask, -math.inf), -1)
            if watch:
                watch(l, weights)
            mixed = torch.einsum("hts,shk->thk", weights, values).reshape(len(ids), -1)
            x = x + mixed @ w[a + "o_proj.weight"].T
            h = self.norm(x, p + "post_attention_layernorm.weight")
            x = x + (self.mixture(h, p + "mlp.") if self.c["use_moe"] else self.gated(h, p + "mlp."))
        return self.norm(x, "model.norm.weight") @ self.head.T


def through_int8(x):
    """8 bits a value, one float32 scale a token and head."""
    x = x.float()
    scale = x.abs().amax(-1, keepdim=True) / 127
    return torch.where(scale > 0, (x / scale).round().clamp(-127, 127) * scale, torch.zeros_like(x))


def window(last, pinned=0):
    return {"sees": lambda a, b: b <= a and (a - b < last or b < pinned)}


def stored_as(through):
    return {"store": lambda l, k, v, before: (through(k).to(k.dtype), through(v).to(v.dtype))}


def experiments(layers):
    """Name -> how it departs: arguments of Forward, and what the loop itself does otherwise."""
    swapped = min(layers, 2) - 1
    return {
        "position-0": {"new_first": 0},
        "k-before-rotation": {"store": lambda l, k, v, before: (before, v)},
        "fed-twice": {"times": 2},
        "left-over": {"left_over": True},
        f"swapped-layer-{swapped + 1}": {"store": lambda l, k, v, before: (v, k) if l == swapped else (k, v)},
        "no-mask": {"sees": lambda a, b: True},
        "float16": stored_as(lambda x: x.half()),
        "int8": stored_as(through_int8),
        "window-4": window(4),
        "window-8": window(8),
        "window-16": window(16),
        "window-32": window(32),
        "window-8-pinned-4": window(8, 4),
    }


def generate(forward, prompt, left_over, new_first=None, times=1, left=False, **options):
    """Greedy, with a cache: new ids, and the logits that chose each."""
    cache, ids, logits = [], [], []
    if left:
        forward(left_over, cache, **options)
    feed, first = list(prompt), None
    for _ in range(NEW_TOKENS):
        row = forward(feed, cache, first=first, **options)[-1]
        logits.append(row)
        ids.append(int(row.argmax()))
        feed, first = [ids[-1]] * times, new_first
    return ids, logits


def compare(control, run):
    first = next((i for i in range(NEW_TOKENS) if control[0][i] != run[0][i]), None)
    steps = NEW_TOKENS if first is None else first + 1
    largest = max(float((a - b).abs().max()) for a, b in zip(control[1][:steps], run[1][:steps]))
    return {"first_difference": None if first is None else first + 1, "largest_difference": largest, "ids": run[0]}


def without_mask(forward, prompt, ids):
    """K and V stored when tokens came against those of the whole text at once, every token seeing all there are."""
    everything = lambda a, b: True
    stored, again = [], []
    row = forward(prompt, stored, sees=everything)[-1]
    for token in ids[len(prompt):]:
        row = forward([token], stored, sees=everything)[-1]
    at_once = forward(ids, again, sees=everything)[-1]
    return {
        "largest_logit_difference": float((row - at_once).abs().max()),
        "layers": [[float((a[i] - b[i]).abs().max()) for i in (0, 1)] for a, b in zip(stored, again)],
    }


def short(tensor):
    return [[float(f"{x:.7g}") for x in row] for row in tensor.tolist()]


def record(tensors, config, prompt, left_over):
    exact, single = (Forward(tensors, config, dtype) for dtype in (torch.float64, torch.float32))
    control = generate(exact, prompt, left_over)
    text = prompt + control[0]
    found = {"prompt": prompt, "left_over": left_over, "ids_control": control[0], "experiments": {}, "attention": []}
    for name, options in experiments(exact.layers).items():
        options = dict(options)
        left = options.pop("left_over", False)
        found["experiments"][name] = compare(control, generate(exact, prompt, left_over, left=left, **options))
    found["without_mask"] = without_mask(exact, prompt, text)
    looked = text[:12]
    for layer, head in ((0, 1), (exact.layers - 1, exact.heads - 1)):
        kept, cache = {}, []
        single(looked, cache, watch=lambda l, weights: kept.update({l: weights}))
        group = head // (single.heads // single.groups)
        found["attention"].append({
            "layer": layer, "head": head, "ids": looked, "weights": short(kept[layer][head]),
            "k": short(cache[layer][0][:, group]), "v": short(cache[layer][1][:, group])})
    return found


def half_precision():
    """float32 bit patterns and the float16 ones that torch rounds them to."""
    generator = torch.Generator().manual_seed(0)
    bits = torch.randint(-2**31, 2**31, (200,), generator=generator, dtype=torch.int64).to(torch.int32)
    values = torch.cat([bits.view(torch.float32), torch.randn(100, generator=generator),
                        torch.randn(50, generator=generator) * 2e-5, torch.randn(50, generator=generator) * 6e4,
                        torch.tensor([0.0, -0.0, 65504.0, 65519.9, 65520.0, -65520.0, 2.0**-24, 2.0**-25, 2.0**-25 * 1.01,
                                      2.0**-14, 2.0**-14 * 0.9999, 1.0009765625, 1.00048828125, 1.00146484375,
                                      math.inf, -math.inf])])
    values = values[~values.isnan()]
    return [[a & 0xFFFFFFFF, b & 0xFFFF] for a, b in zip(values.view(torch.int32).tolist(),
                                                        values.half().view(torch.int16).tolist())]


def main(cases, demo, out):
    cases, out = Path(cases), Path(out)
    torch.set_num_threads(1)
    out.mkdir(parents=True, exist_ok=True)
    found = {}
    for name in ("head_dim", "moe_top2", "minimind2", "minimind2_moe", "yarn"):
        case = json.loads((cases / name / "case.json").read_text())
        tensors = torch.load(cases / name / case["checkpoint"], map_location="cpu")
        config = dict(case["config"])
        config["num_hidden_layers"] = len({k.split(".")[2] for k in tensors if k.startswith("model.layers.")})
        logits = torch.frombuffer(bytearray((cases / name / case["logits"]["file"]).read_bytes()), dtype=torch.float32)
        ours = Forward(tensors, config, torch.float64)(case["prompt"], [])
        assert float((ours.flatten() - logits).abs().max()) < 1e-4, name
        prompt = case["prompt"][:6]
        found[name] = record(tensors, config, prompt, prompt[::-1][:5])
    tensors = torch.load(Path(demo) / "pretrain.pth", map_location="cpu")
    config = {"num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32,
              "rms_norm_eps": 1e-6, "rope_theta": 1e6, "use_moe": False}
    # `민수는 강아지 보리와` and `지우는 학교에서`, each after bos.
    found["demo"] = record(tensors, config, [1, 752, 1146, 1173, 721], [1, 920, 998, 320])
    for name, values in found.items():
        lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in values.items())
        (out / f"{name}.json").write_text("{\n" + lines + "\n}\n")
    (out / "float16.json").write_text(json.dumps(half_precision()) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
