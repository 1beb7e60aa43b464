// A pickle as data: what its opcodes describe, with nothing imported, called or created.
//
// Values live in one flat arena and refer to each other by index; texts are views into the file. A call
// ("REDUCE") is kept as a node with the name of what would be called and its arguments; torch_tensors.hpp
// gives the few it knows a meaning. Python objects may be shared or hold themselves, so walk with care:
// a call's arguments and a tuple's items were finished before it, lists and dicts may contain anything.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.hpp"

namespace mm {

class PickleTree {
  public:
    using Ref = std::uint32_t;

    enum class Kind : std::uint8_t {
        none,
        boolean,
        integer,
        big_integer,  // more than 64 bits; `text` is its two's complement, little-endian
        real,         // its value is not kept: nothing a checkpoint reader needs is one
        text,
        bytes,
        tuple,
        list,
        dict,  // `items` are key, value, key, value, …; a key may come twice, then the last one counts
        set,
        global,      // `text` is the full name, "collections.OrderedDict"
        call,        // `items` are the callee (a global) and the tuple of its arguments
        persistent,  // `items` is the one tuple that names an object kept outside of the pickle (a storage)
    };

    Kind kind(Ref ref) const { return nodes_[ref].kind; }
    /// Of an integer or a boolean.
    std::int64_t integer(Ref ref) const { return nodes_[ref].number; }
    /// Of a text, bytes, big_integer or global; empty for others.
    std::string_view text(Ref ref) const { return nodes_[ref].text; }
    /// Of a tuple, list, dict, set, call or persistent; empty for others.
    std::span<const Ref> items(Ref ref) const;
    /// The full name of what a call calls; empty for others.
    std::string_view callee(Ref ref) const;
    /// The arguments of a call; empty for others.
    std::span<const Ref> arguments(Ref ref) const;
    /// The value of a text key of a dict.
    std::optional<Ref> find(Ref dict, std::string_view key) const;

    Ref root() const { return root_; }
    /// Every value has a Ref below this, in the order in which the pickle made them.
    Ref size() const { return static_cast<Ref>(nodes_.size()); }

  private:
    friend class PickleMachine;

    struct Node {
        Kind kind = Kind::none;
        std::uint32_t children = 0;  // index into children_, for kinds that have items
        std::int64_t number = 0;
        std::string_view text = {};
    };

    std::vector<Node> nodes_;
    std::vector<std::vector<Ref>> children_;
    std::set<std::string> names_;  // of globals; a node of a set stays where it is when the tree is moved
    Ref root_ = 0;
};

/// "a list", "a dict", …: for messages.
std::string_view to_string(PickleTree::Kind kind);

/// Decides whether a pickle may name a global, given its full name.
using AllowGlobal = bool (*)(std::string_view full_name);

/// Reads one pickle, protocols 0 to 5 as far as torch.save can use them.
/// @param bytes    the file or record; must outlive the tree.
/// @param position where the pickle begins; moved behind its STOP.
/// @throws Error{unsupported} field "global NAME" for a global that is not allowed; Error{format} field
///         "pickle" for anything malformed or over the limits (4 million opcodes, half a million values).
PickleTree read_pickle(Bytes bytes, std::uint64_t& position, AllowGlobal allow);

}  // namespace mm
