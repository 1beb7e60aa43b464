#include "native/loading/chat_form.hpp"

#include <filesystem>
#include <optional>

#include "core/base/json.hpp"
#include "core/base/utf8.hpp"
#include "core/text/huggingface/chat_template.hpp"
#include "native/files/file.hpp"

namespace mm {
namespace {

constexpr std::size_t kLargest = std::size_t{16} << 20;  // a tokenizer_config.json lists its added tokens too

struct ChatTemplateFile {
    std::string file;
    std::string jinja;
};

// transformers writes one template as a text and several as a list of {name, template}; "default" is taken
// then.
std::optional<std::string> template_of(const Json& config, const std::string& file) {
    if (!config.is_object() || !config.contains("chat_template") || config["chat_template"].is_null()) {
        return std::nullopt;
    }
    const Json& found = config["chat_template"];
    if (found.is_string()) return found.get<std::string>();
    if (found.is_array()) {
        for (const Json& one : found) {
            if (one.is_object() && one.value("name", Json()) == "default" && one.contains("template") &&
                one["template"].is_string()) {
                return one["template"].get<std::string>();
            }
        }
    }
    throw_error(ErrorKind::format, "expected a text, or a list with one named \"default\"",
                {.file = file, .field = "chat_template"});
}

std::optional<ChatTemplateFile> template_in(const std::string& folder) {
    const auto below = [&folder](const char* name) {
        return (std::filesystem::path(folder) / name).string();
    };
    // transformers takes the file of its own first.
    if (const std::string file = below("chat_template.jinja"); is_regular_file(file)) {
        ChatTemplateFile found{file, read_file(file, kLargest)};
        if (!is_utf8(found.jinja)) throw_error(ErrorKind::format, "is not UTF-8", {.file = file});
        return found;
    }
    const std::string file = below("tokenizer_config.json");
    if (!is_regular_file(file)) return std::nullopt;
    const auto jinja = template_of(parse_json(read_file(file, kLargest), file), file);
    if (!jinja) return std::nullopt;
    return ChatTemplateFile{file, *jinja};
}

}  // namespace

std::string chat_form_beside(const std::vector<std::string>& folders, Console& console) {
    for (const std::string& folder : folders) {
        const auto found = template_in(folder);
        if (!found) continue;
        const auto form = recognise_chat_template(found->jinja);
        if (!form) {
            console.note(found->file +
                         ": its chat template is not one we know; the question is asked in chatml "
                         "(--chat-format gives another form)");
            return "chatml";
        }
        const bool named = *form == "chatml" || *form == "minimind3";
        console.note("chat form: " + (named ? *form : "chatml with thinking on") + ", by " + found->file);
        return *form;
    }
    return "chatml";
}

}  // namespace mm
