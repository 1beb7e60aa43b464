#include "core/text/tokenizer_file.hpp"

#include <algorithm>

#include "core/base/join.hpp"

namespace mm {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;  // the largest in use have 35 MB
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxValues = 400'000;     // outside vocabulary and merges
constexpr std::size_t kMaxEntries = 1'000'000;  // of the vocabulary, of the merges
constexpr std::size_t kMaxKeys = 10'000;  // in one object: Json keeps order, so looking for a key is linear

/// Receives nlohmann's events: as a document, a million tokens and merges would take many times their size.
/// Refuses by throwing; only syntax errors come through parse_error.
class Reader final : public JsonEvents {
  public:
    Reader(TokenizerFile& out, const std::string& file) : out_(out), file_(file) {}

    bool null() override { return scalar(nullptr); }
    bool boolean(bool value) override { return scalar(value); }
    bool number_integer(number_integer_t value) override { return scalar(value); }
    bool number_unsigned(number_unsigned_t value) override {
        if (mode_ == Mode::vocab) {
            if (out_.vocab.size() == kMaxEntries) fail("model.vocab", "too many tokens");
            out_.vocab.emplace_back(std::move(key_), value);
            return true;
        }
        return scalar(value);
    }
    bool number_float(number_float_t value, const string_t&) override { return scalar(value); }
    bool binary(binary_t&) override { return false; }  // cannot come from text

    bool string(string_t& value) override {
        if (mode_ == Mode::merges) {
            legacy_merge(value);
            return true;
        }
        if (mode_ == Mode::pair) {
            if (parts_ == 2) fail("model.merges", "a merge is not a pair of strings");
            (parts_ == 0 ? out_.merges.back().first : out_.merges.back().second) = std::move(value);
            ++parts_;
            return true;
        }
        return scalar(std::move(value));
    }

    bool key(string_t& value) override {
        if (mode_ == Mode::tree) {
            const Json& object = *stack_.back();
            if (object.size() == kMaxKeys) fail(value, "an object has too many keys");
            if (object.contains(value)) fail(value, "the key is given twice");
            if (stack_.size() == 2) in_model_ = parent_key_ == "model";
            if (stack_.size() == 1) parent_key_ = value;
        }
        key_ = std::move(value);
        return true;
    }

    bool start_object(std::size_t) override {
        if (mode_ == Mode::tree && at_model_field("vocab")) {
            if (out_.has_vocab) fail("model.vocab", "the key is given twice");
            mode_ = Mode::vocab;
            out_.has_vocab = true;
            return true;
        }
        return open(Json::object());
    }
    bool end_object() override {
        if (mode_ == Mode::vocab) {
            mode_ = Mode::tree;
            return true;
        }
        return close();
    }
    bool start_array(std::size_t) override {
        if (mode_ == Mode::tree && at_model_field("merges")) {
            if (out_.has_merges) fail("model.merges", "the key is given twice");
            mode_ = Mode::merges;
            out_.has_merges = true;
            return true;
        }
        if (mode_ == Mode::merges) {
            form(1);
            mode_ = Mode::pair;
            parts_ = 0;
            out_.merges.emplace_back();
            return true;
        }
        return open(Json::array());
    }
    bool end_array() override {
        if (mode_ == Mode::pair) {
            if (parts_ != 2) fail("model.merges", "a merge is not a pair of strings");
            mode_ = Mode::merges;
            return true;
        }
        if (mode_ == Mode::merges) {
            mode_ = Mode::tree;
            return true;
        }
        return close();
    }

    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
        throw_error(ErrorKind::format, join({"not valid JSON at byte ", position}), {.file = file_});
    }

  private:
    enum class Mode { tree, vocab, merges, pair };

    [[noreturn]] void fail(std::string_view field, std::string_view message) const {
        throw_error(ErrorKind::format, message, {.file = file_, .field = field.substr(0, 100)});
    }

    /// Whether the value that begins now is `model.NAME`.
    bool at_model_field(std::string_view name) const {
        return stack_.size() == 2 && in_model_ && stack_.back()->is_object() && key_ == name;
    }

    void form(int pairs) {
        if (merge_form_ != -1 && merge_form_ != pairs) fail("model.merges", "strings and pairs are mixed");
        merge_form_ = pairs;
        if (out_.merges.size() == kMaxEntries) fail("model.merges", "too many merges");
    }

    void legacy_merge(const std::string& line) {
        form(0);
        if (line.starts_with("#version")) return;
        const std::size_t space = line.find(' ');
        if (space == std::string::npos || line.find(' ', space + 1) != std::string::npos) {
            fail("model.merges", join({"merge ", out_.merges.size() + 1, " is not two parts and one space"}));
        }
        out_.merges.emplace_back(line.substr(0, space), line.substr(space + 1));
    }

    Json* place(Json value) {
        if (mode_ == Mode::vocab) fail("model.vocab", "an id is not a whole number, 0 or above");
        if (mode_ != Mode::tree) fail("model.merges", "a merge is neither a string nor a pair of strings");
        if (++values_ > kMaxValues) fail(key_, "too many values");
        if (stack_.empty()) {
            out_.rest = std::move(value);
            return &out_.rest;
        }
        Json& parent = *stack_.back();
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return &parent.back();
        }
        // The key is known to be new: no search.
        auto& object = parent.get_ref<Json::object_t&>();
        object.Container::emplace_back(key_, std::move(value));
        return &object.back().second;
    }

    bool scalar(Json value) {
        place(std::move(value));
        return true;
    }
    bool open(Json value) {
        if (stack_.size() == kMaxDepth) fail(key_, "nested too deeply");
        stack_.push_back(place(std::move(value)));
        return true;
    }
    bool close() {
        stack_.pop_back();
        return true;
    }

    TokenizerFile& out_;
    const std::string& file_;
    Mode mode_ = Mode::tree;
    std::vector<Json*> stack_;  // open objects and arrays; a parent does not grow while a child is open
    std::string key_;
    std::string parent_key_;  // the last key of the outermost object
    bool in_model_ = false;
    int merge_form_ = -1;  // 0 strings, 1 pairs
    int parts_ = 0;
    std::size_t values_ = 0;
};

/// Adds to the path of `at` what leads to `wanted`; false, and the path as it was, when it is not in there.
bool extend_path(const Json& at, const Json& wanted, std::string& path) {
    if (&at == &wanted) return true;
    const std::size_t size = path.size();
    if (at.is_array()) {
        for (std::size_t i = 0; i < at.size(); ++i) {
            path += join({"[", i, "]"});
            if (extend_path(at[i], wanted, path)) return true;
            path.resize(size);
        }
    } else if (at.is_object()) {
        for (const auto& [key, value] : at.get_ref<const Json::object_t&>()) {
            path += join({path.empty() ? "" : ".", key});
            if (extend_path(value, wanted, path)) return true;
            path.resize(size);
        }
    }
    return false;
}

}  // namespace

TokenizerFile read_tokenizer_file(std::string_view json, const std::string& file) {
    if (json.size() > kMaxBytes) {
        throw_error(ErrorKind::format, join({"larger than ", kMaxBytes >> 20, " MB"}), {.file = file});
    }
    TokenizerFile out;
    Reader reader(out, file);
    read_json_events(json, reader);
    if (!out.rest.is_object()) throw_error(ErrorKind::format, "not a JSON object", {.file = file});
    return out;
}

std::string JsonField::path() const {
    std::string path;
    extend_path(*document_, *json_, path);
    return path;
}

bool JsonField::has(std::string_view key) const {
    return json_->is_object() && json_->contains(key);
}

JsonField JsonField::at(std::string_view key) const {
    if (!json_->is_object()) fail(ErrorKind::format, "is not an object");
    const auto found = json_->find(key);
    if (found == json_->end()) {
        const std::string parent = path();
        throw_error(ErrorKind::format, "is missing",
                    {.file = *file_, .field = join({parent, parent.empty() ? "" : ".", key})});
    }
    return {*found, *document_, *file_};
}

JsonField JsonField::item(std::size_t index) const {
    return {(*json_)[index], *document_, *file_};
}

std::size_t JsonField::size() const {
    if (!json_->is_array()) fail(ErrorKind::format, "is not an array");
    return json_->size();
}

std::string JsonField::string() const {
    if (!json_->is_string()) fail(ErrorKind::format, "is not a string");
    return json_->get<std::string>();
}

bool JsonField::boolean() const {
    if (!json_->is_boolean()) fail(ErrorKind::format, "is not true or false");
    return json_->get<bool>();
}

std::uint64_t JsonField::number(std::uint64_t most) const {
    if (!json_->is_number_unsigned() || json_->get<std::uint64_t>() > most) {
        fail(ErrorKind::format, join({"is not a whole number from 0 to ", most}));
    }
    return json_->get<std::uint64_t>();
}

bool JsonField::null_or_missing(std::string_view key) const {
    return !has(key) || json_->find(key)->is_null();
}

bool JsonField::boolean_or(std::string_view key, bool otherwise) const {
    return null_or_missing(key) ? otherwise : at(key).boolean();
}

void JsonField::fail(ErrorKind kind, std::string_view message) const {
    throw_error(kind, message, {.file = *file_, .field = path()});
}

void JsonField::unsupported(std::string_view name) const {
    fail(ErrorKind::unsupported, join({name.substr(0, 100), " is not supported"}));
}

}  // namespace mm
