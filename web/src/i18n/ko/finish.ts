export default {
  question: '짐작은 맞았나요?',
  margin: '채점기가 하는 검사를 이 화면의 결과에 그대로 해 봅니다. 글자 하나까지 mm-native lab과 같은 파일입니다.',
};
