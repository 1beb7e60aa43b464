#include "core/lab/checks/check_list.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/base/json.hpp"

namespace mm {
namespace {

constexpr std::array kChecks{
    CheckDefinition{"folder", 0, "폴더를 읽을 수 있다", "文件夹可读", "the folder can be read"},
    CheckDefinition{"cache.file", 1, "cache.py 가 있다", "有 cache.py", "cache.py is there"},
    CheckDefinition{"cache.both_ways", 5, "generate 를 캐시 있이·없이 부른다",
                    "用有缓存和无缓存两种方式调用 generate", "generate is called with and without the cache"},
    CheckDefinition{"same.file", 1, "same.json 을 읽을 수 있다", "same.json 可读", "same.json can be read"},
    CheckDefinition{"same.keys", 1, "필요한 키와 꼴", "所需的键和类型", "required keys and types"},
    CheckDefinition{"same.prompt_len", 2, "프롬프트 길이", "提示词长度", "length of the prompt"},
    CheckDefinition{"same.new_tokens", 2, "새 토큰의 수", "新标记数", "number of new tokens"},
    CheckDefinition{"same.ids", 8, "기준 실행과 같은 id", "id 与基准运行相同",
                    "ids equal to the reference run"},
    CheckDefinition{"same.same_ids", 2, "캐시가 있든 없든 같다", "有无缓存结果相同",
                    "the same with and without cache"},
    CheckDefinition{"count.file", 1, "count.json 을 읽을 수 있다", "count.json 可读",
                    "count.json can be read"},
    CheckDefinition{"count.keys", 1, "필요한 키와 꼴", "所需的键和类型", "required keys and types"},
    CheckDefinition{"count.prompt_len", 1, "프롬프트 길이", "提示词长度", "length of the prompt"},
    CheckDefinition{"count.new_tokens", 1, "새 토큰의 수", "新标记数", "number of new tokens"},
    CheckDefinition{"count.fed_with_cache", 5, "캐시가 있을 때 들어간 토큰", "有缓存时输入的标记数",
                    "tokens fed with the cache"},
    CheckDefinition{"count.fed_without_cache", 5, "캐시가 없을 때 들어간 토큰", "无缓存时输入的标记数",
                    "tokens fed without the cache"},
    CheckDefinition{"time.file", 1, "time.json 을 읽을 수 있다", "time.json 可读", "time.json can be read"},
    CheckDefinition{"time.keys", 1, "필요한 키와 꼴", "所需的键和类型", "required keys and types"},
    CheckDefinition{"time.positive", 3, "시간이 0보다 크다", "时间大于 0", "times are above 0"},
    CheckDefinition{"time.cache_faster", 3, "캐시가 있는 쪽이 빠르다", "有缓存更快",
                    "the cache side is faster"},
    CheckDefinition{"time.speedup", 4, "speedup 은 두 시간의 비다", "speedup 是两个时间之比",
                    "speedup is the ratio of the times"},
    CheckDefinition{"kvbytes.file", 1, "kvbytes.json 을 읽을 수 있다", "kvbytes.json 可读",
                    "kvbytes.json can be read"},
    CheckDefinition{"kvbytes.keys", 1, "필요한 키와 꼴", "所需的键和类型", "required keys and types"},
    CheckDefinition{"kvbytes.tokens", 1, "토큰의 수", "标记数", "number of tokens"},
    CheckDefinition{"kvbytes.measured_bytes", 5, "잰 바이트", "测得的字节数", "measured bytes"},
    CheckDefinition{"kvbytes.formula_bytes", 4, "식으로 계산한 바이트", "公式计算的字节数",
                    "bytes by the formula"},
    CheckDefinition{"kvbytes.k_shape", 2, "첫 층 K 의 모양", "第一层 K 的形状",
                    "shape of the first layer's K"},
    CheckDefinition{"temp.file", 1, "temp.json 을 읽을 수 있다", "temp.json 可读", "temp.json can be read"},
    CheckDefinition{"temp.keys", 1, "필요한 키와 꼴", "所需的键和类型", "required keys and types"},
    CheckDefinition{"temp.distinct_0.3", 4, "온도 0.3 의 서로 다른 답", "温度 0.3 的不同答案",
                    "different answers at 0.3"},
    CheckDefinition{"temp.distinct_1.0", 4, "온도 1.0 의 서로 다른 답", "温度 1.0 的不同答案",
                    "different answers at 1.0"},
    CheckDefinition{"temp.distinct_1.5", 4, "온도 1.5 의 서로 다른 답", "温度 1.5 的不同答案",
                    "different answers at 1.5"},
    CheckDefinition{"topp.file", 1, "topp.json 을 읽을 수 있다", "topp.json 可读", "topp.json can be read"},
    CheckDefinition{"topp.keys", 1, "필요한 키와 꼴", "所需的键和类型", "required keys and types"},
    CheckDefinition{"topp.survivors_0.5", 4, "p=0.5 에서 남는 후보", "p=0.5 时保留的候选",
                    "survivors at p = 0.5"},
    CheckDefinition{"topp.survivors_0.9", 4, "p=0.9 에서 남는 후보", "p=0.9 时保留的候选",
                    "survivors at p = 0.9"},
    CheckDefinition{"topp.survivors_0.99", 4, "p=0.99 에서 남는 후보", "p=0.99 时保留的候选",
                    "survivors at p = 0.99"},
    CheckDefinition{"report.file", 1, "report.md 를 읽을 수 있다", "report.md 可读", "report.md can be read"},
    CheckDefinition{"report.headings", 3, "세 절의 제목", "三个小节标题", "the three headings"},
    CheckDefinition{"report.speedup", 3, "speedup 이 적힌 그대로", "原样写出 speedup", "speedup as written"},
    CheckDefinition{"report.measured_bytes", 3, "measured_bytes 가 적힌 그대로", "原样写出 measured_bytes",
                    "measured_bytes as written"},
};

constexpr double kMostPoints = 1e6;

bool known(std::string_view name) {
    return std::any_of(kChecks.begin(), kChecks.end(), [&](const CheckDefinition& check) {
        return check.id == name || check.group() == name;
    });
}

}  // namespace

std::string_view CheckDefinition::title(Language language) const {
    switch (language) {
        case Language::ko:
            return ko;
        case Language::zh:
            return zh;
        case Language::en:
            return en;
    }
    throw_error(ErrorKind::internal, "unknown language");
}

std::span<const CheckDefinition> check_list() {
    return kChecks;
}

Points default_points() {
    Points points;
    for (const CheckDefinition& check : kChecks) points.push_back(check.points);
    return points;
}

Points parse_weights(std::string_view json, const std::string& file) {
    const Json weights = parse_json(json, file, {.max_depth = 4, .max_bytes = std::size_t{1} << 20});
    const auto fail = [&file](const std::string& field, const std::string& what) {
        throw_error(ErrorKind::format, what, {.file = file, .field = field});
    };
    if (!weights.is_object()) fail("", "must be one JSON object from check ids or groups to points");
    for (const auto& [name, value] : weights.items()) {
        if (!known(name)) fail(name, "no check and no group of checks has this name");
        const double points = value.is_number() ? value.get<double>() : -1;
        if (!(points >= 0 && points <= kMostPoints)) fail(name, "must be a number of points, 0 to 1,000,000");
    }
    Points points;
    for (const CheckDefinition& check : kChecks) {
        const std::string group(check.group());
        const bool whole_group = weights.contains(group) && check.id != group;
        if (weights.contains(check.id)) {
            if (whole_group)
                fail(std::string(check.id), join({"is given although its group ", group, " is given too"}));
            points.push_back(weights[std::string(check.id)].get<double>());
        } else if (whole_group) {
            double all = 0;
            for (const CheckDefinition& other : kChecks) all += other.group() == group ? other.points : 0;
            points.push_back(weights[group].get<double>() * check.points / all);
        } else {
            points.push_back(check.points);
        }
    }
    if (std::none_of(points.begin(), points.end(), [](double p) { return p > 0; })) {
        fail("", "no check is worth a point");
    }
    return points;
}

}  // namespace mm
