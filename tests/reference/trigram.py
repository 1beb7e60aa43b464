"""A trigram model with interpolated Kneser-Ney smoothing: what counting alone makes of the same corpus.

It predicts the same ids in the same packed rows as the neural model, so the two losses can be compared.
"""

import math
from collections import Counter, defaultdict

DISCOUNT = 0.75


class Trigram:
    def __init__(self, rows, vocab_size):
        """rows: lists of ids. Counts of the highest order are occurrences, of lower orders distinct left neighbours."""
        self.vocab_size = vocab_size
        self.three = Counter()
        for row in rows:
            self.three.update(zip(row, row[1:], row[2:]))
        self.two = Counter((b, c) for _, b, c in self.three)
        self.one = Counter(c for _, c in self.two)
        self.after_two = self._totals(self.three, lambda key: key[:2])
        self.after_one = self._totals(self.two, lambda key: key[0])
        self.kinds = sum(self.one.values())

    @staticmethod
    def _totals(counts, context):
        """context -> [sum of counts, number of different continuations]"""
        totals = defaultdict(lambda: [0, 0])
        for key, count in counts.items():
            entry = totals[context(key)]
            entry[0] += count
            entry[1] += 1
        return dict(totals)

    @staticmethod
    def _discounted(count, totals, lower):
        if totals is None:
            return lower
        total, kinds = totals
        return max(count - DISCOUNT, 0) / total + DISCOUNT * kinds / total * lower

    def probability(self, a, b, c):
        uniform = 1 / self.vocab_size
        unigram = self._discounted(self.one[c], (self.kinds, len(self.one)), uniform)
        bigram = self._discounted(self.two[b, c], self.after_one.get(b), unigram)
        return self._discounted(self.three[a, b, c], self.after_two.get((a, b)), bigram)

    def loss(self, rows):
        """Mean nats a token, predicting every id but the first of each row; the second sees the first twice."""
        total = count = 0
        for row in rows:
            for a, b, c in zip([row[0]] + row, row, row[1:]):
                total -= math.log(self.probability(a, b, c))
                count += 1
        return total / count
