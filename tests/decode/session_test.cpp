// Session and generate: counting, stopping, padding, errors, memory.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>

#include "core/decode/generate.hpp"
#include "tests/model/golden_case.hpp"
#include "tests/model/synthetic_model.hpp"

namespace {
std::atomic<std::int64_t> allocations{0};

void* allocate(std::size_t size, std::size_t align) {
    ++allocations;
    void* memory = align == 0 ? std::malloc(size == 0 ? 1 : size)
                              : std::aligned_alloc(align, (size + align - 1) / align * align);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
}  // namespace

// Every allocation of this program is counted, from whichever thread.
void* operator new(std::size_t size) {
    return allocate(size, 0);
}
void* operator new(std::size_t size, std::align_val_t align) {
    return allocate(size, static_cast<std::size_t>(align));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace mm {
namespace {

using test::SyntheticCheckpoint;

ModelConfig config_of(bool moe = false) {
    ModelConfig c;
    c.vocab_size = 57;
    c.hidden_size = 20;
    c.num_hidden_layers = 2;
    c.num_attention_heads = 4;
    c.num_key_value_heads = 2;
    c.head_dim = 10;
    c.intermediate_size = 18;
    c.max_position_embeddings = 300;
    c.use_moe = moe;
    if (moe) {
        c.num_experts = 3;
        c.num_experts_per_tok = 2;
    }
    return c;
}

class SessionTest : public testing::Test {
  protected:
    static Model load(const ModelConfig& config, int threads = 1) {
        return Model(SyntheticCheckpoint(config, 21).table(), config, std::make_shared<ThreadPool>(threads));
    }
    const Model model = load(config_of());
    const std::vector<TokenId> prompt = {1, 5, 9, 13, 17};
};

GenerateOptions sampling(std::int64_t rows, std::int64_t tokens, bool use_cache = true) {
    GenerateOptions options;
    options.max_new_tokens = tokens;
    options.num_return_sequences = rows;
    options.sampling = {.temperature = 1.2, .top_k = 0, .top_p = 0.95};
    options.eos_token_id.reset();
    options.use_cache = use_cache;
    return options;
}

TEST_F(SessionTest, TheCacheChangesNeitherIdsNorTheRandomStream) {
    for (const bool moe : {false, true}) {
        const Model one = load(config_of(moe));
        const Model two = load(config_of(moe), 2);
        for (const std::int64_t rows : {1, 7}) {
            const GenerateResult cached = generate(one, prompt, sampling(rows, 40));
            const GenerateResult uncached = generate(two, prompt, sampling(rows, 40, false));
            EXPECT_EQ(cached.rows, uncached.rows);
            EXPECT_EQ(cached.rng_u32_consumed, uncached.rng_u32_consumed);
            EXPECT_EQ(cached.rng_u32_consumed, 2U * static_cast<std::uint64_t>(rows) * 57 * 40);
            const auto b = static_cast<std::uint64_t>(rows);
            EXPECT_EQ(cached.tokens_fed, b * (5 + 39));
            EXPECT_EQ(uncached.tokens_fed, b * (40 * 5 + 40 * 39 / 2));
            EXPECT_EQ(uncached.kv_bytes, 0U);
            EXPECT_EQ(uncached.k_shape, (std::array<std::int64_t, 4>{}));
            EXPECT_EQ(cached.k_shape, (std::array<std::int64_t, 4>{rows, 44, 2, 10}));
        }
    }
}

TEST_F(SessionTest, LogitsOfEveryStepAreTheSameBitsWithAndWithoutCache) {
    Session cached(model, prompt, sampling(3, 30));
    Session uncached(model, prompt, sampling(3, 30, false));
    while (!cached.done()) {
        const StepRecord& a = cached.step();
        const StepRecord& b = uncached.step();
        ASSERT_EQ(a.logits.size(), 3U * 57);
        ASSERT_TRUE(test::same_bits(a.logits.data(), b.logits.data(), a.logits.size())) << a.step;
    }
    EXPECT_TRUE(uncached.done());
}

TEST_F(SessionTest, RecordsSayWhatAStepDid) {
    Session session(model, prompt, sampling(4, 3));
    EXPECT_FALSE(session.done());
    std::uint64_t total = 0;
    for (std::int64_t step = 1; step <= 3; ++step) {
        const StepRecord& record = session.step();
        EXPECT_EQ(record.step, step);
        EXPECT_EQ(record.tokens.size(), 4U);
        EXPECT_EQ(record.fed, step == 1 ? 20U : 4U);
        total += record.fed;
        EXPECT_EQ(record.fed_total, total);
        const auto own = static_cast<std::uint64_t>(step - 1);
        EXPECT_GE(record.cache_bytes, model.config().kv_bytes(5 + 4 * own)) << "a shared prompt counts once";
        EXPECT_LE(record.cache_bytes, model.config().kv_bytes(4 * (5 + own)));
        EXPECT_GE(record.cache_bytes_reserved, record.cache_bytes);
        EXPECT_EQ(record.finished, step == 3);
        const GenerateResult so_far = session.result();
        EXPECT_EQ(so_far.steps, step);
        for (std::size_t r = 0; r < 4; ++r) EXPECT_EQ(so_far.rows[r].back(), record.tokens[r]);
    }
    EXPECT_TRUE(session.done());
    EXPECT_THROW(session.step(), Error);
    ASSERT_EQ(session.caches().size(), 4U);
    for (const KvCache& cache : session.caches()) {
        EXPECT_EQ(cache.length(), 7U) << "the last token is never fed";
    }
    EXPECT_TRUE(Session(model, prompt, sampling(1, 3, false)).caches().empty());
}

TEST_F(SessionTest, FinishedRowsArePaddedAndTheLoopStopsWithTheLast) {
    GenerateOptions options = sampling(6, 100);
    options.sampling.temperature = 4;  // every row meets many ids
    const GenerateResult free = generate(model, prompt, options);
    const auto in_every_row = [&](TokenId id) {
        return std::all_of(free.rows.begin(), free.rows.end(), [id](const auto& row) {
            return std::find(row.begin(), row.end() - 1, id) != row.end() - 1;
        });
    };
    TokenId eos = 0;
    while (eos < 57 && !in_every_row(eos)) ++eos;
    ASSERT_LT(eos, 57);
    options.eos_token_id = eos;
    const GenerateResult result = generate(model, prompt, options);
    std::size_t longest = 0;
    for (std::size_t r = 0; r < 6; ++r) {
        const auto& row = result.rows[r];
        ASSERT_EQ(row.size(), static_cast<std::size_t>(result.steps));
        const auto end = std::find(row.begin(), row.end(), eos);
        const auto length = static_cast<std::size_t>(end - row.begin()) + (end != row.end() ? 1 : 0);
        longest = std::max(longest, length);
        for (auto at = end; at != row.end(); ++at) EXPECT_EQ(*at, eos);
        // A row goes its own way until its eos: other rows finishing does not disturb it.
        EXPECT_TRUE(
            std::equal(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(length), free.rows[r].begin()))
            << r;
    }
    EXPECT_EQ(longest, static_cast<std::size_t>(result.steps));
    EXPECT_LT(result.steps, 100);
    EXPECT_EQ(result.rng_u32_consumed, 2U * 6 * 57 * static_cast<std::uint64_t>(result.steps))
        << "finished rows go on drawing";
    options.use_cache = false;
    EXPECT_EQ(generate(model, prompt, options).rows, result.rows);
}

TEST_F(SessionTest, APromptEndingInEosIsNotFinished) {
    GenerateOptions options = GenerateOptions::lab_greedy(3, true);
    options.eos_token_id = prompt.back();
    EXPECT_GE(generate(model, prompt, options).steps, 1);
}

TEST_F(SessionTest, NothingToGenerate) {
    const GenerateResult result = generate(model, prompt, sampling(2, 0));
    EXPECT_EQ(result.steps, 0);
    EXPECT_EQ(result.rows, (std::vector<std::vector<TokenId>>(2)));
    EXPECT_EQ(result.tokens_fed, 0U);
    EXPECT_EQ(result.kv_bytes, 0U);
}

TEST_F(SessionTest, TemperatureZeroIsGreedyAndDrawsNothing) {
    GenerateOptions options = sampling(2, 10);
    options.sampling.temperature = 0;
    const GenerateResult result = generate(model, prompt, options);
    EXPECT_EQ(result.rng_u32_consumed, 0U);
    EXPECT_EQ(result.rows[0], result.rows[1]);
    EXPECT_EQ(result.rows[0], generate(model, prompt, GenerateOptions::lab_greedy(10, true)).rows[0]);
}

TEST_F(SessionTest, SeedsOf64Bits) {
    GenerateOptions options = sampling(1, 20);
    const auto with = [&](std::uint64_t seed) {
        options.seed = seed;
        return generate(model, prompt, options).rows;
    };
    EXPECT_EQ(with(5), with(5 + (std::uint64_t{1} << 32))) << "PyTorch's engine takes the low 32 bits";
    EXPECT_NE(with(5), with(6));
}

TEST_F(SessionTest, WrongOptionsAreNamed) {
    const auto field = [this](const std::function<void(GenerateOptions&)>& change, std::vector<TokenId> ids) {
        GenerateOptions options = sampling(1, 5);
        change(options);
        try {
            generate(model, ids, options);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::range) << error.what();
            return error.context().field;
        }
        return std::string("none");
    };
    EXPECT_EQ(field([](auto&) {}, prompt), "none");
    EXPECT_EQ(field([](auto&) {}, {}), "prompt");
    EXPECT_EQ(field([](auto&) {}, {1, 57}), "ids");
    EXPECT_EQ(field([](auto& o) { o.max_new_tokens = -1; }, prompt), "max_new_tokens");
    EXPECT_EQ(field([](auto& o) { o.num_return_sequences = 0; }, prompt), "num_return_sequences");
    EXPECT_EQ(field([](auto& o) { o.num_return_sequences = INT64_MAX; }, prompt), "num_return_sequences");
    EXPECT_EQ(field([](auto& o) { o.sampling.top_k = 58; }, prompt), "top_k");
    EXPECT_EQ(field([](auto& o) { o.max_new_tokens = 296; }, prompt), "none")
        << "the last token needs no position";
    EXPECT_EQ(field([](auto& o) { o.max_new_tokens = 297; }, prompt), "max_position_embeddings");
    EXPECT_EQ(field([](auto& o) { o.max_new_tokens = INT64_MAX; }, prompt), "max_position_embeddings");
    EXPECT_EQ(field([](auto&) {}, std::vector<TokenId>(301, 1)), "max_position_embeddings");
}

TEST_F(SessionTest, ACallbackCanStopTheRun) {
    int steps = 0;
    try {
        generate(model, prompt, sampling(1, 50), [&](const StepRecord& record) {
            steps = static_cast<int>(record.step);
            return record.step < 4;
        });
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::cancelled);
    }
    EXPECT_EQ(steps, 4);
}

TEST_F(SessionTest, DecodingAllocatesNothingButABufferARowEverySixteenTokens) {
    for (const bool moe : {false, true}) {
        for (const int threads : {1, 2}) {
            const Model other = load(config_of(moe), threads);
            // A first run shows the model's rotary table these positions; they stay for all sessions.
            generate(other, prompt, sampling(1, 200));
            for (const bool greedy : {false, true}) {
                for (const std::int64_t rows : {1, 30}) {
                    GenerateOptions options = sampling(rows, 200);
                    options.sampling.do_sample = !greedy;
                    options.sampling.top_k = 20;
                    options.sampling.repetition_penalty = 1.1;
                    Session session(other, prompt, options);
                    session.step();
                    session.step();  // the rows part
                    while (!session.done()) {
                        const bool full = session.caches().front().length() % kTile == 0;
                        const std::int64_t before = allocations;
                        session.step();
                        // The buffer's two, and the two lists of buffers when they grow.
                        EXPECT_LE(allocations - before, full ? 4 * rows : 0)
                            << (moe ? "moe, " : "dense, ") << threads << " threads, " << rows << " rows";
                    }
                }
            }
        }
    }
    EXPECT_GT(allocations, 0) << "the counter counts";
}

}  // namespace
}  // namespace mm
