#include "core/lab/factors.hpp"

#include "core/base/join.hpp"
#include "core/lab/json_text.hpp"
#include "core/lab/markdown.hpp"

namespace mm {
namespace {

constexpr double kAboutEqual = 0.1;  // factors within a tenth of one another are called alike

std::string duration(double seconds) {
    if (seconds < 1e-3) return join({rounded_text(seconds * 1e6, 3), " µs"});
    if (seconds < 1) return join({rounded_text(seconds * 1e3, 3), " ms"});
    return join({rounded_text(seconds, 3), "초"});
}

std::string times_text(double factor) {
    return join({rounded_text(factor, 4), "배"});
}

std::string percent(double part) {
    return join({rounded_text(part * 100, 3), "%"});
}

std::string tokens_a_step(const GreedyPairResult& pair) {
    return rounded_text(static_cast<double>(pair.fed_without_cache) / static_cast<double>(pair.new_tokens),
                        4);
}

// Who shares the cost of a step, on each side.
std::string steps_of_both(const GreedyPairResult& pair) {
    return join({"걸음(forward 한 번)은 양쪽 다 ", pair.new_tokens, "번인데, 캐시 없는 쪽은 한 걸음에 평균 ",
                 tokens_a_step(pair), "토큰을 넣고 캐시 쪽은 첫 걸음에 ", pair.prompt_len, "토큰, 나머지 ",
                 pair.new_tokens - 1, "걸음에는 한 토큰씩만 넣습니다. "});
}

std::string solved(const GreedyPairResult& pair, const TimingSummary& times) {
    const std::optional<StepCost> cost = step_cost(pair, times);
    if (!cost) return "";
    const double all_steps = static_cast<double>(pair.new_tokens) * cost->step;
    return join({" 한 걸음의 시간을 '걸음값 + 토큰값 × 넣은 토큰 수'로 보고 두 시간에서 풀면 걸음값은 ",
                 duration(cost->step), ", 토큰값은 ", duration(cost->token), "입니다. 걸음값 ",
                 pair.new_tokens, "번이 캐시 쪽에서는 시간의 ", percent(all_steps / times.with_cache_s),
                 "를 차지하지만 캐시 없는 쪽에서는 ", percent(all_steps / times.without_cache_s),
                 "뿐입니다."});
}

std::string reason(const GreedyPairResult& pair, const TimingSummary& times) {
    const TokenTimes token = token_times(pair, times);
    const double by_tokens = pair.token_factor();
    const double ratio = token.without_cache / token.with_cache;
    const std::string factor = rounded_text(by_tokens, 4);
    const std::string both =
        join({"forward에 들어간 토큰 하나에 든 시간은 캐시 있음 ", duration(token.with_cache), ", 캐시 없음 ",
              duration(token.without_cache), "입니다. "});
    if (times.without_cache_s < times.with_cache_s) {
        return join({"**이 실행에서는 캐시를 켠 쪽이 오히려 느렸습니다.** 토큰은 캐시 없는 쪽의 ", factor,
                     "분의 1만 넣었는데 시간은 ", times_text(1 / times.speedup), " 걸렸습니다. ", both,
                     "캐시 쪽 토큰 하나가 ", times_text(1 / ratio),
                     " 비싸 아낀 몫을 다 쓰고도 모자랐습니다. 걸음(forward 한 번)은 양쪽 다 ",
                     pair.new_tokens,
                     "번이니, 걸음마다 드는 값과 토큰마다 드는 값만으로는 토큰을 적게 넣은 쪽이 더 느릴 수 "
                     "없습니다. 재는 동안 다른 일이 끼어들었는지, 캐시를 다루는 일이 그만큼 비쌌는지는 이 "
                     "숫자들로 알 수 없습니다. 기계가 한가할 때 3단계를 다시 재 보세요."});
    }
    if (ratio < 1 - kAboutEqual) {
        return join({"**왜 시간은 토큰만큼 줄지 않았나.** ", both, "캐시 쪽 토큰 하나가 ",
                     times_text(1 / ratio), " 비싸므로, 시간의 배수는 ", factor, " ÷ ",
                     rounded_text(1 / ratio, 4), " ≈ ", times_text(times.speedup), "에 그쳤습니다. ",
                     steps_of_both(pair),
                     "토큰을 몇 개 넣든 걸음마다 한 번 드는 값(가중치를 읽는 일 따위)을 한쪽은 토큰 ",
                     tokens_a_step(pair), "개가 나누어 지고 다른 쪽은 토큰 하나가 홀로 집니다.",
                     solved(pair, times)});
    }
    if (ratio <= 1 + kAboutEqual) {
        return join(
            {"**왜 두 배수가 비슷한가.** ", both,
             "토큰 하나의 값이 양쪽에서 거의 같으니, 토큰을 아낀 만큼 시간도 줄었습니다. ",
             steps_of_both(pair),
             "그런데도 토큰 하나의 값이 같다면, 토큰 수와 상관없이 걸음마다 한 번 드는 값은 이 실행에서 "
             "거의 드러나지 않은 것입니다."});
    }
    return join(
        {"**왜 시간이 토큰보다 더 줄었나.** ", both, "캐시 없는 쪽 토큰 하나가 ", times_text(ratio),
         " 비싸므로, 시간의 배수는 ", factor, " × ", rounded_text(ratio, 4), " ≈ ", times_text(times.speedup),
         "까지 커졌습니다. ", steps_of_both(pair),
         "걸음마다 한 번 드는 값은 토큰이 많을수록 잘게 나뉘므로 이 차이를 만들 수 없습니다. 많은 토큰을 "
         "한꺼번에 넣은 쪽의 토큰이 오히려 비쌌다는 것까지가 이 숫자들이 말하는 것입니다. 우연인지는 "
         "3단계를 다시 재 보면 드러납니다."});
}

}  // namespace

TokenTimes token_times(const GreedyPairResult& pair, const TimingSummary& times) {
    return {.with_cache = times.with_cache_s / static_cast<double>(pair.fed_with_cache),
            .without_cache = times.without_cache_s / static_cast<double>(pair.fed_without_cache)};
}

std::optional<StepCost> step_cost(const GreedyPairResult& pair, const TimingSummary& times) {
    if (pair.fed_without_cache <= pair.fed_with_cache) return std::nullopt;
    const auto with = static_cast<double>(pair.fed_with_cache);
    const auto without = static_cast<double>(pair.fed_without_cache);
    StepCost cost;
    cost.token = (times.without_cache_s - times.with_cache_s) / (without - with);
    cost.step = (times.with_cache_s - with * cost.token) / static_cast<double>(pair.new_tokens);
    if (!(cost.token >= 0 && cost.step >= 0)) return std::nullopt;
    return cost;
}

std::string factors_markdown(const GreedyPairResult& pair, const TimingSummary& times) {
    std::string text = table_row({"", "캐시 있음", "캐시 없음", "배수 (없음 ÷ 있음)"});
    text += table_row({":--", "--:", "--:", "--:"});
    text += table_row({"forward에 들어간 토큰 (개)", pair.fed_with_cache, pair.fed_without_cache,
                       rounded_text(pair.token_factor(), 4)});
    text += table_row({"생성 시간 (초)", number_text(times.with_cache_s), number_text(times.without_cache_s),
                       number_text(times.speedup)});
    text += '\n';
    text += join({"캐시를 끄면 forward에 토큰이 ", times_text(pair.token_factor()), " 들어가고, 시간은 ",
                  times_text(times.speedup), " 걸립니다(`speedup`).\n\n"});
    return join({text, reason(pair, times), "\n"});
}

}  // namespace mm
