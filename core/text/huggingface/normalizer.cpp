#include "core/text/huggingface/normalizer.hpp"

#include <algorithm>
#include <utility>

#include "core/base/join.hpp"
#include "core/base/utf8.hpp"
#include "core/text/byte_alphabet.hpp"
#include "core/text/huggingface/normalization.hpp"
#include "core/text/unicode.hpp"

namespace mm {

namespace {

constexpr std::size_t kMaxSteps = 64;

std::string lowercase(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const char32_t c = next_code_point(text, i);
        if (c == 0x130) {
            out += "i\u0307";
        } else {
            append_utf8(out, unicode::to_lower(c));
        }
    }
    return out;
}

std::string_view strip(std::string_view text, bool left, bool right) {
    std::size_t begin = 0;
    while (left && begin < text.size()) {
        std::size_t next = begin;
        if (!unicode::is_space(next_code_point(text, next))) break;
        begin = next;
    }
    std::size_t end = text.size();
    while (right && end > begin) {
        std::size_t previous = end;
        if (!unicode::is_space(previous_code_point(text, previous))) break;
        end = previous;
    }
    return text.substr(begin, end - begin);
}

std::string replace(std::string_view text, std::string_view pattern, std::string_view content,
                    std::size_t most) {
    std::string out;
    std::size_t from = 0;
    for (std::size_t at; (at = text.find(pattern, from)) != std::string_view::npos;
         from = at + pattern.size()) {
        out += text.substr(from, at - from);
        out += content;
        TextLimits::check(out.size(), most);
    }
    out += text.substr(from);
    return out;
}

std::string replace(std::string_view text, const Regex& pattern, std::string_view content,
                    TextLimits& limits) {
    std::string out;
    std::size_t from = 0;
    for (const Regex::Match& match : pattern.find_all(text, limits.regex_steps)) {
        if (match.begin == match.end) {
            throw_error(ErrorKind::unsupported,
                        "Replace with a pattern that matches nothing is not supported");
        }
        out += text.substr(from, match.begin - from);
        out += content;
        TextLimits::check(out.size(), limits.normalized);
        from = match.end;
    }
    out += text.substr(from);
    return out;
}

}  // namespace

std::shared_ptr<const Regex> read_regex(const JsonField& field) {
    try {
        return std::make_shared<const Regex>(field.string());
    } catch (const Error& error) {
        if (!error.context().field.empty()) throw;
        field.fail(error.kind(), error.message());
    }
}

void Normalizer::add(const JsonField& field) {
    if (steps_.size() == kMaxSteps) field.fail(ErrorKind::tokenizer, "too many normalizers");
    const std::string type = field.at("type").string();
    constexpr std::pair<std::string_view, Kind> kPlain[] = {{"NFC", Kind::nfc},
                                                            {"NFD", Kind::nfd},
                                                            {"NFKC", Kind::nfkc},
                                                            {"NFKD", Kind::nfkd},
                                                            {"Lowercase", Kind::lowercase},
                                                            {"ByteLevel", Kind::byte_level}};
    for (const auto& [name, kind] : kPlain) {
        if (type == name) {
            steps_.push_back({.kind = kind});
            return;
        }
    }
    if (type == "Sequence") {
        const JsonField normalizers = field.at("normalizers");
        for (std::size_t i = 0; i < normalizers.size(); ++i) add(normalizers.item(i));
    } else if (type == "Strip") {
        steps_.push_back({.kind = Kind::strip,
                          .left = field.at("strip_left").boolean(),
                          .right = field.at("strip_right").boolean()});
    } else if (type == "Prepend") {
        steps_.push_back({.kind = Kind::prepend, .content = field.at("prepend").string()});
    } else if (type == "Replace") {
        const JsonField pattern = field.at("pattern");
        Step step{
            .kind = Kind::replace_string, .content = field.at("content").string(), .field = pattern.path()};
        if (pattern.has("String")) {
            step.pattern = pattern.at("String").string();
            if (step.pattern.empty()) pattern.unsupported("an empty pattern");
        } else {
            step.kind = Kind::replace_regex;
            step.regex = read_regex(pattern.at("Regex"));
        }
        steps_.push_back(std::move(step));
    } else {
        field.unsupported(join({"the normalizer ", type}));
    }
}

std::string Normalizer::run(const Step& step, std::string text, TextLimits& limits) {
    switch (step.kind) {
        case Kind::nfc:
            return normalize(text, NormalForm::nfc);
        case Kind::nfd:
            return normalize(text, NormalForm::nfd);
        case Kind::nfkc:
            return normalize(text, NormalForm::nfkc);
        case Kind::nfkd:
            return normalize(text, NormalForm::nfkd);
        case Kind::lowercase:
            return lowercase(text);
        case Kind::strip:
            return std::string(strip(text, step.left, step.right));
        case Kind::prepend:
            return text.empty() ? text : step.content + text;
        case Kind::replace_string:
            return replace(text, step.pattern, step.content, limits.normalized);
        case Kind::replace_regex:
            return replace(text, *step.regex, step.content, limits);
        case Kind::byte_level: {
            std::string out;
            append_in_alphabet(out, text);
            return out;
        }
    }
    return text;
}

std::string Normalizer::apply(std::string_view text, TextLimits& limits) const {
    std::string out(text);
    for (const Step& step : steps_) {
        try {
            out = run(step, std::move(out), limits);
            TextLimits::check(out.size(), limits.normalized);
        } catch (const Error& error) {
            throw_error(error.kind(), error.message(), {.field = step.field});
        }
    }
    TextLimits::take(out.size(), limits.normalized);
    return out;
}

}  // namespace mm
