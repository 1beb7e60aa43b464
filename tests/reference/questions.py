"""The questions and answers of the chat model, made of the wordings in grammar/facts.txt.

    python3 questions.py OUT_DIR      writes sft_train.jsonl and sft_held_out.jsonl

One line: {"fact": name, "question": text, "answers": [texts, the usual one first]}. A wording in facts.txt ends in a
group such as {뭐야}; every form of the group (뭐야? 뭐예요? 뭔가요? ...) is a question. Held out from training: for
every fact some forms of each wording, and for every third fact one whole wording with all its forms.
"""

import argparse
import json
import random
from pathlib import Path

import korean
import world

SEED = 20240918
LAB_QUESTION = "가람 마을의 특산물은 뭐야?"

COPULA = {"뭐야": ("뭐야?", "뭐예요?", "뭔가요?", "무엇이야?", "무엇인가요?", "무엇입니까?"),
          "알려": ("알려 줘.", "알려 주세요.", "가르쳐 줘.", "말해 줘.", "말해 주세요."),
          "몇 살이셔": ("몇 살이셔?", "몇 살이세요?", "몇 살이신가요?")}
NOUN_ENDINGS = ("이야?", "이에요?", "인가요?", "이니?", "입니까?")
# Groups whose dictionary form the colloquial form does not show.
VERBS = {"있어": "있다", "살아": "살다", "불러": "부르다", "서": "서다", "열려": "열리다", "와": "오다", "가져와": "가져오다",
         "팔아": "팔다", "나": "나다", "타": "타다", "건너": "건너다", "저어": "젓다", "만들어": "만들다", "말려": "말리다",
         "매달아": "매달다", "피어": "피다", "놀아": "놀다", "다녀": "다니다", "날라": "나르다", "좋아해": "좋아하다", "해": "하다",
         "싶어 해": "하다", "만드셔": "만드시다", "길러": "기르다", "기르셔": "기르시다", "좋아하셔": "좋아하시다", "하셔": "하시다",
         "치셔": "치시다", "가르치셔": "가르치시다", "들려주셔": "들려주시다", "되셔": "되시다"}


def forms(group):
    """Every form of an ending group."""
    if group in COPULA:
        return COPULA[group]
    if group in VERBS:
        verb = VERBS[group]
        head = "싶어 " if group.startswith("싶어") else ""
        plain = "피어" if verb == "피다" else korean.infinitive(verb, verb)
        polite = verb[:-2] + "세요" if verb.endswith("시다") else plain + "요"
        bare = korean.drop_l(verb[:-1])
        return tuple(head + form for form in (plain + "?", polite + "?", bare + "나요?", bare + "니?"))
    for ending in ("이야", "야"):
        if group.endswith(ending):
            noun = group[: -len(ending)]
            closed = korean.final_of(noun[-1]) != ""
            if (ending == "이야") == closed:
                change = {"이야?": "야?", "이에요?": "예요?", "이니?": "니?"}
                return tuple(noun + (form if closed else change.get(form, form)) for form in NOUN_ENDINGS)
    raise ValueError(f"unknown group {group!r}")


def wordings(line):
    """One q line -> its questions."""
    before, _, rest = line.partition("{")
    group, _, after = rest.partition("}")
    return [before + form + after for form in forms(group)]


def question_sets():
    """(training, held out): lists of (fact name, question, answers); no question is in both or twice."""
    source = random.Random(SEED)
    train, held_out, seen = [], [], set()
    asked = [fact for fact in world.read_facts() if fact.questions]
    for index, fact in enumerate(asked):
        whole = source.randrange(1, len(fact.questions)) if index % 3 == 0 and len(fact.questions) > 2 else None
        for number, line in enumerate(fact.questions):
            variants = [text for text in wordings(line) if text not in seen]
            seen.update(variants)
            out = set(variants) if number == whole else set(source.sample(variants, len(variants) // 4))
            out.discard(LAB_QUESTION)
            for text in variants:
                (held_out if text in out else train).append((fact.name, text, fact.answers))
    return train, held_out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    train, held_out = question_sets()
    for name, rows in (("sft_train", train), ("sft_held_out", held_out)):
        with open(out / f"{name}.jsonl", "w", encoding="utf-8", newline="\n") as file:
            for fact, question, answers in rows:
                row = {"fact": fact, "question": question, "answers": answers}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    facts = len({fact for fact, _, _ in train})
    print(f"{facts} questions, {len(train)} wordings to train on, {len(held_out)} held out")


if __name__ == "__main__":
    main()
