// What report.md says, over every kind of result a run can have.
#include <gtest/gtest.h>

#include <sstream>

#include "core/lab/json_text.hpp"
#include "synthetic.hpp"

namespace mm::test {
namespace {

void expect_says(const std::string& text, const std::string& phrase) {
    EXPECT_NE(text.find(phrase), std::string::npos) << "missing: " << phrase << "\nin:\n" << text;
}

void expect_silent(const std::string& text, const std::string& phrase) {
    EXPECT_EQ(text.find(phrase), std::string::npos) << "unexpected: " << phrase << "\nin:\n" << text;
}

TEST(Report, HasTheThreeHeadingsOnceAndTheNumbersAsInJson) {
    const TimingResult timing = timing_result(0.0123, 0.456, 0.003);
    const std::string report =
        report_markdown(pair_result(), timing, kv_result(), temperature_result(3, 20, 30, 5),
                        top_p_result({12, 80, 300}, {1, 2, 9}));
    std::vector<std::string> headings;
    std::istringstream lines(report);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("##")) headings.push_back(line);
    }
    EXPECT_EQ(headings, (std::vector<std::string>{"## KV 캐시", "## 온도", "## top-p"}));
    for (const std::string& number :
         {number_text(timing.speedup()), std::string("0.0123"), std::string("0.456"), std::string("204800"),
          std::string("264"), std::string("14880"), std::string("300")}) {
        expect_says(report, "| " + number + " |");
    }
}

TEST(Greedy, SaysSameOrDifferentLoudly) {
    GreedyPairResult pair = pair_result();
    expect_says(to_markdown(pair), "**새 토큰 64개가 모두 같습니다.**");
    expect_says(to_markdown(pair), "실제로 센 값이 두 식과 꼭 맞습니다.");
    pair.ids_without_cache[17] = 999;
    pair.fed_with_cache = 265;
    const std::string text = to_markdown(pair);
    expect_says(text, "> **주의: 두 생성의 새 토큰이 서로 다릅니다.** 18번째 새 토큰에서");
    expect_says(text, "캐시 있음 22, 캐시 없음 999");
    expect_says(text, "**실제로 센 값은 265개와 14880개로, 식과 다릅니다.**");
    expect_silent(text, "모두 같습니다");
}

TEST(Factors, TimeShrankLess) {
    // 0.0123 s / 264 = 46.6 µs; 0.456 s / 14880 = 30.6 µs; first step 15 µs, later (0.0123 − 0.003015) / 63.
    const std::string text = factors_markdown(pair_result(), timing_result(0.0123, 0.456, 0.003015));
    expect_says(text, "왜 시간은 토큰만큼 줄지 않았나");
    expect_says(text, "캐시 있음 46.6 µs, 캐시 없음 30.6 µs입니다");
    expect_says(text, "캐시를 끄면 forward에 토큰이 56.36배 들어가고, 시간은 37.07배 걸립니다(`speedup`)");
    expect_says(text,
                "캐시 쪽 토큰 하나가 1.52배 비싸므로, 시간의 배수는 56.36 ÷ 1.52 ≈ 37.07배에 그쳤습니다");
    expect_says(text, "첫 걸음은 토큰 하나에 15 µs");
    expect_says(text, "63걸음은 147 µs");
    expect_says(text, "토큰 평균 232.5개가 나누어 지지만 캐시 쪽은 토큰 하나가 홀로 지기 때문입니다");
    expect_silent(text, "첫 걸음도 캐시 없는 쪽보다");
}

TEST(Factors, TimeShrankLessBecauseOfTheFirstStep) {
    // Nearly all of the cached run is its first step.
    const std::string text = factors_markdown(pair_result(), timing_result(0.0200, 0.456, 0.0190));
    expect_says(text, "왜 시간은 토큰만큼 줄지 않았나");
    expect_says(text, "처음 마련하는 첫 걸음에서 시간이 더 들었습니다");
    expect_silent(text, "홀로 지기");
}

TEST(Factors, AboutEqual) {
    const std::string text = factors_markdown(pair_result(), timing_result(0.0081, 0.456, 0.0062));
    expect_says(text, "왜 두 배수가 비슷한가");
    expect_says(factors_markdown(pair_result(), timing_result(0.0081, 0.456, 0.0020)),
                "비싼 한 토큰짜리 걸음과 싼 첫 걸음이 서로 메워");
    expect_says(factors_markdown(pair_result(), timing_result(0.0081, 0.456, 0.0078)),
                "비싼 첫 걸음과 싼 한 토큰짜리 걸음이 서로 메워");
    expect_says(text, "두 부분 모두 캐시 없는 쪽의 토큰 하나보다 비싸지 않았습니다");
}

TEST(Factors, TimeShrankMore) {
    std::string text = factors_markdown(pair_result(), timing_result(0.005, 0.456, 0.003));
    expect_says(text, "왜 시간이 토큰보다 더 줄었나");
    expect_says(text, "그쪽에만 다른 비용이 더 들었다는 뜻입니다");
    expect_says(text, "우연한 흔들림으로 보기는 어렵습니다");
    // A first step as dear as the uncached side: 0.0062 / 201 = 30.8 µs; the rest is nearly free.
    text = factors_markdown(pair_result(), timing_result(0.0064, 0.456, 0.0062, 1.5));
    expect_says(text, "아낀 토큰이 고스란히 시간으로 돌아왔습니다");
    expect_says(text, "세 번 잰 시간이 크게 흔들렸으니, 다른 일이 끼어든 탓일 수 있습니다");
}

TEST(Factors, CacheSlowerIsSaidHonestly) {
    const std::string text = factors_markdown(pair_result(), timing_result(0.5, 0.4, 0.1));
    expect_says(text, "**이 실행에서는 캐시를 켠 쪽이 오히려 느렸습니다.**");
    expect_says(text, "토큰은 캐시 없는 쪽의 56.36분의 1만 넣었는데 시간은 1.25배 걸렸습니다");
    expect_says(text, "| 0.8 |");
    expect_silent(text, "빨라졌습니다");
}

TEST(Factors, TheExplanationAddsUp) {
    for (const double with : {0.004, 0.008, 0.02, 0.5}) {
        const GreedyPairResult pair = pair_result();
        const TimingResult timing = timing_result(with, 0.456, with / 3);
        const TokenTimes token = token_times(pair, timing);
        EXPECT_NEAR(pair.token_factor() * token.without_cache / token.with_cache, timing.speedup(), 1e-9);
        EXPECT_NEAR(token.first_step * 201 + token.later_steps * 63, with, 1e-12);
    }
}

TEST(Timing, TellsTheRunsAndWhetherTheyWereSteady) {
    std::string text = to_markdown(timing_result(0.0123, 0.456, 0.003));
    expect_says(text, "캐시 있음 0.01255 · 0.0123 · 0.0123, 캐시 없음 0.456 · 0.456 · 0.4651이고");
    expect_silent(text, "흔들렸으니");
    text = to_markdown(timing_result(0.0123, 0.456, 0.003, 1.4));
    expect_says(text, "1.4배까지 흔들렸으니");
}

TEST(KvBytes, EqualOrNot) {
    KvBytesResult kv = kv_result();
    expect_says(
        to_markdown(kv),
        "2 × 4층 × 100토큰 × KV 헤드 2개 × head_dim 32 × 4바이트 = 204800바이트로, 잰 값과 같습니다.");
    expect_says(to_markdown(kv), "2048바이트씩");
    expect_says(to_markdown(kv), "409600바이트가 되었을");
    expect_says(to_markdown(kv), "229376바이트");
    kv.measured_bytes = kv.reserved_bytes = 409600;
    kv.num_attention_heads = 2;
    expect_says(to_markdown(kv), "잰 값과 **다릅니다**.");
    expect_says(to_markdown(kv), "늘리는 것이 없습니다");
    expect_silent(to_markdown(kv), "미리 잡아 둔");
}

TEST(Temperature, SaysWhatTheCountsShow) {
    std::string text = to_markdown(temperature_result(3, 20, 28));
    expect_says(text, "온도를 올릴수록 서로 다른 답이 늘었습니다(3가지 → 20가지 → 28가지)");
    expect_says(text, "깨진 답(U+FFFD가 든 답)은 하나도 없었습니다");
    expect_says(to_markdown(temperature_result(3, 20, 20)),
                "한 구간에서는 그대로였습니다(3가지 → 20가지 → 20가지)");
    text = to_markdown(temperature_result(3, 30, 30, 4));
    expect_says(text, "온도 1.0에서는 30번 모두 다른 답이 나왔습니다(3가지 → 30가지 → 30가지)");
    expect_says(text, "온도 1.5에서 4번 나왔습니다");
    expect_says(to_markdown(temperature_result(30, 30, 30)), "이미 모든 답이 서로 달라");
    expect_says(to_markdown(temperature_result(1, 1, 1)), "그대로였습니다(1가지 → 1가지 → 1가지)");
    expect_says(to_markdown(temperature_result(9, 5, 12)), "줄어든 구간은 0.3 → 1.0입니다");
    expect_says(to_markdown(temperature_result(9, 5, 2)), "줄어든 구간은 0.3 → 1.0, 1.0 → 1.5입니다");
}

TEST(Temperature, ShowsTheMostFrequentAnswerAsData) {
    TemperatureResult result = temperature_result(3, 30, 30);
    result.rows[0].answers[0].text = "감`\n## 온도\n| 9 |";
    result.rows[1].answers[0].text = "";
    const std::string text = to_markdown(result);
    expect_says(text, "- 온도 0.3: ``감`⏎## 온도⏎| 9 |`` (30번 가운데 28번)\n");
    expect_says(text, "- 온도 1.0: (빈 글) (같은 답이 두 번 나온 적이 없어");
    expect_silent(text, "\n## 온도");
}

TEST(TopP, NamesTheSharperPositionOfThisRun) {
    std::string text = to_markdown(top_p_result({12, 80, 300}, {1, 2, 9}));
    expect_says(text, "| 0.5 | 12 | 1 |\n| 0.9 | 80 | 2 |\n| 0.99 | 300 | 9 |");
    expect_says(text, "후보가 적게 남았습니다");
    expect_says(text, "` 감` 51.2%, `` `|` `` 25%");
    expect_says(to_markdown(top_p_result({1, 2, 9}, {12, 80, 300})), "오히려 후보가 더 많이 남았습니다");
    expect_says(to_markdown(top_p_result({1, 2, 9}, {1, 2, 9})), "말할 수 없습니다");
    expect_says(to_markdown(top_p_result({1, 20, 90}, {2, 10, 90})), "p에 따라 갈렸습니다");
    expect_says(to_markdown(top_p_result({1, 20, 90}, {1, 10, 90})), "후보가 적게 남았습니다");
}

}  // namespace
}  // namespace mm::test
