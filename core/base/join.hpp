// Texts put together from parts: messages, hints, the lab's prose.
//
// One call out of line. A chain of `"…" + std::to_string(n) + "…"` makes a temporary of every `+`, each with
// its destructor on two paths: several times the code, where the module's size counts.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace mm {

/// Characters, or a whole number to be written in decimal. Refers to what it is made from, so it is for
/// arguments only.
class Part {
  public:
    Part(std::string_view text) : text_(text.data()), size_(static_cast<std::int64_t>(text.size())) {}
    Part(const std::string& text) : Part(std::string_view(text)) {}
    Part(const char* text) : Part(std::string_view(text)) {}
    Part(const char& character) : Part(std::string_view(&character, 1)) {}
    template <std::signed_integral T>
    Part(T number) : kind_(Kind::negative_too), number_(number) {}
    template <std::unsigned_integral T>
    Part(T number) : kind_(Kind::natural), number_(static_cast<std::int64_t>(std::uint64_t{number})) {}

    void append_to(std::string& out) const;

  private:
    enum class Kind : std::uint8_t { text, negative_too, natural };

    Kind kind_ = Kind::text;
    const char* text_ = nullptr;
    union {
        std::int64_t size_;
        std::int64_t number_;
    };
};

/// The parts one after another: join({"merge ", 3, " of ", name}) is "merge 3 of …".
std::string join(std::initializer_list<Part> parts);

}  // namespace mm
