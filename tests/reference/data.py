"""Texts to ids: packed rows of documents for pretraining, question and answer rows for the chat model."""

import json
import random
from array import array

import torch
from tokenizers import Tokenizer

PAD, BOS, EOS = 0, 1, 2
IGNORE = -100  # what cross_entropy leaves out


def read_jsonl(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def load_tokenizer(path):
    return Tokenizer.from_file(str(path))


def chat_prompt(question):
    """The lab's chat form, up to where the answer begins."""
    return f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"


class Documents:
    """Documents as ids, and rows made of them: bos, a document, a space and the next, ... cut at the row's length.

    The pre-tokenizer never joins a word to the one before a space, so the ids of a joined text are the ids of its parts.
    """

    def __init__(self, path, tokenizer):
        texts = [row["text"] for row in read_jsonl(path)]
        # 16-bit arrays: lists of Python's integers would take half a gigabyte.
        self.first = [array("H", tokenizer.encode(text).ids) for text in texts]
        self.later = [array("H", tokenizer.encode(" " + text).ids) for text in texts]

    def rows(self, order, length):
        """Yields lists of exactly `length` ids; what is left over at the end is dropped."""
        row = None
        for index in order:
            row = array("H", [BOS]) + self.first[index] if row is None else row + self.later[index]
            if len(row) >= length:
                yield row[:length].tolist()
                row = None

    def batches(self, source, length, rows):
        """Yields int64 [rows, length] for ever, the documents in a new order each time round."""
        batch = []
        while True:
            order = list(range(len(self.first)))
            source.shuffle(order)
            for row in self.rows(order, length):
                batch.append(row)
                if len(batch) == rows:
                    yield torch.tensor(batch)
                    batch = []


class Dialogues:
    """Questions with several right answers; the usual one is drawn most often."""

    def __init__(self, path, tokenizer, usual_share):
        self.usual_share = usual_share
        self.items = []
        for row in read_jsonl(path):
            prompt = tokenizer.encode(chat_prompt(row["question"])).ids
            answers = [tokenizer.encode(answer + "<|im_end|>\n").ids for answer in row["answers"]]
            self.items.append((prompt, answers))

    def draw(self, source, answers):
        if len(answers) == 1 or source.random() < self.usual_share:
            return answers[0]
        return source.choice(answers[1:])

    def batches(self, source, rows):
        """Yields (ids, labels) for one epoch, int64 [rows, longest]; labels cover the answer only."""
        order = list(range(len(self.items)))
        source.shuffle(order)
        for start in range(0, len(order) - rows + 1, rows):
            chosen = []
            for index in order[start : start + rows]:
                prompt, answers = self.items[index]
                chosen.append((prompt, self.draw(source, answers)))
            longest = max(len(prompt) + len(answer) for prompt, answer in chosen)
            ids = torch.full((rows, longest), PAD)
            labels = torch.full((rows, longest), IGNORE)
            for row, (prompt, answer) in enumerate(chosen):
                end = len(prompt) + len(answer)
                ids[row, :end] = torch.tensor(prompt + answer)
                labels[row, len(prompt) : end] = torch.tensor(answer)
            yield ids, labels


def generator(seed):
    return random.Random(seed)
