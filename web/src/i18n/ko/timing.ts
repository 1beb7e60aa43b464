export default {
  question: '토큰이 줄어든 만큼 시간도 줄어들까?',
  margin: '숫자마다 어디서 왔는지 붙여 두었습니다.',
  conclusion: '넣는 토큰이 준 만큼 시간이 줄지는 않습니다. 하나씩 넣는 토큰은 하나당 더 비쌉니다.',
};
