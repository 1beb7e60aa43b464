// Step 6 in the report: both positions and their candidates, in Korean.
#include "core/lab/top_p.hpp"

#include "core/base/join.hpp"
#include "core/lab/json_text.hpp"
#include "core/lab/markdown.hpp"

namespace mm {
namespace {

std::string candidates_text(const TopPPosition& position) {
    std::string text;
    for (const Candidate& candidate : position.top) {
        if (!text.empty()) text += ", ";
        text += join({code_span(candidate.text, 20), " ", rounded_text(candidate.probability * 100, 3), "%"});
    }
    return text;
}

// Which position is sharper is found from the counts, not from the name the lab gave it.
std::string comparison(const TopPResult& result) {
    std::size_t sharper = 0;
    std::size_t broader = 0;
    std::string pairs;
    for (std::size_t i = 0; i < result.broad.survivors.size(); ++i) {
        const std::size_t broad = result.broad.survivors[i].count;
        const std::size_t sharp = result.sharp.survivors[i].count;
        sharper += sharp < broad;
        broader += sharp > broad;
        if (!pairs.empty()) pairs += ", ";
        pairs +=
            join({"p = ", number_text(result.broad.survivors[i].p), "에서 ", broad, "개와 ", sharp, "개"});
    }
    const std::string broad_name = join({code_span(result.broad.text), " 뒤"});
    const std::string sharp_name = join({code_span(result.sharp.text), " 뒤"});
    if (broader == 0 && sharper > 0) {
        return join(
            {"같은 p라도 ", sharp_name, "에는 ", broad_name, "보다 후보가 적게 남았습니다(", pairs,
             "). 확률이 몇 토큰에 몰린 뾰족한 자리일수록 누적합이 p를 빨리 넘기기 때문입니다. top-p는 남길 "
             "개수를 정하지 않고, 자리마다 모양에 맞추어 자릅니다."});
    }
    if (sharper == 0 && broader > 0) {
        return join({"실습은 ", sharp_name,
                     "를 뾰족한 자리로 꼽지만, **이 모델에서는 오히려 후보가 더 많이 남았습니다**(", pairs,
                     "). 이 모델이 그 자리의 답을 뚜렷이 배우지 못해 확률이 넓게 퍼져 있다는 뜻입니다."});
    }
    if (sharper == 0) {
        return join({"두 자리에서 남은 후보의 수가 같아(", pairs,
                     "), 이 모델에서는 어느 쪽이 더 뾰족하다고 말할 수 없습니다."});
    }
    return join({"어느 자리가 더 뾰족한지는 p에 따라 갈렸습니다(", pairs,
                 "). 맨 앞 몇 토큰의 몰림과 긴 꼬리의 길이가 서로 다른 모양이라는 뜻입니다."});
}

}  // namespace

std::string to_markdown(const TopPResult& result) {
    std::string text =
        "다음 토큰의 분포를 온도 1에서 확률이 높은 차례로 늘어놓고, 누적합이 p를 처음 넘기는 토큰까지 "
        "남겼습니다.\n\n";
    text += table_row(
        {"p", join({code_span(result.broad.text), " 뒤"}), join({code_span(result.sharp.text), " 뒤"})});
    text += table_row({"--:", "--:", "--:"});
    for (std::size_t i = 0; i < result.broad.survivors.size(); ++i) {
        text += table_row({number_text(result.broad.survivors[i].p), result.broad.survivors[i].count,
                           result.sharp.survivors[i].count});
    }
    text += '\n';
    text += join({comparison(result), "\n\n확률이 가장 높은 토큰:\n\n"});
    for (const TopPPosition* position : {&result.broad, &result.sharp}) {
        text += join({"- ", code_span(position->text), " 뒤: ", candidates_text(*position), "\n"});
    }
    return text;
}

}  // namespace mm
