#include "core/lab/checks/markdown_lines.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/lab/checks/html_blocks.hpp"

namespace mm::checks {
namespace {

using Kind = MarkdownLine::Kind;

constexpr std::size_t kCodeIndent = 4;
// Deeper quotes and lists are read as text, so that no line takes longer than its bytes.
constexpr std::size_t kMostContainers = 64;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::size_t spaces(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

bool blank(std::string_view line) {
    return line.find_first_not_of(" \t") == line.npos;
}

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    text.remove_suffix(text.size() - (text.find_last_not_of(" \t") + 1));
    return text;
}

std::size_t run_length(std::string_view text, char c) {
    return std::min(text.find_first_not_of(c), text.size());
}

// Tabs among the marks that structure a line, up to the next multiple of four; those in its text stay.
std::string expanded(std::string_view line) {
    const std::size_t end = std::min(line.find_first_not_of(" \t>-+*#.)0123456789"), line.size());
    std::string text;
    for (const char c : line.substr(0, end)) {
        text.append(c == '\t' ? kCodeIndent - text.size() % kCodeIndent : 1, c == '\t' ? ' ' : c);
    }
    return text += line.substr(end);
}

// "# a ##" → level 1, "a".
std::optional<MarkdownLine> atx_heading(std::string_view line) {
    const std::size_t level = run_length(line, '#');
    if (level < 1 || level > 6) return std::nullopt;
    line.remove_prefix(level);
    if (!line.empty() && line.front() != ' ' && line.front() != '\t') return std::nullopt;
    std::string_view text = trimmed(line);
    const std::size_t last = text.find_last_not_of('#');
    if (last == text.npos) {
        text = {};
    } else if (text[last] == ' ' || text[last] == '\t') {
        text = trimmed(text.substr(0, last));
    }
    return MarkdownLine{Kind::heading, static_cast<int>(level), std::string(text)};
}

// "[label]: address" alone on a line defines a link and is no part of a heading.
bool link_definition(std::string_view line) {
    const std::size_t close = line.find("]:");
    if (!line.starts_with('[') || close == line.npos || close < 2) return false;
    const std::string_view address = trimmed(line.substr(close + 2));
    return !address.empty() && address.find_first_of(" \t") == address.npos;
}

// 1 for a line of =, 2 for a line of -, else 0.
int setext_level(std::string_view line) {
    const char mark = line.front();
    if (mark != '=' && mark != '-') return 0;
    if (!blank(line.substr(run_length(line, mark)))) return 0;
    return mark == '=' ? 1 : 2;
}

bool thematic_break(std::string_view line) {
    const char mark = line.front();
    if (mark != '*' && mark != '-' && mark != '_') return false;
    std::size_t count = 0;
    for (const char c : line) {
        if (c == mark) {
            ++count;
        } else if (c != ' ' && c != '\t') {
            return false;
        }
    }
    return count >= 3;
}

struct Fence {
    char mark;
    std::size_t length;
};

std::optional<Fence> opening_fence(std::string_view line) {
    const char mark = line.front();
    const std::size_t length = mark == '`' || mark == '~' ? run_length(line, mark) : 0;
    if (length < 3) return std::nullopt;
    // What follows backticks must hold none: ```a``` is a code span in a paragraph.
    if (mark == '`' && line.find('`', length) != line.npos) return std::nullopt;
    return Fence{mark, length};
}

bool closes(std::string_view line, const Fence& fence) {
    const std::size_t length = run_length(line, fence.mark);
    return length >= fence.length && blank(line.substr(length));
}

struct ListMarker {
    std::size_t width;  // of the marker and the spaces that belong to it
    bool may_interrupt_paragraph;
};

std::optional<ListMarker> list_marker(std::string_view line) {
    std::size_t width = 0;
    bool first = true;  // a list that interrupts a paragraph starts with 1
    if (line.front() == '-' || line.front() == '+' || line.front() == '*') {
        width = 1;
    } else {
        constexpr std::size_t kMostDigits = 9;
        while (width < line.size() && is_digit(line[width])) ++width;
        if (width == 0 || width > kMostDigits || width == line.size()) return std::nullopt;
        if (line[width] != '.' && line[width] != ')') return std::nullopt;
        first = line.substr(0, width) == "1";
        ++width;
    }
    const std::string_view rest = line.substr(width);
    if (blank(rest)) return ListMarker{width + 1, false};
    const std::size_t gap = spaces(rest);
    if (gap == 0) return std::nullopt;
    return ListMarker{width + (gap > kCodeIndent ? 1 : gap), first};
}

class Reader {
  public:
    void read(std::string_view whole);
    std::vector<MarkdownLine> take() { return std::move(lines_); }

  private:
    enum class Leaf { none, paragraph, fence, html };
    struct Container {
        std::size_t indent = 0;  // of a list item's content; 0: a block quote
        bool empty = true;       // nothing but its marker so far
    };

    std::size_t match_containers(std::string_view& line);
    bool continue_leaf(std::string_view line);
    bool open_leaf(std::string_view line, bool after_paragraph, bool lazy);
    void close_from(std::size_t depth);
    void add(Kind kind, std::string_view text) { lines_.push_back({kind, 0, std::string(text)}); }

    std::vector<MarkdownLine> lines_;
    std::vector<Container> containers_;
    Leaf leaf_ = Leaf::none;
    std::size_t paragraph_start_ = 0;  // among lines_
    Fence fence_{};
    HtmlBlock html_{};
};

void Reader::close_from(std::size_t depth) {
    if (depth == containers_.size()) return;
    containers_.resize(depth);
    leaf_ = Leaf::none;
}

// How many of the open containers go on in this line; their marks are taken off it.
std::size_t Reader::match_containers(std::string_view& line) {
    std::size_t matched = 0;
    for (const Container& container : containers_) {
        const std::size_t indent = spaces(line);
        if (container.indent == 0) {
            if (indent >= kCodeIndent || indent == line.size() || line[indent] != '>') break;
            line.remove_prefix(indent + 1);
            if (!line.empty() && line.front() == ' ') line.remove_prefix(1);
        } else if (blank(line)) {
            if (container.empty) break;  // an item may begin with one blank line at most
        } else {
            if (indent < container.indent) break;
            line.remove_prefix(container.indent);
        }
        ++matched;
    }
    return matched;
}

// Fences and HTML take every line until they end.
bool Reader::continue_leaf(std::string_view line) {
    if (leaf_ == Leaf::fence) {
        const std::size_t indent = spaces(line);
        if (indent < kCodeIndent && closes(line.substr(indent), fence_)) {
            leaf_ = Leaf::none;
        } else {
            add(Kind::code, line);
        }
        return true;
    }
    if (leaf_ != Leaf::html || (html_ends_at_blank(html_) && blank(line))) return false;
    add(Kind::html, line);
    if (html_ends(html_, line)) leaf_ = Leaf::none;
    return true;
}

// A block that is no container, begun by `line`, whose indent is off.
bool Reader::open_leaf(std::string_view line, bool after_paragraph, bool lazy) {
    if (std::optional<MarkdownLine> heading = atx_heading(line)) {
        leaf_ = Leaf::none;
        lines_.push_back(std::move(*heading));
        return true;
    }
    if (const std::optional<Fence> fence = opening_fence(line)) {
        leaf_ = Leaf::fence;
        fence_ = *fence;
        return true;
    }
    if (const HtmlBlock html = opening_html(line, !after_paragraph && !lazy); html != HtmlBlock::none) {
        html_ = html;
        leaf_ = html_ends(html, line) ? Leaf::none : Leaf::html;
        add(Kind::html, line);
        return true;
    }
    if (const int level = setext_level(line); after_paragraph && level > 0) {
        std::size_t first = paragraph_start_;
        while (first < lines_.size() && link_definition(lines_[first].text)) ++first;
        if (first == lines_.size()) return false;
        MarkdownLine heading{Kind::heading, level, ""};
        for (std::size_t i = first; i < lines_.size(); ++i) {
            heading.text += (heading.text.empty() ? "" : "\n") + lines_[i].text;
        }
        lines_.resize(paragraph_start_);
        lines_.push_back(std::move(heading));
        leaf_ = Leaf::none;
        return true;
    }
    if (thematic_break(line)) {
        leaf_ = Leaf::none;
        return true;
    }
    return false;
}

void Reader::read(std::string_view whole) {
    const std::string text = expanded(whole);
    std::string_view line = text;
    const std::size_t matched = match_containers(line);
    std::size_t open = matched;  // containers that this line is in
    const auto inside = [&] {
        for (Container& container : containers_) container.empty = false;
    };
    if (open == containers_.size() && continue_leaf(line)) return;
    if (leaf_ == Leaf::html || (leaf_ == Leaf::fence && open < containers_.size())) leaf_ = Leaf::none;

    bool unmatched = open < containers_.size();
    bool after_paragraph = leaf_ == Leaf::paragraph && !unmatched;
    bool lazy = leaf_ == Leaf::paragraph && unmatched;
    while (!blank(line)) {
        const std::size_t indent = spaces(line);
        if (indent >= kCodeIndent) break;
        const std::string_view rest = line.substr(indent);
        const bool room = open < kMostContainers;
        if (rest.front() == '>' && room) {
            close_from(open);
            containers_.push_back({});
            line = rest.substr(1);
            if (!line.empty() && line.front() == ' ') line.remove_prefix(1);
        } else if (open_leaf(rest, after_paragraph, lazy)) {
            // close_from would end the leaf that has just begun.
            const Leaf begun = leaf_;
            close_from(open);
            leaf_ = begun;
            return inside();
        } else if (const auto item = list_marker(rest);
                   item && room && (!after_paragraph || item->may_interrupt_paragraph)) {
            close_from(open);
            containers_.push_back({.indent = indent + item->width});
            line = rest.substr(std::min(item->width, rest.size()));
        } else {
            break;
        }
        open = containers_.size();
        leaf_ = Leaf::none;
        unmatched = after_paragraph = lazy = false;
    }
    if (blank(line)) {
        close_from(open);
        if (leaf_ == Leaf::paragraph) leaf_ = Leaf::none;
        return;
    }
    if (!lazy) close_from(open);
    if (leaf_ != Leaf::paragraph && spaces(line) >= kCodeIndent) {
        add(Kind::code, line.substr(kCodeIndent));
        return inside();
    }
    if (leaf_ != Leaf::paragraph) {
        leaf_ = Leaf::paragraph;
        paragraph_start_ = lines_.size();
    }
    add(Kind::paragraph, trimmed(line));
    inside();
}

}  // namespace

std::vector<MarkdownLine> markdown_lines(std::string_view text) {
    Reader reader;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
        reader.read(text.substr(0, end));
        text.remove_prefix(end);
        text.remove_prefix(text.starts_with("\r\n") ? 2 : std::min<std::size_t>(1, text.size()));
    }
    return reader.take();
}

}  // namespace mm::checks
