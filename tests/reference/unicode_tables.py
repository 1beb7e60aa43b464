#!/usr/bin/env python3
"""Writes core/text/unicode_tables.inc and huggingface/normalization_tables.inc by asking the reference library about every code point.

The library takes its Unicode data from several places (Oniguruma for regular expressions, the regex crate for
added tokens, Rust's standard library for digits and lower case, an older normalisation crate), each of its own
Unicode version. Being equal to it means taking the answers from it rather than from a Unicode release.

    pip install tokenizers==0.23.2
    python3 tests/reference/unicode_tables.py            # writes the files
    python3 tests/reference/unicode_tables.py --check    # fails if they differ
"""
import sys
from pathlib import Path

from tokenizers import Regex, normalizers, pre_tokenizers

OUT = Path(__file__).resolve().parents[2] / "core" / "text"
CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn".split()
ALTERNATING = len(CATEGORIES)  # Lu, Ll, Lu, Ll, …: one run instead of many
CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
TEXT = "".join(map(chr, CODE_POINTS))
HANGUL = range(0xAC00, 0xD7A4)


def pieces(pre_tokenizer):
    return [CODE_POINTS[a:b] for _, (a, b) in pre_tokenizer.pre_tokenize_str(TEXT)]


def matched(pattern):
    split = pre_tokenizers.Split(Regex(f"(?:{pattern})+"), "removed", invert=True)
    return {c for piece in pieces(split) for c in piece}


def runs(values):
    out = []
    for value in sorted(values):
        if out and out[-1][1] + 1 == value:
            out[-1][1] = value
        else:
            out.append([value, value])
    return out


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


def categories():
    """Runs over 0 … 0x10FFFF: byte = category | length << 5, length 0 = a varint follows."""
    table = [CATEGORIES.index("Cs")] * 0x110000
    for index, name in enumerate(CATEGORIES):
        for c in matched(r"\p{%s}" % name):
            table[c] = index
    lu, ll = CATEGORIES.index("Lu"), CATEGORIES.index("Ll")
    out = bytearray()
    i = 0
    while i < 0x110000:
        j = i
        while j < 0x110000 and table[j] == (lu, ll)[(j - i) % 2]:
            j += 1
        category = ALTERNATING
        if j - i < 4:
            category = table[i]
            j = i
            while j < 0x110000 and table[j] == category:
                j += 1
        length = j - i
        out += bytes([category | length << 5]) if length < 8 else bytes([category]) + varint(length)
        i = j
    return out, table


def check_derived(table):
    """What core/text/unicode.cpp derives from the categories by rule, held against the library."""
    of = lambda *names: {c for c in CODE_POINTS if CATEGORIES[table[c]].startswith(names)}
    word = of("L", "M", "Nd", "Nl", "Pc") | {0x200C, 0x200D}
    for first, last in ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189)):
        word |= set(range(first, last + 1))
    rust_word = pre_tokenizers.Whitespace()
    found = {c for piece in pieces(rust_word) for c in piece
             if len(rust_word.pre_tokenize_str("a" + chr(c))) == 1}
    assert found == word
    assert matched(r"\w") == word - {0x200C, 0x200D} | {0xB2, 0xB3, 0xB9, 0xBC, 0xBD, 0xBE}
    assert matched(r"\d") == of("Nd")
    space = of("Z") | set(range(9, 14)) | {0x85}
    assert matched(r"\s") == space
    assert {c for piece in pieces(pre_tokenizers.WhitespaceSplit()) for c in piece} == set(CODE_POINTS) - space
    digits = pre_tokenizers.Digits(individual_digits=False)
    numeric = {c for piece in pieces(digits) for c in piece if len(digits.pre_tokenize_str("a" + chr(piece[0]))) == 2}
    assert numeric == of("N") | set(range(0x11DE0, 0x11DEA)) | set(range(0x16FF4, 0x16FF7))
    for group in "LMNPSZC":
        assert matched(r"\p{%s}" % group) == of(group)


def punctuation(table):
    """Where the Punctuation pre-tokenizer's class differs from \\p{P} and ASCII punctuation."""
    split = pre_tokenizers.Punctuation(behavior="removed")
    found = set(CODE_POINTS) - {c for piece in pieces(split) for c in piece}
    usual = {c for c in CODE_POINTS if CATEGORIES[table[c]][0] == "P"} | set(map(ord, "$+<=>^`|~"))
    out, previous = bytearray(), 0
    for first, last in runs(found ^ usual):
        out += varint(first - previous) + varint(last - first)
        previous = last
    return out


def normalisation():
    nfd, nfkd, nfc = (getattr(normalizers, n)().normalize_str for n in ("NFD", "NFKD", "NFC"))
    canonical, compatible = {}, {}
    for c in CODE_POINTS:
        if c in HANGUL:
            continue
        if nfd(chr(c)) != chr(c):
            canonical[c] = nfd(chr(c))
        if nfkd(chr(c)) != chr(c):
            compatible[c] = nfkd(chr(c))

    # Four streams, because alike numbers compress better side by side. steps: delta of the code point. kinds: 1 = a pair
    # that composes again (its first part may decompose further), else 2·length, + 1 if compatibility only. firsts: the
    # mapping's first code point as a zigzag delta to the entry before. others: the second of a pair as a delta to the
    # pair before; of the rest each code point as a delta to its neighbour.
    steps, kinds, firsts, others = bytearray(), bytearray(), bytearray(), bytearray()
    previous = previous_first = previous_second = 0
    for c in sorted(set(canonical) | set(compatible)):
        steps += varint(c - previous)
        previous = c
        if c in canonical and nfc(chr(c)) == chr(c):
            mapping = nfc(canonical[c][:-1]) + canonical[c][-1]
            assert len(mapping) == 2 and nfc(mapping) == chr(c)
            kinds += varint(1)
            others += zigzag(ord(mapping[1]) - previous_second)
            previous_second = ord(mapping[1])
        else:
            mapping = canonical.get(c) or compatible[c]
            kinds += varint(2 * len(mapping) + (c not in canonical))
            for a, b in zip(mapping, mapping[1:]):
                others += zigzag(ord(b) - ord(a))
        if c in canonical:
            assert compatible.get(c, chr(c)) == "".join(compatible.get(ord(d), d) for d in canonical[c])
        firsts += zigzag(ord(mapping[0]) - previous_first)
        previous_first = ord(mapping[0])

    # Combining classes, by how the library orders two marks: which of (a, b) changes places.
    swaps = lambda a, b: a != b and nfd("x" + chr(a) + chr(b))[1:] == chr(b) + chr(a)
    overlay, last = 0x334, 0x345  # classes 1 and 240
    marks = [c for c in CODE_POINTS if c not in canonical and c not in HANGUL
             and (c in (overlay, last) or swaps(last, c) or swaps(c, overlay))]
    # Only the order matters: the classes are numbered 1, 2, … in that order.
    representatives = []
    for c in marks:
        if not any(not swaps(c, r) and not swaps(r, c) for r in representatives):
            representatives.append(c)
    order = sorted(representatives, key=lambda c: sum(swaps(c, r) for r in representatives))
    classes = {}
    for c in marks:
        classes[c] = 1 + next(i for i, r in enumerate(order) if c == r or not swaps(c, r) and not swaps(r, c))
    marks_out, previous = bytearray(), 0
    values = sorted(classes)
    i = 0
    while i < len(values):
        j = i
        while j + 1 < len(values) and values[j + 1] == values[j] + 1 and classes[values[j + 1]] == classes[values[i]]:
            j += 1
        marks_out += varint(values[i] - previous) + varint(values[j] - values[i]) + varint(classes[values[i]])
        previous = values[j]
        i = j + 1
    return steps, kinds, firsts, others, marks_out


def lower_case():
    """Runs (delta, count, stride, zigzag shift); U+0130, the only one that becomes two, is not in the table."""
    lower = normalizers.Lowercase().normalize_str
    shift = {c: ord(lower(chr(c))) - c for c in CODE_POINTS if c != 0x130 and lower(chr(c)) != chr(c)}
    assert lower("\u0130") == "i\u0307"
    out, previous, todo = bytearray(), 0, sorted(shift)
    while todo:
        first = todo[0]
        best = max((([c for c in takewhile_stride(first, stride, shift)], stride) for stride in (1, 2)),
                   key=lambda item: len(item[0]))
        taken, stride = best
        out += varint(first - previous) + varint(len(taken)) + varint(stride) + zigzag(shift[first])
        previous = first
        gone = set(taken)
        todo = [c for c in todo if c not in gone]
    return out


def takewhile_stride(first, stride, shift):
    c = first
    while shift.get(c) == shift[first]:
        yield c
        c += stride


def array(name, comment, data):
    lines, line = [], "   "
    for byte in data:
        piece = f" {byte},"
        if len(line) + len(piece) > 110:
            lines.append(line)
            line = "   "
        line += piece
    lines.append(line)
    return f"// {comment}\nconstexpr std::uint8_t {name}[] = {{\n" + "\n".join(lines) + "\n};\n"


HEAD = "// Written by tests/reference/unicode_tables.py; the forms are described there. Not for editing.\n// clang-format off\n"


def main():
    category_runs, table = categories()
    check_derived(table)
    steps, kinds, firsts, others, marks = normalisation()
    files = {
        "unicode_tables.inc": HEAD
        + array("kCategoryRuns", "General categories of all code points (Unicode 16.0).", category_runs)
        + array("kPunctuationDifferences", "Punctuation pre-tokenizer against \\p{P} and ASCII.", punctuation(table))
        + array("kLowerCase", "Lower case (Unicode 17.0).", lower_case()),
        "huggingface/normalization_tables.inc": HEAD
        + array("kDecompositionSteps", "Decompositions (Unicode 9.0): code points, as deltas.", steps)
        + array("kDecompositionKinds", "Decompositions: kinds.", kinds)
        + array("kDecompositionFirsts", "Decompositions: first code points.", firsts)
        + array("kDecompositionOthers", "Decompositions: the other code points.", others)
        + array("kCombiningClasses", "Combining classes, renumbered in order (Unicode 9.0).", marks),
    }
    for name, text in files.items():
        if "--check" not in sys.argv:
            (OUT / name).write_text(text)
        elif (OUT / name).read_text() != text:
            sys.exit(f"{name} differs from the library's data")


if __name__ == "__main__":
    main()
