// Step 7, report.md: three headings, and two numbers exactly as the JSON files beside it hold them.
#include <algorithm>
#include <cmath>

#include "core/base/join.hpp"
#include "core/lab/checks/common_hints.hpp"
#include "core/lab/checks/judge.hpp"
#include "core/lab/checks/report_headings.hpp"
#include "core/lab/checks/step_checks.hpp"
#include "core/lab/written_number.hpp"

namespace mm::checks {
namespace {

constexpr Hints<8> kHints{{{
    Hint{"report.headings", "빠진 절 제목: {headings}. 한 줄에 이대로 쓰세요.",
         "缺少小节标题：{headings}。请原样单独写成一行。",
         "Missing headings: {headings}. Each stands alone on a line, exactly so."},
    Hint{
        "report.heading_look_alike",
        "제목 {heading} 과(와) 같아 보이지만 보이지 않거나 닮은 다른 글자({characters})가 들어 있습니다. 그 "
        "줄을 "
        "새로 쓰세요.",
        "有一行看起来与标题 {heading} 相同，但含有看不见的或形似的其他字符（{characters}）。请重新输入该行。",
        "A line looks like the heading {heading} but has characters in it that are invisible or only look "
        "alike "
        "({characters}); type that line anew."},
    Hint{
        "report.heading_in_code",
        "제목 {heading} 이(가) 코드나 HTML 주석 안에 있습니다. 닫지 않은 ``` 가 앞에 있는지 확인하세요.",
        "标题 {heading} 位于代码或 HTML 注释之中。请检查前面是否有未关闭的 ```。",
        "The heading {heading} stands inside code or an HTML comment; is there a ``` before it that is never "
        "closed?"},
    Hint{"report.heading_decomposed",
         "참고: 제목이 풀어쓴 유니코드(NFD)로 적혀 있습니다. 같은 글로 보았습니다.",
         "提示：标题以分解形式的 Unicode（NFD）写成，视为相同。",
         "Note: headings are written in decomposed Unicode (NFD); they are taken as the same text."},
    Hint{"report.other_file", "{file} 에 쓸 수 있는 {key} 값이 없어 견줄 수 없습니다.",
         "{file} 中没有可用的 {key}，无法比较。", "Cannot be compared, because {file} has no usable {key}."},
    Hint{"report.number_missing", "{file} 의 {key} 값이 적힌 그대로 들어 있지 않습니다.",
         "没有原样写出 {file} 中的 {key}。",
         "The {key} of {file} is not there as it is written in that file."},
    Hint{"report.number_rounded", "{file} 의 {key} 값이 반올림되어 있습니다. 파일에 적힌 그대로 옮기세요.",
         "{file} 中的 {key} 被四舍五入了。请照文件原样写出。",
         "The {key} of {file} is rounded; copy it as it is written in that file."},
    Hint{"report.number_grouped",
         "{file} 의 {key} 값에 자릿수 구분 쉼표가 있습니다. 파일에 적힌 그대로 옮기세요.",
         "{file} 中的 {key} 带有千位分隔符。请照文件原样写出。",
         "The {key} of {file} has digit separators; copy it as it is written in that file."},
}}};

std::vector<CheckDefinition> definitions() {
    return {
        {"report.file", 1, "report.md 를 읽을 수 있다", "report.md 可读", "report.md can be read"},
        {"report.headings", 3, "세 절의 제목", "三个小节标题", "the three headings"},
        {"report.speedup", 3, "speedup 이 적힌 그대로", "原样写出 speedup", "speedup as written"},
        {"report.measured_bytes", 3, "measured_bytes 가 적힌 그대로", "原样写出 measured_bytes",
         "measured_bytes as written"},
    };
}

bool digit(char c) {
    return c >= '0' && c <= '9';
}

// Whether `number` stands in the text as a number of its own, not as a part of a longer one.
bool holds_number(std::string_view text, std::string_view number) {
    for (std::size_t at = text.find(number); at != text.npos; at = text.find(number, at + 1)) {
        const auto before = [&](std::size_t n) { return at >= n ? text[at - n] : ' '; };
        const std::string_view after = text.substr(at + number.size());
        const auto follows = [&](std::size_t n) { return after.size() > n ? after[n] : ' '; };
        const bool begins =
            !digit(before(1)) && !((before(1) == '.' || before(1) == ',') && digit(before(2)));
        const bool ends =
            !digit(follows(0)) && !((follows(0) == '.' || follows(0) == ',') && digit(follows(1))) &&
            !((follows(0) == 'e' || follows(0) == 'E') &&
              (digit(follows(1)) || ((follows(1) == '-' || follows(1) == '+') && digit(follows(2)))));
        if (begins && ends) return true;
    }
    return false;
}

// What a student may have made of a number: 204,800 for 204800, or 6.2 for 6.1834.
struct Variants {
    bool grouped = false;
    bool rounded = false;
};

// Digits and at most one point, at most 15 of them.
double plain_value(std::string_view number) {
    double value = 0;
    double unit = 0;
    for (const char c : number) {
        if (c == '.') {
            unit = 1;
        } else {
            value = value * 10 + (c - '0');
            unit *= 10;
        }
    }
    return unit > 0 ? value / unit : value;
}

Variants find_variants(std::string_view text, std::string_view written, double value) {
    Variants found;
    const auto part = [&](std::size_t at) {
        return digit(text[at]) ||
               ((text[at] == ',' || text[at] == '.') && at + 1 < text.size() && digit(text[at + 1]));
    };
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!digit(text[at])) continue;
        const std::size_t from = at;
        while (at < text.size() && part(at)) ++at;
        const std::string_view number = text.substr(from, at - from);
        std::string digits(number);
        digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
        found.grouped = found.grouped || (digits.size() < number.size() && digits == written);
        constexpr std::size_t kPlain = 16;
        const bool fraction = std::count(number.begin(), number.end(), '.') == 1;
        if (number.size() > kPlain || !fraction || digits.size() < number.size()) continue;
        const double half = half_last_digit(number);
        found.rounded = found.rounded || std::fabs(plain_value(number) - value) <= half * (1 + 1e-9);
    }
    return found;
}

void check_number(Judge& judge, std::string_view text, const Judge::Quoted& number) {
    const std::string id = join({"report.", number.key});
    const auto fail = [&](Hint hint) {
        judge.fail(id, {hint, {{"file", number.file}, {"key", number.key}}});
    };
    if (number.written.empty()) return fail(kHints["report.other_file"]);
    if (holds_number(text, number.written)) return judge.pass(id);
    const Variants variants = find_variants(text, number.written, number.value);
    fail(variants.grouped   ? kHints["report.number_grouped"]
         : variants.rounded ? kHints["report.number_rounded"]
                            : kHints["report.number_missing"]);
}

void judge_headings(Judge& judge, std::string_view text) {
    std::vector<Finding> findings;
    std::string absent;
    bool decomposed = false;
    for (const HeadingTrace& trace : trace_report_headings(text)) {
        const FindingValues values{{"heading", trace.heading}, {"characters", trace.characters}};
        switch (trace.found) {
            case HeadingTrace::Found::as_text:
                break;
            case HeadingTrace::Found::decomposed:
                decomposed = true;
                break;
            case HeadingTrace::Found::look_alike:
                findings.push_back({kHints["report.heading_look_alike"], values});
                break;
            case HeadingTrace::Found::in_code:
                findings.push_back({kHints["report.heading_in_code"], values});
                break;
            case HeadingTrace::Found::nowhere:
                absent += join({absent.empty() ? "" : ", ", trace.heading});
        }
    }
    if (!absent.empty()) findings.push_back({kHints["report.headings"], {{"headings", absent}}});
    if (!findings.empty()) return judge.fail("report.headings", std::move(findings));
    if (decomposed) return judge.pass("report.headings", {kHints["report.heading_decomposed"]});
    judge.pass("report.headings");
}

void judge_step(Judge& judge, const GradeReference&) {
    const std::string file = "report.md";
    const std::optional<std::string_view> text = judge.open_text("report.file", file);
    if (!text) {
        const Finding unread{kCommonHints["needs.file"], {{"file", file}}};
        judge.fail("report.headings", unread);
        for (const Judge::Quoted& number : judge.quoted()) judge.fail(join({"report.", number.key}), unread);
        return;
    }
    judge_headings(judge, *text);
    for (const Judge::Quoted& number : judge.quoted()) check_number(judge, *text, number);
}

}  // namespace

StepChecks report_checks() {
    return {.definitions = definitions(), .hints = kHints.list, .judge = judge_step};
}

}  // namespace mm::checks
