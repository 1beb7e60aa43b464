#include "core/checkpoint/tensor_table.hpp"

#include <utility>

#include "core/base/join.hpp"

namespace mm {

TensorTable::TensorTable(std::string file, std::string format)
    : files_{std::move(file)}, format_(std::move(format)) {}

void TensorTable::add(std::string name, TensorView view) {
    Entry entry{std::move(name), to_string(view.dtype), view.shape, {}, 0};
    entry.view = std::move(view);
    add(std::move(entry));
}

void TensorTable::add_foreign(std::string name, std::string_view dtype, std::vector<std::int64_t> shape) {
    add({std::move(name), dtype, std::move(shape), {}, 0});
}

void TensorTable::add(Entry entry) {
    if (!index_.emplace(entry.name, entries_.size()).second) {
        throw_error(ErrorKind::format, "the name is given twice",
                    {.file = files_[entry.file], .tensor = entry.name});
    }
    entries_.push_back(std::move(entry));
    used_.push_back(false);
}

std::string TensorTable::common_dtype() const {
    if (entries_.empty()) return "none";
    const std::string_view first = entries_.front().dtype;
    for (const Entry& entry : entries_) {
        if (entry.dtype != first) return "mixed";
    }
    return std::string(first);
}

void TensorTable::add_all(const TensorTable& shard) {
    const auto file = static_cast<std::uint32_t>(files_.size());
    files_.push_back(shard.file());
    for (Entry entry : shard.entries()) {
        entry.file = file;
        add(std::move(entry));
    }
}

TensorTable TensorTable::with(std::vector<Entry> entries) const {
    TensorTable out(file(), format_);
    out.files_ = files_;
    for (Entry& entry : entries) out.add(std::move(entry));
    return out;
}

const std::string& TensorTable::file_of(std::string_view name) const {
    const Entry* found = entry(name);
    return found == nullptr ? file() : files_[found->file];
}

const TensorTable::Entry* TensorTable::entry(std::string_view name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &entries_[found->second];
}

const TensorView* TensorTable::find(std::string_view name) const {
    const Entry* found = entry(name);
    return found == nullptr ? nullptr : &weight(*found);
}

const TensorView& TensorTable::weight(const Entry& entry) const {
    if (!entry.view || !is_weight_dtype(entry.view->dtype)) {
        throw_error(ErrorKind::unsupported, join({entry.dtype, "; weights are float32, float16 or bfloat16"}),
                    {.file = files_[entry.file], .tensor = entry.name, .field = "dtype"});
    }
    return *entry.view;
}

const TensorView& TensorTable::get(std::string_view name, const std::vector<std::int64_t>& shape) const {
    const auto found = index_.find(name);
    if (found == index_.end()) {
        throw_error(ErrorKind::format, "missing", {.file = file(), .tensor = name});
    }
    const Entry& entry = entries_[found->second];
    const TensorView& view = weight(entry);
    if (view.shape != shape) {
        throw_error(ErrorKind::shape,
                    join({"expected ", shape_string(shape), ", found ", shape_string(view.shape)}),
                    {.file = files_[entry.file], .tensor = entry.name, .field = "shape"});
    }
    used_[found->second] = true;
    return view;
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
