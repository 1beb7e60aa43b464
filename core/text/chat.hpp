// Chat forms: messages → the text a model was trained to continue. Plain string work; ids come from the
// tokenizer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mm {

struct Message {
    std::string role;  // "system", "user", "assistant", "tool"
    std::string content;
    std::optional<std::string> reasoning_content = {};  // of an assistant
    bool has_tool_calls = false;                        // refused by name
};

enum class ChatTemplate {
    chatml,     // every message <|im_start|>ROLE\nCONTENT<|im_end|>\n
    minimind3,  // MiniMind-3's: assistant turns and the generation prompt carry a <think> block
};

/// @param add_generation_prompt end with the beginning of an assistant's turn.
/// @param open_thinking minimind3 only: leave the <think> block of that beginning open.
/// @throws Error{unsupported} for tool calls, Error{range} for a role minimind3 would drop silently.
std::string render_messages(ChatTemplate form, const std::vector<Message>& messages,
                            bool add_generation_prompt, bool open_thinking = false);

/// One question as the lab's `--chat-format` says: "chatml", "minimind3", or a text with `{question}` in it
/// (each occurrence is replaced; a backslash and an n are a line break, two backslashes are one).
/// @throws Error{range} naming --chat-format if it is neither.
std::string chat_text(std::string_view format, std::string_view question);

}  // namespace mm
