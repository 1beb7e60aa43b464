#include "core/checkpoint/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/join.hpp"
#include "core/base/json.hpp"

namespace mm {
namespace {

constexpr std::size_t kMaxDims = 64;

// nlohmann's events, told apart by depth: 1 the names, 2 the fields of one tensor, 3 the numbers of a list.
class HeaderEvents final : public JsonEvents {
  public:
    std::vector<SafetensorsInfo> tensors;

    bool null() override { return scalar(); }
    bool boolean(bool) override { return scalar(); }
    bool number_integer(number_integer_t) override { return scalar(); }
    bool number_float(number_float_t, const string_t&) override { return scalar(); }
    bool binary(binary_t&) override { return scalar(); }

    bool number_unsigned(number_unsigned_t value) override {
        if (depth_ != 3 || !is_list(field_)) return scalar();
        if (field_ == Field::data_offsets) {
            if (tensor_.data_offsets.size() == 2) fail("has more than two numbers");
            tensor_.data_offsets.push_back(value);
        } else {
            if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
                fail(join({value, " is too large"}));
            }
            if (tensor_.shape.size() == kMaxDims) fail("has more than 64 dimensions");
            tensor_.shape.push_back(static_cast<std::int64_t>(value));
        }
        return true;
    }

    bool string(string_t& value) override {
        if (depth_ == 2 && field_ == Field::dtype) {
            tensor_.type = find_safetensors_type(value);
            if (tensor_.type == nullptr) fail(join({value, " is no type of the format"}));
            return true;
        }
        if (depth_ == 2 && field_ == Field::metadata) return true;
        return scalar();
    }

    bool start_object(std::size_t) override {
        if (depth_ == 1) {
            field_ = tensor_.name == "__metadata__" ? Field::metadata : Field::none;
            seen_ = {};
        } else if (depth_ > 0 && field_ != Field::other) {
            wrong_kind();
        }
        ++depth_;
        return true;
    }

    bool key(string_t& name) override {
        if (depth_ == 1) {
            tensor_ = {};
            tensor_.name = std::move(name);
        } else if (depth_ == 2 && field_ == Field::metadata) {
            metadata_key_ = std::move(name);
        } else if (depth_ == 2) {
            const auto found = std::find(std::begin(kFields), std::end(kFields), name);
            const auto index = static_cast<std::size_t>(found - std::begin(kFields));
            field_ = static_cast<Field>(index);
            if (field_ == Field::other) return true;
            if (seen_[index]) fail("is given twice");
            seen_[index] = true;
        }
        return true;
    }

    bool end_object() override {
        --depth_;
        if (depth_ == 1 && tensor_.name != "__metadata__") {
            for (const Field field : {Field::dtype, Field::shape, Field::data_offsets}) {
                field_ = field;
                if (!seen_[static_cast<std::size_t>(field)]) fail("is missing");
            }
            if (tensor_.data_offsets.size() != 2) fail("has not two numbers");
            tensors.push_back(std::move(tensor_));
        }
        return true;
    }

    bool start_array(std::size_t) override {
        const bool expected = (depth_ == 2 && is_list(field_)) || (depth_ >= 2 && field_ == Field::other);
        if (!expected) wrong_kind();
        ++depth_;
        return true;
    }

    bool end_array() override {
        --depth_;
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
        throw_error(ErrorKind::format, join({"not valid JSON: ", json_reason(error.what())}),
                    {.field = "header"});
    }

  private:
    enum class Field : std::uint8_t { dtype, shape, data_offsets, other, metadata, none };
    static constexpr std::string_view kFields[] = {"dtype", "shape", "data_offsets"};

    static bool is_list(Field field) { return field == Field::shape || field == Field::data_offsets; }

    bool scalar() {
        if (depth_ < 2 || field_ != Field::other) wrong_kind();
        return true;
    }

    // A value that cannot stand where it does.
    [[noreturn]] void wrong_kind() const {
        if (depth_ == 0) throw_error(ErrorKind::format, "is not a JSON object", {.field = "header"});
        if (tensor_.name == "__metadata__") {
            throw_error(ErrorKind::format,
                        depth_ == 1 ? "is not an object" : join({metadata_key_, " is not a text"}),
                        {.field = "__metadata__"});
        }
        if (depth_ == 1) {
            throw_error(ErrorKind::format, "is not an object", {.tensor = tensor_.name, .field = "header"});
        }
        if (depth_ == 2) fail(field_ == Field::dtype ? "is no text" : "is not a list");
        fail("has an entry that is no natural number");
    }

    [[noreturn]] void fail(std::string_view message) const {
        throw_error(ErrorKind::format, message,
                    {.tensor = tensor_.name, .field = kFields[static_cast<std::size_t>(field_)]});
    }

    std::size_t depth_ = 0;
    Field field_ = Field::none;
    SafetensorsInfo tensor_;
    std::array<bool, 3> seen_{};
    std::string metadata_key_;
};

}  // namespace

std::vector<SafetensorsInfo> read_safetensors_header(std::string_view json) {
    HeaderEvents events;
    read_json_events(json, events);
    return std::move(events.tensors);
}

}  // namespace mm
