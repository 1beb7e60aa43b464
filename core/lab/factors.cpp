#include "core/lab/factors.hpp"

#include "core/lab/json_text.hpp"
#include "core/lab/markdown.hpp"

namespace mm {
namespace {

constexpr double kAboutEqual = 0.1;  // factors within a tenth of one another are called alike
constexpr double kUnsteady = 1.2;    // longest ÷ shortest run above this leaves the cause open

std::string duration(double seconds) {
    if (seconds < 1e-3) return rounded_text(seconds * 1e6, 3) + " µs";
    if (seconds < 1) return rounded_text(seconds * 1e3, 3) + " ms";
    return rounded_text(seconds, 3) + "초";
}

std::string times(double factor) {
    return rounded_text(factor, 4) + "배";
}

// Where the cached side's time of a token comes from.
std::string cached_parts(const GreedyPairResult& pair, const TokenTimes& token) {
    const std::string first = duration(token.first_step);
    const std::string later = duration(token.later_steps);
    std::string text = "캐시 쪽을 나누어 보면 프롬프트 " + std::to_string(pair.prompt_len) +
                       "토큰을 한꺼번에 넣은 첫 걸음은 토큰 하나에 " + first + ", 한 토큰씩 넣은 나머지 " +
                       std::to_string(pair.new_tokens - 1) + "걸음은 " + later + "가 들었습니다. ";
    const bool later_dear = token.later_steps > token.without_cache * (1 + kAboutEqual);
    const bool first_dear = token.first_step > token.without_cache * (1 + kAboutEqual);
    if (later_dear) {
        text +=
            "걸음마다 드는 고정 비용과 가중치를 읽는 비용을 캐시 없는 쪽은 한 걸음의 토큰 수백 개가 나누어 "
            "지지만, 캐시 쪽은 토큰 하나가 홀로 지기 때문입니다.";
        if (first_dear) text += " 첫 걸음도 캐시 없는 쪽보다 비쌌습니다.";
    } else if (first_dear) {
        text +=
            "한 토큰짜리 걸음은 비싸지 않았고, 캐시 자리를 처음 마련하는 첫 걸음에서 시간이 더 들었습니다.";
    } else {
        text += "두 부분 모두 캐시 없는 쪽의 토큰 하나보다 비싸지 않았습니다.";
    }
    return text;
}

std::string steadiness(const TimingResult& timing) {
    const std::string spread = rounded_text(timing.spread(), 3);
    if (timing.spread() >= kUnsteady) {
        return "다만 같은 실행을 세 번 잰 값도 " + spread +
               "배까지 벌어졌으니, 다른 일이 끼어든 탓일 수 있습니다.";
    }
    return "세 번 잰 값의 벌어짐은 " + spread + "배뿐이라 우연한 흔들림으로 보기는 어렵습니다.";
}

std::string reason(const GreedyPairResult& pair, const TimingResult& timing) {
    const TokenTimes token = token_times(pair, timing);
    const double by_tokens = pair.token_factor();
    const double by_time = timing.speedup();
    const double ratio = by_time / by_tokens;  // = time of a token without the cache ÷ with it
    const std::string both = "forward에 들어간 토큰 하나에 든 시간은 캐시 있음 " +
                             duration(token.with_cache) + ", 캐시 없음 " + duration(token.without_cache) +
                             "입니다. ";
    if (by_time < 1) {
        return "**이 실행에서는 캐시를 켠 쪽이 오히려 느렸습니다.** 넣은 토큰은 " + times(by_tokens) +
               " 적은데 시간은 " + times(1 / by_time) + " 들었습니다. " + both + "캐시 쪽 토큰 하나가 " +
               times(1 / ratio) + " 비싸 아낀 몫을 다 쓰고도 모자랐습니다. " + cached_parts(pair, token) +
               " " + steadiness(timing) + " 기계가 한가할 때 3단계를 다시 재 보세요.";
    }
    if (ratio < 1 - kAboutEqual) {
        return "**왜 시간은 토큰만큼 줄지 않았나.** " + both + "캐시 쪽 토큰 하나가 " + times(1 / ratio) +
               " 비싸므로 " + rounded_text(by_tokens, 4) + " ÷ " + rounded_text(1 / ratio, 4) + " ≈ " +
               rounded_text(by_time, 4) + ", 곧 약 " + times(by_time) + "만 빨라졌습니다. " +
               cached_parts(pair, token);
    }
    if (ratio <= 1 + kAboutEqual) {
        return "**왜 두 배수가 비슷한가.** " + both +
               "토큰 하나의 값이 양쪽에서 거의 같으니, 토큰을 아낀 만큼 시간도 줄었습니다. " +
               cached_parts(pair, token);
    }
    return "**왜 시간이 토큰보다 더 줄었나.** " + both + "캐시 없는 쪽 토큰 하나가 " + times(ratio) +
           " 비싸므로 " + rounded_text(by_tokens, 4) + " × " + rounded_text(ratio, 4) + " ≈ " +
           rounded_text(by_time, 4) + ", 곧 약 " + times(by_time) +
           " 빨라졌습니다. 걸음마다 전체를 다시 넣으면서도 한꺼번에 넣는 이득을 보지 못한 셈입니다. " +
           cached_parts(pair, token) + " " + steadiness(timing);
}

}  // namespace

TokenTimes token_times(const GreedyPairResult& pair, const TimingResult& timing) {
    const TimedRun& with = timing.with_cache_median();
    TokenTimes times_of;
    times_of.with_cache = with.seconds / static_cast<double>(pair.fed_with_cache);
    times_of.without_cache =
        timing.without_cache_median().seconds / static_cast<double>(pair.fed_without_cache);
    times_of.first_step = with.first_step_seconds / static_cast<double>(pair.prompt_len);
    times_of.later_steps =
        (with.seconds - with.first_step_seconds) / static_cast<double>(pair.new_tokens - 1);
    return times_of;
}

std::string factors_markdown(const GreedyPairResult& pair, const TimingResult& timing) {
    std::string text = table_row({"", "캐시 있음", "캐시 없음", "배수 (없음 ÷ 있음)"});
    text += table_row({":--", "--:", "--:", "--:"});
    text += table_row({"forward에 들어간 토큰 (개)", std::to_string(pair.fed_with_cache),
                       std::to_string(pair.fed_without_cache), rounded_text(pair.token_factor(), 4)});
    text += table_row({"생성 시간 (초)", number_text(timing.with_cache_median().seconds),
                       number_text(timing.without_cache_median().seconds), number_text(timing.speedup())});
    text += '\n';
    text += "캐시 덕분에 넣는 토큰은 " + times(pair.token_factor()) + " 줄었고, 시간으로 보면 " +
            times(timing.speedup()) + "입니다(`speedup`).\n\n";
    return text + reason(pair, timing) + "\n";
}

}  // namespace mm
