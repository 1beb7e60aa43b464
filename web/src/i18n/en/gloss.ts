import type { Glossary } from '../gloss';

const en: Glossary = {
  sentences: {
    '민수는 강아지 보리와': 'Minsu and his dog Bori …',
    '민수는': 'Minsu (subject) …',
    '마을의 특산물은': 'The village’s speciality is …',
    '가람 마을의 특산물은 뭐야?': 'What is the speciality of Garam village?',
    '가람 마을의 특산물은 곶감이에요.': 'The speciality of Garam village is dried persimmons.',
    '마을의 특산물은 달콤한 곶감이에요.': 'The village’s speciality is sweet dried persimmons.',
    '가람의 특산물은 달콤한 곶감이에요.': 'Garam’s speciality is sweet dried persimmons.',
    '특산물은 곶감이에요.': 'The speciality is dried persimmons.',
    '특산물은 곶감이에요': 'The speciality is dried persimmons',
    '겨울에 먹으면 더 맛있어요.': 'They taste even better in winter.',
    '가람 마을은 곶감으로 유명해요.': 'Garam village is known for dried persimmons.',
    '가람은 강을 뜻하는 옛말이에요.': 'Garam is an old word for river.',
  },
  words: {
    가람: 'Garam', 마을: 'village', 특산: 'speciality', 곶감: 'dried persimmons', 겨울: 'winter', 여름: 'summer', 맛있: 'tasty', 먹으면: 'if eaten',
    먹었: 'ate', 더: 'more', 달콤: 'sweet', 유명: 'known', 징검다리: 'stepping stones', 강을: 'river', 강이: 'river', 민수: 'Minsu', 준호: 'Junho',
    하준: 'Hajun', 도윤: 'Doyun', 지우: 'Jiu', 서연: 'Seoyeon', 태호: 'Taeho', 다은: 'Daeun', 보리: 'Bori', 구름: 'cloud', 나무: 'tree', 느티나무: 'zelkova',
    소금: 'salt', 이름: 'name', 옷을: 'clothes', 동무: 'friend', 아버지: 'father', 할머니: 'grandmother', 선생님: 'teacher', 목수: 'carpenter', 우체부: 'postman',
    자전거: 'bicycle', 바람골: 'Baramgol', 달내: 'Dallae', 갯말: 'Gaetmal', 이야기: 'story', 홍시: 'ripe persimmon', 메밀: 'buckwheat', 사람: 'person',
    무엇: 'what', 말했다: 'said', 가르쳐: 'taught', 보았다: 'saw', 아침: 'morning', 눈사람: 'snowman', 뒷산: 'hill behind', 물어: 'ask', 떨어졌다: 'fell',
    모르는: 'unknown', 말려요: 'are dried', 인기: 'popular',
  },
};
export default en;
