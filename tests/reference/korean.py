"""Korean morphology for the corpus generator: particles by final consonant, verb endings, honorific stems.

Text with two marks goes in, plain Korean comes out:

    민수(은)                particle, chosen by the sound before it: 은/는 이/가 을/를 과/와 으로/로 아/야 이/- 이랑/랑
    <감을 따다:았다>        verb phrase in dictionary form and the ending wanted, see ENDINGS
    <!길을 걷다:았다>       the same with the honorific -시- of the subject

Only what the corpus needs is here; an ending or a verb class it does not know raises an error instead of guessing.
"""

import re

INITIAL, MEDIAL, FINAL = 588, 28, 1
BASE = 0xAC00
VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
FINALS = ["", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"]
INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"

# Verbs whose stem changes before a vowel. A verb that ends in one of these (after any prefix) follows its class.
IRREGULAR_B = {"굽다", "줍다", "돕다", "눕다", "춥다", "덥다", "고맙다", "가깝다", "무겁다", "가볍다", "쉽다", "어렵다",
               "반갑다", "아름답다", "즐겁다", "새롭다", "시끄럽다", "맵다", "차갑다", "뜨겁다", "부드럽다", "곱다",
               "탐스럽다", "자랑스럽다", "미끄럽다", "어둡다", "아쉽다", "귀엽다", "정겹다", "싱그럽다"}
IRREGULAR_D = {"걷다", "듣다", "싣다", "묻다", "긷다", "깨닫다"}
IRREGULAR_S = {"짓다", "붓다", "젓다", "잇다", "낫다", "긋다"}
REGULAR_REU = {"따르다", "다다르다", "치르다", "들르다", "잠그다", "담그다", "모으다"}
IRREGULAR_H = {"하얗다", "빨갛다", "노랗다", "파랗다", "동그랗다"}
HONORIFIC = {"먹다": "드시다", "마시다": "드시다", "자다": "주무시다", "말하다": "말씀하시다", "있다": "계시다",
             "데려가다": "데려가시다"}


def split(syllable):
    """Indices (initial, medial, final) of one Hangul syllable."""
    code = ord(syllable) - BASE
    if not 0 <= code < 11172:
        raise ValueError(f"not a Hangul syllable: {syllable!r}")
    return code // INITIAL, code % INITIAL // MEDIAL, code % MEDIAL


def join(initial, medial, final):
    return chr(BASE + initial * INITIAL + medial * MEDIAL + final)


def final_of(syllable):
    return FINALS[split(syllable)[2]]


def with_final(word, final):
    """Replaces the final consonant of the last syllable."""
    initial, medial, _ = split(word[-1])
    return word[:-1] + join(initial, medial, FINALS.index(final))


def particle(before, mark):
    """The form of a particle after the character `before`."""
    if not "가" <= before <= "힣":
        raise ValueError(f"particle ({mark}) after {before!r}")
    final = final_of(before)
    closed = final != ""
    forms = {"은": ("은", "는"), "이": ("이", "가"), "을": ("을", "를"), "과": ("과", "와"), "아": ("아", "야"),
             "이랑": ("이랑", "랑"), "이었": ("이었", "였"), "이에요": ("이에요", "예요"), "이라": ("이라", "라"),
             "이나": ("이나", "나"), "이야": ("이야", "야"), "의": ("의", "의")}
    if mark == "으로":
        return "으로" if closed and final != "ㄹ" else "로"
    return forms[mark][0 if closed else 1]


def in_class(verb, words):
    return any(verb == word or verb.endswith(word) and len(verb) > len(word) for word in words)


def is_bright(medial):
    return VOWELS[medial] in "ㅏㅑㅗ"


def infinitive(verb, word):
    """The -아/-어 form of a stem. `word` is the dictionary form that decides its class."""
    stem = verb[:-1]
    initial, medial, final = split(stem[-1])
    vowel, closing = VOWELS[medial], FINALS[final]
    previous = split(stem[-2])[1] if len(stem) > 1 and "가" <= stem[-2] <= "힣" else None
    if stem[-1] == "하":
        return stem[:-1] + "해"
    if closing == "":
        if stem[-1] == "르" and not in_class(word, REGULAR_REU):
            return with_final(stem[:-1], "ㄹ") + ("라" if is_bright(previous) else "러")
        if vowel == "ㅡ":
            bright = previous is not None and is_bright(previous)
            return stem[:-1] + join(initial, VOWELS.index("ㅏ" if bright else "ㅓ"), 0)
        if vowel in "ㅏㅓㅐㅔㅕ":
            return stem
        if vowel == "ㅣ":
            return stem[:-1] + join(initial, VOWELS.index("ㅕ"), 0)
        if stem[-1] == "오":
            return stem[:-1] + "와"
        if stem[-1] == "우":
            return stem[:-1] + "워"
        if stem[-1] == "푸":
            return stem[:-1] + "퍼"
        return stem + ("아" if vowel == "ㅗ" else "어")
    if in_class(word, IRREGULAR_B):
        return with_final(stem, "") + ("와" if stem[-1] in "돕곱" and len(stem) == 1 else "워")
    if in_class(word, IRREGULAR_D):
        stem = with_final(stem, "ㄹ")
    elif in_class(word, IRREGULAR_S):
        stem = with_final(stem, "")
    elif in_class(word, IRREGULAR_H):
        return stem[:-1] + join(initial, VOWELS.index("ㅐ"), 0)
    return stem + ("아" if is_bright(medial) else "어")


def eu_stem(verb, word):
    """The stem before endings that begin with (으): 걸으-, 도우-, 만들-, 가-."""
    stem = verb[:-1]
    closing = final_of(stem[-1])
    if in_class(word, IRREGULAR_B):
        return with_final(stem, "") + "우"
    if in_class(word, IRREGULAR_D):
        return with_final(stem, "ㄹ") + "으"
    if in_class(word, IRREGULAR_S):
        return with_final(stem, "") + "으"
    if in_class(word, IRREGULAR_H):
        return with_final(stem, "")
    return stem if closing in ("", "ㄹ") else stem + "으"


def drop_l(stem):
    return with_final(stem, "") if final_of(stem[-1]) == "ㄹ" else stem


def ending(verb, name):
    """Conjugates the dictionary form `verb` (one word). `name` is one of ENDINGS."""
    word, stem = verb, verb[:-1]
    if name in ("았다", "았고", "았지만", "았는데", "았더니", "았던"):
        return with_final(infinitive(verb, word), "ㅆ") + {"았다": "다", "았고": "고", "았지만": "지만", "았는데": "는데",
                                                          "았더니": "더니", "았던": "던"}[name]
    if name in ("아", "아서", "아야", "아도"):
        return infinitive(verb, word) + name[1:]
    eu = eu_stem(verb, word)
    if name in ("으면", "으면서", "으러", "으려고", "으며"):
        return eu + name[1:]
    if name == "으니":
        return drop_l(eu) + "니"
    if name == "은":
        return with_final(drop_l(eu), "ㄴ")
    if name == "을":
        return with_final(drop_l(eu), "ㄹ")
    if name == "는다":
        bare = drop_l(stem)
        return with_final(bare, "ㄴ") + "다" if final_of(bare[-1]) == "" else stem + "는다"
    if name == "는":
        return drop_l(stem) + "는"
    if name in ("고", "다가", "지만", "기", "자", "자마자", "지", "게", "던", "더니", "다"):
        return stem + name
    raise ValueError(f"unknown ending {name!r}")


ENDINGS = ("았다 았고 았지만 았는데 았더니 았던 아 아서 아야 아도 으면 으면서 으러 으려고 으며 으니 은 을 는다 는 "
           "고 다가 지만 기 자 자마자 지 게 던 더니 다").split()


def honour(verb):
    """The dictionary form with -시-: 걷다 -> 걸으시다, 먹다 -> 드시다."""
    for plain, polite in HONORIFIC.items():
        if verb == plain or verb.endswith(plain) and plain in ("말하다",):
            return verb[: -len(plain)] + polite
    return drop_l(eu_stem(verb, verb)) + "시다"


def conjugate(phrase, name, honorific=False):
    """The last word of `phrase` takes the ending; `honorific` puts -시- before it."""
    head, _, verb = phrase.rpartition(" ")
    if not verb.endswith("다"):
        raise ValueError(f"not a dictionary form: {phrase!r}")
    if honorific:
        verb = honour(verb)
    return (head + " " if head else "") + ending(verb, name)


MARK = re.compile(r"(.)\((은|이|을|과|으로|아|이랑|이었|이에요|이라|이나|이야|의)\)")
VERB = re.compile(r"<(!?)([^<>:]+):([가-힣]+)>")


def render(text):
    """Resolves both marks. Verbs first, so that a particle may follow one."""
    text = VERB.sub(lambda m: conjugate(m[2], m[3], m[1] == "!"), text)
    text = MARK.sub(lambda m: m[1] + particle(m[1], m[2]), text)
    if re.search(r"[()<>{}|\[\]]", text) or "  " in text:
        raise ValueError(f"unresolved mark: {text!r}")
    return text
