// Tensors that lie in their storage in any way PyTorch allows (transposed, with gaps, expanded, at an offset,
// several over one storage) have the values of their contiguous copies.
#include <random>

#include "tests/checkpoint/forge.hpp"
#include "tests/checkpoint/support.hpp"

namespace mm {
namespace {

using namespace forge;

struct Type {
    const char* storage;
    DType dtype;
};
constexpr Type kTypes[] = {{"FloatStorage", DType::f32},     {"HalfStorage", DType::f16},
                           {"BFloat16Storage", DType::bf16}, {"DoubleStorage", DType::f64},
                           {"LongStorage", DType::i64},      {"IntStorage", DType::i32},
                           {"ShortStorage", DType::i16},     {"CharStorage", DType::i8},
                           {"ByteStorage", DType::u8},       {"BoolStorage", DType::boolean}};

class Layouts {
  public:
    explicit Layouts(unsigned seed) : random_(seed) {}

    std::int64_t pick(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
    }

    /// Sizes of 1 to 4 dimensions, strides in any order, some of them 0 (torch.Tensor.expand) or with gaps.
    Tensor tensor() {
        Tensor t;
        t.size.clear();
        t.stride.clear();
        for (std::int64_t d = pick(1, 4); d > 0; --d) t.size.push_back(pick(1, 5));
        t.stride.assign(t.size.size(), 0);
        std::vector<std::size_t> order(t.size.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::shuffle(order.begin(), order.end(), random_);
        std::int64_t step = pick(1, 2);
        std::int64_t last = 0;
        for (const std::size_t d : order) {
            if (pick(0, 5) == 0) continue;  // expanded
            t.stride[d] = step;
            last += (t.size[d] - 1) * step;
            step = step * t.size[d] + pick(0, 1);
        }
        t.offset = pick(0, 7);
        t.numel = t.offset + last + 1 + pick(0, 3);
        return t;
    }

    std::string bytes(std::size_t count) {
        std::string out(count, '\0');
        for (char& c : out) c = static_cast<char>(pick(0, 255));
        return out;
    }

  private:
    std::mt19937 random_;
};

/// The elements in row-major order, each with the bytes of its type.
std::string contiguous(const Tensor& t, const std::string& storage, std::size_t item) {
    std::string out;
    std::vector<std::int64_t> index(t.size.size(), 0);
    for (;;) {
        std::int64_t at = t.offset;
        for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * t.stride[d];
        out += storage.substr(static_cast<std::size_t>(at) * item, item);
        std::size_t d = index.size();
        while (d > 0 && ++index[d - 1] == t.size[d - 1]) index[--d] = 0;
        if (d == 0) return out;
    }
}

Tensor plain(const Tensor& t, const std::string& bytes, std::size_t item, const std::string& key) {
    Tensor out = t;
    out.key = key;
    out.offset = 0;
    out.numel = static_cast<std::int64_t>(bytes.size() / item);
    for (std::size_t d = t.size.size(), step = 1; d-- > 0; step *= static_cast<std::size_t>(t.size[d])) {
        out.stride[d] = static_cast<std::int64_t>(step);
    }
    return out;
}

/// A checkpoint in either container; the legacy one has each storage's length before it.
std::string container(bool legacy, const std::string& object, const std::vector<std::string>& storages,
                      std::size_t item) {
    if (!legacy) return torch_zip(object, storages);
    std::vector<std::string> keys;
    std::string data;
    for (std::size_t i = 0; i < storages.size(); ++i) {
        keys.push_back(text(std::to_string(i)));
        data += little(storages[i].size() / item, 8) + storages[i];
    }
    return torch_legacy(object, list(keys), data);
}

TEST(Strided, ValuesAreThoseOfTheContiguousCopy) {
    std::size_t compared = 0;
    for (unsigned seed = 0; seed < 1000; ++seed) {
        Layouts layouts(seed);
        const Type type = kTypes[layouts.pick(0, std::size(kTypes) - 1)];
        const std::size_t item = item_size(type.dtype);
        // Two tensors of one storage, and a copy of each.
        Tensor a = layouts.tensor(), b = layouts.tensor();
        a.storage_class = b.storage_class = type.storage;
        a.numel = b.numel = std::max(a.numel, b.numel);
        const std::string storage = layouts.bytes(static_cast<std::size_t>(a.numel) * item);
        const std::string copy_a = contiguous(a, storage, item), copy_b = contiguous(b, storage, item);
        const std::string object = dict({text("a"), rebuild(a), text("b"), rebuild(b), text("copy a"),
                                         rebuild(plain(a, copy_a, item, "1")), text("copy b"),
                                         rebuild(plain(b, copy_b, item, "2"))});
        for (const bool legacy : {false, true}) {
            const test::Loaded loaded(container(legacy, object, {storage, copy_a, copy_b}, item));
            for (const std::string name : {"a", "b"}) {
                const TensorTable::Entry& found = *loaded.table().entry(name);
                const TensorTable::Entry& copy = *loaded.table().entry("copy " + name);
                EXPECT_EQ(found.dtype, to_string(type.dtype));
                EXPECT_EQ(found.shape, copy.shape);
                const std::vector<double> values = test::elements(*found.view);
                const std::vector<double> right = test::elements(*copy.view);
                ASSERT_EQ(values.size(), right.size());
                for (std::size_t i = 0; i < values.size(); ++i) {
                    ASSERT_TRUE(values[i] == right[i] || (values[i] != values[i] && right[i] != right[i]))
                        << "seed " << seed << " " << name << " " << i;
                    ++compared;
                }
            }
        }
    }
    EXPECT_GT(compared, 50'000U);
}

}  // namespace
}  // namespace mm
