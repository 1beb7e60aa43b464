#include "core/lab/checks/submitted_json.hpp"
#include "core/lab/checks/common_hints.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "core/base/join.hpp"
#include "core/base/json.hpp"
#include "core/base/utf8.hpp"
#include "core/lab/foreign_text.hpp"

namespace mm {
namespace {

constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxValues = 100000;

using Kind = SubmittedValue::Kind;

// nlohmann's events → SubmittedValue. Parents do not move while a child is open, so pointers to them hold.
class Builder final : public JsonEvents {
  public:
    explicit Builder(std::string_view text) : text_(text) {}

    std::optional<SubmittedValue> take() { return std::move(root_); }
    std::optional<Finding> refusal;

    bool null() override { return add({}) != nullptr; }
    bool boolean(bool value) override {
        SubmittedValue made;
        made.kind = Kind::boolean;
        made.boolean = value;
        return add(std::move(made)) != nullptr;
    }
    bool number_integer(std::int64_t value) override { return add_integer(value); }
    bool number_unsigned(std::uint64_t value) override {
        if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            return add_integer(static_cast<std::int64_t>(value));
        }
        return add_number(Kind::huge_integer, static_cast<double>(value), std::to_string(value));
    }
    bool number_float(double value, const std::string& written) override {
        const bool whole = written.find_first_of(".eE") == std::string::npos;
        return add_number(whole ? Kind::huge_integer : Kind::real, value, written);
    }
    bool string(std::string& value) override {
        SubmittedValue made;
        made.kind = Kind::string;
        made.text = std::move(value);
        return add(std::move(made)) != nullptr;
    }
    bool binary(Json::binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Kind::object); }
    bool start_array(std::size_t) override { return open(Kind::array); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(std::string& value) override {
        if (!keys_.back().insert(value).second)
            return refuse({kCommonHints["json.duplicate_key"], {{"key", safe_text(value)}}});
        stack_.back()->keys.push_back(value);
        return true;
    }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception& error) override {
        constexpr int kNumberOverflow = 406;
        const std::string place = place_of(position);
        if (error.id == kNumberOverflow)
            return refuse({kCommonHints["json.number_too_large"], {{"place", place}}});
        return refuse(
            {stopped_at_no_number(text_, position) ? kCommonHints["json.nan"] : kCommonHints["json.syntax"],
             {{"place", place}}});
    }

  private:
    bool refuse(Finding finding) {
        refusal = std::move(finding);
        return false;
    }

    SubmittedValue* add(SubmittedValue value) {
        if (++values_ > kMaxValues) {
            refuse({kCommonHints["json.too_many_values"], {{"limit", kMaxValues}}});
            return nullptr;
        }
        if (stack_.empty()) return &root_.emplace(std::move(value));
        return &stack_.back()->items.emplace_back(std::move(value));
    }
    bool add_number(Kind kind, double value, std::string written) {
        SubmittedValue made;
        made.kind = kind;
        made.real = value;
        made.text = std::move(written);
        return add(std::move(made)) != nullptr;
    }
    bool add_integer(std::int64_t value) {
        SubmittedValue made;
        made.kind = Kind::integer;
        made.integer = value;
        made.real = static_cast<double>(value);
        made.text = std::to_string(value);
        return add(std::move(made)) != nullptr;
    }
    bool open(Kind kind) {
        if (stack_.size() >= kMaxDepth) {
            return refuse({kCommonHints["json.too_deep"], {{"limit", kMaxDepth}}});
        }
        SubmittedValue made;
        made.kind = kind;
        SubmittedValue* const value = add(std::move(made));
        if (value == nullptr) return false;
        stack_.push_back(value);
        keys_.emplace_back();
        return true;
    }
    bool close() {
        stack_.pop_back();
        keys_.pop_back();
        return true;
    }

    // "line:column" of a byte position counted from 1.
    std::string place_of(std::size_t position) const {
        const std::string_view before = text_.substr(0, position == 0 ? 0 : position - 1);
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        const std::size_t start = before.rfind('\n');
        const std::size_t column = before.size() - (start == before.npos ? 0 : start + 1) + 1;
        return join({line, ":", column});
    }
    std::string_view text_;
    std::optional<SubmittedValue> root_;
    std::vector<SubmittedValue*> stack_;
    std::vector<std::set<std::string>> keys_;
    std::size_t values_ = 0;
};

}  // namespace

const SubmittedValue* SubmittedValue::member(std::string_view key) const {
    const auto found = std::find(keys.begin(), keys.end(), key);
    return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

SubmittedJson read_submitted_json(std::string_view text) {
    SubmittedJson read;
    if (looks_like_utf16(text)) {
        read.refusal = Finding{kCommonHints["json.utf16"]};
        return read;
    }
    if (text.starts_with(kByteOrderMark)) {
        read.byte_order_mark = true;
        text.remove_prefix(kByteOrderMark.size());
    }
    if (text.find_first_not_of(" \t\r\n") == text.npos) {
        read.refusal = Finding{kCommonHints["file.empty"]};
        return read;
    }
    if (const std::size_t bad = find_invalid_utf8(text); bad != text.npos) {
        read.refusal = Finding{kCommonHints["text.not_utf8"], {{"byte", bad}}};
        return read;
    }
    Builder builder(text);
    const bool complete = read_json_events(text, builder);
    if (!complete) {
        read.refusal = builder.refusal ? std::move(builder.refusal) : Finding{kCommonHints["json.syntax"]};
        return read;
    }
    read.object = builder.take();
    if (read.object->kind != Kind::object) {
        read.object.reset();
        read.refusal = Finding{kCommonHints["json.not_object"]};
    }
    return read;
}

}  // namespace mm
