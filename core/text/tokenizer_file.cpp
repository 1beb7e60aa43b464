#include "core/text/tokenizer_file.hpp"

#include <algorithm>

namespace mm {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;  // the largest in use have 35 MB
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxValues = 2'000'000;   // outside vocabulary and merges
constexpr std::size_t kMaxEntries = 1'000'000;  // of the vocabulary, of the merges
constexpr std::size_t kMaxKeys = 10'000;  // in one object: Json keeps order, so looking for a key is linear

/// Receives nlohmann's events. Refuses by throwing; only syntax errors come through parse_error.
class Reader {
  public:
    using number_integer_t = Json::number_integer_t;
    using number_unsigned_t = Json::number_unsigned_t;
    using number_float_t = Json::number_float_t;
    using string_t = Json::string_t;
    using binary_t = Json::binary_t;

    Reader(TokenizerFile& out, const std::string& file) : out_(out), file_(file) {}

    bool null() { return scalar(nullptr); }
    bool boolean(bool value) { return scalar(value); }
    bool number_integer(number_integer_t value) { return scalar(value); }
    bool number_unsigned(number_unsigned_t value) {
        if (mode_ == Mode::vocab) {
            if (out_.vocab.size() == kMaxEntries) fail("model.vocab", "too many tokens");
            out_.vocab.emplace_back(std::move(key_), value);
            return true;
        }
        return scalar(value);
    }
    bool number_float(number_float_t value, const string_t&) { return scalar(value); }
    bool binary(binary_t&) { return false; }  // cannot come from text

    bool string(string_t& value) {
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

    bool key(string_t& value) {
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

    bool start_object(std::size_t) {
        if (mode_ == Mode::tree && at_model_field("vocab")) {
            if (out_.has_vocab) fail("model.vocab", "the key is given twice");
            mode_ = Mode::vocab;
            out_.has_vocab = true;
            return true;
        }
        return open(Json::object());
    }
    bool end_object() {
        if (mode_ == Mode::vocab) {
            mode_ = Mode::tree;
            return true;
        }
        return close();
    }
    bool start_array(std::size_t) {
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
    bool end_array() {
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

    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
        throw Error(ErrorKind::format, "not valid JSON at byte " + std::to_string(position), {.file = file_});
    }

  private:
    enum class Mode { tree, vocab, merges, pair };

    [[noreturn]] void fail(const std::string& field, const std::string& message) const {
        throw Error(ErrorKind::format, message, {.file = file_, .field = field.substr(0, 100)});
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
            fail("model.merges",
                 "merge " + std::to_string(out_.merges.size() + 1) + " is not two parts and one space");
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

}  // namespace

TokenizerFile read_tokenizer_file(std::string_view json, const std::string& file) {
    if (json.size() > kMaxBytes) {
        throw Error(ErrorKind::format, "larger than " + std::to_string(kMaxBytes >> 20) + " MB",
                    {.file = file});
    }
    TokenizerFile out;
    Reader reader(out, file);
    Json::sax_parse(json.begin(), json.end(), &reader);
    if (!out.rest.is_object()) throw Error(ErrorKind::format, "not a JSON object", {.file = file});
    return out;
}

bool JsonField::has(std::string_view key) const {
    return json_->is_object() && json_->contains(key);
}

JsonField JsonField::at(std::string_view key) const {
    if (!json_->is_object()) fail(ErrorKind::format, "is not an object");
    const std::string path = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
    const auto found = json_->find(key);
    if (found == json_->end()) throw Error(ErrorKind::format, "is missing", {.file = *file_, .field = path});
    return {*found, path, *file_};
}

JsonField JsonField::item(std::size_t index) const {
    return {(*json_)[index], path_ + "[" + std::to_string(index) + "]", *file_};
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
        fail(ErrorKind::format, "is not a whole number from 0 to " + std::to_string(most));
    }
    return json_->get<std::uint64_t>();
}

bool JsonField::null_or_missing(std::string_view key) const {
    return !has(key) || json_->find(key)->is_null();
}

bool JsonField::boolean_or(std::string_view key, bool otherwise) const {
    return null_or_missing(key) ? otherwise : at(key).boolean();
}

void JsonField::fail(ErrorKind kind, const std::string& message) const {
    throw Error(kind, message, {.file = *file_, .field = path_});
}

void JsonField::unsupported(const std::string& name) const {
    fail(ErrorKind::unsupported, name.substr(0, 100) + " is not supported");
}

}  // namespace mm
