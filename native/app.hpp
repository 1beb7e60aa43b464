// The whole program but for `main`: arguments in, exit status out.
#pragma once

namespace mm {

/// Parses the arguments, runs the command they name and reports its errors, each as one line on standard
/// error with perhaps a second one that helps.
/// @return the exit status: 0 done · 1 a check failed · 2 usage · 3 input or output · 4 internal ·
///         128 + n after signal n
int run_app(int argc, const char* const* argv);

}  // namespace mm
