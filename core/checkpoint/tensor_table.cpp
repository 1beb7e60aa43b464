#include "core/checkpoint/tensor_table.hpp"

#include <utility>

#include "core/base/join.hpp"

namespace mm {

TensorTable::TensorTable(std::string file, std::string format)
    : file_(std::move(file)), format_(std::move(format)) {}

void TensorTable::add(std::string name, TensorView view) {
    add({std::move(name), std::move(view), {}});
}

void TensorTable::add_foreign(std::string name, std::string dtype_name, std::vector<std::int64_t> shape) {
    TensorView view{DType::u8, std::move(shape), {}, nullptr, 0};
    add({std::move(name), std::move(view), std::move(dtype_name)});
}

void TensorTable::add(Entry entry) {
    if (!index_.emplace(entry.name, entries_.size()).second) {
        throw_error(ErrorKind::format, "the name is given twice", {.file = file_, .tensor = entry.name});
    }
    entries_.push_back(std::move(entry));
    used_.push_back(false);
}

std::string TensorTable::common_dtype() const {
    if (entries_.empty()) return "none";
    const std::string first(entries_.front().dtype_name());
    for (const Entry& entry : entries_) {
        if (entry.dtype_name() != first) return "mixed";
    }
    return first;
}

bool TensorTable::contains(std::string_view name) const {
    return index_.find(name) != index_.end();
}

const TensorView* TensorTable::find(std::string_view name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &entries_[found->second].view;
}

const TensorView& TensorTable::get(std::string_view name, const std::vector<std::int64_t>& shape) const {
    const auto found = index_.find(name);
    if (found == index_.end()) {
        throw_error(ErrorKind::format, "missing", {.file = file_, .tensor = name});
    }
    const Entry& entry = entries_[found->second];
    if (!entry.foreign_dtype.empty() || !is_weight_dtype(entry.view.dtype)) {
        throw_error(ErrorKind::unsupported,
                    join({entry.dtype_name(), "; weights are float32, float16 or bfloat16"}),
                    {.file = file_, .tensor = entry.name, .field = "dtype"});
    }
    if (entry.view.shape != shape) {
        throw_error(ErrorKind::shape,
                    join({"expected ", shape_string(shape), ", found ", shape_string(entry.view.shape)}),
                    {.file = file_, .tensor = entry.name, .field = "shape"});
    }
    used_[found->second] = true;
    return entry.view;
}

std::vector<std::string> TensorTable::unused() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (!used_[i]) names.push_back(entries_[i].name);
    }
    return names;
}

std::string shape_string(const std::vector<std::int64_t>& shape) {
    std::string out = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i > 0) out += ", ";
        out += std::to_string(shape[i]);
    }
    return join({out, "]"});
}

}  // namespace mm
