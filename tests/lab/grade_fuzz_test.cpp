// Submissions nobody would make: random bytes, and the lab's own files with bytes changed, cut, doubled and
// swapped. Nothing may crash, hang or score full by accident, and every format must take every grade.
//
// The seeds are fixed. MM_FUZZ_SECONDS makes the run longer, with the same order of cases.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "core/base/utf8.hpp"
#include "grading.hpp"

namespace mm {
namespace {

using test::Grading;

class Fuzzer {
  public:
    explicit Fuzzer(std::uint32_t seed) : random_(seed) {}

    Submission next() {
        Submission submission = Grading::instance().own;
        const std::size_t changes = 1 + below(3);
        for (std::size_t i = 0; i < changes; ++i) {
            auto file = submission.files.begin();
            std::advance(file, static_cast<std::ptrdiff_t>(below(submission.files.size())));
            std::string& text = file->second.text;
            // A cache.py of 20 KB takes most of the time and has the least to break.
            if (file->first == "cache.py" && below(4) != 0) text = text.substr(0, 400);
            switch (below(6)) {
                case 0:
                    text = random_bytes();
                    break;
                case 1:
                    text = random_json(0);
                    break;
                default:
                    mutate(text);
            }
        }
        return submission;
    }

  private:
    std::size_t below(std::size_t count) { return count == 0 ? 0 : random_() % count; }

    std::string random_bytes() {
        std::string text(below(300), '\0');
        for (char& c : text) c = static_cast<char>(random_());
        return text;
    }

    // Keys and values the grader knows, put together at random.
    std::string random_json(int depth) {
        static const std::vector<std::string> kKeys = {
            "prompt_len", "new_tokens",   "same_ids", "ids",           "fed_with_cache",
            "speedup",    "with_cache_s", "tokens",   "k_shape",       "0.3",
            "distinct",   "0.99",         "1.0",      "measured_bytes"};
        static const std::vector<std::string> kValues = {"0",
                                                         "-1",
                                                         "201",
                                                         "64",
                                                         "1e308",
                                                         "1e-400",
                                                         "9223372036854775807",
                                                         "18446744073709551616",
                                                         "-0.0",
                                                         "true",
                                                         "null",
                                                         "\"\\ud800\"",
                                                         "\"text\"",
                                                         "0.1",
                                                         "1E+2",
                                                         "NaN",
                                                         "[[[]]]",
                                                         "264",
                                                         "14880"};
        if (depth > 3 || below(3) == 0) return kValues[below(kValues.size())];
        const bool object = below(3) != 0;
        std::string text = object ? "{" : "[";
        const std::size_t count = below(6);
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) text += ",";
            if (object) text += "\"" + kKeys[below(kKeys.size())] + "\":";
            text += random_json(depth + 1);
        }
        return text + (object ? "}" : "]");
    }

    void mutate(std::string& text) {
        if (text.empty()) return;
        const std::size_t at = below(text.size());
        switch (below(7)) {
            case 0:
                text[at] = static_cast<char>(random_());
                break;
            case 1:
                text.resize(at);
                break;
            case 2:
                text.erase(at, 1 + below(8));
                break;
            case 3:
                text.insert(at, random_bytes().substr(0, 8));
                break;
            case 4:
                text.insert(at, text.substr(below(text.size()), 40));
                break;
            case 5:
                text.insert(at, std::string(1 + below(200), "[{\"9,-"[below(6)]));
                break;
            default:
                if (text[at] >= '0' && text[at] <= '9') text[at] = static_cast<char>('0' + below(10));
        }
    }

    std::mt19937 random_;
};

double fuzz_seconds() {
    const char* const asked = std::getenv("MM_FUZZ_SECONDS");
    return asked == nullptr ? 0 : std::atof(asked);
}

TEST(GradeFuzz, NothingCrashesAndEveryFormatTakesIt) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(fuzz_seconds());
    const double full = Grading::instance().judge(Grading::instance().own).max();
    std::size_t cases = 0;
    std::size_t below_full = 0;
    Fuzzer fuzzer(20260729);
    constexpr std::size_t kCases = 400;
    for (; cases < kCases || Clock::now() < end; ++cases) {
        const Submission submission = fuzzer.next();
        const std::vector<Grade> grades = {Grading::instance().judge(submission)};
        const Grade& found = grades.front();
        ASSERT_EQ(found.checks.size(), check_list().size());
        ASSERT_GE(found.score(), 0);
        ASSERT_LE(found.score(), full);
        below_full += found.score() < full;
        const Grade again = Grading::instance().judge(submission);
        for (const Language language : {Language::ko, Language::zh, Language::en}) {
            const RenderOptions options{language, Feedback::full, "demo", "torch"};
            const std::string json = grades_json(grades, options);
            ASSERT_NO_THROW(parse_json(json, "output"));
            ASSERT_EQ(json, grades_json(std::vector<Grade>{again}, options));
            ASSERT_NO_THROW(parse_json(grades_gradescope(found, options), "output"));
            for (const std::string& text :
                 {grades_text(grades, options), grades_junit(grades, options), grades_csv(grades)}) {
                ASSERT_EQ(find_invalid_utf8(text), std::string::npos);
                ASSERT_EQ(text.find('\x1b'), std::string::npos);
            }
        }
    }
    EXPECT_GT(below_full, cases / 2);
    RecordProperty("cases", std::to_string(cases));
}

TEST(GradeFuzz, HugeButAllowedFilesAreQuick) {
    // Worst cases within the size limit: linear time keeps each far below a second.
    const std::size_t size = kSubmittedFileLimit;
    std::string numbers = "{\"ids\": [";
    while (numbers.size() < size - 8) numbers += "1,";
    const std::vector<std::string> texts = {
        std::string(size, '['), std::string(size, '"'), std::string(size, '\''),
        std::string(size, '#'), std::string(size, '9'), "1" + std::string(size - 1, ','),
        std::string(size, ' '), numbers + "1]}",        "{\"a\": " + std::string(size - 10, '9') + "}"};
    for (const std::string& text : texts) {
        Submission submission = Grading::instance().own;
        for (auto& [name, file] : submission.files) file.text = text;
        const auto started = std::chrono::steady_clock::now();
        const Grade found = Grading::instance().judge(submission);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
        EXPECT_LT(found.score(), found.max() / 2) << text.substr(0, 10);
        EXPECT_LT(took.count(), 20) << text.substr(0, 10) << ": quadratic time would take minutes";
    }
}

}  // namespace
}  // namespace mm
