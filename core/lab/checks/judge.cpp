#include "core/lab/checks/judge.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/base/utf8.hpp"
#include "core/lab/checks/common_hints.hpp"
#include "core/lab/checks/near_name.hpp"
#include "core/lab/checks/python_text.hpp"
#include "core/lab/foreign_text.hpp"

namespace mm::checks {
namespace {

using Kind = SubmittedValue::Kind;

bool has_type(const SubmittedValue& value, KeyType type) {
    const auto integer = [](const SubmittedValue& v) { return v.kind == Kind::integer; };
    switch (type) {
        case KeyType::integer:
            return integer(value);
        case KeyType::number:
            return value.is_number();
        case KeyType::boolean:
            return value.kind == Kind::boolean;
        case KeyType::integers:
            return value.kind == Kind::array && std::all_of(value.items.begin(), value.items.end(), integer);
        case KeyType::counts: {
            const SubmittedValue* const distinct = value.member("distinct");
            return distinct != nullptr && integer(*distinct);
        }
    }
    throw_error(ErrorKind::internal, "unknown type of a key");
}

// In the words of JSON, which are the same in the three languages.
std::string_view type_name(KeyType type) {
    switch (type) {
        case KeyType::integer:
            return "integer";
        case KeyType::number:
            return "number";
        case KeyType::boolean:
            return "true/false";
        case KeyType::integers:
            return "[integers]";
        case KeyType::counts:
            return "{\"distinct\": integer}";
    }
    throw_error(ErrorKind::internal, "unknown type of a key");
}

void add_name(std::string& list, std::string_view name) {
    list += join({list.empty() ? "" : ", ", name});
}

// Keys the lab does not have; a hostile file may have thousands.
std::string extra_keys(const SubmittedValue& object, const std::vector<Key>& keys) {
    constexpr std::size_t kNamed = 5;
    std::string list;
    std::size_t count = 0;
    for (const std::string& name : object.keys) {
        const bool wanted =
            std::any_of(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
        if (wanted) continue;
        if (++count <= kNamed) add_name(list, safe_text(name));
    }
    return count > kNamed ? join({list, ", … (", count, ")"}) : list;
}

Hint hint_of(FileState state) {
    switch (state) {
        case FileState::missing:
            return kCommonHints["file.missing"];
        case FileState::link:
            return kCommonHints["file.link"];
        case FileState::special:
            return kCommonHints["file.special"];
        case FileState::too_large:
            return kCommonHints["file.too_large"];
        case FileState::unreadable:
            return kCommonHints["file.unreadable"];
        case FileState::present:
            break;
    }
    throw_error(ErrorKind::internal, "a file that is present needs no hint");
}

}  // namespace

const SubmittedValue* OpenedJson::value(std::string_view key) const {
    if (std::find(usable.begin(), usable.end(), key) == usable.end()) return nullptr;
    return object->member(key);
}

Judge::Judge(const Submission& submission, const Points& points)
    : submission_(submission), judged_(check_list().size(), false) {
    if (points.size() != check_list().size())
        throw_error(ErrorKind::internal, "points do not fit the checks");
    results_.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        results_.push_back({.id = check_list()[i].id, .ok = false, .max = points[i], .findings = {}});
    }
}

CheckResult& Judge::unjudged(std::string_view id) {
    for (std::size_t i = 0; i < results_.size(); ++i) {
        if (results_[i].id != id) continue;
        if (judged_[i]) throw_error(ErrorKind::internal, "a check was judged twice", {.field = id});
        judged_[i] = true;
        return results_[i];
    }
    throw_error(ErrorKind::internal, "there is no such check", {.field = id});
}

void Judge::pass(std::string_view id, std::vector<Finding> notes) {
    CheckResult& result = unjudged(id);
    result.ok = true;
    result.findings = std::move(notes);
}

void Judge::fail(std::string_view id, std::vector<Finding> findings) {
    unjudged(id).findings = std::move(findings);
}

void Judge::pass(std::string_view id, Finding note) {
    pass(id, std::vector<Finding>(1, std::move(note)));
}

void Judge::fail(std::string_view id, Finding finding) {
    fail(id, std::vector<Finding>(1, std::move(finding)));
}

bool Judge::file_there(std::string_view id, const std::string& name) {
    const FileState state =
        submission_.folder == FileState::present ? submission_.file(name).state : FileState::missing;
    if (state == FileState::present) return true;
    if (const std::string* const other = near_name(submission_.others, name);
        state == FileState::missing && other != nullptr) {
        fail(id, {kCommonHints["file.other_name"], {{"file", name}, {"found", safe_text(*other)}}});
        return false;
    }
    fail(id, {hint_of(state), {{"file", name}, {"limit", kSubmittedFileLimit}}});
    return false;
}

std::optional<std::string_view> Judge::open_text(std::string_view id, const std::string& name) {
    if (!file_there(id, name)) return std::nullopt;
    std::string_view text = submission_.file(name).text;
    if (looks_like_utf16(text)) {
        fail(id, {kCommonHints["json.utf16"]});
        return std::nullopt;
    }
    const std::size_t bad = find_invalid_utf8(text);
    const bool declared = name.ends_with(".py") && !declared_encoding(text).empty();
    if (bad != text.npos && !declared) {
        fail(id, {kCommonHints["text.not_utf8"], {{"byte", bad}}});
        return std::nullopt;
    }
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    if (text.find_first_not_of(" \t\r\n") == text.npos) {
        fail(id, {kCommonHints["file.empty"]});
        return std::nullopt;
    }
    pass(id);
    return text;
}

OpenedJson Judge::open_json(std::string_view group, const std::vector<Key>& keys) {
    const std::string prefix(group);
    OpenedJson opened{.group = group, .file = join({prefix, ".json"}), .object = {}, .usable = {}};
    if (file_there(join({prefix, ".file"}), opened.file)) {
        SubmittedJson read = read_submitted_json(submission_.file(opened.file).text);
        if (read.refusal) {
            fail(join({prefix, ".file"}), std::move(*read.refusal));
        } else {
            std::vector<Finding> notes;
            if (read.byte_order_mark) notes.push_back({kCommonHints["json.byte_order_mark"]});
            pass(join({prefix, ".file"}), std::move(notes));
            opened.object = std::move(read.object);
        }
    }
    if (!opened.object) {
        fail(join({prefix, ".keys"}), {kCommonHints["needs.file"], {{"file", opened.file}}});
        return opened;
    }
    std::string missing;
    std::string wrong;
    for (const Key& key : keys) {
        const SubmittedValue* const value = opened.object->member(key.name);
        if (value == nullptr) {
            add_name(missing, key.name);
        } else if (!has_type(*value, key.type)) {
            add_name(wrong, join({key.name, " (", type_name(key.type), ")"}));
        } else {
            opened.usable.push_back(key.name);
        }
    }
    std::vector<Finding> findings;
    if (!missing.empty()) findings.push_back({kCommonHints["keys.missing"], {{"keys", missing}}});
    if (!wrong.empty()) findings.push_back({kCommonHints["keys.type"], {{"keys", wrong}}});
    const bool ok = findings.empty();
    if (std::string extra = extra_keys(*opened.object, keys); !extra.empty()) {
        findings.push_back({kCommonHints["keys.extra"], {{"keys", std::move(extra)}}});
    }
    ok ? pass(join({prefix, ".keys"}), std::move(findings))
       : fail(join({prefix, ".keys"}), std::move(findings));
    return opened;
}

void Judge::with_value(std::string_view id, const OpenedJson& json, std::string_view key,
                       const std::function<void(const SubmittedValue&)>& check) {
    if (!json.object) {
        fail(id, {kCommonHints["needs.file"], {{"file", json.file}}});
    } else if (const SubmittedValue* const value = json.value(key); value != nullptr) {
        check(*value);
    } else {
        fail(id, {kCommonHints["needs.key"], {{"file", json.file}, {"key", key}}});
    }
}

void Judge::integer(std::string_view id, const OpenedJson& json, std::string_view key, std::int64_t expected,
                    const std::function<std::vector<Finding>(std::int64_t)>& mistakes, Hint otherwise) {
    with_value(id, json, key, [&](const SubmittedValue& value) {
        const std::int64_t found = value.integer;
        if (found == expected) return pass(id);
        std::vector<Finding> findings = mistakes(found);
        if (findings.empty()) findings.push_back({otherwise});
        findings.back().expected = std::to_string(expected);
        findings.back().found = value.text;
        fail(id, std::move(findings));
    });
}

std::vector<CheckResult> Judge::results() && {
    for (std::size_t i = 0; i < judged_.size(); ++i) {
        if (!judged_[i]) {
            throw_error(ErrorKind::internal, "a check was not judged", {.field = results_[i].id});
        }
    }
    return std::move(results_);
}

}  // namespace mm::checks
