#include "core/text/chat.hpp"

#include "core/base/error.hpp"
#include "core/base/join.hpp"

namespace mm {

namespace {

constexpr std::string_view kStart = "<|im_start|>";
constexpr std::string_view kEnd = "<|im_end|>\n";
constexpr std::string_view kThink = "<think>";
constexpr std::string_view kThought = "</think>";

std::string_view strip_newlines(std::string_view text, bool left, bool right) {
    while (left && text.starts_with('\n')) text.remove_prefix(1);
    while (right && text.ends_with('\n')) text.remove_suffix(1);
    return text;
}

void append(std::string& out, std::string_view role, std::string_view content) {
    out += kStart;
    out += role;
    out += '\n';
    out += content;
    out += kEnd;
}

/// MiniMind-3 writes every assistant turn with a thinking block; thoughts may come apart or inside the
/// content.
void append_assistant(std::string& out, const Message& message) {
    std::string_view content = message.content;
    std::string_view thoughts;
    if (message.reasoning_content) {
        thoughts = *message.reasoning_content;
    } else if (const std::size_t close = content.find(kThought); close != std::string_view::npos) {
        thoughts = strip_newlines(content.substr(0, close), false, true);
        if (const std::size_t open = thoughts.rfind(kThink); open != std::string_view::npos) {
            thoughts.remove_prefix(open + kThink.size());
        }
        content.remove_prefix(content.rfind(kThought) + kThought.size());
    }
    std::string text(kThink);
    text += '\n';
    text += strip_newlines(thoughts, true, true);
    text += '\n';
    text += kThought;
    text += "\n\n";
    text += strip_newlines(content, true, false);
    append(out, message.role, text);
}

void append_minimind3(std::string& out, const std::vector<Message>& messages) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const Message& message = messages[i];
        if (message.role == "assistant") {
            append_assistant(out, message);
        } else if (message.role == "user" || message.role == "system") {
            append(out, message.role, message.content);
        } else if (message.role == "tool") {  // neighbouring answers of tools share one user turn
            if (i == 0 || messages[i - 1].role != "tool") {
                out += kStart;
                out += "user";
            }
            out += join({"\n<tool_response>\n", message.content, "\n</tool_response>"});
            if (i + 1 == messages.size() || messages[i + 1].role != "tool") out += kEnd;
        } else {
            throw_error(ErrorKind::range, join({"the role \"", message.role.substr(0, 40),
                                                "\" has no place in the minimind3 form"}));
        }
    }
}

}  // namespace

std::string render_messages(ChatTemplate form, const std::vector<Message>& messages,
                            bool add_generation_prompt, bool open_thinking) {
    for (const Message& message : messages) {
        if (message.has_tool_calls)
            throw_error(ErrorKind::unsupported, "tool_calls in a message are not supported");
    }
    std::string out;
    if (form == ChatTemplate::minimind3) {
        append_minimind3(out, messages);
    } else {
        for (const Message& message : messages) append(out, message.role, message.content);
    }
    if (!add_generation_prompt) return out;
    out += kStart;
    out += "assistant\n";
    if (form == ChatTemplate::minimind3) out += open_thinking ? "<think>\n" : "<think>\n\n</think>\n\n";
    return out;
}

std::string chat_text(std::string_view format, std::string_view question) {
    const auto one = [&](ChatTemplate form) {
        return render_messages(form, {{.role = "user", .content = std::string(question)}}, true);
    };
    if (format == "chatml") return one(ChatTemplate::chatml);
    if (format == "minimind3") return one(ChatTemplate::minimind3);
    constexpr std::string_view kPlace = "{question}";
    if (format.find(kPlace) == std::string_view::npos) {
        throw_error(ErrorKind::range, "is neither chatml nor minimind3 and does not contain {question}",
                    {.field = "--chat-format"});
    }
    std::string out;
    while (!format.empty()) {
        if (format.starts_with(kPlace)) {
            out += question;
            format.remove_prefix(kPlace.size());
        } else if (format.starts_with("\\n") || format.starts_with("\\\\")) {
            out += format[1] == 'n' ? '\n' : '\\';
            format.remove_prefix(2);
        } else {
            out += format.front();
            format.remove_prefix(1);
        }
    }
    return out;
}

}  // namespace mm
