#include "core/base/error.hpp"

#include <utility>

#include "core/base/join.hpp"
#include "core/base/printable.hpp"

namespace mm {
namespace {

// Names, and messages that quote, come from hostile files: they must not flood the terminal either. A file's
// name is shown whole: people copy it.
constexpr std::size_t kLongestName = 300;
constexpr std::size_t kLongestMessage = 1000;

std::string line(const std::string& message, const ErrorContext& context) {
    std::string out = printable(context.file);
    const auto separate = [&out] {
        if (!out.empty()) out += ": ";
    };
    if (!context.tensor.empty()) {
        separate();
        out += join({"tensor ", printable(context.tensor, kLongestName)});
    }
    if (!context.field.empty()) {
        separate();
        out += printable(context.field, kLongestName);
    }
    separate();
    return out + message;
}

}  // namespace

std::string_view to_string(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::io:
            return "io";
        case ErrorKind::format:
            return "format";
        case ErrorKind::unsupported:
            return "unsupported";
        case ErrorKind::config:
            return "config";
        case ErrorKind::shape:
            return "shape";
        case ErrorKind::tokenizer:
            return "tokenizer";
        case ErrorKind::range:
            return "range";
        case ErrorKind::cancelled:
            return "cancelled";
        case ErrorKind::internal:
            return "internal";
    }
    return "internal";
}

Error::Error(ErrorKind kind, std::string message, ErrorContext context, std::string hint)
    : kind_(kind),
      message_(printable(message, kLongestMessage)),
      context_(std::move(context)),
      hint_(std::move(hint)),
      what_(line(message_, context_)) {}

void throw_error(ErrorKind kind, std::string_view message, const ErrorPlace& place, std::string_view hint) {
    throw Error(kind, std::string(message),
                {.file = std::string(place.file),
                 .tensor = std::string(place.tensor),
                 .field = std::string(place.field)},
                std::string(hint));
}

Error Error::with_file(const std::string& file) const {
    ErrorContext context = context_;
    if (context.file.empty()) context.file = file;
    return Error(kind_, message_, context, hint_);
}

Error Error::with_tensor(const std::string& tensor) const {
    ErrorContext context = context_;
    if (context.tensor.empty()) context.tensor = tensor;
    return Error(kind_, message_, context, hint_);
}

}  // namespace mm
