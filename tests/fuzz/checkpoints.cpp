// Checkpoints of every kind. What is accepted must be usable: every element of every tensor is read, and the
// model's dimensions are derived from the shapes.
#include <cstring>
#include <memory>

#include "core/checkpoint/pickle_tree.hpp"
#include "core/checkpoint/readers.hpp"
#include "core/model/config.hpp"
#include "core/tensor/dtype.hpp"
#include "tests/fuzz/targets.hpp"

namespace mm::fuzz {
namespace {

const std::string kFile = "f";

// The input in a block of exactly its size, so that a sanitizer sees one byte too many.
class Block {
  public:
    explicit Block(std::string_view input) : bytes_(new std::byte[input.size()]), size_(input.size()) {
        if (!input.empty()) std::memcpy(bytes_.get(), input.data(), input.size());
    }
    Bytes bytes() const { return {bytes_.get(), size_}; }

  private:
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t size_;
};

// First and last element in memory: with sizes ≥ 1 and strides ≥ 0 no other lies outside of them.
void touch(const TensorView& view) {
    std::int64_t last = 0;
    for (std::size_t i = 0; i < view.shape.size(); ++i) {
        if (view.shape[i] == 0) return;
        last += (view.shape[i] - 1) * view.strides[i];
    }
    const auto size = static_cast<std::int64_t>(item_size(view.dtype));
    volatile int sum = 0;
    for (std::int64_t byte = 0; byte < size; ++byte) {
        sum = sum + static_cast<int>(view.data[byte]) + static_cast<int>(view.data[last * size + byte]);
    }
}

void use(const TensorTable& table) {
    for (const TensorTable::Entry& entry : table.entries()) {
        require(!entry.name.empty() || entry.shape.size() < 65, "absurd entry");
        if (entry.view) touch(*entry.view);
    }
    reads_or_explains(kFile, [&] {
        const ModelConfig config = ModelConfig::from_checkpoint(table, nullptr, "", {});
        config.validate();
        require(config.parameter_count() > 0, "a model without parameters");
    });
}

void read_with(std::string_view input, TensorTable (*read)(Bytes, const std::string&)) {
    const Block block(input);
    // The single readers name tensor and field; read_checkpoint adds the file.
    reads_or_explains("", [&] { use(read(block.bytes(), kFile)); });
    reads_or_explains(kFile, [&] { use(read_checkpoint(block.bytes(), kFile)); });
}

}  // namespace

void torch_zip(std::string_view input) {
    read_with(input, read_torch_zip);
}

void torch_legacy(std::string_view input) {
    read_with(input, read_torch_legacy);
}

void safetensors(std::string_view input) {
    read_with(input, read_safetensors);
}

void pickle(std::string_view input) {
    const Block block(input);
    for (const AllowGlobal allow : {AllowGlobal([](std::string_view) { return true; }),
                                    AllowGlobal([](std::string_view) { return false; })}) {
        reads_or_explains("", [&] {
            std::uint64_t position = 0;
            const PickleTree tree = read_pickle(block.bytes(), position, allow);
            require(position <= input.size(), "read past the end");
            require(tree.root() < tree.size(), "the root is no value");
            for (PickleTree::Ref ref = 0; ref < tree.size(); ++ref) {
                for (const PickleTree::Ref item : tree.items(ref)) require(item < tree.size(), "no value");
                require(tree.callee(ref).size() <= input.size() + 1, "a name from nowhere");
            }
        });
    }
}

}  // namespace mm::fuzz
