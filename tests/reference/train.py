"""Trains the two checkpoints.

    python3 train.py DATA_DIR OUT_DIR [--tokens N]

DATA_DIR holds tokenizer.json and the files of corpus.py and questions.py. Writes OUT_DIR/pretrain.pth and sft.pth (float16
state dicts) and training.jsonl, one line an evaluation: stage, step, tokens seen, training and validation loss.
Everything random is seeded: the same PyTorch on the same kind of processor makes the same bytes.
"""

import argparse
import json
import math
import time
from pathlib import Path

import torch
from torch.nn import functional as F

import workers
from data import IGNORE, Dialogues, Documents, generator, load_tokenizer
from model import Config, LanguageModel, load, save_half

SEED = 20240919
TOKENS = 6_000_000
# Most of the training sees short rows, which cost less; the last part has the length the lab needs.
SHORT, LONG, SHORT_SHARE = (128, 8), (352, 4), 0.7  # (ids, rows)
RATE = 3e-3
WARMUP, LAST_SHARE = 0.04, 0.02
CHAT_EPOCHS, CHAT_ROWS = 10, 32
CHAT_RATE = 1e-3
USUAL_SHARE = 0.75
SMOOTHING = 0.02  # label smoothing of the chat stage: leaves every token a little probability, as big models do


def optimizer_of(model):
    """AdamW; the norms' weights do not decay."""
    matrices = [p for p in model.parameters() if p.dim() == 2]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=0.0, betas=(0.9, 0.95))


def schedule(progress):
    """Share of the peak rate: linear warm-up, then a cosine down to LAST_SHARE."""
    if progress < WARMUP:
        return progress / WARMUP
    wave = 0.5 * (1 + math.cos(math.pi * (progress - WARMUP) / (1 - WARMUP)))
    return LAST_SHARE + (1 - LAST_SHARE) * wave


def update(team, model, optimizer, loss, rate):
    """One step on the mean gradient of the team; returns the mean loss."""
    optimizer.zero_grad()
    loss.backward()
    value = team.average_gradients(model.parameters(), loss)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.step()
    return value


def next_token_loss(model, ids):
    return F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())


@torch.no_grad()
def validation_loss(model, documents, length=LONG[0]):
    """Mean nats a token over the held-out documents, in order, in rows of `length` ids."""
    rows = torch.tensor(list(documents.rows(range(len(documents.first)), length)))
    losses = [next_token_loss(model, part) for part in rows.split(8)]
    sizes = [len(part) for part in rows.split(8)]
    return float(sum(loss * size for loss, size in zip(losses, sizes)) / sum(sizes))


def pretrain(team, model, train, held_out, tokens, log):
    optimizer = optimizer_of(model)
    source = generator(SEED)
    seen, step, recent = 0, 0, []
    for (length, rows), until in ((SHORT, SHORT_SHARE * tokens), (LONG, tokens)):
        for ids in train.batches(source, length, rows):
            loss = next_token_loss(model, team.mine(ids))
            recent.append(update(team, model, optimizer, loss, RATE * schedule(seen / tokens)))
            seen += ids.numel()
            step += 1
            if (step % 200 == 0 or seen >= tokens) and team.rank == 0:
                log(stage="pretrain", step=step, tokens=seen, train=sum(recent) / len(recent),
                    held_out=validation_loss(model, held_out, length))
                recent = []
            if seen >= until:
                break


def chat_loss(model, ids, labels, smoothing=0.0):
    return F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), labels[:, 1:].flatten(), ignore_index=IGNORE,
                           label_smoothing=smoothing)


@torch.no_grad()
def chat_validation(model, dialogues):
    """Mean nats a token of answers to held-out wordings, each answer drawn as in training."""
    losses = [float(chat_loss(model, ids, labels)) for ids, labels in dialogues.batches(generator(SEED), 59)]
    return sum(losses) / len(losses)


def fine_tune(team, model, train, held_out, log):
    optimizer = optimizer_of(model)
    source = generator(SEED + 1)
    total = CHAT_EPOCHS * (len(train.items) // CHAT_ROWS)
    step = 0
    for _ in range(CHAT_EPOCHS):
        recent = []
        for ids, labels in train.batches(source, CHAT_ROWS):
            loss = chat_loss(model, team.mine(ids), team.mine(labels), SMOOTHING)
            recent.append(update(team, model, optimizer, loss, CHAT_RATE * schedule(step / total)))
            step += 1
        if team.rank == 0:
            log(stage="sft", step=step, tokens=None, train=sum(recent) / len(recent),
                held_out=chat_validation(model, held_out))


@torch.no_grad()
def round_to_half(model):
    """What the file keeps: the chat stage begins from the shipped weights, whether read back or still in memory."""
    for parameter in model.parameters():
        parameter.copy_(parameter.half())


def work(team, arguments):
    """What each of the two processes does; the first writes the files."""
    torch.manual_seed(SEED)
    tokenizer = load_tokenizer(arguments.data / "tokenizer.json")
    started = time.monotonic()

    def log(**values):
        line = json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()})
        with open(arguments.out / "training.jsonl", "a", encoding="utf-8") as file:
            file.write(line + "\n")
        print(f"{time.monotonic() - started:6.0f} s {line}", flush=True)

    model = LanguageModel(Config(vocab_size=tokenizer.get_vocab_size()))
    if arguments.sft_only:
        model = load(arguments.out / "pretrain.pth").train()
    else:
        train = Documents(arguments.data / "pretrain_train.jsonl", tokenizer)
        held_out = Documents(arguments.data / "pretrain_val.jsonl", tokenizer)
        pretrain(team, model, train, held_out, arguments.tokens, log)
        if team.rank == 0:
            save_half(model, arguments.out / "pretrain.pth")
        round_to_half(model)
    dialogues = [Dialogues(arguments.data / f"sft_{part}.jsonl", tokenizer, USUAL_SHARE) for part in ("train", "held_out")]
    fine_tune(team, model, *dialogues, log)
    if team.rank == 0:
        save_half(model, arguments.out / "sft.pth")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tokens", type=int, default=TOKENS, help="ids to pretrain on")
    parser.add_argument("--sft-only", action="store_true", help="start from OUT_DIR/pretrain.pth")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    curves = arguments.out / "training.jsonl"
    kept = [line for line in curves.read_text().splitlines(True) if '"pretrain"' in line] if arguments.sft_only else []
    curves.write_text("".join(kept))
    vocab_size = load_tokenizer(arguments.data / "tokenizer.json").get_vocab_size()
    size = sum(p.numel() for p in LanguageModel(Config(vocab_size=vocab_size)).parameters())
    print(f"{size} parameters", flush=True)
    workers.run(work, size, arguments)


if __name__ == "__main__":
    main()
