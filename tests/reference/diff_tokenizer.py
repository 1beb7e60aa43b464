#!/usr/bin/env python3
"""Compares tokenize_driver with the reference library on random texts, tokenizer by tokenizer.

    pip install tokenizers==0.23.2
    python3 tests/reference/diff_tokenizer.py build/native/tests/text/tokenize_driver [FILE.json …]
        [--texts N] [--seed S] [--only NAME]

Without files: the goldens' tokenizers and variants made here from them. Two kinds of vocabulary make differences
visible: one whose merges were trained across all borders, and one ("ends") without merges in which the last byte of
every word has an id of its own, so that each single border shows. Prints what differs; exit status 1 if anything does.
"""
import argparse
import copy
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "tokenizer" / "tokenizers"

ATOMS = (
    [" ", "  ", "   ", "\n", "\r\n", "\n\n", "\t", "\u3000", "\u00a0", "\u0085", "\u2028", "\x0b", "\x1c", "\u200b", "\ufeff"]
    + list("abcxyzABCXYZ0123456789'\"!?.,;:-_/\\()[]{}<>|@#$%^&*+=~`")
    + ["'s", "'t", "'re", "'VE", "'Ll", "'d", "'\u017f", "'S", "can't", "hello", " world", "don't", " I'm", "HTTPServer", "x1y2"]
    + ["가", "각", "힣", "마을", "의 ", "특산물은", "\u1100\u1161", "\u1100\u1161\u11a8", "\u1161", "\u11a8", "ㄱ", "ㅏ", "뷁"]
    + ["é", "e\u0301", "\u0301", "ñ", "Å", "\u212b", "ﬁ", "ß", "İ", "I\u0307", "Σ", "ς", "ǅ", "Ⅳ", "²", "½", "٣", "१२", "１２", "Ａ"]
    + ["漢字", "日本", "ひらがな", "カタカナ", "ー", "中", "、", "。", "「", "\uf900", "\ufa10"]
    + ["😀", "👨\u200d👩\u200d👧", "👍🏽", "🇰🇷", "❤\ufe0f", "\U0001f9d1\u200d\U0001f4bb", "①", "Ⓐ", "™", "€", "₩", "∑", "→"]
    + ["א", "ب", "ابن", "ไทย", "हिन्दी", "க", "\u0345", "\u0f73", "\u0f71\u0f72", "\u0315\u0300\u05ae", "\u0334", "\u1d15e", "\u0958"]
    + ["\x00", "\x01", "\x7f", "\x80", "\xad", "\ue000", "\ufffd", "\uffff", "\U0010ffff", "\U000e0001", "\u0378", "\U0001e900"]
    + ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>", "<think>!", "[마을]", "[단어]", "<ㅎ ㅎ>", "<é>", "<|x|>",
       "<|x|><|x|>", "{마을}", "café", "cafe\u0301", "<|im_", "start|>", "<a>", "<b>", "<ab>", "word", "WORD"]
)


def random_text(rng):
    parts = []
    for _ in range(rng.choice((0, 1, 2, 3, 5, 8, 13, 21, 40))):
        kind = rng.random()
        if kind < 0.80:
            parts.append(rng.choice(ATOMS) * rng.choice((1, 1, 1, 1, 2, 3)))
        elif kind < 0.90:
            block = rng.choice(((0, 0x250), (0x300, 0x370), (0x1100, 0x1200), (0xAC00, 0xD7B0), (0x2000, 0x2C00), (0x3000, 0x3400)))
            parts.append(chr(rng.randrange(*block)))
        else:
            c = rng.randrange(0x110000)
            parts.append("" if 0xD800 <= c < 0xE000 else chr(c))
    return "".join(parts)


class Driver:
    def __init__(self, program, path):
        self.process = subprocess.Popen([program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        encoding="utf-8")

    def ask(self, requests):
        # One by one: neither side's pipe can fill up while the other waits.
        for request in requests:
            try:
                self.process.stdin.write(json.dumps(request) + "\n")
                self.process.stdin.flush()
            except BrokenPipeError:
                pass
            line = self.process.stdout.readline()
            answer = json.loads(line) if line else {"error": "the driver has ended"}
            yield answer
            if not line:
                return

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()


def guarded(action):
    """(value, None), or (None, error): the library may also panic, which is no Exception."""
    try:
        return action(), None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, str(error)


def compare(program, name, document, texts, rng, allow_refusal):
    """Number of differences, and what happened in a word."""
    text = json.dumps(document)
    reference, load_error = guarded(lambda: Tokenizer.from_str(text))
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        driver = Driver(program, file.name)
        first = list(driver.ask([""]))[0]
        if isinstance(first, dict) and "refused" in first:
            driver.close()
            if load_error is not None:
                return 0, f"both refuse: {first['refused']} | {load_error[:80]}"
            return int(not allow_refusal), f"refused: {first['refused']}"
        if load_error is not None:
            driver.close()
            return 0, f"only the library refuses: {load_error[:100]}"
        ids_in_use = list(reference.get_vocab().values()) + [10**6]
        requests, expected = [], []
        for i, sample in enumerate(texts):
            plain = i % 2 == 1
            requests.append({"text": sample, "plain": True} if plain else sample)
            expected.append(guarded(lambda: reference.encode(sample, add_special_tokens=not plain).ids))
        for _ in range(len(texts) // 4):
            ids = [rng.choice(ids_in_use) for _ in range(rng.randrange(12))]
            requests.append(ids)
            expected.append(guarded(lambda: [reference.decode(ids, skip_special_tokens=False),
                                             reference.decode(ids, skip_special_tokens=True)]))
        differences, errors = 0, 0
        for request, (value, error), answer in zip(requests, expected, driver.ask(requests)):
            failed = isinstance(answer, dict)
            if failed and error is not None:
                errors += 1
            elif failed or error is not None or answer != value:
                differences += 1
                if differences <= 3:
                    print(f"  {name}: {request!r}\n    library {value} {error}\n    ours    {answer}")
        driver.close()
        return differences, f"{len(requests)} compared" + (f", {errors} errors on both sides" if errors else "")


CL100K = (r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s""")
CL100K_HF = (r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+""")
O200K = (r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"""
         r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"""
         r"""\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+""")
QWEN = CL100K_HF.replace(r"\p{N}{1,3}", r"\p{N}")
QWEN35 = (r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+""")
DEEPSEEK = [r"\p{N}{1,3}", "[一-龥\u3040-ゟ゠-ヿ]+",
            r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""]
DEEPSEEK_CODER = [r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+"]
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"
BLOOM_PLAIN = r" ?[^\s.,!?…。，、।۔،]+"
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
BYTES_ONLY = {**BYTE_LEVEL, "use_regex": False}


def split(pattern, behavior="Isolated", invert=False, kind="Regex"):
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": behavior, "invert": invert}


def sequence(*steps):
    return {"type": "Sequence", "pretokenizers": list(steps)}


def added(content, special=False, **flags):
    return {"id": 0, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
            "special": special, **flags}


def pre_tokenizer_variants():
    yield "gpt2", BYTE_LEVEL
    yield "gpt2_prefix", {**BYTE_LEVEL, "add_prefix_space": True}
    yield "bytes", BYTES_ONLY
    yield "bytes_prefix", {**BYTES_ONLY, "add_prefix_space": True}
    yield "none", None
    for name, pattern in dict(cl100k=CL100K, cl100k_hf=CL100K_HF, o200k=O200K, qwen=QWEN, qwen35=QWEN35, bloom_plain=BLOOM_PLAIN,
                              gpt2_as_split=r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+").items():
        yield name, sequence(split(pattern), BYTES_ONLY)
        yield name + "_removed_invert", sequence(split(pattern, "Removed", True), BYTES_ONLY)
        yield name + "_regex_too", sequence(split(pattern), BYTE_LEVEL)
    yield "deepseek", sequence(*map(split, DEEPSEEK), BYTES_ONLY)
    yield "deepseek_coder", sequence(*map(split, DEEPSEEK_CODER), {"type": "Digits", "individual_digits": True}, BYTES_ONLY)
    yield "bloom", sequence(split(BLOOM), BYTES_ONLY)
    yield "starcoder", sequence({"type": "Digits", "individual_digits": True}, BYTE_LEVEL)
    yield "digits_runs", sequence({"type": "Digits", "individual_digits": False}, BYTE_LEVEL)
    yield "falcon", sequence({"type": "Punctuation", "behavior": "Contiguous"}, BYTE_LEVEL,
                             {"type": "Digits", "individual_digits": False}, split("[0-9][0-9][0-9]"))
    yield "twice", sequence(BYTE_LEVEL, BYTES_ONLY)
    for behavior in BEHAVIORS:
        for invert in (False, True):
            for name, pattern in dict(space=r"\s", spaces=r"\s+", letters=r"\p{L}+", empty=r"\d*", ends="$", begins="^").items():
                yield f"{name}_{behavior}_{invert}", sequence(split(pattern, behavior, invert), BYTES_ONLY)
            for name, pattern in dict(string=" ", strings="'s", korean="가", nothing="").items():
                yield f"{name}_{behavior}_{invert}", sequence(split(pattern, behavior, invert, "String"), BYTES_ONLY)
        yield "punctuation_" + behavior, sequence({"type": "Punctuation", "behavior": behavior}, BYTE_LEVEL)
    yield "punctuation", sequence({"type": "Punctuation"}, BYTES_ONLY)
    yield "whitespace", sequence({"type": "Whitespace"}, BYTES_ONLY)
    yield "whitespace_split", sequence({"type": "WhitespaceSplit"}, BYTES_ONLY)
    yield "bert", sequence({"type": "BertPreTokenizer"}, BYTES_ONLY)
    yield "delimiter", sequence({"type": "CharDelimiterSplit", "delimiter": "가"}, BYTES_ONLY)
    yield "fixed", sequence({"type": "FixedLength", "length": 3}, BYTES_ONLY)
    yield "metaspace", {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    yield "scripts", sequence({"type": "UnicodeScripts"}, BYTES_ONLY)


def normalizer_variants():
    for form in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "ByteLevel", "StripAccents", "Nmt"):
        yield form, {"type": form}
    yield "nfkc_lower", {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}, {"type": "NFC"}]}
    yield "none_sequence", {"type": "Sequence", "normalizers": []}
    for left in (True, False):
        for right in (True, False):
            yield f"strip_{left}_{right}", {"type": "Strip", "strip_left": left, "strip_right": right}
    yield "prepend", {"type": "Prepend", "prepend": "▁"}
    yield "prepend_nfd", {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": " "}, {"type": "NFD"}]}
    yield "replace", {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    yield "replace_regex", {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}
    yield "replace_gone", {"type": "Sequence", "normalizers": [{"type": "Replace", "pattern": {"Regex": r"[\p{M}\p{Cf}]"}, "content": ""},
                                                             {"type": "NFC"}]}
    yield "replace_empty", {"type": "Replace", "pattern": {"String": ""}, "content": "x"}
    yield "bert", {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}


ADDED = [added("<|im_start|>", True), added("<think>"), added("</think>"), added("<think>!"), added("[마을]", True, lstrip=True),
         added("[단어]", single_word=True), added("<ㅎ ㅎ>", lstrip=True, rstrip=True), added("<é>", rstrip=True),
         added("<|x|>", normalized=True), added("<|x|><|x|>", True, normalized=True), added("café", normalized=True),
         added("word", single_word=True, normalized=True, lstrip=True, rstrip=True), added(" ", rstrip=True), added("  x"),
         added("a"), added("\n", True, lstrip=True), added("Ａ", normalized=True)]


def template(*pieces, pair=True):
    single = [{"Sequence": {"id": "A", "type_id": 0}} if p == "A" else {"SpecialToken": {"id": p, "type_id": 0}} for p in pieces]
    return {"type": "TemplateProcessing", "single": single, "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {p: {"id": p, "ids": [3, 4] if p == "two" else [1], "tokens": [p, p] if p == "two" else [p]} for p in pieces if p != "A"}}


def variants(base, ends):
    for name, pre in pre_tokenizer_variants():
        yield "ends/" + name, {**ends, "pre_tokenizer": pre}
        if name in ("gpt2", "cl100k", "o200k", "deepseek", "falcon", "starcoder", "qwen35", "none"):
            yield "merged/" + name, {**base, "pre_tokenizer": pre}
    for name, normalizer in normalizer_variants():
        yield "normalizer/" + name, {**ends, "normalizer": normalizer}
        yield "normalizer_added/" + name, {**ends, "normalizer": normalizer, "added_tokens": ADDED[:12]}
    yield "added/all", {**ends, "added_tokens": ADDED}
    yield "added/merged", {**base, "added_tokens": ADDED}
    yield "added/some", {**ends, "added_tokens": ADDED[8:], "pre_tokenizer": {**BYTE_LEVEL, "add_prefix_space": True}}
    yield "added/twice", {**ends, "added_tokens": [added("<a>"), added("<b>"), added("<a>", True, lstrip=True)]}
    yield "added/clash", {**ends, "normalizer": {"type": "NFC"}, "added_tokens": [added("é", normalized=True), added("e\u0301", normalized=True)]}
    rng = random.Random(1)
    for i in range(12):
        tokens = []
        for token in rng.sample(ADDED, rng.randrange(3, 10)):
            tokens.append({**token, **{flag: rng.random() < 0.4 for flag in ("lstrip", "rstrip", "single_word", "normalized", "special")}})
        yield f"added/random{i}", {**ends, "added_tokens": tokens, "normalizer": rng.choice((None, {"type": "NFC"}, {"type": "NFKC"}, {"type": "Lowercase"}))}
    model = lambda **fields: {**base, "model": {**base["model"], **fields}}
    words = {w: 20_000 + i for i, w in enumerate(("hello", "Ġworld", "ê°Ģ", "<unk>", "x1y2", "Ġ", "don't"))}
    more = {**base["model"]["vocab"], **{w: i for w, i in words.items() if w not in base["model"]["vocab"]}}
    yield "model/ignore_merges", model(ignore_merges=True, vocab=more)
    yield "model/holes", {**model(vocab=more), "added_tokens": ADDED}
    fewer = {w: i for w, i in base["model"]["vocab"].items() if len(w) > 1 or rng.random() < 0.8}
    known = [[a, b] for a, b in base["model"]["merges"] if a in fewer and b in fewer and a + b in fewer]
    for fuse in (False, True):
        for unknown in (None, "<unk>", "<gone>"):
            for fallback in (False, True):
                vocab = {**fewer, "<unk>": 30_000}
                if fallback:
                    vocab.update({f"<0x{b:02X}>": 31_000 + b for b in range(200)})
                yield f"model/unk_{unknown}_{fuse}_{fallback}", model(vocab=vocab, merges=known, unk_token=unknown, fuse_unk=fuse, byte_fallback=fallback)
                yield f"model/unk_nobytes_{unknown}_{fuse}_{fallback}", {
                    **model(vocab=vocab, merges=known, unk_token=unknown, fuse_unk=fuse, byte_fallback=fallback), "pre_tokenizer": None}
    yield "model/no_merges", model(merges=[])
    yield "model/strings", model(merges=[f"{a} {b}" for a, b in base["model"]["merges"]])
    yield "model/dropout0", model(dropout=0.0)
    yield "model/dropout", model(dropout=0.1)
    yield "model/shuffled", model(merges=rng.sample(base["model"]["merges"], len(base["model"]["merges"])))
    yield "model/repeated", model(merges=base["model"]["merges"] + rng.sample(base["model"]["merges"], 500))
    prefixed = {**base["model"]["vocab"]}
    for w in list(prefixed):
        for dressed in ("##" + w, w + "</w>", "##" + w + "</w>"):
            prefixed.setdefault(dressed, 40_000 + len(prefixed))
    pairs = [[a + "", "##" + b] for a, b in base["model"]["merges"]] + [["##" + a, "##" + b] for a, b in base["model"]["merges"]]
    pairs += [["##" + a, "##" + b + "</w>"] for a, b in base["model"]["merges"]]
    yield "model/prefix_suffix", model(vocab=prefixed, merges=pairs, continuing_subword_prefix="##", end_of_word_suffix="</w>")
    for name, processor in dict(bos=template("bos", "A"), both=template("bos", "A", "two"), again=template("A", "bos", "A"), alone=template("bos"),
                                roberta={"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1], "trim_offsets": True, "add_prefix_space": True},
                                bert={"type": "BertProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1]},
                                chain={"type": "Sequence", "processors": [BYTE_LEVEL, template("bos", "A"), BYTE_LEVEL]},
                                two={"type": "Sequence", "processors": [template("A"), template("bos", "A")]}).items():
        yield "post/" + name, {**base, "post_processor": processor}
        for direction in ("Left", "Right"):
            for strategy in ("LongestFirst", "OnlyFirst", "OnlySecond"):
                for length in (0, 3, 6):
                    yield f"post/{name}_{direction}_{strategy}_{length}", {
                        **base, "post_processor": processor,
                        "truncation": {"direction": direction, "max_length": length, "strategy": strategy, "stride": 0},
                        "padding": {"strategy": {"Fixed": 5}, "direction": direction, "pad_to_multiple_of": 4, "pad_id": 7, "pad_type_id": 0, "pad_token": "x"}}
    yield "post/pad_batch", {**base, "padding": {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": 8, "pad_id": 7,
                                                 "pad_type_id": 0, "pad_token": "x"}}
    for name, decoder in dict(sequence=[{"type": "ByteLevel", **{k: v for k, v in BYTE_LEVEL.items() if k != "type"}}],
                              fuse=[BYTE_LEVEL, {"type": "Fuse"}], fuse_first=[{"type": "Fuse"}, BYTE_LEVEL], strip=[BYTE_LEVEL, {
                                  "type": "Strip", "content": " ", "start": 1, "stop": 0}]).items():
        yield "decoder/" + name, {**base, "added_tokens": ADDED, "decoder": {"type": "Sequence", "decoders": decoder}}
    yield "decoder/none", {**base, "decoder": None}


def bases():
    """A tokenizer with merges across all borders, and one without merges that shows where words end."""
    rng = random.Random(0)
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    trained.train_from_iterator((random_text(rng) for _ in range(20_000)), trainers.BpeTrainer(
        vocab_size=4000, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    base = json.loads(trained.to_str())
    base.update(pre_tokenizer=BYTE_LEVEL, decoder=BYTE_LEVEL, added_tokens=[added("<|endoftext|>", True)])
    ends = copy.deepcopy(base)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {c: i for i, c in enumerate(alphabet)}
    vocab.update({c + "</w>": 256 + i for i, c in enumerate(alphabet)})
    ends["model"].update(vocab=vocab, merges=[], end_of_word_suffix="</w>")
    return base, ends


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("driver")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    files = [Path(f) for f in arguments.files] or sorted(GOLDEN.glob("*.json"))
    cases = [(f.name, json.loads(f.read_text(encoding="utf-8")), False) for f in files]
    if not arguments.files:
        cases += [(name, document, True) for name, document in variants(*bases())]
    bad = compared = 0
    for name, document, allow_refusal in cases:
        if arguments.only not in name:
            continue
        texts = [random_text(rng) for _ in range(arguments.texts)]
        differences, note = compare(arguments.driver, name, document, texts, rng, allow_refusal)
        compared += 1
        bad += differences > 0
        if differences or "refuse" in note:
            print(f"{'DIFFERS ' + str(differences) if differences else 'ok'} {name}: {note}", flush=True)
    print(f"{compared} tokenizers, {bad} with differences")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
