// The pickle machine against hostile pickles: what it refuses, by which name, and that it stays small.
#include "core/checkpoint/pickle_tree.hpp"

#include "tests/checkpoint/forge.hpp"
#include "tests/checkpoint/support.hpp"

namespace mm {
namespace {

using namespace forge;

bool allow_ordered_dict(std::string_view name) {
    return name == "collections.OrderedDict";
}

std::string reason(const std::string& bytes) {
    std::uint64_t position = 0;
    try {
        read_pickle(as_bytes(bytes), position, allow_ordered_dict);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Pickle, KeepsValuesAsTheyAre) {
    const std::string bytes = pickle(dict({text("a"), tuple({number(-7), "N", "\x88", text("x")}), text("b"),
                                           list({"K\xff", "M\xff\xff", "J\xff\xff\xff\xff"})}));
    std::uint64_t position = 0;
    const PickleTree tree = read_pickle(as_bytes(bytes), position, allow_ordered_dict);
    EXPECT_EQ(position, bytes.size());
    const auto a = tree.find(tree.root(), "a");
    ASSERT_TRUE(a.has_value());
    ASSERT_EQ(tree.items(*a).size(), 4U);
    EXPECT_EQ(tree.integer(tree.items(*a)[0]), -7);
    EXPECT_EQ(tree.kind(tree.items(*a)[1]), PickleTree::Kind::none);
    EXPECT_EQ(tree.kind(tree.items(*a)[2]), PickleTree::Kind::boolean);
    EXPECT_EQ(tree.text(tree.items(*a)[3]), "x");
    const auto b = tree.find(tree.root(), "b");
    ASSERT_TRUE(b.has_value());
    EXPECT_EQ(tree.integer(tree.items(*b)[0]), 255);
    EXPECT_EQ(tree.integer(tree.items(*b)[1]), 65535);
    EXPECT_EQ(tree.integer(tree.items(*b)[2]), -1);
    EXPECT_FALSE(tree.find(tree.root(), "c").has_value());
}

TEST(Pickle, ReadsLongsOfEveryLength) {
    for (const std::int64_t value :
         {std::int64_t{0}, std::int64_t{127}, std::int64_t{-128}, std::int64_t{-129}, std::int64_t{1} << 40,
          -(std::int64_t{1} << 40), INT64_MIN, INT64_MAX}) {
        for (int size = 1; size <= 8; ++size) {
            // Only lengths that hold the value.
            const int unused = 64 - 8 * size;
            const auto wide =
                static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused) >> unused;
            if (wide != value) continue;
            const std::string bytes = pickle("\x8a" + little(static_cast<std::uint64_t>(size), 1) +
                                             little(static_cast<std::uint64_t>(value), size));
            std::uint64_t position = 0;
            const PickleTree tree = read_pickle(as_bytes(bytes), position, allow_ordered_dict);
            EXPECT_EQ(tree.integer(tree.root()), value) << size;
        }
    }
}

TEST(Pickle, NamesEveryForbiddenGlobal) {
    const std::string call_it = text("true") + "\x85R.";
    EXPECT_EQ(reason("\x80\x02" + global("os", "system") + call_it),
              "global os.system: not allowed in a checkpoint; nothing was executed");
    EXPECT_NE(reason("\x80\x04\x8c\x05posix\x8c\x06system\x93" + call_it).find("global posix.system:"),
              std::string::npos);
    EXPECT_NE(reason("cos\nsystem\n(S'true'\ntR.").find("global os.system:"), std::string::npos);
    EXPECT_NE(reason("(S'true'\nios\nsystem\n.").find("global os.system:"), std::string::npos) << "INST";
    EXPECT_NE(reason("(cos\nsystem\nS'true'\no.").find("global os.system:"), std::string::npos) << "OBJ";
    EXPECT_NE(reason("\x80\x02" + global("collections", "OrderedDict.__init__") + ".")
                  .find("global collections.OrderedDict.__init__:"),
              std::string::npos);
    EXPECT_EQ(reason("\x80\x02" + global("collections", "OrderedDict") + "."), "");
    EXPECT_NE(reason("\x80\x02" + global("o s", "sys\x1btem") + ".").find("invalid name of a global"),
              std::string::npos);
}

TEST(Pickle, RefusesWhatIsMalformed) {
    const std::pair<std::string, const char*> cases[] = {
        {"", "ends in the middle"},
        {"\x80\x02", "ends in the middle"},
        {"\x80\x06N.", "protocol 6 is not known"},
        {"\x80\x02.", "empty stack"},
        {"\x80\x02(.", "empty stack"},
        {"\x80\x02t.", "has no mark"},
        {"\x80\x02N(\x85.", "empty stack"},
        {"\x80\x02h\x07.", "memo index 7 was never stored"},
        {"\x80\x02Nr\xff\xff\xff\xff.", "memo index 4294967295 is over the limit"},
        {"\x80\x02"
         "X\xff\xff\xff\xff"
         "a.",
         "ends in the middle"},
        {"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
         "a.",
         "ends in the middle"},
        {"\x80\x02\x8b\xff\xff\xff\xff.", "ends in the middle"},
        {"\x80\x02}(Nu.", "has a key without a value"},
        {"\x80\x02]NNs.", "adds items to a list as if it were a dict"},
        {"\x80\x02}Na.", "adds items to a dict as if it were a list"},
        {"\x80\x02NNR.", "calls something that is not a global"},
        {"\x80\x02NNb.", "sets attributes of None"},
        {"\x80\x02"
         "ccollections\nOrderedDict\nNR.",
         "calls with arguments that are not a tuple"},
        {"\x80\x02NN\x93.", "names a global, but not with strings"},
        {"\x80\x02\x82\x01.", "unknown opcode 0x82"},
        {"\x80\x04NNN\x92.", "unknown opcode 0x92"},
        {"I12x\n.", "has an invalid number"},
        {"Np-1\n.", "has an invalid memo index"},
    };
    for (const auto& [bytes, why] : cases) {
        EXPECT_NE(reason(bytes).find(why), std::string::npos) << why << " ← " << reason(bytes);
    }
}

// A bomb is small and asks for much. Each of these ends at a limit; a reader without them would fill the
// memory.
TEST(Pickle, BombsEndAtALimit) {
    EXPECT_NE(reason("\x80\x02" + std::string(5'000'000, '}')).find("has more than"), std::string::npos);
    EXPECT_NE(reason("\x80\x02" + std::string(5'000'000, '(')).find("has more than"), std::string::npos);
    EXPECT_NE(reason("\x80\x02N" + std::string(5'000'000, '2')).find("has more than"), std::string::npos)
        << "DUP";

    // One list of many pairs, made an OrderedDict again and again.
    std::string shared = "\x80\x02](";
    for (int i = 0; i < 100'000; ++i) shared += "]q\x01";
    shared += "e\x85q\x02";
    std::string dicts = shared;
    for (int i = 0; i < 10'000; ++i) dicts += "ccollections\nOrderedDict\nh\x02R";
    EXPECT_NE(reason(dicts).find("has more than"), std::string::npos);

    // Lists of lists of lists …, each naming the last one a hundred times: 100^50 elements for who walks
    // them.
    std::string nested = "\x80\x02]q" + std::string(1, '\0');
    for (int level = 1; level < 50; ++level) {
        nested += "](";
        for (int i = 0; i < 100; ++i) nested += "h" + little(static_cast<std::uint64_t>(level - 1), 1);
        nested += "eq" + little(static_cast<std::uint64_t>(level), 1);
    }
    EXPECT_EQ(reason(nested + "."), "") << "as data it is small";
    EXPECT_EQ(test::error_of(torch_zip(nested.substr(2))).message(), "holds a list, not a state dict");
}

TEST(Pickle, DeepNestingIsNoRecursion) {
    EXPECT_EQ(reason("\x80\x02" + std::string(200'000, ']') + std::string(199'999, 'a') + "."), "");
    EXPECT_EQ(reason("\x80\x02N" + std::string(400'000, '\x85') + "."), "");
    std::string parameters = rebuild({});
    for (int i = 0; i < 10'000; ++i) {
        parameters +=
            "\x88N\x87q\x05"
            "0ctorch._utils\n_rebuild_parameter\nh\x05R";
    }
    // Wrapped deeper than any tensor is: a value like any other, not a tensor.
    EXPECT_EQ(test::Loaded(torch_zip(dict({text("w"), parameters}))).table().entries().size(), 0U);
}

TEST(Pickle, AListThatHoldsItselfIsFine) {
    EXPECT_EQ(test::Loaded(torch_zip("}q\x01X" + little(1, 4) + "ah\x01s")).table().entries().size(), 0U);
}

}  // namespace
}  // namespace mm
