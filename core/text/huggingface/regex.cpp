// The matcher.
#include "core/text/huggingface/regex.hpp"

#include "core/base/error.hpp"
#include "core/base/utf8.hpp"

namespace mm {

namespace {

constexpr std::size_t kNoMatch = static_cast<std::size_t>(-1);

/// Backtracking with an explicit stack. Runs of one set, which is what these patterns are made of, take one
/// entry whatever their length.
class Matcher {
  public:
    Matcher(const Regex::Program& program, std::string_view text, std::uint64_t& steps_left)
        : program_(program), text_(text), steps_left_(steps_left) {}

    /// End of the match of the program at `pc` that starts at `position`, or kNoMatch.
    std::size_t run(std::uint32_t pc, std::size_t position) {
        const std::size_t base = stack_.size();
        for (;;) {
            const std::size_t end = forward(pc, position);
            if (end != kNoMatch) {
                stack_.resize(base);
                return end;
            }
            if (!backtrack(base, pc, position)) return kNoMatch;
        }
    }

  private:
    struct Entry {
        enum { branch, greedy, lazy } kind;
        std::uint32_t pc;      // where to go on; of a lazy run: the repeat itself
        std::size_t position;  // of the text
        std::size_t low;       // greedy: the run may shrink to here; lazy: repeats so far
    };

    void step() {
        if (steps_left_ == 0) {
            throw_error(ErrorKind::unsupported,
                        "regular expression: matching this text takes too many steps");
        }
        --steps_left_;
    }

    bool set_matches(std::uint32_t set, std::size_t& position) const {
        if (position == text_.size()) return false;
        std::size_t next = position;
        if (!program_.sets[set].contains(next_code_point(text_, next))) return false;
        position = next;
        return true;
    }

    /// Runs until the program matches (the end) or something fails (kNoMatch).
    std::size_t forward(std::uint32_t pc, std::size_t position) {
        for (;;) {
            step();
            const Regex::Instruction& at = program_.code[pc];
            bool good = true;
            switch (at.op) {
                case Regex::Op::match:
                    return position;
                case Regex::Op::character: {
                    good = position < text_.size() && next_code_point(text_, position) == at.a;
                    break;
                }
                case Regex::Op::set:
                    good = set_matches(at.a, position);
                    break;
                case Regex::Op::split:
                    stack_.push_back({Entry::branch, at.b, position, 0});
                    pc = at.a;
                    continue;
                case Regex::Op::jump:
                    pc = at.a;
                    continue;
                case Regex::Op::repeat:
                    good = repeat(pc, program_.repeats[at.a], position);
                    break;
                case Regex::Op::look_ahead:
                case Regex::Op::look_ahead_not:
                    if ((run(pc + 1, position) != kNoMatch) != (at.op == Regex::Op::look_ahead))
                        return kNoMatch;
                    pc = at.a;
                    continue;
                case Regex::Op::atomic:
                    position = run(pc + 1, position);
                    if (position == kNoMatch) return kNoMatch;
                    pc = at.a;
                    continue;
                case Regex::Op::line_begin:
                    good = position == 0 || (text_[position - 1] == '\n' && position < text_.size());
                    break;
                case Regex::Op::line_end:
                    good = position == text_.size() || text_[position] == '\n';
                    break;
                case Regex::Op::text_begin:
                    good = position == 0;
                    break;
                case Regex::Op::text_end:
                    good = position == text_.size();
                    break;
                case Regex::Op::text_end_or_newline:
                    good =
                        position == text_.size() || (position + 1 == text_.size() && text_[position] == '\n');
                    break;
            }
            if (!good) return kNoMatch;
            ++pc;
        }
    }

    bool repeat(std::uint32_t pc, const Regex::Repeat& repeat, std::size_t& position) {
        std::uint32_t count = 0;
        std::size_t low = position;  // behind the `min` repeats that must be
        const bool lazy = repeat.greed == Regex::Greed::lazy;
        const std::uint32_t wanted = lazy ? repeat.min : repeat.max;
        while (count < wanted && set_matches(repeat.set, position)) {
            step();
            if (++count == repeat.min) low = position;
        }
        if (count < repeat.min) return false;
        if (lazy && count < repeat.max) stack_.push_back({Entry::lazy, pc, position, count});
        if (repeat.greed == Regex::Greed::greedy && position > low) {
            stack_.push_back({Entry::greedy, pc + 1, position, low});
        }
        return true;
    }

    /// Takes the last choice back. False when none is left above `base`.
    bool backtrack(std::size_t base, std::uint32_t& pc, std::size_t& position) {
        while (stack_.size() > base) {
            step();
            Entry& entry = stack_.back();
            if (entry.kind == Entry::greedy) {
                previous_code_point(text_, entry.position);
                pc = entry.pc;
                position = entry.position;
                if (position == entry.low) stack_.pop_back();
                return true;
            }
            if (entry.kind == Entry::lazy) {
                const Regex::Repeat& repeat = program_.repeats[program_.code[entry.pc].a];
                pc = entry.pc + 1;
                if (!set_matches(repeat.set, entry.position)) {
                    stack_.pop_back();
                    continue;
                }
                position = entry.position;
                if (++entry.low == repeat.max) stack_.pop_back();
                return true;
            }
            pc = entry.pc;
            position = entry.position;
            stack_.pop_back();
            return true;
        }
        return false;
    }

    const Regex::Program& program_;
    std::string_view text_;
    std::uint64_t& steps_left_;
    std::vector<Entry> stack_;
};

}  // namespace

Regex::Regex(std::string_view pattern) : program_(compile_regex(pattern)) {}

std::vector<Regex::Match> Regex::find_all(std::string_view text, std::uint64_t& steps_left) const {
    std::vector<Match> matches;
    Matcher matcher(program_, text, steps_left);
    std::size_t last_end = kNoMatch;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = matcher.run(0, start);
        if (end != kNoMatch && !(end == start && start == last_end)) {
            matches.push_back({start, end});
            last_end = end;
            if (end > start) {
                start = end;
                continue;
            }
            // An empty match: the next search begins at the same place and finds it again, so it moves on.
        }
        if (start == text.size()) break;
        next_code_point(text, start);
    }
    return matches;
}

}  // namespace mm
