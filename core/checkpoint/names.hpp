// Tensor names as the model knows them: without what wrappers put around them.
#pragma once

#include <string>
#include <vector>

namespace mm {

/// Names without the marks of wrapped models: a segment "_orig_mod" (torch.compile) anywhere, and "module."
/// (DataParallel) in front when every name has it.
std::vector<std::string> unwrapped_names(std::vector<std::string> names);

}  // namespace mm
