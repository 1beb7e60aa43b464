// Steps 1 and 2 in the report: whether the tokens are the same, and the two counts, in Korean.
#include "core/lab/greedy_pair.hpp"

#include "core/base/join.hpp"

namespace mm {

std::string to_markdown(const GreedyPairResult& result) {
    const std::int64_t prompt = result.prompt_len;
    const std::int64_t fresh = result.new_tokens;
    const std::int64_t before_last = result.new_tokens - 1;
    std::string text = join({"프롬프트 ", prompt, "토큰 뒤에 ", fresh,
                             "토큰을 욕심쟁이로 두 번, 캐시를 켜고 한 번 끄고 한 번 생성했습니다. "});
    if (const auto at = result.first_difference(); !at) {
        text += join(
            {"**새 토큰 ", fresh,
             "개가 모두 같습니다.** 앞 토큰의 K와 V는 뒤에 토큰이 붙어도 바뀌지 않으므로, 꺼내 쓰나 다시 "
             "계산하나 답은 하나입니다.\n\n"});
    } else {
        text += join(
            {"\n\n> **주의: 두 생성의 새 토큰이 서로 다릅니다.** ", *at + 1,
             "번째 새 토큰에서 처음 갈렸습니다(캐시 있음 ", result.ids_with_cache.at(*at), ", 캐시 없음 ",
             result.ids_without_cache.at(*at),
             "). 같은 조건이라면 캐시는 답을 바꿀 수 없습니다. 캐시를 탓하기 전에 두 실행의 조건(샘플링, "
             "난수)과 계산이 정말 같았는지부터 확인해야 합니다.\n\n"});
    }
    text += join({"forward에 들어간 토큰의 식은 캐시가 있으면 ", prompt, " + (", fresh,
                  " − 1) = ", result.formula_with_cache(), "개, 없으면 ", fresh, " × ", prompt, " + ", fresh,
                  " × ", before_last, " ÷ 2 = ", result.formula_without_cache(), "개입니다. "});
    const bool counts_agree = result.fed_with_cache == result.formula_with_cache() &&
                              result.fed_without_cache == result.formula_without_cache();
    text += counts_agree ? "실제로 센 값이 두 식과 꼭 맞습니다."
                         : join({"**실제로 센 값은 ", result.fed_with_cache, "개와 ",
                                 result.fed_without_cache, "개로, 식과 다릅니다.**"});
    return join({text, "\n"});
}

}  // namespace mm
