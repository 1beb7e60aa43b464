// The opcodes of pickle (Python's Lib/pickletools.py describes each).
#include "core/checkpoint/pickle_machine.hpp"

#include "core/base/join.hpp"

namespace mm {

void PickleMachine::step(char opcode) {
    switch (opcode) {
        case '\x80': {  // PROTO
            const auto protocol = take_le<std::uint8_t>();
            if (protocol > kNewestProtocol) fail(join({"protocol ", protocol, " is not known"}));
            return;
        }
        case '\x95':  // FRAME: its length only helps readers of streams
            take(8);
            return;

        case 'N':
            return push(make(Kind::none));
        case '\x88':  // NEWTRUE
            return push(make(Kind::boolean, 1));
        case '\x89':  // NEWFALSE
            return push(make(Kind::boolean, 0));
        case 'J':  // BININT
            return push(make(Kind::integer, take_le<std::int32_t>()));
        case 'K':  // BININT1
            return push(make(Kind::integer, take_le<std::uint8_t>()));
        case 'M':  // BININT2
            return push(make(Kind::integer, take_le<std::uint16_t>()));
        case '\x8a':  // LONG1
            return push_long(take_text<std::uint8_t>());
        case '\x8b':  // LONG4
            return push_long(take_text<std::uint32_t>());
        case 'G':  // BINFLOAT
            take(8);
            return push(make(Kind::real));

        case 'X':  // BINUNICODE
            return push(make(Kind::text, 0, take_text<std::uint32_t>()));
        case '\x8c':  // SHORT_BINUNICODE
            return push(make(Kind::text, 0, take_text<std::uint8_t>()));
        case '\x8d':  // BINUNICODE8
            return push(make(Kind::text, 0, take_text<std::uint64_t>()));
        case 'T':  // BINSTRING and SHORT_BINSTRING: Python 2's str, in which it kept names
            return push(make(Kind::text, 0, take_text<std::uint32_t>()));
        case 'U':
            return push(make(Kind::text, 0, take_text<std::uint8_t>()));
        case 'B':  // BINBYTES
            return push(make(Kind::bytes, 0, take_text<std::uint32_t>()));
        case 'C':  // SHORT_BINBYTES
            return push(make(Kind::bytes, 0, take_text<std::uint8_t>()));
        case '\x8e':  // BINBYTES8
        case '\x96':  // BYTEARRAY8
            return push(make(Kind::bytes, 0, take_text<std::uint64_t>()));

        case '(':  // MARK
            marks_.push_back(stack_.size());
            return;
        case ')':  // EMPTY_TUPLE
            return push(make(Kind::tuple, std::vector<Ref>{}));
        case '\x85':  // TUPLE1, TUPLE2, TUPLE3
        case '\x86':
        case '\x87':
            return push(make(Kind::tuple, pop_count(static_cast<std::size_t>(opcode - '\x85') + 1)));
        case 't':
            return push(make(Kind::tuple, pop_to_mark()));
        case ']':  // EMPTY_LIST
            return push(make(Kind::list, std::vector<Ref>{}));
        case '}':  // EMPTY_DICT
            return push(make(Kind::dict, std::vector<Ref>{}));
        case '\x8f':  // EMPTY_SET
            return push(make(Kind::set, std::vector<Ref>{}));
        case '\x91':  // FROZENSET
            return push(make(Kind::set, pop_to_mark()));
        case 'a':  // APPEND
            return extend(Kind::list, pop_count(1));
        case 'e':  // APPENDS
            return extend(Kind::list, pop_to_mark());
        case 's':  // SETITEM
            return extend(Kind::dict, pop_count(2));
        case 'u':  // SETITEMS
            return extend(Kind::dict, pop_to_mark());
        case '\x90':  // ADDITEMS
            return extend(Kind::set, pop_to_mark());

        case 'q':  // BINPUT
            return remember(take_le<std::uint8_t>());
        case 'r':  // LONG_BINPUT
            return remember(take_le<std::uint32_t>());
        case '\x94':  // MEMOIZE
            return remember(memo_.size());
        case 'h':  // BINGET
            return recall(take_le<std::uint8_t>());
        case 'j':  // LONG_BINGET
            return recall(take_le<std::uint32_t>());

        case 'c': {  // GLOBAL
            const std::string_view module = take_line();
            return push_global(module, take_line());
        }
        case '\x93':  // STACK_GLOBAL
            return push_stack_global();
        case 'R':     // REDUCE
        case '\x81':  // NEWOBJ
            return call();
        case 'b':
            return build();
        case 'Q':  // BINPERSID
            return push(make(Kind::persistent, pop_count(1)));

        default:
            if (!step_text_protocol(opcode)) {
                constexpr char kHex[] = "0123456789abcdef";
                const auto byte = static_cast<unsigned char>(opcode);
                fail(join({"unknown opcode 0x", kHex[byte >> 4], kHex[byte & 15]}));
            }
    }
}

// Protocols 0 and 1: torch.save never chose them, but hand-made pickles use them, and what they name is to be
// reported like the rest. INST and OBJ (a class and its arguments in one) are only looked at for their name.
bool PickleMachine::step_text_protocol(char opcode) {
    switch (opcode) {
        case '0':
            if (stack_.size() > floor())
                pop();
            else
                pop_to_mark();
            return true;
        case '1':
            pop_to_mark();
            return true;
        case '2':
            push(top());
            return true;
        case 'I':
        case 'L':
            push_decimal(take_line());
            return true;
        case 'F':
            take_line();
            push(make(Kind::real));
            return true;
        case 'S': {
            std::string_view line = take_line();
            if (line.size() < 2) fail("has a text without quotes");
            line = line.substr(1, line.size() - 2);
            push(make(Kind::text, 0, line));
            return true;
        }
        case 'V':
            push(make(Kind::text, 0, take_line()));
            return true;
        case 'l':
            push(make(Kind::list, pop_to_mark()));
            return true;
        case 'd': {
            std::vector<Ref> pairs = pop_to_mark();
            if (pairs.size() % 2 != 0) fail("has a key without a value");
            push(make(Kind::dict, std::move(pairs)));
            return true;
        }
        case 'p':
        case 'g': {
            std::uint64_t index = 0;
            const std::string_view line = take_line();
            const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), index);
            if (error != std::errc() || end != line.data() + line.size()) fail("has an invalid memo index");
            if (opcode == 'p')
                remember(index);
            else
                recall(index);
            return true;
        }
        case 'i': {
            const std::string_view module = take_line();
            push_global(module, take_line());
            return false;
        }
        default:
            return false;
    }
}

PickleTree read_pickle(Bytes bytes, std::uint64_t& position, AllowGlobal allow) {
    PickleMachine machine(bytes, position, allow);
    PickleTree tree = machine.run();
    position = machine.position();
    return tree;
}

}  // namespace mm
