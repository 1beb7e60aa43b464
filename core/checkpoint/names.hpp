// Tensor names as the model knows them: without what wrappers put around them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mm {

/// Names without the marks of wrapped models: a segment "_orig_mod" (torch.compile) anywhere, and "module."
/// (DataParallel) in front when every name has it.
std::vector<std::string> unwrapped_names(std::vector<std::string> names);

/// True for well-formed UTF-8 (RFC 3629): what a name must be to stand in JSON or in a page.
bool is_utf8(std::string_view text);

}  // namespace mm
