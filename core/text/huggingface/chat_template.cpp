#include "core/text/huggingface/chat_template.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/join.hpp"

namespace mm {
namespace {

struct Tag {
    enum Kind { output, block } kind;  // {{ … }}, {% … %}
    std::string code;                  // normalised, see below
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
}

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// One spelling for what may be spelled in several ways: no white space outside of strings, strings in single
// quotes and joined where they are added, line breaks in them as \n, message.role for message['role'].
std::string normalised(std::string_view code) {
    std::string out;
    char quote = 0;
    for (std::size_t i = 0; i < code.size(); ++i) {
        const char c = code[i];
        if (quote == 0) {
            if (c == '\'' || c == '"') {
                quote = c;
                out += '\'';
            } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
                out += c;
            } else if (!out.empty() && out.back() != ' ') {
                out += ' ';
            }
        } else if (c == quote) {
            quote = 0;
            out += '\'';
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\\' && i + 1 < code.size()) {
            out += c;
            out += code[++i];
        } else {
            out += c;
        }
    }
    // Spaces that stand between two words stay.
    std::string tight;
    bool inside = false;
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (out[i] == '\'' && (i == 0 || out[i - 1] != '\\')) inside = !inside;
        const bool between = i > 0 && i + 1 < out.size() && is_word(out[i - 1]) && is_word(out[i + 1]);
        if (out[i] == ' ' && !inside && !between) continue;
        tight += out[i];
    }
    for (const char* name : {"role", "content"}) {
        replace_all(tight, join({"['", name, "']"}), join({".", name}));
    }
    replace_all(tight, "'+'", "");
    return tight;
}

// Text between two tags that does not reach the result (transformers sets trim_blocks and lstrip_blocks).
bool is_trimmed(std::string_view text, bool dash_before, bool block_before, bool dash_behind,
                bool block_behind) {
    if (text.empty()) return true;
    if (text.find_first_not_of(" \t\r\n") != text.npos) return false;
    if (dash_before || dash_behind) return true;
    if (block_before && text.starts_with('\n')) text.remove_prefix(1);
    return text.empty() || (block_behind && text.find('\n') == text.npos);
}

// The template as tags; nothing when text of its own reaches the result, or a tag is not closed.
std::optional<std::vector<Tag>> read_tags(std::string_view jinja) {
    std::vector<Tag> tags;
    bool dash_before = false;
    bool block_before = true;
    if (jinja.ends_with('\n')) jinja.remove_suffix(1);
    while (true) {
        std::size_t open = 0;
        do {
            open = jinja.find('{', open);
        } while (open != jinja.npos && open + 1 < jinja.size() &&
                 std::string_view("{%#").find(jinja[open + 1]) == std::string_view::npos && ++open);
        if (open == jinja.npos || open + 2 >= jinja.size()) {
            if (!is_trimmed(jinja, dash_before, block_before, false, false)) return std::nullopt;
            return tags;
        }
        const char kind = jinja[open + 1];
        const std::string_view close = kind == '{' ? "}}" : kind == '%' ? "%}" : "#}";
        std::size_t end = open + 2;
        for (char quote = 0; end < jinja.size(); ++end) {
            const char c = jinja[end];
            if (kind != '#' && quote != 0 && c == '\\') {
                ++end;
            } else if (kind != '#' && quote != 0) {
                if (c == quote) quote = 0;
            } else if (kind != '#' && (c == '\'' || c == '"')) {
                quote = c;
            } else if (jinja.substr(end).starts_with(close)) {
                break;
            }
        }
        if (end >= jinja.size()) return std::nullopt;
        std::string_view code = jinja.substr(open + 2, end - open - 2);
        const bool dash_behind = code.starts_with('-');
        if (!is_trimmed(jinja.substr(0, open), dash_before, block_before, dash_behind, kind != '{')) {
            return std::nullopt;
        }
        if (dash_behind) code.remove_prefix(1);
        dash_before = code.ends_with('-');
        if (dash_before) code.remove_suffix(1);
        block_before = kind != '{';
        if (kind != '#') tags.push_back({kind == '{' ? Tag::output : Tag::block, normalised(code)});
        jinja.remove_prefix(end + 2);
    }
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

bool has_word(std::string_view text, std::string_view word) {
    for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; ++at) {
        const std::size_t behind = at + word.size();
        if ((at == 0 || !is_word(text[at - 1])) && (behind == text.size() || !is_word(text[behind])))
            return true;
    }
    return false;
}

// "if x" → {"if", "x"}
std::pair<std::string_view, std::string_view> keyword(std::string_view code) {
    std::size_t end = 0;
    while (end < code.size() && is_word(code[end])) ++end;
    const std::string_view rest = code.substr(end);
    return {code.substr(0, end), rest.starts_with(' ') ? rest.substr(1) : rest};
}

// True when a branch or loop is surely left out for one user message without tools: it asks for another role,
// perhaps among other things, or for tools.
bool surely_left_out(std::string_view condition) {
    if (condition.starts_with("for ")) return condition.ends_with(" in tools");
    for (const char* word : {"or", "not", "if", "else", "false", "False", "none", "None"}) {
        if (has_word(condition, word)) return false;
    }
    if (contains(condition, "!=")) return false;
    if (condition == "tools") return true;
    const std::array<std::string_view, 4> others = {".role=='system'", ".role=='assistant'", ".role=='tool'",
                                                    ".role=='function'"};
    return std::any_of(others.begin(), others.end(),
                       [condition](std::string_view other) { return contains(condition, other); });
}

// True when a branch or loop is surely entered for one user message, which is a text.
bool surely_taken(std::string_view condition) {
    if (condition == "for message in messages" || condition == "message.content is string") return true;
    for (const std::string_view user : {"message.role=='user'", "(message.role=='user')"}) {
        if (!condition.starts_with(user) || has_word(condition, "if")) continue;
        const std::string_view rest = condition.substr(user.size());
        if (rest.empty() || keyword(rest.substr(rest.starts_with(' ') ? 1 : 0)).first == "or") return true;
    }
    return false;
}

// One loop, or the branch of an if that a tag stands in.
struct Branch {
    std::string condition;         // "for …", of an if or elif; of an else: "true"
    bool earlier_taken = false;    // one of the branches before surely is
    bool earlier_left_out = true;  // all of them surely are

    bool left_out() const { return earlier_taken || surely_left_out(condition); }
    bool taken() const { return earlier_left_out && (condition == "true" || surely_taken(condition)); }
    void next(std::string_view following) {
        earlier_taken = earlier_taken || taken();
        earlier_left_out = earlier_left_out && surely_left_out(condition);
        condition = following;
    }
};

// Whether one user message surely becomes exactly one chatml turn in `tags`.
bool gives_one_chatml_turn(const std::vector<Tag>& tags) {
    std::vector<Branch> open;
    bool turn = false;
    bool content = false;  // is the message's
    for (const Tag& tag : tags) {
        const std::string_view code = tag.code;
        const auto [word, rest] = keyword(code);
        if (tag.kind == Tag::block && (word == "if" || word == "for")) {
            open.push_back({.condition = std::string(word == "if" ? rest : code)});
            continue;
        }
        if (tag.kind == Tag::block && (word == "elif" || word == "else")) {
            if (open.empty()) return false;
            open.back().next(word == "else" ? "true" : rest);
            continue;
        }
        if (tag.kind == Tag::block && (word == "endif" || word == "endfor")) {
            if (open.empty()) return false;
            open.pop_back();
            continue;
        }
        if (std::any_of(open.begin(), open.end(), [](const Branch& b) { return b.left_out(); })) continue;
        const bool taken = std::all_of(open.begin(), open.end(), [](const Branch& b) { return b.taken(); });
        if (tag.kind == Tag::block) {
            // Sets other variables, as far as they do not matter.
            if (word != "set" || rest.starts_with("message") || contains(rest, "think")) return false;
            if (!rest.starts_with("content=")) continue;
            if (rest != "content=message.content" || !taken) return false;
            content = true;
            continue;
        }
        bool known = false;
        for (const std::string_view role : {"'+message.role+'", "user"}) {
            const auto is = [&](std::string_view name) {
                return code == join({"'<|im_start|>", role, "\\n'+", name, "+'<|im_end|>\\n'"});
            };
            known = known || is("message.content") || (content && is("content"));
        }
        const bool in_loop = std::any_of(open.begin(), open.end(), [](const Branch& b) {
            return b.condition == "for message in messages";
        });
        if (!known || !taken || !in_loop || turn) return false;
        turn = true;
    }
    return turn && open.empty();
}

// A condition on a variable about thinking that nobody passed; nothing when it is of another form.
std::optional<bool> without_variable(std::string_view condition) {
    if (condition == "true") return true;
    auto [name, rest] = keyword(condition);
    const bool negated = name == "not";
    if (negated) std::tie(name, rest) = keyword(rest);
    if (!contains(name, "think")) return std::nullopt;
    if (rest.empty()) return negated;
    if (negated) return std::nullopt;
    if (rest == "is true" || rest == "is defined" || rest.starts_with("is defined and ")) {
        return has_word(rest, "or") ? std::nullopt : std::optional(false);
    }
    if (rest == "is not defined" || rest.starts_with("is not defined or ")) {
        return has_word(rest, "and") ? std::nullopt : std::optional(true);
    }
    return std::nullopt;
}

// A string's content, \n taken for a line break; nothing when `code` is more than one string.
std::optional<std::string> literal(std::string_view code) {
    if (code.size() < 2 || !code.starts_with('\'') || !code.ends_with('\'')) return std::nullopt;
    std::string text(code.substr(1, code.size() - 2));
    replace_all(text, "\\n", "\n");
    if (text.find_first_of("'\\") != text.npos) return std::nullopt;
    return text;
}

// What stands between `if add_generation_prompt` and its end: strings, some under one condition.
std::optional<std::string> generation_prompt(std::vector<Tag>::const_iterator tag,
                                             std::vector<Tag>::const_iterator end) {
    std::string text;
    bool inside = false;
    bool taken = true;
    for (; tag != end; ++tag) {
        if (tag->kind == Tag::output) {
            const auto piece = literal(tag->code);
            if (!piece) return std::nullopt;
            if (taken) text += *piece;
        } else if (tag->code.starts_with("if ") && !inside) {
            const auto truth = without_variable(keyword(tag->code).second);
            if (!truth) return std::nullopt;
            inside = true;
            taken = *truth;
        } else if (tag->code == "else" && inside) {
            taken = !taken;
        } else if (tag->code == "endif" && inside) {
            inside = false;
            taken = true;
        } else if (tag->code == "endif" && tag + 1 == end) {
            return text;
        } else {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> recognise_chat_template(std::string_view jinja) {
    const auto tags = read_tags(jinja);
    if (!tags) return std::nullopt;
    const auto prompt = std::find_if(tags->begin(), tags->end(), [](const Tag& tag) {
        return tag.kind == Tag::block && tag.code == "if add_generation_prompt";
    });
    if (prompt == tags->end() || !gives_one_chatml_turn({tags->begin(), prompt})) return std::nullopt;
    const auto answer = generation_prompt(prompt + 1, tags->end());
    if (answer == "<|im_start|>assistant\n") return "chatml";
    if (answer == "<|im_start|>assistant\n<think>\n\n</think>\n\n") return "minimind3";
    if (answer == "<|im_start|>assistant\n<think>\n") {
        return "<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n<think>\n";
    }
    return std::nullopt;
}

}  // namespace mm
