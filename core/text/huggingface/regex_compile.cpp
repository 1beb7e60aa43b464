// Syntax tree → program.
#include "core/text/huggingface/regex_syntax.hpp"

namespace mm {

namespace {

using regex_syntax::kUnlimited;
using regex_syntax::Node;
using regex_syntax::unsupported;

constexpr std::size_t kMaxProgram = 50'000;  // instructions; {m,n} copies its operand

class Compiler {
  public:
    Regex::Program compile(std::string_view pattern) {
        emit(regex_syntax::parse(pattern, program_.sets));
        add(Regex::Op::match);
        return std::move(program_);
    }

  private:
    std::uint32_t here() const { return static_cast<std::uint32_t>(program_.code.size()); }

    std::uint32_t add(Regex::Op op, std::uint32_t a = 0, std::uint32_t b = 0) {
        if (program_.code.size() == kMaxProgram) unsupported("a pattern of this size");
        program_.code.push_back({op, a, b});
        return here() - 1;
    }

    void emit(const Node& node) {
        switch (node.kind) {
            case Node::empty:
                return;
            case Node::character:
                add(Regex::Op::character, node.c);
                return;
            case Node::set:
                add(Regex::Op::set, node.set_index);
                return;
            case Node::anchor:
                add(node.op);
                return;
            case Node::sequence:
                for (const Node& part : node.parts) emit(part);
                return;
            case Node::alternatives:
                emit_alternatives(node);
                return;
            case Node::repeat:
                emit_repeat(node);
                return;
            case Node::look_ahead:
                emit_inner(Regex::Op::look_ahead, node.parts[0]);
                return;
            case Node::look_ahead_not:
                emit_inner(Regex::Op::look_ahead_not, node.parts[0]);
                return;
            case Node::atomic:
                emit_inner(Regex::Op::atomic, node.parts[0]);
                return;
        }
    }

    void emit_inner(Regex::Op op, const Node& inner) {
        const std::uint32_t start = add(op);
        emit(inner);
        add(Regex::Op::match);
        program_.code[start].a = here();
    }

    void emit_alternatives(const Node& node) {
        std::vector<std::uint32_t> jumps;
        for (std::size_t i = 0; i + 1 < node.parts.size(); ++i) {
            const std::uint32_t split = add(Regex::Op::split);
            program_.code[split].a = here();
            emit(node.parts[i]);
            jumps.push_back(add(Regex::Op::jump));
            program_.code[split].b = here();
        }
        emit(node.parts.back());
        for (const std::uint32_t jump : jumps) program_.code[jump].a = here();
    }

    void emit_repeat(const Node& node) {
        const Node& operand = node.parts[0];
        if (operand.kind == Node::set) {
            program_.repeats.push_back({operand.set_index, node.min, node.max, node.greed});
            add(Regex::Op::repeat, static_cast<std::uint32_t>(program_.repeats.size() - 1));
            return;
        }
        if (node.greed == Regex::Greed::possessive) {
            Node greedy = node;
            greedy.greed = Regex::Greed::greedy;
            emit_inner(Regex::Op::atomic, greedy);
            return;
        }
        for (std::uint32_t i = 0; i < node.min; ++i) emit(operand);
        const bool lazy = node.greed == Regex::Greed::lazy;
        const auto split = [&](std::uint32_t at, std::uint32_t inside, std::uint32_t behind) {
            program_.code[at].a = lazy ? behind : inside;
            program_.code[at].b = lazy ? inside : behind;
        };
        if (node.max == kUnlimited) {
            const std::uint32_t start = add(Regex::Op::split);
            const std::uint32_t inside = here();
            emit(operand);
            add(Regex::Op::jump, start);
            split(start, inside, here());
            return;
        }
        std::vector<std::uint32_t> starts;
        for (std::uint32_t i = node.min; i < node.max; ++i) {
            starts.push_back(add(Regex::Op::split));
            emit(operand);
        }
        for (const std::uint32_t start : starts) split(start, start + 1, here());
    }

    Regex::Program program_;
};

}  // namespace

Regex::Program compile_regex(std::string_view pattern) {
    return Compiler().compile(pattern);
}

}  // namespace mm
