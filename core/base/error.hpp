// The one exception type of the project, and how its line reads.
//
// Thrown where input is read and at public entry points. The native twin prints `what()` as its single line
// on stderr and maps `kind()` to an exit status; the wasm twin turns it into {error: {kind, message}}.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace mm {

enum class ErrorKind {
    io,           // a file or stream could not be read or written
    format,       // bytes do not have the form they claim
    unsupported,  // well formed, but something we refuse by name
    config,       // model configuration missing or contradictory
    shape,        // a tensor does not fit the model
    tokenizer,    // tokenizer files or ids that do not fit
    range,        // an option or argument outside its range
    cancelled,    // the caller asked to stop
    internal,     // a bug of ours
};

/// Stable lower-case name, e.g. "format".
std::string_view to_string(ErrorKind kind);

/// What an error is about. Empty parts are left out of the message.
struct ErrorContext {
    std::string file = {};    // path as the user gave it
    std::string tensor = {};  // tensor name inside the file
    std::string field = {};   // JSON field, option, pickle global, zip record, ...
};

/// The same as a caller at hand names it: views, alive until the end of the call.
struct ErrorPlace {
    std::string_view file = {};
    std::string_view tensor = {};
    std::string_view field = {};
};

class Error : public std::exception {
  public:
    Error(ErrorKind kind, std::string message, ErrorContext context = {}, std::string hint = {});

    ErrorKind kind() const { return kind_; }
    /// The message alone, without context; as printable() shows it, cut after 1000 characters.
    const std::string& message() const { return message_; }
    const ErrorContext& context() const { return context_; }
    /// A second line that may help; may be empty.
    const std::string& hint() const { return hint_; }
    /// "FILE: tensor NAME: FIELD: message", one line: foreign text as printable() shows it.
    const char* what() const noexcept override { return what_.c_str(); }

    /// The same error with the file filled in, if it names none yet.
    Error with_file(const std::string& file) const;
    /// The same error with the tensor filled in, if it names none yet.
    Error with_tensor(const std::string& tensor) const;

  private:
    ErrorKind kind_;
    std::string message_;
    ErrorContext context_;
    std::string hint_;
    std::string what_;
};

/// Throws Error. A call is a fraction of the code that `throw` with its temporaries is at every place.
[[noreturn]] void throw_error(ErrorKind kind, std::string_view message, const ErrorPlace& place = {},
                              std::string_view hint = {});

}  // namespace mm
