#include "core/why/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/join.hpp"
#include "core/base/json_fields.hpp"
#include "core/base/printable.hpp"
#include "core/lab/json_text.hpp"

namespace mm::why {
namespace {

struct Title {
    std::string_view name;
    std::string_view title;
};
constexpr Title kTitles[] = {{"cache-off", "no cache"},
                             {"cache-off-drawn", "no cache, drawn, same seed"},
                             {"other-seed", "drawn with another seed"},
                             {"other-temperature", "drawn at another temperature"},
                             {"position-0", "new tokens at position 0"},
                             {"k-before-rotation", "K stored before its rotation"},
                             {"fed-twice", "every new token fed twice"},
                             {"left-over", "cache left from another text"},
                             {"no-mask", "no causal mask"},
                             {"float16", "K and V kept in float16"},
                             {"int8", "K and V kept in 8 bits"}};

std::string_view kind_text(Kind kind) {
    switch (kind) {
        case Kind::cache:
            return "the cache";
        case Kind::drawing:
            return "the drawing";
        case Kind::bug:
            return "a bug";
        case Kind::trade:
            return "a trade";
    }
    return "?";
}

std::string grouped(std::uint64_t value) {
    std::string text = std::to_string(value);
    for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
    return text;
}

std::string ordinal(std::int64_t n) {
    const std::int64_t tens = n % 100;
    const bool teen = tens >= 11 && tens <= 13;
    return join({n, teen ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th"});
}

using Line = std::array<std::string, 5>;

std::string laid_out(const std::vector<Line>& lines) {
    constexpr std::array<bool, 5> kNumber{false, false, true, true, false};  // stands at the right
    std::array<std::size_t, 5> widths{};
    for (const Line& line : lines) {
        for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
    }
    std::string out;
    for (const Line& line : lines) {
        std::string row;
        for (std::size_t c = 0; c < line.size(); ++c) {
            const std::string space(widths[c] - line[c].size(), ' ');
            row += join({c == 0 ? "" : "  ", kNumber[c] ? space : "", line[c], kNumber[c] ? "" : space});
        }
        row.erase(row.find_last_not_of(' ') + 1);
        out += row + "\n";
    }
    return out;
}

}  // namespace

std::string title(std::string_view experiment) {
    for (const Title& one : kTitles) {
        if (one.name == experiment) return std::string(one.title);
    }
    constexpr std::string_view kSwapped = "swapped-layer-", kWindow = "window-", kPinned = "-pinned-";
    if (experiment.starts_with(kSwapped)) {
        return join({"K and V of layer ", experiment.substr(kSwapped.size()), " swapped"});
    }
    if (!experiment.starts_with(kWindow)) return std::string(experiment);
    experiment.remove_prefix(kWindow.size());
    const std::size_t at = experiment.find(kPinned);
    if (at == std::string_view::npos) return join({"only the last ", experiment, " tokens"});
    return join(
        {"the last ", experiment.substr(0, at), " and the first ", experiment.substr(at + kPinned.size())});
}

std::string first_difference_text(const Result& result) {
    if (result.bits_equal) return "none, all bits equal";
    return result.first_difference ? ordinal(*result.first_difference) : "none";
}

std::string difference_text(double difference) {
    return std::isfinite(difference) ? rounded_text(difference, 2) : "infinite";
}

std::string table_text(std::span<const Result> results, const Tokenizer* tokenizer) {
    std::vector<Line> lines{{"what was changed", "first other token", "logits", "bytes", "verdict"}};
    for (const Result& result : results) {
        std::string bytes = grouped(result.kv_bytes);
        if (result.kv_bytes != result.kv_bytes_formula)
            bytes += " (formula " + grouped(result.kv_bytes_formula) + ")";
        lines.push_back({title(result.name), first_difference_text(result),
                         difference_text(result.largest_difference), std::move(bytes),
                         std::string(kind_text(result.kind))});
    }
    std::string out = laid_out(lines);
    if (tokenizer == nullptr) return out;
    const auto told = [&](std::string_view who, const std::vector<TokenId>& ids) {
        out += join({"\n", who, "\n  ", printable(tokenizer->decode(ids, false)), "\n"});
    };
    bool told_greedy = false, told_drawn = false;
    for (const Result& result : results) {
        bool& told_control = result.drawn ? told_drawn : told_greedy;
        if (!std::exchange(told_control, true)) {
            told(result.drawn ? "unchanged, drawn" : "unchanged, greedy", result.ids_control);
        }
        if (result.first_difference) told(title(result.name), result.ids);
    }
    return out;
}

Json to_json(const Result& result) {
    Json first = nullptr;
    if (result.first_difference) first = *result.first_difference;
    return JsonFields()
        .set("name", result.name)
        .set("kind", to_string(result.kind))
        .set("first_difference", std::move(first))
        .set("largest_difference",
             std::isfinite(result.largest_difference) ? Json(result.largest_difference) : Json())
        .set("bits_equal", result.bits_equal)
        .set("kv_bytes", result.kv_bytes)
        .set("kv_bytes_formula", result.kv_bytes_formula)
        .set("kv_bytes_control", result.kv_bytes_control)
        .set("ids", result.ids)
        .set("ids_control", result.ids_control);
}

Json to_json(std::span<const Result> results) {
    Json list = Json::array();
    for (const Result& result : results) list.push_back(to_json(result));
    return JsonFields().set("experiments", std::move(list));
}

Json to_json(const Matrix& matrix, std::size_t first_row, std::size_t first_column) {
    Json rows = Json::array();
    for (std::size_t r = first_row; r < matrix.shape(0); ++r) {
        Json row = Json::array();
        for (std::size_t c = first_column; c < matrix.shape(1); ++c) row.push_back(double{matrix(r, c)});
        rows.push_back(std::move(row));
    }
    return rows;
}

Json to_json(const Attention& attention, std::size_t layer, std::size_t head) {
    return JsonFields()
        .set("layer", layer)
        .set("head", head)
        .set("weights", to_json(attention.weights))
        .set("k", to_json(attention.k))
        .set("v", to_json(attention.v));
}

}  // namespace mm::why
