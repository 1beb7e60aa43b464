// The stack machine of pickle: its file, stack, memo and values. The opcodes are in pickle_machine.cpp.
//
// Every opcode pushes at most one value and costs at least one byte of file, so time and memory are bounded
// by the limits at the end of the class, whatever lengths or memo indices a file claims. Nothing is executed.
#pragma once

#include <charconv>
#include <string>
#include <utility>

#include "core/base/join.hpp"
#include "core/checkpoint/pickle_tree.hpp"

namespace mm {

class PickleMachine {
  public:
    using Ref = PickleTree::Ref;
    using Kind = PickleTree::Kind;

    PickleMachine(Bytes bytes, std::uint64_t position, AllowGlobal allow)
        : bytes_(bytes), position_(position), allow_(allow) {}

    PickleTree run() {
        for (std::size_t count = 0; count < kMaxOpcodes; ++count) {
            opcode_at_ = position_;
            const char opcode = as_text(take(1))[0];
            if (opcode == '.') {
                tree_.root_ = pop();
                return std::move(tree_);
            }
            step(opcode);
        }
        fail(join({"has more than ", kMaxOpcodes, " opcodes"}));
    }

    std::uint64_t position() const { return position_; }

  private:
    [[noreturn]] void fail(std::string_view message) const {
        throw_error(ErrorKind::format, join({message, " (byte ", opcode_at_, ")"}), {.field = "pickle"});
    }

    // --- the file -----------------------------------------------------------------------------------

    Bytes take(std::uint64_t size) {
        if (size > bytes_.size() - position_) fail("ends in the middle");
        const Bytes taken =
            bytes_.subspan(static_cast<std::size_t>(position_), static_cast<std::size_t>(size));
        position_ += size;
        return taken;
    }

    template <typename T>
    T take_le() {
        return load_le<T>(take(sizeof(T)), 0, "pickle");
    }

    template <typename Length>
    std::string_view take_text() {
        return as_text(take(take_le<Length>()));
    }

    std::string_view take_line() {
        const std::string_view rest = as_text(bytes_).substr(static_cast<std::size_t>(position_));
        const std::size_t size = rest.find('\n');
        if (size == std::string_view::npos) fail("ends in the middle");
        position_ += size + 1;
        return rest.substr(0, size);
    }

    // --- the stack ----------------------------------------------------------------------------------

    Ref make(Kind kind, std::int64_t number = 0, std::string_view text = {}) {
        if (tree_.nodes_.size() >= kMaxValues) {
            fail(join({"has more than ", kMaxValues, " values"}));
        }
        tree_.nodes_.push_back({kind, 0, number, text});
        return static_cast<Ref>(tree_.nodes_.size() - 1);
    }

    Ref make(Kind kind, std::vector<Ref> children) {
        const Ref ref = make(kind);
        tree_.nodes_[ref].children = static_cast<std::uint32_t>(tree_.children_.size());
        tree_.children_.push_back(std::move(children));
        return ref;
    }

    void push(Ref ref) { stack_.push_back(ref); }

    Ref top() const {
        if (stack_.size() <= floor()) fail("takes a value from an empty stack");
        return stack_.back();
    }

    Ref pop() {
        const Ref ref = top();
        stack_.pop_back();
        return ref;
    }

    // Values above the last mark belong to it; what is below cannot be reached before the mark is taken.
    std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

    std::vector<Ref> pop_to_mark() {
        if (marks_.empty()) fail("has no mark");
        const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
        std::vector<Ref> values(first, stack_.end());
        stack_.erase(first, stack_.end());
        marks_.pop_back();
        return values;
    }

    std::vector<Ref> pop_count(std::size_t count) {
        std::vector<Ref> values(count);
        for (std::size_t i = count; i-- > 0;) values[i] = pop();
        return values;
    }

    void remember(std::uint64_t index) {
        if (index >= kMaxMemo) fail(join({"memo index ", index, " is over the limit"}));
        if (index >= memo_.size()) memo_.resize(static_cast<std::size_t>(index) + 1, kNothing);
        memo_[static_cast<std::size_t>(index)] = top();
    }

    void recall(std::uint64_t index) {
        if (index >= memo_.size() || memo_[static_cast<std::size_t>(index)] == kNothing) {
            fail(join({"memo index ", index, " was never stored"}));
        }
        push(memo_[static_cast<std::size_t>(index)]);
    }

    // --- values -------------------------------------------------------------------------------------

    std::vector<Ref>& container(Ref ref, Kind kind) {
        if (tree_.kind(ref) != kind) {
            fail(join({"adds items to ", to_string(tree_.kind(ref)), " as if it were ", to_string(kind)}));
        }
        return tree_.children_[tree_.nodes_[ref].children];
    }

    void extend(Kind kind, const std::vector<Ref>& values) {
        if (kind == Kind::dict && values.size() % 2 != 0) fail("has a key without a value");
        std::vector<Ref>& items = container(top(), kind);
        items.insert(items.end(), values.begin(), values.end());
    }

    void push_long(std::string_view digits) {
        if (digits.size() > 8) return push(make(Kind::big_integer, 0, digits));
        std::uint64_t value = 0;
        for (std::size_t i = digits.size(); i-- > 0;) {
            value = value << 8 | static_cast<unsigned char>(digits[i]);
        }
        const auto unused = static_cast<unsigned>(64 - 8 * digits.size());
        const std::int64_t number = unused == 64 ? 0 : static_cast<std::int64_t>(value << unused) >> unused;
        push(make(Kind::integer, number));
    }

    void push_decimal(std::string_view line) {
        if (line == "00" || line == "01") return push(make(Kind::boolean, line == "01" ? 1 : 0));
        if (line.ends_with('L')) line.remove_suffix(1);
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
        if (error == std::errc::result_out_of_range) return push(make(Kind::big_integer, 0, line));
        if (error != std::errc() || end != line.data() + line.size()) fail("has an invalid number");
        push(make(Kind::integer, number));
    }

    // Random bytes hold a GLOBAL now and then; only what can be a name is reported as one.
    static bool is_name(std::string_view text) {
        constexpr std::size_t kLongest = 200;
        if (text.empty() || text.size() > kLongest) return false;
        for (const char c : text) {
            const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '.') return false;
        }
        return true;
    }

    void push_global(std::string_view module, std::string_view name) {
        if (!is_name(module) || !is_name(name)) fail("has an invalid name of a global");
        std::string full = join({module, ".", name});
        if (!allow_(full)) {
            throw_error(ErrorKind::unsupported, "not allowed in a checkpoint; nothing was executed",
                        {.field = join({"global ", full})},
                        "only weights are read: save them with torch.save(model.state_dict(), path)");
        }
        // Allowed names are few, so each is kept once, where views of it stay valid.
        push(make(Kind::global, 0, *tree_.names_.insert(std::move(full)).first));
    }

    void push_stack_global() {
        const std::vector<Ref> parts = pop_count(2);
        for (const Ref part : parts) {
            if (tree_.kind(part) != Kind::text) fail("names a global, but not with strings");
        }
        push_global(tree_.text(parts[0]), tree_.text(parts[1]));
    }

    // REDUCE and NEWOBJ: only the containers of Python's library become what they are, for items follow.
    void call() {
        const std::vector<Ref> parts = pop_count(2);
        const Ref callee = parts[0];
        if (tree_.kind(callee) != Kind::global) fail("calls something that is not a global");
        if (tree_.kind(parts[1]) != Kind::tuple) fail("calls with arguments that are not a tuple");
        const std::string_view name = tree_.text(callee);
        if (name == "collections.OrderedDict" || name == "collections.Counter" ||
            name == "collections.defaultdict") {
            push(make(Kind::dict, pairs_of(tree_.items(parts[1]))));
        } else {
            push(make(Kind::call, parts));
        }
    }

    // Python 2 wrote OrderedDict([[key, value], …]). The list may be shared by many calls, so what is copied
    // out of it has a limit of its own.
    std::vector<Ref> pairs_of(std::span<const Ref> arguments) {
        std::vector<Ref> pairs;
        if (arguments.empty()) return pairs;
        const std::span<const Ref> list = tree_.items(arguments[0]);
        copied_ += list.size();
        if (copied_ > kMaxValues) fail(join({"has more than ", kMaxValues, " values"}));
        for (const Ref pair : list) {
            const std::span<const Ref> both = tree_.items(pair);
            if (both.size() == 2) pairs.insert(pairs.end(), both.begin(), both.end());
        }
        return pairs;
    }

    // Attributes of an object (`_metadata` of a state dict, a parameter's own): no reader needs them.
    void build() {
        pop();
        const Kind kind = tree_.kind(top());
        if (kind != Kind::dict && kind != Kind::call && kind != Kind::set && kind != Kind::list) {
            fail(join({"sets attributes of ", to_string(kind)}));
        }
    }

    void step(char opcode);
    bool step_text_protocol(char opcode);

    static constexpr std::size_t kMaxOpcodes = 2'000'000;
    static constexpr std::size_t kMaxValues = 500'000;
    static constexpr std::size_t kMaxMemo = 1'000'000;
    static constexpr std::uint8_t kNewestProtocol = 5;
    static constexpr Ref kNothing = 0xFFFFFFFF;

    Bytes bytes_;
    std::uint64_t position_;
    std::uint64_t opcode_at_ = 0;
    AllowGlobal allow_;
    PickleTree tree_;
    std::vector<Ref> stack_;
    std::vector<std::size_t> marks_;
    std::vector<Ref> memo_;
    std::size_t copied_ = 0;
};

}  // namespace mm
