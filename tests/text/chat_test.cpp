// Chat forms against the renderings of MiniMind's own template and of plain ChatML, and their ids.
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/text/chat.hpp"
#include "core/text/tokenizer.hpp"
#include "tests/text/helpers.hpp"

namespace mm {
namespace {

std::vector<Message> messages_of(const Json& item) {
    std::vector<Message> out;
    for (const Json& m : item["messages"]) {
        Message message{.role = m["role"].get<std::string>(), .content = m["content"].get<std::string>()};
        if (m.contains("reasoning_content"))
            message.reasoning_content = m["reasoning_content"].get<std::string>();
        message.has_tool_calls = m.contains("tool_calls");
        out.push_back(message);
    }
    return out;
}

std::string render(const Json& item) {
    return render_messages(ChatTemplate::minimind3, messages_of(item),
                           item["add_generation_prompt"].get<bool>(), item.value("open_thinking", false));
}

const Json& golden() {
    static const Json json = parse_json(read_file(kGolden / "chat_golden.json"), "chat_golden.json");
    return json;
}

TEST(Chat, MiniMindTemplate) {
    int core = 0;
    int extended = 0;
    int refused = 0;
    for (const Json& item : golden()["template_cases"]) {
        SCOPED_TRACE(item["name"]);
        if (item.contains("tools")) continue;  // a list of tools has no place in `messages`
        try {
            EXPECT_EQ(render(item), item["text"].get<std::string>());
            ++(item["group"] == "core" ? core : extended);
        } catch (const Error&) {
            EXPECT_EQ(item["name"], "unknown role is dropped");
            ++refused;
        }
    }
    EXPECT_EQ(core, 18);
    EXPECT_EQ(extended, 7);
    EXPECT_EQ(refused, 1);
}

TEST(Chat, PlainChatml) {
    int count = 0;
    for (const Json& item : golden()["plain_chatml"]) {
        const std::string text = render_messages(ChatTemplate::chatml, messages_of(item),
                                                 item["add_generation_prompt"].get<bool>());
        EXPECT_EQ(text, item["text"].get<std::string>());
        for (const auto& [name, ids] : item["ids"].items()) {
            const auto path = kGolden / golden()["plain_tokenizers"][name].get<std::string>();
            const Tokenizer tokenizer = Tokenizer::from_json(read_file(path), path.string());
            EXPECT_EQ(tokenizer.encode(text, false), ids.get<std::vector<TokenId>>()) << name;
        }
        ++count;
    }
    EXPECT_EQ(count, 9);
}

TEST(Chat, MiniMindIds) {
    if (!std::filesystem::exists(kShared / "chat_golden.json"))
        GTEST_SKIP() << "MiniMind's tokenizer.json is not here";
    const Json shared = parse_json(read_file(kShared / "chat_golden.json"), "chat_golden.json");
    const auto path = kShared / "tokenizers/minimind.json";
    const Tokenizer tokenizer = Tokenizer::from_json(read_file(path), path.string());
    int count = 0;
    for (const Json& item : shared["template_cases"]) {
        if (item.contains("tools")) {  // the rendering as it stands
            EXPECT_EQ(tokenizer.encode(item["text"].get<std::string>(), false),
                      item["ids"].get<std::vector<TokenId>>());
            continue;
        }
        if (item["name"] == "unknown role is dropped") continue;
        EXPECT_EQ(tokenizer.encode(render(item), false), item["ids"].get<std::vector<TokenId>>())
            << item["name"];
        ++count;
    }
    EXPECT_GE(count, 18);
    for (const Json& item : shared["plain_chatml"]) {
        EXPECT_EQ(tokenizer.encode(item["text"].get<std::string>(), false),
                  item["ids"]["minimind"].get<std::vector<TokenId>>());
    }
}

TEST(Chat, ToolCallsAreRefusedByName) {
    try {
        render_messages(ChatTemplate::minimind3,
                        {{.role = "assistant", .content = "", .has_tool_calls = true}}, true);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unsupported);
        EXPECT_NE(std::string(error.what()).find("tool_calls"), std::string::npos);
    }
}

TEST(Chat, NeighbouringToolAnswersShareATurn) {
    EXPECT_EQ(render_messages(ChatTemplate::minimind3,
                              {{.role = "tool", .content = "a"},
                               {.role = "tool", .content = "b"},
                               {.role = "user", .content = "c"}},
                              false),
              "<|im_start|>user\n<tool_response>\na\n</tool_response>\n<tool_response>\nb\n</"
              "tool_response><|im_end|>\n"
              "<|im_start|>user\nc<|im_end|>\n");
}

TEST(Chat, FormatOfTheCommandLine) {
    EXPECT_EQ(chat_text("chatml", "뭐야?"), "<|im_start|>user\n뭐야?<|im_end|>\n<|im_start|>assistant\n");
    EXPECT_EQ(chat_text("minimind3", "뭐야?"),
              "<|im_start|>user\n뭐야?<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n");
    EXPECT_EQ(chat_text("Q: {question}\n{question}!", "{question}"), "Q: {question}\n{question}!");
    EXPECT_EQ(chat_text(R"(A\n{question}\\n\t)", R"(a\n)"), "A\na\\n\\n\\t") << "the question stays as it is";
    try {
        chat_text("chat-ml", "x");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::range);
        EXPECT_EQ(error.context().field, "--chat-format");
    }
}

}  // namespace
}  // namespace mm
