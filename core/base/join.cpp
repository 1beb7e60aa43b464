#include "core/base/join.hpp"

namespace mm {

void Part::append_to(std::string& out) const {
    switch (kind_) {
        case Kind::text:
            out.append(text_, static_cast<std::size_t>(size_));
            return;
        case Kind::negative_too:
            out += std::to_string(number_);
            return;
        case Kind::natural:
            out += std::to_string(static_cast<std::uint64_t>(number_));
            return;
    }
}

std::string join(std::initializer_list<Part> parts) {
    std::string out;
    for (const Part& part : parts) part.append_to(out);
    return out;
}

}  // namespace mm
