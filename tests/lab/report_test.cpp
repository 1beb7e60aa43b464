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
    const TimingSummary timing = timing_result(0.0123, 0.456, 0.003).summary();
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
         {number_text(timing.speedup), std::string("0.0123"), std::string("0.456"), std::string("204800"),
          std::string("264"), std::string("14880"), std::string("300")}) {
        expect_says(report, "| " + number + " |");
    }
}

TEST(Report, IsTheSameFromATimeFileReadBack) {
    const TimingSummary measured = timing_result(0.034442162, 1.397321251, 0.0165, 1.4).summary();
    const TimingSummary read = read_time_json(to_json(measured), "time.json");
    EXPECT_EQ(to_json(read), to_json(measured));
    const auto report = [](const TimingSummary& timing) {
        return report_markdown(pair_result(), timing, kv_result(), temperature_result(3, 20, 30),
                               top_p_result({12, 80, 300}, {1, 2, 9}));
    };
    EXPECT_EQ(report(read), report(measured));
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

TimingSummary times(double with, double without) {
    return {.with_cache_s = with, .without_cache_s = without, .speedup = without / with};
}

TEST(Factors, TimeShrankLess) {
    // 0.0123 s / 264 = 46.6 µs; 0.456 s / 14880 = 30.6 µs. Solved: token (0.456 − 0.0123) / 14616 = 30.36 µs,
    // step (0.0123 − 264 × 30.36 µs) / 64 = 67.0 µs, 64 of them 34.8 % of one side and 0.94 % of the other.
    const std::string text = factors_markdown(pair_result(), times(0.0123, 0.456));
    expect_says(text, "왜 시간은 토큰만큼 줄지 않았나");
    expect_says(text, "캐시 있음 46.6 µs, 캐시 없음 30.6 µs입니다");
    expect_says(text, "캐시를 끄면 forward에 토큰이 56.36배 들어가고, 시간은 37.07배 걸립니다(`speedup`)");
    expect_says(text,
                "캐시 쪽 토큰 하나가 1.52배 비싸므로, 시간의 배수는 56.36 ÷ 1.52 ≈ 37.07배에 그쳤습니다");
    expect_says(text,
                "양쪽 다 64번인데, 캐시 없는 쪽은 한 걸음에 평균 232.5토큰을 넣고 캐시 쪽은 첫 걸음에 "
                "201토큰, 나머지 63걸음에는 한 토큰씩만");
    expect_says(text, "걸음값은 67 µs, 토큰값은 30.4 µs입니다");
    expect_says(text, "캐시 쪽에서는 시간의 34.8%를 차지하지만 캐시 없는 쪽에서는 0.94%뿐입니다");
}

TEST(Factors, AboutEqual) {
    for (const double with : {0.0076, 0.0081, 0.0088}) {
        const std::string text = factors_markdown(pair_result(), times(with, 0.456));
        expect_says(text, "왜 두 배수가 비슷한가");
        expect_silent(text, "토큰값은");
    }
}

TEST(Factors, TimeShrankMore) {
    const std::string text = factors_markdown(pair_result(), times(0.005, 0.456));
    expect_says(text, "왜 시간이 토큰보다 더 줄었나");
    expect_says(text, "캐시 없는 쪽 토큰 하나가 1.618배 비싸므로");
    expect_says(text, "걸음마다 한 번 드는 값은 토큰이 많을수록 잘게 나뉘므로 이 차이를 만들 수 없습니다");
    expect_silent(text, "토큰값은");
}

TEST(Factors, CacheSlowerIsSaidHonestly) {
    const std::string text = factors_markdown(pair_result(), times(0.5, 0.4));
    expect_says(text, "**이 실행에서는 캐시를 켠 쪽이 오히려 느렸습니다.**");
    expect_says(text, "토큰은 캐시 없는 쪽의 56.36분의 1만 넣었는데 시간은 1.25배 걸렸습니다");
    expect_says(text, "| 0.8 |");
    expect_silent(text, "토큰값은");
}

TEST(Factors, EqualTimesAreAllStep) {
    const std::string text = factors_markdown(pair_result(), times(0.5, 0.5));
    expect_says(text, "왜 시간은 토큰만큼 줄지 않았나");
    expect_says(text, "걸음값은 7.81 ms, 토큰값은 0 µs입니다");
    expect_says(text, "캐시 쪽에서는 시간의 100%를 차지하지만");
}

TEST(Factors, TheExplanationAddsUp) {
    for (const double with : {0.004, 0.008, 0.02, 0.5}) {
        const GreedyPairResult pair = pair_result();
        const TimingSummary given = times(with, 0.456);
        const TokenTimes token = token_times(pair, given);
        EXPECT_NEAR(pair.token_factor() * token.without_cache / token.with_cache, given.speedup, 1e-9);
        const std::optional<StepCost> cost = step_cost(pair, given);
        ASSERT_EQ(cost.has_value(), with >= 0.456 * 264 / 14880 && with <= 0.456) << with;
        if (!cost) continue;
        EXPECT_NEAR(64 * cost->step + 264 * cost->token, given.with_cache_s, 1e-12);
        EXPECT_NEAR(64 * cost->step + 14880 * cost->token, given.without_cache_s, 1e-12);
    }
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
