// Step 5 in the report: the counts and answers of each temperature, in Korean.
#include "core/lab/temperature.hpp"

#include <algorithm>

#include "core/base/join.hpp"
#include "core/lab/json_text.hpp"
#include "core/lab/markdown.hpp"

namespace mm {
namespace {

std::size_t answer_count(const TemperatureRow& row) {
    std::size_t count = 0;
    for (const AnswerGroup& group : row.answers) count += group.count;
    return count;
}

// What the three counts show, from the counts alone.
std::string trend(const TemperatureResult& result) {
    const std::vector<TemperatureRow>& rows = result.rows;
    const std::size_t first = rows.front().distinct();
    const std::size_t last = rows.back().distinct();
    std::string counts;
    for (const TemperatureRow& row : rows) {
        if (!counts.empty()) counts += " → ";
        counts += join({row.distinct(), "가지"});
    }
    std::string fell;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].distinct() >= rows[i - 1].distinct()) continue;
        if (!fell.empty()) fell += ", ";
        fell += join({number_text(rows[i - 1].temperature), " → ", number_text(rows[i].temperature)});
    }
    if (!fell.empty()) {
        return join({"이 실행에서는 온도를 올려도 서로 다른 답이 꾸준히 늘지 않았습니다(", counts,
                     "). 오히려 줄어든 구간은 ", fell, "입니다."});
    }
    if (first == last) {
        if (first == answer_count(rows.front())) {
            return join(
                {"가장 낮은 온도에서 이미 모든 답이 서로 달라, 온도를 올려도 더 늘 자리가 없었습니다(",
                 counts, ")."});
        }
        return join({"이 실행에서는 온도를 올려도 서로 다른 답의 수가 그대로였습니다(", counts, ")."});
    }
    const std::size_t asked = answer_count(rows.front());
    const auto all_differ = std::find_if(
        rows.begin(), rows.end(), [asked](const TemperatureRow& row) { return row.distinct() == asked; });
    const bool plateau = std::adjacent_find(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
                             return a.distinct() == b.distinct();
                         }) != rows.end();
    std::string grew = "온도를 올릴수록 서로 다른 답이 늘었습니다(";
    if (all_differ != rows.end()) {
        grew = join({"온도를 올리자 서로 다른 답이 늘어, 온도 ", number_text(all_differ->temperature),
                     "에서는 ", asked, "번 모두 다른 답이 나왔습니다("});
    } else if (plateau) {
        grew = "온도를 올리자 서로 다른 답이 늘었지만 한 구간에서는 그대로였습니다(";
    }
    return join({grew, counts, "). 온도가 높을수록 확률이 고르게 퍼져 드문 토큰도 뽑히기 때문입니다."});
}

std::string broken_text(const TemperatureResult& result) {
    std::string where;
    for (const TemperatureRow& row : result.rows) {
        if (row.broken() == 0) continue;
        if (!where.empty()) where += ", ";
        where += join({"온도 ", number_text(row.temperature), "에서 ", row.broken(), "번"});
    }
    if (where.empty()) return "글자가 깨진 답(U+FFFD가 든 답)은 하나도 없었습니다.";
    return join({"글자가 깨진 답(U+FFFD가 든 답)은 ", where,
                 " 나왔습니다. 한 글자를 이루는 바이트 토큰의 짝이 맞지 않게 뽑힌 것입니다."});
}

}  // namespace

std::string to_markdown(const TemperatureResult& result) {
    const std::string asked = std::to_string(answer_count(result.rows.front()));
    std::string text = join({"SFT 모델에게 ", code_span(kLabQuestion), " 하고 온도마다 ", asked,
                             "번씩 물었습니다. 온도마다 난수 시드를 0으로 다시 맞추었으니 달라진 것은 "
                             "온도뿐입니다. 난수는 PyTorch와 같은 차례로 "
                             "나옵니다(흐름 이름: `",
                             to_string(result.rng), "`).\n\n"});
    text += table_row({"온도", "서로 다른 답", "글자가 깨진 답", "가장 잦은 답의 횟수"});
    text += table_row({"--:", "--:", "--:", "--:"});
    for (const TemperatureRow& row : result.rows) {
        text += table_row(
            {number_text(row.temperature), row.distinct(), row.broken(), row.answers.front().count});
    }
    text += '\n';
    text += join({trend(result), " ", broken_text(result), "\n\n가장 잦은 답:\n\n"});
    for (const TemperatureRow& row : result.rows) {
        const AnswerGroup& top = row.answers.front();
        text += join({"- 온도 ", number_text(row.temperature), ": ", code_span(top.text)});
        if (top.count == 1) {
            text += " (같은 답이 두 번 나온 적이 없어 맨 처음 것을 적었습니다)\n";
        } else {
            text += " (";
            text += join({asked, "번 가운데 ", top.count, "번)\n"});
        }
    }
    return join(
        {text,
         "\n세 온도 모두 캐시를 켠 채 생성했습니다. 답을 바꾸는 것은 뽑는 방법이지 캐시가 아닙니다.\n"});
}

}  // namespace mm
