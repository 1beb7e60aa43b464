// Speed of the whole model on made-up weights: prefill, decode, the lab's step 3, 30 samples, loading.
//
// Every benchmark compares results before it times: cached with uncached tokens, one type of weights with the
// other, bytes of the cache with the formula. Names: what/size/type/threads. `--benchmark_filter=decode_at`
// is the cost of a token against the length of its context. Read minimums of several repetitions; limits are
// kernels_bench's and `mm-native bench`'s.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "core/decode/generate.hpp"
#include "native/bench/bench.hpp"
#include "native/bench/made_up_model.hpp"
#include "native/bench/work.hpp"

namespace mm {
namespace {

void require(bool right, const std::string& what) {
    if (right) return;
    std::fprintf(stderr, "%s: results differ\n", what.c_str());
    std::exit(1);
}

// A model whose results are right.
struct Checked {
    std::unique_ptr<Model> model;
    std::vector<TokenId> ids;  // what it generates: the same for a size, whatever the type and the threads
};

// One model at a time: the large one takes 256 MB. Checked once, when it is made.
const Checked& checked_model(std::size_t size, DType dtype, int threads) {
    static std::tuple<std::size_t, DType, int> held;
    static std::map<std::size_t, std::vector<TokenId>> known;
    static Checked checked;
    if (checked.model && held == std::tuple{size, dtype, threads}) return checked;
    checked.model.reset();
    const MadeUpCheckpoint checkpoint(named_sizes()[size].config, dtype);
    checked.model = std::make_unique<Model>(checkpoint.table(), named_sizes()[size].config,
                                            std::make_shared<ThreadPool>(threads));
    held = {size, dtype, threads};
    checked.ids = time_cached(*checked.model, work_clock(1)).ids;
    require(known.try_emplace(size, checked.ids).first->second == checked.ids, "generate");
    time_uncached(*checked.model, checked.ids, 2, work_clock(1));  // throws where a token differs
    return checked;
}

void bench_prefill(benchmark::State& state, std::size_t size, DType dtype, int threads) {
    const Model& model = *checked_model(size, dtype, threads).model;
    const std::vector<TokenId> ids(kBenchPrompt, 1);
    KvCache cache(model.config());
    Workspace workspace;
    Matrix logits;
    for (auto _ : state) {
        cache.rewind(0);
        model.forward({ids}, cache, LogitsFor::last, logits, workspace);
    }
    state.SetItemsProcessed(state.iterations() * kBenchPrompt);
}

void bench_decode(benchmark::State& state, std::size_t size, DType dtype, int threads, std::int64_t depth) {
    const Model& model = *checked_model(size, dtype, threads).model;
    DepthProbe probe(model, depth);
    const std::uint64_t cache_bytes = probe.time(work_clock(threads)).cache_bytes;
    require(cache_bytes == model.config().kv_bytes(depth), "cache bytes at " + std::to_string(depth));
    for (auto _ : state) probe.time(work_clock(threads));
    state.counters["cache bytes"] = static_cast<double>(cache_bytes);
    state.SetItemsProcessed(state.iterations() * kBenchSteps);
    state.counters["bytes/s"] = benchmark::Counter(static_cast<double>(model.weight_bytes()) * kBenchSteps,
                                                   benchmark::Counter::kIsIterationInvariantRate);
}

void bench_generate(benchmark::State& state, std::size_t size, DType dtype, int threads, bool cached) {
    const auto& [held, ids] = checked_model(size, dtype, threads);
    const Model& model = *held;
    for (auto _ : state) {
        if (cached) {
            require(time_cached(model, work_clock(threads)).ids == ids, "generate");
        } else {
            time_uncached(model, ids, kBenchTokens, work_clock(threads));
        }
    }
}

void bench_samples(benchmark::State& state, std::size_t size, DType dtype, int threads) {
    const Model& model = *checked_model(size, dtype, threads).model;
    const std::vector<TokenId> prompt = {1, 5, 9, 2};
    GenerateOptions greedy = GenerateOptions::lab_greedy(24, true);
    const std::vector<TokenId> alone = generate(model, prompt, greedy).rows.front();
    greedy.num_return_sequences = 30;
    for (const auto& row : generate(model, prompt, greedy).rows) require(row == alone, "a batch of 30");
    for (auto _ : state) time_samples(model, work_clock(threads));
    state.SetItemsProcessed(state.iterations() * 30 * 24);
}

void bench_load(benchmark::State& state, std::size_t size, DType dtype, int threads) {
    checked_model(size, dtype, threads);
    const ModelConfig& config = named_sizes()[size].config;
    const MadeUpCheckpoint checkpoint(config, dtype);
    const auto pool = std::make_shared<ThreadPool>(threads);
    std::uint64_t bytes = 0;
    for (auto _ : state) {
        const Model model(checkpoint.table(), config, pool);
        bytes = model.weight_bytes();
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

template <typename... Arguments>
void add(const std::string& name, Arguments... arguments) {
    benchmark::RegisterBenchmark(name.c_str(), arguments...)
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime()
        ->UseRealTime();
}

void register_all() {
    for (std::size_t size = 0; size < named_sizes().size(); ++size) {
        for (const DType dtype : {DType::f32, DType::f16}) {
            for (const int threads : {1, 2}) {
                const std::string path = "/" + std::string(named_sizes()[size].name) + "/" +
                                         std::string(to_string(dtype)) + "/" + std::to_string(threads);
                add("prefill_201" + path, bench_prefill, size, dtype, threads);
                for (const std::int64_t depth : {64, 128, 256, 512, 1024, 2048, 4096, 8192}) {
                    add("decode_at_" + std::to_string(depth) + path, bench_decode, size, dtype, threads,
                        depth);
                }
                add("generate_64_cached" + path, bench_generate, size, dtype, threads, true);
                add("generate_64_uncached" + path, bench_generate, size, dtype, threads, false);
                add("samples_30x24" + path, bench_samples, size, dtype, threads);
                add("load" + path, bench_load, size, dtype, threads);
            }
        }
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
