#include "core/base/json.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/join.hpp"
#include "core/base/printable.hpp"
#include "core/base/utf8.hpp"

namespace mm {
namespace {

// nlohmann's destructor takes memory for what it frees, so that depth costs no stack. When memory has just
// run out, that ends the program; here depth is limited, and a value without children takes nothing.
void free_from_the_leaves(Json& value) {
    if (value.is_array()) {
        auto& list = value.get_ref<Json::array_t&>();
        for (; !list.empty(); list.pop_back()) free_from_the_leaves(list.back());
    } else if (value.is_object()) {
        auto& members = static_cast<Json::object_t::Container&>(value.get_ref<Json::object_t&>());
        for (; !members.empty(); members.pop_back()) free_from_the_leaves(members.back().second);
    }
}

// nlohmann's events → a document. Limits are checked as it grows, so a hostile text is left at once; its own
// parser would look through all earlier keys for every key, a vector's end does not.
class Builder final : public JsonEvents {
  public:
    Builder(const std::string& file, const JsonLimits& limits) : file_(file), limits_(limits) {}

    ~Builder() override { free_from_the_leaves(root_); }
    Builder(const Builder&) = delete;
    Builder& operator=(const Builder&) = delete;

    Json take() { return std::move(root_); }

    bool null() override { return add(nullptr) != nullptr; }
    bool boolean(bool value) override { return add(value) != nullptr; }
    bool number_integer(Json::number_integer_t value) override { return add(value) != nullptr; }
    bool number_unsigned(Json::number_unsigned_t value) override { return add(value) != nullptr; }
    bool number_float(Json::number_float_t value, const std::string&) override {
        return add(value) != nullptr;
    }
    bool string(std::string& value) override { return add(std::move(value)) != nullptr; }
    bool binary(Json::binary_t&) override { return false; }  // cannot come from text
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(std::string& value) override {
        if (!stack_.back().keys.insert(value).second) {
            throw_error(ErrorKind::format, "the key is given twice", {.file = file_, .field = value});
        }
        key_ = std::move(value);
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
        fail(join({"not valid JSON: ", json_reason(error.what())}));
    }

  private:
    // A parent does not grow while a child of it is open, so a pointer to the child holds.
    struct Open {
        Json* value;
        std::unordered_set<std::string> keys;
    };

    [[noreturn]] void fail(std::string_view message) const {
        throw_error(ErrorKind::format, message, {.file = file_});
    }

    Json* add(Json value) {
        if (++values_ > limits_.max_values) {
            fail(join({"JSON holds more than ", limits_.max_values, " values"}));
        }
        if (stack_.empty()) return &(root_ = std::move(value));
        Json& parent = *stack_.back().value;
        if (parent.is_array()) return &parent.get_ref<Json::array_t&>().emplace_back(std::move(value));
        using Members = Json::object_t::Container;
        Members& members = parent.get_ref<Json::object_t&>();
        return &members.emplace_back(std::move(key_), std::move(value)).second;
    }

    bool open(Json value) {
        if (stack_.size() == limits_.max_depth) {
            fail(join({"JSON is nested deeper than ", limits_.max_depth, " levels"}));
        }
        stack_.push_back({add(std::move(value)), {}});
        return true;
    }

    bool close() {
        stack_.pop_back();
        return true;
    }

    const std::string& file_;
    const JsonLimits& limits_;
    Json root_;
    std::string key_;
    std::vector<Open> stack_;
    std::size_t values_ = 0;
};

// Where a string of more than a megabyte goes wrong: not closed, or with a character or an escape that no
// JSON string has. nlohmann would copy all that it read of it several times over, into the line about it.
std::optional<std::size_t> broken_long_string(std::string_view text) {
    constexpr std::size_t kLong = std::size_t{1} << 20;
    if (text.size() <= kLong) return std::nullopt;
    for (std::size_t open = 0; (open = text.find('"', open)) != text.npos; ++open) {
        std::size_t at = open + 1;
        while (at < text.size() && text[at] != '"' && static_cast<unsigned char>(text[at]) >= 0x20) {
            const bool escape = text[at] == '\\';
            if (escape && at + 1 < text.size() &&
                std::string_view("\"\\/bfnrtu").find(text[at + 1]) == text.npos) {
                break;
            }
            at += escape ? 2 : 1;
        }
        at = std::min(at, text.size());
        const std::string_view read = text.substr(open, at - open);
        const bool closed = at < text.size() && text[at] == '"';
        if (read.size() > kLong) {
            const std::size_t bad = std::min(find_invalid_utf8(read), closed ? text.npos : read.size());
            if (bad != text.npos) return open + bad;
        }
        if (!closed) return std::nullopt;  // a short one: nlohmann tells
        open = at;
    }
    return std::nullopt;
}

}  // namespace

bool read_json_events(std::string_view text, JsonEvents& events) {
    // nlohmann takes a NUL for the end of the text: what stands behind it would pass unread.
    if (const auto at = text.find('\0'); at != std::string_view::npos) {
        const auto error = Json::parse_error::create(101, at + 1, "a NUL byte", nullptr);
        return events.parse_error(at + 1, "", error);
    }
    if (const auto at = broken_long_string(text)) {
        const auto error = Json::parse_error::create(
            101, *at + 1, *at < text.size() ? "invalid in a string" : "a string is not closed", nullptr);
        return events.parse_error(*at + 1, "", error);
    }
    return Json::sax_parse(text.begin(), text.end(), &events);
}

std::string json_reason(std::string what) {
    // "[json.exception.parse_error.101] parse error at …" → from "parse error" on, for people.
    if (const auto at = what.find("] "); at != std::string::npos) what = what.substr(at + 2);
    constexpr std::size_t kLongest = 200;
    return printable(what, kLongest);
}

Json parse_json(std::string_view text, const std::string& file, const JsonLimits& limits) {
    if (text.size() > limits.max_bytes) {
        throw_error(ErrorKind::format,
                    join({"JSON of ", text.size(), " bytes is over the limit of ", limits.max_bytes}),
                    {.file = file});
    }
    Builder builder(file, limits);
    read_json_events(text, builder);
    return builder.take();
}

}  // namespace mm
