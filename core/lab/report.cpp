#include "core/lab/report.hpp"

#include "core/base/join.hpp"
#include "core/lab/factors.hpp"

namespace mm {

std::string report_markdown(const GreedyPairResult& pair, const TimingSummary& times,
                            const KvBytesResult& kv_bytes, const TemperatureResult& temperature,
                            const TopPResult& top_p) {
    return join(
        {"# 추론 비용과 뽑기의 기록\n\n"
         "곁에 있는 JSON 파일들을 만든 바로 그 실행의 기록입니다. JSON에 있는 숫자는 적힌 그대로 옮겼고, "
         "그 숫자로 "
         "셈한 값만 유효 숫자 서너 자리로 줄였습니다.\n\n"
         "## KV 캐시\n\n",
         to_markdown(pair), "\n", factors_markdown(pair, times), "\n", to_markdown(kv_bytes), "\n## 온도\n\n",
         to_markdown(temperature), "\n## top-p\n\n", to_markdown(top_p)});
}

}  // namespace mm
