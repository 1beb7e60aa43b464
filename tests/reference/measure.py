"""Measures everything the demo model promises, on the saved files.

    python3 measure.py DATA_DIR MODEL_DIR [--out FILE]

Prints the results, writes them as JSON with --out, and ends with 1 if a promise is broken. The checks are the
acceptance list of the demo: see CHECKS.
"""

import argparse
import json
import math
import sys
from pathlib import Path

import torch

import decode
import questions
from corpus import sentences_of
from data import BOS, EOS, Documents, chat_prompt, load_tokenizer, read_jsonl
from model import load
from train import LONG, validation_loss
from trigram import Trigram

ANSWER_TOKENS = 24
CHECKS = {
    "parameters": lambda r: r["parameters"] <= 1_450_000,
    "file sizes": lambda r: max(r["bytes"].values()) <= 3 * 1024 * 1024,
    "loss well below the trigram model": lambda r: r["loss"] < 0.85 * r["trigram_loss"],
    "first six documents": lambda r: r["lab"]["prompt_ids_available"] > 230,
    "broad position": lambda r: all(r["broad"]["survivors"][p] >= n for p, n in (("0.5", 2), ("0.9", 6), ("0.99", 24))),
    "sharp position": lambda r: r["sharp"]["survivors"]["0.5"] <= 2,
    "greedy text varied": lambda r: r["lab"]["different_ids"] >= 25,
    "greedy gap": lambda r: r["lab"]["smallest_gap"] >= 1e-3,
    "lab answer right": lambda r: r["lab_question"]["right"],
    "held-out wordings": lambda r: r["held_out"]["right"] >= 0.9 * r["held_out"]["count"],
    "cold": lambda r: r["temperature"]["0.3"]["distinct"] <= 10,
    "warmer": lambda r: r["temperature"]["1.0"]["distinct"] > r["temperature"]["0.3"]["distinct"],
    "hot": lambda r: r["temperature"]["1.5"]["distinct"] >= 27 and r["temperature"]["1.5"]["broken"] >= 1,
}


def position(model, tokenizer, text):
    """The distribution after [bos] + text."""
    probabilities, ids = decode.next_distribution(model, [BOS] + tokenizer.encode(text).ids)
    return {
        "text": text,
        "survivors": {str(p): decode.survivors(probabilities, p) for p in (0.5, 0.9, 0.99)},
        "top": [[tokenizer.decode([int(i)]), round(float(p), 4)] for i, p in zip(ids[:8], probabilities[:8])],
    }


def lab_text(model, tokenizer, documents):
    """Step 1 of the lab: the first six documents, 200 ids, bos in front, 64 greedy tokens."""
    available = tokenizer.encode(" ".join(documents[:6]), add_special_tokens=False).ids
    prompt = [BOS] + available[:200]
    ids, gap = decode.greedy(model, prompt, 64)
    return {
        "prompt_ids_available": len(available),
        "different_ids": len(set(ids)),
        "smallest_gap": gap,
        "prompt_end": tokenizer.decode(prompt[-20:]),
        "text": tokenizer.decode(ids, skip_special_tokens=False),
    }


def answer(model, tokenizer, question, answers):
    """Right means: word for word one of the answers written for the question, ended within ANSWER_TOKENS."""
    ids, _ = decode.greedy(model, tokenizer.encode(chat_prompt(question)).ids, ANSWER_TOKENS, stop=EOS)
    ended = ids[-1] == EOS
    text = tokenizer.decode(ids[:-1] if ended else ids, skip_special_tokens=False)
    return {"question": question, "answer": text, "tokens": len(ids), "right": ended and text in answers}


def held_out_answers(model, tokenizer, path):
    results = [answer(model, tokenizer, row["question"], row["answers"]) for row in read_jsonl(path)]
    return {
        "count": len(results),
        "right": sum(r["right"] for r in results),
        "longest": max(r["tokens"] for r in results),
        "wrong": [[r["question"], r["answer"]] for r in results if not r["right"]],
    }


def temperatures(model, tokenizer):
    """Step 5 of the lab: 30 answers at each temperature."""
    prompt = tokenizer.encode(chat_prompt(questions.LAB_QUESTION)).ids
    results = {}
    for temperature in (0.3, 1.0, 1.5):
        rows = decode.sample(model, prompt, 30, ANSWER_TOKENS, temperature, 0)
        texts = [tokenizer.decode(row, skip_special_tokens=False) for row in rows]
        results[str(temperature)] = {
            "distinct": len(set(texts)),
            "broken": sum("\ufffd" in text for text in texts),
            "ended": sum(len(row) < ANSWER_TOKENS for row in rows),
            "examples": list(dict.fromkeys(texts))[:10],
        }
    return results


def shape(config):
    return {"vocab_size": config.vocab_size, "hidden": config.hidden_size, "layers": config.num_hidden_layers,
            "heads": config.num_attention_heads, "kv_heads": config.num_key_value_heads,
            "head_dim": config.head_dim, "ff": config.intermediate_size}


def samples(model, tokenizer, count=10):
    """Texts from nothing but bos at temperature 0.8, seeds 0, 1, ...; cut after the fourth sentence."""
    texts = []
    for seed in range(count):
        ids = decode.sample(model, [BOS], 1, 110, 0.8, seed)[0]
        texts.append(" ".join(sentences_of(tokenizer.decode(ids))[:4]))
    return texts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    tokenizer = load_tokenizer(arguments.models / "tokenizer.json")
    pretrained, chat = (load(arguments.models / name) for name in ("pretrain.pth", "sft.pth"))
    held_out_path = arguments.models / "pretrain_val.jsonl"
    held_out = Documents(held_out_path, tokenizer)
    train = Documents(arguments.data / "pretrain_train.jsonl", tokenizer)
    rows = lambda documents: list(documents.rows(range(len(documents.first)), LONG[0]))
    trigram = Trigram(rows(train), tokenizer.get_vocab_size())
    loss, trigram_loss = validation_loss(pretrained, held_out), trigram.loss(rows(held_out))
    lab_answers = next(r["answers"] for r in read_jsonl(arguments.data / "sft_train.jsonl")
                       if r["question"] == questions.LAB_QUESTION)
    result = {
        "parameters": sum(p.numel() for p in pretrained.parameters()),
        "bytes": {name: (arguments.models / name).stat().st_size for name in ("pretrain.pth", "sft.pth")},
        "shape": shape(pretrained.config),
        "loss": loss,
        "perplexity": math.exp(loss),
        "trigram_loss": trigram_loss,
        "trigram_perplexity": math.exp(trigram_loss),
        "broad": position(pretrained, tokenizer, "민수는"),
        "sharp": position(pretrained, tokenizer, "마을의 특산물은"),
        "lab": lab_text(pretrained, tokenizer, [row["text"] for row in read_jsonl(held_out_path)]),
        "lab_question": answer(chat, tokenizer, questions.LAB_QUESTION, lab_answers),
        "temperature": temperatures(chat, tokenizer),
        "held_out": held_out_answers(chat, tokenizer, arguments.data / "sft_held_out.jsonl"),
        "samples": samples(pretrained, tokenizer),
    }
    result["checks"] = {name: bool(check(result)) for name, check in CHECKS.items()}
    text = json.dumps(result, ensure_ascii=False, indent=1)
    print(text)
    if arguments.out:
        arguments.out.write_text(text + "\n", encoding="utf-8", newline="\n")
    sys.exit(0 if all(result["checks"].values()) else 1)


if __name__ == "__main__":
    main()
