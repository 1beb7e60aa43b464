#include "core/checkpoint/shards.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/base/join.hpp"
#include "core/base/json.hpp"
#include "core/checkpoint/fused_experts.hpp"
#include "core/checkpoint/names.hpp"

namespace mm {
namespace {

constexpr JsonLimits kIndexLimits{.max_bytes = std::size_t{64} << 20, .max_values = 1'000'000};
constexpr const char* kWeightMap = "weight_map";

/// A name that leads nowhere but into the index's own folder.
bool is_plain_name(std::string_view name) {
    const auto leads_elsewhere = [](char c) {
        return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
    };
    return !name.empty() && name != "." && name != ".." &&
           std::none_of(name.begin(), name.end(), leads_elsewhere);
}

}  // namespace

std::vector<std::string> ShardIndex::shards() const {
    std::set<std::string> names;
    for (const auto& [tensor, shard] : weight_map) names.insert(shard);
    return {names.begin(), names.end()};
}

ShardIndex read_shard_index(std::string_view json, const std::string& file) {
    const Json index = parse_json(json, file, kIndexLimits);
    const auto fail = [&](std::string_view message, std::string_view tensor = {}) {
        throw_error(ErrorKind::format, message,
                    {.file = file, .tensor = std::string(tensor), .field = kWeightMap});
    };
    if (!index.is_object() || !index.contains(kWeightMap)) fail("is missing: this is not a shard index");
    const Json& map = index[kWeightMap];
    if (!map.is_object() || map.empty()) fail("must be an object that names the file of each tensor");
    ShardIndex out{file, {}};
    for (const auto& [tensor, shard] : map.items()) {
        if (!shard.is_string()) fail("must name a file", tensor);
        const auto name = shard.get<std::string>();
        if (!is_plain_name(name))
            fail(join({"\"", name, "\" is not a plain file name: shards lie beside their index"}), tensor);
        out.weight_map.emplace(tensor, name);
    }
    return out;
}

void shard_is_missing(const ShardIndex& index, const std::string& shard) {
    throw_error(
        ErrorKind::format, join({"is missing, though ", index.file, " names it"}), {.file = shard},
        join({"a model in shards needs all its files: ", index.shards().size(), " beside the index"}));
}

TensorTable join_shards(const ShardIndex& index, const std::vector<TensorTable>& shards) {
    const std::string format = shards.empty() ? "" : join({shards.front().format(), ", sharded"});
    TensorTable table(index.file, format);
    for (const TensorTable& shard : shards) table.add_all(shard);

    std::vector<std::string> names;
    for (const auto& [tensor, shard] : index.weight_map) names.push_back(tensor);
    names = unwrapped_names(std::move(names));
    const std::vector<std::string> files = index.shards();
    std::size_t i = 0;
    for (const auto& [tensor, shard] : index.weight_map) {
        const auto at = std::lower_bound(files.begin(), files.end(), shard) - files.begin();
        const TensorTable& said = shards[static_cast<std::size_t>(at)];
        if (!said.contains(names[i++])) {
            throw_error(ErrorKind::format, join({"is not in this file, though ", index.file, " says so"}),
                        {.file = said.file(), .tensor = tensor});
        }
    }
    return split_fused_experts(std::move(table));
}

bool is_shard_index(std::string_view file_name) {
    return file_name.ends_with(".index.json");
}

std::optional<ShardName> shard_name(std::string_view file_name) {
    constexpr std::string_view kOf = "-of-";
    constexpr std::size_t kDigits = 5;
    const std::size_t dot = file_name.rfind('.');
    constexpr std::size_t kTail = 1 + kDigits + kOf.size() + kDigits;  // "-00001-of-00007"
    if (dot == std::string_view::npos || dot <= kTail) return {};
    const std::string_view tail = file_name.substr(dot - kTail, kTail);
    const auto number = [](std::string_view digits) -> std::int64_t {
        std::int64_t value = -1;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return error == std::errc() && end == digits.data() + digits.size() ? value : -1;
    };
    const std::int64_t at = number(tail.substr(1, kDigits));
    const std::int64_t count = number(tail.substr(1 + kDigits + kOf.size()));
    if (tail[0] != '-' || tail.substr(1 + kDigits, kOf.size()) != kOf || at < 1 || count < 2 || at > count) {
        return {};
    }
    return ShardName{at, count,
                     join({file_name.substr(0, dot - kTail), file_name.substr(dot), ".index.json"})};
}

}  // namespace mm
