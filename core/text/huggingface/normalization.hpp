// Unicode normalisation forms, equal to the reference tokenizer library's (which carries Unicode 9.0).
#pragma once

#include <string>
#include <string_view>

namespace mm {

enum class NormalForm { nfc, nfd, nfkc, nfkd };

/// `text` (well-formed UTF-8) in the given form.
std::string normalize(std::string_view text, NormalForm form);

}  // namespace mm
