/**
 * What the Korean of the demo means, for readers of Chinese and English: a sentence that is known whole is translated,
 * of any other the words that are known stand in their order, with … for the rest. So broken Korean stays broken. Pure.
 */
import type { Language } from '../state/url';

type Meaning = readonly [zh: string, en: string];

/** Whole sentences: what the demo's prompts, questions and usual answers say. */
const SENTENCES: Readonly<Record<string, Meaning>> = {
  '민수는 강아지 보리와': ['民秀和小狗波丽……', 'Minsu and his dog Bori …'],
  '민수는': ['民秀（主语）……', 'Minsu (subject) …'],
  '마을의 특산물은': ['村里的特产是……', 'The village’s speciality is …'],
  '가람 마을의 특산물은 뭐야?': ['Garam 村的特产是什么？', 'What is the speciality of Garam village?'],
  '가람 마을의 특산물은 곶감이에요.': ['Garam 村的特产是柿饼。', 'The speciality of Garam village is dried persimmons.'],
  '마을의 특산물은 달콤한 곶감이에요.': ['村里的特产是甜甜的柿饼。', 'The village’s speciality is sweet dried persimmons.'],
  '가람의 특산물은 달콤한 곶감이에요.': ['Garam 的特产是甜甜的柿饼。', 'Garam’s speciality is sweet dried persimmons.'],
  '특산물은 곶감이에요.': ['特产是柿饼。', 'The speciality is dried persimmons.'],
  '특산물은 곶감이에요': ['特产是柿饼', 'The speciality is dried persimmons'],
  '겨울에 먹으면 더 맛있어요.': ['冬天吃更好吃。', 'They taste even better in winter.'],
  '가람 마을은 곶감으로 유명해요.': ['Garam 村以柿饼闻名。', 'Garam village is known for dried persimmons.'],
  '가람은 강을 뜻하는 옛말이에요.': ['Garam 是“江”的古语。', 'Garam is an old word for river.'],
};

/** Words by how they begin: endings and particles follow in one piece. */
const WORDS: Readonly<Record<string, Meaning>> = {
  가람: ['Garam', 'Garam'], 마을: ['村', 'village'], 특산: ['特产', 'speciality'], 곶감: ['柿饼', 'dried persimmons'], 겨울: ['冬天', 'winter'],
  여름: ['夏天', 'summer'], 맛있: ['好吃', 'tasty'], 먹으면: ['吃的话', 'if eaten'], 먹었: ['吃了', 'ate'], 더: ['更', 'more'], 달콤: ['甜', 'sweet'],
  유명: ['有名', 'known'], 징검다리: ['石墩桥', 'stepping stones'], 강을: ['江', 'river'], 강이: ['江', 'river'], 민수: ['民秀', 'Minsu'],
  준호: ['俊浩', 'Junho'], 하준: ['夏俊', 'Hajun'], 도윤: ['道允', 'Doyun'], 지우: ['智友', 'Jiu'], 서연: ['瑞妍', 'Seoyeon'], 태호: ['泰浩', 'Taeho'],
  다은: ['多恩', 'Daeun'], 보리: ['波丽', 'Bori'], 구름: ['云', 'cloud'], 나무: ['树', 'tree'], 느티나무: ['榉树', 'zelkova'], 소금: ['盐', 'salt'],
  이름: ['名字', 'name'], 옷을: ['衣服', 'clothes'], 동무: ['伙伴', 'friend'], 아버지: ['父亲', 'father'], 할머니: ['奶奶', 'grandmother'], 선생님: ['老师', 'teacher'],
  목수: ['木匠', 'carpenter'], 우체부: ['邮递员', 'postman'], 자전거: ['自行车', 'bicycle'], 바람골: ['Baramgol', 'Baramgol'], 달내: ['Dallae', 'Dallae'],
  갯말: ['Gaetmal', 'Gaetmal'], 이야기: ['故事', 'story'], 홍시: ['软柿子', 'ripe persimmon'], 메밀: ['荞麦', 'buckwheat'], 사람: ['人', 'person'],
  무엇: ['什么', 'what'], 말했다: ['说了', 'said'], 가르쳐: ['教', 'taught'], 보았다: ['看了', 'saw'], 아침: ['早晨', 'morning'], 눈사람: ['雪人', 'snowman'],
  뒷산: ['后山', 'hill behind'], 물어: ['问', 'ask'], 떨어졌다: ['掉了', 'fell'], 모르는: ['不知道的', 'unknown'], 말려요: ['晒干', 'are dried'], 인기: ['受欢迎', 'popular'],
};
/** The longest first, so that 느티나무 is not 나무. */
const KNOWN = Object.keys(WORDS).sort((a, b) => b.length - a.length);

function words(sentence: string, place: 0 | 1): string {
  const out: string[] = [];
  for (const word of sentence.split(/\s+/)) {
    const found = KNOWN.find((known) => word.startsWith(known));
    const meaning = found ? (WORDS[found]?.[place] ?? '…') : '…';
    if (meaning !== '…' || out.at(-1) !== '…') out.push(meaning);
  }
  return out.join(' ');
}

/** Null where there is nothing to explain: for readers of Korean, and where no word is known. */
export function gloss(text: string, language: Language): string | null {
  if (language === 'ko' || !/[가-힣]/.test(text)) return null;
  const place = language === 'zh' ? 0 : 1;
  const whole = text.trim();
  const said = (SENTENCES[whole] ? [whole] : whole.split(/(?<=[.?!])\s+|\n+/))
    .map((sentence) => SENTENCES[sentence.trim()]?.[place] ?? words(sentence, place))
    .join(' ')
    .replace(/(?<=[。？！]) /g, '')
    .replace(/…(?: …)+/g, '…');
  return /^[…\s]*$/.test(said) ? null : said;
}
