// cache.py: read as text, never run. Does it call generate with the cache and without?
//
// Comments and triple-quoted texts do not count. Beyond that a program can do things in many ways, so the
// reading is generous: it looks for a call of generate and for both settings of use_cache, given as a
// keyword, as a key of a dictionary or through a variable.
#include <cctype>

#include "core/lab/checks/judge.hpp"

namespace mm::checks {
namespace {

// Python's text with comments and triple-quoted strings blanked.
std::string code_only(std::string_view text) {
    std::string code;
    code.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '#') {
            while (at < text.size() && text[at] != '\n') ++at;
        } else if (c == '"' || c == '\'') {
            const std::string_view triple = text.substr(at, 3);
            if (triple.size() == 3 && triple[1] == c && triple[2] == c) {
                const std::size_t end = text.find(triple, at + 3);
                at = end == text.npos ? text.size() : end + 3;
                code += ' ';
                continue;
            }
            code += c;
            for (++at; at < text.size() && text[at] != c && text[at] != '\n'; ++at) {
                code += text[at];
                if (text[at] == '\\' && at + 1 < text.size()) code += text[++at];
            }
            if (at < text.size()) code += text[at++];
        } else {
            code += c;
            ++at;
        }
    }
    return code;
}

bool name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
}

std::size_t skip_space(std::string_view code, std::size_t at) {
    while (at < code.size() && (code[at] == ' ' || code[at] == '\t' || code[at] == '\n' || code[at] == '\r'))
        ++at;
    return at;
}

// Calls `see` with the position after each occurrence of `name` as a whole name.
template <typename See>
void each_name(std::string_view code, std::string_view name, See&& see) {
    for (std::size_t at = code.find(name); at != code.npos; at = code.find(name, at + name.size())) {
        const std::size_t end = at + name.size();
        if (at > 0 && name_character(code[at - 1])) continue;
        if (end < code.size() && name_character(code[end])) continue;
        see(at, end);
    }
}

struct Seen {
    int generate_calls = 0;
    bool with = false;       // use_cache is True
    bool without = false;    // use_cache is False
    bool by_value = false;   // use_cache is something else
    bool says_true = false;  // the words stand somewhere
    bool says_false = false;

    bool both_ways() const {
        // MiniMind's use_cache is True unless given: a second call without it is the cached one.
        if (without && (with || generate_calls > 1)) return true;
        return by_value && says_false && (says_true || generate_calls > 1);
    }
};

Seen read_code(std::string_view code) {
    Seen seen;
    each_name(code, "generate", [&](std::size_t at, std::size_t end) {
        std::size_t before = at;
        while (before > 0 && (code[before - 1] == ' ' || code[before - 1] == '\t')) --before;
        const bool defined = before >= 3 && code.substr(before - 3, 3) == "def";
        const std::size_t next = skip_space(code, end);
        // `generate` handed on as a value, functools.partial(model.generate, …), will be called too.
        const bool value =
            next < code.size() && (code[next] == ',' || code[next] == ')') && at > 0 && code[at - 1] == '.';
        const bool called = next < code.size() && code[next] == '(';
        if (!defined && (called || value)) ++seen.generate_calls;
    });
    each_name(code, "use_cache", [&](std::size_t, std::size_t end) {
        std::size_t next = end;
        if (next < code.size() && (code[next] == '"' || code[next] == '\'')) ++next;
        next = skip_space(code, next);
        if (next >= code.size() || (code[next] != '=' && code[next] != ':')) return;
        if (code[next] == '=' && next + 1 < code.size() && code[next + 1] == '=') return;
        next = skip_space(code, next + 1);
        std::size_t stop = next;
        while (stop < code.size() && name_character(code[stop])) ++stop;
        const std::string_view value = code.substr(next, stop - next);
        if (value == "True" || value == "1") {
            seen.with = true;
        } else if (value == "False" || value == "0") {
            seen.without = true;
        } else if (!value.empty()) {
            seen.by_value = true;
        }
    });
    each_name(code, "True", [&](std::size_t, std::size_t) { seen.says_true = true; });
    each_name(code, "False", [&](std::size_t, std::size_t) { seen.says_false = true; });
    return seen;
}

}  // namespace

void check_cache_py(Judge& judge) {
    const std::string file = "cache.py";
    const std::string* const text = judge.open_text("cache.file", file);
    if (text == nullptr) return judge.fail("cache.both_ways", {Hint::needs_file, {{"file", file}}});
    const Seen seen = read_code(code_only(*text));
    if (seen.generate_calls == 0) return judge.fail("cache.both_ways", {Hint::cache_no_generate});
    seen.both_ways() ? judge.pass("cache.both_ways") : judge.fail("cache.both_ways", {Hint::cache_one_way});
}

}  // namespace mm::checks
