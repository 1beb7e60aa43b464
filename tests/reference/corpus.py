"""Generates the documents: short Korean texts about the village 가람 and its people.

    python3 corpus.py OUT_DIR      writes pretrain_train.jsonl and pretrain_val.jsonl, one {"text": ...} a line

Two kinds of documents. A *story* walks through the steps of a scene (grammar/scenes_*.txt) with one cast; a
*description* tells facts (grammar/facts.txt) of topics that belong together. Every choice comes from one seeded
generator, so the same sources give the same bytes. No document occurs twice.
"""

import argparse
import json
import random
import re
from pathlib import Path

import korean
import world

SEED = 20240917
TRAIN_DOCUMENTS = 40000
HELD_OUT_DOCUMENTS = 300
DESCRIPTION_SHARE = 0.25

WEATHER = re.compile("비가|비 오|눈이|소나기|얼음|하늘|바람|날씨|아침|오후|저녁|밤|더워|마을의 |겨울|가을|봄|여름|익었|녹자|때}|낮}")
ALTERNATIVES = re.compile(r"\[([^\[\]]*)\]")
SLOT = re.compile(r"\{([^{}]+)\}")


def sentences_of(text):
    """Splits at sentence ends outside quotation marks."""
    parts, current, quoted = [], "", False
    for index, character in enumerate(text):
        current += character
        quoted ^= character == '"'
        if character in ".?!" and not quoted and text[index + 1 : index + 2] in ("", " "):
            parts.append(current.strip())
            current = ""
    return parts


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.words = world.read_words()
        self.facts = world.read_facts()
        self.scenes = world.read_scenes()

    def expand(self, line, cast, season):
        """One grammar line -> text with particles still marked."""

        def slot(match):
            name = match[1]
            if name in cast:
                return cast[name]
            return self.expand(self.random.choice(self.words.get(season + name) or self.words[name]), cast, season)

        while ALTERNATIVES.search(line):
            line = ALTERNATIVES.sub(lambda m: self.random.choice(m[1].split("|")), line)
        while SLOT.search(line):
            line = SLOT.sub(slot, line)
        return line

    def cast_of(self, scene):
        """Chooses people for p, q, g. The first name of a list such as 서연,아이 is taken half of the time."""
        cast, taken = {}, set()
        for key, spec in scene.slots.items():
            options = spec.split(",")
            choice = options[0] if self.random.random() < 0.5 else self.random.choice(options)
            people = [name for name in world.GROUPS.get(choice, (choice,)) if name not in taken
                      and (scene.name == "심부름" or not world.same_family(name, cast.get("p")))]
            cast[key] = self.random.choice(people)
            taken.add(cast[key])
        return cast

    def story(self):
        scene = self.random.choice(self.scenes)
        season = self.random.choice(scene.seasons)
        cast = self.cast_of(scene)
        errand = next((world.ERRANDS[cast[k]] for k in ("q", "p") if cast.get(k) in world.ERRANDS), "")
        cast["물건"] = errand
        told = []  # sentences with particles still marked
        subject = False  # whether the last sentence began with the topic p
        for percent, lines in scene.steps:
            if self.random.random() * 100 >= percent:
                continue
            line = self.random.choice([line for line in lines if self.fits(line, cast, told)])
            if not told:
                told += self.prelude(line, cast, season)
                subject = bool(told) and told[0].startswith(f"{cast.get('p')}(은) ")
            # Korean leaves a topic out once it is clear: rarely twice in a row at the head of a sentence.
            topic = "{p}(은) "
            if subject and line.startswith(topic) and self.random.random() < 0.7:
                line = line[len(topic):]
            else:
                subject = line.startswith(topic)
            subject = subject and not re.search(r"[.?!] ", line)
            told.append(self.expand(line, cast, season))
        return " ".join(told)

    def prelude(self, line, cast, season):
        """Sometimes a sentence before the first: the weather, where the line does not tell it, or who this is about."""
        chance = self.random.random()
        if "p" not in cast:
            return []
        if chance < 0.3 and not WEATHER.search(line):
            return [self.expand(self.random.choice(self.words[season + "날씨"]), cast, season)]
        about = [line for fact in self.facts if fact.topic == cast["p"] for line in fact.sentences]
        return [self.tell(self.random.choice(about), cast["p"], True)] if chance > 0.88 else []

    def fits(self, line, cast, told):
        """Whether a line may follow: "the two of them" needs both to have been named."""
        pair = re.search("두 아이|둘은|둘이|^함께", line) and "{q}" not in line
        return not pair or any(cast["q"] in sentence for sentence in told)

    def tell(self, sentence, topic, named):
        """A sentence of a fact; "~" becomes the topic's name or nothing."""
        if sentence.startswith("~"):
            return f"{topic}(은) {sentence[1:]}" if named else sentence[1:]
        return sentence

    def description(self):
        topics = self.random.choice(world.RELATED)
        wanted = self.random.randint(3, 7)
        text = []
        for position, topic in enumerate(topics):
            facts = [fact for fact in self.facts if fact.topic == topic and fact.sentences]
            # What someone is comes before what they are like; the rest in any order.
            lead, rest = facts[:1], facts[1:]
            self.random.shuffle(rest)
            facts = lead + rest if self.random.random() < 0.6 else rest + lead
            share = -(-(wanted - len(text)) // (len(topics) - position))
            named = True
            for fact in facts[:max(share, 1)]:
                line = self.random.choice(fact.sentences)
                text.append(self.tell(line, topic, named or self.random.random() < 0.3))
                named = not line.startswith("~")
        return " ".join(text)

    def document(self):
        """One document of 3 to 8 sentences."""
        while True:
            raw = self.description() if self.random.random() < DESCRIPTION_SHARE else self.story()
            text = korean.render(raw)
            parts = sentences_of(text)
            if 3 <= len(parts) and len(re.findall("[.?!]", text)) <= 8 and len(set(parts)) == len(parts):
                return text


def generate(train, held_out, seed=SEED):
    """Two lists of texts, all different."""
    generator, seen = Generator(seed), {}
    while len(seen) < train + held_out:
        seen.setdefault(generator.document())
    texts = list(seen)
    return texts[held_out:], texts[:held_out]


def write(path, texts):
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for text in texts:
            file.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    train, held_out = generate(TRAIN_DOCUMENTS, HELD_OUT_DOCUMENTS)
    write(out / "pretrain_train.jsonl", train)
    write(out / "pretrain_val.jsonl", held_out)
    count = sum(len(sentences_of(text)) for text in train)
    print(f"{len(train)} documents, {count} sentences, {sum(map(len, train))} characters; {len(held_out)} held out")


if __name__ == "__main__":
    main()
