// What every checkpoint reader produces: name → tensor view, in file order.
//
// The model layer asks for tensors by name and expected shape; what it never asked for can be listed
// afterwards, so a misspelt weight is reported rather than ignored. The bytes of the file must outlive the
// table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/tensor/tensor_view.hpp"

namespace mm {

class TensorTable {
  public:
    struct Entry {
        std::string name;
        std::string_view dtype;  // PyTorch's name of the element type, "float8_e4m3fn"
        std::vector<std::int64_t> shape;
        std::optional<TensorView> view;  // none when DType does not have the type
        std::uint32_t file = 0;          // which of files()
    };

    /// @param file    as the user named it; stands in every error.
    /// @param format  "torch zip", "torch legacy" or "safetensors"; shown by `inspect`.
    TensorTable(std::string file, std::string format);

    /// Adds a tensor; throws Error{format} when the name is there already.
    void add(std::string name, TensorView view);

    /// Adds a tensor of a type that DType does not have: it is listed, and refused by name when somebody
    /// asks.
    /// @param dtype  PyTorch's name, which lives as long as the program (element_types.hpp)
    void add_foreign(std::string name, std::string_view dtype, std::vector<std::int64_t> shape);

    /// Adds all tensors of another file of the same checkpoint, a shard, which errors then name.
    void add_all(const TensorTable& shard);

    /// A table of the same files with other entries. @throws Error{format} a name comes twice
    TensorTable with(std::vector<Entry> entries) const;

    /// The checkpoint: its file, or the index of its shards.
    const std::string& file() const { return files_.front(); }
    /// The file that holds this tensor; file() for one that is absent.
    const std::string& file_of(std::string_view name) const;
    const std::string& format() const { return format_; }
    const std::vector<Entry>& entries() const { return entries_; }
    /// The type all tensors have, "mixed" when they differ, "none" when there is no tensor.
    std::string common_dtype() const;
    bool contains(std::string_view name) const { return entry(name) != nullptr; }
    /// What the file says about a tensor; nullptr when absent.
    const Entry* entry(std::string_view name) const;

    /// The weight `name`, not marked used; nullptr when absent. For looking at shapes.
    /// @throws Error{unsupported} as get()
    const TensorView* find(std::string_view name) const;

    /// The weight `name`, marked used.
    /// @param shape expected sizes.
    /// @throws Error{format} absent (naming file and tensor); Error{shape} "shape: expected [2, 3], found
    ///         [3, 2]"; Error{unsupported} field "dtype" for anything but float32, float16, bfloat16.
    const TensorView& get(std::string_view name, const std::vector<std::int64_t>& shape) const;

    /// Names nobody asked for, in file order.
    std::vector<std::string> unused() const;

  private:
    void add(Entry entry);
    const TensorView& weight(const Entry& entry) const;

    std::vector<std::string> files_;  // the checkpoint's, then those of its shards
    std::string format_;
    std::vector<Entry> entries_;
    std::map<std::string, std::size_t, std::less<>> index_;
    mutable std::vector<bool> used_;
};

/// Reads a checkpoint of any supported kind, recognised by its first bytes: torch zip (`torch.save`
/// since 1.6), torch legacy, safetensors. Copies no tensor data. Experts that are stored in one tensor are
/// listed apart (fused_experts.hpp).
/// @param bytes the whole file; must outlive the result.
/// @param file  its name, for errors.
/// @throws Error{format | unsupported} naming the file and, where there is one, tensor and field.
TensorTable read_checkpoint(Bytes bytes, const std::string& file);
/// The same for one of several files of a checkpoint, without a look at experts.
TensorTable read_shard(Bytes bytes, const std::string& file);

/// "[1, 100, 2, 32]".
std::string shape_string(const std::vector<std::int64_t>& shape);

}  // namespace mm
