"""The MiniMind-3 architecture, written for training.

A decoder of pre-norm blocks: RMSNorm, grouped-query attention with per-head RMSNorm on queries and keys and
rotary positions, then a SwiGLU feed-forward. Embedding and output head are one matrix. Parameter names are those
of MiniMind's state dict, so a file saved from here loads there with strict=True.

This file only trains and measures. Cached decoding, sampling and everything a lab step does live in `core/`.
Shapes: B rows, T tokens, D hidden, H query heads, G kv heads, K head_dim, F feed-forward, V vocabulary.
"""

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass(frozen=True)
class Config:
    """Hugging Face spelling; the values that shapes cannot tell are MiniMind's defaults."""

    vocab_size: int
    hidden_size: int = 128
    num_hidden_layers: int = 4
    num_attention_heads: int = 4
    num_key_value_heads: int = 2
    head_dim: int = 32
    intermediate_size: int = 448
    rms_norm_eps: float = 1e-6
    rope_theta: float = 1e6


class RMSNorm(nn.Module):
    """x / sqrt(mean(x^2) + eps) * weight, over the last axis."""

    def __init__(self, size, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps))


def rotary_table(config, length):
    """cos and sin of position * frequency, each [length, K]; the two halves of K hold the same angles."""
    half = torch.arange(0, config.head_dim, 2).float()[: config.head_dim // 2]
    frequency = 1.0 / (config.rope_theta ** (half / config.head_dim))
    angle = torch.outer(torch.arange(length).float(), frequency)
    angle = torch.cat([angle, angle], dim=-1)
    return angle.cos(), angle.sin()


def rotate(x, cos, sin):
    """Rotary embedding of x [B, T, heads, K]: pairs are (k, k + K/2)."""
    first, second = x.chunk(2, dim=-1)
    turned = torch.cat([-second, first], dim=-1)
    return x * cos[:, None, :] + turned * sin[:, None, :]


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        q_size = config.num_attention_heads * config.head_dim
        kv_size = config.num_key_value_heads * config.head_dim
        self.q_proj = nn.Linear(config.hidden_size, q_size, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, kv_size, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, kv_size, bias=False)
        self.o_proj = nn.Linear(q_size, config.hidden_size, bias=False)
        self.q_norm = RMSNorm(config.head_dim, config.rms_norm_eps)
        self.k_norm = RMSNorm(config.head_dim, config.rms_norm_eps)

    def forward(self, x, cos, sin, mask):
        """x [B, T, D] -> [B, T, D]; mask [T, T] is -inf above the diagonal."""
        c = self.config
        rows, length, _ = x.shape
        q = self.q_proj(x).view(rows, length, c.num_attention_heads, c.head_dim)
        k = self.k_proj(x).view(rows, length, c.num_key_value_heads, c.head_dim)
        v = self.v_proj(x).view(rows, length, c.num_key_value_heads, c.head_dim)
        q = rotate(self.q_norm(q), cos, sin)
        k = rotate(self.k_norm(k), cos, sin)
        # Query heads of one group sit beside each other and share a key head: [B, G, H/G * T, K] against [B, G, T, K].
        group = c.num_attention_heads // c.num_key_value_heads
        q = q.view(rows, length, c.num_key_value_heads, group, c.head_dim).permute(0, 2, 3, 1, 4)
        q = q.reshape(rows * c.num_key_value_heads, group * length, c.head_dim)
        k = k.transpose(1, 2).reshape(rows * c.num_key_value_heads, length, c.head_dim)
        v = v.transpose(1, 2).reshape(rows * c.num_key_value_heads, length, c.head_dim)
        score = torch.bmm(q, k.transpose(1, 2)) * (1.0 / math.sqrt(c.head_dim))
        score = score.view(-1, group, length, length) + mask
        weight = F.softmax(score, dim=-1).view(-1, group * length, length)
        out = torch.bmm(weight, v).view(rows, c.num_key_value_heads, group, length, c.head_dim)
        return self.o_proj(out.permute(0, 3, 1, 2, 4).reshape(rows, length, -1))


class FeedForward(nn.Module):
    """SwiGLU: down(silu(gate(x)) * up(x))."""

    def __init__(self, config):
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.input_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.self_attn = Attention(config)
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.mlp = FeedForward(config)

    def forward(self, x, cos, sin, mask):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, mask)
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(Block(config) for _ in range(config.num_hidden_layers))
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)


class LanguageModel(nn.Module):
    """Token ids [B, T] -> logits [B, T, V], float32."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.model = Decoder(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self._initialise()
        self.lm_head.weight = self.model.embed_tokens.weight

    def _initialise(self):
        """Normal(0, 0.02); the two projections that write into the residual stream start smaller by sqrt(2 L)."""
        shrink = 1.0 / math.sqrt(2 * self.config.num_hidden_layers)
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                residual = name.endswith(("o_proj.weight", "down_proj.weight"))
                nn.init.normal_(parameter, std=0.02 * (shrink if residual else 1.0))

    def hidden(self, ids):
        """The final normed states [B, T, D]; a caller may take the head of some positions only."""
        length = ids.shape[1]
        cos, sin = rotary_table(self.config, length)
        mask = torch.full((length, length), float("-inf")).triu(1)
        x = self.model.embed_tokens(ids)
        for layer in self.model.layers:
            x = layer(x, cos, sin, mask)
        return self.model.norm(x)

    def forward(self, ids):
        return self.lm_head(self.hidden(ids))


def save_half(model, path):
    """Writes the state dict as float16. Head and embedding stay one storage, so the file holds the matrix once."""
    state = {name: tensor.detach().half() for name, tensor in model.state_dict().items()}
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    torch.save(state, path)


def load(path):
    """The model of a saved file, its float16 weights widened to float32: exactly what every program runs."""
    state = {name: tensor.float() for name, tensor in torch.load(path, map_location="cpu").items()}
    vocab_size, hidden_size = state["model.embed_tokens.weight"].shape
    head_dim = state["model.layers.0.self_attn.q_norm.weight"].numel()
    config = Config(
        vocab_size=vocab_size,
        hidden_size=hidden_size,
        num_hidden_layers=1 + max(int(name.split(".")[2]) for name in state if name.startswith("model.layers.")),
        num_attention_heads=state["model.layers.0.self_attn.q_proj.weight"].shape[0] // head_dim,
        num_key_value_heads=state["model.layers.0.self_attn.k_proj.weight"].shape[0] // head_dim,
        head_dim=head_dim,
        intermediate_size=state["model.layers.0.mlp.gate_proj.weight"].shape[0],
    )
    model = LanguageModel(config)
    model.load_state_dict(state, strict=True)
    return model.eval()
