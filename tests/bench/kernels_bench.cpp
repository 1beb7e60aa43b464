// Speed of the tensor kernels, with the machine's limits measured by the same program in the same run.
//
// Counters: FLOP/s counts a multiply and an add as two; bytes/s counts the weights (or keys and values) read.
// Every benchmark compares its kernel's result with plain loops before it times it.
// Names: products/size/type/rows/instruction set/threads and so on.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/attention.hpp"
#include "core/tensor/instruction_set.hpp"
#include "core/tensor/linear.hpp"
#include "core/tensor/ops.hpp"
#include "tests/tensor/reference.hpp"

namespace mm {
namespace {

using benchmark::Counter;
using reference::Lcg;

void require(bool equal, const std::string& what) {
    if (equal) return;
    std::fprintf(stderr, "%s: the result differs from the reference\n", what.c_str());
    std::exit(1);
}

void count(benchmark::State& state, double flops, double bytes) {
    if (flops > 0) state.counters["FLOP/s"] = Counter(flops, Counter::kIsIterationInvariantRate);
    if (bytes > 0) state.counters["bytes/s"] = Counter(bytes, Counter::kIsIterationInvariantRate);
}

struct Shape {
    std::size_t n, k;
};

// The products of one decoded token, all layers, as the two sizes of the performance goals have them.
std::vector<Shape> products(bool large) {
    const std::size_t d = large ? 768 : 128, f = large ? 2432 : 448, v = large ? 6400 : 2048;
    const std::size_t layers = large ? 8 : 4, q = d, kv = d / 2;
    std::vector<Shape> shapes;
    for (std::size_t l = 0; l < layers; ++l) {
        for (const Shape s :
             {Shape{q, d}, Shape{kv, d}, Shape{kv, d}, Shape{d, q}, Shape{f, d}, Shape{f, d}, Shape{d, f}}) {
            shapes.push_back(s);
        }
    }
    shapes.push_back({v, d});
    return shapes;
}

struct Products {
    ThreadPool pool;
    std::vector<PackedMatrix> weights;
    double macs = 0, bytes = 0;
    std::vector<float> x, y;
    std::size_t rows;

    Products(bool large, DType dtype, std::size_t rows_, int threads) : pool(threads), rows(rows_) {
        Lcg random(1);
        std::size_t widest_in = 0, widest_out = 0;
        std::vector<reference::Weight> kinds;
        for (const Shape& s : products(large)) {
            const reference::Weight* kind = nullptr;
            for (const auto& w : kinds) {
                if (w.view.shape[0] == static_cast<std::int64_t>(s.n) &&
                    w.view.shape[1] == static_cast<std::int64_t>(s.k))
                    kind = &w;
            }
            if (kind == nullptr) {
                kinds.reserve(8);
                kinds.emplace_back(dtype, s.n, s.k, random, reference::Halves::trained);
                kind = &kinds.back();
            }
            weights.push_back(PackedMatrix::pack(kind->view, pool));
            macs += static_cast<double>(s.n * s.k * rows);
            bytes += static_cast<double>(weights.back().bytes());
            widest_in = std::max(widest_in, s.k);
            widest_out = std::max(widest_out, s.n);
        }
        x = random.floats(rows * widest_in);
        y.resize(rows * widest_out);
        const reference::Weight& w = kinds.front();
        const auto n = static_cast<std::size_t>(w.view.shape[0]),
                   k = static_cast<std::size_t>(w.view.shape[1]);
        linear(x.data(), rows, k, weights.front(), y.data(), n, pool);
        const std::vector<float> expected = reference::linear(x, w.floats, rows, n, k);
        require(std::equal(expected.begin(), expected.end(), y.begin()), "linear");
    }
};

void bench_products(benchmark::State& state, bool large, DType dtype, std::size_t rows, InstructionSet set,
                    int threads) {
    set_instruction_set(set);
    Products p(large, dtype, rows, threads);
    for (auto _ : state) {
        for (const PackedMatrix& w : p.weights) {
            linear(p.x.data(), rows, w.inputs(), w, p.y.data(), w.outputs(), p.pool);
        }
        benchmark::ClobberMemory();
    }
    count(state, 2 * p.macs, rows == 1 ? p.bytes : 0);
}

struct Cache {
    std::vector<float> keys, values, tiles;
    std::vector<const float*> k_tiles, v_tiles;
    float* base;

    Cache(std::size_t length, std::size_t k, Lcg& random)
        : keys(random.floats(length * k, 2)), values(random.floats(length * k)) {
        const std::size_t count = (length + kTile - 1) / kTile;
        tiles.resize(count * 2 * kTile * k + 16);
        base = tiles.data() + (64 - reinterpret_cast<std::uintptr_t>(tiles.data()) % 64) % 64 / 4;
        for (std::size_t t = 0; t < count; ++t) {
            float* kt = base + t * 2 * kTile * k;
            float* vt = kt + kTile * k;
            k_tiles.push_back(kt);
            v_tiles.push_back(vt);
            for (std::size_t j = 0; j < kTile && t * kTile + j < length; ++j) {
                for (std::size_t i = 0; i < k; ++i) {
                    kt[i * kTile + j] = keys[(t * kTile + j) * k + i];
                    vt[j * k + i] = values[(t * kTile + j) * k + i];
                }
            }
        }
    }
};

// `rows` queries of one KV head over `length` keys; a prefill: the last `rows / heads` positions, causal.
void bench_attention(benchmark::State& state, std::size_t head_dim, std::size_t heads, std::size_t tokens,
                     std::size_t length, InstructionSet set) {
    set_instruction_set(set);
    Lcg random(2);
    const Cache cache(length, head_dim, random);
    const std::size_t rows = heads * tokens;
    const std::vector<float> q = random.floats(rows * head_dim);
    std::vector<std::size_t> lengths(rows);
    double visited = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        lengths[r] = length - tokens + 1 + r / heads;
        visited += static_cast<double>(lengths[r]);
    }
    std::vector<float> scores(rows * (length + 16)), out(rows * head_dim);
    const auto run = [&] {
        attend_rows(q.data(), head_dim, rows, head_dim, {cache.k_tiles.data(), 0}, {cache.v_tiles.data(), 0},
                    lengths.data(), scores.data(), out.data(), head_dim);
    };
    run();
    for (const std::size_t r : {std::size_t{0}, rows - 1}) {
        const std::vector<float> expected =
            reference::attend(&q[r * head_dim], head_dim, cache.keys, cache.values, lengths[r]);
        require(std::equal(expected.begin(), expected.end(), &out[r * head_dim]), "attend_rows");
    }
    for (auto _ : state) {
        run();
        benchmark::ClobberMemory();
    }
    count(state, visited * static_cast<double>(head_dim) * 4,
          tokens == 1 ? static_cast<double>(length * head_dim * 8) : 0);
}

void bench_row(benchmark::State& state, const std::string& name, std::size_t n, InstructionSet set) {
    set_instruction_set(set);
    Lcg random(3);
    const std::vector<float> x = random.floats(n, 8), weight = random.floats(n);
    std::vector<float> out(n);
    std::vector<float> expected;
    std::function<void()> run;
    if (name == "rms_norm") {
        run = [&] { rms_norm(x.data(), weight.data(), 1e-6f, n, out.data()); };
        expected = reference::rms_norm(x, weight, 1e-6f);
    } else if (name == "softmax") {
        run = [&] { softmax(x.data(), n, out.data()); };
        expected = reference::softmax(x);
    } else {
        run = [&] {
            std::copy(x.begin(), x.end(), out.begin());
            silu_multiply(out.data(), weight.data(), n);
        };
        expected = reference::silu_multiply(x, weight);
    }
    run();
    require(expected == out, name);
    for (auto _ : state) {
        run();
        benchmark::ClobberMemory();
    }
    state.counters["elements/s"] = Counter(static_cast<double>(n), Counter::kIsIterationInvariantRate);
}

// 128 MB of float16, as a checkpoint's views come.
void bench_pack(benchmark::State& state, DType dtype, int threads) {
    Lcg random(4);
    ThreadPool pool(threads);
    const std::size_t n = 2432, k = 768;
    const reference::Weight weight(dtype, n, k, random);
    for (auto _ : state) {
        const PackedMatrix packed = PackedMatrix::pack(weight.view, pool);
        benchmark::DoNotOptimize(packed.panel(0));
    }
    count(state, 0, static_cast<double>(weight.bytes.size()));
}

// Limits of the machine: one stream a thread through `bytes` of memory, and an empty job of the pool.
void bench_read(benchmark::State& state, std::size_t bytes, int threads) {
    ThreadPool pool(threads);
    std::vector<std::uint64_t> memory(bytes / 8, 1);
    std::vector<std::uint64_t> sums(64 * 8);
    const std::size_t part = memory.size() / 8;
    const auto run = [&] {
        pool.run(8, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t p = begin; p < end; ++p) {
                std::uint64_t sum[8] = {};
                for (std::size_t i = p * part; i < (p + 1) * part; i += 8) {
                    for (std::size_t j = 0; j < 8; ++j) sum[j] += memory[i + j];
                }
                sums[p * 64] = sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
            }
        });
    };
    run();
    std::uint64_t total = 0;
    for (std::size_t p = 0; p < 8; ++p) total += sums[p * 64];
    require(total == part * 8, "read");
    for (auto _ : state) {
        run();
        benchmark::ClobberMemory();
    }
    count(state, 0, static_cast<double>(bytes));
}

void bench_barrier(benchmark::State& state, int threads) {
    ThreadPool pool(threads);
    for (auto _ : state) {
        pool.run(static_cast<std::size_t>(threads), 1, [](std::size_t, std::size_t) {});
    }
}

// "part/part/…"
std::string path(std::initializer_list<std::string_view> parts) {
    std::string out;
    for (const std::string_view part : parts) {
        if (!out.empty()) out.push_back('/');
        out.append(part);
    }
    return out;
}

template <typename... Arguments>
void add(std::initializer_list<std::string_view> parts, Arguments... arguments) {
    benchmark::RegisterBenchmark(path(parts).c_str(), arguments...)->UseRealTime();
}

constexpr DType kTypes[] = {DType::f32, DType::f16, DType::bf16};

void register_all() {
    for (const int threads : {1, 2}) {
        const std::string t = std::to_string(threads);
        add({"read_256MB", t}, bench_read, std::size_t{256} << 20, threads);
        add({"read_4MB", t}, bench_read, std::size_t{4} << 20, threads);
        add({"barrier", t}, bench_barrier, threads);
        for (const DType dtype : kTypes) add({"pack", to_string(dtype), t}, bench_pack, dtype, threads);
    }
    for (const InstructionSet set : available_instruction_sets()) {
        const std::string_view by = to_string(set);
        for (const int threads : {1, 2}) {
            for (const bool large : {false, true}) {
                for (const DType dtype : kTypes) {
                    for (const std::size_t rows : {1u, 30u, 201u}) {
                        add({"products", large ? "L" : "S", to_string(dtype), std::to_string(rows), by,
                             std::to_string(threads)},
                            bench_products, large, dtype, rows, set, threads);
                    }
                }
            }
        }
        struct Case {
            const char* name;
            std::size_t head_dim, heads, tokens, length;
        };
        for (const Case& c : {Case{"head_12", 12, 2, 1, 264}, Case{"S_decode", 32, 2, 1, 264},
                              Case{"L_decode", 96, 2, 1, 264}, Case{"L_decode_8192", 96, 2, 1, 8192},
                              Case{"S_prefill", 32, 2, 201, 201}, Case{"L_prefill", 96, 2, 201, 201},
                              Case{"L_prefill_8192", 96, 2, 64, 8192}}) {
            add({"attention", c.name, by}, bench_attention, c.head_dim, c.heads, c.tokens, c.length, set);
        }
        add({"rms_norm", "768", by}, bench_row, "rms_norm", std::size_t{768}, set);
        add({"softmax", "6400", by}, bench_row, "softmax", std::size_t{6400}, set);
        add({"silu_multiply", "2432", by}, bench_row, "silu_multiply", std::size_t{2432}, set);
    }
}

}  // namespace
}  // namespace mm

int main(int argc, char** argv) {
    mm::register_all();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
