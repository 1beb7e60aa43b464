#include "core/lab/checks/class_names.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/base/display_width.hpp"
#include "core/base/utf8.hpp"

namespace mm {
namespace {

using Names = std::vector<std::string>;

TEST(ClassNames, CommonFoldersGo) {
    EXPECT_EQ(class_names(Names{"/a/class/alice/infer", "/a/class/bob/infer"}),
              (Names{"alice/infer", "bob/infer"}));
    EXPECT_EQ(class_names(Names{"alice", "bob"}), (Names{"alice", "bob"}));
    EXPECT_EQ(class_names(Names{"class/al", "class/alice"}), (Names{"al", "alice"}));
    EXPECT_EQ(class_names(Names{"/a/b"}), Names{"/a/b"});
    EXPECT_EQ(class_names(Names{"a", "a"}), (Names{"a", "a"})) << "one folder given twice";
    EXPECT_TRUE(class_names(Names{}).empty());
}

TEST(ClassNames, LongOnesAreShortenedInTheMiddleAndStayApart) {
    const std::string long_name(100, 'x');
    const Names few = class_names(Names{"alice_" + long_name + "_infer", "bob_" + long_name + "_infer"});
    for (const std::string& name : few) EXPECT_EQ(display_width(name), 40u) << name;
    EXPECT_TRUE(few[0].starts_with("alice_xx") && few[0].ends_with("xx_infer")) << few[0];
    Names many;
    for (int i = 0; i < 200; ++i) many.push_back(long_name + std::to_string(i) + long_name);
    const Names shown = class_names(many);
    EXPECT_EQ(std::set<std::string>(shown.begin(), shown.end()).size(), many.size());
}

TEST(ClassNames, WideCombiningAndBrokenCharacters) {
    EXPECT_EQ(display_width("김철수"), 6u);
    EXPECT_EQ(display_width("\xE1\x84\x80\xE1\x85\xB5\xE1\x86\xB7"), 2u) << "decomposed";
    EXPECT_EQ(display_width("e\xCC\x81"), 1u);
    std::string wide;
    for (int i = 0; i < 50; ++i) wide += "가";
    const Names names =
        class_names(Names{wide, "\xB1\xE8\xB9\xCE\xBC\xF6", "\xB1\xE8\xB9\xCE\xBC\xF7", "a\x1b[31m"});
    EXPECT_LE(display_width(names[0]), 40u);
    EXPECT_EQ(find_invalid_utf8(names[0]), std::string::npos);
    EXPECT_EQ(names[1], "\\xb1\\xe8\\xb9\xCE\xBC\\xf6") << "CE BC is a character";
    EXPECT_NE(names[1], names[2]);
    EXPECT_EQ(names[3], "a\\u{001B}[31m");
}

}  // namespace
}  // namespace mm
