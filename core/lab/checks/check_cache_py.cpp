// cache.py: read as text, never run. Does it call generate with the cache and without?
//
// A program can do that in more ways than a reader of texts can follow: under another name, with options in a
// dictionary, from a wrapper. Only what is surely missing fails: generate is named nowhere, or every call is
// spelled out and all are of one kind. What cannot be told passes with a note.
#include <algorithm>
#include <array>
#include <set>

#include "core/lab/checks/common_hints.hpp"
#include "core/lab/checks/judge.hpp"
#include "core/lab/checks/python_text.hpp"
#include "core/lab/checks/step_checks.hpp"

namespace mm::checks {
namespace {

constexpr Hints<3> kHints{{{
    Hint{"cache.no_generate", "MiniMind 의 generate 를 부르는 곳이 없습니다.",
         "没有调用 MiniMind 的 generate。", "MiniMind's generate is never called."},
    Hint{"cache.one_way", "generate 를 use_cache=True 와 use_cache=False 두 가지로 부르지 않습니다.",
         "没有用 use_cache=True 和 use_cache=False 两种方式调用 generate。",
         "generate is not called both with use_cache=True and with use_cache=False."},
    Hint{"cache.not_told",
         "참고: 글로 읽어서는 generate 를 캐시 있이·없이 모두 부르는지 알 수 없어 맞은 것으로 봅니다.",
         "提示：仅凭阅读代码无法判断是否用有缓存和无缓存两种方式调用了 generate，因此视为正确。",
         "Note: reading the program does not tell whether generate is called with the cache and without; "
         "accepted."},
}}};

std::vector<CheckDefinition> definitions() {
    return {
        {"cache.file", 1, "cache.py 가 있다", "有 cache.py", "cache.py is there"},
        {"cache.both_ways", 5, "generate 를 캐시 있이·없이 부른다", "用有缓存和无缓存两种方式调用 generate",
         "generate is called with and without the cache"},
    };
}

constexpr std::string_view kGenerate = "generate";
constexpr std::string_view kUseCache = "use_cache";

// Through these a program can reach generate without naming it.
constexpr std::array<std::string_view, 19> kIndirect{
    "getattr",       "eval",         "exec",  "compile",    "__import__", "importlib",        "vars",
    "import_module", "methodcaller", "runpy", "attrgetter", "subprocess", "__getattribute__", "dir",
    "getmembers",    "__dict__",     "popen", "globals",    "system"};

// What is imported from elsewhere may call generate itself. These do not.
constexpr std::array<std::string_view, 55> kModules{
    "__future__",  "abc",         "argparse",     "collections", "contextlib", "copy",    "csv",
    "dataclasses", "dataset",     "datetime",     "enum",        "functools",  "gc",      "glob",
    "hashlib",     "inspect",     "io",           "itertools",   "json",       "locale",  "logging",
    "math",        "matplotlib",  "minimind",     "mmkit",       "model",      "numpy",   "operator",
    "os",          "pandas",      "pathlib",      "platform",    "pprint",     "psutil",  "random",
    "re",          "safetensors", "shutil",       "statistics",  "string",     "struct",  "sys",
    "tempfile",    "textwrap",    "time",         "timeit",      "tokenizers", "torch",   "tqdm",
    "traceback",   "trainer",     "transformers", "types",       "typing",     "warnings"};

enum class UseCache { yes, no, open };

struct Seen {
    std::size_t named = 0;  // times that generate is called or handed on
    bool hidden = false;    // it may be reached without being named
    bool with = false;      // use_cache is True
    bool without = false;   // use_cache is False
    bool by_value = false;  // use_cache is something else
    bool defaults = false;  // a call spelled out that leaves use_cache out: True, in MiniMind
    bool open = false;      // something cannot be followed
    bool says_true = false;
    bool says_false = false;

    bool both_ways() const {
        if (without && (with || defaults)) return true;
        return by_value && says_false && (says_true || named > 1);
    }
};

bool contains(const std::vector<std::string>& texts, std::string_view word) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return text.find(word) != text.npos; });
}

std::string_view word_before(std::string_view bare, std::size_t at) {
    while (at > 0 && (bare[at - 1] == ' ' || bare[at - 1] == '\t')) --at;
    std::size_t from = at;
    while (from > 0 && python_name_character(bare[from - 1])) --from;
    return bare.substr(from, at - from);
}

// "from x import generate" alone calls nothing.
bool imported(std::string_view bare, std::size_t at, std::size_t end) {
    std::size_t line = bare.rfind('\n', at) + 1;
    line = skip_python_space(bare, line);
    const std::string_view text = bare.substr(line);
    const bool import = text.starts_with("from ") || text.starts_with("import ");
    const std::size_t next = std::min(bare.find_first_not_of(" \t", end), bare.size());
    return import && !bare.substr(next).starts_with("as ");
}

// Whether an import statement at `at` brings in a module that is not known.
bool imports_unknown(std::string_view bare, std::size_t at) {
    const std::size_t line = std::min(bare.find_last_of("\n;", at) + 1, at);  // npos + 1 is the beginning
    if (bare.find_first_not_of(" \t\f", line) != at) return false;
    const bool from = bare.substr(at).starts_with("from");
    const std::string_view rest = bare.substr(at + (from ? 4 : 6));
    std::string_view modules = rest.substr(0, rest.find_first_of("\n;"));
    while (!modules.empty()) {
        const std::size_t comma = std::min(modules.find(','), modules.size());
        const std::size_t first = std::min(modules.find_first_not_of(" \t\\"), comma);
        std::size_t end = first;
        while (end < comma && python_name_character(modules[end])) ++end;
        const std::string_view root = modules.substr(first, end - first);
        if (std::find(kModules.begin(), kModules.end(), root) == kModules.end()) return true;
        if (from) return false;
        modules.remove_prefix(std::min(comma + 1, modules.size()));
    }
    return false;
}

// The value after "use_cache" and what may stand between: = in a call, ": in a dictionary.
std::optional<UseCache> value_after(const PythonText& python, std::size_t end) {
    const std::string_view code = python.code;
    std::size_t next = end;
    if (next < code.size() && (code[next] == '"' || code[next] == '\'')) ++next;
    if (next < code.size() && code[next] == ']') ++next;  // options["use_cache"] = …
    next = skip_python_space(code, next);
    if (next >= code.size() || (code[next] != '=' && code[next] != ':')) return std::nullopt;
    if (code.substr(next, 2) == "==") return std::nullopt;
    next = skip_python_space(code, next + 1);
    std::size_t stop = next;
    while (stop < code.size() && python_name_character(code[stop])) ++stop;
    const std::string_view value = code.substr(next, stop - next);
    const std::size_t after = std::min(code.find_first_not_of(" \t", stop), code.size());
    // True if …, True and …
    const bool whole =
        after == code.size() || std::string_view(",)}\r\n;").find(code[after]) != std::string_view::npos;
    if (whole && (value == "True" || value == "1")) return UseCache::yes;
    if (whole && (value == "False" || value == "0")) return UseCache::no;
    return UseCache::open;
}

// One call's arguments: what can be read of them.
void read_call(const PythonText& python, std::size_t bracket, Seen& seen, std::vector<std::size_t>& own) {
    const std::string_view bare = python.bare;
    const std::size_t close = closing_bracket(bare, bracket);
    std::size_t by_place = 0;
    bool given = false;
    for (std::size_t at = bracket + 1; at < close;) {
        at = skip_python_space(bare, at);
        std::size_t end = at;
        while (end < close && bare[end] != ',') {
            const bool bracketed = std::string_view("([{").find(bare[end]) != std::string_view::npos;
            end = bracketed ? std::min(closing_bracket(bare, end), close - 1) + 1 : end + 1;
        }
        const std::string_view argument = bare.substr(at, end - at);
        seen.open = seen.open || argument.starts_with('*');
        by_place += argument.find('=') == argument.npos;
        if (argument.starts_with(kUseCache)) {
            given = true;
            own.push_back(at);
        }
        at = end + 1;
    }
    // use_cache may be given by its place, which is the eighth or a later one.
    constexpr std::size_t kSurelyOther = 7;
    if (by_place > kSurelyOther) seen.open = true;
    seen.defaults = seen.defaults || !(given || seen.open);
}

Seen read_code(const PythonText& python) {
    const std::string_view bare = python.bare;
    Seen seen;
    std::set<std::string_view> defined;
    each_name(bare, [&](std::size_t from, std::size_t to) {
        const std::string_view before = word_before(bare, from);
        if (before == "def" || before == "class") defined.insert(bare.substr(from, to - from));
    });
    std::vector<std::size_t> own;  // use_cache within a call of generate
    bool indirect = false;
    each_name(bare, [&](std::size_t from, std::size_t to) {
        const std::string_view name = bare.substr(from, to - from);
        seen.says_true = seen.says_true || name == "True";
        seen.says_false = seen.says_false || name == "False";
        indirect = indirect || std::find(kIndirect.begin(), kIndirect.end(), name) != kIndirect.end();
        if (name == "import" || name == "from") indirect = indirect || imports_unknown(bare, from);
        const std::size_t part = name.find(kGenerate);
        if (part == name.npos || word_before(bare, from) == "def") return;
        if (name != kGenerate) {
            // generate_with_cache from elsewhere may well call it; `generated` is a result.
            const bool result = name.substr(part + kGenerate.size()).starts_with('d');
            if (result || defined.contains(name)) return;
            ++seen.named;
            seen.open = true;
            return;
        }
        if (imported(bare, from, to)) return;
        ++seen.named;
        const std::size_t next = skip_python_space(bare, to);
        if (next < bare.size() && bare[next] == '(') {
            read_call(python, next, seen, own);
        } else {
            seen.open = true;  // another name for it, functools.partial, a list of functions
        }
    });
    seen.hidden = indirect || contains(python.formats, kGenerate);
    seen.open = seen.open || seen.hidden || contains(python.formats, kUseCache) ||
                contains(python.strings, kUseCache);
    const std::string_view code = python.code;
    for (std::size_t at = code.find(kUseCache); at != code.npos; at = code.find(kUseCache, at + 1)) {
        const std::size_t end = at + kUseCache.size();
        if (at > 0 && python_name_character(code[at - 1])) continue;
        if (end < code.size() && python_name_character(code[end])) continue;
        if (std::find(own.begin(), own.end(), at) == own.end()) seen.open = true;
        const std::optional<UseCache> value = value_after(python, end);
        seen.with = seen.with || value == UseCache::yes;
        seen.without = seen.without || value == UseCache::no;
        seen.by_value = seen.by_value || value == UseCache::open;
        seen.open = seen.open || !value || value == UseCache::open;
    }
    return seen;
}

void judge_step(Judge& judge, const GradeReference&) {
    const std::string file = "cache.py";
    const std::optional<std::string_view> text = judge.open_text("cache.file", file);
    if (!text) return judge.fail("cache.both_ways", {kCommonHints["needs.file"], {{"file", file}}});
    const Seen seen = read_code(read_python(*text));
    if (seen.named > 0 && seen.both_ways()) return judge.pass("cache.both_ways");
    if (seen.named > 0 ? seen.open : seen.hidden) {
        return judge.pass("cache.both_ways", {kHints["cache.not_told"]});
    }
    judge.fail("cache.both_ways", {seen.named == 0 ? kHints["cache.no_generate"] : kHints["cache.one_way"]});
}

}  // namespace

StepChecks cache_checks() {
    return {.definitions = definitions(), .hints = kHints.list, .judge = judge_step};
}

}  // namespace mm::checks
