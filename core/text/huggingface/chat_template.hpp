// The chat template beside a tokenizer (Jinja), recognised by what it does with one question. Nothing of it
// is run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mm {

/// What the template makes of one user message, without tools, with the beginning of the answer: "chatml",
/// "minimind3" (an empty <think> block), or a text with {question} in it (chatml with <think> left open), as
/// chat_text() takes them. Variables that the caller may pass count as not passed.
/// @param jinja UTF-8
/// @return nothing when the template does anything else, or what it does cannot be told
std::optional<std::string> recognise_chat_template(std::string_view jinja);

}  // namespace mm
