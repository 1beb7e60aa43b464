#include "core/checkpoint/pickle_tree.hpp"

namespace mm {

std::span<const PickleTree::Ref> PickleTree::items(Ref ref) const {
    switch (kind(ref)) {
        case Kind::tuple:
        case Kind::list:
        case Kind::dict:
        case Kind::set:
        case Kind::call:
        case Kind::persistent:
            return children_[nodes_[ref].children];
        default:
            return {};
    }
}

std::string_view PickleTree::callee(Ref ref) const {
    return kind(ref) == Kind::call ? text(items(ref)[0]) : std::string_view{};
}

std::span<const PickleTree::Ref> PickleTree::arguments(Ref ref) const {
    return kind(ref) == Kind::call ? items(items(ref)[1]) : std::span<const Ref>{};
}

std::optional<PickleTree::Ref> PickleTree::find(Ref dict, std::string_view key) const {
    if (kind(dict) != Kind::dict) return std::nullopt;
    const std::span<const Ref> pairs = items(dict);
    for (std::size_t i = pairs.size(); i >= 2; i -= 2) {
        if (kind(pairs[i - 2]) == Kind::text && text(pairs[i - 2]) == key) return pairs[i - 1];
    }
    return std::nullopt;
}

std::string_view to_string(PickleTree::Kind kind) {
    switch (kind) {
        case PickleTree::Kind::none:
            return "None";
        case PickleTree::Kind::boolean:
            return "a bool";
        case PickleTree::Kind::integer:
        case PickleTree::Kind::big_integer:
            return "an int";
        case PickleTree::Kind::real:
            return "a float";
        case PickleTree::Kind::text:
            return "a str";
        case PickleTree::Kind::bytes:
            return "bytes";
        case PickleTree::Kind::tuple:
            return "a tuple";
        case PickleTree::Kind::list:
            return "a list";
        case PickleTree::Kind::dict:
            return "a dict";
        case PickleTree::Kind::set:
            return "a set";
        case PickleTree::Kind::global:
            return "a class or function";
        case PickleTree::Kind::call:
            return "an object";
        case PickleTree::Kind::persistent:
            return "a storage";
    }
    return "?";
}

}  // namespace mm
