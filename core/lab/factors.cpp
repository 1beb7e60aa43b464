#include "core/lab/factors.hpp"

#include "core/lab/json_text.hpp"
#include "core/lab/markdown.hpp"

namespace mm {
namespace {

constexpr double kAboutEqual = 0.1;  // factors within a tenth of one another are called alike
constexpr double kClearly = 1.5;     // one thing called much dearer than another

std::string duration(double seconds) {
    if (seconds < 1e-3) return rounded_text(seconds * 1e6, 3) + " µs";
    if (seconds < 1) return rounded_text(seconds * 1e3, 3) + " ms";
    return rounded_text(seconds, 3) + "초";
}

std::string times(double factor) {
    return rounded_text(factor, 4) + "배";
}

// The cached run in its two parts.
std::string cached_parts(const GreedyPairResult& pair, const TokenTimes& token) {
    return "캐시 쪽을 나누어 보면 프롬프트 " + std::to_string(pair.prompt_len) +
           "토큰을 한꺼번에 넣은 첫 걸음은 토큰 하나에 " + duration(token.first_step) +
           ", 한 토큰씩 넣은 나머지 " + std::to_string(pair.new_tokens - 1) + "걸음은 " +
           duration(token.later_steps) + "가 들었습니다. ";
}

// Which part makes a token of the cached side dear.
std::string why_dear(const GreedyPairResult& pair, const TokenTimes& token) {
    const double dear = token.without_cache * (1 + kAboutEqual);
    if (token.later_steps <= dear) {
        return "한 토큰짜리 걸음은 비싸지 않았고, 캐시 자리를 처음 마련하는 첫 걸음에서 시간이 더 "
               "들었습니다.";
    }
    const double tokens_a_step =
        static_cast<double>(pair.fed_without_cache) / static_cast<double>(pair.new_tokens);
    std::string text =
        "걸음마다 드는 고정 비용과 가중치를 읽는 비용을, 캐시 없는 쪽은 한 걸음에 넣는 토큰 평균 " +
        rounded_text(tokens_a_step, 4) + "개가 나누어 지지만 캐시 쪽은 토큰 하나가 홀로 지기 때문입니다.";
    if (token.first_step > dear) text += " 첫 걸음도 캐시 없는 쪽보다 비쌌습니다.";
    return text;
}

// Why a token costs the same on both sides.
std::string why_alike(const TokenTimes& token) {
    const double dear = token.without_cache * (1 + kAboutEqual);
    if (token.later_steps > dear) {
        return "비싼 한 토큰짜리 걸음과 싼 첫 걸음이 서로 메워 평균이 비슷해졌습니다.";
    }
    if (token.first_step > dear) {
        return "비싼 첫 걸음과 싼 한 토큰짜리 걸음이 서로 메워 평균이 비슷해졌습니다.";
    }
    return "두 부분 모두 캐시 없는 쪽의 토큰 하나보다 비싸지 않았습니다.";
}

// Why a token without the cache is the dearer one. Its steps do what the cached run's first step does, so
// that step tells whether feeding many at once costs so much or something slowed the uncached runs.
std::string why_cheap(const TokenTimes& token) {
    if (token.first_step * kClearly < token.without_cache) {
        return "캐시 없는 쪽의 걸음은 이 첫 걸음과 같은 일을 하는데도 토큰 하나가 훨씬 비쌌으니, 그쪽에만 "
               "다른 "
               "비용이 더 들었다는 뜻입니다.";
    }
    return "한 토큰씩 넣는 걸음이 한꺼번에 넣는 걸음보다 비싸지 않아, 아낀 토큰이 고스란히 시간으로 "
           "돌아왔습니다.";
}

std::string steadiness(const TimingResult& timing) {
    if (timing.spread() >= kUnsteady) {
        return "다만 아래에서 보듯 세 번 잰 시간이 크게 흔들렸으니, 다른 일이 끼어든 탓일 수 있습니다.";
    }
    return "아래에서 보듯 세 번 잰 시간이 고르니, 우연한 흔들림으로 보기는 어렵습니다.";
}

std::string reason(const GreedyPairResult& pair, const TimingResult& timing) {
    const TokenTimes token = token_times(pair, timing);
    const double by_tokens = pair.token_factor();
    const double by_time = timing.speedup();
    const double ratio = by_time / by_tokens;  // = time of a token without the cache ÷ with it
    const std::string both = "forward에 들어간 토큰 하나에 든 시간은 캐시 있음 " +
                             duration(token.with_cache) + ", 캐시 없음 " + duration(token.without_cache) +
                             "입니다. ";
    const std::string parts = cached_parts(pair, token);
    if (by_time < 1) {
        return "**이 실행에서는 캐시를 켠 쪽이 오히려 느렸습니다.** 토큰은 캐시 없는 쪽의 " +
               rounded_text(by_tokens, 4) + "분의 1만 넣었는데 시간은 " + times(1 / by_time) +
               " 걸렸습니다. " + both + "캐시 쪽 토큰 하나가 " + times(1 / ratio) +
               " 비싸 아낀 몫을 다 쓰고도 모자랐습니다. " + parts + why_dear(pair, token) + " " +
               steadiness(timing) + " 기계가 한가할 때 3단계를 다시 재 보세요.";
    }
    if (ratio < 1 - kAboutEqual) {
        return "**왜 시간은 토큰만큼 줄지 않았나.** " + both + "캐시 쪽 토큰 하나가 " + times(1 / ratio) +
               " 비싸므로, 시간의 배수는 " + rounded_text(by_tokens, 4) + " ÷ " + rounded_text(1 / ratio, 4) +
               " ≈ " + times(by_time) + "에 그쳤습니다. " + parts + why_dear(pair, token);
    }
    if (ratio <= 1 + kAboutEqual) {
        return "**왜 두 배수가 비슷한가.** " + both +
               "토큰 하나의 값이 양쪽에서 거의 같으니, 토큰을 아낀 만큼 시간도 줄었습니다. " + parts +
               why_alike(token);
    }
    return "**왜 시간이 토큰보다 더 줄었나.** " + both + "캐시 없는 쪽 토큰 하나가 " + times(ratio) +
           " 비싸므로, 시간의 배수는 " + rounded_text(by_tokens, 4) + " × " + rounded_text(ratio, 4) + " ≈ " +
           times(by_time) + "까지 커졌습니다. " + parts + why_cheap(token) + " " + steadiness(timing);
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
    text += "캐시를 끄면 forward에 토큰이 " + times(pair.token_factor()) + " 들어가고, 시간은 " +
            times(timing.speedup()) + " 걸립니다(`speedup`).\n\n";
    return text + reason(pair, timing) + "\n";
}

}  // namespace mm
