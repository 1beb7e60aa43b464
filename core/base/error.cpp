#include "core/base/error.hpp"

#include <utility>

#include "core/base/join.hpp"

namespace mm {
namespace {

constexpr std::size_t kLongestName = 300;
constexpr std::size_t kLongestMessage = 1000;

// Names, and messages that quote, come from hostile files: they must not break the line, move the cursor or
// flood the terminal.
std::string printable(const std::string& text, std::size_t longest = kLongestName) {
    constexpr char kHex[] = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (out.size() >= longest && (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
            out += "…";
            break;
        }
        const auto c = static_cast<unsigned char>(text[i]);
        if (c < 0x20 || c == 0x7F) {
            out += "\\x";
            out += kHex[c >> 4];
            out += kHex[c & 15];
        } else {
            out += text[i];
        }
    }
    return out;
}

std::string line(const std::string& message, const ErrorContext& context) {
    std::string out;
    if (!context.file.empty())
        out += context.file.size() > kLongestName ? context.file : printable(context.file);
    const auto separate = [&out] {
        if (!out.empty()) out += ": ";
    };
    if (!context.tensor.empty()) {
        separate();
        out += join({"tensor ", printable(context.tensor)});
    }
    if (!context.field.empty()) {
        separate();
        out += printable(context.field);
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
