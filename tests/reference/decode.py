"""Plain decoding for the measurements: no cache, every step computes the whole row again.

The order of MiniMind's generate (logits / temperature, softmax, one multinomial a step for all rows; finished rows are
padded with eos), so that with PyTorch's seed the same answers come out as from the lab.
"""

import torch

from data import EOS


@torch.no_grad()
def greedy(model, prompt, count, stop=None):
    """(new ids, smallest distance between the best and the second best logit over the steps)"""
    ids, gap = list(prompt), float("inf")
    for _ in range(count):
        logits = model(torch.tensor([ids]))[0, -1]
        best = logits.topk(2)
        gap = min(gap, float(best.values[0] - best.values[1]))
        ids.append(int(best.indices[0]))
        if ids[-1] == stop:
            break
    return ids[len(prompt) :], gap


@torch.no_grad()
def sample(model, prompt, rows, count, temperature, seed):
    """`rows` lists of new ids, each up to and without its eos."""
    torch.manual_seed(seed)
    ids = torch.tensor([prompt] * rows)
    finished = torch.zeros(rows, dtype=torch.bool)
    for _ in range(count):
        logits = model.lm_head(model.hidden(ids)[:, -1])
        drawn = torch.multinomial(torch.softmax(logits / temperature, dim=-1), 1).squeeze(1)
        drawn = torch.where(finished, torch.full_like(drawn, EOS), drawn)
        ids = torch.cat([ids, drawn[:, None]], dim=1)
        finished |= drawn == EOS
        if finished.all():
            break
    answers = []
    for row in ids[:, len(prompt) :].tolist():
        answers.append(row[: row.index(EOS)] if EOS in row else row)
    return answers


@torch.no_grad()
def next_distribution(model, prompt):
    """Probabilities after `prompt`, sorted downwards, and their ids."""
    order = torch.softmax(model(torch.tensor([prompt]))[0, -1], dim=-1).sort(descending=True)
    return order.values, order.indices


def survivors(probabilities, p):
    """How many stay under top-p: those before the cumulative sum has exceeded p, the one that exceeds it included."""
    cumulative = probabilities.cumsum(0)
    return int((cumulative[:-1] <= p).sum()) + 1
