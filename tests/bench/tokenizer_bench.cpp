// Speed of the tokenizer on the demo's documents: reading tokenizer.json, text to ids, ids to text.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

#include "core/lab/documents.hpp"
#include "native/loading/demo.hpp"
#include "native/loading/tokenizer_search.hpp"

namespace mm {
namespace {

std::vector<std::string> documents() {
    const Bytes jsonl = demo_files().documents;
    return read_documents({reinterpret_cast<const char*>(jsonl.data()), jsonl.size()}, "demo", 1000);
}

void bench_read(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(demo_tokenizer());
}

void bench_encode(benchmark::State& state) {
    const Tokenizer tokenizer = demo_tokenizer();
    const std::vector<std::string> texts = documents();
    std::int64_t bytes = 0;
    for (const std::string& text : texts) {
        bytes += static_cast<std::int64_t>(text.size());
        if (tokenizer.decode(tokenizer.encode(text, false), false) != text) {
            std::fprintf(stderr, "encode: a text does not come back\n");
            std::exit(1);
        }
    }
    for (auto _ : state) {
        for (const std::string& text : texts) benchmark::DoNotOptimize(tokenizer.encode(text, false));
    }
    state.SetBytesProcessed(state.iterations() * bytes);
}

void bench_decode(benchmark::State& state) {
    const Tokenizer tokenizer = demo_tokenizer();
    std::vector<std::vector<TokenId>> texts;
    std::int64_t count = 0;
    for (const std::string& text : documents()) {
        texts.push_back(tokenizer.encode(text, false));
        count += static_cast<std::int64_t>(texts.back().size());
        if (tokenizer.decode(texts.back(), false) != text) {
            std::fprintf(stderr, "decode: a text does not come back\n");
            std::exit(1);
        }
    }
    for (auto _ : state) {
        for (const auto& ids : texts) benchmark::DoNotOptimize(tokenizer.decode(ids, false));
    }
    state.SetItemsProcessed(state.iterations() * count);
}

BENCHMARK(bench_read)->Name("read_tokenizer_json")->Unit(benchmark::kMillisecond);
BENCHMARK(bench_encode)->Name("encode")->Unit(benchmark::kMillisecond);
BENCHMARK(bench_decode)->Name("decode")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mm

BENCHMARK_MAIN();
