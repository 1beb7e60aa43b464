// Step 7, report.md: three headings, and two numbers exactly as the JSON files beside it hold them.
#include <algorithm>
#include <cmath>

#include "core/base/join.hpp"
#include "core/lab/checks/judge.hpp"
#include "core/lab/checks/report_headings.hpp"
#include "core/lab/written_number.hpp"

namespace mm::checks {
namespace {

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

struct QuotedNumber {
    std::string_view key;
    const char* file;
    const std::string& written;
    double value;
};

void check_number(Judge& judge, std::string_view text, const QuotedNumber& number) {
    const std::string id = join({"report.", number.key});
    const auto fail = [&](Hint hint) {
        judge.fail(id, {hint, {{"file", number.file}, {"key", number.key}}});
    };
    if (number.written.empty()) return fail(Hint::report_other_file);
    if (holds_number(text, number.written)) return judge.pass(id);
    const Variants variants = find_variants(text, number.written, number.value);
    fail(variants.grouped   ? Hint::report_number_grouped
         : variants.rounded ? Hint::report_number_rounded
                            : Hint::report_number_missing);
}

}  // namespace

void check_report(Judge& judge, const Quoted& quoted) {
    const std::string file = "report.md";
    const std::optional<std::string_view> text = judge.open_text("report.file", file);
    if (!text) {
        for (const char* id : {"report.headings", "report.speedup", "report.measured_bytes"}) {
            judge.fail(id, {Hint::needs_file, {{"file", file}}});
        }
        return;
    }
    HeadingsFound headings = find_report_headings(*text);
    if (!headings.missing.empty()) {
        judge.fail("report.headings", std::move(headings.missing));
    } else if (headings.decomposed) {
        judge.pass("report.headings", {Hint::report_heading_decomposed});
    } else {
        judge.pass("report.headings");
    }
    check_number(judge, *text, {"speedup", "time.json", quoted.speedup, quoted.speedup_value});
    check_number(judge, *text, {"measured_bytes", "kvbytes.json", quoted.measured_bytes, -1});
}

}  // namespace mm::checks
