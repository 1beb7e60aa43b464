"""Trains the byte-level BPE tokenizer on the training documents and questions.

    python3 train_tokenizer.py DATA_DIR OUT_FILE

The file is Hugging Face's tokenizer.json. Ids 0, 1, 2 are the special tokens, then the 256 bytes, then merges. The
vocabulary is kept small on purpose: a rare syllable stays two or three byte tokens, so a model that leaves its
path visibly breaks characters. Merges are written as "a b", which every release of tokenizers reads; those before 0.20
do not know the pairs that later ones write.
"""

import argparse
import json
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

VOCAB_SIZE = 1800
QUESTION_WEIGHT = 5
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def texts(data):
    with open(data / "pretrain_train.jsonl", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)["text"]
    with open(data / "sft_train.jsonl", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            for _ in range(QUESTION_WEIGHT):  # so that question words become tokens too
                yield "user\n" + row["question"]
            for answer in row["answers"]:
                yield "assistant\n" + answer


def write_merges_as_strings(path):
    file = json.loads(path.read_text(encoding="utf-8"))
    merges = file["model"]["merges"]
    # In the byte alphabet a space is "Ġ", so a piece that holds one would be some other kind of tokenizer.
    assert all(" " not in piece for pair in merges for piece in pair)
    file["model"]["merges"] = [" ".join(pair) for pair in merges]
    path.write_text(json.dumps(file, ensure_ascii=False, indent=2), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        special_tokens=SPECIAL,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts(arguments.data), trainer)
    tokenizer.save(str(arguments.out))
    write_merges_as_strings(arguments.out)
    sizes = [len(tokenizer.encode(text).ids) for text in texts(arguments.data)]
    print(f"{tokenizer.get_vocab_size()} tokens; {sum(sizes)} ids in the training texts")


if __name__ == "__main__":
    main()
