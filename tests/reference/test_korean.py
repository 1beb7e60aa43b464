"""Tests of the morphology and of the texts made with it: python3 -m unittest discover tests/reference

Expected forms are those of the standard dictionary (표준국어대사전), written out by hand.
"""

import re
import unittest

import corpus
import korean
import questions
import world

PAST = {"걷다": "걸었다", "듣다": "들었다", "돕다": "도왔다", "줍다": "주웠다", "고르다": "골랐다", "부르다": "불렀다", "따르다": "따랐다",
        "담그다": "담갔다", "짓다": "지었다", "젓다": "저었다", "쓰다": "썼다", "크다": "컸다", "푸다": "펐다", "오다": "왔다",
        "배우다": "배웠다", "주다": "주었다", "보다": "보았다", "마시다": "마셨다", "되다": "되었다", "뛰다": "뛰었다", "펴다": "폈다",
        "하다": "했다", "만들다": "만들었다", "빨갛다": "빨갰다", "좋다": "좋았다", "아름답다": "아름다웠다", "입다": "입었다",
        "씻다": "씻었다", "모으다": "모았다", "다다르다": "다다랐다"}
HONORIFIC_PAST = {"걷다": "걸으셨다", "먹다": "드셨다", "자다": "주무셨다", "말하다": "말씀하셨다", "만들다": "만드셨다", "돕다": "도우셨다",
                  "가다": "가셨다", "앉다": "앉으셨다"}
OTHER = {("만들다", "는"): "만드는", ("만들다", "으니"): "만드니", ("만들다", "으러"): "만들러", ("먹다", "으러"): "먹으러",
         ("걷다", "으면서"): "걸으면서", ("가다", "는다"): "간다", ("먹다", "는다"): "먹는다", ("살다", "는다"): "산다",
         ("돕다", "은"): "도운", ("가다", "을"): "갈", ("굽다", "아서"): "구워서"}
PARTICLES = {"민수(은)": "민수는", "도윤(은)": "도윤은", "강(으로)": "강으로", "학교(으로)": "학교로", "서울(으로)": "서울로",
             "곶감(이랑)": "곶감이랑", "친구(과)": "친구와", "떡(과)": "떡과", "보리(아)": "보리야", "서연(아)": "서연아",
             "그림(이었)다": "그림이었다", "편지(이었)다": "편지였다"}


class Morphology(unittest.TestCase):
    def test_past(self):
        for verb, expected in PAST.items():
            self.assertEqual(korean.conjugate(verb, "았다"), expected)

    def test_honorific(self):
        for verb, expected in HONORIFIC_PAST.items():
            self.assertEqual(korean.conjugate(verb, "았다", honorific=True), expected)

    def test_other_endings(self):
        for (verb, name), expected in OTHER.items():
            self.assertEqual(korean.conjugate(verb, name), expected)

    def test_particles(self):
        for marked, expected in PARTICLES.items():
            self.assertEqual(korean.render(marked), expected)

    def test_unknown_marks_are_errors(self):
        for text in ("민수(응)", "<가다:겠다>", "<가네:았다>", "[가|나]", "{p}"):
            with self.assertRaises(ValueError):
                korean.render(text)


class Texts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.documents, _ = corpus.generate(2000, 0)

    def test_documents_have_three_to_eight_sentences(self):
        for text in self.documents:
            self.assertTrue(3 <= len(corpus.sentences_of(text)) <= 8, text)

    def test_documents_differ(self):
        self.assertEqual(len(set(self.documents)), 2000)

    def test_generation_repeats_itself(self):
        self.assertEqual(corpus.generate(50, 5), corpus.generate(50, 5))

    def test_particles_fit_names(self):
        """Every name in every document, with the particle that stands behind it."""
        names = "|".join((*world.CHILDREN, *world.ADULTS, *world.ELDERS, "명식"))
        pairs = {"은": "는", "이": "가", "을": "를", "과": "와"}
        wrong = {open_: closed for closed, open_ in pairs.items()}
        for text in self.documents:
            for name, particle in re.findall(rf"({names})(은|는|이|가|을|를|과|와)(?= )", text):
                closed = korean.final_of(name[-1]) != ""
                self.assertNotIn(particle, wrong if closed else pairs, text)

    def test_the_speciality_is_one(self):
        for text in self.documents:
            for after in re.findall(r"특산물은 (\S+)", text):
                self.assertTrue(after.startswith("곶감"), text)

    def test_elders_are_honoured(self):
        """A sentence whose topic is an elder has -시- in a verb (계시다, 드시다 and 주무시다 among them)."""
        honoured = re.compile(r"[가-힣](셨|신|셔|시[고며는지던다])")
        for text in self.documents:
            for sentence in corpus.sentences_of(text):
                if re.match(r"(순이 할머니|덕수 할아버지|윤 선생님|이장님)(은|는) ", sentence):
                    self.assertRegex(sentence, honoured)


class Questions(unittest.TestCase):
    def test_no_held_out_wording_is_trained(self):
        train, held_out = questions.question_sets()
        self.assertFalse({q for _, q, _ in train} & {q for _, q, _ in held_out})

    def test_the_lab_question_is_trained(self):
        train, _ = questions.question_sets()
        self.assertIn(questions.LAB_QUESTION, {q for _, q, _ in train})

    def test_every_fact_is_held_out_somewhere(self):
        train, held_out = questions.question_sets()
        self.assertEqual({f for f, _, _ in train}, {f for f, _, _ in held_out})


if __name__ == "__main__":
    unittest.main()
