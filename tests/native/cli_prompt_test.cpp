// Where prompts come from: files, standard input, the chat form of the template beside the tokenizer; and the
// demo as a folder.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/json.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

namespace mm {
namespace {

namespace fs = std::filesystem;

std::string demo_file(const std::string& name) {
    return source_file("web/models/demo/" + name);
}

Json ids_of(const std::vector<std::string>& arguments, const ProgramOptions& options = {}) {
    std::vector<std::string> all{"generate", "--max-new-tokens", "0", "--json"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramResult result = run_program(all, options);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.status == 0 ? parse_json(result.out, "output")["prompt_ids"] : Json();
}

TEST(Prompt, IdsOfAFileAndOfStandardInput) {
    const TemporaryFolder folder;
    const Json expected = ids_of({"--ids", "5,6,7"});
    for (const char* text : {"5,6,7", "5,6,7\n", "5\n6\n7\n", " 5 , 6\r\n,7", "5 6\t7"}) {
        write_text(folder / "ids", text);
        EXPECT_EQ(ids_of({"--ids", "@" + (folder / "ids")}), expected) << text;
        EXPECT_EQ(ids_of({"--ids", "@-"}, {.input = text}), expected) << text;
    }
    for (const char* text : {"5,,6", "5 x", "5,", "-1", "5 6 7.0"}) {
        write_text(folder / "ids", text);
        const ProgramResult result = run_program({"topp", "--ids", "@" + (folder / "ids")});
        EXPECT_EQ(result.status, 3) << text;
        EXPECT_TRUE(result.err.starts_with("mm-native: " + (folder / "ids") + ": --ids: ")) << result.err;
    }
    write_text(folder / "empty", "\n");
    EXPECT_EQ(run_program({"topp", "--ids", "@" + (folder / "empty")}).status, 2);
    EXPECT_EQ(run_program({"topp", "--ids", "@"}).status, 2);
    EXPECT_EQ(run_program({"topp", "--ids", "@" + (folder / "none")}).status, 3);
    const Json text =
        parse_json(run_program({"detokenize", "--json", "--ids", "@-"}, {.input = "300\n301\n"}).out, "");
    EXPECT_EQ(text, parse_json(run_program({"detokenize", "--json", "--ids", "300,301"}).out, ""));
}

// More than one argument holds.
TEST(Prompt, ThirtyThousandIds) {
    const TemporaryFolder folder;
    std::string ids;
    for (int i = 0; i < 30'000; ++i) ids += (i > 0 ? "," : "") + std::to_string(1000 + i % 700);
    write_text(folder / "ids", ids);
    EXPECT_EQ(ids_of({"--ids", "@" + (folder / "ids")}).size(), 30'000U);
    EXPECT_EQ(ids_of({"--ids", "@-"}, {.input = ids}).size(), 30'000U);
}

TEST(Prompt, TextsOfFilesAreTakenWhole) {
    const TemporaryFolder folder;
    write_text(folder / "text", "민수는\n 가람 마을");
    EXPECT_EQ(ids_of({"--prompt", "@" + (folder / "text")}), ids_of({"--prompt", "민수는\n 가람 마을"}));
    EXPECT_EQ(ids_of({"--chat", "@-"}, {.input = "뭐야?"}), ids_of({"--chat", "뭐야?"}));
    EXPECT_EQ(ids_of({"--prompt", "@@민수"}).size(), ids_of({"--prompt", "민수"}).size() + 1);
    const ProgramResult ends =
        run_program({"generate", "--prompt", "@-", "--max-new-tokens", "0", "--json"}, {.input = "민수는\n"});
    EXPECT_NE(ends.err.find("standard input: ends with a line break, which counts"), std::string::npos)
        << ends.err;
    write_text(folder / "cp949", "\xB1\xE8");
    const ProgramResult other = run_program({"topp", "--prompt", "@" + (folder / "cp949")});
    EXPECT_EQ(other.status, 3);
    EXPECT_NE(other.err.find("cp949: is not UTF-8 at byte 0"), std::string::npos) << other.err;
}

TEST(Chat, TheFormComesFromTheTemplateBesideTheTokenizer) {
    const TemporaryFolder folder;
    fs::copy_file(demo_file("sft.pth"), folder / "sft.pth");
    fs::copy_file(demo_file("tokenizer.json"), folder / "tokenizer.json");
    const std::string turns =
        "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + "
        "'<|im_end|>\\n' "
        "}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}";
    const std::string thinks = "{{ '<think>\\n\\n</think>\\n\\n' }}";
    const std::string end = "{% endif %}";
    const std::vector<std::string> ask{"--chat", "뭐야?", "--model", folder / "sft.pth"};
    const auto asked = [&](const std::string& form) {
        std::vector<std::string> all = ask;
        if (!form.empty()) all.insert(all.end(), {"--chat-format", form});
        return ids_of(all);
    };
    const auto note = [&] {
        std::vector<std::string> all{"generate", "--max-new-tokens", "0"};
        all.insert(all.end(), ask.begin(), ask.end());
        return run_program(all).err;
    };
    EXPECT_EQ(asked(""), asked("chatml")) << "no template";

    write_text(folder / "tokenizer_config.json", Json({{"chat_template", turns + thinks + end}}).dump());
    EXPECT_EQ(asked(""), asked("minimind3"));
    EXPECT_NE(asked(""), asked("chatml"));
    EXPECT_NE(note().find("chat form: minimind3, by " + (folder / "tokenizer_config.json")),
              std::string::npos);

    write_text(folder / "chat_template.jinja", turns + "{{ '<think>\\n' }}" + end);
    EXPECT_EQ(asked(""), asked(R"(<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n<think>\n)"))
        << "the file of its own comes first; \\n is a line break";
    EXPECT_NE(note().find("thinking on"), std::string::npos);

    write_text(folder / "chat_template.jinja", "[INST]{{ messages[0].content }}[/INST]");
    EXPECT_EQ(asked(""), asked("chatml"));
    EXPECT_NE(note().find("is not one we know"), std::string::npos);

    fs::remove(folder / "chat_template.jinja");
    write_text(folder / "tokenizer_config.json", "{\"chat_template\": 5}");
    std::vector<std::string> all{"generate"};
    all.insert(all.end(), ask.begin(), ask.end());
    const ProgramResult bad = run_program(all);
    EXPECT_EQ(bad.status, 3);
    EXPECT_NE(bad.err.find("tokenizer_config.json: chat_template: "), std::string::npos) << bad.err;
}

TEST(Demo, IsAFolderOfTheLabsLayout) {
    const TemporaryFolder folder;
    const ProgramResult made = run_program({"demo", folder / "a/demo", "--json"});
    ASSERT_EQ(made.status, 0) << made.err;
    const Json files = parse_json(made.out, "output")["files"];
    EXPECT_EQ(files.size(), 4U);
    for (const auto& [path, source] : {std::pair{"ref/pretrain.pth", "pretrain.pth"},
                                       {"ref/sft.pth", "sft.pth"},
                                       {"data/pretrain_val.jsonl", "pretrain_val.jsonl"},
                                       {"tokenizer/tokenizer.json", "tokenizer.json"}}) {
        EXPECT_EQ(read_text(folder / "a/demo/" + path), read_text(demo_file(source))) << path;
    }
    EXPECT_EQ(run_program({"demo", folder / "a/demo"}).status, 0) << "the demo is there already";
    const std::vector<std::string> only{"lab", "--only", "same,count,kvbytes,temp,topp"};
    std::vector<std::string> of_folder = only;
    of_folder.insert(of_folder.end(), {"--ref", folder / "a/demo"});
    EXPECT_EQ(run_program(of_folder).out, run_program(only).out);
}

TEST(Demo, WritesOverNothing) {
    const TemporaryFolder folder;
    fs::create_directories(folder / "full");
    write_text(folder / "full/mine", "mine");
    write_text(folder / "file", "mine");
    fs::create_directories(folder / "empty");
    EXPECT_EQ(run_program({"demo", folder / "full"}).status, 3);
    EXPECT_EQ(run_program({"demo", folder / "file"}).status, 3);
    EXPECT_EQ(run_program({"demo", "."}, {.folder = folder / "empty"}).status, 3);
    EXPECT_EQ(run_program({"demo", folder / "empty/"}).status, 0);
    EXPECT_EQ(run_program({"demo"}).status, 2);
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path())) ++count;
    EXPECT_EQ(count, 3U) << "nothing half made is left";
    EXPECT_EQ(read_text(folder / "full/mine"), "mine");
    EXPECT_EQ(read_text(folder / "file"), "mine");
}

}  // namespace
}  // namespace mm
