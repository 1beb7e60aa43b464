// The promise of the project, with `==` on bits: a position's logits do not depend on the cache, on how
// tokens were split over calls, on other rows of a batch or on threads.
#include <gtest/gtest.h>

#include <random>

#include "tests/model/golden_case.hpp"
#include "tests/model/synthetic_model.hpp"

namespace mm {
namespace {

using test::GoldenCase;

/// Logits of every position, each from a forward of its own over all tokens before it: no cache involved.
Matrix uncached(const Model& model, const std::vector<TokenId>& ids) {
    const auto vocabulary = static_cast<std::size_t>(model.config().vocab_size);
    Matrix all = Matrix::from_shape({ids.size(), vocabulary});
    Workspace workspace;
    Matrix last;
    for (std::size_t t = 0; t < ids.size(); ++t) {
        KvCache cache(model.config());
        model.forward({std::span(ids).first(t + 1)}, cache, LogitsFor::last, last, workspace);
        std::copy_n(last.data(), vocabulary, all.data() + t * vocabulary);
    }
    return all;
}

/// Logits of every position when the tokens come in pieces of the given lengths (repeated as needed).
Matrix in_pieces(const Model& model, const std::vector<TokenId>& ids,
                 const std::vector<std::size_t>& lengths) {
    const auto vocabulary = static_cast<std::size_t>(model.config().vocab_size);
    Matrix all = Matrix::from_shape({ids.size(), vocabulary});
    KvCache cache(model.config());
    Workspace workspace;
    Matrix logits;
    for (std::size_t t = 0, i = 0; t < ids.size(); ++i) {
        const std::size_t count = std::min(lengths[i % lengths.size()], ids.size() - t);
        model.forward({std::span(ids).subspan(t, count)}, cache, LogitsFor::all, logits, workspace);
        std::copy_n(logits.data(), count * vocabulary, all.data() + t * vocabulary);
        t += count;
    }
    return all;
}

/// Rows that share what `cache` holds.
std::vector<KvCache> copies(const KvCache& cache, std::size_t rows) {
    std::vector<KvCache> batch;
    while (batch.size() < rows) batch.push_back(cache.copy());
    return batch;
}

void expect_same_bits(const Matrix& a, const Matrix& b, const char* what) {
    ASSERT_EQ(a.size(), b.size());
    EXPECT_TRUE(test::same_bits(a.data(), b.data(), a.size())) << what;
}

/// Everything above for one model; `reload` makes the model with a number of threads.
template <typename Reload>
void check_promise(const std::vector<TokenId>& ids, Reload reload, std::uint32_t seed) {
    const Model model = reload(1);
    const Matrix reference = uncached(model, ids);
    std::mt19937 random(seed);
    std::vector<std::size_t> pieces(20);
    for (std::size_t& piece : pieces) piece = 1 + random() % 19;
    for (const int threads : {1, 2}) {
        const Model other = reload(threads);
        expect_same_bits(reference, in_pieces(other, ids, {ids.size()}), "one call");
        expect_same_bits(reference, in_pieces(other, ids, {1}), "token by token");
        expect_same_bits(reference, in_pieces(other, ids, pieces), "random pieces");
    }
    expect_same_bits(reference, uncached(reload(2), ids), "two threads without cache");
}

class Bits : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Bits, CacheChunksAndThreadsChangeNothing) {
    const GoldenCase golden(GetParam());
    std::vector<TokenId> ids = test::ids_of(golden.json["prompt"]);
    const std::vector<TokenId> more = test::ids_of(golden.json["greedy"]["cached"]["ids"]);
    ids.insert(ids.end(), more.begin(), more.begin() + 24);
    check_promise(
        ids, [&](int threads) { return golden.model(threads); }, 7);
}

TEST_P(Bits, ARowOfABatchEqualsTheRowAlone) {
    const GoldenCase golden(GetParam());
    const std::vector<TokenId> prompt = test::ids_of(golden.json["prompt"]);
    constexpr std::size_t kRows = 30;
    constexpr std::size_t kSteps = 5;
    const Model one = golden.model(1);
    const auto vocabulary = static_cast<std::size_t>(one.config().vocab_size);
    std::mt19937 random(11);
    std::vector<std::vector<TokenId>> texts(kRows);
    for (auto& text : texts) {
        for (std::size_t s = 0; s < kSteps; ++s) text.push_back(static_cast<TokenId>(random() % vocabulary));
    }
    for (const int threads : {1, 2}) {
        const Model model = golden.model(threads);
        // The shared prompt, then a token a row and step; the last step feeds two at once.
        KvCache first(model.config());
        Workspace workspace;
        Matrix logits;
        model.forward({prompt}, first, LogitsFor::last, logits, workspace);
        ASSERT_EQ(logits.shape(0), 1U);
        std::vector<KvCache> batch = copies(first, kRows);
        std::vector<Matrix> steps;
        for (std::size_t s = 0; s < kSteps; ++s) {
            const std::size_t count = s + 2 == kSteps ? 2 : 1;
            std::vector<TokenId> ids;
            for (const auto& text : texts) {
                ids.insert(ids.end(), text.begin() + static_cast<std::ptrdiff_t>(s),
                           text.begin() + static_cast<std::ptrdiff_t>(s + count));
            }
            model.forward(ids, batch, LogitsFor::last, logits, workspace);
            ASSERT_EQ(logits.shape(0), kRows);
            s += count - 1;
            steps.push_back(logits);
        }
        EXPECT_EQ(workspace.tokens_fed(), prompt.size() + kRows * kSteps);
        for (std::size_t r = 0; r < kRows; ++r) {
            std::vector<TokenId> ids = prompt;
            ids.insert(ids.end(), texts[r].begin(), texts[r].end());
            const Matrix alone = in_pieces(one, ids, {ids.size()});
            for (std::size_t s = 0, i = 0; i < steps.size(); ++i, ++s) {
                if (i + 1 == steps.size()) s = kSteps - 1;
                EXPECT_TRUE(test::same_bits(steps[i].data() + r * vocabulary,
                                            alone.data() + (prompt.size() + s) * vocabulary, vocabulary))
                    << "row " << r << ", step " << s << ", threads " << threads;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, Bits, testing::ValuesIn(test::case_folders()), test::case_name);

// Longer than several runs of the layers (128 tokens) and than several tiles, at dimensions no kernel likes.
TEST(LongBits, RunsOfTheLayersDoNotShow) {
    ModelConfig c;
    c.vocab_size = 257;
    c.hidden_size = 120;
    c.num_hidden_layers = 2;
    c.num_attention_heads = 6;
    c.num_key_value_heads = 2;
    c.head_dim = 20;
    c.intermediate_size = 77;
    const test::SyntheticCheckpoint checkpoint(c, 3);
    std::mt19937 random(4);
    std::vector<TokenId> ids(600);
    for (TokenId& id : ids) id = static_cast<TokenId>(random() % 257);
    const Model model(checkpoint.table(), c, std::make_shared<ThreadPool>(1));
    const Matrix reference = in_pieces(model, ids, {1});
    const Model two(checkpoint.table(), c, std::make_shared<ThreadPool>(2));
    for (const Model* other : {&model, &two}) {
        expect_same_bits(reference, in_pieces(*other, ids, {600}), "one call");
        expect_same_bits(reference, in_pieces(*other, ids, {129, 3, 468}), "three calls");
    }
}

// Tokens whose logits nobody asks for leave the last layer early; the logits asked for, and every later
// token's, are as if they had not. Six heads of 20: a panel of weights holds the last queries and the first
// keys.
TEST(LongBits, WhoseLogitsAreWantedDoesNotShow) {
    ModelConfig dense;
    dense.vocab_size = 97;
    dense.hidden_size = 36;
    dense.num_hidden_layers = 2;
    dense.num_attention_heads = 6;
    dense.num_key_value_heads = 3;
    dense.head_dim = 20;
    dense.intermediate_size = 30;
    ModelConfig experts = dense;
    experts.use_moe = true;
    experts.num_experts = 4;
    experts.num_experts_per_tok = 2;
    std::vector<TokenId> ids(400);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<TokenId>((i * i + 5) % 97);
    for (const ModelConfig& c : {dense, experts}) {
        const test::SyntheticCheckpoint checkpoint(c, 6);
        const Model one(checkpoint.table(), c, std::make_shared<ThreadPool>(1));
        const Matrix reference = in_pieces(one, ids, {1});
        for (const int threads : {1, 2, 3}) {
            const Model model(checkpoint.table(), c, std::make_shared<ThreadPool>(threads));
            for (const std::size_t piece : {2, 17, 127, 129, 257, 399}) {
                KvCache cache(c);
                Workspace workspace;
                Matrix logits;
                std::size_t calls = 0;
                for (std::size_t t = 0; t < ids.size(); ++calls) {
                    constexpr LogitsFor kWanted[] = {LogitsFor::last, LogitsFor::none, LogitsFor::all};
                    const LogitsFor wanted = kWanted[calls % 3];
                    const std::size_t count = std::min(piece, ids.size() - t);
                    model.forward({std::span(ids).subspan(t, count)}, cache, wanted, logits, workspace);
                    t += count;
                    if (wanted == LogitsFor::none) continue;
                    const std::size_t rows = wanted == LogitsFor::all ? count : 1;
                    ASSERT_EQ(logits.shape(0), rows);
                    EXPECT_TRUE(test::same_bits(logits.data(), &reference(t - rows, 0), logits.size()))
                        << "pieces of " << piece << ", up to " << t << ", threads " << threads;
                }
            }
        }
    }
}

// Threads may share a call by its tokens (core/model/forward.cpp): at every number of tokens around the
// borders, for one row and for a batch whose rows are apart.
TEST(LongBits, HowThreadsShareTokensDoesNotShow) {
    ModelConfig c;
    c.vocab_size = 61;
    c.hidden_size = 40;
    c.num_hidden_layers = 3;
    c.num_attention_heads = 4;
    c.num_key_value_heads = 2;
    c.head_dim = 10;
    c.intermediate_size = 35;
    const test::SyntheticCheckpoint checkpoint(c, 5);
    std::vector<TokenId> ids(150);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<TokenId>((i * i + 3) % 61);
    const Model alone(checkpoint.table(), c, std::make_shared<ThreadPool>(1));
    const Matrix reference = in_pieces(alone, ids, {1});
    for (const int threads : {2, 3, 5}) {
        const Model model(checkpoint.table(), c, std::make_shared<ThreadPool>(threads));
        for (const std::size_t piece : {23, 24, 25, 35, 36, 47, 48, 49, 60, 71, 72, 73, 119, 120, 150}) {
            expect_same_bits(reference, in_pieces(model, ids, {piece}), "a call of many tokens");
        }
        for (const std::size_t rows : {24, 30, 50}) {
            KvCache first(c);
            Workspace workspace;
            Matrix logits;
            model.forward({std::span(ids).first(17)}, first, LogitsFor::none, logits, workspace);
            std::vector<KvCache> batch = copies(first, rows);
            for (std::size_t t = 17; t < 20; ++t) {
                const std::vector<TokenId> next(rows, ids[t]);
                model.forward(next, batch, LogitsFor::last, logits, workspace);
                for (std::size_t r = 0; r < rows; ++r) {
                    EXPECT_TRUE(test::same_bits(&logits(r, 0), &reference(t, 0), 61))
                        << rows << " rows, row " << r << ", " << threads << " threads";
                }
            }
        }
    }
}

// Rows of a batch may be of different lengths, and take several tokens in a call.
TEST(LongBits, RowsOfABatchNeedNotBeEquallyLong) {
    ModelConfig c;
    c.vocab_size = 61;
    c.hidden_size = 40;
    c.num_hidden_layers = 2;
    c.num_attention_heads = 4;
    c.num_key_value_heads = 2;
    c.head_dim = 10;
    c.intermediate_size = 35;
    const test::SyntheticCheckpoint checkpoint(c, 5);
    std::vector<TokenId> ids(100);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<TokenId>((i * i + 3) % 61);
    const Model alone(checkpoint.table(), c, std::make_shared<ThreadPool>(1));
    const Matrix reference = in_pieces(alone, ids, {1});
    const std::vector<std::size_t> lengths = {0, 1, 15, 16, 33, 80};
    for (const int threads : {1, 2}) {
        const Model model(checkpoint.table(), c, std::make_shared<ThreadPool>(threads));
        for (const std::size_t count : {1, 2, 17}) {
            Workspace workspace;
            Matrix logits;
            std::vector<KvCache> batch;
            std::vector<TokenId> next;
            for (const std::size_t length : lengths) {
                batch.emplace_back(c);
                if (length > 0) {
                    model.forward({std::span(ids).first(length)}, batch.back(), LogitsFor::none, logits,
                                  workspace);
                }
                for (std::size_t t = length; t < length + count; ++t) next.push_back(ids[t]);
            }
            model.forward(next, batch, LogitsFor::last, logits, workspace);
            for (std::size_t r = 0; r < lengths.size(); ++r) {
                EXPECT_TRUE(
                    test::same_bits(&logits(r, 0), &reference(lengths[r] + count - 1, 0), logits.shape(1)))
                    << "row " << r << ", " << count << " tokens, threads " << threads;
            }
        }
    }
}

TEST(LongBits, ExpertsSeeTheSameTokensOneByOne) {
    ModelConfig c;
    c.vocab_size = 90;
    c.hidden_size = 36;
    c.num_hidden_layers = 2;
    c.num_attention_heads = 3;
    c.num_key_value_heads = 1;
    c.head_dim = 14;
    c.intermediate_size = 21;
    c.use_moe = true;
    c.num_experts = 5;
    c.num_experts_per_tok = 3;
    const test::SyntheticCheckpoint checkpoint(c, 8);
    std::vector<TokenId> ids(70);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<TokenId>(i * 7 % 90);
    check_promise(
        ids, [&](int threads) { return Model(checkpoint.table(), c, std::make_shared<ThreadPool>(threads)); },
        9);
}

}  // namespace
}  // namespace mm
