"""Who lives in the village and how the grammar files are read. Facts themselves are in grammar/facts.txt."""

import re
from dataclasses import dataclass, field
from pathlib import Path

GRAMMAR = Path(__file__).parent / "grammar"
SEASONS = ("봄", "여름", "가을", "겨울")

CHILDREN = ("민수", "지우", "서연", "도윤", "하준", "다은")
ADULTS = ("태호", "철호", "정희", "수아", "준호", "동철", "유진", "상우", "영호", "미영")
ELDERS = ("순이 할머니", "덕수 할아버지", "이장님", "윤 선생님")
GROUPS = {"아이": CHILDREN, "어른": ADULTS, "웃어른": ELDERS}

FAMILIES = ({"민수", "지우", "태호", "미영"}, {"서연", "정희"}, {"도윤", "철호"}, {"하준", "상우"}, {"다은", "수아"})

# What each grown-up sends a child out with: an errand must fit the sender.
ERRANDS = {"태호": "갓 잡은 붕어", "철호": "새로 간 낫", "정희": "떡 한 접시", "수아": "따뜻한 빵 두 개", "준호": "편지 한 통",
           "동철": "약초 한 묶음", "유진": "도서관 책 한 권", "상우": "새로 짠 나무 상자", "영호": "꿀 한 병",
           "미영": "새로 지은 저고리"}

# Topics that a description may join, so that what stands side by side belongs together.
RELATED = (("마을", "이웃"), ("마을", "곶감"), ("마을", "나루터"), ("마을", "계절"), ("마을", "솔뫼", "학교"), ("장터", "이웃"),
           ("장터", "가게"), ("곶감",), ("계절", "솔뫼"), ("가게", "정희", "수아", "철호"), ("마을",), ("민수",), ("민수", "지우"),
           ("서연", "정희"), ("서연",), ("도윤", "철호"), ("하준", "상우"), ("다은", "수아"), ("지우", "미영"),
           ("순이 할머니", "곶감"), ("순이 할머니",), ("덕수 할아버지",), ("학교", "유진"), ("준호", "명식"), ("동철", "영호", "솔뫼"),
           ("상우", "철호"), ("나루터", "민수"), ("장터", "명식"), ("유진", "미영"), ("덕수 할아버지", "순이 할머니"))


def same_family(one, other):
    return any(one in family and other in family for family in FAMILIES)


@dataclass
class Fact:
    name: str
    topic: str
    sentences: list = field(default_factory=list)
    questions: list = field(default_factory=list)
    answers: list = field(default_factory=list)


@dataclass
class Scene:
    name: str
    slots: dict
    seasons: tuple
    steps: list  # of (percent, [lines])


def lines_of(name):
    for line in (GRAMMAR / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


def read_words():
    """words.txt -> {list name: [choices]}"""
    words = {}
    for line in lines_of("words.txt"):
        if line.startswith("= "):
            current = words.setdefault(line[2:], [])
        else:
            current.append(line)
    return words


def read_facts():
    facts = []
    for line in lines_of("facts.txt"):
        if line.startswith("== "):
            facts.append(Fact(*line[3:].split(" | ")))
        else:
            kind, _, text = line.partition(" ")
            {".": facts[-1].sentences, "q": facts[-1].questions, "a": facts[-1].answers}[kind].append(text)
    return facts


def read_scenes():
    scenes = []
    for file in ("scenes_play.txt", "scenes_work.txt", "scenes_people.txt"):
        for line in lines_of(file):
            if line.startswith("== "):
                name, slots, seasons = (part.strip() for part in line[3:].split("|"))
                slots = dict(slot.split("=") for slot in re.split(r" (?=[pqg]=)", slots)) if slots else {}
                scenes.append(Scene(name, slots, tuple(seasons.split()) or SEASONS, []))
            elif line == "-":
                scenes[-1].steps.append((100, []))
            elif line.startswith("? "):
                scenes[-1].steps.append((int(line[2:]), []))
            else:
                scenes[-1].steps[-1][1].append(line)
    return scenes
