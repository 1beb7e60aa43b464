"""Writes MODEL_CARD.md from what was measured, so that the card never says a number nobody saw.

    python3 write_card.py MODEL_DIR      reads measured.json and training.jsonl there
"""

import argparse
import json
from pathlib import Path

import corpus
import questions
import train

CARD = """# The demo model: 가람 마을

Two checkpoints of a very small Korean language model, made for this project so that the lab can be done, read and tested
without the official files. It knows one invented village and nothing else.

| file | what |
|---|---|
| `pretrain.pth` | next-token model of the documents, float16 state dict, {pretrain_bytes:,} bytes |
| `sft.pth` | the same after training on questions and answers, {sft_bytes:,} bytes |
| `tokenizer.json` | byte-level BPE in Hugging Face's form, {vocab_size:,} entries; ids 0, 1, 2 are `<|endoftext|>`, `<|im_start|>` (bos), `<|im_end|>` (eos) |
| `pretrain_val.jsonl` | {held_out_documents} held-out documents, one `{{"text": ...}}` a line |
| `measured.json`, `training.jsonl`, `learning_curves.png` | the measurements behind this card |

**Licence**: Apache-2.0, data, weights and code alike. All text was written for this project.

## Architecture
MiniMind-3: RMSNorm (eps 1e-6), grouped-query attention with RMSNorm on queries and keys, rotary positions (theta 1e6),
SwiGLU. {layers} layers, hidden size {hidden}, {heads} query heads, {kv_heads} key/value heads, head size {head_dim},
feed-forward {ff}. {parameters:,} different parameters; `lm_head.weight` and `model.embed_tokens.weight` share one
storage. MiniMind's own code loads both files with `strict=True`. Everything is computed in float32 from the float16 weights, and every
number here was measured on the saved files.

## Data
- **Documents**: {train_documents:,} short texts of 3 to 8 sentences, no two the same, about the village, its people,
  seasons, trades and small events. A seeded generator writes them from a hand-written grammar (`tests/reference/grammar`):
  stories that follow a scene with one cast, and descriptions that tell facts. Particles follow the final consonant, elders get honorific verbs, and the facts
  never contradict each other: the speciality is 곶감, everywhere.
- **Questions**: {asked} questions about those facts in {wordings:,} wordings; {held_out_wordings} wordings are held out,
  some of them whole ways of asking, the rest other endings of a known way.

## Training
Own PyTorch code (`tests/reference/train.py`), Debian's PyTorch 1.13, seeds fixed. Pretraining: {tokens:,} tokens, rows that begin with bos and
hold documents joined by one space, {short} ids long at first and {long} ids in the last {long_share:.0%}; AdamW, peak
rate {rate}. Chat: {epochs} epochs, loss on the answers only, label smoothing {smoothing}.
Final losses in nats a token: pretraining {pretrain_train:.3f} (training), {pretrain_held_out:.3f} (held out); chat {chat_train:.3f}
(training, smoothed), {chat_held_out:.3f} (held-out wordings).

![learning curves](learning_curves.png)

## Behaviour measured
By `tests/reference/measure.py` (PyTorch, float32), on the shipped files. `mm-native lab` gives the same numbers for the lab's steps.

| what | measured | wanted |
|---|---|---|
| held-out loss, nats a token | {loss:.3f} (perplexity {perplexity:.2f}) | well below the trigram model |
| trigram model, Kneser-Ney, same tokens | {trigram_loss:.3f} (perplexity {trigram_perplexity:.2f}) | |
| `민수는`, survivors at 0.5 / 0.9 / 0.99 | {broad} | at least 2 / 6 / 24 |
| `마을의 특산물은`, survivors at 0.5 / 0.9 / 0.99 | {sharp} | 1 or 2 at 0.5 |
| lab step 1: different ids among 64 | {different_ids} | at least 25 |
| lab step 1: smallest gap between best and second logit | {gap:.4f} | at least 0.001 |
| lab step 5: different answers of 30 at 0.3 / 1.0 / 1.5 | {distinct} | at most 10 / more / at least 27 |
| lab step 5: answers with broken characters at 1.5 | {broken} | some |
| held-out wordings answered word for word right and ended | {right} of {count} ({share:.1%}) | at least 90 % |
| longest answer to a held-out wording, with its end | {longest} tokens | at most 24 |

The lab's question, greedy: {lab_question} → {lab_answer}

Answers to it at temperature 0.3: {cold}

At 1.0: {warm}

At 1.5: {hot}

After `민수는` the likeliest tokens are {broad_top}. After `마을의 특산물은`: {sharp_top}.

## Ten samples
From nothing but bos, temperature 0.8, seeds 0 to 9 in order, none left out; each cut after its fourth sentence.

{samples}

## Limits
- It is a teaching model. It knows nothing outside the village and never says so: asked something else, it answers with
  some fact of the village.
- It was trained on texts of up to {long} ids; what it writes far beyond that is untested.
- Sentences come out whole, but a story may forget who was doing what.
- The wrong answers to held-out wordings nearly all belong to whole ways of asking that were held out ({wrong}). A free
  question in other words than the grammar's is often answered wrongly.
- The people are invented. Nothing here describes a real place.

## Make it again
`bash tests/reference/make_demo.sh` (see `tests/reference/README.md`).
"""


def visible(text):
    """Line ends and control characters as escapes, so that broken answers don't break the page."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text.strip())


def quote(texts):
    return " · ".join(f"`{visible(text)}`" for text in texts)


def top(position):
    return ", ".join(f"`{token.strip()}` {share:.2f}" for token, share in position["top"][:6])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path)
    folder = parser.parse_args().models
    m = json.loads((folder / "measured.json").read_text(encoding="utf-8"))
    lines = [json.loads(line) for line in (folder / "training.jsonl").read_text(encoding="utf-8").splitlines()]
    last = {stage: [line for line in lines if line["stage"] == stage][-1] for stage in ("pretrain", "sft")}
    trained, held_out = questions.question_sets()
    temperature = m["temperature"]
    survivors = lambda position: " / ".join(str(n) for n in position["survivors"].values())
    card = CARD.format(
        **m["shape"],
        pretrain_bytes=m["bytes"]["pretrain.pth"], sft_bytes=m["bytes"]["sft.pth"], parameters=m["parameters"],
        held_out_documents=corpus.HELD_OUT_DOCUMENTS, train_documents=corpus.TRAIN_DOCUMENTS,
        asked=len({fact for fact, _, _ in trained}), wordings=len(trained) + len(held_out),
        held_out_wordings=len(held_out), tokens=last["pretrain"]["tokens"], short=train.SHORT[0], long=train.LONG[0],
        long_share=1 - train.SHORT_SHARE, rate=train.RATE, epochs=train.CHAT_EPOCHS, smoothing=train.SMOOTHING,
        pretrain_train=last["pretrain"]["train"], pretrain_held_out=last["pretrain"]["held_out"],
        chat_train=last["sft"]["train"], chat_held_out=last["sft"]["held_out"],
        loss=m["loss"], perplexity=m["perplexity"], trigram_loss=m["trigram_loss"],
        trigram_perplexity=m["trigram_perplexity"], broad=survivors(m["broad"]), sharp=survivors(m["sharp"]),
        different_ids=m["lab"]["different_ids"], gap=m["lab"]["smallest_gap"],
        distinct=" / ".join(str(t["distinct"]) for t in temperature.values()), broken=temperature["1.5"]["broken"],
        right=m["held_out"]["right"], count=m["held_out"]["count"],
        share=m["held_out"]["right"] / m["held_out"]["count"], longest=m["held_out"]["longest"],
        wrong=quote(dict.fromkeys(question for question, _ in m["held_out"]["wrong"][::9])), lab_question=m["lab_question"]["question"], lab_answer=m["lab_question"]["answer"],
        cold=quote(temperature["0.3"]["examples"][:4]), warm=quote(temperature["1.0"]["examples"][:5]),
        hot=quote(temperature["1.5"]["examples"][:5]), broad_top=top(m["broad"]), sharp_top=top(m["sharp"]),
        samples="\n".join(f"{number}. {text}" for number, text in enumerate(m["samples"], 1)),
    )
    (folder / "MODEL_CARD.md").write_text(card, encoding="utf-8")


if __name__ == "__main__":
    main()
