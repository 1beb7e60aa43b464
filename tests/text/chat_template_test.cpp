#include "core/text/huggingface/chat_template.hpp"

#include <gtest/gtest.h>

#include "tests/text/helpers.hpp"

namespace mm {
namespace {

const std::string kThinking = "<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n<think>\n";
const std::string kTurn = "'<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n'";

std::string recognised(const std::string& jinja) {
    return recognise_chat_template(jinja).value_or("unknown");
}

// A template of MiniMind-3's shape, in our own words: `answer` stands where the answer begins.
std::string like_minimind3(const std::string& answer) {
    return "{%- if tools %}\n    {{- '<|im_start|>system\\n' }}\n    {%- for tool in tools %}\n        {{- "
           "tool | "
           "tojson }}\n    {%- endfor %}\n{%- else %}\n    {%- if messages[0].role == 'system' %}\n        "
           "{{- "
           "'<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}\n    {%- endif %}\n{%- endif "
           "%}\n"
           "{%- for message in messages %}\n    {%- if message.content is string %}\n        {%- set content "
           "= "
           "message.content %}\n    {%- else %}\n        {%- set content = '' %}\n    {%- endif %}\n    {%- "
           "if "
           "(message.role == \"user\") or (message.role == \"system\" and not loop.first) %}\n        {{- "
           "'<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}\n    {%- elif "
           "message.role "
           "== \"assistant\" %}\n        {{- '<|im_start|>assistant\\n<think>\\n' + content }}\n    {%- "
           "endif %}\n"
           "{%- endfor %}\n{%- if add_generation_prompt %}\n    {{- '<|im_start|>assistant\\n' }}\n" +
           answer + "{%- endif %}";
}

std::string chatml(const std::string& before, const std::string& turn, const std::string& answer) {
    return before + "{% for message in messages %}{{ " + turn +
           " }}{% endfor %}{% if add_generation_prompt %}{{ " + answer + " }}{% endif %}";
}

TEST(ChatTemplate, FormsThatAreKnown) {
    const std::string answer = "'<|im_start|>assistant\\n'";
    EXPECT_EQ(recognised(chatml("", kTurn, answer)), "chatml");
    EXPECT_EQ(recognised(chatml("",
                                "\"<|im_start|>\" + message['role'] + \"\\n\" + message[\"content\"] + "
                                "\"<|im_end|>\\n\"",
                                "\"<|im_start|>assistant\n\"")),
              "chatml")
        << "other quotes, a line break in a string";
    EXPECT_EQ(recognised(chatml("", kTurn, answer) + "\n"), "chatml");
    const auto choice = [](const std::string& condition, const std::string& yes, const std::string& no) {
        return like_minimind3("    {%- if " + condition + " %}\n        {{- '" + yes +
                              "' }}\n    {%- else %}\n        {{- '" + no + "' }}\n    {%- endif %}\n");
    };
    const std::string open = "<think>\\n";
    const std::string empty = "<think>\\n\\n</think>\\n\\n";
    EXPECT_EQ(recognised(choice("open_thinking is defined and open_thinking is true", open, empty)),
              "minimind3");
    EXPECT_EQ(recognised(choice("open_thinking", open, empty)), "minimind3");
    EXPECT_EQ(recognised(choice("not open_thinking", empty, open)), "minimind3");
    EXPECT_EQ(recognised(choice("open_thinking is not defined or open_thinking", open, empty)), kThinking);
    EXPECT_EQ(recognised(like_minimind3("    {{- '<think>\\n' }}\n")), kThinking);
    EXPECT_EQ(
        recognised(like_minimind3("    {%- if enable_thinking is defined and enable_thinking is false %}\n  "
                                  "      {{- '<think>\\n\\n</think>\\n\\n' }}\n    {%- endif %}\n")),
        "chatml")
        << "thinking is asked for only when the caller says so";
}

TEST(ChatTemplate, AnythingElseIsNotGuessedAt) {
    const std::string answer = "'<|im_start|>assistant\\n'";
    const std::string system =
        "{% if messages[0].role != 'system' %}{{ '<|im_start|>system\\nBe kind.<|im_end|>\\n' }}{% endif %}";
    const std::string otherwise =
        "{% if messages[0].role == 'system' %}{{ messages[0].content }}{% else %}{{ "
        "'<|im_start|>system\\nBe kind.<|im_end|>\\n' }}{% endif %}";
    const std::string cases[] = {
        "",
        "{",
        "{{",
        "{% if add_generation_prompt %}",
        "hello",
        chatml("<s>", kTurn, answer),
        chatml("{{ bos_token }}", kTurn, answer),
        chatml(system, kTurn, answer),
        chatml(otherwise, kTurn, answer),
        chatml("", kTurn + " + eos_token", answer),
        chatml("", "'[INST]' + message.content + '[/INST]'", answer),
        chatml("", "'<|im_start|>' + message.role + '\\n' + message.content | trim + '<|im_end|>' + '\\n'",
               answer),
        chatml("{% set content = 'x' %}", kTurn, answer),
        chatml("", kTurn, "'<|im_start|>assistant'"),
        chatml("", kTurn, "'<|im_start|>assistant\\n' + suffix"),
        chatml("", kTurn, answer) + "{{ eos_token }}",
        "{% for message in messages %} {{ " + kTurn + " }}{% endfor %}{% if add_generation_prompt %}{{ " +
            answer + " }}{% endif %}",
        "{% for message in messages %}{{ " + kTurn + " }}{% endfor %}",
        like_minimind3("    {%- if mood == 'bright' %}\n{{- '<think>\\n' }}\n{%- endif %}\n"),
    };
    for (const std::string& jinja : cases) EXPECT_EQ(recognised(jinja), "unknown") << jinja;
}

TEST(ChatTemplate, MiniMinds) {
    if (!std::filesystem::exists(kShared / "tokenizer_config.json"))
        GTEST_SKIP() << "MiniMind's tokenizer_config.json is not here";
    const Json config = parse_json(read_file(kShared / "tokenizer_config.json"), "tokenizer_config.json");
    EXPECT_EQ(recognised(config["chat_template"].get<std::string>()), "minimind3");
}

}  // namespace
}  // namespace mm
