// Which chat form belongs to a tokenizer: the one of the chat template beside it.
#pragma once

#include <string>
#include <vector>

#include "native/terminal/console.hpp"

namespace mm {

/// The form of the first chat template in `folders`: a `chat_template.jinja`, or the field `chat_template` of
/// a `tokenizer_config.json`. Which one was taken is told in a note; so is a template that is not known.
/// @return as --chat-format takes it; "chatml" when no folder has a template that is known
/// @throws Error naming the file: unreadable, not JSON, or not a template
std::string chat_form_beside(const std::vector<std::string>& folders, Console& console);

}  // namespace mm
