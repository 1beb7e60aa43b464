"""Trains the two checkpoints.

    python3 train.py DATA_DIR OUT_DIR [--tokens N]

DATA_DIR holds tokenizer.json and the files of corpus.py and questions.py. Writes OUT_DIR/pretrain.pth and sft.pth (float16
state dicts) and training.jsonl, one line an evaluation: stage, step, tokens seen, training and validation loss.
Everything random is seeded; on one machine with the same number of threads the same bytes come out.
"""

import argparse
import copy
import json
import math
import time
from pathlib import Path

import torch
from torch.nn import functional as F

from data import IGNORE, Dialogues, Documents, generator, load_tokenizer
from model import Config, LanguageModel, save_half

SEED = 20240919
TOKENS = 6_000_000
# Most of the training sees short rows, which cost less; the last part has the length the lab needs.
SHORT, LONG, SHORT_SHARE = 128, 352, 0.7
BATCH_TOKENS = 1024
PEAK_RATE, LAST_RATE, WARMUP = 3e-3, 1e-4, 0.04
CHAT_EPOCHS, CHAT_ROWS, CHAT_RATE = 10, 32, 1e-3
USUAL_SHARE = 0.75
SMOOTHING = 0.02  # label smoothing of the chat stage: leaves every token a little probability, as big models do


def optimizer_of(model, rate):
    """AdamW; norms' weights do not decay."""
    matrices = [p for p in model.parameters() if p.dim() == 2]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.95))


def rate_at(progress, peak):
    """Linear warm-up, then a cosine down to LAST_RATE. `progress` in [0, 1]."""
    if progress < WARMUP:
        return peak * progress / WARMUP
    wave = 0.5 * (1 + math.cos(math.pi * (progress - WARMUP) / (1 - WARMUP)))
    return LAST_RATE + (peak - LAST_RATE) * wave


def update(model, optimizer, loss, rate):
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def next_token_loss(model, ids):
    return F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())


@torch.no_grad()
def validation_loss(model, documents, length=LONG):
    """Mean nats a token over the held-out documents, in order, in rows of `length` ids."""
    rows = torch.tensor(list(documents.rows(range(len(documents.first)), length)))
    losses = [next_token_loss(model, part) for part in rows.split(8)]
    sizes = [len(part) for part in rows.split(8)]
    return float(sum(loss * size for loss, size in zip(losses, sizes)) / sum(sizes))


def pretrain(model, train, held_out, tokens, log):
    optimizer = optimizer_of(model, PEAK_RATE)
    source = generator(SEED)
    seen, step, recent = 0, 0, []
    for length, until in ((SHORT, SHORT_SHARE * tokens), (LONG, tokens)):
        for ids in train.batches(source, length, BATCH_TOKENS // length):
            loss = next_token_loss(model, ids)
            update(model, optimizer, loss, rate_at(seen / tokens, PEAK_RATE))
            seen += ids.numel()
            step += 1
            recent.append(loss.item())
            if step % 200 == 0 or seen >= tokens:
                log(stage="pretrain", step=step, tokens=seen, train=sum(recent) / len(recent),
                    held_out=validation_loss(model, held_out))
                recent = []
            if seen >= until:
                break


def chat_loss(model, ids, labels, smoothing=0.0):
    return F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), labels[:, 1:].flatten(), ignore_index=IGNORE,
                           label_smoothing=smoothing)


@torch.no_grad()
def chat_validation(model, dialogues):
    """Mean nats a token of answers to held-out wordings, each answer drawn as in training."""
    losses = [float(chat_loss(model, ids, labels)) for ids, labels in dialogues.batches(generator(SEED), 41)]
    return sum(losses) / len(losses)


def fine_tune(model, train, held_out, log):
    optimizer = optimizer_of(model, CHAT_RATE)
    source = generator(SEED + 1)
    total = CHAT_EPOCHS * (len(train.items) // CHAT_ROWS)
    step = 0
    for _ in range(CHAT_EPOCHS):
        recent = []
        for ids, labels in train.batches(source, CHAT_ROWS):
            loss = chat_loss(model, ids, labels, SMOOTHING)
            update(model, optimizer, loss, rate_at(step / total, CHAT_RATE))
            step += 1
            recent.append(loss.item())
        log(stage="sft", step=step, tokens=None, train=sum(recent) / len(recent),
            held_out=chat_validation(model, held_out))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tokens", type=int, default=TOKENS, help="ids to pretrain on")
    parser.add_argument("--sft-only", action="store_true", help="start from OUT_DIR/pretrain.pth")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(SEED)
    tokenizer = load_tokenizer(arguments.data / "tokenizer.json")
    started = time.monotonic()
    with open(arguments.out / "training.jsonl", "a" if arguments.sft_only else "w", encoding="utf-8") as file:

        def log(**values):
            line = json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()})
            file.write(line + "\n")
            file.flush()
            print(f"{time.monotonic() - started:6.0f} s {line}", flush=True)

        if arguments.sft_only:
            from model import load

            model = load(arguments.out / "pretrain.pth").train()
        else:
            model = LanguageModel(Config(vocab_size=tokenizer.get_vocab_size()))
            print(sum(p.numel() for p in model.parameters()), "parameters")
            train = Documents(arguments.data / "pretrain_train.jsonl", tokenizer)
            held_out = Documents(arguments.data / "pretrain_val.jsonl", tokenizer)
            pretrain(model, train, held_out, arguments.tokens, log)
            save_half(model, arguments.out / "pretrain.pth")
        chat = copy.deepcopy(model)
        chat.lm_head.weight = chat.model.embed_tokens.weight  # deepcopy keeps the tie; said again for certainty
        fine_tune(chat, Dialogues(arguments.data / "sft_train.jsonl", tokenizer, USUAL_SHARE),
                  Dialogues(arguments.data / "sft_held_out.jsonl", tokenizer, USUAL_SHARE), log)
        save_half(chat, arguments.out / "sft.pth")


if __name__ == "__main__":
    main()
